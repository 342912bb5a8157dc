import process from "node:process";
import type { Variables } from "./environment.ts";
import { parseCommandLine } from "./program.ts";
import { loadTable } from "./table.ts";

/** Runs one command line and gives its exit status. */
export async function main(argv: readonly string[], variables: Variables): Promise<number> {
  // A reader that has seen enough (head, less) is no error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
  const parsed = parseCommandLine(argv, await loadTable(argv));
  if ("status" in parsed) return parsed.status;
  // Help is shown without ever loading what commands work with.
  const { execute } = await import("./execute.ts");
  return execute(parsed.given, variables);
}
