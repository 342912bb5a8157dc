import { join } from "node:path";
import { newId } from "../../src/kernel/ids.ts";
import type { Store, StoreTx } from "../../src/ports/store.ts";
import { openStore } from "../../src/storage/open.ts";
import { openWriter } from "../../src/storage/sqlite/store.ts";
import { AT, DIGEST, quiet, sampleLeaf, sampleRun, sampleStep } from "../../tests/storage/store.samples.ts";
import { inParallel, type Case } from "./measure.ts";

const ANSWER = { id: "run_01", status: "queued", note: "what a short answer looks like" };

/** One record through the store. */
export function insertOne(store: Store): () => Promise<unknown> {
  return () => {
    const key = newId("k");
    return store.transact((tx) =>
      tx.idempotency.insert({ scope: "bench", key, requestDigest: DIGEST, answer: ANSWER, createdAt: AT }),
    );
  };
}

/** More than steps are written at a time: a run writes one step after another, and its row is locked by each. */
const RUNS = 128;

/** A step's checkpoint through the store, of one run after the other: run, step, event and provenance leaf. */
export async function stepWriter(store: Store): Promise<() => Promise<unknown>> {
  const runs = Array.from({ length: RUNS }, () => sampleRun({ state: "running", startedAt: AT }));
  await store.transact(async (tx) => {
    await tx.runs.putDocument(DIGEST, { nodes: [] });
    for (const run of runs) await tx.runs.insert(run);
  });
  let step = 0;
  return () => {
    const runId = runs[step % RUNS]?.id ?? "";
    const stepId = `s${step++}`;
    return store.transact((tx) => writeStep(tx, runId, stepId));
  };
}

async function writeStep(tx: StoreTx, runId: string, stepId: string): Promise<void> {
  if (!(await tx.runs.save(sampleRun({ id: runId, state: "running", startedAt: AT }))))
    throw new Error("lost");
  await tx.runs.putSteps([sampleStep(runId, { stepId })]);
  await tx.events.append([
    {
      type: "svc.step.succeeded",
      subject: runId,
      traceparent: null,
      data: { runId, stepId, status: "succeeded" },
      publicData: null,
      madeIn: null,
    },
  ]);
  const place = tx.numbersAtOnce ? (await tx.provenance.head()).size : null;
  await tx.provenance.append([sampleLeaf(place, { runId, subjectId: stepId })]);
}

/** The same writes by hand, on the bare driver, and through the store. */
export async function sqliteCases(folder: string): Promise<readonly Case[]> {
  const store = await openStore(`sqlite:${join(folder, "ours.db")}`, quiet);
  const seeded = await openStore(`sqlite:${join(folder, "bare.db")}`, quiet);
  await stepWriter(seeded);
  const runId = (await seeded.read.runs.list({ limit: 1 })).items[0]?.id ?? "";
  await seeded.close();
  const { db } = openWriter(join(folder, "bare.db"));
  const insert = db.prepare(
    "INSERT INTO idempotency_keys (scope, key, request_digest, answer, created_at) VALUES (?, ?, ?, ?, ?)",
  );
  const statements = {
    begin: db.prepare("BEGIN IMMEDIATE"),
    commit: db.prepare("COMMIT"),
    run: db.prepare(
      "UPDATE runs SET state = ?, visibility = ?, outputs = ?, error = ?, wake_at = ?, started_at = ?, finished_at = ? WHERE id = ? AND epoch = ?",
    ),
    step: db.prepare(
      "INSERT INTO steps (run_id, step_id, state, attempt, port, input, output, error, idempotency_key, wake_at, started_at, finished_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    ),
    event: db.prepare(
      "INSERT INTO events (id, type, subject, time, traceparent, data, public_data) VALUES (?, ?, ?, ?, ?, ?, ?)",
    ),
    head: db.prepare("SELECT leaf_index, leaf_hash FROM provenance_records ORDER BY leaf_index DESC LIMIT 1"),
    leaf: db.prepare(
      "INSERT INTO provenance_records (leaf_index, id, kind, subject_id, run_id, digest, lookup_key, privacy, body, leaf_hash, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    ),
  };
  let bareStep = 0;
  const bareStepOnce = (): void => {
    const stepId = `s${bareStep++}`;
    statements.begin.run();
    statements.run.run("running", "private", null, null, null, AT, null, runId, 0);
    const input = JSON.stringify({ q: 1 });
    const output = JSON.stringify([1, "two", null]);
    statements.step.run(runId, stepId, "succeeded", 1, "success", input, output, null, null, null, AT, AT);
    const data = JSON.stringify({ runId, stepId, status: "succeeded" });
    statements.event.run(
      newId("event"),
      "svc.step.succeeded",
      runId,
      new Date().toISOString(),
      null,
      data,
      null,
    );
    const head = statements.head.get()?.["leaf_index"];
    const index = typeof head === "number" ? head + 1 : 0;
    statements.leaf.run(
      index,
      newId("prov"),
      "step",
      stepId,
      runId,
      DIGEST,
      DIGEST,
      "internal",
      '{"a":1}',
      `hash-${index}`,
      AT,
    );
    statements.commit.run();
  };
  const step = await stepWriter(store);
  const one = insertOne(store);
  return [
    {
      name: "bare insert",
      run: async (count) => {
        for (let i = 0; i < count; i++) insert.run("bench", newId("k"), DIGEST, JSON.stringify(ANSWER), AT);
      },
    },
    { name: "store insert, concurrency 1", against: "bare insert", bar: 0.8, run: inParallel(1, one) },
    { name: "store insert, concurrency 64", against: "bare insert", bar: 3, run: inParallel(64, one) },
    {
      name: "bare step",
      run: async (count) => {
        for (let i = 0; i < count; i++) bareStepOnce();
      },
    },
    { name: "store step, concurrency 1", against: "bare step", bar: 0.6, run: inParallel(1, step) },
    { name: "store step, concurrency 32", against: "bare step", bar: 0.6, run: inParallel(32, step) },
  ];
}
