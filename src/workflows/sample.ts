import { compileForm } from "../../packages/forms/src/index.ts";
import { sampleValue } from "../../packages/forms/src/sample.ts";
import { isJson, isJsonRecord, isList, type Json, type JsonObject } from "../kernel/json.ts";
import { compileExpression } from "./expressions.ts";
import type { WorkflowDocument } from "./schema.ts";
import { deref, typesOf, type SchemaOrNull } from "./schema-types.ts";
import { parseReference, walkValue } from "./values.ts";

/*
 * Made-up values for dry runs: the same schema always gives the same value, and what later steps read from a step is
 * there even where the schema does not promise it.
 */

const samples = new WeakMap<object, { readonly value: Json }>();

/** A value that fits a schema, as far as one can be made. */
export function sampleOf(schema: SchemaOrNull): Json {
  if (schema === null) return {};
  const known = samples.get(schema);
  if (known !== undefined) return known.value;
  const { form } = compileForm(schema, { formId: "sample" });
  const made: unknown = form === undefined ? undefined : sampleValue(form);
  const value = made !== undefined && isJson(made) ? made : plainSample(schema, schema, 0);
  samples.set(schema, { value });
  return value;
}

/** The plainest value of a schema's type: for schemas whose samples cannot be proved to fit. */
function plainSample(given: Json | undefined, root: SchemaOrNull, depth: number): Json {
  const schema = deref(given, root);
  if (schema === null || depth > 8) return "sample";
  const { const: constant, default: preset, examples } = schema;
  const { enum: choices } = schema;
  for (const offer of [constant, preset, first(examples), first(choices)]) {
    if (offer !== undefined && isJson(offer)) return offer;
  }
  const branch = first(schema["anyOf"]) ?? first(schema["oneOf"]) ?? first(schema["allOf"]);
  const types = typesOf(schema);
  if (types === null && branch !== undefined) return plainSample(branch, root, depth + 1);
  const [type = "string"] = types ?? [];
  if (type === "object") return objectSample(schema, root, depth);
  if (type === "array")
    return schema["items"] === undefined ? [] : [plainSample(schema["items"], root, depth + 1)];
  if (type === "integer" || type === "number")
    return typeof schema["minimum"] === "number" ? schema["minimum"] : 1;
  if (type === "boolean") return true;
  return type === "null" ? null : "sample";
}

function objectSample(schema: JsonObject, root: SchemaOrNull, depth: number): JsonObject {
  const properties = isJsonRecord(schema["properties"]) ? schema["properties"] : {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, plainSample(property, root, depth + 1)]),
  );
}

function first(list: Json | undefined): Json | undefined {
  return Array.isArray(list) ? list[0] : undefined;
}

/** Which paths into each step's outputs the rest of a document reads, and which of them must be lists. */
export interface Demands {
  readonly paths: ReadonlyMap<string, readonly (readonly string[])[]>;
  readonly lists: ReadonlySet<string>;
}

/** Collects what a document reads from its steps. */
export function demandsOf(document: WorkflowDocument): Demands {
  const paths = new Map<string, (readonly string[])[]>();
  const lists = new Set<string>();
  const note = (step: string, path: readonly string[]): void => {
    const known = paths.get(step) ?? [];
    known.push(path);
    paths.set(step, known);
  };
  const noteExpression = (source: string): void => {
    const compiled = compileExpression(source);
    if (!compiled.ok) return;
    for (const [step = "", part, ...path] of compiled.expression.paths)
      if (part === "outputs") note(step, path);
  };
  const noteReference = (text: string, asList: boolean): void => {
    const reference = parseReference(text);
    if (reference?.root !== "steps" || reference.part !== "outputs") return;
    note(reference.step, reference.pointer);
    if (asList) lists.add(JSON.stringify([reference.step, ...reference.pointer]));
  };
  walkValue(
    { nodes: document.nodes, outputs: document.outputs },
    "",
    ({ tagged, pointer }) => {
      if (tagged.kind === "ref") noteReference(tagged.ref, pointer.endsWith("/map/items"));
      if (tagged.kind === "expr") noteExpression(tagged.expr);
    },
    (text, pointer) => {
      if (pointer.endsWith("/if") || pointer.endsWith("/when")) noteExpression(text);
    },
  );
  return { paths, lists };
}

/** The value with everything in it that is read from it. What is made up for that is a plain text or a short list. */
export function withDemands(value: Json, step: string, demands: Demands): Json {
  let result = value;
  const wanted = [...(demands.paths.get(step) ?? [])].sort((a, b) => b.length - a.length);
  for (const path of wanted) {
    const isListed = demands.lists.has(JSON.stringify([step, ...path]));
    result = ensure(result, path, isListed ? ["sample"] : "sample");
  }
  return result;
}

function ensure(value: Json | undefined, path: readonly string[], leaf: Json): Json {
  const [name, ...rest] = path;
  if (name === undefined) return value ?? leaf;
  if (value === undefined || value === null || typeof value !== "object") {
    if (value !== undefined && value !== null) return value;
    return /^[0-9]+$/.test(name)
      ? [ensure(undefined, rest, leaf)]
      : { [name]: ensure(undefined, rest, leaf) };
  }
  if (isList(value)) {
    const index = Number(name);
    if (!Number.isInteger(index) || index > 20) return value;
    return Array.from({ length: Math.max(value.length, index + 1) }, (_, i) =>
      i === index ? ensure(value[i], rest, leaf) : (value[i] ?? null),
    );
  }
  return { ...value, [name]: ensure(Object.hasOwn(value, name) ? value[name] : undefined, rest, leaf) };
}
