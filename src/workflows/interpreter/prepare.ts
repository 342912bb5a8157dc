import { AppError } from "../../kernel/errors.ts";
import { isList, type Json, type JsonObject, textOrJson } from "../../kernel/json.ts";
import { evaluateCondition, type Scope } from "../expressions.ts";
import type { ApprovalNode, HandoffNode, MapNode, SwitchNode, WaitNode } from "../schema.ts";
import { resolveObject, resolveValue } from "../values.ts";
import { awaitedBy } from "../awaited.ts";
import type { ApprovalAction, CallAction, ChildAction, HandoffAction, ListenAction } from "./actions.ts";
import { isSame } from "./earlier.ts";
import { itemCall } from "./program.ts";
import type { Slot } from "./slots.ts";

/** What a step is about to do, with all its values resolved. */
export type Prepared =
  | { readonly kind: "work"; readonly action: CallAction | HandoffAction; readonly input: Json }
  | { readonly kind: "ask"; readonly action: ApprovalAction; readonly input: Json }
  | { readonly kind: "child"; readonly action: ChildAction }
  | { readonly kind: "sleep"; readonly until: number; readonly input: Json }
  | {
      readonly kind: "listen";
      readonly action: ListenAction;
      readonly until: number | null;
      readonly input: Json;
    }
  | { readonly kind: "made"; readonly output: Json; readonly port: string }
  | { readonly kind: "spread"; readonly items: readonly Json[] };

/** True for a step that occupies a worker while it runs. */
export function isWork(slot: Slot): boolean {
  const { type } = slot.step.node;
  return type === "tool" || type === "handoff" || slot.map !== null;
}

/** What a step calls, and whether its author gave it a key of its own. */
export function calleeOf(slot: Slot): "handoff" | { readonly tool: string; readonly keyed: boolean } {
  const { node } = slot.step;
  const callee = node.type === "map" ? itemCall(node) : node.type === "tool" ? node : null;
  if (callee === null) return "handoff";
  return { tool: callee.tool, keyed: callee.idempotencyKey !== undefined };
}

/** Resolves what a step needs; `given` is what it gets instead. Throws AppError when a value cannot be had. */
export function prepare(slot: Slot, runId: string, now: number, given?: JsonObject): Prepared {
  const { node } = slot.step;
  const { scope } = slot.frame;
  if (node.type === "map") return slot.map === null ? spread(node, scope) : item(slot, node, runId, given);
  switch (node.type) {
    case "tool":
      return call(slot, runId, scope, node, given);
    case "handoff":
      return handoff(slot, runId, scope, node, given);
    case "approval":
      return ask(slot, scope, node, now);
    case "subworkflow":
      return {
        kind: "child",
        action: {
          kind: "child",
          stepId: slot.key,
          attempt: slot.attempt,
          workflowId: node.subworkflow.workflowId,
          version: node.subworkflow.version ?? null,
          inputs: given ?? resolveObject(node.with ?? NOTHING, scope),
        },
      };
    case "wait":
      return wait(slot, node, scope, now);
    case "switch":
      return choose(node, scope);
    case "transform":
      return { kind: "made", output: resolveValue(node.value, scope), port: "success" };
  }
}

/** One object, so that it is taken apart once. */
const NOTHING: JsonObject = {};

interface Callee {
  readonly tool: string;
  readonly with?: JsonObject;
  readonly idempotencyKey?: Json;
}

function call(slot: Slot, runId: string, scope: Scope, callee: Callee, given?: JsonObject): Prepared {
  const args = given ?? resolveObject(callee.with ?? NOTHING, scope);
  return {
    kind: "work",
    input: args,
    action: {
      kind: "call",
      stepId: slot.key,
      attempt: slot.attempt,
      tool: callee.tool,
      args,
      idempotencyKey: keyOf(slot, runId, scope, callee.idempotencyKey, args),
      keyed: callee.idempotencyKey !== undefined,
      timeoutMs: slot.step.timeoutMs,
    },
  };
}

/**
 * The key stays the same over all attempts, also after a restart: the receiver sees one request. One that asks for
 * something else after a repair is another request.
 */
function keyOf(slot: Slot, runId: string, scope: Scope, given: Json | undefined, input: Json): string {
  const isOther = slot.idempotencyKey !== null && slot.input !== null && !isSame(slot.input, input);
  if (slot.idempotencyKey !== null && !isOther) return slot.idempotencyKey;
  if (given === undefined) return `${runId}:${slot.key}${isOther ? `:${slot.attempt + 1}` : ""}`;
  const key = resolveValue(given, scope);
  if (typeof key !== "string" || key === "" || key.length > 255) {
    throw new AppError("invalid_input", "The idempotency key is not a text of 1 to 255 characters.");
  }
  return key;
}

function item(slot: Slot, node: MapNode, runId: string, given?: JsonObject): Prepared {
  const callee = itemCall(node);
  if (callee === null) throw new Error("a map with a graph body has no tool call");
  return call(
    slot,
    runId,
    { ...slot.frame.scope, item: itemInputOf(slot), index: slot.index },
    callee,
    given,
  );
}

/** The item of the list that an item's step works on. */
export function itemInputOf(slot: Slot): Json {
  return slot.map?.progress?.items[slot.index] ?? null;
}

function spread(node: MapNode, scope: Scope): Prepared {
  const items = resolveValue(node.map.items, scope);
  if (!isList(items)) throw new AppError("invalid_input", "The items of the map are not a list.");
  if (items.length > node.map.maxItems) {
    throw new AppError(
      "invalid_input",
      `The map has ${items.length} items; its maxItems allows ${node.map.maxItems}.`,
    );
  }
  return { kind: "spread", items };
}

function choose(node: SwitchNode, scope: Scope): Prepared {
  const found = node.cases.find(({ when }) => evaluateCondition(when, scope));
  return found === undefined
    ? { kind: "made", output: { case: null }, port: "default" }
    : { kind: "made", output: { case: found.name }, port: `case:${found.name}` };
}

function wait(slot: Slot, node: WaitNode, scope: Scope, now: number): Prepared {
  const awaited = awaitedBy(node);
  if (awaited === null) return { kind: "sleep", ...wakeTime(node, scope, now) };
  const { timeoutMs } = node.wait;
  return {
    kind: "listen",
    action: { kind: "listen", stepId: slot.key, attempt: slot.attempt, awaited },
    until: timeoutMs === undefined ? null : now + timeoutMs,
    input:
      awaited.kind === "signal" ? { signal: awaited.name } : { event: awaited.type, filter: awaited.filter },
  };
}

function wakeTime(node: WaitNode, scope: Scope, now: number): { until: number; input: Json } {
  if ("ms" in node.wait) {
    const ms = resolveValue(node.wait.ms, scope);
    if (typeof ms !== "number" || !Number.isFinite(ms) || ms < 0) {
      throw new AppError("invalid_input", "The wait is not a number of milliseconds.");
    }
    return { until: now + ms, input: { ms } };
  }
  const until = resolveValue(node.wait.until ?? null, scope);
  const time = typeof until === "string" ? Date.parse(until) : Number.NaN;
  if (Number.isNaN(time)) throw new AppError("invalid_input", "The wait's end is not an ISO 8601 time.");
  return { until: time, input: { until } };
}

function ask(slot: Slot, scope: Scope, node: ApprovalNode, now: number): Prepared {
  const { title, show, form, approvers, required, stepUp, dueInMs, expiresInMs } = node.approval;
  const question = textOrJson(resolveValue(title, scope));
  const shown = { title: question, content: show === undefined ? null : resolveValue(show, scope) };
  return {
    kind: "ask",
    input: shown,
    action: {
      kind: "approval",
      stepId: slot.key,
      attempt: slot.attempt,
      title: question,
      shown,
      form: form ?? null,
      approvers: approvers ?? [],
      required: required ?? 1,
      stepUp: stepUp ?? false,
      dueAt: dueInMs === undefined ? null : now + dueInMs,
      expiresAt: expiresInMs === undefined ? null : now + expiresInMs,
    },
  };
}

function handoff(slot: Slot, runId: string, scope: Scope, node: HandoffNode, given?: JsonObject): Prepared {
  const { target, capability, intent, payload, inputArtifactIds, dryRun } = node.handoff;
  const ids = inputArtifactIds === undefined ? [] : resolveValue(inputArtifactIds, scope);
  if (!isList(ids)) throw new AppError("invalid_input", "The input artifact ids are not a list.");
  const sent = given ?? resolveObject(payload ?? NOTHING, scope);
  const input: JsonObject = { target, capability, payload: sent };
  return {
    kind: "work",
    input,
    action: {
      kind: "handoff",
      stepId: slot.key,
      attempt: slot.attempt,
      target,
      capability,
      intent: intent === undefined ? capability : textOrJson(resolveValue(intent, scope)),
      payload: sent,
      inputArtifactIds: ids.filter((id) => typeof id === "string"),
      dryRun: dryRun === true,
      idempotencyKey: keyOf(slot, runId, scope, node.idempotencyKey, input),
      timeoutMs: slot.step.timeoutMs,
    },
  };
}
