import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import { isJsonObject, isObject, type JsonObject } from "../../src/kernel/json.ts";
import { at } from "../support/json.ts";
import { startService, TEST_KEY, type TestService } from "../support/service.ts";

/* What runs, plans and dry runs say of steps that another service has to confirm. */

const HEX = "0123456789abcdef0123456789abcdef";
const keyed = { key: true };

describe("what other services did not confirm is not called confirmed", () => {
  let service: TestService;
  let url = "";
  /** How the docs sibling answers a packet. */
  let mode: "completed" | "accepted" = "completed";
  const docs = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (part: string) => (text += part));
    request.on("end", () => {
      const packet: unknown = text === "" ? null : JSON.parse(text);
      const given = isJsonObject(packet) ? packet["id"] : request.url?.split("/").pop();
      const id = typeof given === "string" ? given : "";
      const report = { id: `report_${HEX}`, contentDigest: `sha256:${HEX}${HEX}` };
      const data =
        mode === "accepted"
          ? { id, status: "accepted", statusUrl: `${url}/api/handoffs/${id}` }
          : { id, status: "completed", resultRef: `${url}/reports/report_${HEX}.html`, result: { report } };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ ok: true, data }));
    });
  });
  before(async () => {
    await new Promise<void>((ready) => docs.listen(0, "127.0.0.1", ready));
    const address = docs.address();
    url = `http://127.0.0.1:${isObject(address) ? String(address["port"]) : ""}`;
    service = await startService({
      settings: {
        // Nothing listens at the second address.
        siblings: {
          docs: { url, key: "a-key-of-docs" },
          browsercheck: { url: "http://127.0.0.1:9", key: "a-key-of-browsercheck" },
        },
        trustedHosts: ["127.0.0.1"],
      },
    });
  });
  after(async () => {
    await service.close();
    docs.closeAllConnections();
    docs.close();
  });

  const create = async (
    nodes: readonly JsonObject[],
    edges: readonly JsonObject[] = [],
    more: object = {},
  ) => {
    const meta = { "svc/document": { inputs: { type: "object" }, ...more } };
    const made = await service.call("create_workflow", { name: "c", nodes, edges }, { key: true, meta });
    assert.equal(made.envelope?.ok, true, made.text);
    return made.envelope.data.workflow.id;
  };
  const runOf = async (id: string) => {
    const started = await service.call("run_workflow", { id }, keyed);
    assert.equal(started.envelope?.ok, true, started.text);
    await service.app.services.engine.waitFor(started.envelope.data.run.id, 120_000);
    const read = await service.call("get_workflow_run", { id: started.envelope.data.run.id }, keyed);
    return read.envelope.data.run;
  };
  const handoff = (id: string, more: object = {}): JsonObject => ({
    id,
    type: "handoff",
    handoff: { target: "docs", capability: "report", payload: { title: id, markdown: `# ${id}` }, ...more },
  });
  const steps = (run: { unconfirmedSteps: readonly { stepId: string }[] }): readonly string[] =>
    run.unconfirmedSteps.map(({ stepId }) => stepId);

  test("a run without external steps is confirmed when it succeeded", async () => {
    const run = await runOf(await create([{ id: "h", type: "tool", tool: "get_health" }]));
    assert.deepEqual([run.status, run.resultConfirmed, run.unconfirmedSteps], ["succeeded", true, []]);
  });

  test("a confirmed handoff confirms the run, and the list says the same", async () => {
    mode = "completed";
    const run = await runOf(await create([handoff("sent")]));
    assert.deepEqual([run.status, run.resultConfirmed, run.unconfirmedSteps], ["succeeded", true, []]);
    const list = await service.fetch("/api/svc/runs?limit=1", {
      headers: { authorization: `Bearer ${TEST_KEY}` },
    });
    const [first] = JSON.parse(await list.text()).data.runs;
    assert.deepEqual([first.id, first.resultConfirmed], [run.id, true]);
  });

  test("a handoff that was only accepted leaves the run unconfirmed until the sibling confirms", async () => {
    mode = "accepted";
    const run = await runOf(await create([handoff("waits")]));
    assert.deepEqual([run.status, run.resultConfirmed, steps(run)], ["succeeded", false, ["waits"]]);
    assert.match(run.unconfirmedSteps[0]?.reason ?? "", /accepted the packet and has not confirmed/);
    mode = "completed";
    for (let left = 100; ; left--) {
      const read = (await service.call("get_workflow_run", { id: run.id }, keyed)).envelope.data.run;
      if (read.resultConfirmed) break;
      assert.ok(left > 0, "the confirmation that came later is seen");
      await new Promise((done) => setTimeout(done, 100));
    }
  });

  test("a publish that failed and was caught leaves the run unconfirmed", async () => {
    const nodes = [
      { id: "publish", type: "tool", tool: "create_catalog_entry", with: { artifact: { title: "x" } } },
      { id: "note", type: "transform", value: "it failed" },
    ];
    const run = await runOf(await create(nodes, [{ from: "publish", to: "note", port: "error" }]));
    assert.deepEqual([run.status, run.resultConfirmed, steps(run)], ["succeeded", false, ["publish"]]);
    assert.match(run.unconfirmedSteps[0]?.reason ?? "", /failed \(not configured\)/);
  });

  test("a packet that reached nobody is not called sent", async () => {
    const target = { target: "browsercheck", capability: "check", payload: { url: "https://example.com" } };
    const nodes = [
      { id: "ask", type: "handoff", handoff: target },
      { id: "note", type: "transform", value: "it failed" },
    ];
    const run = await runOf(await create(nodes, [{ from: "ask", to: "note", port: "error" }]));
    assert.deepEqual(
      run.unconfirmedSteps.map(({ stepId, sent }) => [stepId, sent]),
      [["ask", false]],
      JSON.stringify(run),
    );
  });

  test("steps in maps and in runs of other workflows count, previews too", async () => {
    mode = "accepted";
    const inner = await create([handoff("inside")]);
    await service.call("publish_workflow", { id: inner }, keyed);
    const nodes = [
      {
        id: "each",
        type: "map",
        map: { items: [1, 2], maxItems: 2, body: { nodes: [handoff("item")], edges: [], outputs: {} } },
      },
      { id: "sub", type: "subworkflow", subworkflow: { workflowId: inner } },
      handoff("preview", { dryRun: true }),
    ];
    const run = await runOf(await create(nodes));
    assert.equal(run.status, "succeeded", JSON.stringify(run.error));
    assert.deepEqual(new Set(steps(run)), new Set(["each[0].item", "each[1].item", "sub", "preview"]));
    const sub = run.unconfirmedSteps.find(({ stepId }) => stepId === "sub");
    assert.match(sub?.reason ?? "", /The run that it started has 1 unconfirmed step/);
    mode = "completed";
  });

  test("a sibling that is not configured is not tried again", async () => {
    const retry = { maxAttempts: 4, backoffMs: 1 };
    const calls: readonly JsonObject[] = [
      { id: "a", type: "tool", tool: "trigger_evals", with: { artifact: { title: "x" } }, retry },
      {
        id: "a",
        type: "handoff",
        handoff: { target: "sandbox", capability: "execute", payload: { script: "1" } },
        retry,
      },
    ];
    for (const node of calls) {
      const run = await runOf(await create([node]));
      assert.equal(run.status, "failed");
      assert.deepEqual(
        [run.steps[0]?.attempt, run.steps[0]?.attempts?.length],
        [1, 1],
        JSON.stringify(run.error),
      );
    }
  });

  const graph = {
    nodes: [
      { id: "evals", type: "tool", tool: "trigger_evals", with: { artifact: { title: "x" } } },
      { id: "docs", type: "tool", tool: "create_docs_report", with: { artifact: { title: "x" } } },
      { id: "target", type: "tool", tool: "publish_artifact", with: { artifactId: "a", target: "sheets" } },
      {
        id: "box",
        type: "handoff",
        handoff: { target: "sandbox", capability: "execute", payload: { script: "1" } },
      },
      handoff("odd", { capability: "make_coffee" }),
    ],
    edges: [],
  };
  const meta = {
    "svc/document": {
      outputs: {
        evals: { $ref: "$steps.evals.outputs#/data/resultRef" },
        docs: { $ref: "$steps.docs.outputs#/data/resultRef" },
        box: { $ref: "$steps.box.outputs#/data/resultRef" },
      },
    },
  };

  test("the plan names the steps that cannot be confirmed, why, and what to do", async () => {
    const { plan } = (await service.call("plan_workflow", graph, { meta })).envelope.data;
    const found = plan.unconfirmable.map(({ stepId, sibling }) => [stepId, sibling]);
    assert.deepEqual(found, [
      ["evals", "evals"],
      ["target", "sheets"],
      ["box", "sandbox"],
      ["odd", "docs"],
    ]);
    assert.match(plan.unconfirmable[0]?.reason ?? "", /evals of the suite is not configured/);
    assert.match(plan.unconfirmable[0]?.nextAction ?? "", /SUITE_EVALS_URL/);
    assert.match(plan.unconfirmable[3]?.nextAction ?? "", /report, draft, social_post/);
    const [, confirmable] = plan.steps;
    assert.deepEqual([confirmable?.id, confirmable?.confirmation?.confirmable], ["docs", true]);
  });

  test("the plan says what of a subworkflow cannot be confirmed", async () => {
    const inner = { name: "Inner", nodes: graph.nodes.slice(0, 1), edges: [] };
    const made = await service.call("create_workflow", inner, { key: true });
    const { id: workflowId } = made.envelope.data.workflow;
    await service.call("publish_workflow", { id: workflowId }, { key: true });
    const nodes = [{ id: "sub", type: "subworkflow", subworkflow: { workflowId } }];
    const { plan } = (await service.call("plan_workflow", { nodes, edges: [] }, { key: true })).envelope.data;
    assert.deepEqual([plan.unconfirmable[0]?.stepId, plan.unconfirmable.length], ["sub", 1]);
    assert.match(
      plan.unconfirmable[0]?.reason ?? "",
      /^Of its step "evals": .*evals of the suite is not configured/,
    );
  });

  test("a dry run makes up no reference and says which steps a run could not confirm", async () => {
    for (const options of [{ meta }, { meta, key: true }]) {
      const { envelope, text } = await service.call("dry_run_workflow", graph, options);
      assert.equal(envelope.ok, true, text);
      const { data } = envelope;
      assert.deepEqual(data.outputs, { evals: null, docs: null, box: null });
      assert.equal(data.resultConfirmed, false);
      const could = Object.fromEntries(
        data.unconfirmedSteps.map(({ stepId, confirmable }) => [stepId, confirmable]),
      );
      assert.deepEqual(could, { evals: false, docs: true, target: false, box: false, odd: false });
      assert.match(data.nextAction ?? "", /could not confirm evals, target, box, odd\. .*SUITE_EVALS_URL/);
      for (const step of data.trace.steps) {
        assert.equal(at(step.output, "data", "resultRef"), null, step.stepId);
        assert.equal(at(step.output, "data", "status"), "preview_ready", step.stepId);
      }
      if (data.runId === null) continue;
      const { run } = (await service.call("get_workflow_run", { id: data.runId }, keyed)).envelope.data;
      assert.deepEqual([run.resultConfirmed, run.unconfirmedSteps.length], [false, 5]);
    }
  });

  test("a plan says which steps are conditional: behind a switch, on error paths, and after them", async () => {
    const tool = (id: string): JsonObject => ({ id, type: "tool", tool: "get_health" });
    const nodes = [
      tool("first"),
      { id: "pick", type: "switch", cases: [{ name: "a", when: "true" }] },
      tool("left"),
      tool("right"),
      tool("joined"),
      { id: "risky", type: "tool", tool: "get_workflow", with: { id: "w" } },
      tool("rescue"),
      tool("after"),
      { id: "ask", type: "approval", approval: { title: "Go?" } },
      tool("approved"),
      tool("refused"),
      { ...tool("maybe"), if: "true" },
      tool("behind"),
    ];
    const edges = [
      { from: "first", to: "pick" },
      { from: "pick", to: "left", port: "case:a" },
      { from: "pick", to: "right", port: "default" },
      { from: "left", to: "joined" },
      { from: "right", to: "joined" },
      { from: "first", to: "risky" },
      { from: "risky", to: "rescue", port: "error" },
      { from: "risky", to: "after" },
      { from: "first", to: "ask" },
      { from: "ask", to: "approved", port: "approved" },
      { from: "ask", to: "refused", port: "rejected" },
      { from: "first", to: "maybe" },
      { from: "maybe", to: "behind" },
    ];
    const { plan } = (await service.call("plan_workflow", { nodes, edges })).envelope.data;
    const conditional = plan.steps.filter(({ conditional }) => conditional).map(({ id }) => id);
    assert.deepEqual(
      new Set(conditional),
      new Set(["left", "right", "rescue", "after", "approved", "refused", "maybe", "behind"]),
    );
  });
});
