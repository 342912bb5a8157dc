import { recordEntry } from "../audit/record.ts";
import { digestOf } from "../kernel/canonical-json.ts";
import { AppError, invalidValue } from "../kernel/errors.ts";
import type { RunRepair, RepairReport } from "../model/repairs.ts";
import { stepHasEnded } from "../model/states.ts";
import type { RepairRequest } from "../ports/engine.ts";
import type { ProvenanceFact } from "../ports/provenance.ts";
import type { RunRecord, RunResolution } from "../ports/records.ts";
import { actorOfCaller } from "../ports/rights.ts";
import type { Services } from "../ports/services.ts";
import { checkInputs } from "./inputs.ts";
import { runEvent, stepFact } from "./journal.ts";
import { busy, noRun, removed } from "./refusals.ts";
import { checkRepair, planRepair, type RepairPlan } from "./repair-plan.ts";
import type { Source, Sources } from "./sources.ts";
import { MAX_INPUT_CHARS } from "./step-attempt.ts";
import type { Worker } from "./worker.ts";

/** Repairs of one run at most, and what they hold together. */
const MOST_REPAIRS = 100;
const MOST_CHARS = 2_000_000;

interface Parts {
  readonly services: Services;
  readonly worker: Worker;
  readonly sources: Sources;
}

interface Prepared {
  readonly before: RunRecord;
  readonly after: RunRecord;
  readonly source: Source | null;
  readonly plan: RepairPlan;
}

/** What a repair would do, without doing it. */
export async function previewRepair(parts: Parts, request: RepairRequest): Promise<RepairReport> {
  return (await prepareRepair(parts, request)).plan.report;
}

/** Repairs a run that did not succeed: from this transaction on it goes on. */
export async function repairRun(parts: Parts, request: RepairRequest): Promise<RunRecord> {
  const { services, worker } = parts;
  const { before, after, source, plan } = await prepareRepair(parts, request);
  const { reportDigest } = request;
  if (reportDigest !== undefined && reportDigest !== plan.report.digest)
    throw new AppError(
      "conflict",
      "The report was about something else: the run or the version has changed.",
      {
        nextAction: "Ask for the report again, and repair with its digest.",
      },
    );
  return services.store.transact(async (tx) => {
    const current = await tx.runs.get(before.id);
    const isSame = current?.state === before.state && current.repairs.length === before.repairs.length;
    if (!isSame || current.epoch !== before.epoch) throw busy();
    if (!(await tx.runs.save(after))) throw busy();
    if (source !== null) await tx.runs.putDocument(source.digest, source.document);
    await tx.runs.repair(after);
    await tx.runs.actFor(after.id, after, after.scopes);
    await tx.runs.putSteps(plan.steps);
    await tx.events.append([runEvent(after)]);
    const ended = plan.steps.filter(({ state }) => stepHasEnded(state));
    const [provenanceId = null] = await worker.writer.provenance(tx, [
      repairFact(after),
      ...ended.map((step) => stepFact(step)),
    ]);
    await recordEntry(tx, {
      action: "run.repaired",
      by: request.caller.id,
      subject: `runs/${after.id}`,
      detail: {
        repair: request.action,
        stepId: request.stepId ?? null,
        reason: request.reason,
        ...(source !== null && { version: source.version }),
      },
      provenanceId,
    });
    await worker.writer.enqueue(tx, [after.id]);
    return after;
  });
}

async function prepareRepair(
  { services, worker, sources }: Parts,
  request: RepairRequest,
): Promise<Prepared> {
  const { store, clock } = services;
  const before = await store.read.runs.get(request.runId);
  if (before === null) throw noRun();
  checkState(before, request);
  const steps = await store.read.runs.steps(before.id);
  const program = await worker.programs.load(before.documentDigest, store.read.runs);
  checkRepair(program, steps, request);
  const source = request.action === "continue" ? await newerSource(sources, before, request) : null;
  const now = clock.now();
  const at = new Date(now).toISOString();
  const repair = repairOf(request, before, source, at);
  const after: RunRecord = {
    ...before,
    ...(source !== null && {
      documentDigest: source.digest,
      workflowVersion: source.version,
      resolved: pinned(await sources.resolve(source), before.resolved),
    }),
    state: "queued",
    outputs: null,
    error: { code: "repaired", by: request.caller.id },
    wakeAt: null,
    finishedAt: null,
    ...actorOfCaller(request.caller),
    scopes: [...request.caller.scopes],
    // The time-out starts again.
    startedAt: at,
    repairs: [...before.repairs, repair],
  };
  const next = source === null ? program : worker.programs.of(source.digest, source.document);
  if (source !== null) await checkInputs(services, next.document.inputs, before.inputs);
  const programs = { before: program, after: next };
  return {
    before,
    after,
    source,
    plan: planRepair(services, { before, after, programs, steps, repair }, now),
  };
}

function checkState(run: RunRecord, { action, stepId, input, output, reason }: RepairRequest): void {
  if (run.kind !== "run" || (run.state !== "failed" && run.state !== "timed_out"))
    throw new AppError("conflict", `The run is ${run.state}; only a failed or timed-out run is repaired.`);
  if (run.detailsRemovedAt !== null) throw removed(run.detailsRemovedAt);
  const isAboutStep = action !== "retry" && action !== "continue";
  if (isAboutStep && stepId === undefined) throw invalidValue("stepId", "the id of the step");
  if (action === "change_input" && input === undefined) throw invalidValue("input", "what the step gets");
  if (action === "supply_output" && output === undefined) throw invalidValue("output", "what the step gives");
  const changes = action === "change_input" || action === "supply_output" || action === "skip";
  if (changes && reason === null) throw invalidValue("reason", "why the step is changed, for the record");
  const size = JSON.stringify(input ?? output ?? null).length;
  if (size > MAX_INPUT_CHARS)
    throw new AppError("too_large", `The value is larger than ${MAX_INPUT_CHARS} characters.`);
  if (run.repairs.length >= MOST_REPAIRS || JSON.stringify(run.repairs).length + size > MOST_CHARS)
    throw new AppError("conflict", "The run was repaired too often.", {
      nextAction: "Start the workflow again.",
    });
}

async function newerSource(
  sources: Sources,
  { workflowId, documentDigest }: RunRecord,
  { caller, version }: RepairRequest,
): Promise<Source> {
  if (workflowId === null) throw new AppError("conflict", "The run belongs to no workflow.");
  const source = await sources.forStart(workflowId, caller, version);
  if (source.version === null)
    throw new AppError("conflict", "The workflow has no published version to go on with.", {
      nextAction: "Publish the workflow first.",
    });
  if (source.digest === documentDigest)
    throw new AppError("conflict", `The run is on version ${source.version} already.`, {
      nextAction: "Publish a newer version, or retry the run.",
    });
  return source;
}

/** Subworkflows stay as they were when the run started; what is new is resolved now, and definitions are those of now. */
function pinned(now: RunResolution, then: RunResolution | null): RunResolution {
  return {
    workflows: { ...now.workflows, ...then?.workflows },
    definitions: { ...then?.definitions, ...now.definitions },
  };
}

function repairOf(
  { action, stepId, input, output, reason, caller }: RepairRequest,
  run: RunRecord,
  source: Source | null,
  at: string,
): RunRepair {
  const [first] = run.repairs;
  return {
    action,
    stepId: stepId ?? null,
    reason,
    by: caller.id,
    at,
    ...(action === "change_input" && input !== undefined && { input }),
    ...(action === "supply_output" && output !== undefined && { output }),
    ...(source !== null && {
      ...(source.version !== null && { version: source.version }),
      digest: source.digest,
      before: { version: run.workflowVersion, digest: run.documentDigest },
    }),
    startedAt: first?.startedAt ?? run.startedAt ?? run.createdAt,
  };
}

/** The record of a repair: who did what, with a digest of what was given. */
function repairFact({ id, repairs }: RunRecord): ProvenanceFact {
  const repair = repairs.at(-1);
  const { action = "retry", stepId = null, by = "", at = "", version, digest } = repair ?? {};
  return {
    kind: "run",
    subjectId: `${id}/repairs/${repairs.length}`,
    runId: id,
    digest: digestOf({ runId: id, ...repair }),
    privacy: "internal",
    predicate: {
      action,
      stepId,
      by,
      at,
      ...(version !== undefined && { version, documentDigest: digest ?? null }),
    },
  };
}
