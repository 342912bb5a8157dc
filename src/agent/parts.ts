import { Type } from "typebox";
import { NotDone, type Envelope } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, isList, type Json, type JsonObject, textOr } from "../kernel/json.ts";
import { freeObject } from "../model/common.ts";
import { contextWith } from "../ports/call-context.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { Services } from "../ports/services.ts";
import { objectsIn, partOf, previewOf } from "./answers.ts";

/** The longest time that a call waits for a run. */
export const MAX_WAIT_SECONDS = 50;

/** The answers of these tools have members of their own for every kind of thing. */
const ANSWER = freeObject("Each kind of thing has members of its own.");
/** What every tool of the endpoint for agents has in common: rights are checked by what it calls. */
export const OPEN = { output: ANSWER, access: "public", openWorld: false } as const;
/** Reads and changes nothing. */
export const READ = { ...OPEN, effect: "none", idempotent: true } as const;
/** How much of an answer is asked for. */
export const WANTED = {
  detail: Type.Optional(Type.Enum(["summary", "full"])),
  select: Type.Optional(Type.String({ description: "JSON Pointer: only this part, whole, e.g. /items/0" })),
};

/** The same call with further members of `_meta`, which the fixed tools read; undefined ones are left out. */
export function withMeta(
  context: CallContext,
  more: Readonly<Record<string, Json | undefined>>,
): CallContext {
  const given = Object.entries(more).filter(([, value]) => value !== undefined);
  return contextWith(context, {
    meta: { ...context.meta, ...Object.fromEntries(given), "svc/entry": "agent" },
  });
}

/** The answer made of a success; what did not happen is passed on as it is. */
export function onSuccess(
  { ok, data }: Envelope,
  answer: (data: JsonObject) => JsonObject,
): JsonObject | NotDone {
  return ok ? answer(data) : new NotDone(data);
}

/** Does the work; a refusal says where a person with the rights can do it. */
export async function orAPerson<T>(link: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof AppError && error.code === "forbidden" ? forAPerson(error, link) : error;
  }
}

/**
 * Does the work; problems of its arguments are said of the arguments here. `places` says where each of its own stands,
 * "" where all others do.
 */
export async function problemsAt(
  places: Readonly<Record<string, string>>,
  work: () => Promise<Envelope>,
): Promise<Envelope> {
  const moved = (pointer: string): string => {
    const from = Object.keys(places).find((own) => pointer === own || pointer.startsWith(`${own}/`));
    return from === undefined ? pointer : `${places[from] ?? ""}${pointer.slice(from.length)}`;
  };
  try {
    const envelope = await work();
    const { error = null } = envelope.ok ? {} : envelope.data;
    if (envelope.ok || !isJsonObject(error) || error["problems"] === undefined) return envelope;
    const problems = objectsIn(error["problems"]).map((problem) => ({
      ...problem,
      pointer: moved(textOr(problem["pointer"], "")),
    }));
    return { ...envelope, data: { ...envelope.data, error: { ...error, problems } } };
  } catch (error) {
    if (!(error instanceof AppError) || error.info.problems === undefined) throw error;
    const problems = error.info.problems.map((problem) => ({ ...problem, pointer: moved(problem.pointer) }));
    throw new AppError(error.code, error.message, { ...error.info, problems });
  }
}

/** The refusal with the page for a person; who lacks a scope is not sent to look for another key. */
export function forAPerson({ code, message, info }: AppError, link: string, afterwards = ""): AppError {
  const first = info.details?.["scope"] === undefined ? `${info.nextAction ?? ""} ` : "";
  const nextAction = `${first}Ask a person with the rights to do it${afterwards}: ${link}`;
  return new AppError(code, message, { ...info, nextAction });
}

/** An address of the web app. */
export function linkTo({ settings }: Services, path: string): string {
  return new URL(path, settings.baseUrl).href;
}

/** The page where an approval is decided. */
export function approvalLink(id: string, services: Services): string {
  return linkTo(services, `/approvals?id=${encodeURIComponent(id)}`);
}

/** The page with the form of a tool. */
export function formLink(tool: string, { services }: CallContext): string {
  const [connection = "", definition] = tool.split(":");
  return linkTo(
    services,
    definition === undefined
      ? `/tools/${tool}`
      : `/connections/${connection}?pick=${encodeURIComponent(definition)}`,
  );
}

/** The result of a call; images and audio of a connected tool become content that the model sees. */
export function calledAnswer(data: JsonObject, wanted: { detail: string; select?: string }): JsonObject {
  const blocks = objectsIn(data["content"]).filter(
    ({ type, data: bytes }) => (type === "image" || type === "audio") && typeof bytes === "string",
  );
  const content = data["content"] ?? null;
  const rest: JsonObject =
    blocks.length === 0 || !isList(content)
      ? data
      : {
          ...data,
          content: content.map((part) =>
            isJsonObject(part) && blocks.includes(part) ? shownAbove(part) : part,
          ),
        };
  // Text parts of an MCP result repeat its structured content.
  const { content: _texts, ...structured } = rest;
  const { value, omitted } = partOf(rest["structuredContent"] === undefined ? rest : structured, wanted);
  return {
    text: previewOf(value, wanted),
    result: value,
    ...(omitted !== undefined && { omitted }),
    ...(blocks.length > 0 && { blocks }),
  };
}

function shownAbove({ type = null, mimeType = null }: JsonObject): JsonObject {
  return { type, mimeType, shown: "as content of this answer" };
}
