import { KEPT_AS_TEXT } from "../kernel/exact-integers.ts";
import { isJsonObject, isList, type Json, type JsonObject } from "../kernel/json.ts";
import type { RunConfirmation, SettlementView } from "../model/runs.ts";
import type { AttemptRecord, RunRecord, StepRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import { parseDocument } from "../workflows/document.ts";
import { isGraphBody, type WorkflowNode } from "../workflows/schema.ts";

/*
 * Whether what a run did outside of this service was confirmed. Only an external step can be unconfirmed: a handoff,
 * a tool that asks a sibling or changes something at another server, or a run that has such steps itself.
 */

const CACHE_SIZE = 500;
const MAX_DEPTH = 8;
const MAX_RUNS_OF_TRACE = 500;
/** Unconfirmed steps that are named; a map can have thousands. */
const MAX_UNCONFIRMED = 100;

type Kind = "handoff" | "call" | "run";

/** A node that acts outside, and the tool that it calls. */
interface ExternalNode {
  readonly kind: Kind;
  readonly tool: string;
}

/** Looks at what a run's external steps gave. A run that has not ended has confirmed nothing. */
export async function confirmationOf(
  services: Services,
  run: RunRecord,
  steps?: readonly StepRecord[],
  depth = 0,
): Promise<RunConfirmation> {
  if (run.finishedAt === null) return { resultConfirmed: false, unconfirmedSteps: [] };
  const external = await externalNodes(services, run.documentDigest);
  const succeeded = run.state === "succeeded" && run.kind === "run";
  if (external.size === 0) return { resultConfirmed: succeeded, unconfirmedSteps: [] };
  const records = steps ?? (await services.store.read.runs.steps(run.id));
  const attempts = await services.store.read.runs.attempts(run.id);
  const unconfirmed: RunConfirmation["unconfirmedSteps"] = [];
  for (const step of records) {
    if (unconfirmed.length === MAX_UNCONFIRMED) break;
    const node = external.get(nodePath(step.stepId));
    if (node === undefined || step.state === "skipped" || step.state === "pending") continue;
    if (isRead(node.tool, services)) continue;
    const reason =
      run.kind === "dry_run"
        ? "A dry run sends nothing, so nothing is confirmed."
        : settledOf(step, attempts) !== null
          ? SETTLED
          : await doubt(services, run, step, node, depth);
    const isPreview = dataOf(step.output)["status"] === "preview_ready";
    // Only an answer shows that something arrived; a step that failed may have failed before anything left.
    const sent = run.kind === "run" && !isPreview && step.state === "succeeded";
    if (reason !== null) unconfirmed.push({ stepId: step.stepId, reason, sent });
  }
  return { resultConfirmed: succeeded && unconfirmed.length === 0, unconfirmedSteps: unconfirmed };
}

/** Why a step's effect is not confirmed; null when it is. The words are ours: anybody who sees the run may read them. */
async function doubt(
  services: Services,
  run: RunRecord,
  step: StepRecord,
  { kind, tool }: ExternalNode,
  depth: number,
): Promise<string | null> {
  // A call of another server that failed or was stopped has had no effect: there is nothing to confirm.
  if (isConnected(tool) && (step.state === "failed" || step.state === "cancelled")) return null;
  if (step.state === "failed") {
    const code = step.error?.["code"];
    // A code is read by people too, on the page of the run.
    const why = typeof code === "string" ? ` (${code.replaceAll("_", " ")})` : "";
    return `The step failed${why}, so nothing is confirmed.`;
  }
  if (step.state === "outcome_unknown") return "Whether its effect happened is not known.";
  if (step.state !== "succeeded")
    return `The step ended as ${step.state.replaceAll("_", " ")}, so nothing is confirmed.`;
  if (kind === "run") return childDoubt(services, run, step, depth);
  const data = dataOf(step.output);
  if (hasReference(data)) return null;
  const { status, delegationId } = data;
  if (status === "preview_ready") return "Only a preview packet was prepared; nothing was sent.";
  if (typeof delegationId === "string") {
    const handoff = await services.store.read.handoffs.get(delegationId, "out");
    // The sibling may have confirmed it after the step had ended.
    if (handoff?.state === "completed" && handoff.resultRef !== null) return null;
    if (status === "accepted") return "The sibling accepted the packet and has not confirmed a result.";
  }
  if (!isConnected(tool)) return "The answer carries no confirmed reference.";
  // A success of another server is its confirmation, when the answer could be read and is what its description names.
  const { problems = [] } = data;
  const isDeviation = (problem: Json): boolean => !isJsonObject(problem) || problem["code"] !== KEPT_AS_TEXT;
  return !isList(problems) || !problems.some(isDeviation)
    ? null
    : "The answer is not the one that the description names, so it confirms nothing.";
}

/** A call of another server: a complete answer that fits its description confirms it. The suite's gateway gives references. */
function isConnected(tool: string): boolean {
  return tool.includes(":") && !tool.startsWith("mcp:");
}

/** Who reported what became of a step whose outcome was unknown, and why; null for a step that ended by itself. */
export function settledOf(step: StepRecord, attempts: readonly AttemptRecord[]): SettlementView | null {
  if (step.state === "outcome_unknown") return null;
  const last = attempts.find(({ stepId, attempt }) => stepId === step.stepId && attempt === step.attempt);
  const settled = last?.error?.["settled"];
  if (!isJsonObject(settled)) return null;
  const textOf = (name: string): string | null => {
    const value = settled[name];
    return typeof value === "string" ? value : null;
  };
  return {
    outcome: textOf("outcome") ?? step.state,
    by: textOf("by") ?? "",
    reason: textOf("reason"),
    at: textOf("at") ?? "",
  };
}

const SETTLED = "A person settled it; the other service has not confirmed it.";

async function childDoubt(
  services: Services,
  run: RunRecord,
  step: StepRecord,
  depth: number,
): Promise<string | null> {
  if (depth >= MAX_DEPTH) return "Its run is nested too deeply to be checked.";
  const family = await services.store.read.runs.ofTrace(run.traceId, MAX_RUNS_OF_TRACE);
  const children = family.filter(
    ({ parentRunId, parentStepId }) => parentRunId === run.id && parentStepId === step.stepId,
  );
  const child = children.find(({ state }) => state === "succeeded");
  if (child === undefined) return "The run that it started has not been confirmed.";
  const { resultConfirmed, unconfirmedSteps } = await confirmationOf(services, child, undefined, depth + 1);
  if (resultConfirmed) return null;
  const { length } = unconfirmedSteps;
  return `The run that it started has ${length === 1 ? "1 unconfirmed step" : `${length} unconfirmed steps`}.`;
}

function dataOf(output: Json | null): JsonObject {
  return isJsonObject(output) && isJsonObject(output["data"]) ? output["data"] : {};
}

/** A reference counts unless the answer itself says that no confirmation came. */
function hasReference({ resultRef, confirmation, status }: JsonObject): boolean {
  if (typeof resultRef !== "string" || resultRef === "" || status === "degraded") return false;
  return !isJsonObject(confirmation) || confirmation["received"] !== false;
}

const known = new WeakMap<Services["catalog"], Map<string, ReadonlyMap<string, ExternalNode>>>();

/** The external nodes of a document by their path: `node`, or `map.node` inside the body of a map. */
async function externalNodes(services: Services, digest: string): Promise<ReadonlyMap<string, ExternalNode>> {
  const cache = known.get(services.catalog) ?? new Map<string, ReadonlyMap<string, ExternalNode>>();
  known.set(services.catalog, cache);
  const cached = cache.get(digest);
  if (cached !== undefined) return cached;
  const stored = await services.store.read.runs.document(digest);
  const found = new Map<string, ExternalNode>();
  collect(parseDocument(stored ?? {}).document.nodes, "", services, found);
  if (cache.size >= CACHE_SIZE) cache.clear();
  if (stored !== null) cache.set(digest, found);
  return found;
}

function collect(
  nodes: readonly WorkflowNode[],
  prefix: string,
  services: Services,
  found: Map<string, ExternalNode>,
): void {
  for (const node of nodes) {
    const path = prefix + node.id;
    if (node.type === "handoff") found.set(path, { kind: "handoff", tool: "" });
    else if (node.type === "subworkflow") found.set(path, { kind: "run", tool: "" });
    else if (node.type === "tool" && isExternal(node.tool, services))
      found.set(path, { kind: "call", tool: node.tool });
    else if (node.type === "map" && isGraphBody(node.map.body)) {
      collect(node.map.body.nodes, `${path}.`, services, found);
    } else if (
      node.type === "map" &&
      !isGraphBody(node.map.body) &&
      isExternal(node.map.body.tool, services)
    ) {
      found.set(`${path}.`, { kind: "call", tool: node.map.body.tool });
    }
  }
}

/** A tool that acts through another service: one of ours that asks a sibling, or one of another server. */
function isExternal(name: string, { catalog }: Services): boolean {
  const tool = catalog.tool(name);
  if (tool === undefined) return name.includes(":");
  return (tool.asks !== undefined && tool.effect === "external") || tool.name === "execute_mcp_tool";
}

/**
 * Reading through a connection changes nothing that could be confirmed. Asked again each time: a person can correct the
 * effect of a definition. The suite's own gateway confirms by reference whatever it does.
 */
function isRead(tool: string, { connections }: Services): boolean {
  return isConnected(tool) && connections.head(tool)?.effect === "read";
}

/** `m[3].a` is node `m.a`; `m[3]`, one call of a map whose body is a tool, is `m.`. */
function nodePath(stepId: string): string {
  const path = stepId.replaceAll(/\[\d+\]/g, "");
  return stepId.endsWith("]") ? `${path}.` : path;
}
