import type { HintCondition, Predicate } from "../compile/document.ts";
import { isJson, isRecord, own, pointerTokens, type Json } from "../values/json.ts";
import { describeTest } from "../compile/words.ts";

/*
 * Conditions of hints: { field, is | in | present | matches }, and all, any, not of these. A field without a slash is a
 * sibling, one with a slash a JSON Pointer from the root.
 */

const DEEPEST = 8;
const MOST_PARTS = 40;
const LONGEST_PATH = 16;
const LONGEST_TEST = 4_000;

/** A condition, or why it is none. */
export type ReadCondition = { readonly condition: HintCondition } | { readonly problem: string };

/** Reads a condition. Never throws. */
export function readCondition(given: unknown): ReadCondition {
  const budget = { left: MOST_PARTS };
  const read = part(given, budget, 0);
  return "problem" in read ? read : { condition: { ...read, text: read.text.slice(0, 300) } };
}

type Part = HintCondition | { readonly problem: string };

function part(given: unknown, budget: { left: number }, depth: number): Part {
  budget.left -= 1;
  if (depth > DEEPEST || budget.left < 0)
    return { problem: `more than ${MOST_PARTS} parts or ${DEEPEST} levels` };
  if (!isRecord(given)) return { problem: 'it is no object such as { field: "kind", is: "a" }' };
  const not = own(given, "not");
  if (not !== undefined) {
    const inner = part(not, budget, depth + 1);
    return "problem" in inner ? inner : negated(inner);
  }
  for (const kind of ["all", "any"] as const) {
    const list = own(given, kind);
    if (Array.isArray(list)) return joined(kind, list, budget, depth);
  }
  return leaf(given);
}

function negated(inner: HintCondition): HintCondition {
  return { on: inner.on, when: { kind: "not", of: inner.when }, text: `not: ${inner.text}` };
}

function joined(
  kind: "all" | "any",
  list: readonly unknown[],
  budget: { left: number },
  depth: number,
): Part {
  const parts: HintCondition[] = [];
  for (const item of list) {
    const read = part(item, budget, depth + 1);
    if ("problem" in read) return read;
    parts.push(read);
  }
  const on = new Set(parts.map((read) => read.on));
  if (on.size > 1)
    return { problem: "it asks siblings and pointers from the root in one; use pointers for all" };
  const [where = "root"] = on;
  const text = parts.map((read) => read.text).join(kind === "all" ? " and " : " or ");
  return { on: where, when: { kind, of: parts.map(({ when }) => when) }, text };
}

function leaf(given: Record<string, unknown>): Part {
  const field = own(given, "field");
  if (typeof field !== "string") return { problem: "`field` names no field" };
  const isRoot = field === "" || field.startsWith("/");
  const tokens = isRoot ? pointerTokens(field) : [field];
  if (tokens.length > LONGEST_PATH) return { problem: `\`field\` has more than ${LONGEST_PATH} parts` };
  const test = testOf(given);
  if (test === undefined)
    return { problem: "it has none of is, in, present and matches, or one that is too long" };
  const name = tokens.at(-1) ?? "the value";
  const isPresent = test === true;
  const described = isPresent ? "is given" : describeTest(test);
  const stated: HintCondition = {
    on: isRoot ? "root" : "holder",
    when: { kind: "matches", schema: below(tokens, test) },
    text: `\`${name}\` ${described}`,
  };
  if (own(given, "present") === false) return { ...negated(stated), text: `\`${name}\` is not given` };
  if (own(given, "orAbsent") !== true || isPresent) return stated;
  const absent: Predicate = { kind: "not", of: { kind: "matches", schema: below(tokens, true) } };
  return { ...stated, when: { kind: "any", of: [stated.when, absent] } };
}

function testOf(given: Record<string, unknown>): Json | undefined {
  const is = own(given, "is");
  const listed = own(given, "in");
  const matches = own(given, "matches");
  const test: unknown =
    is !== undefined
      ? { const: is }
      : Array.isArray(listed)
        ? { enum: listed }
        : typeof own(given, "present") === "boolean"
          ? true
          : matches;
  return isJson(test) && JSON.stringify(test).length <= LONGEST_TEST ? test : undefined;
}

/** A schema that asks the value at a path; nothing there is a no. */
function below(tokens: readonly string[], test: Json): Json {
  return tokens.reduceRight<Json>(
    (inner, token) => ({ type: "object", required: [token], properties: { [token]: inner } }),
    test,
  );
}
