import type { FormDocument } from "../compile/document.ts";
import type { FormValue } from "../values/json.ts";
import { asDrawn } from "../values/values.ts";
import { type Validation, validateForm } from "../check/validate.ts";
import type { CheckRequest } from "./check-worker.ts";
import type { FieldProblem } from "./form-store.ts";
import { openWorker } from "./open-worker.ts";

/*
 * Full validation by the same validator that the server runs, in a worker with a deadline. Where there are no workers
 * it runs in the page within a number of steps, and leaves patterns that could take long undecided. This module is
 * loaded when a form is first checked, not with the page.
 */

/** How long one check may take; the page goes on working. */
const DEADLINE_MS = 3_000;
/** How long the worker's own code may take to load. */
const START_MS = 15_000;

interface Job {
  readonly form: FormDocument;
  readonly value: string;
  readonly done: (validation: Validation) => void;
}

const numbers = new WeakMap<FormDocument, number>();
const queue: Job[] = [];
let lastForm = 0;
let lastJob = 0;
/** Undefined before the first check, null where workers cannot be used. */
let worker: Worker | null | undefined;
let isReady = false;
let sent = new Set<number>();
let running: { readonly id: number; readonly job: Job } | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

/** The verdict on a form's value: valid, invalid, or unknown with the reason; problems at the fields that are drawn. */
export async function validateValue(form: FormDocument, value: FormValue | undefined): Promise<Validation> {
  const found = await check(form, value);
  const begun = found.problems.length === 0 ? value : asDrawn(form, value);
  const drawn = begun === value ? found : await check(form, begun);
  return drawn.problems.length === 0 ? found : drawn;
}

function check(form: FormDocument, value: FormValue | undefined): Promise<Validation> {
  if (worker === undefined) start();
  if (worker === null) return Promise.resolve(validateForm(form, value));
  return new Promise((done) => {
    queue.push({ form, value: JSON.stringify(value ?? null), done });
    next();
  });
}

/** Everything that is wrong with a value, each at the field where it can be fixed. */
export async function findProblems(
  form: FormDocument,
  value: FormValue | undefined,
): Promise<readonly FieldProblem[]> {
  return (await validateValue(form, value)).problems;
}

function start(): void {
  isReady = false;
  sent = new Set();
  const opened = openWorker();
  worker = opened;
  if (opened === null) return;
  opened.addEventListener("message", ({ data }: MessageEvent<{ id: number; answer: Validation | null }>) => {
    if (worker === opened) received(data.id, data.answer);
  });
  opened.addEventListener("error", () => {
    if (worker === opened) withoutWorker();
  });
  timer = setTimeout(withoutWorker, START_MS);
}

/** The worker cannot be loaded: what waits is checked here. */
function withoutWorker(): void {
  clearTimeout(timer);
  worker?.terminate();
  worker = null;
  const waiting = [...(running ? [running.job] : []), ...queue.splice(0)];
  running = null;
  for (const { form, value, done } of waiting) done(validateForm(form, JSON.parse(value)));
}

function received(id: number, answer: Validation | null): void {
  if (id === 0) isReady = true;
  else if (running?.id !== id) return;
  clearTimeout(timer);
  const job = running?.job;
  running = null;
  if (job !== undefined && answer === null) {
    sent.delete(numberOf(job.form));
    queue.unshift(job);
  } else if (job !== undefined && answer !== null) job.done(answer);
  next();
}

function next(): void {
  if (!isReady || running !== null) return;
  const job = queue.shift();
  if (job === undefined) return;
  const form = numberOf(job.form);
  lastJob += 1;
  running = { id: lastJob, job };
  const request: CheckRequest = {
    id: lastJob,
    form,
    ...(!sent.has(form) && { validation: job.form.validation }),
    value: job.value,
  };
  sent.add(form);
  timer = setTimeout(stop, DEADLINE_MS);
  worker?.postMessage(request);
}

/** The time of a check is over: the worker is ended, and another one takes the rest. */
function stop(): void {
  worker?.terminate();
  const job = running?.job;
  running = null;
  start();
  job?.done({
    verdict: "unknown",
    problems: [],
    reason: "Checking this value against its schema takes too long; it was stopped.",
  });
}

function numberOf(form: FormDocument): number {
  let number = numbers.get(form);
  if (number === undefined) numbers.set(form, (number = ++lastForm));
  return number;
}
