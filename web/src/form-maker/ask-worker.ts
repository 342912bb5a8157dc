import type { FormDocument } from "@workflow-ui/forms";
import type { GivenSchema } from "./compile-given.ts";
import type { FormAnswer, FormTask, SourceSummary } from "./form-worker.ts";
import type { PastedText } from "./pasted-sources.ts";

/*
 * The page's side of the worker that reads documents and makes forms. One task runs at a time; one that takes too long,
 * or that nobody waits for any more, is ended with the worker, and another worker takes the rest.
 */

/** How long one task may take; the page goes on working. */
const DEADLINE_MS = 10_000;
/** How long the worker's own code may take to load. */
const START_MS = 30_000;

const NOT_LOADED =
  "The part of this page that reads documents could not be loaded. Check your connection and bring the document again.";

interface Job {
  readonly task: FormTask;
  readonly done: (answer: FormAnswer) => void;
  readonly failed: (error: Error) => void;
}

const queue: Job[] = [];
let lastJob = 0;
let worker: Worker | null = null;
let isReady = false;
let running: { readonly id: number; readonly job: Job } | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

/** What is in a text that a person brought. Throws with a sentence that says what is wrong. */
export async function summarizeSource(own: PastedText, signal: AbortSignal): Promise<SourceSummary> {
  const { list } = await ask({ kind: "list", own }, signal);
  if (list === undefined) throw new Error("This could not be read.");
  return list;
}

/** The form of one part of a text. Throws with the reason when there is none. */
export function formOfPick(own: PastedText, id: string, signal: AbortSignal): Promise<FormDocument> {
  return formFrom({ kind: "pick", own, id }, signal);
}

/** The form of a schema, made in the worker. Throws with the reason when there is none. */
export function compileInWorker(given: GivenSchema, signal: AbortSignal): Promise<FormDocument> {
  return formFrom({ kind: "compile", given }, signal);
}

async function formFrom(task: FormTask, signal: AbortSignal): Promise<FormDocument> {
  const { form } = await ask(task, signal);
  if (form === undefined) throw new Error("No form could be made.");
  const document: FormDocument = JSON.parse(form);
  return document;
}

function ask(task: FormTask, signal: AbortSignal): Promise<FormAnswer> {
  return new Promise((done, failed) => {
    const job: Job = { task, done, failed };
    queue.push(job);
    signal.addEventListener("abort", () => drop(job), { once: true });
    if (worker === null) start();
    next();
  });
}

function start(): void {
  isReady = false;
  try {
    const opened = new Worker(new URL("./form-worker.ts", import.meta.url), { type: "module" });
    worker = opened;
    opened.addEventListener("message", ({ data }: MessageEvent<FormAnswer>) => {
      if (worker === opened) received(data);
    });
    opened.addEventListener("error", () => {
      if (worker === opened) fail(NOT_LOADED);
    });
    timer = setTimeout(() => fail(NOT_LOADED), START_MS);
  } catch {
    fail(NOT_LOADED);
  }
}

function received(answer: FormAnswer): void {
  clearTimeout(timer);
  if (answer.id === 0) isReady = true;
  const job = running?.id === answer.id ? running.job : null;
  if (job !== null) running = null;
  if (answer.problem === undefined) job?.done(answer);
  else job?.failed(new Error(answer.problem));
  next();
}

function next(): void {
  if (!isReady || running !== null) return;
  const job = queue.shift();
  if (job === undefined) return;
  lastJob += 1;
  running = { id: lastJob, job };
  timer = setTimeout(() => overdue(job), DEADLINE_MS);
  worker?.postMessage({ id: lastJob, task: job.task });
}

function overdue({ task, failed }: Job): void {
  end();
  const seconds = DEADLINE_MS / 1_000;
  failed(
    new Error(
      task.kind === "list"
        ? `This text takes too long to read: it was stopped after ${seconds} s. Bring a part of it, or JSON instead of YAML.`
        : `This schema takes too long to draw: it was stopped after ${seconds} s. Bring a part of it, such as one definition, or have it refer to itself less often.`,
    ),
  );
  goOn();
}

/** Nobody waits for a task any more. */
function drop(job: Job): void {
  const at = queue.indexOf(job);
  if (at !== -1) queue.splice(at, 1);
  else if (running?.job === job) {
    end();
    goOn();
  } else return;
  job.failed(new Error("It is not wanted any more."));
}

/** The worker cannot be used: everything that waits is rejected. */
function fail(reason: string): void {
  const waiting = [...(running === null ? [] : [running.job]), ...queue.splice(0)];
  end();
  for (const job of waiting) job.failed(new Error(reason));
}

function end(): void {
  clearTimeout(timer);
  worker?.terminate();
  worker = null;
  running = null;
}

function goOn(): void {
  if (queue.length > 0) start();
}
