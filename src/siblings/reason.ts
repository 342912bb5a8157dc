import { isJsonObject, isObject, type JsonObject } from "../kernel/json.ts";
import { sanitized } from "../kernel/sanitize.ts";

const MAX_MESSAGE = 500;
const MAX_CODE = 100;
const MAX_PROBLEMS = 10;

/** What a sibling gave as its reason, made safe to show. */
export interface SiblingReason extends JsonObject {
  readonly message: string;
}

/**
 * Why a sibling refused, as it says itself: the error of an envelope, of JSON-RPC or of a problem document. Control
 * and direction marks are taken out, and the text is cut, because a person and a model read it next to ours.
 */
export function siblingReason(answer: unknown): SiblingReason | null {
  if (!isObject(answer)) return null;
  const data = isObject(answer["data"]) ? answer["data"] : {};
  const places = [data["error"], answer["error"], data, answer];
  for (const place of places) {
    const message = typeof place === "string" ? place : isObject(place) ? messageIn(place) : null;
    if (message === null) continue;
    const code = isObject(place) ? line(place["code"], MAX_CODE) : null;
    const problems = isObject(place) ? problemsIn(place["problems"]) : [];
    return {
      message: line(message, MAX_MESSAGE) ?? "",
      ...(code !== null && { code }),
      ...(problems.length > 0 && { problems }),
    };
  }
  return null;
}

function messageIn(place: Readonly<Record<string, unknown>>): string | null {
  for (const name of ["message", "detail", "reason", "title"]) {
    const text = place[name];
    if (typeof text === "string" && text.trim() !== "") return text;
  }
  return null;
}

function problemsIn(value: unknown): readonly JsonObject[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_PROBLEMS).flatMap((item: unknown) => {
    if (!isJsonObject(item)) return [];
    const message = line(item["message"], MAX_MESSAGE);
    const pointer = line(item["pointer"], MAX_CODE);
    return message === null ? [] : [{ message, ...(pointer !== null && { pointer }) }];
  });
}

/** One line of safe text, or null when there is none. */
function line(value: unknown, most: number): string | null {
  if (typeof value !== "string") return null;
  const safe = sanitized(value.slice(0, most * 4));
  const text = typeof safe === "string" ? safe.replace(/\s+/g, " ").trim() : "";
  return text === "" ? null : text.length > most ? `${text.slice(0, most)}…` : text;
}
