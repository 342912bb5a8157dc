import { statusOf } from "../model/status.ts";
import { AppError } from "../kernel/errors.ts";
import { isList, type Json, isJsonRecord } from "../kernel/json.ts";
import { failureView } from "../model/common.ts";
import type { MapItemView, RunDetail, RunDocument, RunView, SignalView, StepView } from "../model/runs.ts";
import { maskSecrets, redacted } from "../kernel/secrets.ts";
import { readsPrivate, type Caller } from "../ports/caller.ts";
import type { RunRepair, RepairView } from "../model/repairs.ts";
import type { AttemptRecord, RunRecord, StepRecord } from "../ports/records.ts";
import type { SignalRecord } from "../ports/signals.ts";
import type { Services } from "../ports/services.ts";
import type { PageRequest } from "../ports/store.ts";
import type { Settings } from "../ports/settings.ts";
import { pointerSegments } from "../kernel/paths.ts";
import { parseDocument } from "../workflows/document.ts";
import { publicDocument } from "../workflows/public-view.ts";
import { workflowAccess } from "../workflows/visibility.ts";
import { withoutTrailing } from "../kernel/text.ts";
import { seenRun, accessLevelOf, type AccessLevel } from "../approvals/access-level.ts";
import { approvalView } from "../approvals/view.ts";
import { confirmationOf, settledOf } from "./confirmation.ts";
import { firstSteps, itemPage } from "./map-items.ts";

/*
 * What callers see of runs and approvals. Anybody: that a public run exists and how far it is. Who started
 * it: its values, with what the workflow marks as redacted and what looks secret taken out. With `read-private`: everything.
 */

/** Where the trace of a run can be looked at. */
function traceUrlOf(settings: Pick<Settings, "siblings" | "baseUrl">, traceId: string): string {
  const sibling = settings.siblings.trace;
  return sibling === undefined
    ? `${settings.baseUrl}/api/svc/traces/${traceId}`
    : `${withoutTrailing(sibling.url, "/")}/traces/${traceId}`;
}

/** What its workflow was called when the version that it runs was published; a draft, what it is called now. */
async function nameOf(
  { store }: Services,
  { workflowId, workflowVersion }: RunRecord,
): Promise<string | null> {
  return workflowId === null ? null : store.read.workflows.name(workflowId, workflowVersion);
}

/** The part of a run that shows no value of it. */
async function runSummary(
  services: Services,
  run: RunRecord,
  steps?: readonly StepRecord[],
): Promise<RunView> {
  return {
    id: run.id,
    workflowId: run.workflowId,
    workflowVersion: run.workflowVersion,
    workflowName: await nameOf(services, run),
    documentDigest: run.documentDigest,
    kind: run.kind,
    ...statusOf(run),
    visibility: run.visibility,
    createdAt: run.createdAt,
    startedAt: run.startedAt,
    finishedAt: run.finishedAt,
    wakeAt: run.wakeAt,
    ...(run.detailsRemovedAt !== null && { detailsRemovedAt: run.detailsRemovedAt }),
    traceId: run.traceId,
    traceUrl: traceUrlOf(services.settings, run.traceId),
    ...(await confirmationOf(services, run, steps)),
  };
}

/** A run as a list shows it. */
export async function runListItem(services: Services, run: RunRecord, caller: Caller): Promise<RunView> {
  const summary = await runSummary(services, run);
  const accessLevel = accessLevelOf(caller, run);
  if (accessLevel === null || accessLevel === "public") return { ...summary, documentDigest: null };
  return {
    ...summary,
    startedBy: run.startedBy,
    error: failureView(run.error),
    parentRunId: run.parentRunId,
  };
}

/**
 * A run with its steps, as far as the caller may see it; `given` by its id, or as it was read just now. Unless the whole
 * is asked for it holds the first items of its maps.
 */
export async function runView(
  services: Services,
  given: string | RunRecord,
  caller: Caller,
  isWhole = true,
): Promise<RunDetail> {
  const { runs, approvals: asked } = services.store.read;
  const { run, accessLevel } = await seenRun(services, given, caller);
  const { id } = run;
  const isPublic = accessLevel === "public";
  const [stored, view, approvals, signals] = await Promise.all([
    runs.steps(id),
    stepViewer(services, run, accessLevel),
    isPublic ? [] : asked.list({ limit: 100 }, { runId: id }).then(({ items }) => items),
    isPublic ? [] : services.store.read.signals.of(id),
  ]);
  const summary = await runSummary(services, run, stored);
  const first = firstSteps(stored, isWhole);
  const steps = first.steps.map(view);
  const maps = first.maps.length > 0 && { maps: first.maps };
  if (accessLevel === "public") {
    return {
      ...summary,
      documentDigest: null,
      ...(run.error !== null && { error: { code: failureView(run.error)?.code ?? "failed" } }),
      steps,
      ...maps,
      values: redacted("private"),
    };
  }
  const mask = (value: Json | null): Json | null =>
    accessLevel === "full" || value === null ? value : maskSecrets(value);
  return {
    ...summary,
    inputs: mask(run.inputs),
    outputs: mask(run.outputs),
    error: failureView(run.error),
    startedBy: run.startedBy,
    scopes: [...run.scopes],
    actsFor: run.actsFor,
    parentRunId: run.parentRunId,
    parentStepId: run.parentStepId,
    handoffId: run.handoffId,
    resolved: run.resolved,
    steps,
    ...maps,
    approvals: approvals.map((approval) => approvalView(approval, accessLevel)),
    ...(run.repairs.length > 0 && { repairs: run.repairs.map((one) => repairView(one, mask)) }),
    ...(signals.length > 0 && { signals: signals.map((one) => signalView(one, mask(one.payload))) }),
  };
}

/** A page of what a map of a run did with its items. */
export async function runItems(
  services: Services,
  { id, step, page }: { readonly id: string; readonly step: string; readonly page: PageRequest },
  caller: Caller,
): Promise<{ readonly items: MapItemView[]; readonly nextCursor: string | null }> {
  const { run, accessLevel } = await seenRun(services, id, caller);
  const view = await stepViewer(services, run, accessLevel);
  const { items, nextCursor } = itemPage(await services.store.read.runs.steps(id), step, page);
  return { items: items.map((item) => ({ ...item, steps: item.steps.map(view) })), nextCursor };
}

/** How the steps of a run are shown at this level of access. */
async function stepViewer(
  services: Services,
  run: RunRecord,
  accessLevel: AccessLevel,
): Promise<(step: StepRecord) => StepView> {
  if (accessLevel === "public") return publicStep;
  const attempts = Map.groupBy(await services.store.read.runs.attempts(run.id), ({ stepId }) => stepId);
  const hidden = accessLevel === "full" ? null : await redactions(services, run);
  return (step) => keyedStep(step, attempts.get(step.stepId) ?? [], hidden);
}

function repairView(repair: RunRepair, mask: (value: Json | null) => Json | null): RepairView {
  const { action, stepId, reason, by, at, input, output, version } = repair;
  return {
    action,
    stepId,
    reason,
    by,
    at,
    ...(input !== undefined && { input: mask(input) }),
    ...(output !== undefined && { output: mask(output) }),
    ...(version !== undefined && { version }),
  };
}

/** A signal as callers see it who may see what it carries. */
export function signalView(signal: SignalRecord, payload: Json | null): SignalView {
  const { id, name, sentBy, sentAt, usedBy } = signal;
  return { id, name, payload, sentBy, sentAt, usedBy };
}

/** The document a run was started with. Later changes of the workflow do not touch it. */
export async function runDocument(services: Services, id: string, caller: Caller): Promise<RunDocument> {
  const { read } = services.store;
  const { run } = await seenRun(services, id, caller);
  const workflow = run.workflowId === null ? null : await read.workflows.get(run.workflowId);
  // A graph that was supplied for a dry run belongs to who supplied it.
  const isOwn = workflow === null ? readsPrivate(caller, run.startedBy) : false;
  const accessLevel = isOwn ? "full" : workflow === null ? null : workflowAccess(caller, workflow);
  const document = await read.runs.document(run.documentDigest);
  if (accessLevel === null || (accessLevel === "public" && run.workflowVersion === null)) {
    throw new AppError("not_found", "There is no run with this id whose document you may see.");
  }
  return {
    runId: run.id,
    workflowId: run.workflowId,
    workflowVersion: run.workflowVersion,
    documentDigest: accessLevel === "full" ? run.documentDigest : null,
    name: await nameOf(services, run),
    isCurrent: workflow !== null && workflow.digest === run.documentDigest,
    document: document === null || accessLevel === "full" ? document : publicDocument(document),
  };
}

function publicStep(step: StepRecord): StepView {
  const { stepId, attempt, startedAt, finishedAt } = step;
  return { id: stepId, ...statusOf(step), attempt, startedAt, finishedAt };
}

function keyedStep(
  step: StepRecord,
  attempts: readonly AttemptRecord[],
  hidden: Redactions | null,
): StepView {
  const shown = hidden === null ? { input: step.input, output: step.output } : hidden.apply(step);
  const settled = settledOf(step, attempts);
  return {
    ...publicStep(step),
    port: step.port,
    ...shown,
    error: failureView(step.error),
    ...(settled !== null && { settled }),
    idempotencyKey: step.idempotencyKey,
    wakeAt: step.wakeAt,
    attempts: attempts.map((one) => ({
      attempt: one.attempt,
      ...statusOf(one),
      spanId: one.spanId,
      error: failureView(one.error),
      startedAt: one.startedAt,
      finishedAt: one.finishedAt,
    })),
  };
}

interface Redactions {
  apply(step: StepRecord): { input: Json | null; output: Json | null };
}

/** What the run's document says must not be shown. */
async function redactions(services: Services, run: RunRecord): Promise<Redactions> {
  const stored = await services.store.read.runs.document(run.documentDigest);
  const { nodes } = parseDocument(stored ?? {}).document;
  const pointers = new Map(nodes.map((node) => [node.id, node.redact ?? []]));
  return {
    apply(step) {
      const [id = ""] = step.stepId.split(/[[.]/);
      let record: Json = maskSecrets({ input: step.input, output: step.output });
      for (const pointer of pointers.get(id) ?? []) record = without(record, pointerSegments(pointer) ?? []);
      const shown = isJsonRecord(record) ? record : {};
      return { input: shown["input"] ?? null, output: shown["output"] ?? null };
    },
  };
}

/** A copy with a typed marker where the pointer leads. */
function without(value: Json, path: readonly string[]): Json {
  const [key, ...rest] = path;
  if (key === undefined) return redacted("redact");
  if (isList(value)) return value.map((item, index) => (String(index) === key ? without(item, rest) : item));
  if (!isJsonRecord(value) || !Object.hasOwn(value, key)) return value;
  return { ...value, [key]: without(value[key] ?? null, rest) };
}
