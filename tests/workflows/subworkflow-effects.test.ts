import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { OperationName } from "../../packages/client/client.ts";
import { startService, type TestService } from "../support/service.ts";

/** What a subworkflow step does to the world is what the published workflow does that it runs. */

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.close());

const call = async <N extends OperationName>(name: N, args: unknown) => {
  const { envelope, text } = await service.call(name, args, { key: true });
  assert.equal(envelope?.ok, true, `${name}: ${text}`);
  return envelope.data;
};

/** Publishes a workflow that asks a person before its step, so that it is valid by itself. */
async function published(step: { readonly id: string }) {
  const nodes = [{ id: "ask", type: "approval", approval: { title: "Go on?" } }, step];
  const edges = [{ from: "ask", to: step.id, port: "approved" }];
  const { workflow } = await call("create_workflow", { name: "Child", nodes, edges });
  await call("publish_workflow", { id: workflow.id });
  return workflow.id;
}

const sub = (workflowId: string) => ({ id: "sub", type: "subworkflow", subworkflow: { workflowId } });
const remove = { id: "remove", type: "tool", tool: "delete_artifact", with: { id: "artifact_1" } };
const look = { id: "look", type: "tool", tool: "get_health" };

async function planned(workflowId: string) {
  const { workflow } = await call("create_workflow", { name: "Parent", nodes: [sub(workflowId)], edges: [] });
  return (await call("plan_workflow", { id: workflow.id })).plan;
}

async function codes(workflowId: string): Promise<readonly string[]> {
  const { envelope } = await service.call(
    "validate_workflow",
    { nodes: [sub(workflowId)], edges: [] },
    { key: true },
  );
  return envelope.data.problems.map(({ code }) => code);
}

describe("a subworkflow step", () => {
  it("is destructive when the child is, at any depth, and needs an approval then", async () => {
    const child = await published(remove);
    const middle = await published(sub(child));
    for (const id of [child, middle]) {
      const plan = await planned(id);
      assert.equal(plan.steps[0]?.effect, "destructive");
      assert.equal(plan.effects.destructive, 1);
      assert.deepEqual(plan.guardedSteps, ["sub"]);
      assert.ok((await codes(id)).includes("destructive_without_approval"));
    }
  });

  it("has no effect when the child has none", async () => {
    const child = await published(look);
    assert.equal((await planned(child)).steps[0]?.effect, "none");
    assert.deepEqual(await codes(child), []);
  });

  it("is taken for destructive when the child cannot be read", async () => {
    const plan = await planned("workflow_gone");
    assert.equal(plan.steps[0]?.effect, "destructive");
    assert.equal(plan.executable, false);
  });
});
