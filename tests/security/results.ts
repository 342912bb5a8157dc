import { existsSync, readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { isObject } from "../../src/kernel/json.ts";

/** Where results are kept; docs/security.md is generated from it. */
export const RESULTS_FILE = "docs/security-results.json";

/** How much a run of a long command covered of what its row says. */
export interface Extent {
  readonly done: number;
  readonly asked: number;
  readonly unit: string;
  /** What was asked less strictly than the row says. */
  readonly but?: string;
}

/** How a row of tests or a long command last went. */
export interface SecurityResult {
  readonly result: "passed" | "failed";
  readonly date: string;
  /** Figures, in one line. */
  readonly detail: string;
  readonly extent?: Extent;
  /** A newer run that covered less: it stands beside the longer one and does not replace it. */
  readonly shorter?: SecurityResult;
}

/** The results by the id of their row. */
export function readResults(): Map<string, SecurityResult> {
  const value: unknown = existsSync(RESULTS_FILE) ? JSON.parse(readFileSync(RESULTS_FILE, "utf8")) : {};
  return new Map(
    Object.entries(isObject(value) ? value : {}).flatMap(([id, entry]): [string, SecurityResult][] => {
      const result = resultOf(entry);
      return result === null ? [] : [[id, result]];
    }),
  );
}

function resultOf(entry: unknown): SecurityResult | null {
  if (!isObject(entry)) return null;
  const { result, date, detail, extent } = entry;
  const shorter = resultOf(entry["shorter"]);
  return {
    result: result === "passed" ? "passed" : "failed",
    date: String(date),
    detail: typeof detail === "string" ? detail : "",
    ...(isObject(extent) && {
      extent: {
        done: Number(extent["done"]),
        asked: Number(extent["asked"]),
        unit: String(extent["unit"]),
        ...(typeof extent["but"] === "string" && { but: extent["but"] }),
      },
    }),
    ...(shorter !== null && { shorter }),
  };
}

/** True when a run covered all that its row says. */
export function isWhole({ extent }: SecurityResult): boolean {
  return extent === undefined || (extent.done >= extent.asked && extent.but === undefined);
}

/** What is kept after a run: one that covered less than the kept one stands beside it. */
export function keptAfter(kept: SecurityResult | undefined, run: SecurityResult): SecurityResult {
  if (kept === undefined || isWhole(run)) return run;
  const { shorter: _, ...longer } = kept;
  const isLonger = !isWhole(kept) && (run.extent?.done ?? 0) >= (kept.extent?.done ?? 0);
  return isLonger ? run : { ...longer, shorter: run };
}

/** Writes results of today beside the others. */
export function writeResults(
  results: Readonly<Record<string, { passed: boolean; detail: string; extent?: Extent }>>,
): void {
  const all = readResults();
  const date = new Date().toISOString().slice(0, 10);
  for (const [id, { passed, ...run }] of Object.entries(results))
    all.set(id, keptAfter(all.get(id), { result: passed ? "passed" : "failed", date, ...run }));
  const sorted = [...all].toSorted(([a], [b]) => a.localeCompare(b, "en", { numeric: true }));
  writeFileSync(RESULTS_FILE, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}

/** Writes how a long command went for docs/security.md, with `--record`. */
export function record(id: string, passed: boolean, detail: string, extent: Extent): void {
  process.stdout.write(`${passed ? "passed" : "FAILED"}: ${detail}\n`);
  if (process.argv.includes("--record")) writeResults({ [id]: { passed, detail, extent } });
}

/** Ends a long command: records it and exits. */
export function finish(id: string, passed: boolean, detail: string, extent: Extent): never {
  record(id, passed, detail, extent);
  process.exit(passed ? 0 : 1);
}

/** The arguments of a long command without its flags. */
export function plainArguments(): readonly string[] {
  return process.argv.slice(2).filter((text) => !text.startsWith("--"));
}
