import { checkValue } from "../../packages/forms/src/index.ts";
import {
  answerOfRpcError,
  answerOfStatus,
  doubtAction,
  effectOf,
  withEffect,
  type CallEnd,
} from "../kernel/effects.ts";
import { AppError, type Problem } from "../kernel/errors.ts";
import { isJsonObject, isList, isObject, type Json, type JsonObject } from "../kernel/json.ts";
import { shapeProblem } from "../kernel/json-shape.ts";
import type { ConnectionRecord } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";
import { sanitized } from "../kernel/sanitize.ts";
import type { DriverCall, DriverResult } from "./driver.ts";
import { keepBytes, keptAsText, theirWords } from "./http-answer.ts";
import type { Oversized } from "./mcp-guard.ts";
import type { McpSessions, Session } from "./mcp-sessions.ts";
import { callAsTask, needsTask } from "./mcp-tasks.ts";
import { progressFor } from "./progress.ts";
import { failedWith } from "./refusal.ts";
import { CallQuestions, Deadline, longestMs } from "./questions.ts";
import { scrubbed, withoutSecrets } from "./secrets.ts";
import { yieldToEventLoop } from "./event-loop.ts";
import { listedDefinition, MAX_DEFINITIONS } from "./pinning.ts";
import type { ListedDefinition } from "../sources/api-definitions.ts";

const LIST_MS = 20_000;
/** Definitions that are read before other requests have a turn. */
const TURN = 50;
const MAX_INLINE_CHARS = 256 * 1024;
/** Pictures and sounds up to this size go with the answer; larger ones are kept as artifacts. */
const MAX_INLINE_MEDIA = 64 * 1024;
/** Schemas nest deeper than other values. */
const MAX_DEPTH = 200;

/** Every tool that an MCP server lists and what it calls itself, its text made safe to show. */
export async function listMcp(
  sessions: McpSessions,
  connection: ConnectionRecord,
  context: CallContext,
): Promise<{ readonly definitions: readonly ListedDefinition[]; readonly title: string | null }> {
  const timeout = AbortSignal.timeout(LIST_MS);
  const signal = AbortSignal.any([context.signal, timeout]);
  return explained(connection, timeout, () =>
    sessions.use(connection, context, async ({ client, secrets, guard }) => {
      const found: ListedDefinition[] = [];
      // The library follows the pages, up to the bound that the conversation has.
      const listed = await client.listTools({}, { timeout: LIST_MS, signal, cacheMode: "refresh" });
      const oversized = guard.take(listed);
      if (oversized !== null) throw tooMany(connection, `its list ${oversized.problem}`);
      if (listed.tools.length > MAX_DEFINITIONS)
        throw tooMany(connection, `it lists ${listed.tools.length}; ${MAX_DEFINITIONS} are allowed`);
      for (const [at, tool] of listed.tools.entries()) {
        if (at % TURN === TURN - 1) await yieldToEventLoop();
        const definition = scrubbed(sanitized(tool, MAX_DEPTH), secrets);
        if (isJsonObject(definition)) found.push(listedDefinition(tool.name, definition));
      }
      const server = client.getServerVersion();
      const title = scrubbed(sanitized(server?.title ?? server?.name ?? ""), secrets);
      const isNamed = typeof title === "string" && title.trim() !== "";
      return { definitions: found, title: isNamed ? title.trim().slice(0, 200) : null };
    }),
  );
}

function tooMany({ title, name }: ConnectionRecord, what: string): AppError {
  return new AppError("too_large", `${title} has too many tools: ${what}.`, {
    nextAction: "Have the server list fewer tools, or split it into several servers.",
    details: { connection: name, maxDefinitions: MAX_DEFINITIONS },
  });
}

/** Calls a tool of an MCP server. Throws AppError when there is no answer. */
export async function callMcp(sessions: McpSessions, call: DriverCall): Promise<DriverResult> {
  const { connection, record, args, context, timeoutMs, idempotencyKey } = call;
  const begun = performance.now();
  const deadline = new Deadline(timeoutMs);
  const signal = AbortSignal.any([context.signal, deadline.signal]);
  const longest = longestMs(timeoutMs, context);
  const questions = new CallQuestions(connection, context, deadline);
  const progress = progressFor(context, () => questions.secrets);
  let sent = false;
  let hadSession = false;
  const onSent = (): void => {
    sent = true;
  };
  const end = (answer: CallEnd["answer"]): CallEnd => ({ changes: record.effect !== "read", sent, answer });
  let answer: CallEnd["answer"] = "none";
  let numbers: ReturnType<Session["guard"]["takeNumbers"]> = null;
  const ask = (): Promise<JsonObject> => {
    const talk = async ({ client, secrets, guard }: Session): Promise<JsonObject> => {
      hadSession = client.transport?.sessionId !== undefined;
      questions.secrets = secrets;
      const params = {
        name: record.sourceName,
        arguments: { ...args },
        _meta: { "svc/idempotencyKey": idempotencyKey },
      };
      const result = needsTask(record.definition)
        ? await callAsTask(client, params, { timeoutMs: longest, signal, onStatus: progress.status })
        : await client.callTool(params, { timeout: longest, signal, onprogress: progress.update });
      const oversized = guard.take(result);
      if (oversized !== null) return keptWhole(oversized, `${record.connection}:${record.name}`, context);
      numbers = guard.takeNumbers(result);
      const data = scrubbed(sanitized(result, MAX_DEPTH), secrets);
      return isJsonObject(data) ? data : {};
    };
    return sessions.use(connection, context, talk, questions, onSent);
  };
  const attempt = async (): Promise<JsonObject> => {
    try {
      return await ask();
    } catch (error) {
      answer = answerOf(error);
      throw error;
    }
  };
  let data: JsonObject;
  try {
    data = await explained(connection, deadline.signal, async () => {
      try {
        return await attempt();
      } catch (error) {
        // The server has forgotten the conversation, so it has done nothing either.
        if (!isForgotten(error) || !hadSession) throw error;
        sent = false;
        return await attempt();
      }
    });
  } catch (error) {
    const answered = answeredError(error);
    if (answered === null) {
      throw error instanceof AppError ? withEffect(error, end(answer), record.idempotent) : error;
    }
    const text = withoutSecrets(answered, questions.secrets);
    const effect = effectOf(end(answer));
    questions.check(text, effect);
    const isDoubtful = effect === "unknown";
    const nothing = { isError: true, content: [] };
    return failed(connection, nothing, text, elapsed(begun), isDoubtful ? record.idempotent : null);
  } finally {
    deadline.end();
  }
  questions.check(textOf(data), effectOf(end(data["isError"] === true ? "refused" : "none")));
  const id = `${record.connection}:${record.name}`;
  const kept = await withArtifacts(data, id, context);
  if (data["isError"] === true) return failed(connection, kept, textOf(data), elapsed(begun));
  // The server sent numbers: a text in their place is no deviation of it.
  const { content = data["structuredContent"], kept: asTexts = [] } = numbers ?? {};
  const problems = [
    ...(asTexts.length > 0 ? [keptAsText("/structuredContent", asTexts)] : []),
    ...(await deviations(record.definition["outputSchema"], content, context)),
  ];
  return {
    ok: true,
    data: { ...kept, elapsedMs: elapsed(begun), problems: problems.map((problem) => ({ ...problem })) },
    outcome: "ok",
    httpStatus: null,
  };
}

function elapsed(begun: number): number {
  return Math.round((performance.now() - begun) * 10) / 10;
}

function failed(
  connection: ConnectionRecord,
  data: JsonObject,
  text: string,
  elapsedMs: number,
  /** Set when the error leaves open whether the effect happened: whether the call may be repeated. */
  isRepeatable: boolean | null = null,
): DriverResult {
  const isUnknown = isRepeatable === false;
  const doubt = isUnknown ? " Whether its effect happened is not known." : "";
  const error = {
    code: isUnknown ? "outcome_unknown" : "upstream_error",
    message: `${connection.title} reported that the call failed.${doubt}`,
    ...(isRepeatable !== null && { effect: "unknown", nextAction: doubtAction(isRepeatable) }),
    upstream: theirWords(connection.name, text),
  };
  return {
    ok: false,
    data: { ...data, elapsedMs, problems: [], error },
    outcome: error.code,
    httpStatus: null,
  };
}

/** The words of an answer's text parts. */
function textOf(data: JsonObject): string {
  const content = data["content"] ?? null;
  if (!isList(content)) return "";
  return content
    .flatMap((part) => (isJsonObject(part) && typeof part["text"] === "string" ? [part["text"]] : []))
    .join("\n");
}

/** A result that is too much to be built into objects: its bytes are kept. */
async function keptWhole(
  { bytes, problem }: Oversized,
  id: string,
  context: CallContext,
): Promise<JsonObject> {
  const kept = await keepBytes(bytes, "application/json", `Answer of ${id}`, context, problem);
  const text = `The answer ${problem}. Its bytes are kept as an artifact.`;
  return { content: [{ type: "text", text }], structuredContent: kept };
}

/** Media and texts that are too large for an answer are kept as artifacts. */
async function withArtifacts(data: JsonObject, id: string, context: CallContext): Promise<JsonObject> {
  const content = data["content"] ?? null;
  if (!isList(content)) return data;
  const parts: Json[] = [];
  for (const part of content) parts.push(isJsonObject(part) ? await keptPart(part, id, context) : part);
  const result = { ...data, content: parts };
  const text = JSON.stringify(result);
  const problem = shapeProblem({ values: 0, names: 0, depth: 0, bytes: text.length });
  return problem === null ? result : keptWhole({ bytes: Buffer.from(text), problem }, id, context);
}

/** A part of an answer; what is too large for it is kept as an artifact. */
export async function keptPart(part: JsonObject, id: string, context: CallContext): Promise<JsonObject> {
  const { type, data, text, mimeType, resource } = part;
  if ((type === "image" || type === "audio") && typeof data === "string" && data.length > MAX_INLINE_MEDIA) {
    const media = typeof mimeType === "string" ? mimeType : "application/octet-stream";
    const { data: _data, ...rest } = part;
    return {
      ...rest,
      kept: await keepBytes(Buffer.from(data, "base64"), media, `${type} of ${id}`, context),
    };
  }
  if (type === "text" && typeof text === "string" && text.length > MAX_INLINE_CHARS) {
    const kept = await keepBytes(Buffer.from(text), "text/plain", `Text of ${id}`, context);
    return { ...part, text: text.slice(0, 2_000), kept };
  }
  if (type === "resource" && isJsonObject(resource)) {
    const { blob, text: words } = resource;
    if (typeof words === "string" && words.length > MAX_INLINE_CHARS) {
      const media = typeof resource["mimeType"] === "string" ? resource["mimeType"] : "text/plain";
      const kept = await keepBytes(Buffer.from(words), media, `Resource of ${id}`, context);
      return { ...part, resource: { ...resource, text: words.slice(0, 2_000), kept } };
    }
    if (typeof blob === "string" && blob.length > MAX_INLINE_MEDIA) {
      const media = resource["mimeType"];
      const { blob: _blob, ...rest } = resource;
      const kept = await keepBytes(
        Buffer.from(blob, "base64"),
        typeof media === "string" ? media : "application/octet-stream",
        `Resource of ${id}`,
        context,
      );
      return { ...part, resource: { ...rest, kept } };
    }
  }
  return part;
}

async function deviations(
  schema: Json | undefined,
  value: Json | undefined,
  context: CallContext,
): Promise<readonly Problem[]> {
  if (!isJsonObject(schema)) return [];
  if (value === undefined) {
    return [
      {
        pointer: "/structuredContent",
        message: "The tool has an output schema and answered without structured content.",
      },
    ];
  }
  if (checkValue(schema, value, { steps: 50_000 }) === "valid") return [];
  try {
    const verdict = await context.services.validator.validate(schema, value, context.signal);
    return verdict.errors
      .slice(0, 20)
      .map(({ pointer, message }) => ({ pointer: `/structuredContent${pointer}`, message }));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [{ pointer: "/structuredContent", message: "Not checked: the schema is too costly." }];
  }
}

/** Runs a conversation; what ends it is explained by an error of the table, or is the server's own answer. */
export async function explained<T>(
  connection: ConnectionRecord,
  timeout: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError || answeredError(error) !== null) throw error;
    const isLate = timeout.aborted || (error instanceof Error && /timed? ?out/i.test(error.message));
    if (isLate) {
      throw new AppError("timed_out", `${connection.title} did not answer in time.`, { cause: error });
    }
    const status = statusOf(error);
    if (status !== null) {
      throw failedWith(connection, { status, headers: {}, words: wordsOf(error) });
    }
    throw new AppError("unavailable", `${connection.title} could not be reached, or cut its answer off.`, {
      nextAction: "Check that the server runs, and try again.",
      cause: error,
    });
  }
}

/** The message of an error that the server itself answered with; null for every other error. */
export function answeredError(error: unknown): string | null {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "number") return null;
  return error.message;
}

/** What the server answered by its status, which our rule for 401, 403 and redirects tells as well. */
function answerOf(error: unknown): CallEnd["answer"] {
  if (error instanceof AppError) {
    const { status } = error.info;
    return status === undefined ? "none" : answerOfStatus(status, false);
  }
  if (!(error instanceof Error)) return "none";
  if ("code" in error && typeof error.code === "number") return answerOfRpcError(error.code);
  const status = statusOf(error);
  return status === null ? "none" : answerOfStatus(status, false);
}

function isForgotten(error: unknown): boolean {
  return statusOf(error) === 404;
}

/** What the server wrote beside its HTTP status. */
function wordsOf(error: unknown): string {
  const data = error instanceof Error && "data" in error ? error.data : null;
  return isObject(data) && typeof data["text"] === "string" ? data["text"].slice(0, 2_000) : "";
}

/** The HTTP status that the library met. */
function statusOf(error: unknown): number | null {
  return error instanceof Error && "status" in error && typeof error.status === "number"
    ? error.status
    : null;
}
