import assert from "node:assert/strict";
import type { JsonObject } from "../../packages/client/client.ts";
import type { TestService } from "../support/service.ts";
import type { CallAnswer, Member } from "./support.ts";

/** An approval that a run waits for. */
export interface Waiting {
  readonly id: string;
  readonly runId: string;
  readonly workflowId: string;
  readonly digest: string;
}

/** A run that waits for a decision, started by a person or by the operator's key. */
export async function waiting(
  service: TestService,
  approval: JsonObject,
  starter?: Member,
  more: readonly JsonObject[] = [],
  port = "approved",
): Promise<Waiting> {
  const nodes = [
    { id: "ask", type: "approval", approval: { title: "Go?", show: { sum: 7 }, ...approval } },
    ...more,
  ];
  const edges = more.length === 0 ? [] : [{ from: "ask", to: "act", port }];
  const client = starter?.visitor.client ?? service.client;
  const made = await client.call("create_workflow", { name: "Asks", nodes, edges });
  return started(service, made.workflow.id, starter);
}

/** Runs a workflow whose first step is an approval. */
export async function started(
  service: TestService,
  workflowId: string,
  starter?: Member,
  inputs: JsonObject = {},
): Promise<Waiting> {
  const client = starter?.visitor.client ?? service.client;
  let { run } = await client.call("run_workflow", { id: workflowId, inputs });
  // A busy machine answers before the run asks.
  for (let n = 0; n < 6_000 && run.status !== "waiting"; n++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    ({ run } = await client.call("get_workflow_run", { id: run.id }));
  }
  const [asked] = run.approvals ?? [];
  assert.ok(asked?.shownDigest !== undefined, `the run ${run.id} asks nobody: it is ${run.status}`);
  return { id: asked.id, runId: run.id, workflowId, digest: asked.shownDigest };
}

/** Approves as a person, with the digest of what was shown when it is given. */
export function approve(
  who: Member,
  { id }: Pick<Waiting, "id">,
  digest?: string,
): Promise<CallAnswer<"approve_step">> {
  return who.visitor.call("approve_step", { id }, digest === undefined ? {} : { "svc/shownDigest": digest });
}
