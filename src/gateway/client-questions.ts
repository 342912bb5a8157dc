import { AppError } from "../kernel/errors.ts";
import { randomHex } from "../kernel/ids.ts";
import { isJsonObject, isObject, type JsonObject } from "../kernel/json.ts";
import type { QuestionMode } from "../ports/definitions.ts";
import { ANSWER_MS, questionModes } from "../ports/pending-calls.ts";

const PREFIX = "question-";
const MOST_OPEN = 64;
const MOST_OF_ONE = 16;

/** The header by which clients of revisions before 2026-07-28 repeat what they can do. */
export const SESSION_HEADER = "mcp-session-id";

/**
 * The session of a client that can be asked. Nothing is kept for it: those revisions name their capabilities once, so
 * the id that the client sends with every later request says what they were.
 */
export function sessionHeaders({ capabilities }: Readonly<Record<string, unknown>>): string[] | null {
  const modes = questionModes(isObject(capabilities) ? capabilities["elicitation"] : undefined);
  return modes === null ? null : [SESSION_HEADER, `asks.${[...modes].join("+")}.${randomHex(12)}`];
}

/** How the client of a session can be asked; null when it cannot. */
export function modesOfSession(session: unknown): ReadonlySet<QuestionMode> | null {
  const named =
    typeof session === "string" ? /^asks\.([a-z+]{1,20})\.[0-9a-f]{24}$/.exec(session)?.[1] : null;
  const modes = (named ?? "").split("+").filter((mode) => mode === "form" || mode === "url");
  return modes.length === 0 ? null : new Set(modes);
}

/** True for the id of a question that a call of this service could have asked. */
export function isQuestionId(id: string): boolean {
  return id.startsWith(PREFIX);
}

interface Open {
  readonly caller: string;
  readonly resolve: (answer: JsonObject) => void;
}

/** Questions on their way to clients of revisions before 2026-07-28, whose answers come as requests of their own. */
export class ClientQuestions {
  readonly #open = new Map<string, Open>();

  /** Sends a question with `send` and waits for its answer: until it comes, the client is gone, or it is too late. */
  async ask(
    caller: string,
    params: JsonObject,
    signal: AbortSignal,
    send: (message: JsonObject) => void,
  ): Promise<JsonObject> {
    const ofCaller = [...this.#open.values()].filter((open) => open.caller === caller).length;
    if (this.#open.size >= MOST_OPEN || ofCaller >= MOST_OF_ONE) {
      throw new AppError("overloaded", "Too many calls wait for an answer of their caller already.");
    }
    const id = `${PREFIX}${randomHex(12)}`;
    const late = AbortSignal.timeout(ANSWER_MS);
    const ended = AbortSignal.any([signal, late]);
    try {
      return await new Promise<JsonObject>((resolve, reject) => {
        this.#open.set(id, { caller, resolve });
        ended.addEventListener("abort", () => reject(unanswered(late.aborted)), { once: true });
        send({ jsonrpc: "2.0", id, method: "elicitation/create", params });
      });
    } finally {
      this.#open.delete(id);
    }
  }

  /** Gives an answer to the call that asked; false when none of this caller waits for it. */
  settle(id: string, caller: string, { result }: JsonObject): boolean {
    const open = this.#open.get(id);
    if (open === undefined || open.caller !== caller) return false;
    // A client that answers with an error has decided nothing.
    open.resolve(isJsonObject(result) ? result : { action: "cancel" });
    return true;
  }
}

function unanswered(isLate: boolean): AppError {
  return isLate
    ? new AppError("timed_out", "The question of the server was not answered in time.")
    : new AppError("unavailable", "The caller has gone before it answered the question of the server.");
}
