import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import process from "node:process";
import type { NamedSchema } from "./corpus-measure.ts";

/** What the anchor did with the same schemas. */
export interface AnchorReport {
  readonly schemas: number;
  readonly answered: number;
  readonly failed: number;
  readonly controls: number;
  readonly blanks: number;
  readonly opened: number;
  readonly unchanged: number;
  readonly turnedInvalid: number;
  readonly compiled: number;
  readonly verdicts: number;
  readonly verdictsRight: number;
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly slowestMs: number;
  readonly over250: number;
}

/** One schema as the anchor's thread answers. */
export interface AnchorAnswer {
  readonly ms: number;
  readonly controls: number;
  readonly blank: boolean;
  readonly opened: number;
  readonly unchanged: number;
  readonly turnedInvalid: number;
  readonly compiled: boolean;
  readonly verdicts: number;
  readonly verdictsRight: number;
  readonly failed: boolean;
}

const LIMIT_MS = 3_000;
const SAMPLE = 100;
const START_MS = 120_000;

/** Runs react-jsonschema-form in a thread with a time limit for each schema; null when bench/ is not installed. */
export async function runAnchor(all: readonly NamedSchema[]): Promise<AnchorReport | null> {
  const script = new URL("../bench/forms/anchor.ts", import.meta.url);
  if (!existsSync(fileURLToPath(new URL("../bench/node_modules/@rjsf/core", import.meta.url)))) {
    process.stderr.write(
      "bench/ is not installed; react-jsonschema-form is left out (npm ci --prefix bench).\n",
    );
    return null;
  }
  // All schemas of the stores and tools, and an even sample of the many operations.
  const others = all.filter(({ set }) => set !== "API operations");
  const operations = all.filter(({ set }) => set === "API operations");
  const step = Math.max(1, Math.ceil(operations.length / SAMPLE));
  const schemas = [...others, ...operations.filter((_, index) => index % step === 0)];
  const answers: AnchorAnswer[] = [];
  let worker: Worker | null = null;
  for (const entry of schemas) {
    worker ??= await opened(script);
    const answer = await ask(worker, entry);
    if (answers.length % 25 === 0) process.stderr.write(`anchor: ${answers.length} of ${schemas.length}\n`);
    if (answer) answers.push(answer);
    else {
      await worker.terminate();
      worker = null;
      answers.push(FAILED);
    }
  }
  await worker?.terminate();
  return summed(answers);
}

const FAILED: AnchorAnswer = {
  ms: LIMIT_MS,
  controls: 0,
  blank: false,
  opened: 0,
  unchanged: 0,
  turnedInvalid: 0,
  compiled: false,
  verdicts: 0,
  verdictsRight: 0,
  failed: true,
};

/** A thread that has loaded everything: the time limit is for the schema, not for the libraries. */
function opened(script: URL): Promise<Worker> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(script, { stderr: true, stdout: true });
    const timer = setTimeout(() => reject(new Error("the anchor did not start")), START_MS);
    worker.once("message", () => {
      clearTimeout(timer);
      resolve(worker);
    });
    worker.once("error", reject);
  });
}

function ask(worker: Worker, entry: NamedSchema): Promise<AnchorAnswer | null> {
  return new Promise((resolve) => {
    const end = (answer: AnchorAnswer | null): void => {
      clearTimeout(timer);
      worker.removeAllListeners();
      resolve(answer);
    };
    const timer = setTimeout(() => end(null), LIMIT_MS);
    worker.on("message", (answer: AnchorAnswer) => end(answer));
    worker.on("error", () => end(null));
    worker.postMessage(entry, []);
  });
}

function summed(answers: readonly AnchorAnswer[]): AnchorReport {
  const sum = (pick: (answer: AnchorAnswer) => number): number =>
    answers.reduce((total, answer) => total + pick(answer), 0);
  const times = answers.map((answer) => answer.ms).toSorted((a, b) => a - b);
  return {
    schemas: answers.length,
    answered: sum((answer) => Number(!answer.failed)),
    failed: sum((answer) => Number(answer.failed)),
    controls: sum((answer) => answer.controls),
    blanks: sum((answer) => Number(answer.blank)),
    opened: sum((answer) => answer.opened),
    unchanged: sum((answer) => answer.unchanged),
    turnedInvalid: sum((answer) => answer.turnedInvalid),
    compiled: sum((answer) => Number(answer.compiled)),
    verdicts: sum((answer) => answer.verdicts),
    verdictsRight: sum((answer) => answer.verdictsRight),
    medianMs: times[times.length >> 1] ?? 0,
    p95Ms: times[Math.floor(times.length * 0.95)] ?? 0,
    slowestMs: times.at(-1) ?? 0,
    over250: times.filter((time) => time > 250).length,
  };
}
