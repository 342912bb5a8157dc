import { statusOf } from "../../model/status.ts";
import type { StepState } from "../../model/states.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";
import type { StepRecord } from "../../ports/records.ts";
import type { Scope } from "../expressions.ts";
import { isGraphBody, type ApprovalNode } from "../schema.ts";
import { partAt } from "../values.ts";
import type { ApprovalTimer, StepError } from "./actions.ts";
import type { Graph, ProgramNode } from "./program.ts";

/** How far a map is. */
export interface MapProgress {
  readonly items: readonly Json[];
  readonly results: Json[];
  /** The next item to begin. */
  next: number;
  /** Items that have begun and not ended. */
  readonly active: Set<Slot>;
  failed: number;
  failure: StepError | null;
}

/** One graph being run: the document's, or a map's body for one item. */
export interface Frame {
  readonly graph: Graph;
  readonly slots: readonly Slot[];
  readonly byId: ReadonlyMap<string, Slot>;
  /** The item whose body this is; null for the document's graph. */
  readonly item: Slot | null;
  /** What values and conditions of this graph can see. */
  readonly scope: Scope;
  /** `scope.steps`, filled as steps end. */
  readonly steps: Record<string, Json>;
  /** Nodes that have not ended. */
  open: number;
  /** Nodes that have begun and not ended. */
  readonly active: Set<Slot>;
  /** The failure that nothing handles: no node of this graph begins any more. */
  failure: StepError | null;
}

/** A step while it runs: a node, or one item of a map. */
export interface Slot {
  readonly key: string;
  readonly step: ProgramNode;
  readonly frame: Frame;
  /** Set for an item: the map, and which item. */
  readonly map: Slot | null;
  readonly index: number;
  state: StepState;
  attempt: number;
  port: string | null;
  input: Json | null;
  output: Json | null;
  error: JsonObject | null;
  idempotencyKey: string | null;
  wakeAt: number | null;
  startedAt: string | null;
  finishedAt: string | null;
  /** Incoming edges that were taken, and that can no longer be. */
  live: number;
  dead: number;
  progress: MapProgress | null;
  body: Frame | null;
}

/** A step that has not begun. */
export function newSlot(
  frame: Frame,
  step: ProgramNode,
  key: string,
  map: Slot | null = null,
  index = -1,
): Slot {
  return {
    key,
    step,
    frame,
    map,
    index,
    state: "pending",
    attempt: 0,
    port: null,
    input: null,
    output: null,
    error: null,
    idempotencyKey: null,
    wakeAt: null,
    startedAt: null,
    finishedAt: null,
    live: 0,
    dead: 0,
    progress: null,
    body: null,
  };
}

/** A graph none of whose nodes has begun. Keys of a body's nodes say which item they belong to. */
export function newFrame(graph: Graph, item: Slot | null, outer: Scope): Frame {
  const slots: Slot[] = [];
  const byId = new Map<string, Slot>();
  const steps: Record<string, Json> = {};
  for (const [id, step] of Object.entries(outer.steps)) if (step !== undefined) steps[id] = step;
  const frame: Frame = {
    graph,
    slots,
    byId,
    item,
    scope: { ...outer, steps },
    steps,
    open: graph.nodes.length,
    active: new Set(),
    failure: null,
  };
  const prefix = item === null ? "" : `${item.key}.`;
  for (const step of graph.nodes) {
    const slot = newSlot(frame, step, prefix + step.node.id);
    slots.push(slot);
    byId.set(step.node.id, slot);
  }
  return frame;
}

/** The checkpoint of a step. */
export function recordOf(runId: string, slot: Slot): StepRecord {
  return {
    runId,
    stepId: slot.key,
    state: slot.state,
    attempt: slot.attempt,
    port: slot.port,
    input: slot.input,
    output: slot.output,
    error: slot.error,
    idempotencyKey: slot.idempotencyKey,
    wakeAt: slot.wakeAt === null ? null : new Date(slot.wakeAt).toISOString(),
    startedAt: slot.startedAt,
    finishedAt: slot.finishedAt,
  };
}

/** Puts a checkpoint back into its step. */
export function restoreSlot(slot: Slot, record: StepRecord): void {
  slot.state = record.state;
  slot.attempt = record.attempt;
  slot.port = record.port;
  slot.input = record.input;
  slot.output = record.output;
  slot.error = record.error;
  slot.idempotencyKey = record.idempotencyKey;
  slot.wakeAt = record.wakeAt === null ? null : Date.parse(record.wakeAt);
  slot.startedAt = record.startedAt;
  slot.finishedAt = record.finishedAt;
}

/** A map none of whose items has begun. */
export function newProgress(items: readonly Json[]): MapProgress {
  return {
    items,
    results: items.map(() => null),
    next: 0,
    active: new Set(),
    failed: 0,
    failure: null,
  };
}

/** Keeps what an ended item gives in its place of the map's results. */
export function keepResult(map: Slot, item: Slot): void {
  const { progress } = map;
  const { node } = map.step;
  if (progress === null || node.type !== "map") return;
  if (item.state === "succeeded") {
    const { body } = node.map;
    const pointer = isGraphBody(body) ? "" : (body.result ?? "");
    progress.results[item.index] = pointer === "" ? item.output : (partAt(item.output, pointer) ?? null);
    return;
  }
  progress.failed++;
  const error = item.error ?? { code: "cancelled", message: "The item was cancelled." };
  progress.results[item.index] = { error };
  if (node.map.onItemError !== "continue") {
    const message = `Item ${item.index} failed.`;
    progress.failure ??= { code: "item_failed", message, item: item.index, error };
  }
}

/** What other steps can see of an ended step. */
export function scopeEntry(slot: Slot): JsonObject {
  return {
    ...statusOf(slot),
    port: slot.port,
    ...(slot.state === "succeeded" && { outputs: slot.output }),
    ...(slot.error !== null && { error: slot.error }),
  };
}

/** The output of a step that succeeded. */
export function endedOutput(slot: Slot | undefined): Json | undefined {
  return slot?.state === "succeeded" ? (slot.output ?? undefined) : undefined;
}

/** While a step waits, its output names what it opened. */
export function isRef(output: Json | null): output is JsonObject {
  return output !== null && typeof output === "object" && !Array.isArray(output);
}

/** When each thing that happens to a waiting approval by itself happens, from its beginning. */
export function approvalTimes({
  approval: { reminderMs, dueInMs, escalateMs },
}: ApprovalNode): Readonly<Record<ApprovalTimer, number | undefined>> {
  return { reminder: reminderMs, overdue: dueInMs, escalation: escalateMs };
}

/** When an approval next wants something by itself: a reminder, an escalation, its end. */
export function approvalWake(slot: Slot, now: number): number | null {
  const { node } = slot.step;
  if (node.type !== "approval" || slot.startedAt === null) return null;
  const began = Date.parse(slot.startedAt);
  const { expiresInMs } = node.approval;
  const times = Object.values(approvalTimes(node))
    .filter((ms) => ms !== undefined)
    .map((ms) => began + ms)
    .filter((time) => time > now);
  if (expiresInMs !== undefined) times.push(began + expiresInMs);
  return times.length === 0 ? null : Math.min(...times);
}
