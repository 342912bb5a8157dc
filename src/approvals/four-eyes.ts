import { toolOf } from "../workflows/views.ts";
import { behind } from "../access/people/behind.ts";
import type { DecidedVia } from "../ports/approvals.ts";
import type { ApprovalRecord, RunRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import { parseDocument } from "../workflows/document.ts";
import { isGraphBody, type ApprovalNode, type Edge, type WorkflowNode } from "../workflows/schema.ts";

type ApproverRef = Pick<ApprovalRecord, "approvers" | "stepId">;

/** True when an approval names people: then no key decides it, unless it is named as well. */
export function namesPeople({ approvers }: Pick<ApprovalRecord, "approvers">): boolean {
  return approvers.some((entry) => /^(?:person|role|group):/.test(entry));
}

/**
 * True when a program decides for the very person or program that had it run: the guard wants a person's decision, and a
 * program's word is none.
 */
export function isByOwnProgram(
  { startedBy, actsFor, actsVia }: RunRecord,
  via: DecidedVia | null,
  decider: string,
): boolean {
  const own = [startedBy, actsFor, actsVia];
  return via !== null && (own.includes(decider) || own.includes(via.id));
}

/** What a person or program has to do with the run, with whatever credential; null when nothing. */
export async function handOf({ store }: Services, run: RunRecord, id: string): Promise<string | null> {
  const { read } = store;
  const isSame = async (by: string | undefined): Promise<boolean> =>
    by !== undefined && (by === id || (await behind(read, by)) === id);
  if (await isSame(run.startedBy)) return "started this run";
  if (await isSame(run.actsFor)) return "retried this run";
  if (run.workflowId === null) return null;
  const { workflows } = read;
  const { workflowId, workflowVersion } = run;
  const hasEdited = async (versions: readonly [number, number]): Promise<boolean> => {
    for (const by of await workflows.editors(workflowId, versions)) if (await isSame(by)) return true;
    return false;
  };
  // The callers that were authenticated, never the declared owner.
  if (workflowVersion === null) {
    const workflow = await workflows.get(workflowId);
    if (await isSame(workflow?.createdBy)) return "made this workflow";
    // What ran may have been published since, or be the published version with further changes.
    const newest = workflow?.publishedVersion ?? 1;
    const changed = (await isSame(workflow?.updatedBy)) || (await hasEdited([newest, newest + 1]));
    return changed ? "changed this workflow" : null;
  }
  const version = await workflows.version(workflowId, workflowVersion);
  if (await isSame(version?.publishedBy)) return "published this workflow";
  return (await hasEdited([workflowVersion, workflowVersion]))
    ? "worked on this version of the workflow"
    : null;
}

/** As the step says; where it does not, four eyes hold where people are named and something destructive can happen. */
export async function needsFourEyes(
  services: Services,
  approval: ApproverRef,
  run: RunRecord,
): Promise<boolean> {
  const { nodes, node } = await stepsOf(services, approval, run);
  const wanted = node?.approval.fourEyes;
  if (wanted !== undefined || !namesPeople(approval)) return wanted ?? false;
  const heads = await services.connections.heads();
  const effects = new Map<string, string>([
    ...services.catalog.tools.map(({ name, effect }) => [name, effect] as const),
    ...heads.map((head) => [`${head.connection}:${head.name}`, head.effect] as const),
  ]);
  // What is not known may be destructive, as plans say.
  return nodes.some((item) => {
    const tool = toolOf(item);
    return (
      item.type === "subworkflow" || (tool !== null && (effects.get(tool) ?? "destructive") === "destructive")
    );
  });
}

/** True when the workflow has a way on from this step for changes that a person requests. */
export async function takesChanges(
  services: Services,
  approval: ApproverRef,
  run: RunRecord,
): Promise<boolean> {
  return (await stepsOf(services, approval, run)).ports.has("changes");
}

/** The steps of the run's document, the one that asks, and the ports of it that lead somewhere. */
async function stepsOf(
  services: Services,
  approval: ApproverRef,
  run: RunRecord,
): Promise<{
  readonly nodes: readonly WorkflowNode[];
  readonly node: ApprovalNode | null;
  readonly ports: ReadonlySet<string>;
}> {
  const stored = await services.store.read.runs.document(run.documentDigest);
  const { document } = parseDocument(stored ?? {});
  const found = new Map<string, { readonly node: WorkflowNode; readonly edges: readonly Edge[] }>();
  collect(document, "", found);
  const step = found.get(approval.stepId.replaceAll(/\[\d+\]/g, ""));
  const edges = step?.edges.filter(({ from }) => from === step.node.id) ?? [];
  return {
    nodes: [...found.values()].map(({ node }) => node),
    node: step?.node.type === "approval" ? step.node : null,
    ports: new Set(edges.map(({ port }) => port)),
  };
}

function collect(
  graph: { readonly nodes: readonly WorkflowNode[]; readonly edges: readonly Edge[] },
  prefix: string,
  found: Map<string, { readonly node: WorkflowNode; readonly edges: readonly Edge[] }>,
): void {
  for (const node of graph.nodes) {
    const path = `${prefix}${node.id}`;
    found.set(path, { node, edges: graph.edges });
    if (node.type === "map" && isGraphBody(node.map.body)) collect(node.map.body, `${path}.`, found);
  }
}
