import process from "node:process";
import type { TestEvent } from "node:test/reporters";

/*
 * A reporter for scripts/test.ts: one line of JSON for each test that failed or was skipped, and one for each suite or
 * test at the top, which is a test file where several share a process.
 */

/** What a line says. */
export type Line =
  | { readonly kind: "began"; readonly name: string }
  | { readonly kind: "ended"; readonly name: string; readonly seconds: number; readonly tests: number }
  | { readonly kind: "failed"; readonly name: string; readonly error: string }
  | { readonly kind: "skipped"; readonly name: string; readonly reason: string };

const MAX_ERROR = 300;

/** Called by the test runner of Node. */
// oxlint-disable-next-line import/no-default-export -- that is how it finds a reporter
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let tests = 0;
  for await (const event of events) {
    const isEnd = event.type === "test:pass" || event.type === "test:fail";
    if (isEnd && event.data.details.type !== "suite") tests += 1;
    for (const line of linesOf(event, tests)) yield `${JSON.stringify(line)}\n`;
    if (isEnd && event.data.nesting === 0) tests = 0;
  }
}

function linesOf(event: TestEvent, tests: number): readonly Line[] {
  if (event.type !== "test:start" && event.type !== "test:pass" && event.type !== "test:fail") return [];
  const { name, nesting } = event.data;
  if (event.type === "test:start") return nesting === 0 ? [{ kind: "began", name }] : [];
  const lines: Line[] = [];
  const { skip } = event.data;
  if (event.type === "test:fail") {
    const { error } = event.data.details;
    // A suite fails with its tests, which have lines of their own.
    if (!("failureType" in error) || error.failureType !== "subtestsFailed") {
      lines.push({ kind: "failed", name, error: messageOf(error.cause ?? error) });
    }
  } else if (skip !== undefined && skip !== false) {
    lines.push({ kind: "skipped", name, reason: skip === true || skip === "" ? "no reason given" : skip });
  }
  if (nesting === 0) {
    lines.push({ kind: "ended", name, seconds: event.data.details.duration_ms / 1_000, tests });
  }
  return lines;
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const plain = text.replaceAll(`${process.cwd()}/`, "");
  return plain.length > MAX_ERROR ? `${plain.slice(0, MAX_ERROR)} …` : plain;
}
