import type { ParsedDocument } from "./document.ts";
import type { WorkflowProblem } from "./problems.ts";
import type { WorkflowDocument } from "./schema.ts";

/** The part of a document that a dry run up to a step needs. */
interface Cut {
  readonly document: WorkflowDocument;
  /** The problems that concern this part: what is not finished further on keeps nobody from trying the beginning. */
  readonly problems: readonly WorkflowProblem[];
}

/** Cuts a document after a step: what leads to it stays, and it gives no outputs. Null when there is no such step. */
export function cutAfter(
  { document, places }: ParsedDocument,
  problems: readonly WorkflowProblem[],
  stepId: string,
): Cut | null {
  if (!document.nodes.some(({ id }) => id === stepId)) return null;
  const kept = new Set([stepId]);
  const open = [stepId];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const { from, to } of document.edges) {
      if (to !== next || kept.has(from)) continue;
      kept.add(from);
      open.push(from);
    }
  }
  const nodes = document.nodes.filter(({ id }) => kept.has(id));
  const edges = document.edges.filter(({ from, to }) => kept.has(from) && kept.has(to));
  const here = new Set<object>([...nodes, ...edges]);
  const gone = [...document.nodes, ...document.edges]
    .filter((item) => !here.has(item))
    .flatMap((item) => places.get(item) ?? []);
  // A path that ends at the cut is not a path that was forgotten.
  const isHere = ({ code, pointer }: WorkflowProblem) =>
    code !== "switch_no_default" &&
    !["/outputs", ...gone].some((place) => pointer === place || pointer.startsWith(`${place}/`));
  return {
    document: { ...document, nodes, edges, outputs: {} },
    problems: problems.filter(isHere),
  };
}
