import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { OperationName, WorkflowProblem } from "../../packages/client/client.ts";
import { isObject } from "../../src/kernel/json.ts";
import { eventType } from "../../src/events/catalogue.ts";
import { startService, TEST_KEY, type TestService, type ToolAnswer } from "../support/service.ts";

/* Long on purpose: all tools of workflows are tried on one running service. */

const inputs = {
  type: "object",
  properties: { name: { type: "string" } },
  required: ["name"],
  additionalProperties: false,
};
const nodes = [
  { id: "info", type: "tool", tool: "get_health" },
  { id: "ask", type: "approval", approval: { title: "Go?" } },
  {
    id: "keep",
    type: "tool",
    tool: "save_artifact",
    with: { artifact: { title: { $ref: "$inputs.name" } } },
  },
];
const edges = [
  { from: "info", to: "ask" },
  { from: "ask", to: "keep" },
];
const document = { inputs, outputs: { id: { $ref: "$steps.keep.outputs#/data/artifact/id" } } };
const INJECTION = "{{constructor.constructor('return process')()}}";

describe("workflow tools over the wire", () => {
  let service: TestService;
  const call = async <N extends OperationName>(
    name: N,
    args: unknown,
    options: { key?: boolean; meta?: unknown } = { key: true },
  ) => (await service.call(name, args, options)).envelope;
  const create = async (more: object = {}) => {
    const made = await call(
      "create_workflow",
      { name: "Flow", nodes, edges, ...more },
      { key: true, meta: { "svc/document": document } },
    );
    assert.equal(made.ok, true, JSON.stringify(made));
    return made.data.workflow;
  };
  const events = async () => service.app.services.store.read.events.after(0, 1_000);

  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  test("a draft may be empty, incomplete or wrong, and nothing of it is lost", async () => {
    const empty = await call("create_workflow", { name: "Empty", nodes: [], edges: [] });
    assert.equal(empty.data.workflow.revision, 1);
    assert.equal((await call("create_workflow", { name: "Bare" })).ok, true);
    const wrong = await call("create_workflow", {
      name: "Wrong",
      nodes: [{ id: "a", type: "later", note: "x" }],
      edges: [],
    });
    assert.deepEqual(wrong.data.workflow.nodes, [{ id: "a", type: "later", note: "x" }]);
    const checked = await call("validate_workflow", { id: wrong.data.workflow.id });
    assert.deepEqual(
      checked.data.problems.map(({ code }) => code),
      ["node_type_unknown"],
    );
    const refused = await call("publish_workflow", { id: wrong.data.workflow.id });
    assert.equal(refused.ok, false);
    assert.equal(refused.data.error.code, "invalid_input");
    assert.equal(refused.data.error.problems[0]?.pointer, "/nodes/0/type");
    const longName = await call("create_workflow", { name: "x".repeat(201) });
    assert.equal(longName.data.error.code, "invalid_input");
  });

  test("what is wrong with a draft is returned when it is stored, changed, dry-run and published", async () => {
    const made = await call("create_workflow", {
      name: "Typos",
      nodes: [
        { id: "a", type: "aproval" },
        { id: "b", type: "tool", tool: "get_helth" },
      ],
      edges: [],
    });
    assert.deepEqual([made.ok, made.data.valid, made.data.errors], [true, false, 2]);
    const codes = (problems: readonly Pick<WorkflowProblem, "code" | "pointer">[]) =>
      problems.map(({ code, pointer }) => `${code} ${pointer}`);
    const expected = ["node_type_unknown /nodes/0/type", "tool_unknown /nodes/1/tool"];
    assert.deepEqual(codes(made.data.problems), expected);
    const { id } = made.data.workflow;
    const renamed = await call("update_workflow", { id, name: "Still wrong" });
    assert.deepEqual(codes(renamed.data.problems), expected);
    for (const refused of [await call("publish_workflow", { id }), await call("dry_run_workflow", { id })]) {
      assert.equal(refused.ok, false);
      const { problems } = refused.data.error;
      assert.deepEqual(codes(problems), expected);
      for (const item of problems) assert.equal(item.expected, undefined);
    }
  });

  test("a run is refused with the reasons for which its plan is not executable", async () => {
    const child = (await create({ name: "Child" })).id;
    await call("publish_workflow", { id: child });
    const calls = (name: string, step: object) =>
      call("create_workflow", {
        name,
        nodes: [{ id: "a", type: "subworkflow", subworkflow: { workflowId: child }, ...step }],
        edges: [],
      });
    const made = [
      await calls("Wrong tool", { type: "tool", tool: "get_helth", subworkflow: undefined }),
      await calls("Wrong inputs", { with: { name: 5 } }),
      await calls("No such version", { subworkflow: { workflowId: child, version: 9 } }),
      await calls("Archived child", { with: { name: "N" } }),
    ];
    const [id = "", ...others] = made.map(({ data }) => data.workflow.id).reverse();
    assert.equal((await call("publish_workflow", { id })).ok, true);
    assert.equal((await call("plan_workflow", { id })).data.plan.executable, true);
    await call("update_workflow", { id: child, status: "archived" });
    for (const workflowId of [id, ...others]) {
      const { plan, problems } = (await call("plan_workflow", { id: workflowId })).data;
      assert.equal(plan.executable, false);
      const refused = await call("run_workflow", { id: workflowId });
      assert.equal(refused.data.error?.code, "invalid_input", JSON.stringify(refused));
      const texts = (list: readonly Omit<WorkflowProblem, "fix">[]) =>
        list
          .filter(({ severity }) => severity !== "warning")
          .map(({ code, pointer, message }) => `${code} ${pointer} ${message}`);
      assert.deepEqual(texts(refused.data.error.problems), texts(problems));
    }
  });

  test("the counters of get_health are those of its time", async () => {
    const waiting = async (): Promise<number> => {
      const { checks } = (await call("get_health", {})).data;
      const engine = checks.find(({ name }) => name === "engine");
      const [, count] = /(\d+) waiting/.exec(engine?.detail ?? "") ?? [];
      assert.ok(count !== undefined, engine?.detail);
      return Number(count);
    };
    const made = await call("create_workflow", {
      name: "Waits",
      nodes: [{ id: "ask", type: "approval", approval: { title: "Go on?" } }],
      edges: [],
    });
    const { id } = made.data.workflow;
    for (let left = 3; left > 0; left -= 1) {
      const before = await waiting();
      assert.equal((await call("run_workflow", { id })).data.run.status, "waiting");
      assert.equal(await waiting(), before + 1);
    }
  });

  test("a dry run names each input that does not fit by its pointer, as a run does", async () => {
    const { id } = await create({ name: "Checked inputs" });
    await call("publish_workflow", { id });
    const wrong = { name: 5, nam: "x" };
    const places = (envelope: ToolAnswer<"dry_run_workflow" | "run_workflow">["envelope"]) => [
      envelope.data.error.code,
      ...envelope.data.error.problems.map(({ pointer }) => pointer).sort(),
    ];
    const dry = await call("dry_run_workflow", { id, inputs: wrong }, {});
    assert.deepEqual(places(dry), ["invalid_input", "/inputs/nam", "/inputs/name"]);
    assert.deepEqual(places(await call("run_workflow", { id, inputs: wrong })), places(dry));
  });

  test("a subworkflow that a caller may not see is like one that does not exist", async () => {
    const { id } = await create({ name: "Hidden" });
    await call("publish_workflow", { id });
    const graph = (workflowId: string) => ({
      nodes: [{ id: "sub", type: "subworkflow", subworkflow: { workflowId } }],
      edges: [],
    });
    const codes = async (workflowId: string, options: { key?: boolean }) =>
      (await call("validate_workflow", graph(workflowId), options)).data.problems.map(({ code }) => code);
    assert.deepEqual(await codes(id, {}), ["argument_missing"], "public: its inputs are known");
    await call("update_workflow", { id, visibility: "private" });
    assert.deepEqual(await codes(id, {}), ["subworkflow_unknown"]);
    assert.deepEqual(await codes("workflow_gone", {}), ["subworkflow_unknown"]);
    assert.deepEqual(await codes(id, { key: true }), ["argument_missing"]);
  });

  test("inputs and outputs come in _meta or on start and end nodes, with the same digest", async () => {
    const byMeta = await create();
    const start = { id: "start", type: "start", inputs };
    const end = { id: "end", type: "end", outputs: document.outputs };
    const byNodes = await call("create_workflow", {
      name: "Folded",
      nodes: [start, ...nodes, end],
      edges: [{ from: "start", to: "info" }, ...edges, { from: "keep", to: "end" }],
    });
    assert.equal(byNodes.data.workflow.digest, byMeta.digest);
    assert.deepEqual(byNodes.data.workflow.document["inputs"], inputs);
  });

  test("an update from a stale revision is a conflict and changes nothing", async () => {
    const { id } = await create();
    const first = await call(
      "update_workflow",
      { id, name: "Second" },
      { key: true, meta: { "svc/expectedRevision": 1 } },
    );
    assert.equal(first.data.workflow.revision, 2);
    const stale = await call(
      "update_workflow",
      { id, name: "Third" },
      { key: true, meta: { "svc/expectedRevision": 1 } },
    );
    assert.deepEqual(
      [stale.ok, stale.data.error.code, stale.data.error.details.revision],
      [false, "conflict", 2],
    );
    assert.equal((await call("get_workflow", { id })).data.workflow.name, "Second");
    const racers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        call(
          "update_workflow",
          { id, name: `Race ${i}` },
          { key: true, meta: { "svc/expectedRevision": 2 } },
        ),
      ),
    );
    assert.equal(racers.filter((answer) => answer.ok).length, 1);
    const half = await call("update_workflow", { id, edges: [] });
    assert.deepEqual([half.data.workflow.nodes.length, half.data.workflow.edges.length], [3, 0]);
    assert.equal(
      (await call("update_workflow", { id: "workflow_none", name: "x" })).data.error.code,
      "not_found",
    );
    for (const bad of [{ status: "gone" }, { visibility: "secret" }, { status: "published" }]) {
      assert.equal(
        (await call("update_workflow", { id, ...bad })).data.error.code,
        "invalid_input",
        JSON.stringify(bad),
      );
    }
  });

  test("published versions are immutable and public; drafts and private ones are not seen without a key", async () => {
    const { id } = await create({ tags: ["x"] });
    const anonymous = { key: false };
    assert.equal((await call("get_workflow", { id }, anonymous)).data.error.code, "not_found");
    assert.equal((await call("plan_workflow", { id }, anonymous)).data.error.code, "not_found");
    const published = await call("publish_workflow", { id });
    assert.deepEqual(
      [published.ok, published.data.version.version, published.data.workflow.visibility],
      [true, 1, "public"],
    );
    const again = await call("publish_workflow", { id });
    assert.equal(again.data.version.version, 1, "the same document is the same version");

    const secret = "only for keys";
    await call("update_workflow", {
      id,
      nodes: [...nodes, { id: "extra", type: "transform", value: secret }],
    });
    const seen = await service.call("get_workflow", { id });
    assert.equal(seen.envelope.data.workflow.nodes.length, 3, "without a key the published version is seen");
    assert.doesNotMatch(seen.text, new RegExp(secret));
    assert.equal((await call("get_workflow", { id })).data.workflow.nodes.length, 4);
    const next = await call("publish_workflow", { id });
    assert.equal(next.data.version.version, 2);

    const list = await service.call("list_workflows", { limit: 100 });
    const listed = list.envelope.data.workflows;
    assert.ok(
      listed.length > 0 &&
        listed.every((item) => item.status === "published" && item.visibility === "public"),
    );
    const [first] = listed;
    assert.ok(first !== undefined && !("owner" in first));
    await call("update_workflow", { id, visibility: "private" });
    assert.equal((await call("get_workflow", { id }, anonymous)).ok, false);
    await call("update_workflow", { id, visibility: "public", status: "archived" });
    assert.equal((await call("get_workflow", { id }, anonymous)).ok, false, "archived");
    assert.equal((await call("publish_workflow", { id })).data.error.code, "conflict");
    assert.equal(
      (await call("update_workflow", { id, status: "published" })).data.workflow.status,
      "published",
    );
  });

  test("each change writes its event and publishing its provenance, in the same transaction", async () => {
    const { id } = await create();
    await call("update_workflow", { id, name: "Renamed" });
    await call("publish_workflow", { id });
    await call("update_workflow", { id, status: "archived" });
    const own = (await events()).filter((event) => event.subject === id);
    assert.deepEqual(
      own.map((event) => event.type),
      ["svc.workflow.created", "svc.workflow.updated", "svc.workflow.published", "svc.workflow.archived"],
    );
    assert.deepEqual(
      own.map((event) => event.publicData === null),
      [true, true, false, false],
    );
    for (const event of own) {
      const allowed = eventType(event.type)?.data["properties"];
      assert.ok(isObject(allowed));
      for (const key of Object.keys(event.data)) assert.ok(key in allowed, `${event.type} ${key}`);
    }
    const records = await service.app.services.store.read.provenance.find({ subjectId: id }, { limit: 10 });
    assert.deepEqual(
      records.items.map((record) => record.kind),
      ["workflow_version"],
    );
    // Strangers do not see fixed values, so the digest of the document is salted; who has the document finds its record.
    const { digest: hash } = (await call("get_workflow", { id })).data.workflow;
    assert.match(records.items[0]?.digest ?? "", /^hmac-sha256:/);
    assert.equal((await call("lookup_svc_provenance", { hash })).data.records[0]?.subjectId, id);
    const strangers = await call("lookup_svc_provenance", { hash }, { key: false });
    assert.deepEqual(strangers.data.records, []);
  });

  test("the same idempotency key makes one workflow", async () => {
    const make = () =>
      call("create_workflow", { name: "Once" }, { key: true, meta: { "svc/idempotencyKey": "k-1" } });
    const [one, two] = [await make(), await make()];
    assert.equal(one.data.workflow.id, two.data.workflow.id);
    const other = await call(
      "create_workflow",
      { name: "Other" },
      { key: true, meta: { "svc/idempotencyKey": "k-1" } },
    );
    assert.equal(other.data.error.code, "conflict");
  });

  test("validate, plan and dry-run take a supplied graph, a stored one, or a graph in place of the stored one", async () => {
    const { id } = await create();
    const meta = { "svc/document": document };
    assert.equal((await call("validate_workflow", { nodes, edges }, { meta })).data.valid, true);
    assert.equal((await call("validate_workflow", { id })).data.valid, true);
    const unsaved = await call("validate_workflow", {
      id,
      nodes: [...nodes, { id: "x", type: "transform", value: { $ref: "$inputs.nope" } }],
    });
    assert.deepEqual(
      unsaved.data.problems.map(({ code }) => code),
      ["ref_unknown_input"],
    );
    const neither = await call("validate_workflow", {});
    assert.equal(neither.data.error.code, "invalid_input");
    const { plan } = (await call("plan_workflow", { nodes, edges }, { meta })).data;
    assert.deepEqual(plan.levels, [["info"], ["ask"], ["keep"]]);
    assert.deepEqual(
      [
        plan.effects.write,
        plan.protectedSteps,
        plan.requiredInputs,
        plan.worstCase.ms,
        plan.worstCase.unbounded,
      ],
      [1, ["keep"], ["name"], null, ["ask"]],
    );
    assert.equal(plan.planDigest, (await call("plan_workflow", { id })).data.plan.planDigest);
    const broken = await call("plan_workflow", { nodes: [nodes[0]], edges: [{ from: "info", to: "gone" }] });
    assert.deepEqual([broken.ok, broken.data.plan.executable], [true, false]);
  });

  test("a dry run writes nothing but its own record, and that only with a key", async () => {
    const { id } = await create();
    const count = async () =>
      (await service.app.services.store.read.artifacts.list({ limit: 100 })).items.length;
    const artifacts = await count();
    const meta = { "svc/document": document };
    const open = await call("dry_run_workflow", { nodes, edges, inputs: { name: "N" } }, { meta });
    assert.deepEqual([open.data.state, open.data.persisted, open.data.runId], ["succeeded", false, null]);
    const kept = await call("dry_run_workflow", { id, inputs: { name: "N" } });
    assert.deepEqual([kept.data.state, kept.data.persisted], ["succeeded", true]);
    assert.deepEqual(kept.data.blocked, [{ stepId: "keep", tool: "save_artifact", effect: "write" }]);
    assert.equal(await count(), artifacts);
    const { runs } = service.app.services.store.read;
    const { runId } = kept.data;
    assert.ok(runId !== null);
    const run = await runs.get(runId);
    assert.deepEqual(
      [run?.kind, run?.state, run?.workflowId, run?.visibility, run?.traceId],
      ["dry_run", "succeeded", id, "private", kept.data.trace.traceId],
    );
    const steps = await runs.steps(runId);
    assert.deepEqual(steps.map((step) => `${step.stepId} ${step.state}`).sort(), [
      "ask succeeded",
      "info succeeded",
      "keep succeeded",
    ]);
    assert.ok(
      (await events()).some(
        (event) => event.subject === runId && event.type === "svc.run.succeeded" && event.publicData === null,
      ),
    );
    const bad = await call("dry_run_workflow", { id, inputs: { name: 3 } });
    assert.equal(bad.data.error.code, "invalid_input");
    const invalid = await call("dry_run_workflow", { nodes: [{ id: "a", type: "tool", tool: "nope" }] });
    assert.equal(invalid.data.error.code, "invalid_input");
  });

  test("a dry run uses what the last run that succeeded recorded, for callers with a key", async () => {
    const only = [{ id: "keep", type: "tool", tool: "save_artifact", with: { artifact: { title: "Kept" } } }];
    const outputs = { id: { $ref: "$steps.keep.outputs#/data/artifact/id" } };
    const made = await call(
      "create_workflow",
      { name: "Recorded", nodes: only },
      { key: true, meta: { "svc/document": { outputs } } },
    );
    const { id } = made.data.workflow;
    const before = await call("dry_run_workflow", { id });
    assert.equal(before.data.trace.steps[0]?.source, "sample");
    await call("publish_workflow", { id });
    const started = await call("run_workflow", { id });
    const run = await service.app.services.engine.waitFor(started.data.run.id, 120_000);
    assert.equal(run.state, "succeeded");
    const after = await call("dry_run_workflow", { id });
    assert.equal(after.data.trace.steps[0]?.source, "recorded");
    assert.deepEqual(after.data.outputs, run.outputs);
    const open = await call("dry_run_workflow", { id }, { key: false });
    assert.equal(open.data.trace.steps[0]?.source, "sample", "recorded values are not for everybody");
  });

  test("a dry run up to a step leaves out what is not finished, and uses the samples that are given", async () => {
    const given = {
      nodes: [
        { id: "read", type: "tool", tool: "get_health" },
        { id: "keep", type: "tool", tool: "save_artifact", with: { artifact: { title: "Kept" } } },
        {
          id: "pick",
          type: "switch",
          cases: [{ name: "ok", when: 'steps.read.outputs.data.status == "mine"' }],
        },
        { id: "unfinished", type: "tool", tool: "nope" },
      ],
      edges: [
        { from: "read", to: "keep" },
        { from: "keep", to: "pick" },
        { from: "pick", to: "unfinished", port: "case:ok" },
      ],
    };
    const whole = await call("dry_run_workflow", given, { key: false });
    assert.equal(whole.data.error.code, "invalid_input");
    const read = { ok: true, data: { status: "mine" } };
    const keep = { ok: true, data: { artifact: { id: "pinned" } } };
    const meta = { "svc/until": "pick", "svc/samples": { read, keep } };
    const cut = await call("dry_run_workflow", given, { key: false, meta });
    assert.equal(cut.ok, true, JSON.stringify(cut.data.error));
    assert.deepEqual(
      cut.data.trace.steps.map(({ stepId, source, port }) => [stepId, source, port]),
      [
        ["read", "pinned", "success"],
        ["keep", "pinned", "success"],
        ["pick", "computed", "case:ok"],
      ],
    );
    assert.deepEqual(cut.data.trace.steps[1]?.output, keep);
    assert.deepEqual(cut.data.blocked, [{ stepId: "keep", tool: "save_artifact", effect: "write" }]);
    assert.equal(cut.data.resultConfirmed, false);
    const broken = await call("dry_run_workflow", given, { key: false, meta: { "svc/until": "unfinished" } });
    assert.deepEqual(
      broken.data.error.problems.map(({ code }) => code),
      ["tool_unknown"],
    );
    const nowhere = await call("dry_run_workflow", given, { key: false, meta: { "svc/until": "gone" } });
    assert.match(nowhere.data.error.message, /no step "gone"/);
  });

  test("a text that looks like code stays a text in every field", async () => {
    const evil = {
      name: INJECTION,
      description: INJECTION,
      tags: [INJECTION],
      nodes: [
        {
          id: "a",
          type: "transform",
          title: INJECTION,
          description: INJECTION,
          value: { [INJECTION]: INJECTION },
        },
        {
          id: "b",
          type: "approval",
          approval: { title: INJECTION, show: INJECTION, approvers: ["key_of_somebody"] },
        },
        {
          id: "c",
          type: "handoff",
          handoff: {
            target: "sandbox",
            capability: INJECTION,
            intent: INJECTION,
            payload: { x: INJECTION },
            dryRun: true,
          },
          idempotencyKey: INJECTION,
        },
        {
          id: "d",
          type: "map",
          map: {
            items: [INJECTION],
            maxItems: 2,
            body: {
              tool: "create_local_artifact",
              with: { title: { $ref: "$item" }, description: INJECTION },
            },
          },
        },
      ],
      edges: [
        { id: INJECTION, from: "a", to: "b" },
        { from: "b", to: "c" },
        { from: "c", to: "d" },
      ],
    };
    const made = await call("create_workflow", evil, {
      key: true,
      meta: { "svc/document": { outputs: { out: { $ref: "$steps.a.outputs" }, text: INJECTION } } },
    });
    assert.equal(made.data.workflow.name, INJECTION);
    const run = await call("dry_run_workflow", { id: made.data.workflow.id });
    assert.equal(run.ok, true, JSON.stringify(run));
    assert.deepEqual(run.data.outputs, { out: { [INJECTION]: INJECTION }, text: INJECTION });
    const item = run.data.trace.steps.find(({ stepId }) => stepId === "d[0]");
    assert.deepEqual(item?.input, { title: INJECTION, description: INJECTION });
    const checked = await call("validate_workflow", { id: made.data.workflow.id });
    assert.ok(checked.data.problems.some(({ code }) => code === "looks_like_template"));
    const condition = await call("validate_workflow", {
      nodes: [{ id: "a", type: "transform", value: 1, if: INJECTION }],
      edges: [],
    });
    assert.deepEqual(
      condition.data.problems.map(({ code }) => code),
      ["expr_syntax"],
    );
  });

  test("versions, differences, export and import are routes with the same rules", async () => {
    const { id } = await create();
    await call("publish_workflow", { id });
    await call("update_workflow", { id, nodes: [...nodes, { id: "more", type: "transform", value: 1 }] });
    await call("publish_workflow", { id });
    const get = async (path: string, key = false) => {
      const answer = await service.fetch(
        `/api/svc/workflows/${path}`,
        key ? { headers: { authorization: `Bearer ${TEST_KEY}` } } : {},
      );
      const body: unknown = await answer.json();
      assert.ok(isObject(body) && isObject(body["data"]));
      return { status: answer.status, data: body["data"] };
    };
    const versions = await get(`${id}/versions`);
    assert.equal(versions.status, 200);
    assert.ok(Array.isArray(versions.data["versions"]) && versions.data["versions"].length === 2);
    const diff = await get(`${id}/diff?from=1&to=2`);
    assert.match(JSON.stringify(diff.data), /"added":\["more"\]/);
    assert.equal((await get(`${id}/versions/1`)).status, 200);
    assert.equal((await get(`${id}/versions/7`)).status, 404);
    for (const format of ["json", "yaml", "arazzo", "serverless", "mermaid"]) {
      const exported = await get(`${id}/export?format=${format}`);
      assert.equal(exported.status, 200, format);
      assert.ok(typeof exported.data["text"] === "string" && Array.isArray(exported.data["losses"]));
    }
    assert.equal((await get(`${id}/export?format=word`)).status, 400);
    const hidden = await create();
    assert.equal((await get(`${hidden.id}/export`)).status, 404);
    assert.equal((await get(`${hidden.id}/export`, true)).status, 200);

    const { text } = (await get(`${id}/export?format=yaml`)).data;
    const post = (body: unknown, key: boolean) =>
      service.fetch("/api/svc/workflows/import", {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json", ...(key && { authorization: `Bearer ${TEST_KEY}` }) },
      });
    const looked = await post({ text }, false);
    assert.equal(looked.status, 200);
    assert.equal((await post({ text, save: true }, false)).status, 401);
    const saved = await post({ text, save: true, name: "Brought in" }, true);
    const body: unknown = await saved.json();
    assert.match(JSON.stringify(body), /"saved":true/);
    assert.match(JSON.stringify(body), /"name":"Brought in"/);
  });

  test("resources show what the caller may see", async () => {
    const { id } = await create();
    const open = await service.rpc("resources/read", { uri: "svc://workflows" });
    assert.doesNotMatch(open.text, new RegExp(id));
    const keyed = await service.rpc(
      "resources/read",
      { uri: `svc://workflow/${id}` },
      { authorization: `Bearer ${TEST_KEY}` },
    );
    assert.match(keyed.text, new RegExp(id));
    const refused = await service.rpc("resources/read", { uri: `svc://workflow/${id}` });
    assert.ok(refused.json.error !== undefined);
  });
});

describe("without storage", () => {
  test("what would persist is degraded, everything else works", async () => {
    const service = await startService({ settings: { databaseUrl: "none" } });
    try {
      for (const [name, args] of [
        ["create_workflow", { name: "x" }],
        ["instantiate_template", { templateId: "release-gate" }],
      ] as const) {
        const { envelope } = await service.call(name, args, { key: true });
        assert.deepEqual([envelope.ok, envelope.data.status], [false, "degraded"], name);
      }
      assert.deepEqual((await service.call("list_workflows", {})).envelope.data.workflows, []);
      assert.equal(
        (await service.call("validate_workflow", { nodes, edges }, { meta: { "svc/document": document } }))
          .envelope.data.valid,
        true,
      );
      const dry = await service.call(
        "dry_run_workflow",
        { nodes, edges },
        { key: true, meta: { "svc/document": document } },
      );
      assert.deepEqual([dry.envelope.ok, dry.envelope.data.persisted], [true, false]);
    } finally {
      await service.close();
    }
  });
});
