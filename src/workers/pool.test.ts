import assert from "node:assert/strict";
import { it } from "node:test";
import { AppError } from "../kernel/errors.ts";
import { createWorkerPool } from "./pool.ts";

it("the start of the first thread is no time in the queue: a busy machine refuses nobody for it", async () => {
  // A thread takes longer to start than this, on any machine.
  const pool = createWorkerPool({ queueMs: 1 });
  try {
    const verdict = await pool.validate({ type: "string" }, "text");
    assert.equal(verdict.valid, true);
  } finally {
    await pool.close();
  }
});

it("a job that waits too long for a thread that is busy is refused", async () => {
  const pool = createWorkerPool({
    workers: 1,
    queueMs: 1,
    jobMs: { validate_value: 1_000 },
    wallMs: 60_000,
  });
  try {
    await pool.validate(true, null);
    // The first one backtracks until it is stopped, so the second one waits for longer than it may.
    const [first, second] = await Promise.allSettled([
      pool.validate({ type: "string", pattern: "(a+)+$" }, `${"a".repeat(60)}!`),
      pool.validate(true, null),
    ]);
    assert.equal(first.status, "rejected");
    assert.ok(second.status === "rejected" && second.reason instanceof AppError);
    assert.equal(second.reason.code, "overloaded");
  } finally {
    await pool.close();
  }
});

it("a thread that grew for a large input ends, and its memory with it; an ordinary one stays", async () => {
  let started = 0;
  const shared = (): null => {
    started += 1;
    return null;
  };
  // A million objects cross slowly on a busy machine, and that is not what is tested.
  const patient = { jobMs: { validate_value: 20_000 }, validateWallMs: 60_000, wallMs: 60_000 };
  const pool = createWorkerPool({ workers: 1, shared, ...patient });
  try {
    await pool.validate(true, 1);
    await pool.validate(true, 2);
    assert.equal(started, 1);
    // A million small objects take far more memory than their text.
    await pool.validate(
      true,
      Array.from({ length: 1_000_000 }, () => ({})),
    );
    await pool.validate(true, 3);
    assert.equal(started, 2);
  } finally {
    await pool.close();
  }
});
