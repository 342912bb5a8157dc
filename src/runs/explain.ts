import type { RunExplanation } from "../model/repairs.ts";
import { runHasEnded } from "../model/states.ts";
import type { Caller } from "../ports/caller.ts";
import type { RunRecord, StepRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import { parseDocument } from "../workflows/document.ts";
import { accessLevelOf } from "../approvals/access-level.ts";
import { Names } from "../approvals/assignees.ts";
import { settledOf } from "./confirmation.ts";

const MOST_NAMED = 5;

/** A run in words: what happened, why it stands where it stands, and what can be done. Strangers read no values. */
export async function explainRun(
  services: Services,
  run: RunRecord,
  caller: Caller,
): Promise<RunExplanation> {
  const { store } = services;
  const steps = (await store.read.runs.steps(run.id)).toSorted(
    (a, b) => order(a.startedAt, b.startedAt) || order(a.finishedAt, b.finishedAt),
  );
  const isPublic = accessLevelOf(caller, run) === "public";
  const document = await store.read.runs.document(run.documentDigest);
  const titles = new Map(
    parseDocument(document ?? {}).document.nodes.map(({ id, title }) => [id, title ?? id]),
  );
  const named = (stepId: string): string => {
    const [top = stepId] = stepId.split("[", 1);
    const [, item] = /\[(\d+)\]/.exec(stepId) ?? [];
    return `"${titles.get(top) ?? top}"${item === undefined ? "" : ` (item ${Number(item) + 1})`}`;
  };
  const sentences = [beginning(run), ...progress(steps.filter(isTop), named)];
  // Of items of a map that ended in the same way, the first ones are named and the others counted.
  const groups = Map.groupBy(steps, ({ stepId, state }) => `${stepId.replaceAll(/\[\d+\]/g, "[]")} ${state}`);
  for (const group of groups.values()) {
    const about = group.map((step) => aboutStep(step, named, isPublic)).filter(({ length }) => length > 0);
    sentences.push(...about.slice(0, MOST_NAMED).flat());
    const more = about.length - MOST_NAMED;
    if (more > 0) sentences.push(`So it is with ${more} more ${more === 1 ? "item" : "items"}.`);
  }
  const names = new Names(services);
  for (const { action, stepId, by, reason, version } of isPublic ? [] : run.repairs) {
    const where = stepId === null ? "" : ` of the step ${named(stepId)}`;
    const what = version === undefined ? action.replace("_", " ") : `continue on version ${version}`;
    sentences.push(
      `${await callerName(names, by)} repaired it: ${what}${where}${reason === null ? "" : ` ("${reason}")`}.`,
    );
  }
  const attempts = isPublic ? [] : await store.read.runs.attempts(run.id);
  for (const step of steps) {
    const settled = settledOf(step, attempts);
    if (settled === null) continue;
    const why = settled.reason === null ? "" : ` ("${settled.reason}")`;
    const name = await callerName(names, settled.by);
    sentences.push(
      `${name} reported ${named(step.stepId)} as ${settled.outcome}${why}; nothing confirmed it.`,
    );
  }
  sentences.push(ending(run, steps, named, isPublic));
  return { runId: run.id, sentences, next: nextSteps(run, steps) };
}

async function callerName(names: Names, id: string): Promise<string> {
  return id.startsWith("person_") ? names.of(id) : "A key";
}

function beginning({ kind, workflowVersion, createdAt, parentRunId }: RunRecord): string {
  const what = kind === "dry_run" ? "A dry run" : "The run";
  const of = workflowVersion === null ? "the draft" : `version ${workflowVersion}`;
  const by = parentRunId === null ? "" : " by another run";
  return `${what} of ${of} was started${by} on ${timeWords(createdAt)}.`;
}

/** A time for a sentence, to the minute. */
function timeWords(iso: string): string {
  return `${iso.slice(0, 10)} at ${iso.slice(11, 16)} UTC`;
}

function progress(steps: readonly StepRecord[], named: (id: string) => string): string[] {
  const of = (state: string): readonly StepRecord[] => steps.filter((step) => step.state === state);
  const list = (found: readonly StepRecord[]): string => {
    const names = found.slice(0, MOST_NAMED).map(({ stepId }) => named(stepId));
    const more = found.length - names.length;
    return names.join(", ") + (more > 0 ? ` and ${more} more` : "");
  };
  const [done, skipped, cancelled] = [of("succeeded"), of("skipped"), of("cancelled")];
  return [
    ...(done.length > 0 ? [`${count(done.length)} succeeded: ${list(done)}.`] : []),
    ...(skipped.length > 0 ? [`${count(skipped.length)} left out: ${list(skipped)}.`] : []),
    ...(cancelled.length > 0
      ? [`${count(cancelled.length)} stopped before the end: ${list(cancelled)}.`]
      : []),
  ];
}

/** Times in their order; what has none comes last. */
function order(a: string | null, b: string | null): number {
  return a === b ? 0 : a === null || (b !== null && a > b) ? 1 : -1;
}

/** False for items of a map and the steps inside them: a reader counts the steps of the workflow. */
function isTop({ stepId }: StepRecord): boolean {
  return !/[[.]/.test(stepId);
}

function count(many: number): string {
  return many === 1 ? "1 step" : `${many} steps`;
}

function aboutStep(
  { stepId, state, attempt, port, error, wakeAt }: StepRecord,
  named: (id: string) => string,
  isPublic: boolean,
): string[] {
  const name = named(stepId);
  const attempts = attempt > 1 ? ` after ${attempt} attempts` : "";
  const why = isPublic ? "" : reasonIn(error);
  if (state === "failed")
    return [
      `The step ${name} failed${attempts}${why}${port === "error" ? "; the workflow went on along its error path" : ""}.`,
    ];
  if (state === "outcome_unknown")
    return [`Whether the step ${name} had its effect is not known${why}: a person has to settle it.`];
  if (state === "waiting")
    return [`The step ${name} waits${wakeAt === null ? "" : ` until ${timeWords(wakeAt)} at most`}.`];
  if (state === "backoff")
    return [
      `The step ${name} failed${why} and is attempted again${wakeAt === null ? "" : ` on ${timeWords(wakeAt)}`}.`,
    ];
  return state === "running" ? [`The step ${name} is running.`] : [];
}

function reasonIn(error: StepRecord["error"]): string {
  const message = error?.["message"] ?? error?.["code"];
  return typeof message === "string" ? ` (${message.replace(/\.$/, "")})` : "";
}

function ending(
  { state, error, finishedAt }: RunRecord,
  steps: readonly StepRecord[],
  named: (id: string) => string,
  isPublic: boolean,
): string {
  const at = finishedAt === null ? "" : ` on ${timeWords(finishedAt)}`;
  const step = error?.["step"];
  const where = typeof step === "string" ? ` because of the step ${named(step)}` : "";
  // The sentence about that step has the reason already.
  const isSaid = isPublic || steps.some(({ stepId, state: ended }) => stepId === step && ended === "failed");
  switch (state) {
    case "succeeded":
      return `It succeeded${at}.`;
    case "failed":
      return `It failed${at}${where}${isSaid ? "" : reasonIn(error)}.`;
    case "timed_out":
      return `It took longer than its policy allows and ended${at}.`;
    case "cancelled":
      return `It was cancelled${at}.`;
    case "cancelling":
      return "It was cancelled; steps that are under way are being stopped.";
    case "waiting":
      return "It is waiting.";
    case "queued":
    case "running":
      return "It is not finished.";
  }
}

function nextSteps(
  { id, kind, state, error, detailsRemovedAt }: RunRecord,
  steps: readonly StepRecord[],
): string[] {
  const unknown = steps.find((step) => step.state === "outcome_unknown");
  if (unknown !== undefined && !runHasEnded(state))
    return [`Settle the step: suitectl runs settle ${id} ${unknown.stepId} --outcome …`];
  if (kind !== "run" || detailsRemovedAt !== null || (state !== "failed" && state !== "timed_out")) return [];
  const step = error?.["step"];
  const at = typeof step === "string" ? step : null;
  return [
    `Retry what failed: suitectl runs retry ${id}`,
    ...(at === null
      ? []
      : [
          `Change the input of the step, give its output or skip it: suitectl runs repair ${id} ${at} --input …, --output … or --skip, with --reason`,
        ]),
    `Publish a corrected version and continue on it: suitectl runs repair ${id} --continue`,
  ];
}
