import assert from "node:assert/strict";
import { it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { startLoop } from "./loop.ts";

const NEVER = 1_000_000;

function gate() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

it("looks once at a time, again when it was woken in between, and as long as there may be more", async () => {
  const gates = [gate(), gate(), gate()];
  let begun = 0;
  let atWork = 0;
  const loop = startLoop({
    everyMs: NEVER,
    failed: (error) => assert.fail(String(error)),
    async work() {
      const at = begun++;
      assert.equal(++atWork, 1);
      await gates[at]?.opened;
      atWork--;
      return at === 1;
    },
  });
  loop.wake();
  loop.wake();
  loop.wake();
  assert.equal(begun, 1);
  gates[0]?.open();
  await turn();
  assert.equal(begun, 2, "woken while it worked");
  gates[1]?.open();
  await turn();
  assert.equal(begun, 3, "there may be more");
  gates[2]?.open();
  await turn();
  assert.equal(begun, 3);
  await loop.close();
});

it("looks again after a failure, when it is woken", async () => {
  const failures: unknown[] = [];
  let begun = 0;
  const loop = startLoop({
    everyMs: NEVER,
    failed: (error) => failures.push(error),
    async work() {
      if (begun++ === 0) throw new Error("away");
      return false;
    },
  });
  loop.wake();
  await turn();
  assert.equal(failures.length, 1);
  loop.wake();
  await turn();
  assert.equal(begun, 2);
  await loop.close();
});

it("gathers changes, and ends with the turn at hand", async () => {
  const last = gate();
  let changed = (): void => assert.fail("not followed");
  let isFollowing = true;
  let begun = 0;
  let hasEnded = false;
  const loop = startLoop({
    everyMs: NEVER,
    failed: (error) => assert.fail(String(error)),
    gatherMs: 1,
    follow(callback) {
      changed = callback;
      return () => {
        isFollowing = false;
      };
    },
    async work(signal) {
      begun++;
      await last.opened;
      assert.ok(signal.aborted);
      hasEnded = true;
      return true;
    },
  });
  changed();
  changed();
  const hasBegun = (): boolean => begun > 0;
  while (!hasBegun()) await turn();
  const closed = loop.close();
  assert.equal(isFollowing, false);
  assert.equal(hasEnded, false);
  last.open();
  await closed;
  assert.ok(hasEnded);
  assert.equal(begun, 1);
});
