import { stepHasEnded, type StepState } from "../../model/states.ts";
import { AppError } from "../../kernel/errors.ts";
import type { StepRecord } from "../../ports/records.ts";
import { failureIn, isEarlier } from "./earlier.ts";
import type { Prepared } from "./prepare.ts";
import { keepResult, newProgress, restoreSlot, scopeEntry, type Frame, type Slot } from "./slots.ts";

/** What restoring asks of the machine. */
export interface Restoring {
  readonly root: Frame;
  addItem(map: Slot, index: number): Slot;
  openBody(item: Slot): Frame;
  startFrame(frame: Frame): void;
  follow(slot: Slot): void;
  ready(slot: Slot): void;
  timer(slot: Slot): void;
  prepare(slot: Slot): Prepared;
  close(frame: Frame): void;
  nextItems(map: Slot): void;
  halt(frame: Frame): void;
  changed(slot: Slot): void;
}

type ByStep = ReadonlyMap<string, StepRecord>;

/** Puts checkpoints back. Their order does not matter. */
export function restoreRun(checkpoints: readonly StepRecord[], reopen: boolean, machine: Restoring): void {
  const byStep = new Map(checkpoints.map((record) => [record.stepId, record]));
  const itemsOf = new Map<string, number[]>();
  for (const { stepId } of checkpoints) {
    const match = /^(.+)\[(\d+)\]$/.exec(stepId);
    const [, map, index] = match ?? [];
    if (map === undefined) continue;
    const list = itemsOf.get(map);
    if (list === undefined) itemsOf.set(map, [Number(index)]);
    else list.push(Number(index));
  }
  const maps = restoreFrame(machine.root, byStep, reopen, machine);
  for (const map of maps) restoreMap(map, itemsOf.get(map.key) ?? [], byStep, reopen, machine);
}

/** Restores the steps of one graph and gives the maps in it that were under way. */
function restoreFrame(frame: Frame, byStep: ByStep, reopen: boolean, machine: Restoring): readonly Slot[] {
  const ended: Slot[] = [];
  const maps: Slot[] = [];
  for (const slot of frame.slots) {
    const record = byStep.get(slot.key);
    // What a step did before a repair is looked at when it begins.
    if (record === undefined || isEarlier(record)) continue;
    const container = slot.step.node.type === "map";
    restoreSlot(slot, record);
    slot.state = stateAfter(record, reopen, container, "pending");
    if (slot.state !== record.state) machine.changed(slot);
    if (slot.state === "pending") continue;
    if (stepHasEnded(slot.state)) {
      frame.steps[slot.step.node.id] = scopeEntry(slot);
      frame.open--;
      ended.push(slot);
      if (slot.state === "failed" && slot.port === null) frame.failure ??= failureOf(record);
      continue;
    }
    frame.active.add(slot);
    if (slot.state === "ready") machine.ready(slot);
    if (slot.wakeAt !== null) machine.timer(slot);
    if (container && slot.state === "running") maps.push(slot);
  }
  // Where a failure ended the graph, and behind what was cancelled, nothing follows.
  if (frame.failure === null) {
    for (const slot of ended) if (slot.state !== "cancelled") machine.follow(slot);
  }
  return maps;
}

/** The state a checkpoint gives. A reopened run forgets failures that nothing handled, and what was cancelled. */
function stateAfter(
  record: StepRecord,
  reopen: boolean,
  container: boolean,
  cancelled: "pending" | "ready",
): StepState {
  if (!reopen) return record.state;
  if (record.state === "failed" && record.port === null) return container ? "running" : "ready";
  if (record.state === "cancelled") return container ? "running" : cancelled;
  return record.state;
}

function failureOf({ error, stepId }: StepRecord): Frame["failure"] {
  return { ...failureIn(error), step: stepId };
}

function restoreMap(
  map: Slot,
  indexes: readonly number[],
  byStep: ByStep,
  reopen: boolean,
  machine: Restoring,
): void {
  const { node, body } = map.step;
  if (node.type !== "map") return;
  const prepared = machine.prepare(map);
  if (prepared.kind !== "spread")
    throw new AppError("internal", "A map's checkpoint does not match its document.");
  map.progress = newProgress(prepared.items);
  const { active } = map.progress;
  for (const index of indexes.toSorted((a, b) => a - b)) {
    const record = byStep.get(`${map.key}[${index}]`);
    if (record === undefined || isEarlier(record) || index >= prepared.items.length) continue;
    const item = machine.addItem(map, index);
    restoreSlot(item, record);
    const keep = node.map.onItemError === "continue" && record.state === "failed";
    item.state = keep ? record.state : stateAfter(record, reopen, body !== null, "ready");
    if (item.state !== record.state) machine.changed(item);
    if (stepHasEnded(item.state)) {
      keepResult(map, item);
      continue;
    }
    active.add(item);
    if (item.state === "ready") machine.ready(item);
    if (item.wakeAt !== null) machine.timer(item);
    if (body !== null) restoreBody(item, byStep, reopen, machine);
  }
  machine.nextItems(map);
}

function restoreBody(item: Slot, byStep: ByStep, reopen: boolean, machine: Restoring): void {
  const frame = machine.openBody(item);
  restoreFrame(frame, byStep, reopen, machine);
  if (frame.failure !== null) {
    machine.halt(frame);
    return;
  }
  machine.startFrame(frame);
  machine.close(frame);
}
