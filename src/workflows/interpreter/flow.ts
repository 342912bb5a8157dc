import { AppError } from "../../kernel/errors.ts";
import type { Json } from "../../kernel/json.ts";
import { isoTime } from "../../kernel/time.ts";
import { stepHasEnded, type StepState } from "../../model/states.ts";
import { resolveValue } from "../values.ts";
import type { Action, StepError } from "./actions.ts";
import { itemInputOf } from "./prepare.ts";
import { lastOutputs } from "./program.ts";
import {
  endedOutput,
  isRef,
  keepResult,
  newFrame,
  newProgress,
  newSlot,
  scopeEntry,
  type Frame,
  type Slot,
} from "./slots.ts";

/** Why nothing begins any more, whatever the graph says. */
export interface Stop {
  readonly state: "timed_out" | "cancelled" | "failed";
  readonly error: StepError;
}

/** How the end of a step reaches other steps: along edges, out of maps, and into what must be closed. */
export class Flow {
  readonly slots = new Map<string, Slot>();
  readonly changed = new Set<Slot>();
  readonly timers = new Set<Slot>();
  readonly ready: Slot[] = [];
  actions: Action[] = [];
  stop: Stop | null = null;
  now = 0;
  nowText = "";
  #following: Slot[] = [];

  /** The step may begin as soon as there is room. */
  makeReady(slot: Slot): void {
    slot.state = "ready";
    slot.frame.active.add(slot);
    this.ready.push(slot);
  }

  /** Begins a map over its items. */
  spread(slot: Slot, items: readonly Json[]): void {
    slot.state = "running";
    slot.progress = newProgress(items);
    this.changed.add(slot);
    this.nextItems(slot);
  }

  /** Begins as many items as the map allows, and ends the map after its last. */
  nextItems(map: Slot): void {
    const { progress } = map;
    const { node, body } = map.step;
    if (progress === null || node.type !== "map") return;
    const limit = node.map.concurrency ?? 1;
    while (progress.next < progress.items.length && progress.active.size < limit && !this.#mapHalted(map)) {
      const index = progress.next++;
      if (this.slots.has(`${map.key}[${index}]`)) continue;
      const item = this.addItem(map, index);
      progress.active.add(item);
      if (body === null) {
        item.state = "ready";
        this.ready.push(item);
      } else {
        this.startFrame(this.openBody(item));
      }
    }
    if (progress.active.size === 0 && !stepHasEnded(map.state)) this.#endMap(map);
  }

  /** A step for one item. */
  addItem(map: Slot, index: number): Slot {
    const item = newSlot(map.frame, map.step, `${map.key}[${index}]`, map, index);
    this.slots.set(item.key, item);
    return item;
  }

  /** Opens the graph that is run for one item. */
  openBody(item: Slot): Frame {
    const graph = item.step.body;
    if (graph === null) throw new Error("a map with a tool body has no graph");
    item.state = "running";
    item.attempt = 1;
    item.startedAt ??= this.nowText;
    item.input = itemInputOf(item);
    const frame = newFrame(graph, item, { ...item.frame.scope, item: item.input, index: item.index });
    item.body = frame;
    for (const slot of frame.slots) this.slots.set(slot.key, slot);
    this.changed.add(item);
    return frame;
  }

  /** Makes the steps that nothing leads to ready. */
  startFrame(frame: Frame): void {
    for (const slot of frame.slots) {
      if (slot.state === "pending" && slot.step.incoming === 0) this.makeReady(slot);
    }
  }

  #itemEnded(item: Slot): void {
    const map = item.map;
    if (map === null || map.progress === null || !map.progress.active.delete(item)) return;
    keepResult(map, item);
    if (stepHasEnded(map.state)) return;
    if (map.progress.failure !== null) this.#haltItems(map);
    if (!stepHasEnded(map.state)) this.nextItems(map);
  }

  #mapHalted(map: Slot): boolean {
    return map.progress?.failure !== null || this.#frameHalted(map.frame);
  }

  /** Maps do not nest, so this looks at most at two graphs. */
  #frameHalted(frame: Frame): boolean {
    if (this.stop !== null || frame.failure !== null) return true;
    const map = frame.item?.map ?? null;
    return map !== null && this.#mapHalted(map);
  }

  #endMap(map: Slot): void {
    const { progress } = map;
    if (progress === null) return;
    if (this.#frameHalted(map.frame)) {
      this.end(map, "cancelled", null);
    } else if (progress.failure === null) {
      const { results, failed } = progress;
      this.succeed(map, { results, count: results.length, failed }, "success");
    } else {
      this.fail(map, progress.failure);
    }
  }

  /** True when nothing may begin any more where this step stands. */
  halted(slot: Slot): boolean {
    return slot.map === null ? this.#frameHalted(slot.frame) : this.#mapHalted(slot.map);
  }

  /** Ends a step that did what it should. */
  succeed(slot: Slot, output: Json, port: string): void {
    slot.output = output;
    slot.error = null;
    this.end(slot, "succeeded", port);
  }

  /** Ends through `port` where an edge listens; otherwise it is a failure. */
  leaveBy(slot: Slot, port: string, output: Json, error: StepError): void {
    if (slot.step.out.some((edge) => edge.port === port)) {
      this.succeed(slot, output, port);
      return;
    }
    slot.output = output;
    this.fail(slot, error);
  }

  /** Ends a step that failed: through its error port, or by failing its graph. */
  fail(slot: Slot, error: StepError): void {
    slot.error = error;
    if (slot.map !== null) {
      this.end(slot, "failed", null);
      return;
    }
    if (slot.step.out.some((edge) => edge.port === "error")) {
      this.end(slot, "failed", "error");
      return;
    }
    if (!this.halted(slot)) slot.frame.failure = { ...error, step: slot.key };
    this.end(slot, "failed", null);
    this.halt(slot.frame);
  }

  /** Ends a step, whatever way, and lets the others know. */
  end(slot: Slot, state: StepState, port: string | null): void {
    slot.state = state;
    slot.port = port;
    slot.wakeAt = null;
    slot.finishedAt = this.nowText;
    this.timers.delete(slot);
    this.changed.add(slot);
    if (slot.map !== null) {
      this.#itemEnded(slot);
      return;
    }
    slot.frame.steps[slot.step.node.id] = scopeEntry(slot);
    slot.frame.open--;
    if (!this.halted(slot)) this.follow(slot);
    this.release(slot);
  }

  /** The step no longer keeps its graph from ending. */
  release(slot: Slot): void {
    if (slot.map !== null) this.#itemEnded(slot);
    else if (slot.frame.active.delete(slot)) this.closeIfDone(slot.frame);
  }

  /** Follows the edges of a step that ended. Steps that are skipped by it wait in a list, not on the stack. */
  follow(ended: Slot): void {
    this.#following.push(ended);
    if (this.#following.length > 1) return;
    for (let at = 0; at < this.#following.length; at++) {
      const slot = this.#following[at];
      if (slot === undefined) break;
      for (const { port, to } of slot.step.out) {
        const target = slot.frame.slots[to];
        if (target !== undefined) this.#arrive(target, port === slot.port);
      }
    }
    this.#following = [];
  }

  /** One incoming edge was taken, or can no longer be. */
  #arrive(slot: Slot, taken: boolean): void {
    if (taken) slot.live++;
    else slot.dead++;
    if (slot.state !== "pending") return;
    const all = slot.live + slot.dead === slot.step.incoming;
    if (slot.live > 0 && (all || slot.step.join === "any")) {
      this.makeReady(slot);
    } else if (all) {
      slot.frame.active.add(slot);
      this.end(slot, "skipped", null);
    }
  }

  /** Closes what waits in a graph where nothing may begin any more. */
  halt(frame: Frame): void {
    for (const slot of frame.active) {
      if (slot.progress === null) this.#haltSlot(slot);
      else this.#haltItems(slot);
    }
    this.closeIfDone(frame);
  }

  #haltItems(map: Slot): void {
    const { progress } = map;
    if (progress === null) return;
    for (const item of progress.active) {
      if (item.body === null) this.#haltSlot(item);
      else this.halt(item.body);
    }
    if (progress.active.size === 0 && !stepHasEnded(map.state)) this.#endMap(map);
  }

  #haltSlot(slot: Slot): void {
    const isDoubtful = slot.state === "backoff" && slot.error?.["effect"] === "unknown";
    if (slot.state === "outcome_unknown" || isDoubtful) {
      if (isDoubtful) this.changed.add(slot);
      slot.state = "outcome_unknown";
      slot.wakeAt = null;
      this.timers.delete(slot);
      this.release(slot);
    } else if (slot.state === "ready" || slot.state === "backoff" || slot.state === "waiting") {
      if (slot.state === "waiting" && isRef(slot.output)) {
        this.actions.push({ kind: "withdraw", stepId: slot.key, opened: slot.output });
      }
      this.end(slot, "cancelled", null);
    }
  }

  /** Ends the item of a map whose graph has ended. */
  closeIfDone(frame: Frame): void {
    const { item } = frame;
    if (item === null || stepHasEnded(item.state)) return;
    const halted = this.#frameHalted(frame);
    if (halted ? frame.active.size > 0 : frame.open > 0) return;
    if (frame.failure !== null) {
      item.error = frame.failure;
      this.end(item, "failed", null);
    } else if (halted) {
      this.end(item, "cancelled", null);
    } else {
      this.#closeBody(frame, item);
    }
  }

  #closeBody(frame: Frame, item: Slot): void {
    try {
      this.succeed(item, this.#bodyOutputs(frame), "success");
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      this.fail(item, { code: "value_error", message: error.message });
    }
  }

  #bodyOutputs(frame: Frame): Json {
    const { outputs } = frame.graph;
    if (outputs === undefined) return lastOutputs(frame.graph, (index) => endedOutput(frame.slots[index]));
    return resolveValue(outputs, frame.scope);
  }

  /** Sets the time that ends are recorded with. */
  setNow(now: number): void {
    if (now === this.now) return;
    this.now = now;
    this.nowText = isoTime(now);
  }
}
