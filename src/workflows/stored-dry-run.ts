import { statusOf } from "../model/status.ts";
import { digestOf } from "../kernel/canonical-json.ts";
import { AppError } from "../kernel/errors.ts";
import { newId } from "../kernel/ids.ts";
import { isJsonObject, isObject, type Json, type JsonObject } from "../kernel/json.ts";
import { unfitInputs } from "../kernel/schema-words.ts";
import { childOf, traceparentOf } from "../kernel/trace.ts";
import { runOfCall } from "../ports/meta-keys.ts";
import { contextWith } from "../ports/call-context.ts";
import { VERDICTS } from "../model/states.ts";
import { allows, readsPrivate } from "../ports/caller.ts";
import type { DryRun } from "../model/plans.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { RunRecord } from "../ports/records.ts";
import { checkFor, type Checked } from "./checking.ts";
import { cutAfter } from "./cut.ts";
import { documentDigest, documentJson, parseDocument, type ParsedDocument } from "./document.ts";
import { dryRun, type DryRunResult, type DryStep } from "./dry-run.ts";
import { invalid } from "./library.ts";
import { quoted } from "./problems.ts";
import { sampleOf } from "./sample.ts";
import type { WorkflowDocument } from "./schema.ts";
import { loadView } from "./views.ts";

const BUDGET_MS = 10_000;
/** Read-only tools that a dry run really calls; beyond that samples are used. */
const MAX_CALLS = { anonymous: 25, keyed: 500 };
const MAX_SHOWN_CHARS = 8_000;
const MAX_TRACE_CHARS = 1_000_000;
const MAX_KEPT_CHARS = 64_000;

/** Dry-runs a document for a caller, and stores the run with its trace when the caller's key allows it. */
export async function storedDryRun(
  given: JsonObject,
  workflow: { readonly id: string; readonly version: number | null } | null,
  suppliedInputs: JsonObject,
  context: CallContext,
): Promise<DryRun> {
  const { services, caller } = context;
  const verdict = await checkFor(given, workflow?.id ?? null, context);
  const document = soundPart(parseDocument(given), verdict, context);
  const view = await loadView(document, context);
  const { inputs, assumed } = completeInputs(document.inputs, suppliedInputs);
  await checkInputs(document.inputs, inputs, context);
  const mayStore = allows(caller, "run") || allows(caller, "write");
  const runId = newId("run");
  const startedAt = services.clock.now();
  const recorded =
    mayStore && workflow !== null ? await earlierOutputs(workflow.id, context) : new Map<string, Json>();
  const verdicts = context.meta["svc/decisions"];
  const samples = context.meta["svc/samples"];
  const trace = childOf(context.trace);
  let calls = mayStore ? MAX_CALLS.keyed : MAX_CALLS.anonymous;
  const result = await dryRun(document, inputs, {
    view,
    runId,
    workflowId: workflow?.id ?? null,
    startedAt,
    signal: AbortSignal.any([context.signal, AbortSignal.timeout(BUDGET_MS)]),
    pinned: (stepId) =>
      isJsonObject(samples) && Object.hasOwn(samples, stepId) ? samples[stepId] : undefined,
    recorded: (stepId) => recorded.get(stepId),
    verdict: (stepId) =>
      VERDICTS.find((verdict) => isObject(verdicts) && verdicts[stepId] === verdict) ?? "approved",
    execute: async (tool, args) => {
      if (calls-- <= 0) return { output: null, note: "Enough tools were called; a sample is used instead." };
      const call = contextWith(context, { trace: childOf(trace), meta: {}, dryRun: true });
      try {
        const { ok, data } = await services.catalog.call(tool.name, args, call);
        if (ok) return { output: { ok, data }, note: null };
        const code = isObject(data["error"]) ? data["error"]["code"] : data["status"];
        const answer = typeof code === "string" ? code : "no result";
        return { output: null, note: `The call answered ${answer}; a sample is used instead.` };
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return { output: null, note: `The call was refused (${error.code}); a sample is used instead.` };
      }
    },
  });
  const base = {
    kind: "dry_run" as const,
    state: result.result.state,
    outputs: result.result.outputs,
    error: result.result.error,
    inputs,
    assumedInputs: assumed,
    documentDigest: documentDigest(document),
    warnings: verdict.warnings,
    blocked: result.blocked,
    resultConfirmed: false as const,
    unconfirmedSteps: result.unconfirmed,
    nextAction: nextActionOf(result),
    skippedMs: result.skippedMs,
    trace: { traceId: trace.traceId, traceparent: traceparentOf(trace), steps: traceOf(result.steps) },
  };
  if (!mayStore || services.store.kind === "none") {
    const reason = mayStore
      ? "No storage is configured."
      : "A key with the scope run or write is needed to keep a dry run.";
    return { ...base, runId: null, persisted: false, persistence: reason };
  }
  const record: RunRecord = {
    id: runId,
    workflowId: workflow?.id ?? null,
    workflowVersion: workflow?.version ?? null,
    documentDigest: base.documentDigest,
    kind: "dry_run",
    state: result.result.state,
    visibility: "private",
    inputs,
    outputs: result.result.outputs,
    error: result.result.error,
    traceId: trace.traceId,
    spanId: trace.spanId,
    parentSpanId: trace.parentSpanId,
    epoch: 0,
    worker: null,
    wakeAt: null,
    startedBy: caller.id,
    actsFor: caller.id,
    actsVia: null,
    scopes: [],
    parentRunId: null,
    parentStepId: null,
    handoffId: null,
    resolved: null,
    createdAt: new Date(startedAt).toISOString(),
    startedAt: new Date(startedAt).toISOString(),
    finishedAt: new Date(services.clock.now()).toISOString(),
    repairs: [],
    detailsRemovedAt: null,
  };
  await keep(record, documentJson(document), result, context);
  return { ...base, runId, persisted: true, persistence: "The dry run and its trace are stored." };
}

/** What is to be dry-run: the document, or what leads to the step that `_meta["svc/until"]` names. */
function soundPart(
  parsed: ParsedDocument,
  { problems, errors: all, omitted }: Checked,
  { meta }: CallContext,
): WorkflowDocument {
  const until = meta["svc/until"];
  const whole = { document: parsed.document, problems };
  const part = typeof until === "string" ? cutAfter(parsed, problems, until) : whole;
  if (part === null) {
    const known = parsed.document.nodes.map(({ id }) => id);
    const wanted = typeof until === "string" ? quoted(until) : "";
    throw new AppError("invalid_input", `There is no step ${wanted} to dry-run up to.`, {
      nextAction: `Name one of ${known.slice(0, 20).join(", ")} in \`_meta["svc/until"]\`.`,
    });
  }
  // With more problems than are listed, those of this part cannot be separated from the others.
  const errors = omitted > 0 ? all : part.problems.filter(({ severity }) => severity === "error").length;
  if (errors > 0) {
    const found = errors === 1 ? "1 problem" : `${errors} problems`;
    throw invalid(`The workflow has ${found}; it cannot be dry-run.`, part.problems);
  }
  return part.document;
}

/** What has to be set up before a run of this could be confirmed; null when nothing is missing. */
function nextActionOf({ unconfirmed }: DryRunResult): string | null {
  const missing = unconfirmed.filter(({ confirmable }) => !confirmable);
  if (missing.length === 0) return null;
  const steps = [...new Set(missing.map(({ stepId }) => stepId))].join(", ");
  const actions = [...new Set(missing.flatMap(({ nextAction }) => nextAction ?? []))].join(" ");
  return `A run could not confirm ${steps}. ${actions}`;
}

/** The inputs with what is missing filled in from the schema, and the names of what was. */
function completeInputs(
  schema: JsonObject,
  given: JsonObject,
): { inputs: JsonObject; assumed: readonly string[] } {
  const sample = sampleOf(schema);
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const assumed: [string, Json][] = [];
  for (const name of required) {
    if (typeof name !== "string" || Object.hasOwn(given, name)) continue;
    assumed.push([name, (isObject(sample) ? sample[name] : undefined) ?? "sample"]);
  }
  const inputs = { ...defaultsOf(schema, given), ...given, ...Object.fromEntries(assumed) };
  return { inputs, assumed: assumed.map(([name]) => name) };
}

/** Reports every input that does not fit, with its pointer, as run_workflow does. */
async function checkInputs(schema: JsonObject, inputs: JsonObject, context: CallContext): Promise<void> {
  const { validator } = context.services;
  const verdict = await validator.validate(schema, inputs, context.signal);
  if (verdict.valid) return;
  const nextAction = "Correct these inputs, or leave them out to have them made up from the schema.";
  throw unfitInputs(schema, inputs, verdict.errors, nextAction);
}

function defaultsOf(schema: JsonObject, given: JsonObject): JsonObject {
  const { properties } = schema;
  const defaults: [string, Json][] = [];
  for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
    const preset = isObject(property) ? property["default"] : undefined;
    if (preset !== undefined && !Object.hasOwn(given, name)) defaults.push([name, preset]);
  }
  return Object.fromEntries(defaults);
}

/** Outputs of the newest run of this workflow that succeeded, by step. */
async function earlierOutputs(workflowId: string, context: CallContext): Promise<ReadonlyMap<string, Json>> {
  const { runs } = context.services.store.read;
  const page = await runs.list({ limit: 10 }, { workflowId, states: ["succeeded"] });
  const newest = page.items.find(
    ({ kind, startedBy }) => kind === "run" && readsPrivate(context.caller, startedBy),
  );
  const outputs = new Map<string, Json>();
  if (newest === undefined) return outputs;
  for (const step of await runs.steps(newest.id)) {
    if (step.state === "succeeded" && step.output !== null) outputs.set(step.stepId, step.output);
  }
  return outputs;
}

async function keep(
  record: RunRecord,
  document: JsonObject,
  result: DryRunResult,
  context: CallContext,
): Promise<void> {
  const { store, provenance } = context.services;
  await store.transact(async (tx) => {
    await tx.runs.putDocument(record.documentDigest, document);
    await tx.runs.insert(record);
    await tx.runs.putSteps(
      result.steps.map(({ record: step }) => ({ ...step, output: short(step.output, MAX_KEPT_CHARS) })),
    );
    await tx.events.append([
      {
        type: `svc.run.${record.state}`,
        subject: record.id,
        traceparent: traceparentOf(context.trace),
        data: {
          id: record.id,
          ...statusOf(record),
          workflowId: record.workflowId,
          kind: "dry_run",
          startedBy: record.startedBy,
          error: record.error,
        },
        publicData: null,
        madeIn: runOfCall(context.meta),
      },
    ]);
    await provenance.append(tx, [
      {
        kind: "run",
        subjectId: record.id,
        runId: record.id,
        digest: digestOf({
          inputs: record.inputs,
          outputs: record.outputs,
          documentDigest: record.documentDigest,
        }),
        privacy: "internal",
        predicate: {
          kind: "dry_run",
          state: record.state,
          documentDigest: record.documentDigest,
          workflowId: record.workflowId,
        },
      },
    ]);
  });
}

/** The steps as the answer shows them: large values cut short, and all of them together bounded. */
function traceOf(steps: readonly DryStep[]): DryRun["trace"]["steps"] {
  let left = MAX_TRACE_CHARS;
  const show = (value: Json): Json => {
    const cut = short(value, Math.min(MAX_SHOWN_CHARS, left));
    left = Math.max(0, left - JSON.stringify(cut).length);
    return cut;
  };
  return steps.map(({ record, source, note }) => ({
    stepId: record.stepId,
    state: record.state,
    port: record.port,
    source,
    ...(note !== null && { note }),
    input: show(record.input),
    output: show(record.output),
    error: record.error,
  }));
}

function short(value: Json, most: number): Json {
  const text = JSON.stringify(value);
  if (text.length <= most) return value;
  return { $truncated: true, characters: text.length, begin: text.slice(0, Math.min(500, most)) };
}
