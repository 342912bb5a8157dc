import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { DryRun } from "../../packages/client/client.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { catalogView, viewOfTool } from "../../src/workflows/catalog-view.ts";
import { parseDocument } from "../../src/workflows/document.ts";
import { planDocument } from "../../src/workflows/plan.ts";
import { builtInTemplates } from "../../src/workflows/templates/index.ts";
import { validateDocument } from "../../src/workflows/validate.ts";
import { SIBLING_NAMES } from "../../src/ports/settings.ts";
import { tools } from "../../src/registry.ts";
import { at } from "../support/json.ts";
import { startService, type TestService } from "../support/service.ts";

const view = catalogView(tools.map(viewOfTool));

describe("built-in templates", () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  test("there are at least twelve, each its own", () => {
    assert.ok(builtInTemplates.length >= 12);
    assert.equal(new Set(builtInTemplates.map(({ id }) => id)).size, builtInTemplates.length);
    const known: readonly string[] = SIBLING_NAMES;
    for (const { needs, description } of builtInTemplates) {
      assert.ok(description.length > 60);
      assert.ok(needs.every((name) => known.includes(name)));
    }
  });

  test("four start by themselves: their triggers are made with them, paused", async () => {
    const starting = builtInTemplates.filter(({ triggers = [] }) => triggers.length > 0);
    assert.deepEqual(
      starting.map(({ id }) => id),
      ["public-request-approval", "webhook-triage", "sheets-to-docs-social", "discovery-audit"],
    );
    for (const { id } of starting) {
      const { template } = (await service.call("get_template", { id })).envelope.data;
      const made = await service.call("instantiate_template", { templateId: id }, { key: true });
      const [trigger] = template.triggers;
      const answer = await service.fetch("/api/svc/triggers", {
        method: "POST",
        headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
        body: JSON.stringify({ workflowId: made.envelope.data.workflow.id, paused: true, ...trigger }),
      });
      assert.equal(answer.status, 201, `${id}: ${await answer.text()}`);
    }
  });

  for (const template of builtInTemplates) {
    test(`${template.id} is valid without a warning, planned, and dry-run`, async () => {
      const parsed = parseDocument(template.document);
      const verdict = validateDocument(parsed, view);
      assert.deepEqual(verdict.problems, []);
      const plan = planDocument(parsed, view, verdict);
      assert.equal(plan.executable, true);
      assert.equal(plan.steps.length, parsed.document.nodes.length);

      const shown = (await service.call("get_template", { id: template.id })).envelope.data.template;
      const { document, nodes, edges } = shown;
      const asShown: readonly [JsonObject, JsonObject][] = [
        [{ nodes, edges }, {}],
        [{}, { "svc/document": document }],
        [{ nodes, edges }, { "svc/document": document }],
      ];
      for (const [args, meta] of asShown) {
        const checked = (await service.call("validate_workflow", args, { meta })).envelope.data;
        assert.deepEqual([checked.valid, checked.problems], [true, []]);
        const planned = (await service.call("plan_workflow", args, { meta })).envelope.data.plan;
        assert.deepEqual([planned.executable, planned.requiredInputs], [true, plan.requiredInputs]);
      }
      const meta = { "svc/document": document };
      const graph = { nodes: document.nodes, edges: document.edges };
      const inputs = template.exampleInputs;
      const dryRun = () => service.call("dry_run_workflow", { ...graph, inputs }, { meta });
      let given = await dryRun();
      // The first that looks at the service's own documents reads them; a busy machine takes longer than a dry run may.
      for (let nth = 0; nth < 3 && given.envelope.data.error?.code === "timed_out"; nth++)
        given = await dryRun();
      assert.equal(given.envelope.ok, true, given.text);
      const { state, error, assumedInputs, blocked, trace, persisted } = given.envelope.data;
      assert.deepEqual([state, error], ["succeeded", null], JSON.stringify(error));
      assert.deepEqual([assumedInputs, persisted], [[], false]);
      const writes = plan.steps
        .flatMap((step) => [step, ...(step.body ?? [])])
        .filter((step) => step.effect !== "none");
      for (const { stepId } of blocked)
        assert.ok(
          writes.some((step) => stepId.startsWith(step.id.split("[")[0] ?? "")),
          stepId,
        );
      assert.match(trace.traceId, /^[0-9a-f]{32}$/);

      // Without any input the dry run makes up what is required, and says so.
      const bare = await service.call("dry_run_workflow", graph, { meta });
      assert.equal(bare.envelope.ok, true, bare.text);
      assert.deepEqual(new Set(bare.envelope.data.assumedInputs), new Set(plan.requiredInputs));
    });
  }

  test("a dry run takes the ways that the caller asks about", async () => {
    const { document } = (await service.call("get_template", { id: "form-intake-approval" })).envelope.data
      .template;
    const inputs = {
      title: "T",
      schema: { type: "object", properties: { a: {} }, required: ["a"] },
      values: { a: 1 },
    };
    const run = async (meta: object, values: object) =>
      (
        await service.call(
          "dry_run_workflow",
          { nodes: document.nodes, edges: document.edges, inputs: { ...inputs, values } },
          { meta: { "svc/document": document, ...meta } },
        )
      ).envelope.data;
    const states = ({ trace }: Pick<DryRun, "trace">): Record<string, string> =>
      Object.fromEntries(trace.steps.map((step) => [step.stepId, step.state]));
    assert.equal(states(await run({}, { a: 1 }))["keep"], "succeeded");
    const rejected = await run({ "svc/decisions": { review: "rejected" } }, { a: 1 });
    assert.deepEqual([states(rejected)["keep"], states(rejected)["refused"]], ["skipped", "succeeded"]);
    assert.equal(at(rejected.outputs, "refusedBecause"), "Assumed by a dry run.");
    const incomplete = await run({}, {});
    assert.deepEqual(
      [states(incomplete)["review"], states(incomplete)["incomplete"]],
      ["skipped", "succeeded"],
    );
  });

  test("instantiate_template stores a private draft with the name and owner", async () => {
    const made = await service.call(
      "instantiate_template",
      { templateId: "release-gate", name: "Our gate", owner: "Release team" },
      { key: true },
    );
    assert.equal(made.envelope.ok, true, made.text);
    const { workflow } = made.envelope.data;
    assert.deepEqual(
      [workflow.name, workflow.owner, workflow.status, workflow.visibility],
      ["Our gate", "Release team", "draft", "private"],
    );
    const checked = await service.call("validate_workflow", { id: workflow.id }, { key: true });
    assert.deepEqual([checked.envelope.data.valid, checked.envelope.data.warnings], [true, 0]);
    assert.equal((await service.call("get_workflow", { id: workflow.id })).envelope.ok, false);
    const missing = await service.call("instantiate_template", { templateId: "nope" }, { key: true });
    assert.equal(missing.envelope.data.error.code, "not_found");
    assert.equal((await service.call("instantiate_template", { templateId: "release-gate" })).status, 401);
  });

  test("those that need no sibling really run, past their approvals, to the end", async () => {
    const { engine, store } = service.app.services;
    const saved = await service.call("save_artifact", { artifact: { title: "Old report" } }, { key: true });
    const artifactId: string = saved.envelope.data.artifact.id;
    const values = { "form-intake-approval": { note: "fine" } };
    const ended: string[] = [];
    for (const { id: templateId, needs, exampleInputs } of builtInTemplates) {
      if (needs.length > 0 || templateId === "policy-change-cool-off") continue;
      const made = await service.call("instantiate_template", { templateId }, { key: true });
      const { id } = made.envelope.data.workflow;
      assert.equal(
        (await service.call("publish_workflow", { id }, { key: true })).envelope.ok,
        true,
        templateId,
      );
      const inputs = templateId === "artifact-retention" ? { ...exampleInputs, artifactId } : exampleInputs;
      const started = await service.call("run_workflow", { id, inputs }, { key: true });
      assert.equal(started.envelope.ok, true, started.text);
      const runId: string = started.envelope.data.run.id;
      for (;;) {
        const run = await engine.waitFor(runId, 100);
        if (run.state !== "waiting" && run.state !== "running" && run.state !== "queued") {
          assert.deepEqual([templateId, run.state, run.error], [templateId, "succeeded", null]);
          ended.push(templateId);
          if (templateId === "design-to-workflow")
            assert.match(JSON.stringify(run.outputs), /"workflowId":"workflow_/);
          if (templateId === "artifact-retention")
            assert.notEqual((await store.read.artifacts.get(artifactId))?.deletedAt, null);
          break;
        }
        const pending = await store.read.approvals.list({ limit: 5 }, { state: "pending", runId });
        for (const approval of pending.items) {
          const meta = { "svc/values": Object.entries(values).find(([key]) => key === templateId)?.[1] };
          await service.call("approve_step", { id: approval.id }, { key: true, meta });
        }
      }
    }
    assert.ok(ended.length >= 6, ended.join());
  });

  test("list_templates and the resources show them all", async () => {
    const { templates } = (await service.call("list_templates", {})).envelope.data;
    assert.ok(templates.length >= builtInTemplates.length);
    assert.equal((await service.call("list_templates", { limit: 3 })).envelope.data.templates.length, 3);
    const list = await service.rpc("resources/read", { uri: "svc://templates" });
    assert.match(list.text, /release-gate/);
    const one = await service.rpc("resources/read", { uri: "svc://template/release-gate" });
    assert.match(one.text, /suite\.workflow\.v1/);
  });
});
