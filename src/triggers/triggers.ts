import { Value } from "typebox/value";
import { recordEntry } from "../audit/record.ts";
import { AppError, invalidValue, problemAt, type Problem } from "../kernel/errors.ts";
import { newId } from "../kernel/ids.ts";
import { isObject } from "../kernel/json.ts";
import { unfitInputs } from "../kernel/schema-words.ts";
import {
  SETTINGS_OF,
  TRIGGER_KINDS,
  TRIGGER_SETTINGS,
  type SettingName,
  type TriggerKind,
  type TriggerSettings,
  type TriggerView,
} from "../model/triggers.ts";
import { readsPrivate, type Caller } from "../ports/caller.ts";
import { actorOfCaller } from "../ports/rights.ts";
import type { Services } from "../ports/services.ts";
import type { Settings } from "../ports/settings.ts";
import type { StoreTx } from "../ports/store.ts";
import type { TriggerRecord } from "../ports/triggers.ts";
import { workflowAccess } from "../workflows/visibility.ts";
import { dateProblems, datesOf, nextDates, placeAfter } from "./dates.ts";
import { eventProblems } from "./events.ts";
import { newFiring } from "./firing.ts";
import { MAX_QUEUED } from "./scheduler.ts";
import { inputSchemaOf } from "./inputs.ts";
import { newSecret } from "./verifiers.ts";
import { dropSecret, keepSecret } from "./webhooks.ts";

/** What describes a new trigger. */
export interface NewTrigger extends TriggerSettings {
  readonly workflowId: string;
  readonly kind: TriggerKind;
  readonly slug?: string;
  readonly secret?: string;
  readonly paused?: boolean;
}

/** What changes of a trigger. Settings that are not given stay. */
export interface TriggerChange extends TriggerSettings {
  readonly paused?: boolean;
  readonly note?: string;
  readonly secret?: string;
  /** A secret is made, and shown this once. */
  readonly newSecret?: boolean;
  /** Settings that go back to their default. */
  readonly unset?: readonly SettingName[];
}

/** Of one workflow. */
const MAX_TRIGGERS = 100;

/** Members that belong to another kind, and what is wrong with those of this one. */
export function settingsProblems(kind: TriggerKind, given: TriggerSettings): readonly Problem[] {
  const own = new Set(SETTINGS_OF[kind]);
  const foreign = TRIGGER_KINDS.filter((other) => other !== kind)
    .flatMap((other) => SETTINGS_OF[other])
    .filter((name) => !own.has(name) && Object.hasOwn(given, name));
  return [
    ...[...new Set(foreign)].map((name) => problemAt(name, `left out: it is no setting of a ${kind}`)),
    ...(kind === "schedule" ? dateProblems(given) : []),
    ...(kind === "event" ? eventProblems(given) : []),
  ];
}

/** Makes a trigger. Its runs act for the caller. */
export async function createTrigger(
  services: Services,
  { workflowId, kind, slug, secret: given, paused = false, ...wanted }: NewTrigger,
  caller: Caller,
): Promise<{ readonly trigger: TriggerRecord; readonly secret: string | null }> {
  const settings = await withLogo(services, wanted, caller);
  await checkWorkflow(services, workflowId, settings, caller, kind);
  const now = services.clock.now();
  const record: TriggerRecord = {
    id: newId("trigger"),
    workflowId,
    kind,
    slug: slug ?? null,
    settings,
    ...actorOfCaller(caller),
    pausedAt: paused ? new Date(now).toISOString() : null,
    pauseNote: null,
    dueAt: null,
    fireAt: null,
    lastRunId: null,
    revision: 1,
    createdAt: new Date(now).toISOString(),
  };
  const placed = kind === "schedule" ? { ...record, ...placeAfter(record, now) } : record;
  const secret = kind === "webhook" ? (given ?? newSecret(settings.verifier ?? "token")) : null;
  const insert = async (tx: StoreTx): Promise<void> => {
    if ((await tx.triggers.count({ workflowId })) >= MAX_TRIGGERS)
      throw new AppError("conflict", `The workflow has ${MAX_TRIGGERS} triggers already.`);
    // Nobody followed the outbox before: the first one begins at its end.
    if (kind === "event" && (await tx.triggers.count({ kind })) === 0)
      await tx.triggers.setCursor((await tx.events.bounds()).last);
    if (!(await tx.triggers.insert(placed)))
      throw new AppError("conflict", `The address /f/${slug} is taken.`, {
        nextAction: "Choose another slug.",
      });
    await audit(tx, "created", placed, caller);
  };
  if (secret === null) await services.store.transact(insert);
  else await keepSecret(services, record.id, secret, caller, insert);
  return { trigger: placed, secret };
}

/** The picture of an artifact that the caller sees is copied: the page shows it to everybody. */
async function withLogo(
  { store }: Pick<Services, "store">,
  settings: TriggerSettings,
  caller: Caller,
): Promise<TriggerSettings> {
  const { logo } = settings;
  if (logo === undefined || logo.startsWith("data:")) return settings;
  const artifact = await store.read.artifacts.get(logo);
  const content =
    artifact === null || artifact.deletedAt !== null || !readsPrivate(caller, artifact.createdBy)
      ? null
      : artifact.content["content"];
  const picture = isObject(content) ? content["dataUrl"] : null;
  const copied = { ...settings, logo: typeof picture === "string" ? picture : "" };
  if (Value.Check(TRIGGER_SETTINGS.logo, copied.logo)) return copied;
  throw invalidValue("logo", "an artifact of yours with a picture of at most 30 KB");
}

/** The workflow is there for the caller, and takes the inputs that every run of a schedule gets. */
async function checkWorkflow(
  services: Services,
  workflowId: string,
  { inputs = {} }: TriggerSettings,
  caller: Caller,
  kind: TriggerKind,
): Promise<void> {
  const { store, validator } = services;
  const head = await store.read.workflows.head(workflowId);
  if (head === null || workflowAccess(caller, head) === null)
    throw new AppError("not_found", "There is no workflow with this id.");
  if (kind !== "schedule") return;
  const schema = await inputSchemaOf(store, workflowId);
  const properties = schema["properties"];
  const dated = typeof properties === "object" && properties !== null && "scheduledFor" in properties;
  const sample = dated ? { scheduledFor: new Date(services.clock.now()).toISOString(), ...inputs } : inputs;
  const verdict = await validator.validate(schema, sample);
  if (verdict.valid) return;
  throw unfitInputs(schema, sample, verdict.errors);
}

/** A trigger that the caller sees: its own, or any with `read-private`. */
export async function findTrigger(
  { store }: Pick<Services, "store">,
  id: string,
  caller: Caller,
): Promise<TriggerRecord> {
  const found = await store.read.triggers.get(id);
  if (found !== null && readsPrivate(caller, found.actsFor)) return found;
  throw new AppError("not_found", "There is no trigger with this id.");
}

/** Changes a trigger. Who changes what it does is who its runs act for from then on; to pause it changes nobody's rights. */
export async function changeTrigger(
  services: Services,
  id: string,
  { paused, note, secret: given, newSecret: isNew = false, unset = [], ...settings }: TriggerChange,
  caller: Caller,
): Promise<{ readonly trigger: TriggerRecord; readonly secret: string | null }> {
  const current = await findTrigger(services, id, caller);
  const now = services.clock.now();
  if ((given !== undefined || isNew) && current.kind !== "webhook")
    throw invalidValue(isNew ? "newSecret" : "secret", "left out: only a webhook has one");
  const issued = isNew ? newSecret(settings.verifier ?? current.settings.verifier ?? "token") : null;
  const secret = issued ?? given;
  const isChanged = Object.keys(settings).length > 0 || unset.length > 0 || secret !== undefined;
  const kept: TriggerSettings = { ...current.settings };
  for (const name of unset) delete kept[name];
  const next = { ...kept, ...(await withLogo(services, settings, caller)) };
  // One of the two says when; the other goes.
  if (settings.cron !== undefined) delete next.everySeconds;
  else if (settings.everySeconds !== undefined) delete next.cron;
  const problems = settingsProblems(current.kind, next);
  if (problems.length > 0)
    throw new AppError("invalid_input", problems[0]?.message ?? "The settings are invalid.", { problems });
  if (isChanged) await checkWorkflow(services, current.workflowId, next, caller, current.kind);
  const changed: TriggerRecord = {
    ...current,
    settings: next,
    ...(isChanged && actorOfCaller(caller)),
    ...(paused === true && { pausedAt: current.pausedAt ?? new Date(now).toISOString() }),
    ...(paused === false && { pausedAt: null, pauseNote: null }),
    ...(note !== undefined && paused !== false && { pauseNote: note }),
    revision: current.revision + 1,
  };
  const isResumed = current.pausedAt !== null && changed.pausedAt === null;
  // Dates of the pause are not made up for; backfill does that.
  const placed =
    current.kind === "schedule" && (isChanged || isResumed)
      ? { ...changed, ...placeAfter(changed, now) }
      : changed;
  const update = async (tx: StoreTx): Promise<void> => {
    if (!(await tx.triggers.update(placed)))
      throw new AppError("conflict", "The trigger was changed by another caller.", {
        nextAction: "Read it and try again.",
      });
    await audit(tx, "changed", placed, caller);
  };
  if (secret === undefined) await services.store.transact(update);
  else await keepSecret(services, id, secret, caller, update);
  return { trigger: placed, secret: issued };
}

/** Removes a trigger and its history. Its runs stay. */
export async function removeTrigger(services: Services, id: string, caller: Caller): Promise<TriggerRecord> {
  const current = await findTrigger(services, id, caller);
  const remove = async (tx: StoreTx): Promise<void> => {
    await tx.triggers.remove(id);
    await audit(tx, "removed", current, caller);
  };
  if (current.kind === "webhook") await dropSecret(services, id, caller, remove);
  else await services.store.transact(remove);
  return current;
}

/** Throws unless the caller is the one whose rights the trigger's runs have, or an admin without a client between. */
function checkMaker(trigger: TriggerRecord, caller: Caller): void {
  const { actsFor, actsVia } = actorOfCaller(caller);
  if (actsFor === trigger.actsFor && actsVia === trigger.actsVia) return;
  if (caller.scopes.has("admin") && caller.token === undefined) return;
  throw new AppError("forbidden", "Its runs would have the rights of another caller.", {
    nextAction: "Ask who made the schedule, or an admin, or start runs of your own with `fire`.",
  });
}

/** Queues the dates of a range that have no run yet; gives those that were queued. */
export async function backfill(
  services: Services,
  id: string,
  { from, until }: { readonly from: string; readonly until: string },
  caller: Caller,
): Promise<readonly string[]> {
  const trigger = await findTrigger(services, id, caller);
  const now = services.clock.now();
  if (trigger.kind !== "schedule") throw new AppError("conflict", "Only a schedule has dates to backfill.");
  checkMaker(trigger, caller);
  if (Date.parse(until) > now) throw invalidValue("until", "a time that has passed");
  const dates = nextDates(
    datesOf(trigger.settings, Date.parse(trigger.createdAt)),
    Date.parse(from) - 1,
    MAX_QUEUED + 1,
    Date.parse(until),
  );
  return services.store.transact(async (tx) => {
    if ((await tx.triggers.countQueued(id)) + dates.length > MAX_QUEUED)
      throw new AppError("too_large", `A trigger queues at most ${MAX_QUEUED} runs.`, {
        nextAction: "Give a shorter range, or wait until the queue is shorter.",
      });
    const queued: string[] = [];
    for (const dueAt of dates) {
      const known = await tx.triggers.firing(id, { key: dueAt });
      const isQueued =
        known === null
          ? await tx.triggers.insertFiring(newFiring(trigger, { key: dueAt, dueAt }, now))
          : known.state !== "started" &&
            known.state !== "queued" &&
            (await tx.triggers.settle({ ...known, state: "queued", reason: null }, known.state));
      if (isQueued) queued.push(dueAt);
    }
    return queued;
  });
}

/** Triggers as a caller sees them. */
export async function triggerViews(
  services: Pick<Services, "settings" | "store">,
  records: readonly TriggerRecord[],
  caller: Caller,
): Promise<TriggerView[]> {
  const ids = [...new Set(records.map(({ workflowId }) => workflowId))];
  const heads = await Promise.all(ids.map((id) => services.store.read.workflows.head(id)));
  const names = new Map(
    heads.flatMap((head) =>
      head === null || workflowAccess(caller, head) === null ? [] : [[head.id, head.name]],
    ),
  );
  return records.map((record) => triggerView(services, record, names.get(record.workflowId) ?? null));
}

function triggerView(
  { settings }: Pick<Services, "settings">,
  record: TriggerRecord,
  workflowName: string | null,
): TriggerView {
  const { id, workflowId, kind, slug, pausedAt, pauseNote, dueAt, lastRunId, actsFor, createdAt } = record;
  const address = addressOf(settings, record);
  return {
    id,
    workflowId,
    workflowName,
    kind,
    ...record.settings,
    ...(slug !== null && { slug }),
    ...(address !== null && { address }),
    paused: pausedAt !== null,
    pausedAt,
    pauseNote,
    nextAt: pausedAt === null ? dueAt : null,
    lastRunId,
    actsFor,
    createdAt,
  };
}

/** Where a webhook or a form is reached. */
export function addressOf(
  { baseUrl }: Pick<Settings, "baseUrl">,
  { id, kind, slug }: Pick<TriggerRecord, "id" | "kind" | "slug">,
): string | null {
  return kind === "webhook" ? `${baseUrl}/hooks/${id}` : kind === "form" ? `${baseUrl}/f/${slug}` : null;
}

function audit(
  tx: StoreTx,
  change: "created" | "changed" | "removed",
  { id, kind, workflowId, settings, pausedAt }: TriggerRecord,
  caller: Caller,
): Promise<void> {
  const detail = { id, kind, workflowId, name: settings.name ?? kind, paused: pausedAt !== null };
  const subject = `triggers/${id}`;
  return recordEntry(tx, { action: `trigger.${change}`, by: caller.id, subject, detail, provenanceId: null });
}
