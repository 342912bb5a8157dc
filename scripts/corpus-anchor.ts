import { fork, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import process from "node:process";
import type { NamedSchema } from "./corpus-measure.ts";

/** What the anchor did with the same schemas. */
export interface AnchorReport {
  readonly schemas: number;
  readonly answered: number;
  readonly threw: number;
  readonly timedOut: number;
  readonly controls: number;
  readonly blanks: number;
  readonly opened: number;
  readonly unchanged: number;
  readonly turnedInvalid: number;
  readonly compiled: number;
  readonly notCompiled: number;
  readonly checkTimedOut: number;
  readonly verdicts: number;
  readonly verdictsRight: number;
  readonly ms: readonly number[];
  readonly cpuMs: readonly number[];
}

/** Why a schema has no answer: the anchor threw, or was stopped. */
type Outcome = "answered" | "threw" | "timed_out";

/** One schema as the anchor answers. */
interface Answer {
  outcome: Outcome;
  check: "compiled" | "not_compiled" | "timed_out" | "not_reached";
  ms: number;
  cpuMs: number;
  controls: number;
  blank: boolean;
  opened: number;
  unchanged: number;
  turnedInvalid: number;
  verdicts: number;
  verdictsRight: number;
}

/** For each of the two parts of a schema: what it renders, and its validator with the instances. */
export const LIMIT_MS = 2_000;
/** For all of them together: what was not reached is left out, and the page says how much was. */
const BUDGET_MS = 360_000;
const START_MS = 60_000;
const PROCESSES = 2;
/** Its validator keeps every schema that it has compiled; a new process every N schemas keeps memory in bounds. */
const MOST_FOR_ONE = 300;
const SCRIPT = new URL("../bench/forms/anchor.ts", import.meta.url);

/** Runs react-jsonschema-form in processes that are killed when they take too long; null when bench/ is not installed. */
export async function runAnchor(all: readonly NamedSchema[]): Promise<AnchorReport | null> {
  if (!existsSync(fileURLToPath(new URL("../bench/node_modules/@rjsf/core", import.meta.url)))) {
    process.stderr.write(
      "bench/ is not installed; react-jsonschema-form is left out (npm ci --prefix bench).\n",
    );
    return null;
  }
  const answers: Answer[] = [];
  const schemas = evenly(all);
  let next = 0;
  const started = Date.now();
  const progress = setInterval(() => {
    const seconds = Math.round((Date.now() - started) / 1_000);
    process.stderr.write(`react-jsonschema-form: ${answers.length} of ${schemas.length}, ${seconds} s\n`);
  }, 5_000);
  const work = async (): Promise<void> => {
    let child: ChildProcess | null = null;
    let served = 0;
    for (let entry = schemas[next++]; entry; entry = schemas[next++]) {
      if (Date.now() - started > BUDGET_MS) break;
      child ??= await opened();
      const answer = await ask(child, entry);
      answers.push(answer);
      served += 1;
      const stopped = answer.outcome === "timed_out" || answer.check === "timed_out";
      if (!stopped && served < MOST_FOR_ONE && child.connected) continue;
      child.kill("SIGKILL");
      child = null;
      served = 0;
    }
    child?.kill("SIGKILL");
  };
  try {
    await Promise.all(Array.from({ length: PROCESSES }, work));
  } finally {
    clearInterval(progress);
  }
  return summed(answers);
}

/** Schemas with instances and tools first, then the many operations in an order that is an even sample wherever it ends. */
function evenly(all: readonly NamedSchema[]): NamedSchema[] {
  const operations = all.filter(({ set }) => set === "API operations");
  const spread = operations
    .map((entry, index) => ({ entry, order: (index * 0.618_033_988_75) % 1 }))
    .sort((a, b) => a.order - b.order)
    .map(({ entry }) => entry);
  return [...all.filter(({ set }) => set !== "API operations"), ...spread];
}

/** A process that has loaded everything: the time limit is for the schema, not for the libraries. */
function opened(): Promise<ChildProcess> {
  return new Promise((resolve, reject) => {
    const child = fork(SCRIPT, { stdio: ["ignore", "ignore", "ignore", "ipc"], serialization: "advanced" });
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error("the anchor did not start"));
    }, START_MS);
    child.once("message", () => {
      clearTimeout(timer);
      resolve(child);
    });
    child.once("exit", (code) => reject(new Error(`the anchor ended with code ${String(code)}`)));
  });
}

/** Both answers of one schema, or how far it came in time. */
function ask(child: ChildProcess, { schema, positive, negative }: NamedSchema): Promise<Answer> {
  const answer: Answer = {
    outcome: "timed_out",
    check: "not_reached",
    ms: LIMIT_MS,
    cpuMs: LIMIT_MS,
    controls: 0,
    blank: false,
    opened: 0,
    unchanged: 0,
    turnedInvalid: 0,
    verdicts: 0,
    verdictsRight: 0,
  };
  return new Promise((resolve) => {
    let timer = setTimeout(end, LIMIT_MS);
    function end(): void {
      clearTimeout(timer);
      child.removeAllListeners();
      resolve(answer);
    }
    child.on("message", (message) => {
      clearTimeout(timer);
      if (take(answer, message)) end();
      else timer = setTimeout(end, LIMIT_MS);
    });
    // Out of memory counts as thrown: there is no answer, and it did not take too long.
    child.once("exit", () => {
      if (answer.outcome === "timed_out") answer.outcome = "threw";
      else answer.check = "not_compiled";
      end();
    });
    child.send({ schema, positive, negative });
  });
}

/** Adds a message to the answer; true when it was the last one. */
function take(answer: Answer, message: unknown): boolean {
  const given: Record<string, unknown> =
    typeof message === "object" && message !== null ? Object.fromEntries(Object.entries(message)) : {};
  const number = (key: string): number => (typeof given[key] === "number" ? given[key] : 0);
  if (given["phase"] === "rendered") {
    answer.outcome = given["threw"] === true ? "threw" : "answered";
    answer.check = "timed_out";
    answer.ms = number("ms");
    answer.cpuMs = number("cpuMs");
    answer.controls = number("controls");
    answer.blank = given["blank"] === true;
    return false;
  }
  answer.check = given["compiled"] === true ? "compiled" : "not_compiled";
  answer.opened = number("opened");
  answer.unchanged = number("unchanged");
  answer.turnedInvalid = number("turnedInvalid");
  answer.verdicts = number("verdicts");
  answer.verdictsRight = number("verdictsRight");
  return true;
}

function summed(answers: readonly Answer[]): AnchorReport {
  const sum = (pick: (answer: Answer) => number): number =>
    answers.reduce((total, answer) => total + pick(answer), 0);
  const count = (test: (answer: Answer) => boolean): number => answers.filter(test).length;
  return {
    schemas: answers.length,
    answered: count(({ outcome }) => outcome === "answered"),
    threw: count(({ outcome }) => outcome === "threw"),
    timedOut: count(({ outcome }) => outcome === "timed_out"),
    controls: sum(({ controls }) => controls),
    blanks: count(({ blank }) => blank),
    opened: sum((answer) => answer.opened),
    unchanged: sum((answer) => answer.unchanged),
    turnedInvalid: sum((answer) => answer.turnedInvalid),
    compiled: count(({ check }) => check === "compiled"),
    notCompiled: count(({ check }) => check === "not_compiled"),
    checkTimedOut: count(({ check }) => check === "timed_out"),
    verdicts: sum((answer) => answer.verdicts),
    verdictsRight: sum((answer) => answer.verdictsRight),
    ms: answers.map(({ ms }) => ms),
    cpuMs: answers.map(({ cpuMs }) => cpuMs),
  };
}
