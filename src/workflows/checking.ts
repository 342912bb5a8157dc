import type { JsonObject } from "../kernel/json.ts";
import type { Plan } from "../model/plans.ts";
import type { CallContext } from "../ports/definitions.ts";
import { viewOfTool, type ToolCatalogView, type ToolView } from "./catalog-view.ts";
import { parseDocument, type ParsedDocument } from "./document.ts";
import { planDocument } from "./plan.ts";
import type { WorkflowProblem } from "./problems.ts";
import { validateDocument } from "./validate.ts";
import { lookUp, needsOf, viewOfLookup, type LookupResult, type Needs } from "./views.ts";

/*
 * Checking a document that a caller sent. A small one is checked at once; a large one takes a worker thread, because
 * the cost of its graph, references and expressions is the caller's choice.
 */

/** The verdict on a document with its first problems, and its plan. */
export interface Checked {
  readonly valid: boolean;
  readonly errors: number;
  readonly warnings: number;
  readonly problems: readonly WorkflowProblem[];
  readonly omitted: number;
  readonly plan: Plan;
}

declare module "../ports/platform.ts" {
  interface WorkerTasks {
    workflow_needs: { readonly input: { readonly document: JsonObject }; readonly output: Needs };
    check_workflow: {
      readonly input: {
        readonly document: JsonObject;
        readonly workflowId: string | null;
        readonly found: LookupResult;
      };
      readonly output: Checked;
    };
  }
}

/** More problems than a reader fixes at once; an answer must not grow without bound. */
const MAX_PROBLEMS = 1_000;
/** Characters of a document that is checked at once. */
const SMALL = 16_384;

/** True when a value is large enough for a thread of its own. */
export function isLarge(value: JsonObject): boolean {
  return JSON.stringify(value).length > SMALL;
}

/** Checks and plans a document. Pure: a worker thread runs it, too. */
export function checkDocument(
  document: JsonObject,
  own: readonly ToolView[],
  found: LookupResult,
  workflowId: string | null,
): Checked {
  return checkParsed(parseDocument(document), viewOfLookup(own, found), workflowId);
}

function checkParsed(parsed: ParsedDocument, view: ToolCatalogView, workflowId: string | null): Checked {
  const verdict = validateDocument(parsed, view, workflowId);
  const { valid, errors, warnings, problems } = verdict;
  return {
    valid,
    errors,
    warnings,
    problems: problems.slice(0, MAX_PROBLEMS),
    omitted: Math.max(0, problems.length - MAX_PROBLEMS),
    plan: planDocument(parsed, view, verdict),
  };
}

/** Checks and plans a document for a caller. */
export async function checkFor(
  document: JsonObject,
  workflowId: string | null,
  context: CallContext,
): Promise<Checked> {
  const { workers, catalog } = context.services;
  if (!isLarge(document)) {
    const parsed = parseDocument(document);
    const found = await lookUp(needsOf(parsed.document), context);
    return checkParsed(parsed, viewOfLookup(catalog.tools.map(viewOfTool), found), workflowId);
  }
  const needs = await workers.run("workflow_needs", { document }, context.signal);
  const found = await lookUp(needs, context);
  return workers.run("check_workflow", { document, workflowId, found }, context.signal);
}
