import type { Note } from "./document.ts";
import { isRecord, own, pointerToken } from "../values/json.ts";
import { NAME_MAPS, PLAIN_DATA } from "./keywords.ts";

/*
 * What in a schema troubles which MCP clients. Models are given tool schemas by hosts that translate them into the
 * dialects of model providers; each of these constructs is refused, dropped or misread by at least one kind of them.
 */

const STRICT = "hosts with strict function schemas";
const SUBSET = "hosts that translate to an OpenAPI 3.0 subset";
const GENERATED = "clients that generate a form from the schema";
const MOST_PER_CODE = 5;

type Finding = Omit<Note, "schemaPath" | "severity"> & { readonly severity?: Note["severity"] };

/** Remarks on what will trouble which clients, at most a few of each kind. */
export function portabilityNotes(schema: unknown): Note[] {
  const notes: Note[] = [];
  const counts = new Map<string, number>();
  const add = (finding: Finding, schemaPath: string): void => {
    const count = (counts.get(finding.code) ?? 0) + 1;
    counts.set(finding.code, count);
    if (count <= MOST_PER_CODE) notes.push({ severity: "warning", ...finding, schemaPath });
  };
  const stack: { node: unknown; pointer: string; map: boolean; unions: number; property: boolean }[] = [
    { node: schema, pointer: "", map: false, unions: 0, property: false },
  ];
  for (let next = stack.pop(), steps = 0; next && steps < 20_000; next = stack.pop(), steps++) {
    const { node, pointer, map, property } = next;
    if (!map && typeof node === "boolean" && property) add(BOOLEAN_SCHEMA, pointer);
    if (Array.isArray(node)) {
      for (let index = node.length - 1; index >= 0; index--) {
        stack.push({ ...next, node: node[index], pointer: `${pointer}/${index}`, map: false });
      }
      continue;
    }
    if (!isRecord(node)) continue;
    const unions = map ? next.unions : inspect(node, pointer, next.unions, property, add);
    for (const [key, value] of Object.entries(node)) {
      if (!map && PLAIN_DATA.has(key)) continue;
      stack.push({
        node: value,
        pointer: `${pointer}/${pointerToken(key)}`,
        map: !map && NAME_MAPS.has(key),
        unions,
        property: map,
      });
    }
  }
  for (const [code, count] of counts) {
    if (count > MOST_PER_CODE) {
      notes.push({
        code,
        severity: "info",
        schemaPath: "",
        message: `${count - MOST_PER_CODE} more places like the ones above.`,
      });
    }
  }
  return notes;
}

function inspect(
  node: Record<string, unknown>,
  pointer: string,
  outer: number,
  property: boolean,
  add: (finding: Finding, pointer: string) => void,
): number {
  const has = (key: string): boolean => Object.hasOwn(node, key);
  const unions = outer + (has("oneOf") || has("anyOf") ? 1 : 0);
  if (Array.isArray(own(node, "type"))) add(TYPE_ARRAY, `${pointer}/type`);
  const reference = own(node, "$ref");
  if (typeof reference === "string")
    add(reference.startsWith("#") ? LOCAL_REF : REMOTE_REF, `${pointer}/$ref`);
  if (has("$dynamicRef") || has("$recursiveRef")) add(DYNAMIC_REF, pointer);
  if (unions > 2 && (has("oneOf") || has("anyOf"))) add(DEEP_UNION, pointer);
  if (pointer === "" && ["oneOf", "anyOf", "allOf", "not", "enum"].some(has)) add(ROOT_UNION, pointer);
  if (pointer === "" && own(node, "type") !== "object") add(ROOT_TYPE, pointer);
  const typed = ["type", "$ref", "enum", "const", "oneOf", "anyOf", "allOf", "not", "if"].some(has);
  if (property && !typed) add(UNTYPED, pointer);
  if (has("patternProperties") || isRecord(own(node, "additionalProperties"))) add(MAP, pointer);
  if (has("if") || has("dependentSchemas") || has("dependentRequired") || isRecord(own(node, "dependencies")))
    add(CONDITION, pointer);
  if (has("prefixItems") || Array.isArray(own(node, "items"))) add(TUPLE, pointer);
  if (own(node, "type") === "array" && !has("items") && !has("prefixItems")) add(NO_ITEMS, pointer);
  return unions;
}

const TYPE_ARRAY: Finding = {
  code: "type_array",
  message: "A list of types is not understood everywhere; anyOf with one type each is.",
  clients: [SUBSET, GENERATED],
};
const REMOTE_REF: Finding = {
  code: "remote_ref",
  message: "A reference to another document is not fetched by clients; copy the definition into $defs.",
  clients: [STRICT, SUBSET, GENERATED],
};
const LOCAL_REF: Finding = {
  code: "local_ref",
  severity: "info",
  message: "Some hosts do not follow $ref; inlining the definition helps them.",
  clients: [SUBSET],
};
const DYNAMIC_REF: Finding = {
  code: "dynamic_ref",
  message: "Dynamic references are followed by few clients; use $ref.",
  clients: [STRICT, SUBSET, GENERATED],
};
const DEEP_UNION: Finding = {
  code: "deep_union",
  message: "Alternatives inside alternatives confuse models and are flattened or refused by some hosts.",
  clients: [STRICT, GENERATED],
};
const ROOT_UNION: Finding = {
  code: "root_union",
  message:
    "The root of a tool's parameters should be one plain object; hosts refuse oneOf, anyOf, allOf, not or enum there.",
  clients: [STRICT, SUBSET],
};
const ROOT_TYPE: Finding = {
  code: "root_type",
  message: "The root should say type: object; MCP requires it of tool parameters.",
  clients: [STRICT, SUBSET, GENERATED],
};
const UNTYPED: Finding = {
  code: "untyped",
  message: "A property without a type is refused by strict hosts and becomes raw JSON in generated forms.",
  clients: [STRICT, SUBSET, GENERATED],
};
const BOOLEAN_SCHEMA: Finding = {
  code: "boolean_schema",
  message: "true or false in place of a schema is not accepted everywhere; write {} or remove the property.",
  clients: [STRICT, SUBSET],
};
const MAP: Finding = {
  code: "open_map",
  severity: "info",
  message:
    "Objects with keys that the caller names are dropped by hosts that want additionalProperties: false.",
  clients: [STRICT, SUBSET],
};
const CONDITION: Finding = {
  code: "condition",
  message: "Conditions are ignored by most hosts: a model does not see them.",
  clients: [STRICT, SUBSET],
};
const TUPLE: Finding = {
  code: "tuple",
  message: "Items with a schema for each position are not understood everywhere.",
  clients: [STRICT, SUBSET],
};
const NO_ITEMS: Finding = {
  code: "array_without_items",
  message: "An array without items is refused by some hosts.",
  clients: [SUBSET],
};
