import { digestOf } from "../kernel/canonical-json.ts";
import { AppError } from "../kernel/errors.ts";
import type { Json } from "../kernel/json.ts";
import type { RunRepair, RepairReport, RepairStep } from "../model/repairs.ts";
import { stepHasEnded } from "../model/states.ts";
import type { RepairRequest } from "../ports/engine.ts";
import type { RunRecord, StepRecord } from "../ports/records.ts";
import { asEarlier, isSame } from "../workflows/interpreter/earlier.ts";
import { RunMachine } from "../workflows/interpreter/machine.ts";
import type { Program } from "../workflows/interpreter/program.ts";
import { isGraphBody, type Edge, type WorkflowNode } from "../workflows/schema.ts";
import { traitsOf, type CallServices } from "./call-traits.ts";
import { machineFacts } from "./worker.ts";

/*
 * What a repair would do. The run begins again from its first step over the checkpoints it has: those whose step and
 * input are the same stay, and what they did is not done again.
 */

/** Time that costly expressions of a whole run may take here. */
const EXPRESSIONS_MS = 1_000;

/** What a repair writes, and the report of it that comes first. */
export interface RepairPlan {
  /** Checkpoints that change. */
  readonly steps: readonly StepRecord[];
  readonly report: RepairReport;
}

interface Given {
  readonly before: RunRecord;
  readonly after: RunRecord;
  readonly programs: { readonly before: Program; readonly after: Program };
  readonly steps: readonly StepRecord[];
  readonly repair: RunRepair;
}

/** Looks what would become of every step, without doing anything. */
export function planRepair(services: CallServices, given: Given, now: number): RepairPlan {
  const { after, programs, steps } = given;
  const nodes = nodesById(programs.after);
  const changed = changedNodes(given);
  const asked = approvalsToAsk(given, changed);
  const rows = new Map<string, StepRecord>();
  for (const step of steps) rows.set(step.stepId, beginsAgain(step, given, asked));
  const machine = new RunMachine(
    programs.after,
    { ...machineFacts(after, now), expressions: { leftMs: EXPRESSIONS_MS } },
    [...rows.values()].filter(({ stepId }) => nodes.has(topOf(stepId))),
  );
  machine.advance(now);
  for (const record of machine.takeChanges()) {
    const container = machine.step(topOf(record.stepId));
    // The items of a map that goes on are looked at when they begin.
    if (stepHasEnded(record.state) && container !== undefined && stepHasEnded(container.state))
      rows.set(record.stepId, record);
  }
  const known = new Map(steps.map((step) => [step.stepId, step]));
  const changes = [...rows.values()].filter((row) => !isSameStep(row, known.get(row.stepId)));
  const planned = [...rows.values()].map((row) =>
    tellOf(services, row, known.get(row.stepId) ?? null, given, machine),
  );
  for (const [id, node] of nodes)
    if (!rows.has(id)) planned.push({ ...aboutNew(services, node), stepId: id });
  return { steps: changes, report: reportOf(given, planned) };
}

/** The checkpoint with which a step begins again. */
function beginsAgain(step: StepRecord, given: Given, asked: ReadonlySet<string>): StepRecord {
  const { programs, repair } = given;
  const { stepId, state } = step;
  const before = nodeOf(programs.before, stepId);
  const after = nodeOf(programs.after, stepId);
  if (after === null) {
    const error = { code: "removed", message: "The version that the run continues with has no such step." };
    return { ...step, state: "skipped", port: null, output: null, error, wakeAt: null };
  }
  const isItem = stepId.endsWith("]");
  const isContinued = isItem && after.type === "map" && after.map.onItemError === "continue";
  const ended =
    state === "succeeded" || state === "pending"
      ? step.port !== null
      : state === "failed" && (step.port !== null || isContinued);
  const isRerun = repair.action === "rerun" && repair.stepId === stepId;
  const isAsked = after.type === "approval" && asked.has(topOf(stepId));
  const isKept =
    ended && !isRerun && !isAsked && before !== null && isSame(calleeOf(before), calleeOf(after));
  const again = asEarlier(step, isKept);
  // Done again on purpose, it is another request, unless the author says which requests are the same.
  const isKeyed = "idempotencyKey" in after && after.idempotencyKey !== undefined;
  return isRerun && state === "succeeded" && !isKeyed && step.idempotencyKey !== null
    ? { ...again, idempotencyKey: `${step.runId}:${stepId}:${step.attempt + 1}` }
    : again;
}

/** What a step does, whatever it does it with. */
function calleeOf(node: WorkflowNode): Json {
  switch (node.type) {
    case "tool":
      return ["tool", node.tool];
    case "handoff":
      return ["handoff", node.handoff.target, node.handoff.capability, node.handoff.dryRun ?? false];
    case "subworkflow":
      return ["subworkflow", node.subworkflow.workflowId, node.subworkflow.version ?? null];
    case "map":
      return ["map", isGraphBody(node.map.body) ? "steps" : node.map.body.tool];
    case "approval":
      return ["approval", { ...node.approval }];
    case "wait":
    case "switch":
    case "transform":
      return [node.type];
  }
}

/** The nodes that are not what they were, or that the repair is about. */
function changedNodes({ before, after, programs, repair }: Given): ReadonlySet<string> {
  const changed = new Set<string>();
  if (repair.stepId !== null) changed.add(topOf(repair.stepId));
  if (programs.before === programs.after) return changed;
  const [old, fresh] = [meaningOf(programs.before), meaningOf(programs.after)];
  for (const id of new Set([...old.keys(), ...fresh.keys()]))
    if (old.get(id) !== fresh.get(id)) changed.add(id);
  const pins = after.resolved?.definitions ?? {};
  for (const [id, node] of nodesById(programs.after)) {
    const text = JSON.stringify(node);
    for (const [tool, pin] of Object.entries(pins)) {
      const isUsed = text.includes(JSON.stringify(tool));
      if (isUsed && pin !== (before.resolved?.definitions[tool] ?? null)) changed.add(id);
    }
  }
  return changed;
}

/** What each node means: all but its names, with the edges at it. */
function meaningOf({ document }: Program): ReadonlyMap<string, string> {
  const edges = (of: (edge: Edge) => boolean): Json =>
    document.edges
      .filter(of)
      .map(({ from, to, port }) => `${from} ${port} ${to}`)
      .toSorted();
  return new Map(
    document.nodes.map((node) => {
      const { title: _title, description: _description, ...rest } = node;
      const around = edges(({ from, to }) => from === node.id || to === node.id);
      return [node.id, digestOf([rest, around])];
    }),
  );
}

/**
 * Approvals whose decision covered something else than what would happen now: a step behind them is another, or gets
 * values of a step that is. They are asked again; no changed value passes under an old decision.
 */
function approvalsToAsk({ programs }: Given, changed: ReadonlySet<string>): ReadonlySet<string> {
  const edges = [...programs.before.document.edges, ...programs.after.document.edges];
  const next = Map.groupBy(edges, ({ from }) => from);
  const reach = (from: string): ReadonlySet<string> => {
    const seen = new Set<string>();
    const open = [from];
    for (let id = open.pop(); id !== undefined; id = open.pop())
      for (const { to } of next.get(id) ?? []) {
        if (seen.has(to)) continue;
        seen.add(to);
        open.push(to);
      }
    return seen;
  };
  const touched = new Set(changed);
  for (const id of changed) for (const to of reach(id)) touched.add(to);
  const asked = new Set<string>();
  for (const [id] of nodesById(programs.after)) {
    // The approvals inside of a map stand before the other steps of its body.
    if (touched.has(id) || [...reach(id)].some((to) => touched.has(to))) asked.add(id);
  }
  return asked;
}

function tellOf(
  services: CallServices,
  row: StepRecord,
  old: StepRecord | null,
  { programs }: Given,
  machine: RunMachine,
): RepairStep {
  const { stepId } = row;
  const node = nodeOf(programs.after, stepId);
  const before = old === null || old.state === "pending" ? null : old.state;
  const part = { stepId, before, isEffect: node !== null && isEffect(services, node, stepId) };
  if (node === null) return { ...part, isEffect: false, outcome: "removed", isRepeated: false };
  if (stepHasEnded(row.state)) {
    const isKept = old !== null && isSameStep(row, old);
    return { ...part, outcome: isKept ? "kept" : "computed", isRepeated: false };
  }
  if (node.type === "approval") return { ...part, outcome: "asked", isRepeated: false };
  // What is behind a step that runs first may turn out to get the same again.
  const begins = machine.step(stepId)?.state;
  const isSure = begins === "running" || begins === "waiting" || row.port === null;
  const isRepeated = part.isEffect && old?.state === "succeeded";
  return { ...part, outcome: isSure ? "runs" : "may_run", isRepeated };
}

function aboutNew(services: CallServices, node: WorkflowNode): Omit<RepairStep, "stepId"> {
  const outcome = node.type === "approval" ? "asked" : "runs";
  return { before: null, outcome, isEffect: isEffect(services, node, node.id), isRepeated: false };
}

/** Whether a step can change something. Containers do nothing themselves. */
function isEffect(services: CallServices, node: WorkflowNode, stepId: string): boolean {
  if (node.type === "handoff") return node.handoff.dryRun !== true;
  if (node.type === "subworkflow") return true;
  if (node.type === "tool") return traitsOf(services, { tool: node.tool, keyed: false }).changes;
  if (node.type !== "map" || isGraphBody(node.map.body) || !stepId.endsWith("]")) return false;
  return traitsOf(services, { tool: node.map.body.tool, keyed: false }).changes;
}

function reportOf({ before, after, repair }: Given, planned: readonly RepairStep[]): RepairReport {
  const steps = planned.toSorted((a, b) => (a.stepId < b.stepId ? -1 : 1));
  const content = {
    runId: before.id,
    action: repair.action,
    stepId: repair.stepId,
    fromVersion: before.workflowVersion,
    toVersion: after.workflowVersion,
    toDigest: after.documentDigest,
    steps,
  };
  // The epoch grows when the run goes on: a report is for the run as it stands.
  return {
    ...content,
    digest: digestOf({ ...content, epoch: before.epoch, repairs: before.repairs.length }),
  };
}

/** The id of the node of the document's own graph that a step belongs to. */
function topOf(stepId: string): string {
  return stepId.split("[", 1)[0] ?? stepId;
}

/** The node of a step: of the document's graph, or of the body of a map; of an item the map. */
function nodeOf({ document }: Program, stepId: string): WorkflowNode | null {
  const top = document.nodes.find(({ id }) => id === topOf(stepId)) ?? null;
  const [, inner] = stepId.split("].", 2);
  if (top === null || inner === undefined) return top;
  if (top.type !== "map" || !isGraphBody(top.map.body)) return null;
  return top.map.body.nodes.find(({ id }) => id === inner) ?? null;
}

function nodesById({ document }: Program): ReadonlyMap<string, WorkflowNode> {
  return new Map(document.nodes.map((node) => [node.id, node]));
}

function isSameStep(a: StepRecord, b: StepRecord | undefined): boolean {
  return b !== undefined && isSame({ ...a }, { ...b });
}

/** Refuses a repair of a step that cannot have it. */
export function checkRepair(program: Program, steps: readonly StepRecord[], request: RepairRequest): void {
  const { action, stepId = null } = request;
  const unknown = steps.find(({ state }) => state === "outcome_unknown");
  if (unknown !== undefined)
    throw new AppError("conflict", `The outcome of the step ${unknown.stepId} is unknown.`, {
      nextAction: "Retry the run, then settle that step: POST /api/svc/runs/{id}/settle.",
    });
  if (stepId === null) return;
  const node = nodeOf(program, stepId);
  if (node === null) throw new AppError("not_found", `The run has no step ${stepId}.`);
  const { type } = node;
  if (
    action === "change_input" &&
    type !== "tool" &&
    type !== "handoff" &&
    type !== "subworkflow" &&
    !stepId.endsWith("]")
  )
    throw wrongKind(stepId, type, "has no input that can be changed", "Supply its output instead.");
  if ((action === "skip" || action === "supply_output") && (type === "approval" || type === "switch"))
    throw wrongKind(
      stepId,
      type,
      action === "skip" ? "cannot be skipped" : "cannot be given an output",
      "Only people decide an approval; repair a step before or after it.",
    );
}

function wrongKind(stepId: string, type: string, what: string, nextAction: string): AppError {
  return new AppError("conflict", `The step ${stepId} (${type}) ${what}.`, { nextAction });
}
