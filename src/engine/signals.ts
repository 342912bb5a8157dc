import { cloudEvent, runOf, seesAll } from "../events/cloud-event.ts";
import { canonicalJson } from "../kernel/canonical-json.ts";
import { AppError } from "../kernel/errors.ts";
import { newId } from "../kernel/ids.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import { runHasEnded } from "../model/states.ts";
import type { SendSignal } from "../ports/engine.ts";
import type { EventRecord, RunRecord } from "../ports/records.ts";
import { heldInBoth } from "../ports/rights.ts";
import type { Services } from "../ports/services.ts";
import type { SignalRecord } from "../ports/signals.ts";
import { recordEntry } from "../audit/record.ts";
import { allAwaited, eventCondition, type Awaited } from "../workflows/awaited.ts";
import { evaluateCondition, type Scope } from "../workflows/expressions.ts";
import { signalEvent } from "./journal.ts";
import { ended, noRun } from "./refusals.ts";
import { MAX_INPUT_CHARS } from "./step-attempt.ts";
import type { Worker } from "./worker.ts";

/** Signals that a run keeps at most, used or not. */
const MOST_SIGNALS = 1_000;
const BATCH = 200;

/** Stores a signal for a run; what it is for uses it when it waits. The same key again is the same signal. */
export async function sendSignal(
  services: Services,
  worker: Worker,
  sent: SendSignal,
): Promise<SignalRecord> {
  const { store, clock } = services;
  const { runId, name, payload, caller } = sent;
  const run = await store.read.runs.get(runId);
  if (run === null) throw noRun();
  if (run.kind !== "run" || runHasEnded(run.state)) throw ended(run);
  const { document } = await worker.programs.load(run.documentDigest, store.read.runs);
  await checkPayload(services, allAwaited(document.nodes), name, payload);
  const fresh: SignalRecord = {
    id: newId("signal"),
    runId,
    name,
    key: sent.key ?? newId("key"),
    payload,
    sentBy: caller.id,
    sentAt: new Date(clock.now()).toISOString(),
    usedBy: null,
  };
  return store.transact(async (tx) => {
    const now = await tx.runs.get(runId);
    if (now === null || runHasEnded(now.state)) throw ended(now ?? run);
    const known = await tx.signals.of(runId);
    const same = known.find((one) => one.name === name && one.key === fresh.key);
    if (same !== undefined) return sameSignal(same, payload);
    if (known.length >= MOST_SIGNALS)
      throw new AppError("conflict", `The run has ${MOST_SIGNALS} signals; it takes no more.`);
    if (!(await tx.signals.insert(fresh))) throw takenKey();
    await tx.events.append([signalEvent(now, fresh)]);
    await recordEntry(tx, {
      action: "run.signalled",
      by: caller.id,
      subject: `runs/${runId}`,
      detail: { name, signalId: fresh.id },
      provenanceId: null,
    });
    await worker.writer.enqueue(tx, [runId]);
    return fresh;
  });
}

function sameSignal(known: SignalRecord, payload: Json): SignalRecord {
  if (canonicalJson(known.payload) !== canonicalJson(payload)) throw takenKey();
  return known;
}

function takenKey(): AppError {
  return new AppError("conflict", "This idempotency key was used for a signal with another payload.");
}

async function checkPayload(
  { validator }: Services,
  awaited: readonly Awaited[],
  name: string,
  payload: Json,
): Promise<void> {
  const signals = awaited.flatMap((one) => (one.kind === "signal" ? [one] : []));
  const wanted = signals.filter((one) => one.name === name);
  if (wanted.length === 0) {
    const names = [...new Set(signals.map((one) => one.name))];
    throw new AppError("not_found", `No step of this run waits for a signal "${name}".`, {
      nextAction:
        names.length === 0 ? "The workflow waits for no signals." : `Send one of: ${names.join(", ")}.`,
    });
  }
  if (JSON.stringify(payload).length > MAX_INPUT_CHARS)
    throw new AppError("too_large", `The payload is larger than ${MAX_INPUT_CHARS} characters.`);
  for (const { schema } of wanted) if (await fits(validator, schema, payload)) return;
  const verdict = await validator.validate(wanted[0]?.schema ?? {}, payload);
  throw new AppError(
    "invalid_input",
    "The payload does not match the schema of the step that waits for this signal.",
    {
      problems: verdict.valid
        ? []
        : verdict.errors.map(({ pointer, message }) => ({ pointer: `/payload${pointer}`, message })),
    },
  );
}

async function fits(
  validator: Services["validator"],
  schema: JsonObject | null,
  payload: Json,
): Promise<boolean> {
  return schema === null || (await validator.validate(schema, payload)).valid;
}

/** What a step gives that got what it waits for; null while that has not come. */
export async function received(
  services: Services,
  run: RunRecord,
  stepId: string,
  awaited: Awaited,
  scope: Scope,
): Promise<JsonObject | null> {
  return awaited.kind === "signal"
    ? receivedSignal(services, run, stepId, awaited)
    : receivedEvent(services, run, stepId, awaited, scope);
}

/**
 * A signal belongs to the step that is noted with it before the step ends: after a crash the same step finds the same
 * signal again, and no other step gets it.
 */
async function receivedSignal(
  { store, validator }: Services,
  run: RunRecord,
  stepId: string,
  { name, schema }: Extract<Awaited, { kind: "signal" }>,
): Promise<JsonObject | null> {
  const signals = (await store.read.signals.of(run.id)).filter((one) => one.name === name);
  const own = signals.find(({ usedBy }) => usedBy === stepId);
  for (const one of own === undefined ? signals.filter(({ usedBy }) => usedBy === null) : [own]) {
    if (!(await fits(validator, schema, one.payload))) continue;
    if (one !== own && !(await store.transact((tx) => tx.signals.use(one.id, stepId)))) continue;
    const { payload, sentBy, sentAt } = one;
    return { signal: name, payload, sentBy, sentAt };
  }
  return null;
}

async function receivedEvent(
  services: Services,
  run: RunRecord,
  stepId: string,
  { type, filter }: Extract<Awaited, { kind: "event" }>,
  scope: Scope,
): Promise<JsonObject | null> {
  const { store, settings } = services;
  const wait = await store.read.signals.wait(run.id, stepId);
  if (wait === null) return null;
  const condition = eventCondition(filter);
  let { seen } = wait;
  for (;;) {
    const events = await store.read.events.after(seen, BATCH);
    for (const event of events) {
      if (event.type !== type || runOf(event) === run.id) continue;
      const payload: JsonObject = cloudEvent(event, `${settings.baseUrl}/api/svc`, "all") ?? {};
      if (isTrue(condition, scope, payload) && (await maySee(services, run, event)))
        return { event: payload };
    }
    const last = events.at(-1);
    if (last === undefined) break;
    seen = last.sequence;
  }
  if (seen > wait.seen) await store.transact((tx) => tx.signals.saw({ ...wait, seen }));
  return null;
}

/** A filter that cannot be computed for an event does not match it. */
function isTrue(condition: string, scope: Scope, event: JsonObject): boolean {
  try {
    return evaluateCondition(condition, { ...scope, run: { ...scope.run, event } });
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/** A run gets the events that who it acts for may see now. */
async function maySee({ rights, store }: Services, run: RunRecord, event: EventRecord): Promise<boolean> {
  const held = await rights.of(run);
  if ("ended" in held) return false;
  const scopes = heldInBoth(new Set(run.scopes), held.scopes);
  if (seesAll({ kind: "system", id: run.actsFor, scopes }, event.type)) return true;
  const about = runOf(event);
  return about !== null && (await store.read.runs.get(about))?.startedBy === run.actsFor;
}
