import { timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import { digestOf } from "../kernel/canonical-json.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import type { CallContext } from "../ports/definitions.ts";

/*
 * What a call needs to go on when its client answers, kept by the client and signed by us: nothing is stored until it
 * comes back, any replica goes on, and it belongs to one caller, one tool and one set of arguments for a time, once.
 */

const PREFIX = "s1.";
const LASTS_MS = 10 * 60_000;
const SCOPE = "request state";
const MAX_USED = 10_000;
/** States that came back to a service without a database. Made at its first use: it takes its memory at once. */
let used: LRUCache<string, true> | undefined;

/** What a client gets back to us with its answers. */
export interface RequestState {
  /** Results of requests of earlier rounds, by key. */
  readonly answers: JsonObject;
  /** The run that the call waits for. */
  readonly runId: string | null;
  /** When the first question was asked. */
  readonly since: number;
}

/** What a state belongs to. */
interface StateOf {
  readonly name: string;
  readonly args: JsonObject;
  readonly context: CallContext;
}

/** True for a state of this kind. */
export function isSigned(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** The state as a text that only this installation can make. */
export async function signed(state: RequestState, { name, args, context }: StateOf): Promise<string> {
  const { caller, services } = context;
  const body = {
    ...state,
    until: services.clock.now() + LASTS_MS,
    caller: caller.id,
    via: caller.token?.id ?? null,
    name,
    args: digestOf(args),
  };
  const text = Buffer.from(JSON.stringify(body)).toString("base64url");
  return `${PREFIX}${text}.${await codeOf(text, context)}`;
}

/** Takes the state of a text; throws when it is not ours, another caller's or call's, too old, or was taken before. */
export async function takeState(given: string, { name, args, context }: StateOf): Promise<RequestState> {
  const [, text = "", code = ""] = given.split(".");
  const expected = Buffer.from(await codeOf(text, context));
  const shown = Buffer.from(code);
  if (shown.length !== expected.length || !timingSafeEqual(shown, expected)) throw notValid();
  const body: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
  if (!isJsonObject(body)) throw notValid();
  const { caller, services } = context;
  const isSame =
    body["caller"] === caller.id &&
    body["via"] === (caller.token?.id ?? null) &&
    body["name"] === name &&
    body["args"] === digestOf(args);
  if (!isSame || Number(body["until"]) < services.clock.now()) throw notValid();
  const { answers = null, since = 0 } = body;
  const runId = typeof body["runId"] === "string" ? body["runId"] : null;
  if (!(await isFirst(text, context))) throw usedBefore(runId);
  return { answers: isJsonObject(answers) ? answers : {}, runId, since: Number(since) };
}

/** Notes that a state came back, before anything is done with it: no crash and no other replica takes it again. */
async function isFirst(text: string, { services, caller }: CallContext): Promise<boolean> {
  const key = digestOf(text);
  if (services.store.kind === "none") {
    used ??= new LRUCache({ max: MAX_USED, ttl: LASTS_MS });
    if (used.has(key)) return false;
    used.set(key, true);
    return true;
  }
  return services.store.transact(async (tx) =>
    tx.idempotency.insert({
      scope: SCOPE,
      key,
      requestDigest: caller.id,
      answer: {},
      createdAt: await tx.now(),
    }),
  );
}

function usedBefore(runId: string | null): AppError {
  return new AppError("conflict", "requestState was used already; nothing was called again.", {
    nextAction:
      runId === null
        ? "Call the tool again without requestState and inputResponses."
        : `The call is run ${runId}: follow it with get {"kind": "run", "id": "${runId}"}.`,
    ...(runId !== null && { details: { runId } }),
  });
}

function codeOf(text: string, { services }: CallContext): Promise<string> {
  return services.provenance.saidSalt(SCOPE, text);
}

function notValid(): AppError {
  return new AppError(
    "invalid_params",
    "requestState is not valid: it was changed, is too old, or belongs to another caller or call.",
    { nextAction: "Call the tool again without requestState and inputResponses." },
  );
}
