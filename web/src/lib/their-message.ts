import { isObject } from "#kernel/json.ts";
import { parseJson } from "./parse-json.ts";

/** What a connected server wrote about an error, as a person reads it: the texts of a JSON body, or the body itself. */
export function theirMessage(body: string): string {
  return messagesIn(parseJson(body)).join(" ") || body;
}

/** The texts of an error body that people are meant to read: RFC 9457 and what most APIs use. */
function messagesIn(value: unknown, depth = 4): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => messagesIn(item, depth - 1));
  if (!isObject(value) || depth === 0) return [];
  const place = [value["field"], value["loc"], value["pointer"]].find((part) => part !== undefined);
  const own = ["message", "detail", "title", "msg", "error_description", "reason", "error"].flatMap(
    (name) => {
      const text = value[name];
      return typeof text === "string" && text.trim() !== "" ? [text.trim()] : [];
    },
  );
  const [first] = own;
  const at = Array.isArray(place) ? place.join(" › ") : typeof place === "string" ? place : "";
  return [
    ...(first === undefined ? [] : [at === "" ? first : `${at}: ${first}`]),
    ...Object.values(value).flatMap((item) => messagesIn(item, depth - 1)),
  ];
}
