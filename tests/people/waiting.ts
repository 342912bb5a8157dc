import assert from "node:assert/strict";
import type { TestService } from "../support/service.ts";
import type { Answer, Member } from "./support.ts";

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
  approval: object,
  starter?: Member,
  more: readonly object[] = [],
  port = "approved",
): Promise<Waiting> {
  const nodes = [
    { id: "ask", type: "approval", approval: { title: "Go?", show: { sum: 7 }, ...approval } },
    ...more,
  ];
  const edges = more.length === 0 ? [] : [{ from: "ask", to: "act", port }];
  const made = await callAs(service, starter, "create_workflow", { name: "Asks", nodes, edges });
  return started(service, made.workflow.id, starter);
}

/** Runs a workflow whose first step is an approval. */
export async function started(
  service: TestService,
  workflowId: string,
  starter?: Member,
  inputs: object = {},
): Promise<Waiting> {
  let { run } = await callAs(service, starter, "run_workflow", { id: workflowId, inputs });
  // A busy machine answers before the run asks.
  for (let n = 0; n < 500 && run.status !== "waiting"; n++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    ({ run } = await callAs(service, starter, "get_workflow_run", { id: run.id }));
  }
  const [asked] = run.approvals;
  return { id: asked.id, runId: run.id, workflowId, digest: asked.shownDigest };
}

async function callAs(
  service: TestService,
  who: Member | undefined,
  name: string,
  args: unknown,
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
): Promise<any> {
  const envelope =
    who === undefined
      ? (await service.call(name, args, { key: true })).envelope
      : (await who.visitor.call(name, args)).data;
  assert.equal(envelope?.ok, true, JSON.stringify(envelope));
  return envelope.data;
}

/** Approves as a person, with the digest of what was shown when it is given. */
export function approve(who: Member, { id }: Pick<Waiting, "id">, digest?: string): Promise<Answer> {
  return who.visitor.call("approve_step", { id }, digest === undefined ? {} : { "svc/shownDigest": digest });
}
