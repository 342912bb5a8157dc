import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError } from "../kernel/errors.ts";
import { createLog } from "./log.ts";

function capture(): { lines: string[]; log: ReturnType<typeof createLog> } {
  const lines: string[] = [];
  return { lines, log: createLog("debug", (line) => lines.push(line)) };
}

describe("log", () => {
  it("writes one JSON object a line with level, time and event", () => {
    const { lines, log } = capture();
    log.info("started", { port: 8080 });
    const line = JSON.parse(lines[0] ?? "");
    assert.partialDeepStrictEqual(line, { level: "info", msg: "started", port: 8080 });
    assert.match(line.time, /^\d{4}-\d\d-\d\dT.*Z$/);
  });

  it("lets no field through that is not on the list, and no structure at all", () => {
    const { lines, log } = capture();
    log.warn("x", {
      authorization: "canary",
      arguments: "canary",
      body: { a: "canary" },
      tool: { name: "canary" },
      requestId: "kept",
    });
    assert.doesNotMatch(lines[0] ?? "", /canary/);
    assert.match(lines[0] ?? "", /kept/);
  });

  it("shows where an error came from, and its message only when it is ours or the system's", () => {
    const { lines, log } = capture();
    log.error("failed", {}, new TypeError("canary from a library"));
    assert.match(lines[0] ?? "", /"error":"TypeError".*log\.test\.ts/);
    assert.doesNotMatch(lines[0] ?? "", /canary/);
    log.error("failed", {}, new AppError("conflict", "our own words"));
    assert.match(lines[1] ?? "", /our own words/);
    log.error(
      "failed",
      {},
      Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" }),
    );
    assert.match(lines[2] ?? "", /ECONNREFUSED/);
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
