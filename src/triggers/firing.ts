import { AppError } from "../kernel/errors.ts";
import { newId } from "../kernel/ids.ts";
import { isObject, type Json, type JsonObject } from "../kernel/json.ts";
import { traceFrom, type Trace } from "../kernel/trace.ts";
import { allows, lackingScope, type Caller } from "../ports/caller.ts";
import type { RunRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import type { StoreTx } from "../ports/store.ts";
import type { FiringRecord, TriggerRecord } from "../ports/triggers.ts";

/** What starting runs needs. */
export type FiringServices = Pick<Services, "store" | "engine" | "rights" | "clock" | "log">;

/** An occasion on which a trigger starts a run. */
export interface Occasion {
  readonly key: string;
  /** The inputs of the run, by what the workflow asks for. */
  readonly inputsFor: (schema: JsonObject) => JsonObject;
  readonly payload?: Json;
  /** The headers that the inputs were made of; null when they were not. */
  readonly headers?: () => JsonObject | null;
  readonly dueAt?: string;
  readonly depth?: number;
  readonly trace?: Trace;
  /** Who starts the run by hand: it then acts for that caller, not for the trigger's maker. */
  readonly by?: Caller;
  /** What becomes true with the start: a schedule moves on. False: another replica was faster. */
  readonly alongside?: (tx: StoreTx) => Promise<boolean>;
}

/** What came of an occasion. `known` is the earlier firing of the same key. */
export type Fired =
  | { readonly run: RunRecord; readonly firing: FiringRecord; readonly isNew: true }
  | { readonly firing: FiringRecord; readonly isNew: false }
  | null;

/** A new firing of a trigger. */
export function newFiring(
  { id }: Pick<TriggerRecord, "id">,
  { key, payload, dueAt, depth }: Pick<Occasion, "key" | "payload" | "dueAt" | "depth">,
  now: number,
): FiringRecord {
  return {
    id: newId("firing"),
    triggerId: id,
    key,
    state: "queued",
    dueAt: dueAt ?? null,
    payload: payload ?? null,
    headers: null,
    runId: null,
    depth: depth ?? 0,
    reason: null,
    createdAt: new Date(now).toISOString(),
  };
}

/**
 * Starts the run of an occasion with the rights that the trigger's maker, or who starts it by hand, has now. The run, the firing and what the
 * occasion brings along are one transaction. Null: the occasion is over, and another replica has acted on it.
 */
export async function fire(
  services: FiringServices,
  trigger: TriggerRecord,
  occasion: Occasion,
  waiting: FiringRecord | null = null,
): Promise<Fired> {
  const { store, engine } = services;
  const caller = occasion.by ?? (await actingCaller(services, trigger));
  const fresh = waiting ?? newFiring(trigger, occasion, services.clock.now());
  let started: FiringRecord = fresh;
  let refused = false;
  const alongside = async (tx: StoreTx, runId: string): Promise<boolean> => {
    const payload = occasion.payload ?? fresh.payload;
    const headers = occasion.headers?.() ?? null;
    started = { ...fresh, state: "started", runId, reason: null, payload, headers };
    const isFirst =
      (occasion.alongside === undefined || (await occasion.alongside(tx))) &&
      (waiting === null
        ? await tx.triggers.insertFiring(started)
        : await tx.triggers.settle(started, waiting.state));
    refused = !isFirst;
    if (isFirst && trigger.kind === "schedule") await tx.triggers.setLastRun(trigger.id, runId);
    return isFirst;
  };
  try {
    const run = await engine.start({
      workflowId: trigger.workflowId,
      inputs: {},
      inputsFor: occasion.inputsFor,
      caller,
      ...(occasion.by === undefined && { actor: { actsFor: trigger.actsFor, actsVia: trigger.actsVia } }),
      trace: occasion.trace ?? traceFrom(undefined),
      alongside,
    });
    return { run, firing: started, isNew: true };
  } catch (error) {
    if (!refused) throw error;
    const known = await store.read.triggers.firing(trigger.id, { key: occasion.key });
    return known === null ? null : { firing: known, isNew: false };
  }
}

/** The caller that runs of a trigger act for; throws when that caller may not start runs any more. */
async function actingCaller(
  { rights }: Pick<Services, "rights">,
  { actsFor, actsVia }: TriggerRecord,
): Promise<Caller> {
  const held = await rights.read({ actsFor, actsVia });
  if ("ended" in held)
    throw new AppError("forbidden", `The trigger starts nothing: ${held.ended}.`, {
      nextAction:
        "Change its name or settings as a caller who may start runs: from then on it acts for that caller.",
    });
  const caller: Caller = { kind: "system", id: actsFor, scopes: held.scopes };
  if (!allows(caller, "run")) throw lackingScope(caller, "run", "a trigger");
  return caller;
}

/** True for an error that the next attempt may not meet. */
export function isPassing(error: unknown): boolean {
  return (
    error instanceof AppError &&
    (error.code === "storage_unavailable" || error.code === "unavailable" || error.code === "overloaded")
  );
}

/** Why a run could not be started, for the history. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof AppError)) return "The run could not be started because of an internal error.";
  const [first] = error.info.problems ?? [];
  return first === undefined ? error.message : `${error.message} ${first.pointer}: ${first.message}`;
}

/** The inputs of a run: what the trigger is set to, and its date where the workflow has an input for it. */
export function scheduledInputs({ settings }: TriggerRecord, schema: JsonObject, dueAt: string): JsonObject {
  const { properties } = schema;
  const takesDate = isObject(properties) && Object.hasOwn(properties, "scheduledFor");
  return { ...(takesDate && { scheduledFor: dueAt }), ...settings.inputs };
}
