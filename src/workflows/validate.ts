import type { ToolCatalogView } from "./catalog-view.ts";
import type { ParsedDocument } from "./document.ts";
import { isSound, problem, type WorkflowProblem } from "./problems.ts";
import { isGraphBody, type MapNode } from "./schema.ts";
import { openContext, type GraphContext, type Shared } from "./validation/context.ts";
import { schemaFaults } from "./validation/json-schemas.ts";
import { approvedBefore, checkSafety } from "./validation/safety.ts";
import { bodyContext } from "./validation/outputs.ts";
import { checkStepContent } from "./validation/steps.ts";
import { checkStructure } from "./validation/structure.ts";
import { checkTexts } from "./validation/texts.ts";
import { checkValue } from "./validation/values.ts";

/** The verdict on a document: every problem, and whether it may be published and run. */
export interface Verdict {
  readonly valid: boolean;
  readonly problems: readonly WorkflowProblem[];
  readonly errors: number;
  readonly warnings: number;
}

/** Finds everything that is wrong with a document, those of its form included. Executes nothing. */
export function validateDocument(
  parsed: ParsedDocument,
  view: ToolCatalogView,
  workflowId: string | null = null,
): Verdict {
  const { document, places, broken } = parsed;
  const shared: Shared = {
    document,
    view,
    workflowId,
    places,
    broken,
    problems: [...parsed.problems],
    hintsLeft: 20,
  };
  if (document.nodes.length === 0)
    shared.problems.push(problem("no_nodes", "/nodes", "There is no step to run."));
  shared.problems.push(...schemaFaults(document.inputs, "/inputs"));
  const context = openContext(shared, "", document.nodes, document.edges);
  checkGraph(context, false);
  checkValue(context, document.outputs, "/outputs", "end");
  checkTexts(shared);
  const errors = shared.problems.filter((item) => item.severity === "error").length;
  return {
    valid: isSound(shared.problems),
    problems: shared.problems,
    errors,
    warnings: shared.problems.length - errors,
  };
}

function checkGraph(context: GraphContext, inheritedApproval: boolean): void {
  checkStructure(context);
  const guarded = approvedBefore(context, inheritedApproval);
  checkSafety(context, guarded);
  context.graph.nodes.forEach((node, index) => {
    if (context.shared.broken.has(node)) return;
    checkStepContent(context, index, node);
    if (node.type === "map") checkBody(context, node, index, guarded[index] === 1);
  });
}

function checkBody(context: GraphContext, node: MapNode, index: number, approved: boolean): void {
  const { body } = node.map;
  if (!isGraphBody(body)) return;
  const inner = bodyContext(context, node, index);
  if (inner === null) return;
  const { pointer } = inner;
  if (body.nodes.length === 0)
    context.shared.problems.push(problem("no_nodes", `${pointer}/nodes`, "The body has no step."));
  checkGraph(inner, approved);
  checkValue(inner, body.outputs, `${pointer}/outputs`, "end");
}
