import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "../../kernel/errors.ts";

/**
 * Makes the folder of a database file, for its owner only. Not with `recursive`, which never ends where the system
 * answers that a folder above is missing although it is there, as in /proc.
 */
export function createFolder(path: string): void {
  const missing: string[] = [];
  for (let folder = dirname(path); !existsSync(folder); folder = dirname(folder)) missing.push(folder);
  try {
    for (const folder of missing.toReversed()) if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    throw new AppError("storage_unavailable", `The folder ${dirname(path)} of the database cannot be made.`, {
      nextAction: "Set DATABASE_URL to a file in a folder that this user may write.",
      cause: error,
    });
  }
}
