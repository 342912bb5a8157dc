import { isObject } from "../../kernel/json.ts";
import { problem, segment, type WorkflowProblem } from "../problems.ts";

const TYPES = new Set(["object", "array", "string", "number", "integer", "boolean", "null"]);
const MAX_SCHEMAS = 2_000;

/** What keeps a JSON object from being the schema of an object that people or callers fill in. */
export function schemaFaults(schema: unknown, pointer: string): readonly WorkflowProblem[] {
  const faults: WorkflowProblem[] = [];
  if (!isObject(schema)) return [problem("schema_invalid", pointer, "The schema is not an object.")];
  const type = schema["type"];
  if (type !== undefined && type !== "object") {
    faults.push(problem("schema_invalid", `${pointer}/type`, "The schema must describe an object."));
  }
  const open: { schema: unknown; pointer: string }[] = [{ schema, pointer }];
  let count = 0;
  for (let next = open.pop(); next !== undefined && count < MAX_SCHEMAS; next = open.pop()) {
    count += 1;
    if (typeof next.schema === "boolean") continue;
    if (!isObject(next.schema)) {
      faults.push(problem("schema_invalid", next.pointer, "A schema must be an object."));
      continue;
    }
    faults.push(...keywordFaults(next.schema, next.pointer));
    open.push(...children(next.schema, next.pointer));
  }
  return faults;
}

function keywordFaults(schema: Record<string, unknown>, pointer: string): readonly WorkflowProblem[] {
  const faults: WorkflowProblem[] = [];
  const { type, properties, required } = schema;
  const types: readonly unknown[] = Array.isArray(type) ? type : type === undefined ? [] : [type];
  if (types.some((item) => typeof item !== "string" || !TYPES.has(item))) {
    faults.push(problem("schema_invalid", `${pointer}/type`, "`type` names no JSON type."));
  }
  if (properties !== undefined && !isObject(properties)) {
    faults.push(problem("schema_invalid", `${pointer}/properties`, "`properties` must be an object."));
  }
  if (
    required !== undefined &&
    !(Array.isArray(required) && required.every((item) => typeof item === "string"))
  ) {
    faults.push(problem("schema_invalid", `${pointer}/required`, "`required` must be a list of names."));
  }
  if (schema["enum"] !== undefined && !Array.isArray(schema["enum"])) {
    faults.push(problem("schema_invalid", `${pointer}/enum`, "`enum` must be a list."));
  }
  return faults;
}

function children(
  schema: Record<string, unknown>,
  pointer: string,
): readonly { schema: unknown; pointer: string }[] {
  const found: { schema: unknown; pointer: string }[] = [];
  for (const key of ["properties", "patternProperties", "$defs", "definitions"]) {
    const map = schema[key];
    if (!isObject(map)) continue;
    for (const [name, item] of Object.entries(map))
      found.push({ schema: item, pointer: `${pointer}/${key}${segment(name)}` });
  }
  for (const key of ["items", "additionalProperties", "not", "if", "then", "else", "contains"]) {
    if (schema[key] !== undefined && !Array.isArray(schema[key]))
      found.push({ schema: schema[key], pointer: `${pointer}/${key}` });
  }
  for (const key of ["anyOf", "oneOf", "allOf", "prefixItems"]) {
    const list = schema[key];
    if (!Array.isArray(list)) continue;
    list.forEach((item, index) => found.push({ schema: item, pointer: `${pointer}/${key}/${index}` }));
  }
  return found;
}
