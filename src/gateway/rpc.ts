import { AppError, ERRORS, errorBody, type ErrorCode } from "../kernel/errors.ts";
import { isJsonObject, isObject, isParsedObject, type Json, type JsonObject } from "../kernel/json.ts";
import { nearestNames } from "../kernel/nearest.ts";
import type { Caller } from "../ports/caller.ts";
import type { CallContext } from "../ports/definitions.ts";
import {
  claimsEnvelope,
  generationOfNotification,
  generationOfRequest,
  namesModern,
  type Generation,
  type McpHeaders,
} from "./protocol-generation.ts";
import { isQuestionId, sessionHeaders } from "./client-questions.ts";
import { batchTooLong, MAX_BATCH } from "./json-body.ts";
import type { FixedResult } from "./lists.ts";
import type { Method, MethodResult } from "./method.ts";
import { rpcStatus } from "./statuses.ts";

/** Items that begin in one turn of the event loop: after this time others are served first. */
const BATCH_TURN_MS = 5;

/** What the dispatcher needs to know about the HTTP request around a message. */
export interface RpcExchange {
  readonly mcp: McpHeaders;
  /** Counts one item against the client's rate; authenticates first when the method depends on who calls. */
  context(meta: JsonObject | undefined): CallContext | Promise<CallContext>;
  /** Sends a notification ahead of the answer; null where the answer is one document. */
  readonly notify: ((method: string, params: JsonObject) => void) | null;
  /** Who a caller is by now; null when its key or session has ended. */
  recheck(caller: Caller): Promise<Caller | null>;
  /** Counts one item that needs no caller. */
  countAnonymous(): void;
  /** Gives a client's answer to the call that asked for it; false when none waits for it. */
  answered(id: string, message: JsonObject): Promise<boolean>;
  /** Turns an error that is not ours into one with a reference, and logs it. */
  internal(error: unknown, where: string): AppError;
  /** Says that the work of one item begins; `done` ends it. */
  begin(label: string): void;
  /** Reports one finished item. */
  done(label: string, code: ErrorCode | "ok", startedAt: number): void;
}

/** The answer to a body: an HTTP status and text or buffers; null text means no body. */
export interface RpcReply {
  readonly status: number;
  readonly body: string | readonly Buffer[] | null;
  /** The error of a single request, for headers that go with it. */
  readonly error?: AppError;
  /** Further headers: names and values in turn. */
  readonly headers?: readonly string[];
}

type RpcId = string | number;

const NOTHING: RpcReply = { status: 202, body: null };
const TAIL = Buffer.from("}");

/** Answers a JSON-RPC body: one message or a batch. */
export type RpcHandler = (body: Json, exchange: RpcExchange) => Promise<RpcReply>;

/** Makes the dispatcher for a set of methods. */
export function createRpcHandler(methods: ReadonlyMap<string, Method>): RpcHandler {
  const batch = async (body: readonly Json[], exchange: RpcExchange): Promise<RpcReply> => {
    const problem = batchProblem(body);
    if (problem !== undefined) return errorAnswer(null, problem, "legacy");
    const answers: string[] = [];
    // In order: an item may depend on what an earlier one did, and each is counted when it is served.
    let turnBegan = performance.now();
    for (const item of body) {
      if (performance.now() - turnBegan > BATCH_TURN_MS) {
        await new Promise((resolve) => setImmediate(resolve));
        turnBegan = performance.now();
      }
      const reply = await answer(methods, item, exchange);
      if (reply.body !== null)
        answers.push(typeof reply.body === "string" ? reply.body : Buffer.concat(reply.body).toString());
    }
    return answers.length === 0 ? NOTHING : { status: 200, body: `[${answers.join(",")}]` };
  };
  return (body, exchange) => (Array.isArray(body) ? batch(body, exchange) : answer(methods, body, exchange));
}

function batchProblem(items: readonly Json[]): AppError | undefined {
  if (items.length === 0) return new AppError("invalid_request", "A batch needs at least one item.");
  if (items.length > MAX_BATCH) return batchTooLong(items.length);
  if (items.some((item) => isObject(item) && claimsEnvelope(item["params"]))) {
    return new AppError(
      "invalid_request",
      "Requests of revision 2026-07-28 are sent one by one, not in a batch.",
    );
  }
  return undefined;
}

/** Answers one message; a notification gets no body. */
async function answer(
  methods: ReadonlyMap<string, Method>,
  message: Json,
  exchange: RpcExchange,
): Promise<RpcReply> {
  const startedAt = performance.now();
  let id: RpcId | null = null;
  let label = "invalid";
  let generation: Generation = "legacy";
  try {
    id = echoableId(message);
    if (isAnswer(message)) {
      label = "answer";
      if (await exchange.answered(message.id, message)) {
        exchange.done("notification", "ok", startedAt);
        return NOTHING;
      }
    }
    const request = readMessage(message);
    label = methods.has(request.method) ? request.method : "unknown";
    if (request.id === undefined) {
      exchange.countAnonymous();
      generationOfNotification(request.method, request.params, exchange.mcp);
      exchange.done("notification", "ok", startedAt);
      return NOTHING;
    }
    // Set first: an error in the headers of a newer request is answered by the newer rules.
    if (claimsEnvelope(request.params) || namesModern(exchange.mcp)) generation = "modern";
    generation = generationOfRequest(request.method, request.params, exchange.mcp);
    const method = methods.get(request.method);
    if (method === undefined || !method.generations.includes(generation))
      throw unknownMethod(request.method, methods.keys(), generation);
    const params = request.params ?? {};
    let result: MethodResult;
    if (method.kind === "open") {
      exchange.countAnonymous();
      result = method.run({ params, generation });
    } else {
      const found = exchange.context(metaOf(params));
      const context = found instanceof Promise ? await found : found;
      label = method.label(params);
      exchange.begin(label);
      const { notify } = exchange;
      const isKnown = async (): Promise<boolean> => (await exchange.recheck(context.caller)) !== null;
      result = await method.run({
        params,
        generation,
        headers: exchange.mcp,
        context,
        id: request.id,
        notify,
        isKnown,
      });
    }
    exchange.done(label, "ok", startedAt);
    const headers = request.method === "initialize" ? sessionHeaders(params) : null;
    return {
      status: 200,
      body: resultBody(request.id, result, generation),
      ...(headers !== null && { headers }),
    };
  } catch (error) {
    const known = error instanceof AppError ? error : exchange.internal(error, label);
    exchange.done(label, known.code, startedAt);
    return errorAnswer(id, known, generation);
  }
}

/** True for an answer to what a call asked its client; other answers were never asked for. */
function isAnswer(message: Json): message is JsonObject & { readonly id: string } {
  if (!isJsonObject(message) || message["method"] !== undefined) return false;
  return typeof message["id"] === "string" && isQuestionId(message["id"]);
}

/** The id to answer with even when the rest is wrong. */
function echoableId(message: Json): RpcId | null {
  const id = isObject(message) ? message["id"] : undefined;
  return typeof id === "string" || (typeof id === "number" && !isInexact(id)) ? id : null;
}

function isInexact(id: number): boolean {
  return Number.isInteger(id) && !Number.isSafeInteger(id);
}

interface Message {
  readonly id: RpcId | undefined;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>> | undefined;
}

function readMessage(message: Json): Message {
  if (!isObject(message)) throw notARequest("A message must be a JSON object.");
  const { jsonrpc, method, params } = message;
  const id = readId(message);
  if (jsonrpc !== "2.0") throw notARequest(`"jsonrpc" must be "2.0".`);
  if (typeof method !== "string") {
    const text =
      "result" in message || "error" in message
        ? "No call here waits for this answer: it ended, waited too long, or is held by another replica."
        : '"method" must be a string.';
    throw notARequest(text);
  }
  if (params !== undefined && !isObject(params)) {
    throw notARequest('"params" must be an object; parameters by position are not supported.');
  }
  return { id, method, params };
}

function readId(message: Readonly<Record<string, unknown>>): RpcId | undefined {
  if (!Object.hasOwn(message, "id")) return undefined;
  const { id } = message;
  if (typeof id === "string") return id;
  if (typeof id === "number") {
    if (isInexact(id)) {
      throw notARequest("The id is a number too large to be kept exactly; send it as a string.");
    }
    return id;
  }
  throw notARequest(
    id === null
      ? "The id must not be null; leave it out to send a notification."
      : "The id must be a string or a number.",
  );
}

function notARequest(message: string): AppError {
  return new AppError("invalid_request", `Not a JSON-RPC request: ${message}`);
}

function unknownMethod(method: string, known: Iterable<string>, generation: Generation): AppError {
  const near = nearestNames(method, known, 2);
  return new AppError("method_not_found", `There is no method "${method.slice(0, 100)}" in this revision.`, {
    ...(near.length > 0 && { nextAction: `Did you mean ${near.join(" or ")}?` }),
    details: { revision: generation },
  });
}

function metaOf(params: Readonly<Record<string, unknown>>): JsonObject | undefined {
  const meta = params["_meta"];
  return isParsedObject(meta) ? meta : undefined;
}

function resultBody(
  id: RpcId,
  result: string | FixedResult,
  generation: Generation,
): string | readonly Buffer[] {
  const head = `{"jsonrpc":"2.0","id":${typeof id === "number" ? id : JSON.stringify(id)},"result":`;
  if (typeof result !== "string")
    return [Buffer.from(head), generation === "modern" ? result.modern : result.legacy, TAIL];
  if (generation === "modern" && !result.startsWith('{"resultType"'))
    throw new TypeError("a modern result lacks its members");
  return `${head}${result}}`;
}

/** An error as a JSON-RPC response with the HTTP status that goes with it. */
export function errorAnswer(id: RpcId | null, error: AppError, generation: Generation): RpcReply {
  const code =
    error.code === "not_found" && generation === "modern"
      ? ERRORS.invalid_params.rpc
      : ERRORS[error.code].rpc;
  const data = errorBody(error);
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id,
    error: { code, message: error.message, data: { ...data, ...error.info.details } },
  });
  return { status: rpcStatus(error.code, generation), body, error };
}
