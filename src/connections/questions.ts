import { validate } from "../../packages/forms/src/index.ts";
import type { EffectOutcome } from "../kernel/effects.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import type { ConnectionRecord } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import { ANSWER_MS } from "../ports/pending-calls.ts";
import { sanitized } from "../kernel/sanitize.ts";
import { theirWords } from "./http-answer.ts";
import { scrubbed } from "./secrets.ts";

/** A caller that does not fill the form in right is not asked without end. */
const MOST_ASKED = 3;
/** A server that asks without end is not listened to without end. */
const MOST_QUESTIONS = 20;
const MAX_SCHEMA_CHARS = 64 * 1024;

/** What the server gets as an answer. */
export interface Answer {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Record<string, string | number | boolean | string[]>;
}

const NO_ANSWER: Answer = { action: "cancel" };

/** The questions that a server asks in the middle of a call, passed on to the caller where the caller can be asked. */
export class CallQuestions {
  readonly #connection: ConnectionRecord;
  readonly #context: CallContext;
  readonly #deadline: Deadline;
  /** What requests of the conversation carried as a credential. */
  secrets: ReadonlySet<string> = new Set();
  /** What was asked and could not be passed on. */
  #refused: string | null = null;
  #count = 0;

  constructor(connection: ConnectionRecord, context: CallContext, deadline: Deadline) {
    this.#connection = connection;
    this.#context = context;
    this.#deadline = deadline;
  }

  /** The caller's answer; none where the caller cannot be asked. */
  async answer(given: unknown): Promise<Answer> {
    const clean = scrubbed(sanitized(given, 50), this.secrets);
    const params = isJsonObject(clean) ? clean : {};
    const mode = params["mode"] === "url" ? "url" : "form";
    const { questions } = this.#context;
    const asked = typeof params["message"] === "string" ? params["message"].slice(0, 2_000) : "";
    this.#count += 1;
    if (this.#count > MOST_QUESTIONS) {
      throw new AppError(
        "unavailable",
        `${this.#connection.title} asked more than ${MOST_QUESTIONS} questions in one call; the call was ended.`,
        { nextAction: "Give arguments that leave less to ask." },
      );
    }
    const isTooMuch = JSON.stringify(params["requestedSchema"] ?? null).length > MAX_SCHEMA_CHARS;
    if (questions === undefined || !questions.modes.has(mode) || isTooMuch) {
      this.refuse(asked);
      return NO_ANSWER;
    }
    // The reader must know that the words are not ours.
    const message = `${this.#connection.title} asks: ${asked}`;
    let hint = "";
    for (let round = 0; round < MOST_ASKED; round++) {
      const answer = await this.#deadline.paused(() => questions.ask({ ...params, message: message + hint }));
      const read = answerOf(answer);
      if (read.action !== "accept" || mode === "url") return { action: read.action };
      const problem = problemOf(params["requestedSchema"], read.content ?? {});
      if (problem === null) return read;
      hint = ` (The last answer was invalid: ${problem})`;
    }
    throw new AppError(
      "invalid_input",
      `The answers to ${this.#connection.title} were invalid by its form ${MOST_ASKED} times.`,
    );
  }

  /** Notes a question that cannot be passed on. */
  refuse(asked: string): void {
    this.#refused ??= asked;
  }

  /** Throws when something was asked that the caller could not be asked: the result would not be what was wanted. */
  check(answered: string, effect: EffectOutcome): void {
    const first = this.#refused;
    if (first === null) return;
    const { title, name } = this.#connection;
    throw new AppError(
      "invalid_input",
      `${title} asks something in the middle of this call, and this caller cannot be asked.`,
      {
        nextAction:
          "Call it in the web app, with suitectl in a terminal, or with an MCP client that declares elicitation; in a workflow, give arguments that leave nothing to ask.",
        ...(effect === "unknown" && { effect }),
        details: {
          question: { ...theirWords(name, first) },
          ...(answered !== "" && { answered: { ...theirWords(name, answered) } }),
        },
      },
    );
  }
}

function answerOf({ action, content }: JsonObject): Answer {
  if (action !== "accept") return { action: action === "decline" ? "decline" : "cancel" };
  const values: Record<string, string | number | boolean | string[]> = {};
  for (const [name, value] of Object.entries(isJsonObject(content) ? content : {}))
    if (isPlain(value)) values[name] = value;
  return { action: "accept", content: values };
}

/** The protocol has flat forms only. */
function isPlain(value: Json | undefined): value is string | number | boolean | string[] {
  if (Array.isArray(value)) return value.every((item) => typeof item === "string");
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function problemOf(schema: Json | undefined, content: Record<string, unknown>): string | null {
  if (!isJsonObject(schema)) return null;
  const { verdict, problems } = validate(schema, content);
  if (verdict !== "invalid") return null;
  const [first] = problems;
  return first === undefined ? "it is not valid." : `${first.pointer.slice(1)} ${first.message}`.trim();
}

/** The time of a call, which stands still while its caller is asked. */
export class Deadline {
  readonly #controller = new AbortController();
  #left: number;
  #begun = performance.now();
  #timer: NodeJS.Timeout;
  #asking = 0;

  constructor(ms: number) {
    this.#left = ms;
    this.#timer = this.#start();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  async paused<T>(work: () => Promise<T>): Promise<T> {
    if (this.#asking++ === 0) {
      clearTimeout(this.#timer);
      this.#left -= performance.now() - this.#begun;
    }
    try {
      return await work();
    } finally {
      if (--this.#asking === 0) this.#timer = this.#start();
    }
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #start(): NodeJS.Timeout {
    this.#begun = performance.now();
    const abort = (): void => this.#controller.abort(new Error("timed out"));
    const timer = setTimeout(abort, Math.max(1, this.#left));
    timer.unref();
    return timer;
  }
}

/** How long a request may stay open: as long as the call, and while its caller is asked. */
export function longestMs(timeoutMs: number, { questions }: CallContext): number {
  return questions === undefined ? timeoutMs : timeoutMs + MOST_ASKED * ANSWER_MS;
}
