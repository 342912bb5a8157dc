import { AppError } from "../kernel/errors.ts";
import { allows, lackingScope, type Caller } from "../ports/caller.ts";
import type { ApprovalRecord, RunRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import { parseDocument } from "./document.ts";
import { isGraphBody, type WorkflowNode } from "./schema.ts";

/*
 * Who may decide an approval. `approvers` of the step lists ids of keys, `person:` with an id or an e-mail address, and
 * `role:` with a role; one that names nobody is open to every caller with the scope `approve`.
 */

type Asked = Pick<ApprovalRecord, "approvers" | "stepId">;

/** True when an approval names people: then no key decides it, unless it is named as well. */
function namesPeople({ approvers }: Pick<ApprovalRecord, "approvers">): boolean {
  return approvers.some((entry) => /^(?:person|role):/.test(entry));
}

/** Why this caller may not decide this approval; null when the caller may. */
export async function decisionRefusal(
  services: Services,
  approval: Asked,
  run: RunRecord,
  caller: Caller,
): Promise<AppError | null> {
  if (!allows(caller, "approve")) return lackingScope(caller, "approve");
  if (!isNamed(approval, caller)) return notNamed(approval, caller);
  if (!(await needsFourEyes(services, approval, run))) return null;
  const hand = await handOf(services, run, caller);
  if (hand === null) return null;
  return new AppError("forbidden", `You ${hand}; another person decides (four eyes).`, {
    nextAction: "Ask one of the others who may decide.",
    details: { fourEyes: true },
  });
}

function isNamed({ approvers }: Asked, { id, person }: Caller): boolean {
  if (approvers.length === 0 || approvers.includes(id)) return true;
  if (person === undefined) return false;
  const mine = [`person:${id}`, `person:${person.email}`, `role:${person.role}`];
  return approvers.some((entry) => mine.includes(entry.toLowerCase()));
}

function notNamed(approval: Asked, caller: Caller): AppError {
  if (caller.person !== undefined) {
    return new AppError("forbidden", "You are not among those who may decide this approval.");
  }
  return namesPeople(approval)
    ? new AppError("forbidden", "This approval names people; a key does not decide it.", {
        nextAction: "Have one of them sign in and decide, or name this key in the workflow's approvers.",
      })
    : new AppError("forbidden", "This key is not among those that may decide this approval.");
}

/** What the caller has to do with the run; null when nothing. */
async function handOf({ store }: Services, run: RunRecord, { id }: Caller): Promise<string | null> {
  if (run.startedBy === id) return "started this run";
  if (run.workflowId === null) return null;
  if (run.workflowVersion === null) {
    const workflow = await store.read.workflows.get(run.workflowId);
    return workflow?.owner === id ? "made this workflow" : null;
  }
  const version = await store.read.workflows.version(run.workflowId, run.workflowVersion);
  return version?.publishedBy === id ? "published this workflow" : null;
}

/** As the step says; without a word it is on where people are named and something destructive can happen. */
async function needsFourEyes(services: Services, approval: Asked, run: RunRecord): Promise<boolean> {
  const stored = await services.store.read.runs.document(run.documentDigest);
  const nodes = allNodes(parseDocument(stored ?? {}).document.nodes, "");
  const node = nodes.get(approval.stepId.replaceAll(/\[\d+\]/g, ""));
  const wanted = node?.type === "approval" ? node.approval.fourEyes : undefined;
  if (wanted !== undefined || !namesPeople(approval)) return wanted ?? false;
  const heads = await services.connections.heads();
  const effects = new Map<string, string>([
    ...services.catalog.tools.map(({ name, effect }) => [name, effect] as const),
    ...heads.map((head) => [`${head.connection}:${head.name}`, head.effect] as const),
  ]);
  // What is not known may be destructive, as plans say.
  return [...nodes.values()].some((item) => {
    const tool = toolOf(item);
    return (
      item.type === "subworkflow" || (tool !== null && (effects.get(tool) ?? "destructive") === "destructive")
    );
  });
}

function toolOf(node: WorkflowNode): string | null {
  if (node.type === "tool") return node.tool;
  return node.type === "map" && !isGraphBody(node.map.body) ? node.map.body.tool : null;
}

function allNodes(nodes: readonly WorkflowNode[], prefix: string): Map<string, WorkflowNode> {
  const found = new Map<string, WorkflowNode>();
  for (const node of nodes) {
    const path = `${prefix}${node.id}`;
    found.set(path, node);
    if (node.type !== "map" || !isGraphBody(node.map.body)) continue;
    for (const [inner, item] of allNodes(node.map.body.nodes, `${path}.`)) found.set(inner, item);
  }
  return found;
}
