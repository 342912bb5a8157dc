import assert from "node:assert/strict";
import { test } from "node:test";
import { gather, missOf, type Part } from "./gathered.ts";
import { LogEnd } from "./log-end.ts";

const end = (size: number, name = "ours"): { size: number; lastLeafHash: string } => ({
  size,
  lastLeafHash: `${name}${size}`,
});

test("the end of the log is guessed until another process is seen to write to it", () => {
  const log = new LogEnd();
  assert.equal(log.guess, null);
  log.read(end(3, "earlier"));
  assert.equal(log.contended, false, "what was there before tells nothing");
  log.expect(end(4));
  log.expect(end(5));
  assert.deepEqual(log.guess, end(5));
  log.forget();
  assert.equal(log.guess, null);
  log.read(end(4));
  assert.equal(log.contended, false, "one of ours failed, and the one before it is the end");
  log.expect(end(5));
  log.read(end(6, "theirs"));
  assert.equal(log.contended, true);
  assert.equal(log.guess, null, "it is read for a while");
});

test("turns come one after the other", async () => {
  const log = new LogEnd();
  const order: number[] = [];
  const first = await log.turn();
  const others = [1, 2].map(async (number) => {
    const done = await log.turn();
    order.push(number);
    done();
  });
  order.push(0);
  first();
  await Promise.all(others);
  assert.deepEqual(order, [0, 1, 2]);
});

test("writes become one statement, whose values are in the order of its marks", () => {
  const parts: readonly Part[] = [
    {
      table: "held",
      text: "SELECT 1 FROM runs WHERE id = ? FOR NO KEY UPDATE",
      values: ["run"],
      expects: { orElse: "owner", text: "(SELECT count(*) FROM $) = ?", values: [1] },
    },
    { table: "steps", text: "INSERT INTO steps (a) VALUES (?)", values: ["step"] },
  ];
  const { text, values } = gather(
    parts,
    {
      count: 2,
      events: { from: "f(?) AS v", rows: "rows" },
      pages: { from: "g(?) AS v", rows: "pages", shared: ["at", "e", "l", "d"] },
      channel: "news",
      announced: true,
    },
    "the_lock()",
  );
  assert.deepEqual(values, ["run", "step", 2, 2, "rows", "at", "e", "l", "d", "pages", 1, 1]);
  assert.equal(text.match(/\?/g)?.length, values.length);
  assert.match(text, /w1 AS \(INSERT INTO steps \(a\) VALUES \(\?\) RETURNING 1\)/);
  assert.match(text, /^WITH locked AS MATERIALIZED \(SELECT the_lock\(\)\), w0 AS/);
  assert.match(
    text,
    /WHERE name = 'events' AND \(SELECT count\(\*\) FROM locked\) >= 0 AND/,
    "the lock is first",
  );
  assert.ok(text.indexOf("UPDATE counters") > text.indexOf("w1 AS"), "the counter is locked last");
  assert.deepEqual(
    [missOf("2201F"), missOf("2201E"), missOf("23505"), missOf(null)],
    ["owner", "head", null, null],
  );
});
