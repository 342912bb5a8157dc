import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import type { JsonObject } from "../kernel/json.ts";
import { createWatchdog } from "./watchdog.ts";

test("a call that holds the thread is named in the log and counted", async () => {
  const lines: { event: string; fields: JsonObject | undefined }[] = [];
  const watchdog = createWatchdog({
    debug: () => undefined,
    info: () => undefined,
    warn: (event, fields) => lines.push({ event, fields }),
    error: () => undefined,
  });
  const waiting = watchdog.begin("tools/call patient", "early");
  await sleep(120);
  lines.length = 0;
  const call = watchdog.begin("tools/call greedy", "req-1");
  const until = performance.now() + 400;
  while (performance.now() < until);
  watchdog.end(call);
  const isLong = ({ fields }: (typeof lines)[number]): boolean => Number(fields?.["durationMs"]) >= 300;
  // The histogram has a timer of its own, which may come after the line.
  for (let n = 0; n < 1_000 && !(lines.some(isLong) && watchdog.delay.max > 0.3); n++) await sleep(20);
  watchdog.end(waiting);
  const line = lines.find(isLong);
  assert.equal(line?.event, "event loop blocked");
  assert.equal(line?.fields?.["requestId"], "req-1");
  assert.match(JSON.stringify(line?.fields?.["method"] ?? ""), /^"tools\/call greedy/);
  assert.ok((watchdog.blocked.get("tools/call greedy")?.seconds ?? 0) > 0.3);
  assert.ok(watchdog.delay.max > 0.3);
  watchdog.close();
});
