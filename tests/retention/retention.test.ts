import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, it } from "node:test";
import { createClient, OperationError, type RunDetail } from "../../packages/client/client.ts";
import { isReceipt } from "../../src/provenance/proof-shape.ts";
import { verifyReceipt, type RunReceipt } from "../../src/provenance/receipt.ts";
import { verifySignature } from "../../src/provenance/signing.ts";
import { startPruner } from "../../src/retention/pruner.ts";
import { checkDatabase } from "../../src/storage/maintenance/check.ts";
import { openStore } from "../../src/storage/open.ts";
import { DIGEST, DOCUMENT, sampleRun } from "../storage/store.samples.ts";
import { loud } from "../engine/harness.ts";
import { testPostgres } from "../support/postgres.ts";
import { ask, create } from "../triggers/support.ts";
import { runToApproval, startService, TEST_KEY, type TestService } from "../support/service.ts";

const server = await testPostgres();
const folder = mkdtempSync(join(tmpdir(), "workflow-ui-retention-"));
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const DAY_MS = 24 * 60 * 60_000;
const KEY = { authorization: `Bearer ${TEST_KEY}` };

const STORES: readonly (readonly [string, () => Promise<string>])[] = [
  ["SQLite", async () => `sqlite:${join(folder, "retention.db")}`],
  ["PostgreSQL", () => server.createDatabase()],
];

for (const [name, database] of STORES) {
  describe(`retention on ${name}`, () => {
    it("removes details, then runs, with what belongs to them; signed records and receipts stay valid", async () => {
      const databaseUrl = await database();
      const clock = { ahead: 0, now: () => Date.now() + clock.ahead };
      const masterKeys = [Buffer.alloc(32, 7).toString("base64")];
      const service = await startService({ settings: { databaseUrl, masterKeys }, clock });
      try {
        await walk(service, clock);
      } finally {
        await service.close();
      }
      assert.deepEqual((await checkDatabase(databaseUrl)).problems, []);
    });
  });
}

it("gives the pages of removed runs back to the disk, also those that an ended process left", async () => {
  const path = join(folder, "space.db");
  const clock = { now: () => Date.now() };
  const store = await openStore(`sqlite:${path}`, { clock, log: loud });
  const value = { text: "x".repeat(4_000) };
  const ended = { workflowId: null, state: "succeeded", inputs: value, outputs: value } as const;
  const fill = (count: number): Promise<void> =>
    store.transact(async (tx) => {
      await tx.runs.putDocument(DIGEST, DOCUMENT);
      await tx.runs.insert(
        ...Array.from({ length: count }, () => sampleRun({ ...ended, finishedAt: sampleRun().createdAt })),
      );
    });
  const removeAll = { workflowId: null, endedBefore: null, upTo: null } as const;
  await fill(1_000);
  // As far as a process came that was stopped then.
  await store.transact(async (tx) => {
    await tx.retention.removeDetails({ ...removeAll, stage: "details" }, 1_000, new Date().toISOString());
    await tx.retention.removeRuns({ ...removeAll, stage: "run" }, 1_000);
  });
  const pruner = startPruner(store, clock, loud);
  pruner.wake();
  await until(async () => pragma(path, "freelist_count") === 0);
  // And once whole.
  await fill(2_000);
  const full = Number(pragma(path, "page_count"));
  const rule = { workflowId: null, detailsDays: 0, runsDays: 0, runsKept: null };
  await store.transact((tx) => tx.retention.put({ ...rule, updatedAt: "", updatedBy: "" }));
  pruner.wake();
  await until(async () => (await store.read.runs.list({ limit: 1 })).items.length === 0);
  await until(async () => pragma(path, "freelist_count") === 0);
  await pruner.close();
  await store.close();
  const removed = 2_000 * 2 * JSON.stringify(value).length;
  const left = statSync(path).size;
  assert.ok(left < full * 4_096 - removed, `${full} pages became ${left} bytes`);
});

function pragma(path: string, name: string): unknown {
  const file = new DatabaseSync(path, { readOnly: true });
  try {
    return file.prepare(`PRAGMA ${name}`).get()?.[name];
  } finally {
    file.close();
  }
}

async function walk(service: TestService, clock: { ahead: number }): Promise<void> {
  const client = createClient({ baseUrl: service.url, headers: () => KEY });
  const child = await workflow(service, "Child", [tool("inner")]);
  await service.call("publish_workflow", { id: child }, { key: true });
  const id = await workflow(service, "Parent", [
    { id: "sub", type: "subworkflow", title: "Sub", subworkflow: { workflowId: child } },
    { id: "ask", type: "approval", title: "Ask", approval: { title: "Go on?", show: { fixed: "value" } } },
    tool("last"),
  ]);
  const other = await workflow(service, "Other", [tool("only")]);
  const old: string[] = [];
  for (let n = 0; n < 3; n++) old.push(await approved(service, id));
  await ended(service, (await service.call("run_workflow", { id: other }, { key: true })).envelope);
  const { trigger } = await create(service, { workflowId: id, kind: "webhook" });
  await service.app.services.store.transact((tx) =>
    tx.triggers.insertFiring({
      id: "firing_failed",
      triggerId: trigger.id,
      key: "failed",
      state: "failed",
      dueAt: null,
      payload: { patient: "Bob" },
      headers: { "x-patient": "Bob" },
      runId: null,
      depth: 0,
      reason: "",
      createdAt: new Date().toISOString(),
    }),
  );
  const fired = await ask(service, "POST", `/api/svc/triggers/${trigger.id}/fire`, {
    payload: { patient: "Ada" },
  });
  const { id: firingId, runId } = fired.data.firing;
  assert.ok(runId !== null);
  await service.client.call("cancel_workflow_run", { id: runId });
  await until(async () => (await run(service, runId)).status === "cancelled");
  const waiting = await runToApproval(service, id);
  const before = await receiptOf(service, old[0] ?? "");

  const refused = await client.call("set_retention_rule", {}).catch((error: unknown) => error);
  assert.ok(refused instanceof OperationError && refused.code === "invalid_input");

  // A rule for the details of one workflow; the other one and what waits are left alone.
  clock.ahead = 10 * DAY_MS;
  const rule = { workflowId: id, detailsDays: 7, runsDays: 30 };
  assert.deepEqual(await client.call("preview_retention_rule", rule), {
    details: 4,
    runs: 0,
    isComplete: true,
  });
  await client.call("set_retention_rule", rule);
  await until(async () => (await run(service, old[2] ?? "")).detailsRemovedAt !== undefined);
  const pruned = await run(service, old[0] ?? "");
  assert.deepEqual(
    [pruned.status, pruned.inputs, pruned.outputs, pruned.steps, pruned.approvals],
    ["succeeded", {}, null, [], []],
  );
  assert.ok((await run(service, waiting.id)).steps.length > 0, "a run that waits keeps everything");
  const { store } = service.app.services;
  const payloads = async () =>
    (await store.read.triggers.firings(trigger.id, { limit: 10 })).items.map(({ payload }) => payload);
  await until(async () => (await payloads()).every((payload) => payload === null));
  assert.equal((await payloads()).length, 2, "what was sent goes with the details, its firing stays");
  const replay = await ask(service, "POST", `/api/svc/triggers/${trigger.id}/fire`, { firingId });
  assert.equal(replay.status, 409, "and is not replayed as nothing");
  assert.deepEqual(verdicts(await receiptOf(service, old[0] ?? "")), [], "its records still prove it");
  const contents = await fetch(`${service.url}/api/svc/runs/${old[0]}/receipt?content=true`, {
    headers: KEY,
  });
  assert.equal(contents.status, 409, "values that are gone are not shown as others");

  // Later the runs go as well, with those that they started.
  clock.ahead = 40 * DAY_MS;
  await client.call("set_retention_rule", rule);
  await until(async () => (await listed(service, id)).length === 1);
  assert.deepEqual(await listed(service, id), [waiting.id]);
  assert.deepEqual(await listed(service, child), [await childOf(service, waiting.id)]);
  assert.equal((await listed(service, other)).length, 1, "a workflow without a rule keeps its runs");
  assert.deepEqual(verdicts(before), [], "a receipt of before still proves the run");

  // A limit of a number, for all workflows without a rule.
  for (let n = 0; n < 3; n++) {
    await ended(service, (await service.call("run_workflow", { id: other }, { key: true })).envelope);
  }
  const newest = (await listed(service, other))[0];
  await client.call("set_retention_rule", { runsKept: 1 });
  await until(async () => (await listed(service, other)).length === 1);
  assert.deepEqual(await listed(service, other), [newest]);
  const { rules } = await client.call("remove_retention_rule", {});
  assert.deepEqual(
    rules.map(({ workflowName, detailsDays, runsDays, runsKept }) => [
      workflowName,
      detailsDays,
      runsDays,
      runsKept,
    ]),
    [["Parent", 7, 30, null]],
  );
  const { entries } = await client.call("list_audit", {});
  assert.ok(entries.some(({ action }) => action === "retention.set"));
}

const tool = (id: string) => ({ id, type: "tool", title: id, tool: "get_health" });

async function workflow(
  service: TestService,
  name: string,
  nodes: readonly Readonly<Record<string, unknown>>[],
): Promise<string> {
  const edges = nodes.slice(1).map((node, index) => ({
    from: nodes[index]?.["id"],
    to: node["id"],
    ...(nodes[index]?.["type"] === "approval" && { port: "approved" }),
  }));
  const { envelope } = await service.call("create_workflow", { name, nodes, edges }, { key: true });
  assert.ok(envelope.ok, JSON.stringify(envelope));
  return envelope.data.workflow.id;
}

async function approved(service: TestService, id: string): Promise<string> {
  const { id: runId, approvals } = await runToApproval(service, id);
  await service.client.call("approve_step", { id: approvals[0].id });
  await until(async () => (await run(service, runId)).status === "succeeded");
  return runId;
}

async function ended(
  service: TestService,
  envelope: { readonly data: { readonly run: { readonly id: string } } },
): Promise<void> {
  await until(async () => (await run(service, envelope.data.run.id)).status === "succeeded");
}

async function run({ client }: TestService, id: string): Promise<RunDetail> {
  return (await client.call("get_workflow_run", { id })).run;
}

async function listed({ client }: TestService, workflowId: string): Promise<readonly string[]> {
  return (await client.call("list_runs", { workflowId })).runs.map(({ id }) => id);
}

async function childOf({ client }: TestService, parent: string): Promise<string | undefined> {
  const { runs } = await client.call("list_runs", { limit: 100 });
  return runs.find(({ parentRunId }) => parentRunId === parent)?.id;
}

async function receiptOf(service: TestService, id: string): Promise<RunReceipt> {
  const answer = await service.fetch(`/api/svc/runs/${id}/receipt`, { headers: KEY });
  const { receipt } = JSON.parse(await answer.text()).data;
  assert.ok(isReceipt(receipt));
  return receipt;
}

function verdicts(receipt: RunReceipt): readonly string[] {
  const { entries } = verifyReceipt(receipt, {}, verifySignature);
  assert.ok(entries.length >= 4);
  return entries
    .flatMap((entry) => Object.values(entry))
    .filter(({ verdict }) => verdict === "fail")
    .map(({ detail }) => detail);
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let n = 0; n < 6_000; n++) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail("it did not happen in time");
}
