import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { digestOf } from "../../src/kernel/canonical-json.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import { traceFrom } from "../../src/kernel/trace.ts";
import type { CallContext } from "../../src/ports/definitions.ts";
import { runToApproval, startService, type TestService } from "../support/service.ts";

/* What a workflow must not do behind the back of its plan and its approvers. */

describe("guards around destructive calls and approvals", () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());
  const keyed = { key: true };

  const hidden: readonly (readonly [string, JsonObject])[] = [
    [
      "a destructive tool behind execute_mcp_tool",
      {
        id: "a",
        type: "tool",
        tool: "execute_mcp_tool",
        with: { name: "delete_artifact", arguments: { id: "artifact_1" } },
      },
    ],
    [
      "a tool name built by an expression",
      {
        id: "a",
        type: "tool",
        tool: "execute_mcp_tool",
        with: { name: { $expr: "'delete_' + 'artifact'" }, arguments: { id: "artifact_1" } },
      },
    ],
    [
      "a workflow started behind the plan",
      { id: "a", type: "tool", tool: "run_workflow", with: { id: "w" } },
    ],
    [
      "a call for each item of a map",
      {
        id: "a",
        type: "map",
        map: {
          items: ["delete_artifact"],
          maxItems: 2,
          body: { tool: "execute_mcp_tool", with: { name: { $expr: "item" } } },
        },
      },
    ],
  ];
  for (const [what, node] of hidden) {
    test(`${what} is destructive for validation, plan and approval rules`, async () => {
      const graph = { nodes: [node], edges: [] };
      const { envelope } = await service.call("validate_workflow", graph);
      const codes = envelope.data.problems.map(({ code }: { code: string }) => code);
      assert.equal(envelope.data.valid, false);
      assert.ok(codes.includes("tool_forbidden"), codes.join());
      assert.ok(codes.includes("destructive_without_approval"), codes.join());
      const { plan } = (await service.call("plan_workflow", graph)).envelope.data;
      assert.equal(plan.executable, false);
      assert.deepEqual(plan.guardedSteps, ["a"]);
      assert.equal(plan.effects.external, 0);
      assert.ok(plan.effects.destructive >= 1);
    });
  }

  test("a tool name that is not a plain text is refused, not run", async () => {
    const node = { id: "a", type: "tool", tool: { $expr: "'delete_artifact'" }, with: { id: "artifact_1" } };
    const { envelope } = await service.call("validate_workflow", { nodes: [node], edges: [] });
    assert.equal(envelope.data.valid, false);
    const made = await service.call("create_workflow", { name: "x", nodes: [node], edges: [] }, keyed);
    const { id } = made.envelope.data.workflow;
    const run = await service.call("run_workflow", { id }, keyed);
    assert.deepEqual([run.envelope.ok, run.envelope.data.error.code], [false, "invalid_input"]);
  });

  test("tools/list marks execute_mcp_tool and run_workflow as destructive", async () => {
    const { json } = await service.rpc("tools/list");
    for (const name of ["execute_mcp_tool", "run_workflow", "delete_artifact"]) {
      const tool = json.result.tools.find((one) => one.name === name);
      assert.equal(tool?.annotations["destructiveHint"], true, name);
      assert.equal(tool?.annotations["readOnlyHint"], false, name);
    }
  });

  const asking = { id: "ask", type: "approval", approval: { title: "Go?" } };
  const waiting = async (): Promise<{ runId: string; approvalId: string }> => {
    const made = await service.call("create_workflow", { name: "w", nodes: [asking], edges: [] }, keyed);
    const { id } = made.envelope.data.workflow;
    const run = await runToApproval(service, id);
    return { runId: run.id, approvalId: run.approvals[0].id };
  };

  test("the dispatcher refuses a run's own decision, direct or nested, with every scope", async () => {
    const { runId, approvalId } = await waiting();
    const { services } = service.app;
    const context: CallContext = {
      caller: { kind: "system", id: "key_x", scopes: new Set(["admin"]) },
      services,
      trace: traceFrom(undefined),
      requestId: runId,
      signal: new AbortController().signal,
      meta: { "svc/runId": runId },
    };
    const decisions = ["approve_step", "reject_step"].map((name) => ({ name, id: approvalId }));
    for (const { name, id } of decisions) {
      const args = { id, reason: "mine" };
      const calls: readonly (readonly [string, JsonObject])[] = [
        [name, args],
        ["execute_mcp_tool", { name, arguments: args }],
      ];
      for (const [tool, given] of calls) {
        await assert.rejects(services.catalog.call(tool, given, context), {
          code: "forbidden",
          message: /A run cannot call/,
        });
      }
    }
    assert.equal((await services.store.read.approvals.get(approvalId))?.state, "pending");
  });

  test("a published document from before the rule cannot approve another run from inside", async () => {
    const { approvalId } = await waiting();
    const { store } = service.app.services;
    const inner = await service.call(
      "create_workflow",
      { name: "inner", nodes: [{ id: "h", type: "tool", tool: "get_health" }], edges: [] },
      keyed,
    );
    const innerId: string = inner.envelope.data.workflow.id;
    await service.call("publish_workflow", { id: innerId }, keyed);
    const document = {
      schemaVersion: "suite.workflow.v1",
      inputs: { type: "object" },
      outputs: {},
      policy: {},
      nodes: [
        {
          id: "sneak",
          type: "tool",
          tool: "execute_mcp_tool",
          with: { name: "approve_step", arguments: { id: approvalId } },
        },
      ],
      edges: [],
    };
    const record = await store.read.workflows.get(innerId);
    assert.ok(record);
    await store.transact(async (tx) => {
      const publishedAt = new Date().toISOString();
      const digest = digestOf(document);
      await tx.workflows.insertVersion({
        workflowId: innerId,
        version: 2,
        name: null,
        digest,
        document,
        publishedAt,
        publishedBy: "test",
        publishedVia: null,
      });
      await tx.workflows.update(
        { ...record, publishedVersion: 2, revision: record.revision + 1 },
        record.revision,
      );
    });
    const outer = await service.call(
      "create_workflow",
      {
        name: "outer",
        nodes: [{ id: "sub", type: "subworkflow", subworkflow: { workflowId: innerId, version: 2 } }],
        edges: [],
      },
      keyed,
    );
    const { id } = outer.envelope.data.workflow;
    const started = await service.call("run_workflow", { id }, keyed);
    // The start checks the subworkflows as the plan does; the dispatcher's own refusal is tested above.
    assert.equal(started.envelope.ok, false, started.text);
    assert.match(started.text, /destructive_without_approval/);
    assert.equal((await store.read.approvals.get(approvalId))?.state, "pending");
  });

  test("a wrong digest is refused without the right one", async () => {
    const { runId, approvalId } = await waiting();
    const right = (await service.app.services.store.read.approvals.get(approvalId))?.shownDigest ?? "";
    const meta = { "svc/shownDigest": `sha256:${"0".repeat(64)}` };
    const wrong = await service.call("approve_step", { id: approvalId }, { key: true, meta });
    assert.equal(wrong.envelope.data.error.code, "conflict");
    assert.ok(!wrong.text.includes(right.slice("sha256:".length)), wrong.text);
    const decided = await service.call(
      "approve_step",
      { id: approvalId },
      { key: true, meta: { "svc/shownDigest": right } },
    );
    assert.equal(decided.envelope.data.run.id, runId);
  });
});
