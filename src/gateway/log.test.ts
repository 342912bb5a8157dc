import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError } from "../kernel/errors.ts";
import { LOG_FIELDS } from "../ports/log-fields.ts";
import { createLog } from "./log.ts";

function capture(): { lines: string[]; log: ReturnType<typeof createLog> } {
  const lines: string[] = [];
  return { lines, log: createLog("debug", (line) => lines.push(line)) };
}

describe("log", () => {
  it("writes one JSON object a line with level, time and event", () => {
    const { lines, log } = capture();
    log.info("counted", { count: 8080 });
    const line = JSON.parse(lines[0] ?? "");
    assert.partialDeepStrictEqual(line, { level: "info", msg: "counted", count: 8080 });
    assert.match(line.time, /^\d{4}-\d\d-\d\dT.*Z$/);
  });

  it("writes every field of the list with its value", () => {
    const { lines, log } = capture();
    const fields = Object.fromEntries(
      Object.entries(LOG_FIELDS).map(([name, type]) => [name, type === "number" ? 7 : `a ${name}`]),
    );
    log.info("all", fields);
    assert.partialDeepStrictEqual(JSON.parse(lines[0] ?? ""), fields);
    assert.doesNotMatch(lines[0] ?? "", /unlogged/);
  });

  it("does not compile with a field that is not on the list or has another type", () => {
    const { log } = capture();
    // @ts-expect-error -- not a field of log lines
    log.info("x", { authorization: "canary" });
    // @ts-expect-error -- a number
    log.warn("x", { durationMs: "12" });
    // @ts-expect-error -- no structure
    log.error("x", { tool: { name: "canary" } });
  });

  it("lets nothing through that came past the types, and counts it in the line", () => {
    const { lines, log } = capture();
    const wide = {
      requestId: "kept",
      authorization: "canary",
      arguments: "canary",
      body: { a: "canary" },
      canary: true,
    };
    log.warn("x", wide);
    assert.doesNotMatch(lines[0] ?? "", /canary/);
    assert.partialDeepStrictEqual(JSON.parse(lines[0] ?? ""), { requestId: "kept", unlogged: 4 });
  });

  it("marks a text that it had to cut", () => {
    const { lines, log } = capture();
    log.info("x", { tool: "t".repeat(301) });
    assert.equal(JSON.parse(lines[0] ?? "").tool, `${"t".repeat(300)}…`);
  });

  it("shows where an error came from, and its message only when it is ours", () => {
    const { lines, log } = capture();
    log.error("failed", {}, new TypeError("canary from a library"));
    log.warn("delayed", { retryMs: 5 }, new TypeError("canary from a library"));
    for (const line of lines.splice(0)) {
      assert.match(line, /"error":"TypeError".*log\.test\.ts/);
      assert.doesNotMatch(line, /canary/);
    }
    log.error("failed", {}, new AppError("conflict", "our own words"));
    assert.match(lines[0] ?? "", /"code":"conflict","reason":"our own words"/);
    log.error(
      "failed",
      {},
      Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" }),
    );
    assert.match(lines[1] ?? "", /"code":"ECONNREFUSED"/);
    assert.doesNotMatch(lines[1] ?? "", /127\.0\.0\.1/);
  });

  it("keeps quiet below its level", () => {
    const lines: string[] = [];
    const log = createLog("warn", (line) => lines.push(line));
    log.info("no");
    log.debug("no");
    log.error("yes");
    assert.equal(lines.length, 1);
  });
});
