import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError } from "../kernel/errors.ts";
import { createAdmission, type Admission } from "./admission.ts";

const SLOTS = 64;
/** Longer than any test takes: the number of slots stays as it is. */
const NEVER_MS = 600_000;

async function fill(admission: Admission, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await admission.enter();
}

function busyFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

const isOverloaded = (error: unknown): boolean => error instanceof AppError && error.code === "overloaded";

const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((next) => setImmediate(next));
};

describe("admission", () => {
  it("lets the first ones begin at once and the others in the order in which they came", async () => {
    const admission = createAdmission({ maxInFlight: 1_000, maxWaitMs: 60_000, sampleMs: NEVER_MS });
    assert.equal(admission.enter(), undefined, "nothing to wait for");
    await fill(admission, SLOTS - 1);
    const begun: number[] = [];
    const waiting = [1, 2, 3].map(async (n) => {
      await admission.enter();
      begun.push(n);
    });
    await turns(5);
    assert.deepEqual(begun, [], "nobody may begin but in place of one that has ended");
    admission.leave();
    admission.leave();
    await turns(5);
    assert.deepEqual(begun, [1, 2]);
    admission.leave();
    await Promise.all(waiting);
    assert.deepEqual(begun, [1, 2, 3]);
  });

  it("lets those that waited begin together, so that they can share what they wait for", async () => {
    const admission = createAdmission({ maxInFlight: 1_000, maxWaitMs: 60_000, sampleMs: NEVER_MS });
    await fill(admission, SLOTS);
    let begun = 0;
    const waiting = Array.from({ length: 32 }, async () => {
      await admission.enter();
      begun += 1;
    });
    for (let i = 0; i < 32; i++) admission.leave();
    await turns(10);
    assert.equal(begun, 32, "a few turns are enough for all of them");
    await Promise.all(waiting);
  });

  it("refuses those of a crowd that waited too long, without beginning them", async () => {
    const admission = createAdmission({ maxInFlight: 1_000, maxWaitMs: 30, sampleMs: 50 });
    await fill(admission, SLOTS);
    const crowd = Promise.allSettled(Array.from({ length: 100 }, () => Promise.resolve(admission.enter())));
    busyFor(60);
    for (let i = 0; i < 64; i++) {
      admission.leave();
      await turns(1);
    }
    const refused = (await crowd).filter(({ status }) => status === "rejected");
    assert.equal(refused.length, 36, "the first ones, until those left are no crowd");
    assert.ok(refused.every((outcome) => outcome.status === "rejected" && isOverloaded(outcome.reason)));
  });

  it("refuses at once when too many are under way", async () => {
    const admission = createAdmission({ maxInFlight: 8, maxWaitMs: 1_000, sampleMs: 50 });
    await fill(admission, 8);
    assert.throws(() => admission.enter(), isOverloaded);
    admission.leave();
    await admission.enter();
  });

  it("spreads what arrives together over turns of the event loop", async () => {
    const admission = createAdmission({ maxInFlight: 1_000, maxWaitMs: 10_000, sampleMs: 50 });
    await turns(1);
    assert.equal(admission.enter(), undefined);
    busyFor(20);
    const later = admission.enter();
    assert.ok(later instanceof Promise, "this turn has lasted long enough");
    await later;
  });

  it("lets more begin when those under way only wait for something else", async () => {
    const admission = createAdmission({ maxInFlight: 1_000, maxWaitMs: 10_000, sampleMs: 50 });
    await fill(admission, SLOTS * 3);
  });

  it("lets fewer begin while the loop is busy with those under way", async () => {
    const admission = createAdmission({ maxInFlight: 1_000, maxWaitMs: 200, sampleMs: 50 });
    await fill(admission, SLOTS);
    let begun = 0;
    const waiting = Array.from({ length: 200 }, async () => {
      await admission.enter();
      begun += 1;
    });
    const settled = Promise.allSettled(waiting);
    for (let ended = 0; ended < 12; ended++) {
      busyFor(40);
      admission.leave();
      await turns(1);
    }
    assert.ok(begun <= 12, `${begun} began`);
    for (let i = 0; i < 200; i++) {
      admission.leave();
      await turns(1);
    }
    const outcomes = await settled;
    assert.ok(outcomes.some(({ status }) => status === "rejected"));
  });
});
