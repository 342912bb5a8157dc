import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Variables } from "./environment.ts";

/** The database that the service would use: DATABASE_URL, or the file in SVC_DATA or in the clone's `data`. */
export function databaseUrl(variables: Variables): string {
  const given = variables["DATABASE_URL"]?.trim();
  if (given !== undefined && given !== "") return given;
  const folder = variables["SVC_DATA"]?.trim() || fileURLToPath(new URL("../../data", import.meta.url));
  return `sqlite:${join(folder, "workflow-ui.db")}`;
}
