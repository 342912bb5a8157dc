import { AppError } from "../kernel/errors.ts";
import { isList, type Json, type JsonObject } from "../kernel/json.ts";
import { pathText, pointerSegments } from "../kernel/paths.ts";
import { evaluateExpression, keptNote, type Scope } from "./expressions.ts";
import { segment } from "./problems.ts";

/*
 * Tagged values. `{"$ref": "inputs.url"}`, `{"$ref": "steps.fetch.outputs.data.id"}`, `{"$expr": "<CEL>"}` and
 * `{"$literal": …}` are the only things that mean more than themselves; a text is always just a text. A reference is
 * written as the same path in an expression; the earlier `$steps.fetch.outputs#/data/id` is read as well.
 */

/** A reference, taken apart. */
export type Reference =
  | { readonly root: "inputs"; readonly name: string | null; readonly pointer: readonly string[] }
  | {
      readonly root: "steps";
      readonly step: string;
      readonly part: StepPart;
      readonly pointer: readonly string[];
    }
  | { readonly root: "item" | "index"; readonly pointer: readonly string[] }
  | { readonly root: "run"; readonly name: string; readonly pointer: readonly string[] };

/** What of a step can be referenced. */
type StepPart = "outputs" | "error" | "status" | "port";

/** A value, classified. */
export type Tagged =
  | { readonly kind: "ref"; readonly ref: string; readonly fallback: Json | undefined }
  | { readonly kind: "expr"; readonly expr: string; readonly fallback: Json | undefined }
  | { readonly kind: "literal"; readonly value: Json }
  | { readonly kind: "malformed"; readonly reason: string }
  | { readonly kind: "plain" };

/** The earlier spelling: a root with `$`, then a JSON Pointer. */
const REFERENCE =
  /^\$(?:(inputs)(?:\.([A-Za-z0-9_-]{1,100}))?|steps\.([A-Za-z_][A-Za-z0-9_-]{0,62})\.(outputs|error|status|port)|(item|index)|run\.(id|startedAt|workflowId))(?:#((?:\/[^/]*)*))?$/;
/** One part of a path: `.name`, `[0]` or `["any name"]`. */
const PATH_PART = /\.([A-Za-z_][A-Za-z0-9_]*)|\[(0|[1-9][0-9]{0,8})\]|\[("(?:[^"\\]|\\.)*")\]/y;
const STEP_ID = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/;
const RUN_NAMES = new Set(["id", "startedAt", "workflowId"]);
const TAGS = ["$ref", "$expr", "$literal"];

/** Takes a reference apart; null when it is not written as one. */
export function parseReference(text: string): Reference | null {
  if (text.length > 1_000) return null;
  return text.startsWith("$") ? parsePointerForm(text) : parsePath(text);
}

function parsePath(text: string): Reference | null {
  const root = /^[a-z]+/.exec(text)?.[0] ?? "";
  const parts = pathParts(text, root.length);
  if (parts === null) return null;
  const [first, second, ...rest] = parts;
  if (root === "inputs") return { root, name: first ?? null, pointer: parts.slice(1) };
  if (root === "item" || root === "index") return { root, pointer: parts };
  if (root === "run")
    return first !== undefined && RUN_NAMES.has(first)
      ? { root, name: first, pointer: parts.slice(1) }
      : null;
  if (root !== "steps" || first === undefined || !STEP_ID.test(first) || !isStepPart(second)) return null;
  return { root, step: first, part: second, pointer: rest };
}

/** The names along a path, from a position to the end; null when something else stands there. */
function pathParts(text: string, from: number): readonly string[] | null {
  const parts: string[] = [];
  PATH_PART.lastIndex = from;
  for (let at = from; at < text.length; at = PATH_PART.lastIndex) {
    PATH_PART.lastIndex = at;
    const match = PATH_PART.exec(text);
    if (match === null) return null;
    const [, name, index, quoted] = match;
    const part = name ?? index ?? unquoted(quoted ?? "");
    if (part === null) return null;
    parts.push(part);
  }
  return parts;
}

function unquoted(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : null;
  } catch {
    return null;
  }
}

/** A reference as it is written: the path that names the same value in an expression. */
export function referenceText(reference: Reference): string {
  const { root, pointer } = reference;
  if (root === "steps") return pathText(root, [reference.step, reference.part, ...pointer]);
  if (root === "run") return pathText(root, [reference.name, ...pointer]);
  if (root === "inputs")
    return pathText(root, [...(reference.name === null ? [] : [reference.name]), ...pointer]);
  return pathText(root, pointer);
}

/** A reference in the one spelling that is written, whichever it was read in; another text stays as it is. */
export function asWritten(text: string): string {
  const reference = parseReference(text);
  return reference === null ? text : referenceText(reference);
}

function parsePointerForm(text: string): Reference | null {
  const match = REFERENCE.exec(text);
  if (match === null) return null;
  const [, inputs, inputName, step, part, loop, runName, pointerText] = match;
  const pointer = pointerSegments(pointerText ?? "");
  if (pointer === null) return null;
  if (inputs !== undefined) return { root: "inputs", name: inputName ?? null, pointer };
  if (step !== undefined && isStepPart(part)) return { root: "steps", step, part, pointer };
  if (loop === "item" || loop === "index") return { root: loop, pointer };
  return runName === undefined ? null : { root: "run", name: runName, pointer };
}

function isStepPart(part: string | undefined): part is StepPart {
  return part === "outputs" || part === "error" || part === "status" || part === "port";
}

/** Says whether a value is a reference, an expression, a literal in a wrapper, or just itself. */
export function classify(value: Json): Tagged {
  if (value === null || typeof value !== "object" || isList(value)) return { kind: "plain" };
  const keys = Object.keys(value);
  const tags = keys.filter((key) => TAGS.includes(key));
  const [tag] = tags;
  if (tag === undefined) return { kind: "plain" };
  if (tags.length > 1) return { kind: "malformed", reason: `${tags.join(" and ")} stand together` };
  const content = value[tag];
  const others = keys.filter((key) => key !== tag && !(key === "default" && tag !== "$literal"));
  if (others.length > 0) return { kind: "malformed", reason: `${tag} stands beside other fields` };
  if (tag === "$literal") return { kind: "literal", value: content ?? null };
  if (typeof content !== "string") return { kind: "malformed", reason: `${tag} is not a text` };
  const fallback = value["default"];
  return tag === "$ref" ? { kind: "ref", ref: content, fallback } : { kind: "expr", expr: content, fallback };
}

/** A value taken apart once: what it gives in a scope. */
type Plan = (scope: Scope) => Json;

/* Documents are resolved at each step of each of their runs, and never change: they are taken apart once. */
const plans = new WeakMap<object, Plan>();
const memberPlans = new WeakMap<JsonObject, (scope: Scope) => JsonObject>();

/**
 * Resolves every tagged value inside `value`. A reference to something that is not there gives its `default`, and
 * without one throws AppError `invalid_input`. An expression that fails does the same.
 */
export function resolveValue(value: Json, scope: Scope): Json {
  return value === null || typeof value !== "object" ? value : planOf(value)(scope);
}

/** Resolves the members of an object, for `with`, `payload` and `outputs`. */
export function resolveObject(value: JsonObject, scope: Scope): JsonObject {
  return planOfMembers(value)(scope);
}

function planOf(value: readonly Json[] | JsonObject): Plan {
  const known = plans.get(value);
  if (known !== undefined) return known;
  const made = takeApart(value);
  plans.set(value, made);
  return made;
}

function planOfMembers(value: JsonObject): (scope: Scope) => JsonObject {
  const known = memberPlans.get(value);
  if (known !== undefined) return known;
  const made = takeMembersApart(value);
  memberPlans.set(value, made);
  return made;
}

function takeApart(value: Json): Plan {
  if (value === null || typeof value !== "object") return () => value;
  if (isList(value)) {
    const items = value.map(takeApart);
    return (scope) => items.map((item) => item(scope));
  }
  const tagged = classify(value);
  switch (tagged.kind) {
    case "literal":
      return () => tagged.value;
    case "malformed":
      return () => {
        throw new AppError("invalid_input", `A tagged value is malformed: ${tagged.reason}.`);
      };
    case "ref":
      return takeReferenceApart(tagged.ref, tagged.fallback);
    case "expr":
      return (scope) => evaluateOr(tagged.expr, tagged.fallback, scope);
    case "plain":
      return takeMembersApart(value);
  }
}

function takeReferenceApart(text: string, fallback: Json | undefined): Plan {
  const reference = parseReference(text);
  return (scope) => {
    if (reference === null) throw new AppError("invalid_input", `Not a reference: ${text.slice(0, 100)}.`);
    const root = rootOf(reference, scope);
    const found = walk(root, reference.pointer);
    if (found !== undefined) return found;
    if (fallback !== undefined) return fallback;
    const kept = keptNote(root, reference.pointer);
    throw new AppError("invalid_input", `Nothing is found at ${text.slice(0, 200)}.${kept}`);
  };
}

function takeMembersApart(value: JsonObject): (scope: Scope) => JsonObject {
  const members: [string, Plan][] = [];
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) members.push([key, takeApart(item)]);
  }
  // An assignment to this name would set the prototype.
  if (Object.hasOwn(value, "__proto__")) {
    return (scope) => Object.fromEntries(members.map(([key, plan]) => [key, plan(scope)]));
  }
  return (scope) => {
    const resolved: Record<string, Json> = {};
    for (const [key, plan] of members) resolved[key] = plan(scope);
    return resolved;
  };
}

function evaluateOr(expression: string, fallback: Json | undefined, scope: Scope): Json {
  if (fallback === undefined) return evaluateExpression(expression, scope);
  try {
    return evaluateExpression(expression, scope);
  } catch (error) {
    if (error instanceof AppError) return fallback;
    throw error;
  }
}

/** What a reference points at; undefined when there is nothing. Throws when it is not a reference. */
export function lookUp(text: string, scope: Scope): Json | undefined {
  const reference = parseReference(text);
  if (reference === null) throw new AppError("invalid_input", `Not a reference: ${text.slice(0, 100)}.`);
  return walk(rootOf(reference, scope), reference.pointer);
}

function rootOf(reference: Reference, scope: Scope): Json | undefined {
  if (reference.root === "inputs") {
    return reference.name === null ? scope.inputs : own(scope.inputs, reference.name);
  }
  if (reference.root === "steps") {
    const step = own(scope.steps, reference.step);
    return step === undefined ? undefined : own(step, reference.part);
  }
  if (reference.root === "run") return scope.run === undefined ? undefined : own(scope.run, reference.name);
  return reference.root === "item" ? scope.item : scope.index;
}

function walk(root: Json | undefined, segments: readonly string[]): Json | undefined {
  let current = root;
  for (const key of segments) {
    if (current === undefined) return undefined;
    current = own(current, key);
  }
  return current;
}

/** The part of a value at a JSON Pointer; undefined when there is none. */
export function partAt(value: Json, pointer: string): Json | undefined {
  const segments = pointerSegments(pointer);
  return segments === null ? undefined : walk(value, segments);
}

/** A member by its own name only: nothing inherited is reachable. */
function own(value: Json, key: string): Json | undefined {
  if (value === null || typeof value !== "object") return undefined;
  if (isList(value)) return /^(0|[1-9][0-9]{0,8})$/.test(key) ? value[Number(key)] : undefined;
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/** A tagged value found inside a document, with its place. */
export interface TaggedPlace {
  readonly tagged: Exclude<Tagged, { kind: "plain" }>;
  readonly pointer: string;
}

/** Calls `onTag` for each tagged value and `onText` for each plain text inside a value; iterative, in document order. */
export function walkValue(
  root: Json | undefined,
  rootPointer: string,
  onTag: (found: TaggedPlace) => void,
  onText: (text: string, pointer: string) => void,
): void {
  const open: { value: Json | undefined; pointer: string }[] = [{ value: root, pointer: rootPointer }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, pointer } = next;
    if (typeof value === "string") onText(value, pointer);
    if (value === undefined || value === null || typeof value !== "object") continue;
    if (isList(value)) {
      for (let i = value.length - 1; i >= 0; i--) open.push({ value: value[i], pointer: `${pointer}/${i}` });
      continue;
    }
    const tagged = classify(value);
    if (tagged.kind !== "plain") {
      onTag({ tagged, pointer });
      continue;
    }
    for (const key of Object.keys(value).reverse()) {
      open.push({ value: value[key], pointer: pointer + segment(key) });
    }
  }
}
