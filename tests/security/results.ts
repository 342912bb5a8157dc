import { existsSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { isObject } from "../../src/kernel/json.ts";

/** Where results are kept; docs/security.md is generated from it. */
export const RESULTS_FILE = "docs/security-results.json";

/** How a row of tests or a long command last went. */
export interface SecurityResult {
  readonly result: "passed" | "failed";
  readonly date: string;
  /** Figures, in one line. */
  readonly detail: string;
}

/** The results by the id of their row. */
export function readResults(): Map<string, SecurityResult> {
  const value: unknown = existsSync(RESULTS_FILE) ? JSON.parse(readFileSync(RESULTS_FILE, "utf8")) : {};
  return new Map(
    Object.entries(isObject(value) ? value : {}).flatMap(([id, entry]): [string, SecurityResult][] =>
      isObject(entry)
        ? [
            [
              id,
              {
                result: entry["result"] === "passed" ? "passed" : "failed",
                date: String(entry["date"]),
                detail: typeof entry["detail"] === "string" ? entry["detail"] : "",
              },
            ],
          ]
        : [],
    ),
  );
}

/** Writes results of today beside the others. */
export function writeResults(results: Readonly<Record<string, { passed: boolean; detail: string }>>): void {
  const all = readResults();
  const date = new Date().toISOString().slice(0, 10);
  for (const [id, { passed, detail }] of Object.entries(results))
    all.set(id, { result: passed ? "passed" : "failed", date, detail });
  const sorted = [...all].toSorted(([a], [b]) => a.localeCompare(b, "en", { numeric: true }));
  writeFileSync(RESULTS_FILE, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}

/** Ends a long command: prints the summary, writes it for docs/security.md with `--record`, and exits. */
export function finish(id: string, passed: boolean, detail: string): never {
  process.stdout.write(`${passed ? "passed" : "FAILED"}: ${detail}\n`);
  if (process.argv.includes("--record")) writeResults({ [id]: { passed, detail } });
  process.exit(passed ? 0 : 1);
}

/** The arguments of a long command without its flags. */
export function plainArguments(): readonly string[] {
  return process.argv.slice(2).filter((text) => !text.startsWith("--"));
}
