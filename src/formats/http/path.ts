import { decodedPart } from "../../kernel/text.ts";
import type { Json } from "../../kernel/json.ts";
import { referenceTo, type Placeholder, type Template } from "./placeholders.ts";
import { isSecretText } from "./secrets.ts";

/** Segments that are ids: numbers, UUIDs, and the hexadecimal ids of document databases. */
const ID = /^(?:\d{1,20}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{24})$/i;

/** A path with `{name}` where a value goes, and those values. */
export interface PathTemplate {
  readonly template: string;
  readonly values: Readonly<Record<string, Json>>;
}

/** Makes parameters of the placeholders, ids and secrets in a path. */
export function pathOf(path: Template, secret: (word: string) => Placeholder): PathTemplate {
  const values: Record<string, Json> = {};
  const uses = new Map<string, number>();
  const parameter = (word: string, value: Json): string => {
    const plain = word.replaceAll(/\W/g, "_").replace(/^_+(?=.)/, "") || "value";
    const hint = plain === "__proto__" ? "value" : plain;
    const again = (uses.get(hint) ?? 0) + 1;
    uses.set(hint, again);
    let name = again === 1 ? hint : `${hint}${again}`;
    while (Object.hasOwn(values, name)) name += "_";
    values[name] = value;
    return `{${name}}`;
  };
  // Segments that hold no placeholder are whole; those beside one belong to it.
  const parts: string[] = [];
  path.forEach((part, index) => {
    if (typeof part !== "string") {
      parts.push(parameter(wordOf(part), referenceTo(part)));
      return;
    }
    const segments = part.split("/");
    segments.forEach((segment, at) => {
      const whole =
        (at > 0 || index === 0) && (at < segments.length - 1 || index === path.length - 1) && segment !== "";
      const text = decodedPart(segment);
      if (at > 0) parts.push("/");
      if (whole && ID.test(text)) {
        const before = segments[at - 1] ?? "";
        parts.push(parameter(`${singular(before)}Id`, /^\d{1,15}$/.test(text) ? Number(text) : text));
      } else if (whole && isSecretText(text))
        parts.push(parameter("secret", referenceTo(secret("path_secret"))));
      else parts.push(encoded(segment));
    });
  });
  const joined = parts.join("");
  return { template: joined.startsWith("/") ? joined : `/${joined}`, values };
}

function wordOf({ id, path }: Placeholder): string {
  return path.findLast((part) => !/^\d+$/.test(part)) ?? id;
}

/** `orders` → `order`, so that the id of one is called `orderId`. */
function singular(word: string): string {
  const plain = word.replaceAll(/\W/g, "");
  if (plain === "") return "item";
  return /(?:ses|xes)$/i.test(plain)
    ? plain.slice(0, -2)
    : /[^s]s$/i.test(plain)
      ? plain.slice(0, -1)
      : plain;
}

/** Braces and fragments would be read as parameters. */
function encoded(segment: string): string {
  return segment.replaceAll(/[{}#\s]/g, (character) => encodeURIComponent(character));
}
