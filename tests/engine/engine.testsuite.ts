/* Long on purpose: the one list of promises that the engine keeps on either store. */

import type { RunState } from "../../src/model/states.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOf } from "../../src/kernel/canonical-json.ts";
import { AppError } from "../../src/kernel/errors.ts";
import { newId } from "../../src/kernel/ids.ts";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { traceFrom } from "../../src/kernel/trace.ts";
import type { Caller } from "../../src/ports/caller.ts";
import type { ApprovalRecord, EventRecord, RunRecord } from "../../src/ports/records.ts";
import { explainRun } from "../../src/runs/explain.ts";
import { runView } from "../../src/runs/views.ts";
import { documentDigest, documentJson, parseDocument } from "../../src/workflows/document.ts";
import {
  queuedCheckpoint,
  type Beginning,
  type Checkpoint,
  type CheckpointWriter,
} from "../../src/engine/checkpoint.ts";
import { CheckpointGroup } from "../../src/engine/group.ts";
import { Measures } from "../../src/engine/measures.ts";
import { samplePerson } from "../storage/people.testsuite.ts";
import { DIGEST, sampleRun, sampleStep } from "../storage/store.samples.ts";
import { ADMIN, chain, openRig, type Rig, type RigOptions } from "./harness.ts";

const edge = (from: string, to: string, port = "success"): JsonObject => ({
  id: `${from}-${port}-${to}`,
  from,
  to,
  port,
});
const tool = (id: string, more: Record<string, Json> = {}): Record<string, Json> => ({
  id,
  type: "tool",
  tool: "echo",
  ...more,
});

async function until(rig: Rig, runId: string, states: readonly RunState[]): Promise<void> {
  const end = Date.now() + 120_000;
  for (;;) {
    const run = await rig.services.store.read.runs.get(runId);
    if (run !== null && states.includes(run.state)) return;
    if (Date.now() > end) throw new Error(`the run is ${run?.state}, not ${states.join(" or ")}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** All events, those too that were committed a moment ago. */
/** Starts a run; one that a busy service sends away comes again, as its callers do. */
async function startOnceFree(rig: Rig, workflowId: string, inputs: JsonObject): Promise<RunRecord> {
  for (let left = 60; ; left--) {
    try {
      return await rig.start(workflowId, inputs);
    } catch (error) {
      if (!(error instanceof AppError && error.code === "overloaded" && left > 0)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

async function eventsIn({ services: { store } }: Rig): Promise<readonly EventRecord[]> {
  await store.transact((tx) => tx.events.number(10_000));
  return store.read.events.after(0, 1_000);
}

async function pending(rig: Rig, runId: string): Promise<ApprovalRecord> {
  await until(rig, runId, ["waiting"]);
  const { items } = await rig.services.store.read.approvals.list({ limit: 10 }, { runId, state: "pending" });
  const [approval] = items;
  assert.ok(approval !== undefined);
  return approval;
}

async function called(rig: Rig, step: string, times = 1): Promise<void> {
  const end = Date.now() + 120_000;
  while (rig.bench.count(step) < times) {
    if (Date.now() > end) throw new Error(`${step} was not called ${times} times`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

const approving: { nodes: Record<string, Json>[]; edges: JsonObject[]; outputs: JsonObject } = {
  nodes: [
    tool("first"),
    {
      id: "ask",
      type: "approval",
      approval: {
        title: "Go on?",
        show: { $ref: "$steps.first.outputs#/data" },
        form: {
          type: "object",
          properties: { amount: { type: "number", maximum: 10 } },
          required: ["amount"],
          additionalProperties: false,
        },
      },
    },
    tool("after", { with: { amount: { $ref: "$steps.ask.outputs#/values/amount" } } }),
    tool("instead", { with: { why: { $ref: "$steps.ask.outputs#/reason" } } }),
  ],
  edges: [edge("first", "ask"), edge("ask", "after", "approved"), edge("ask", "instead", "rejected")],
  outputs: { amount: { $ref: "$steps.after.outputs#/data/amount", default: null } },
};

/** What durable execution promises, on whichever store. */
export function engineTests(
  name: string,
  databaseUrl?: () => Promise<string>,
  always: RigOptions = {},
): void {
  const withRig = async (work: (rig: Rig) => Promise<void>, options: RigOptions = {}): Promise<void> => {
    const rig = await openRig({
      ...always,
      ...options,
      ...(databaseUrl && { databaseUrl: await databaseUrl() }),
    });
    try {
      await work(rig);
    } finally {
      await rig.close();
    }
  };

  test(`${name}: a chain of steps runs in order, with outputs, events and provenance`, () =>
    withRig(async (rig) => {
      const run = await rig.run(await rig.workflow(chain(5)));
      assert.equal(run.state, "succeeded", JSON.stringify(run.error));
      assert.deepEqual(run.outputs, { last: 4 });
      assert.deepEqual(
        rig.bench.calls.map(({ step }) => step),
        ["s1", "s2", "s3", "s4", "s5"],
      );
      const steps = await rig.services.store.read.runs.steps(run.id);
      assert.deepEqual(
        steps.map(({ stepId, state, attempt }) => [stepId, state, attempt]),
        ["s1", "s2", "s3", "s4", "s5"].map((id) => [id, "succeeded", 1]),
      );
      const events = await eventsIn(rig);
      const types = events.filter(({ subject }) => subject === run.id).map(({ type }) => type);
      assert.equal(types.filter((type) => type === "svc.step.succeeded").length, 5);
      assert.equal(types.at(-1), "svc.run.succeeded");
      const facts = await rig.services.store.read.provenance.find({ runId: run.id }, { limit: 50 });
      assert.equal(facts.items.length, 6);
    }));

  test(`${name}: a failing step is tried again with one key; the error port catches the last failure`, () =>
    withRig(async (rig) => {
      rig.bench.failures.set("flaky", 2);
      rig.bench.failures.set("broken", 99);
      const retry = { maxAttempts: 3, backoffMs: 5 };
      // No wait at all: the first failure and the second try then come in one turn.
      const atOnce = { maxAttempts: 3, backoffMs: 0 };
      const run = await rig.run(
        await rig.workflow({
          nodes: [tool("flaky", { retry: atOnce }), tool("broken", { retry }), tool("caught"), tool("never")],
          edges: [edge("flaky", "broken"), edge("broken", "caught", "error"), edge("broken", "never")],
          outputs: { code: { $ref: "$steps.broken.error#/code", default: null } },
        }),
      );
      assert.equal(run.state, "succeeded", JSON.stringify(run.error));
      assert.deepEqual(run.outputs, { code: "unavailable" });
      assert.equal(rig.bench.count("flaky"), 3);
      assert.equal(rig.bench.count("never"), 0);
      assert.equal(
        new Set(rig.bench.calls.filter(({ step }) => step === "flaky").map(({ key }) => key)).size,
        1,
      );
      const steps = await rig.services.store.read.runs.steps(run.id);
      assert.equal(steps.find(({ stepId }) => stepId === "never")?.state, "skipped");
      const attempts = await rig.services.store.read.runs.attempts(run.id);
      assert.deepEqual(
        attempts.filter(({ stepId }) => stepId === "flaky").map(({ attempt, state }) => [attempt, state]),
        [
          [1, "failed"],
          [2, "failed"],
        ],
      );
    }));

  test(`${name}: an unhandled failure ends the run; retry goes on from there and keeps what succeeded`, () =>
    withRig(async (rig) => {
      rig.bench.failures.set("s3", 1);
      const failed = await rig.run(await rig.workflow(chain(5)));
      assert.equal(failed.state, "failed");
      assert.equal(failed.error?.["step"], "s3");
      await rig.engine.retry(failed.id, ADMIN);
      const run = await rig.engine.waitFor(failed.id, 120_000);
      assert.equal(run.state, "succeeded", JSON.stringify(run.error));
      assert.deepEqual(
        ["s1", "s2", "s3", "s4", "s5"].map((step) => rig.bench.count(step)),
        [1, 1, 2, 1, 1],
      );
      await assert.rejects(rig.engine.retry(run.id, ADMIN), { code: "conflict" });
    }));

  test(`${name}: a step that takes too long is stopped, and its run when the policy says so`, () =>
    withRig(async (rig) => {
      rig.bench.hold("slow");
      const run = await rig.run(await rig.workflow({ nodes: [tool("slow", { timeoutMs: 30 })], edges: [] }));
      assert.equal(run.state, "failed");
      assert.equal(run.error?.["code"], "timed_out");
      const other = await rig.run(
        await rig.workflow({ nodes: [tool("slow")], edges: [], policy: { timeoutMs: 40 } }),
      );
      assert.equal(other.state, "timed_out");
    }));

  test(`${name}: maps run their items with bounds, and graphs for items`, () =>
    withRig(async (rig) => {
      rig.bench.failures.set("each[2]", 9);
      const run = await rig.run(
        await rig.workflow({
          nodes: [
            {
              id: "each",
              type: "map",
              map: {
                items: { $ref: "$inputs.list" },
                maxItems: 5,
                concurrency: 2,
                onItemError: "continue",
                body: { tool: "echo", with: { item: { $ref: "$item" } } },
              },
            },
            {
              id: "graphs",
              type: "map",
              map: {
                items: { $ref: "$inputs.list" },
                maxItems: 5,
                concurrency: 3,
                body: {
                  nodes: [
                    tool("one", { with: { item: { $ref: "$item" } } }),
                    { id: "two", type: "transform", value: { $ref: "$steps.one.outputs#/data/item" } },
                  ],
                  edges: [edge("one", "two")],
                  outputs: { got: { $ref: "$steps.two.outputs" } },
                },
              },
            },
          ],
          edges: [edge("each", "graphs")],
          outputs: {
            failed: { $ref: "$steps.each.outputs#/failed" },
            got: { $ref: "$steps.graphs.outputs#/results" },
          },
        }),
        { list: ["a", "b", "c", "d"] },
      );
      assert.equal(run.state, "succeeded", JSON.stringify(run.error));
      assert.deepEqual(run.outputs, { failed: 1, got: ["a", "b", "c", "d"].map((got) => ({ got })) });
      const tooMany = await rig.run(run.workflowId ?? "", { list: [1, 2, 3, 4, 5, 6] });
      assert.equal(tooMany.state, "failed");
      assert.match(JSON.stringify(tooMany.error), /maxItems/);
    }));

  test(`${name}: a subworkflow's outputs come back, its failure is the step's, its trace goes on`, () =>
    withRig(async (rig) => {
      const inner = await rig.workflow({
        nodes: [tool("inside", { with: { x: { $ref: "$inputs.x" } } })],
        edges: [],
        outputs: { y: { $ref: "$steps.inside.outputs#/data/x" } },
      });
      await rig.publish(inner);
      const sub = (id: string, workflowId: string): JsonObject => ({
        id,
        type: "subworkflow",
        subworkflow: { workflowId },
        with: { x: { $ref: "$inputs.x" } },
      });
      const run = await rig.run(
        await rig.workflow({
          nodes: [sub("child", inner)],
          edges: [],
          outputs: { y: { $ref: "$steps.child.outputs#/y" } },
        }),
        { x: 7 },
      );
      assert.equal(run.state, "succeeded", JSON.stringify(run.error));
      assert.deepEqual(run.outputs, { y: 7 });
      const traced = await rig.services.store.read.runs.ofTrace(run.traceId, 10);
      assert.equal(traced.length, 2);
      rig.bench.failures.set("inside", 1);
      const failed = await rig.run(run.workflowId ?? "", { x: 8 });
      assert.equal(failed.state, "failed");
      assert.equal(failed.error?.["code"], "child_failed");
    }));

  test(`${name}: a run executes the subworkflows that were published when it started, and approvals show them`, () =>
    withRig(async (rig) => {
      const { store } = rig.services;
      const sub = (id: string, workflowId: string): JsonObject => ({
        id,
        type: "subworkflow",
        subworkflow: { workflowId },
      });
      const leaf = await rig.workflow({ nodes: [tool("before")], edges: [] });
      await rig.publish(leaf);
      const middle = await rig.workflow({ nodes: [sub("leaf", leaf)], edges: [] });
      await rig.publish(middle);
      const top = await rig.workflow({
        nodes: [{ id: "ask", type: "approval", approval: { title: "Go on?" } }, sub("child", middle)],
        edges: [edge("ask", "child", "approved")],
      });
      const started = await rig.start(top);
      await until(rig, started.id, ["waiting"]);
      const { items } = await store.read.approvals.list({ limit: 1 }, { runId: started.id });
      const [asked] = items;
      assert.ok(asked !== undefined);
      const digest = (await store.read.workflows.version(leaf, 1))?.digest;
      assert.deepEqual(started.resolved?.workflows[`${leaf}@newest`], { version: 1, digest });
      assert.deepEqual(asked.shown["resolved"], started.resolved);

      const parsed = parseDocument({ inputs: { type: "object" }, nodes: [tool("changed")], edges: [] });
      const record = await store.read.workflows.get(leaf);
      assert.ok(record !== null);
      const document = documentJson(parsed.document);
      await store.transact((tx) =>
        tx.workflows.update(
          { ...record, document, digest: documentDigest(parsed.document), revision: record.revision + 1 },
          record.revision,
        ),
      );
      await rig.publish(leaf);
      await rig.engine.decide({
        approvalId: asked.id,
        verdict: "approved",
        reason: null,
        values: null,
        shownDigest: asked.shownDigest,
        caller: ADMIN,
      });
      const ended = await rig.engine.waitFor(started.id, 120_000);
      assert.equal(ended.state, "succeeded", JSON.stringify(ended.error));
      assert.deepEqual([rig.bench.count("before"), rig.bench.count("changed")], [1, 0]);
      const next = await rig.start(top);
      assert.equal(next.resolved?.workflows[`${leaf}@newest`]?.version, 2);
    }));

  test(`${name}: an approval shows the calls behind it with their arguments, also of subworkflows`, () =>
    withRig(async (rig) => {
      const ref = ($ref: string): JsonObject => ({ $ref });
      const leaf = await rig.workflow({
        nodes: [tool("inside", { with: { who: ref("inputs.who"), at: ref("inputs.at") } })],
        edges: [],
      });
      await rig.publish(leaf);
      const each = { tool: "echo", with: { item: ref("item") } };
      const started = await rig.start(
        await rig.workflow({
          nodes: [
            tool("first", { with: { n: 7 } }),
            { id: "ask", type: "approval", approval: { title: "Go on?" } },
            { id: "sum", type: "transform", value: { $expr: "steps.first.outputs.data.n + 1" } },
            tool("known", { with: { sum: ref("steps.sum.outputs"), who: ref("inputs.who") } }),
            tool("later", { with: { got: ref("steps.known.outputs.data.sum"), fixed: true } }),
            { id: "never", type: "tool", tool: "echo", if: 'inputs.who == "bob"' },
            { id: "many", type: "map", map: { items: ref("inputs.list"), maxItems: 5, body: each } },
            {
              id: "child",
              type: "subworkflow",
              subworkflow: { workflowId: leaf },
              with: { who: ref("inputs.who"), at: ref("steps.later.outputs.data.got") },
            },
            tool("instead"),
          ],
          edges: [
            edge("first", "ask"),
            edge("ask", "sum", "approved"),
            edge("ask", "instead", "rejected"),
            edge("sum", "known"),
            edge("known", "later"),
            edge("later", "never"),
            edge("later", "many"),
            edge("many", "child"),
          ],
        }),
        { who: "ada", list: ["a", "b"] },
      );
      await until(rig, started.id, ["waiting"]);
      const { items } = await rig.services.store.read.approvals.list({ limit: 1 }, { runId: started.id });
      const later = (path: string): JsonObject => ({ $notKnownYet: path });
      const at = later("steps.later.outputs.data.got");
      assert.deepEqual(items[0]?.shown["calls"], [
        { step: "known", tool: "echo", arguments: { sum: 8, who: "ada" } },
        {
          step: "later",
          tool: "echo",
          arguments: { got: later("steps.known.outputs.data.sum"), fixed: true },
        },
        { step: "many[0]", tool: "echo", arguments: { item: "a" } },
        { step: "many[1]", tool: "echo", arguments: { item: "b" } },
        { step: "child", workflow: leaf, version: 1, arguments: { who: "ada", at } },
        { step: "child/inside", tool: "echo", arguments: { who: "ada", at: later("inputs.at") } },
      ]);
      assert.equal(items[0].shownDigest, digestOf({ shown: items[0].shown, form: null }));
    }));

  test(`${name}: a run stops when the rights it acts with end, and a retry acts with the rights of who retries`, () =>
    withRig(async (rig) => {
      const { store } = rig.services;
      const person = samplePerson({
        id: newId("person"),
        email: `${newId("p")}@example.com`,
        role: "operator",
      });
      await store.transact((tx) => tx.people.insert(person));
      const caller: Caller = { kind: "person", id: person.id, scopes: new Set(["run", "read-private"]) };
      const workflowId = await rig.workflow({
        nodes: [
          tool("first"),
          { id: "ask", type: "approval", approval: { title: "Go on?" } },
          tool("act"),
          tool("cleanUp"),
        ],
        edges: [
          edge("first", "ask"),
          edge("ask", "act", "approved"),
          edge("ask", "cleanUp", "error"),
          edge("act", "cleanUp", "error"),
        ],
      });
      const start = { workflowId, inputs: {}, caller, trace: traceFrom(undefined) };
      const waits = await rig.engine.start(start);
      const asked = await pending(rig, waits.id);
      const gate = rig.bench.hold("first");
      const works = await rig.engine.start(start);
      await called(rig, "first", 2);
      await store.transact((tx) => tx.people.update({ ...person, state: "disabled", revision: 2 }, 1));
      await rig.engine.recheck([person.id]);
      for (const { id } of [waits, works]) {
        const run = await rig.engine.waitFor(id, 120_000);
        assert.deepEqual([run.state, run.error?.["code"]], ["failed", "rights_ended"]);
        assert.match(JSON.stringify(run.error), /the account of Ada is disabled/);
        assert.match(JSON.stringify(run.error), /nextAction.*retry/);
      }
      gate.resolve();
      assert.equal((await store.read.approvals.get(asked.id))?.state, "cancelled");
      await rig.engine.retry(waits.id, ADMIN);
      const again = await pending(rig, waits.id);
      const { id: approvalId, shownDigest } = again;
      const decision = { approvalId, shownDigest, reason: null, values: null, caller: ADMIN } as const;
      await rig.engine.decide({ ...decision, verdict: "approved" });
      const done = await rig.engine.waitFor(waits.id, 120_000);
      assert.deepEqual([done.state, done.startedBy, done.actsFor], ["succeeded", person.id, ADMIN.id]);
      assert.deepEqual([rig.bench.count("first"), rig.bench.count("act")], [2, 1]);
      assert.equal(rig.bench.count("cleanUp"), 0, "no error edge acts on it");
    }));

  test(`${name}: a run whose workflow is made private while it runs emits no public event from then on`, () =>
    withRig(async (rig) => {
      const { store } = rig.services;
      const publicly = async (content: JsonObject): Promise<string> => {
        const made = await rig.workflow(content);
        await rig.publish(made);
        await store.transact(async (tx) => {
          const record = await tx.workflows.get(made);
          assert.ok(record !== null);
          const { revision } = record;
          await tx.workflows.update({ ...record, visibility: "public", revision: revision + 1 }, revision);
        });
        return made;
      };
      const other = await publicly({ nodes: [tool("inside")], edges: [] });
      const child = { id: "child", type: "subworkflow", subworkflow: { workflowId: other } };
      const id = await publicly({
        nodes: [child, tool("a"), tool("b")],
        edges: [edge("child", "a"), edge("a", "b")],
      });
      const gate = rig.bench.hold("a");
      const run = await rig.start(id);
      await called(rig, "a");
      await until(rig, run.id, ["running"]);
      const before = await eventsIn(rig);
      assert.ok(before.some(({ publicData }) => publicData !== null));
      const ofOther = async (): Promise<readonly string[]> =>
        (await store.read.runs.list({ limit: 10 }, { workflowId: other })).items.map((one) => one.visibility);
      assert.deepEqual(await ofOther(), ["public"]);
      await store.transact((tx) => tx.runs.hideOf(id));
      assert.deepEqual(await ofOther(), ["private"], "what it started is hidden with it");
      gate.resolve();
      await rig.engine.waitFor(run.id, 120_000);
      const later = (await eventsIn(rig)).slice(before.length).filter(({ subject }) => subject === run.id);
      assert.ok(later.some(({ type }) => type === "svc.run.succeeded"));
      assert.deepEqual(
        later.filter(({ publicData }) => publicData !== null),
        [],
      );
    }));

  test(`${name}: a run of a release that resolved nothing is resolved when it is opened, and says so`, () =>
    withRig(async (rig) => {
      const { store } = rig.services;
      const leaf = await rig.workflow({ nodes: [tool("inside")], edges: [] });
      await rig.publish(leaf);
      const model = await rig.start(
        await rig.workflow({
          nodes: [{ id: "child", type: "subworkflow", subworkflow: { workflowId: leaf } }],
          edges: [],
        }),
      );
      await rig.engine.waitFor(model.id, 120_000);
      const id = newId("run");
      const error = { code: "step_failed", message: "It failed." };
      const finishedAt = model.createdAt;
      const old: RunRecord = { ...model, id, state: "failed", error, finishedAt, resolved: null };
      await store.transact((tx) => tx.runs.insert(old));
      await rig.engine.retry(id, ADMIN);
      const ended = await rig.engine.waitFor(id, 120_000);
      assert.equal(ended.state, "succeeded", JSON.stringify(ended.error));
      assert.equal(ended.resolved?.late, true);
      assert.equal(ended.resolved.workflows[`${leaf}@newest`]?.version, 1);
    }));

  test(`${name}: an approval carries its form's values on; what does not fit is refused`, () =>
    withRig(async (rig) => {
      const started = await rig.start(await rig.workflow(approving));
      const approval = await pending(rig, started.id);
      const decide = (values: JsonObject | null, more: JsonObject = {}): Promise<ApprovalRecord> =>
        rig.engine.decide({
          approvalId: approval.id,
          verdict: "approved",
          reason: null,
          values,
          shownDigest: typeof more["digest"] === "string" ? more["digest"] : approval.shownDigest,
          caller: ADMIN,
        });
      await assert.rejects(decide({ amount: 11 }), { code: "invalid_input" });
      await assert.rejects(decide(null), { code: "invalid_input" });
      await assert.rejects(decide({ amount: 3 }, { digest: `sha256:${"0".repeat(64)}` }), {
        code: "conflict",
      });
      await decide({ amount: 3 });
      const run = await rig.engine.waitFor(started.id, 120_000);
      assert.deepEqual(run.outputs, { amount: 3 });
      await assert.rejects(decide({ amount: 3 }), { code: "conflict" });
    }));

  test(`${name}: a rejection needs a reason and takes its path; only those named may decide`, () =>
    withRig(async (rig) => {
      const document = structuredClone(approving);
      Object.assign(document.nodes[1]?.["approval"] ?? {}, { approvers: ["key_boss"] });
      const started = await rig.start(await rig.workflow(document));
      const approval = await pending(rig, started.id);
      const reject = (reason: string | null, id: string): Promise<ApprovalRecord> =>
        rig.engine.decide({
          approvalId: approval.id,
          verdict: "rejected",
          reason,
          values: null,
          shownDigest: null,
          caller: { ...ADMIN, id },
        });
      await assert.rejects(reject("no", "key_other"), { code: "forbidden" });
      await assert.rejects(reject(" ", "key_boss"), { code: "invalid_input" });
      await reject("too dear", "key_boss");
      const run = await rig.engine.waitFor(started.id, 120_000);
      assert.equal(run.state, "succeeded");
      assert.deepEqual(rig.bench.calls.find(({ step }) => step === "instead")?.args, { why: "too dear" });
    }));

  test(`${name}: of 50 decisions at once exactly one wins`, () =>
    withRig(async (rig) => {
      const started = await rig.start(
        await rig.workflow({
          nodes: [{ id: "ask", type: "approval", approval: { title: "Go on?" } }, tool("yes"), tool("no")],
          edges: [edge("ask", "yes", "approved"), edge("ask", "no", "rejected")],
        }),
      );
      const approval = await pending(rig, started.id);
      const answers = await Promise.allSettled(
        Array.from({ length: 50 }, (_, index) =>
          rig.engine.decide({
            approvalId: approval.id,
            verdict: index % 2 === 0 ? "approved" : "rejected",
            reason: "because",
            values: null,
            shownDigest: null,
            caller: { ...ADMIN, id: `key_${index}` },
          }),
        ),
      );
      const won = answers.filter((answer) => answer.status === "fulfilled");
      assert.equal(won.length, 1);
      for (const answer of answers) {
        if (answer.status === "rejected") {
          assert.ok(answer.reason instanceof AppError && answer.reason.code === "conflict");
        }
      }
      const run = await rig.engine.waitFor(started.id, 120_000);
      assert.equal(run.state, "succeeded");
      assert.equal(rig.bench.count("yes") + rig.bench.count("no"), 1);
      const { items } = await rig.services.store.read.provenance.find(
        { subjectId: approval.id },
        { limit: 10 },
      );
      assert.equal(items.length, 1);
    }));

  test(`${name}: an approval reminds, escalates and expires; expiry never approves`, () =>
    withRig(async (rig) => {
      const run = await rig.run(
        await rig.workflow({
          nodes: [
            {
              id: "ask",
              type: "approval",
              approval: { title: "Go on?", reminderMs: 60, escalateMs: 300, expiresInMs: 700 },
            },
            tool("yes"),
            tool("late"),
          ],
          edges: [edge("ask", "yes", "approved"), edge("ask", "late", "expired")],
        }),
      );
      assert.equal(run.state, "succeeded", JSON.stringify(run.error));
      assert.equal(rig.bench.count("yes"), 0);
      assert.equal(rig.bench.count("late"), 1);
      const events = await eventsIn(rig);
      const types = events.filter(({ subject }) => subject === run.id).map(({ type }) => type);
      assert.deepEqual(
        types.filter((type) => type.startsWith("svc.approval.")),
        ["requested", "reminder", "escalated", "expired"].map((event) => `svc.approval.${event}`),
      );
      const { items } = await rig.services.store.read.approvals.list({ limit: 5 }, { runId: run.id });
      assert.equal(items[0]?.state, "expired");
    }));

  test(`${name}: cancel reaches running steps, closes what waits, and begins nothing more`, () =>
    withRig(async (rig) => {
      rig.bench.hold("long");
      const started = await rig.start(
        await rig.workflow({
          nodes: [tool("long"), { id: "ask", type: "approval", approval: { title: "?" } }, tool("after")],
          edges: [edge("long", "after")],
        }),
      );
      await called(rig, "long");
      await rig.engine.cancel(started.id, ADMIN);
      const run = await rig.engine.waitFor(started.id, 120_000);
      assert.equal(run.state, "cancelled");
      assert.equal(rig.bench.count("after"), 0);
      const { items } = await rig.services.store.read.approvals.list({ limit: 5 }, { runId: run.id });
      assert.equal(items[0]?.state, "cancelled");
      await assert.rejects(rig.engine.cancel(run.id, ADMIN), { code: "conflict" });
      const waiting = await rig.start(
        await rig.workflow({ nodes: [{ id: "nap", type: "wait", wait: { ms: 3_600_000 } }], edges: [] }),
      );
      await until(rig, waiting.id, ["waiting"]);
      await rig.engine.cancel(waiting.id, ADMIN);
      assert.equal((await rig.engine.waitFor(waiting.id, 120_000)).state, "cancelled");
    }));

  test(`${name}: a signal that is looked at while the run is let go is not lost`, () =>
    withRig(async (rig) => {
      const busy = rig.bench.hold("busy");
      const schema = { type: "object", required: ["n"], properties: { n: { type: "integer" } } };
      const started = await rig.start(
        await rig.workflow({
          nodes: [tool("busy"), { id: "go", type: "wait", wait: { signal: "go", schema } }],
          edges: [],
        }),
      );
      await called(rig, "busy");
      const { validator } = rig.services;
      const validate = validator.validate.bind(validator);
      const held = Promise.withResolvers<void>();
      const looked = Promise.withResolvers<void>();
      let calls = 0;
      Object.assign(validator, {
        async validate(...given: Parameters<typeof validate>) {
          calls += 1;
          // The first call is that of the sender.
          if (calls > 1) {
            looked.resolve();
            await held.promise;
          }
          return validate(...given);
        },
      });
      await rig.engine.signal({ runId: started.id, name: "go", payload: { n: 1 }, caller: ADMIN });
      await looked.promise;
      busy.resolve();
      await until(rig, started.id, ["waiting"]);
      held.resolve();
      assert.equal((await rig.engine.waitFor(started.id, 120_000)).state, "succeeded");
    }));

  test(`${name}: a run that is cancelled while a worker opens it ends`, async () => {
    let claimed: (() => void) | null = null;
    const fault = (point: string): void => {
      if (point !== "after_claim") return;
      claimed?.();
      claimed = null;
    };
    await withRig(
      async (rig) => {
        const document = { nodes: [{ id: "nap", type: "wait", wait: { ms: 3_600_000 } }], edges: [] };
        const waiting = await rig.start(await rig.workflow(document));
        await until(rig, waiting.id, ["waiting"]);
        const cancelling = new Promise<RunRecord>((resolve) => {
          claimed = () => resolve(rig.engine.cancel(waiting.id, ADMIN));
        });
        await rig.engine.lookAt([waiting.id]);
        await cancelling;
        assert.equal((await rig.engine.waitFor(waiting.id, 120_000)).state, "cancelled");
      },
      { engine: { fault } },
    );
  });

  test(`${name}: a restart loses nothing: done steps stay done, waits and approvals go on`, () =>
    withRig(async (rig) => {
      rig.bench.hold("s3");
      const started = await rig.start(await rig.workflow(chain(5)));
      const asking = await rig.start(await rig.workflow(approving));
      const approval = await pending(rig, asking.id);
      const napping = await rig.start(
        await rig.workflow({ nodes: [{ id: "nap", type: "wait", wait: { ms: 300 } }], edges: [] }),
      );
      await called(rig, "s3");
      rig.bench.gates.clear();
      const next = await rig.restart();
      const run = await next.engine.waitFor(started.id, 120_000);
      assert.equal(run.state, "succeeded", JSON.stringify(run.error));
      assert.deepEqual(
        ["s1", "s2", "s3", "s4", "s5"].map((step) => next.bench.count(step)),
        [1, 1, 2, 1, 1],
      );
      const keys = next.bench.calls.filter(({ step }) => step === "s3").map(({ key }) => key);
      assert.equal(keys[0], keys[1]);
      await next.engine.decide({
        approvalId: approval.id,
        verdict: "approved",
        reason: null,
        values: { amount: 1 },
        shownDigest: approval.shownDigest,
        caller: ADMIN,
      });
      assert.equal((await next.engine.waitFor(asking.id, 120_000)).state, "succeeded");
      assert.equal((await next.engine.waitFor(napping.id, 120_000)).state, "succeeded");
    }));

  test(`${name}: runs whose time comes together are taken up together, with one checkpoint each`, () =>
    withRig(async (rig) => {
      const runs = 30;
      const workflowId = await rig.workflow({
        inputs: { type: "object", properties: { at: { type: "string" } } },
        nodes: [{ id: "nap", type: "wait", wait: { until: { $ref: "$inputs.at" } } }, tool("next")],
        edges: [edge("nap", "next")],
      });
      let started: readonly RunRecord[] = [];
      // A busy machine needs longer until all of them wait.
      for (const ms of [1_500, 5_000, 15_000, 45_000]) {
        const at = Date.now() + ms;
        const inputs = { at: new Date(at).toISOString() };
        started = await Promise.all(
          Array.from({ length: runs }, () => startOnceFree(rig, workflowId, inputs)),
        );
        for (const { id } of started) await until(rig, id, ["waiting", "succeeded"]);
        if (Date.now() < at - ms / 5) break;
        for (const { id } of started) await rig.engine.waitFor(id, 60_000);
      }
      const { rights } = rig.services;
      const read = rights.read.bind(rights);
      let reads = 0;
      rights.read = (actor) => {
        reads++;
        return read(actor);
      };
      const { checkpointSize } = rig.engine.measures;
      const before = checkpointSize.sum;
      for (const { id } of started) {
        const run = await rig.engine.waitFor(id, 120_000);
        assert.equal(run.state, "succeeded", JSON.stringify(run.error));
      }
      assert.equal(checkpointSize.sum - before, runs, "the end of a wait is written with what follows it");
      assert.ok(reads <= runs / 2, `${reads} reads of the same rights`);
      const types = (await eventsIn(rig)).filter(({ subject }) => subject === started[0]?.id);
      assert.deepEqual(
        types.map(({ type }) => type.slice("svc.".length)),
        ["step.waiting", "run.waiting", "step.succeeded", "step.succeeded", "run.succeeded"],
      );
    }));

  test(`${name}: a checkpoint whose outcome is unknown is not written twice`, () =>
    withRig(async (rig) => {
      const { store } = rig.services;
      const transact = store.transact.bind(store);
      const held = rig.bench.hold("s2");
      const { id } = await rig.start(await rig.workflow(chain(4, "post")));
      await called(rig, "s2");
      let count = 0;
      // Every second commit happens, and its answer is lost. Not for ever: heartbeats could keep step with the losses.
      store.transact = async (work) => {
        const result = await transact(work);
        if (count++ % 2 === 0 && count < 12)
          throw new AppError("storage_unavailable", "The connection was lost.");
        return result;
      };
      held.resolve();
      const run = await rig.engine.waitFor(id, 120_000);
      store.transact = transact;
      assert.equal(run.state, "succeeded");
      assert.ok(count >= 4, `${count} transactions`);
      for (const step of ["s1", "s2", "s3", "s4"]) assert.equal(rig.bench.count(step), 1, step);
      const leaves = await store.read.provenance.find({ runId: id }, { limit: 100 });
      assert.equal(leaves.items.length, 5, "four steps and the run, once each");
      const ended = (await eventsIn(rig)).filter(({ type }) => type.endsWith(".succeeded"));
      assert.equal(ended.length, 5);
    }));

  test(`${name}: a cut-off step that is not idempotent waits for a person's word`, () =>
    withRig(async (rig) => {
      rig.bench.hold("s2");
      const started = await rig.start(await rig.workflow(chain(3, "post")));
      await called(rig, "s2");
      rig.bench.gates.clear();
      const next = await rig.restart();
      await until(next, started.id, ["waiting"]);
      const steps = await next.services.store.read.runs.steps(started.id);
      assert.equal(steps.find(({ stepId }) => stepId === "s2")?.state, "outcome_unknown");
      assert.equal(next.bench.count("s2"), 1);
      const output = { ok: true, data: { n: 1 } };
      await next.engine.settle(started.id, "s2", "succeeded", output, ADMIN, "seen in the ledger");
      const run = await next.engine.waitFor(started.id, 120_000);
      const view = JSON.stringify(await runView(next.services, run.id, ADMIN));
      assert.match(view, /"settled":\{"outcome":"succeeded","by":"[^"]+","reason":"seen in the ledger"/);
      const { sentences } = await explainRun(next.services, run, ADMIN);
      assert.match(sentences.join(" "), /A key reported "s2" as succeeded \("seen in the ledger"\)/);
      const facts = await next.services.store.read.provenance.find({ runId: run.id }, { limit: 100 });
      assert.match(JSON.stringify(facts.items), /seen in the ledger/, "and its record says so");
      assert.equal(run.state, "succeeded", JSON.stringify(run.error));
      assert.equal(next.bench.count("s2"), 1);
      await assert.rejects(next.engine.settle(run.id, "s2", "retry", null, ADMIN), { code: "conflict" });
    }));

  test(`${name}: a process that is asked to end lets its steps end and begins no others`, () =>
    withRig(async (rig) => {
      const gate = rig.bench.hold("s2");
      const started = await rig.start(await rig.workflow(chain(3, "post")));
      await called(rig, "s2");
      const restarting = rig.restart(5_000);
      rig.bench.gates.clear();
      gate.resolve();
      const next = await restarting;
      const run = await next.engine.waitFor(started.id, 120_000);
      assert.equal(run.state, "succeeded", JSON.stringify(run.error));
      assert.deepEqual(
        ["s1", "s2", "s3"].map((step) => next.bench.count(step)),
        [1, 1, 1],
      );
    }));

  test(`${name}: an approval whose subject changed is superseded, and asked again`, () =>
    withRig(async (rig) => {
      const other = { id: "other", type: "approval", approval: { title: "And this?" } };
      const started = await rig.start(
        await rig.workflow({ ...approving, nodes: [...approving.nodes, other], outputs: {} }),
      );
      await until(rig, started.id, ["waiting"]);
      const { store } = rig.services;
      const open = async (stepId: string): Promise<ApprovalRecord | undefined> => {
        const page = await store.read.approvals.list({ limit: 10 }, { runId: started.id, state: "pending" });
        return page.items.find((approval) => approval.stepId === stepId);
      };
      const before = await open("ask");
      const beside = await open("other");
      assert.ok(before !== undefined && beside !== undefined);
      const first = (await store.read.runs.steps(started.id)).find(({ stepId }) => stepId === "first");
      assert.ok(first !== undefined);
      // A checkpoint is repaired: what the decision would be about is no longer what was shown.
      const output = { ok: true, data: { other: true } };
      await store.transact((tx) => tx.runs.putSteps([{ ...first, output }]));
      await rig.engine.decide({
        approvalId: beside.id,
        verdict: "approved",
        reason: null,
        values: null,
        shownDigest: null,
        caller: ADMIN,
      });
      const end = Date.now() + 120_000;
      while ((await open("ask"))?.id === before.id || (await open("ask")) === undefined) {
        assert.ok(Date.now() < end, "it is not asked again");
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      assert.equal((await store.read.approvals.get(before.id))?.state, "superseded");
      assert.deepEqual((await open("ask"))?.shown["content"], { other: true });
    }));

  test(`${name}: the same idempotency key starts one run; another request under it is a conflict`, () =>
    withRig(async (rig) => {
      const workflowId = await rig.workflow(chain(1));
      const start = (inputs: JsonObject): Promise<{ id: string }> =>
        rig.engine.start({
          workflowId,
          inputs,
          caller: ADMIN,
          trace: { traceId: "1".repeat(32), spanId: "2".repeat(16), parentSpanId: null },
          idempotencyKey: "once",
        });
      const first = await start({ a: 1 });
      assert.equal((await start({ a: 1 })).id, first.id);
      await assert.rejects(start({ a: 2 }), { code: "conflict" });
    }));

  test(`${name}: a workflow's runs go at the same time only as many as its policy says`, () =>
    withRig(async (rig) => {
      const gate = rig.bench.hold("s1");
      const workflowId = await rig.workflow({ ...chain(1), policy: { maxConcurrentRuns: 2 } });
      const runs = [];
      for (let i = 0; i < 5; i++) runs.push(await rig.start(workflowId));
      await called(rig, "s1", 2);
      const states = await Promise.all(runs.map(({ id }) => rig.services.store.read.runs.get(id)));
      assert.equal(states.filter((run) => run?.state === "queued").length, 3);
      rig.bench.gates.clear();
      gate.resolve();
      for (const { id } of runs) assert.equal((await rig.engine.waitFor(id, 120_000)).state, "succeeded");
    }));

  test(`${name}: a workflow with errors, inputs that do not fit, and what does not exist are refused`, () =>
    withRig(async (rig) => {
      await assert.rejects(rig.start("workflow_none"), { code: "not_found" });
      const broken = await rig.workflow({ nodes: [tool("a", { tool: "no_such_tool" })], edges: [] });
      await assert.rejects(rig.start(broken), { code: "invalid_input" });
      const strict = await rig.workflow({
        ...chain(1),
        inputs: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      });
      await assert.rejects(rig.start(strict, { n: "x" }), { code: "invalid_input" });
      await assert.rejects(rig.start(strict, { n: 1, big: "x".repeat(600_000) }), { code: "too_large" });
    }));

  test(`${name}: an engine that drains keeps the steps under way and leaves the rest to the next`, () =>
    withRig(async (rig) => {
      const gate = rig.bench.hold("s1");
      const workflowId = await rig.workflow(chain(3));
      const slow = await rig.start(workflowId);
      await called(rig, "s1");
      let drained = false;
      const draining = rig.engine.drain(30_000).finally(() => {
        drained = true;
      });
      const late = await rig.start(workflowId);
      assert.equal(late.state, "queued");
      rig.bench.gates.clear();
      assert.equal(drained, false);
      gate.resolve();
      await draining;
      const [first, ...rest] = await rig.services.store.read.runs.steps(slow.id);
      assert.deepEqual([first?.stepId, first?.state, rest.length], ["s1", "succeeded", 0]);
      assert.equal(rig.bench.count("s2"), 0);
      const next = await rig.restart();
      for (const { id } of [slow, late]) {
        assert.equal((await next.engine.waitFor(id, 120_000)).state, "succeeded");
      }
      assert.equal(rig.bench.count("s1"), 2);
    }));

  test(`${name}: checkpoints that come together are one transaction, and each run gets its own result`, () =>
    withRig(async (rig) => {
      const { store, provenance } = rig.services;
      let transactions = 0;
      const counted: Pick<typeof store, "transact"> = {
        transact: (work) => {
          transactions += 1;
          return store.transact(work);
        },
      };
      const writer: CheckpointWriter = {
        provenance: (tx, facts) => provenance.append(tx, facts),
        enqueue: async () => undefined,
      };
      const group = new CheckpointGroup(counted, writer, new Measures());
      // The runs wait for nothing, so that the worker of the rig leaves them alone.
      const idle = (): ReturnType<typeof sampleRun> => sampleRun({ state: "waiting" });
      const starts = (begins: Partial<Beginning>, run = idle()): Checkpoint => ({
        ...queuedCheckpoint(run),
        begins: { document: { nodes: [] }, key: null, ...begins },
      });
      const key = { scope: "s", key: "k", requestDigest: DIGEST, answer: {}, createdAt: "2026-01-01" };
      const first = Array.from({ length: 5 }, () => starts({}));
      const answers = await Promise.all([
        ...first.map((one) => group.write(one)),
        group.write(starts({ key })),
        group.write(starts({ key })),
      ]);
      assert.deepEqual(answers, [true, true, true, true, true, true, false]);
      assert.equal(transactions, 1);
      const step = ({ head }: Checkpoint, more: Partial<Checkpoint> = {}): Checkpoint => ({
        ...queuedCheckpoint(sampleRun()),
        head,
        run: null,
        moved: false,
        steps: [sampleStep(head.id, { state: "succeeded", port: "success", finishedAt: "2026-01-01" })],
        ...more,
      });
      const [a, b, c, d, e] = first;
      assert.ok(a && b && c && d && e);
      const steps = [step(a), step({ ...b, head: { ...b.head, epoch: 7 } }), step(c)];
      assert.deepEqual(await Promise.all(steps.map((one) => group.write(one))), [true, false, true]);
      assert.equal(transactions, 2);
      // What the database refuses fails for itself; a repeated one that is there is not written again.
      const orphan = starts({ document: null }, { ...idle(), documentDigest: "sha256:none" });
      const settled = await Promise.allSettled([
        group.write(step(d)),
        group.write(orphan),
        group.write(step(e)),
        group.write(step(a), true),
      ]);
      assert.deepEqual(
        settled.map((one) => (one.status === "fulfilled" ? one.value : "refused")),
        [true, "refused", true, true],
      );
      for (const [run, expected] of [a, b, c, d, e].map(
        (one, nth) => [one.head.id, nth === 1 ? 0 : 1] as const,
      )) {
        assert.equal((await store.read.runs.steps(run)).length, expected);
        assert.equal((await store.read.provenance.find({ runId: run }, { limit: 9 })).items.length, expected);
      }
    }));
}
