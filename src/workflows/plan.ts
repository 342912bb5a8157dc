import { digestOf } from "../kernel/canonical-json.ts";
import { isObject, type Json, type JsonObject } from "../kernel/json.ts";
import type { Plan as PlanView } from "../model/plans.ts";
import type { Effect } from "../ports/definitions.ts";
import type { ToolCatalogView, ToolView } from "./catalog-view.ts";
import { analyseCertainty } from "./certainty.ts";
import { externalCall, externalHandoff, type ExternalStep } from "./confirmable.ts";
import { documentDigest, type ParsedDocument } from "./document.ts";
import { buildGraph, levelsOf, topologicalOrder } from "./graph.ts";
import { DEFAULT_STEP_TIMEOUT_MS, isGraphBody, type Edge, type Policy, type WorkflowNode } from "./schema.ts";
import { addTimes, longestRetry, multiplyTime, type Time } from "./times.ts";
import type { Verdict } from "./validate.ts";
import { needsApproval } from "./validation/safety.ts";
import { walkValue } from "./values.ts";

/** One step as the plan shows it. */
type PlannedStep = Omit<PlanView["steps"][number], "body"> & { readonly body: readonly PlannedStep[] | null };

/** Plans a document: levels, effects, approvals, times and what is not known yet. Executes nothing. */
export function planDocument(parsed: ParsedDocument, view: ToolCatalogView, verdict: Verdict) {
  const { document } = parsed;
  const { policy } = document;
  const graph = planGraph(document.nodes, document.edges, view, policy, parsed, "", false);
  const steps = graph.steps;
  const all = steps.flatMap((step) => [step, ...(step.body ?? [])]);
  const effects = { none: 0, write: 0, destructive: 0, external: 0 };
  for (const step of all)
    if (step.tool !== null || step.type === "handoff" || step.type === "subworkflow")
      effects[step.effect] += step.calls;
  const width = Math.max(0, ...graph.levels.map((level) => level.length));
  const parallel = policy.maxParallelSteps ?? 8;
  const bounded = boundTime(graph.time, steps, width, parallel, policy.timeoutMs);
  const content = {
    documentDigest: documentDigest(document),
    executable: verdict.valid,
    errors: verdict.errors,
    levels: graph.levels,
    steps,
    effects,
    approvals: approvalsOf(document.nodes),
    unconfirmable: all.flatMap(({ id, confirmation }) => {
      if (confirmation === null || confirmation.confirmable) return [];
      const { sibling, reason, nextAction } = confirmation;
      return [{ stepId: id, sibling, reason, nextAction }];
    }),
    protectedSteps: all.filter((step) => step.scope !== null).map((step) => step.id),
    guardedSteps: all.filter((step) => needsApproval(step.effect, policy)).map((step) => step.id),
    requiredInputs: requiredInputs(document.inputs),
    unresolvedValues: all.reduce((sum, step) => sum + step.unresolved.length, 0),
    maxParallelSteps: parallel,
    worstCase: {
      ms: bounded,
      path: graph.path,
      unbounded: all.filter((step) => step.worstCaseMs === null).map((step) => step.id),
    },
  };
  return { ...content, planDigest: planDigest(content.documentDigest, verdict, all) };
}

/** A plan follows from the document, the tools it names as they are now, and the verdict: the digest is over these. */
function planDigest(document: string, { valid, errors }: Verdict, steps: readonly PlannedStep[]): string {
  const tools: Record<string, string | null> = {};
  for (const { tool, toolDigest } of steps) if (tool !== null) tools[tool] = toolDigest;
  return digestOf({ document, valid, errors, tools });
}

interface PlannedGraph {
  readonly steps: readonly PlannedStep[];
  readonly levels: readonly (readonly string[])[];
  readonly time: Time;
  readonly path: readonly string[];
}

function planGraph(
  nodes: readonly WorkflowNode[],
  edges: readonly Edge[],
  view: ToolCatalogView,
  policy: Policy,
  parsed: ParsedDocument,
  prefix: string,
  inConditional: boolean,
): PlannedGraph {
  const graph = buildGraph(nodes, edges);
  const order = topologicalOrder(graph);
  const certainty = order.length === nodes.length ? analyseCertainty(graph, order) : null;
  const level = levelsOf(graph, order);
  const levels: string[][] = [];
  const steps: PlannedStep[] = [];
  const ends: Time[] = [];
  const endOf = (index: number): Time => ends[index] ?? null;
  const before: (number | null)[] = [];
  let last: number | null = null;
  for (const index of order) {
    const node = nodes[index];
    if (node === undefined) continue;
    const sources = (graph.in[index] ?? []).map((edge) => graph.from[edge] ?? -1);
    const step = planStep(
      node,
      prefix,
      level[index] ?? 0,
      sources.map((source) => prefix + (nodes[source]?.id ?? "")),
      view,
      policy,
      parsed,
      inConditional || node.if !== undefined || certainty?.always(index) === false,
    );
    steps.push(step);
    const at = level[index] ?? 0;
    (levels[at] ??= []).push(step.id);
    const slowest = sources.reduce<number | null>(
      (a, b) => (a === null || later(endOf(b), endOf(a)) ? b : a),
      null,
    );
    before[index] = slowest;
    ends[index] = addTimes(slowest === null ? 0 : endOf(slowest), step.worstCaseMs);
    if (last === null || later(endOf(index), endOf(last))) last = index;
  }
  const path: string[] = [];
  for (
    let at = last;
    at !== null && at !== undefined && path.length < nodes.length;
    at = before[at] ?? null
  ) {
    path.unshift(prefix + (nodes[at]?.id ?? ""));
  }
  return { steps, levels, time: last === null ? 0 : endOf(last), path };
}

function later(a: Time, b: Time): boolean {
  if (b === null) return false;
  return a === null || a > b;
}

function planStep(
  node: WorkflowNode,
  prefix: string,
  level: number,
  after: readonly string[],
  view: ToolCatalogView,
  policy: Policy,
  parsed: ParsedDocument,
  conditional: boolean,
): PlannedStep {
  const works = node.type === "tool" || node.type === "handoff" || node.type === "map";
  const retry = node.retry ?? (works ? policy.retry : undefined);
  const id = prefix + node.id;
  const call = callOf(node, view);
  const body =
    node.type === "map" && isGraphBody(node.map.body)
      ? planGraph(node.map.body.nodes, node.map.body.edges, view, policy, parsed, `${id}[].`, conditional)
      : null;
  const once = node.timeoutMs ?? policy.stepTimeoutMs ?? DEFAULT_STEP_TIMEOUT_MS;
  const own = timeOf(
    node,
    once,
    body?.time ?? once,
    retry === undefined ? null : (time) => longestRetry(retry, time),
  );
  const times = node.type === "map" ? node.map.maxItems : 1;
  return {
    id,
    type: node.type,
    title: node.title ?? null,
    level,
    after: [...new Set(after)],
    tool: call?.name ?? null,
    toolDigest: call?.digest ?? null,
    effect: call?.effect ?? effectWithoutTool(node, view),
    ...(call?.connection && { connection: call.connection }),
    calls: times,
    scope: call?.scope ?? (node.type === "handoff" ? "handoff" : node.type === "subworkflow" ? "run" : null),
    conditional,
    confirmation: call?.external ?? externalWithoutTool(node, view),
    attempts: retry?.maxAttempts ?? 1,
    worstCaseMs: own,
    unresolved: unresolvedOf(node, parsed.places.get(node) ?? ""),
    body: body === null ? null : body.steps.map((step) => ({ ...step, calls: step.calls * times })),
  };
}

/** What is external about a handoff, or about the first step of a subworkflow that cannot be confirmed. */
function externalWithoutTool(node: WorkflowNode, view: ToolCatalogView): ExternalStep | null {
  if (node.type === "handoff") return externalHandoff(view, node.handoff);
  if (node.type !== "subworkflow") return null;
  const { workflowId, version } = node.subworkflow;
  for (const { stepId, node: inner } of view.subworkflow(workflowId, version)?.external ?? []) {
    const external = callOf(inner, view)?.external ?? externalWithoutTool(inner, view);
    if (external !== null && !external.confirmable)
      return { ...external, reason: `Of its step "${stepId}": ${external.reason}` };
  }
  return null;
}

function effectWithoutTool(node: WorkflowNode, view: ToolCatalogView): Effect {
  if (node.type === "handoff") return node.handoff.dryRun === true ? "none" : "external";
  if (node.type !== "subworkflow") return "none";
  // A workflow that cannot be read may do anything.
  return view.subworkflow(node.subworkflow.workflowId, node.subworkflow.version)?.effect ?? "destructive";
}

function callOf(
  node: WorkflowNode,
  view: ToolCatalogView,
):
  | (Pick<ToolView, "name" | "effect" | "scope" | "connection"> & {
      readonly digest: string | null;
      readonly external: ExternalStep | null;
    })
  | null {
  const callee =
    node.type === "tool" ? node : node.type === "map" && !isGraphBody(node.map.body) ? node.map.body : null;
  if (callee === null) return null;
  const tool = view.tool(callee.tool);
  return {
    name: callee.tool,
    // Nothing is known of an unknown tool, so the plan assumes the worst of it.
    effect: tool?.effect ?? "destructive",
    scope: tool?.scope ?? null,
    digest: tool?.digest ?? null,
    external: externalCall(view, tool, callee.with),
    ...(tool?.connection && { connection: tool.connection }),
  };
}

function timeOf(
  node: WorkflowNode,
  once: number,
  item: Time,
  retried: ((time: number) => number) | null,
): Time {
  switch (node.type) {
    case "tool":
    case "handoff":
      return retried === null ? once : retried(once);
    case "map": {
      const rounds = Math.ceil(node.map.maxItems / (node.map.concurrency ?? 1));
      return multiplyTime(
        retried === null || item === null || isGraphBody(node.map.body) ? item : retried(item),
        rounds,
      );
    }
    case "wait":
      return typeof node.wait.ms === "number" ? node.wait.ms : (node.wait.timeoutMs ?? null);
    case "approval":
      return node.approval.expiresInMs ?? null;
    case "subworkflow":
      return null;
    case "switch":
    case "transform":
      return 0;
  }
}

/** With fewer places than steps at once, work queues up: Graham's bound, work over places plus the longest path. */
function boundTime(
  longest: Time,
  steps: readonly PlannedStep[],
  width: number,
  parallel: number,
  timeout?: number,
): number | null {
  let time = longest;
  if (time !== null && width > parallel) {
    const work = steps.reduce((sum, step) => sum + (step.worstCaseMs ?? 0), 0);
    time = Math.ceil(work / parallel + time * (1 - 1 / parallel));
  }
  if (timeout === undefined) return time;
  return time === null ? timeout : Math.min(time, timeout);
}

function approvalsOf(nodes: readonly WorkflowNode[]): PlanView["approvals"] {
  return nodes.flatMap((node) => {
    if (node.type === "map" && isGraphBody(node.map.body)) return approvalsOf(node.map.body.nodes);
    if (node.type !== "approval") return [];
    const { title, approvers, required, stepUp, dueInMs, expiresInMs, form } = node.approval;
    return [
      {
        stepId: node.id,
        title: typeof title === "string" ? title : null,
        approvers: approvers ?? [],
        required: required ?? 1,
        stepUp: stepUp ?? false,
        dueInMs: dueInMs ?? null,
        expiresInMs: expiresInMs ?? null,
        hasForm: form !== undefined,
      },
    ];
  });
}

function requiredInputs(inputs: JsonObject): readonly string[] {
  const { required } = inputs;
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

function unresolvedOf(node: WorkflowNode, place: string): PlannedStep["unresolved"] {
  const found: { pointer: string; source: string }[] = [];
  const look = (value: Json | undefined, pointer: string): void =>
    walkValue(
      value,
      pointer,
      ({ tagged, pointer: at }) => {
        if (tagged.kind === "ref") found.push({ pointer: at, source: tagged.ref });
        if (tagged.kind === "expr") found.push({ pointer: at, source: tagged.expr });
      },
      () => undefined,
    );
  for (const [field, value] of Object.entries(node)) {
    if (field === "map" && isObject(value)) {
      if (node.type !== "map") continue;
      look(node.map.items, `${place}/map/items`);
      if (!isGraphBody(node.map.body)) look(node.map.body.with, `${place}/map/body/with`);
    } else if (VALUE_FIELDS.has(field)) {
      look(value, `${place}/${field}`);
    }
  }
  return found;
}

const VALUE_FIELDS = new Set(["with", "value", "idempotencyKey", "wait", "handoff", "approval"]);
