import { saveArtifact } from "../artifacts/registry.ts";
import { checkValue } from "../../packages/forms/src/index.ts";
import { sha256Hex } from "../kernel/canonical-json.ts";
import { AppError, type Problem } from "../kernel/errors.ts";
import { KEPT_AS_TEXT, withExactIntegers } from "../kernel/exact-integers.ts";
import { isJsonRecord, parsedJson, type Json, type JsonObject } from "../kernel/json.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { FetchedResponse } from "../ports/platform.ts";
import { answerShape } from "./answer-shape.ts";
import { sanitized } from "../kernel/sanitize.ts";
import { isJsonType } from "../sources/answers.ts";

/** Larger texts are kept as artifacts and referred to. */
const MAX_INLINE_CHARS = 256 * 1024;
const MAX_HEADERS = 50;
const MAX_THEIR_TEXT = 2_000;
const MAX_PROBLEMS = 20;
const CHECK_STEPS = 50_000;
/** Headers that hold session secrets or say nothing to a caller. */
const HIDDEN_HEADERS = new Set([
  "set-cookie",
  "set-cookie2",
  "www-authenticate",
  "proxy-authenticate",
  "connection",
  "keep-alive",
  "transfer-encoding",
]);

/** What is returned of an answer. */
export interface AnswerView extends JsonObject {
  readonly status: number;
  readonly headers: JsonObject;
  readonly body: Json;
  readonly elapsedMs: number;
  readonly problems: readonly JsonObject[];
}

/** The documented response for a status: exact, then by class, then the default one. */
function documentedFor(
  responses: JsonObject,
  status: number,
): { readonly media: JsonObject; readonly key: string } | null {
  for (const key of [String(status), `${Math.floor(status / 100)}XX`, "default"]) {
    const media = responses[key];
    if (isJsonRecord(media)) return { media, key };
  }
  return null;
}

/** True when the API did what was asked: 2xx, or a redirect or 304 that its description names. */
export function isSuccess(responses: JsonObject, status: number): boolean {
  if (status >= 200 && status < 300) return true;
  return status < 400 && documentedFor(responses, status)?.key === String(status);
}

/** Reads an answer: its body as data, text or artifact, and how it deviates from the description. */
export async function readAnswer(
  answer: FetchedResponse,
  about: { readonly id: string; readonly responses: JsonObject; readonly elapsedMs: number },
  context: CallContext,
): Promise<AnswerView> {
  const type = (answer.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const problems: Problem[] = [];
  const body = await bodyOf(answer, type, about.id, problems, context);
  problems.push(...(await deviations(answer.status, type, body, about.responses, context)));
  return {
    status: answer.status,
    headers: headersOf(answer.headers),
    body: body.value,
    elapsedMs: about.elapsedMs,
    problems: problems.slice(0, MAX_PROBLEMS).map((problem) => ({ ...problem })),
  };
}

interface Body {
  readonly value: Json;
  /** What is checked against a schema; undefined when nothing can be. */
  readonly checkable: Json | undefined;
}

async function bodyOf(
  answer: FetchedResponse,
  type: string,
  id: string,
  problems: Problem[],
  context: CallContext,
): Promise<Body> {
  if (answer.body.byteLength === 0) return { value: null, checkable: undefined };
  if (isJsonType(type) || (type === "" && /^\s*[[{]/.test(answer.text))) {
    const { problem } = await answerShape(answer.body, context);
    if (problem !== null) {
      problems.push({ pointer: "/body", message: `The body ${problem}. Its bytes are kept as an artifact.` });
      return { value: await asArtifact(answer, type, id, context, problem), checkable: undefined };
    }
    const exact = withExactIntegers(answer.text);
    const parsed = parsedJson(exact.text);
    if (parsed === undefined) {
      problems.push({
        pointer: "/body",
        message: "The body says that it is JSON and is not.",
        expected: "JSON",
        given: `${answer.body.byteLength} bytes of ${type}`,
      });
      return { value: shortText(answer.text), checkable: undefined };
    }
    if (exact.kept.length === 0) return { value: parsed, checkable: parsed };
    problems.push(keptAsText("/body", exact.kept));
    // The server sent numbers: a text in their place is no deviation of it.
    return { value: parsed, checkable: parsedJson(answer.text) };
  }
  const isText = /^text\/|xml|yaml|javascript|x-www-form-urlencoded|csv/.test(type) && isUtf8(answer);
  if (isText && answer.text.length <= MAX_INLINE_CHARS) {
    const value = answer.text.toWellFormed();
    return { value, checkable: value };
  }
  return { value: await asArtifact(answer, type, id, context), checkable: undefined };
}

/** Tells of integers that an answer has as texts: what was sent is whole and fits all the same. */
export function keptAsText(pointer: string, kept: readonly string[]): Problem {
  return {
    code: KEPT_AS_TEXT,
    pointer,
    message: `Integers that a number here would change are given as texts: ${kept.slice(0, 5).join(", ")}${kept.length > 5 ? ", …" : ""}.`,
  };
}

function isUtf8(answer: FetchedResponse): boolean {
  return !answer.text.includes("\u0000") && !answer.text.includes("\ufffd");
}

function shortText(text: string): string {
  return text.toWellFormed().slice(0, MAX_INLINE_CHARS);
}

/** A body that is too large or no text is kept, and the answer refers to it. */
async function asArtifact(
  answer: FetchedResponse,
  type: string,
  id: string,
  context: CallContext,
  problem: string | null = null,
): Promise<JsonObject> {
  const mediaType = type === "" ? "application/octet-stream" : type;
  return keepBytes(answer.body, mediaType, `Answer of ${id}`, context, problem);
}

/**
 * Keeps bytes as an artifact; without storage the reference says that nothing is kept. `problem` is why JSON did not
 * keep its shape: expressions that look for a member of it report that.
 */
export async function keepBytes(
  bytes: Uint8Array,
  mediaType: string,
  title: string,
  context: CallContext,
  problem: string | null = null,
): Promise<JsonObject> {
  const about = {
    ...(problem !== null && { note: `The JSON answer ${problem}.` }),
    mediaType,
    bytes: bytes.byteLength,
    digest: `sha256:${sha256Hex(bytes)}`,
  };
  if (context.services.store.kind === "none" || context.dryRun === true) {
    return { artifact: null, ...about, note: "Nothing is kept: no storage, or a dry run." };
  }
  const saving = saveArtifact(
    {
      title: title.slice(0, 200),
      type: "file",
      privacy: "confidential",
      mediaType,
      encoding: "base64",
      content: Buffer.from(bytes).toString("base64"),
    },
    context,
  );
  try {
    return { artifact: (await saving).record.id, ...about };
  } catch (error) {
    // The call has answered: that its body could not be kept is no error of the call.
    if (!(error instanceof AppError)) throw error;
    return { artifact: null, ...about, note: `Nothing is kept: ${error.message}` };
  }
}

function headersOf(headers: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !HIDDEN_HEADERS.has(name))
      .slice(0, MAX_HEADERS)
      .map(([name, value]) => [name, sanitized(value.slice(0, 1_000))]),
  );
}

async function deviations(
  status: number,
  type: string,
  body: Body,
  responses: JsonObject,
  context: CallContext,
): Promise<readonly Problem[]> {
  if (Object.keys(responses).length === 0) return [];
  const found = documentedFor(responses, status);
  if (found === null) {
    return [
      {
        pointer: "/status",
        message: `The API description does not name the status ${status}.`,
        expected: Object.keys(responses).join(", "),
        given: String(status),
      },
    ];
  }
  const types = Object.keys(found.media);
  if (types.length === 0) return [];
  const key = types.find((name) => matches(name, type));
  if (key === undefined) {
    if (body.value === null) return [];
    return [
      {
        pointer: "/headers/content-type",
        message: "The API description does not name this content type.",
        expected: types.join(", "),
        given: type === "" ? "none" : type,
      },
    ];
  }
  const schema = found.media[key];
  if (body.checkable === undefined || !isJsonRecord(schema)) return [];
  if (checkValue(schema, body.checkable, { steps: CHECK_STEPS }) === "valid") return [];
  return schemaProblems(schema, body.checkable, context);
}

async function schemaProblems(
  schema: JsonObject,
  value: Json,
  context: CallContext,
): Promise<readonly Problem[]> {
  try {
    const verdict = await context.services.validator.validate(schema, value, context.signal);
    return verdict.errors.slice(0, MAX_PROBLEMS).map(({ pointer, message }) => ({
      pointer: `/body${pointer}`,
      message,
      expected: "what the API description says",
    }));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [{ pointer: "/body", message: "The body was not checked: its schema is too costly." }];
  }
}

/** `application/*` and parameters are understood. */
function matches(pattern: string, type: string): boolean {
  const wanted = pattern.split(";")[0]?.trim().toLowerCase() ?? "";
  if (wanted === type || wanted === "*/*") return true;
  return wanted.endsWith("/*") && type.startsWith(wanted.slice(0, -1));
}

/** What the server itself said about its failure, without what could mislead a reader, and marked as theirs. */
export function theirWords(connection: string, body: Json): JsonObject {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const clean = sanitized(text);
  return {
    from: connection,
    note: "Written by the connected server, not by this service.",
    text: typeof clean === "string" ? clean.slice(0, MAX_THEIR_TEXT) : "",
  };
}
