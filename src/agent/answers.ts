import type { Envelope } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, isList, type Json, type JsonObject, textOr } from "../kernel/json.ts";
import { nearestNames } from "../kernel/nearest.ts";
import { pointerSegments, pointerSegment } from "../kernel/paths.ts";
import { beginningOf } from "../kernel/text.ts";

/*
 * What a model gets: a short text, and the structure once. A handler's data may have `text` (what the text says) and
 * `blocks` (images and audio); both are taken out of the structure.
 */

/** What is not longer than this is given whole: a cut would cost a second call. */
const WHOLE = 3_500;
const ITEMS = 4;
const CHARS = 300;
const DEPTH = 6;
/** A result of this length is its own text; of a longer one the text shows the beginning: the structure has it whole. */
const PREVIEW = 240;
const BEGINNING = 120;
/** For hosts that show a model the text only: what was asked for by its place. */
const SELECTED = 2_000;
const MOST_PROBLEMS = 20;
const NULLS = "members that are null";

/** Content and structure of an answer at the endpoint for agents. */
export function present({ ok, data }: Envelope): {
  readonly content: readonly JsonObject[];
  readonly structured: string;
} {
  const { text, blocks = null, ...rest } = data;
  const shown = typeof text === "string" ? text : ok ? previewOf(rest) : refusalText(rest);
  return {
    content: [{ type: "text", text: shown }, ...(isList(blocks) ? blocks.filter(isJsonObject) : [])],
    structured: JSON.stringify({ ok, data: rest }),
  };
}

/** The beginning of a value as JSON. */
export function previewOf(value: Json, { select }: PartSelection = {}): string {
  const text = JSON.stringify(value);
  const most = select === undefined ? PREVIEW : SELECTED;
  const shown = select === undefined ? BEGINNING : SELECTED;
  return text.length <= most ? text : `${beginningOf(text, shown)} (the rest is in structuredContent)`;
}

/** What is wrong and how to fix it: many hosts show a model the text and nothing else. */
function refusalText(data: JsonObject): string {
  const error = isJsonObject(data["error"]) ? data["error"] : data;
  const { code, message, reason, nextAction, problems = null } = error;
  const lines = [
    `${textOr(code, textOr(data["status"], "not done"))}: ${textOr(message, textOr(reason, "It did not happen."))}`,
  ];
  for (const problem of isList(problems) ? problems.slice(0, MOST_PROBLEMS) : []) {
    if (!isJsonObject(problem)) continue;
    lines.push(problemLine(problem));
  }
  const next = textOr(nextAction, textOr(data["nextAction"], ""));
  if (next !== "") lines.push(next);
  return lines.join("\n");
}

/** A problem for a model that sees the text only: where, what, how to fix it, and what would be correct. */
export function problemLine({ pointer, message, fix, expected, example }: JsonObject): string {
  const wanted = textOr(expected, "");
  const allowed = wanted.startsWith("only ") ? ` Allowed: ${wanted.slice("only ".length)}.` : "";
  const hint =
    typeof fix === "string"
      ? `${fix}${fix.startsWith("Remove ") ? allowed : ""}`
      : wanted === ""
        ? ""
        : `Expected ${wanted}.`;
  const shown = example === undefined ? "" : ` Example: ${JSON.stringify(example)}`;
  return `- ${textOr(pointer, "")} ${textOr(message, "")} ${hint}${shown}`.trimEnd();
}

/** The first sentence of a description, or its beginning. */
export function briefly(text: string, most: number): string {
  return beginningOf(/^.*?[.!?](?=\s|$)/su.exec(text)?.[0] ?? text, most);
}

/** How much of a value is asked for. */
export interface PartSelection {
  readonly detail?: string;
  readonly select?: string;
}

/** The part of a value that is asked for; a summary of a long one leaves out the ends of lists and texts, and says where. */
export function partOf(
  value: Json,
  { detail, select }: PartSelection,
): { readonly value: Json; readonly omitted?: readonly string[] } {
  const part = select === undefined ? value : selected(value, select);
  const isWhole = detail === "full" || select !== undefined || JSON.stringify(part).length <= WHOLE;
  if (isWhole) return { value: part };
  const omitted: string[] = [];
  const short = shortened(part, "", 0, omitted);
  return omitted.length === 0 ? { value: short } : { value: short, omitted };
}

function shortened(value: Json, pointer: string, depth: number, omitted: string[]): Json {
  if (typeof value === "string") {
    if (value.length <= CHARS) return value;
    omitted.push(`${pointer}: ${value.length} characters`);
    return `${beginningOf(value, CHARS)}…`;
  }
  if (!isList(value) && !isJsonObject(value)) return value;
  // A reference or an expression of a workflow is shown whole: without it the step would mean something else.
  if (depth >= DEPTH && Object.values(value).some((inner) => typeof inner === "object")) {
    omitted.push(pointer);
    return isList(value) ? [] : {};
  }
  if (isList(value)) {
    if (value.length > ITEMS) omitted.push(`${pointer}: ${ITEMS} of ${value.length} items`);
    return value
      .slice(0, ITEMS)
      .map((item, index) => shortened(item, `${pointer}/${index}`, depth + 1, omitted));
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      if (item === null && !omitted.includes(NULLS)) omitted.push(NULLS);
      return item === undefined || item === null
        ? []
        : [[name, shortened(item, `${pointer}/${pointerSegment(name)}`, depth + 1, omitted)] as const];
    }),
  );
}

function selected(value: Json, pointer: string): Json {
  const segments = pointerSegments(pointer);
  if (segments === null) throw badSelect(pointer, "a JSON Pointer such as /steps/0/output", []);
  let found: Json = value;
  for (const segment of segments) {
    const next: Json | undefined = isList(found)
      ? found[Number(segment)]
      : isJsonObject(found) && Object.hasOwn(found, segment)
        ? found[segment]
        : undefined;
    if (next === undefined) {
      const names = isJsonObject(found)
        ? Object.keys(found)
        : isList(found)
          ? [`0 to ${found.length - 1}`]
          : [];
      throw badSelect(
        pointer,
        names.length === 0
          ? "a place that exists"
          : `one of ${names.slice(0, 30).join(", ")} where "${segment}" stands`,
        nearestNames(segment, names, 1),
      );
    }
    found = next;
  }
  return found;
}

function badSelect(given: string, expected: string, near: readonly string[]): AppError {
  const [name] = near;
  return new AppError("invalid_input", `select "${given.slice(0, 200)}" names nothing in the answer.`, {
    problems: [
      {
        pointer: "/select",
        message: "There is nothing at this place.",
        expected,
        given: given.slice(0, 200),
        fix: name === undefined ? `Give ${expected}.` : `Use "${name}".`,
      },
    ],
  });
}

/** The members of an object that are named here and say something: not null, an empty list or an empty object. */
export function pick(value: Json | undefined, names: readonly string[]): JsonObject {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    names.flatMap((name) => {
      const item = value[name] ?? null;
      const isEmpty = item === null || (typeof item === "object" && Object.keys(item).length === 0);
      return isEmpty ? [] : [[name, item] as const];
    }),
  );
}

/** The objects in a list. */
export function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return value !== undefined && isList(value) ? value.filter(isJsonObject) : [];
}
