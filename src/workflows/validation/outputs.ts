import { isList, type Json, type JsonObject } from "../../kernel/json.ts";
import { compileExpression } from "../expressions.ts";
import { awaitedBy } from "../awaited.ts";
import { isGraphBody, type MapNode, type WaitNode } from "../schema.ts";
import { follow, inlined, schemaOfCel, typeName, type SchemaOrNull } from "../schema-types.ts";
import { pointerSegments } from "../../kernel/paths.ts";
import { classify, parseReference } from "../values.ts";
import { findStep, isCertain, openContext, placeOf, type GraphContext, type When } from "./context.ts";

const ERROR_SCHEMA: JsonObject = {
  type: "object",
  properties: { code: { type: "string" }, message: { type: "string" } },
  additionalProperties: true,
};

/** The schema of what a step gives; null when nothing is known. Found once for each step. */
function outputSchema(context: GraphContext, index: number): SchemaOrNull {
  const known = context.outputs.get(index);
  if (known !== undefined) return known;
  // A step that is asked for while it is being found out refers to itself: nothing is known of it.
  context.outputs.set(index, null);
  const schema = find(context, index);
  context.outputs.set(index, schema);
  return schema;
}

function find(context: GraphContext, index: number): SchemaOrNull {
  const node = context.graph.nodes[index];
  if (node === undefined || context.shared.broken.has(node)) return null;
  switch (node.type) {
    case "tool":
      return envelope(context, node.tool);
    case "approval":
      return closed({
        verdict: { type: "string", enum: ["approved", "rejected", "changes_requested", "expired"] },
        reason: { type: ["string", "null"] },
        values: node.approval.form ?? {},
        decidedBy: { type: "string" },
        decidedAt: { type: "string" },
      });
    case "switch":
      return closed({ case: { type: ["string", "null"] } });
    case "map":
      return closed({
        results: { type: "array", items: itemResult(context, node, index) },
        count: { type: "integer" },
        failed: { type: "integer" },
      });
    case "transform":
      return schemaOfValue(context, node.value, index, 0);
    case "wait":
      return waitSchema(node);
    case "handoff":
      return closed({
        ok: { type: "boolean" },
        data: closed({
          delegationId: { type: "string" },
          status: { type: "string" },
          resultRef: { type: ["string", "null"] },
          data: {},
        }),
      });
    case "subworkflow": {
      const { workflowId, version } = node.subworkflow;
      const child = context.shared.view.subworkflow(workflowId, version);
      const names = Object.keys(child?.outputs ?? {});
      return names.length === 0 ? null : closed(Object.fromEntries(names.map((name) => [name, {}])));
    }
  }
}

function waitSchema(node: WaitNode): JsonObject {
  const awaited = awaitedBy(node);
  if (awaited === null) return closed({ until: { type: "string" } });
  if (awaited.kind === "event") return closed({ event: {} });
  const text = { type: "string" };
  return closed({ signal: text, payload: awaited.schema ?? {}, sentBy: text, sentAt: text });
}

function closed(properties: JsonObject): JsonObject {
  return { type: "object", properties, additionalProperties: false };
}

const envelopes = new WeakMap<JsonObject, JsonObject>();

function envelope(context: GraphContext, tool: string): SchemaOrNull {
  const view = context.shared.view.tool(tool);
  if (view === undefined) return null;
  const data = inlined(view.outputSchema ?? {});
  const known = envelopes.get(view.inputSchema);
  if (known !== undefined) return known;
  const schema = closed({ ok: { type: "boolean" }, data });
  envelopes.set(view.inputSchema, schema);
  return schema;
}

function itemResult(context: GraphContext, node: MapNode, index: number): JsonObject {
  const given = bodyResult(context, node, index) ?? {};
  const failed = { ...closed({ error: ERROR_SCHEMA }), required: ["error"] };
  return node.map.onItemError === "continue" ? { anyOf: [given, failed] } : given;
}

function bodyResult(context: GraphContext, node: MapNode, index: number): SchemaOrNull {
  const { body } = node.map;
  if (!isGraphBody(body)) {
    const step = follow(envelope(context, body.tool), pointerSegments(body.result ?? "") ?? []);
    return step.kind === "found" ? step.schema : null;
  }
  const inner = bodyContext(context, node, index);
  if (inner === null) return null;
  if (body.outputs !== undefined) return schemaOfValue(inner, body.outputs, "end", 0);
  const { nodes } = inner.graph;
  const last = nodes.flatMap(({ id }, at) =>
    body.edges.some((edge) => edge.from === id) || !isCertain({ context: inner, node: at, when: "end" }, true)
      ? []
      : [[id, outputSchema(inner, at) ?? {}] as const],
  );
  return { type: "object", properties: Object.fromEntries(last), required: last.map(([id]) => id) };
}

/** The graph that a map runs for each item; null when its body is one tool call. Opened once. */
export function bodyContext(context: GraphContext, node: MapNode, index: number): GraphContext | null {
  const known = context.bodies.get(index);
  if (known !== undefined) return known;
  const { body } = node.map;
  if (!isGraphBody(body)) return null;
  const outer = { context, node: index, item: itemSchema(context, node, index) };
  const pointer = `${placeOf(context, node)}/map/body`;
  const inner = openContext(context.shared, pointer, body.nodes, body.edges, outer);
  context.bodies.set(index, inner);
  return inner;
}

/** The schema of one item of a map. */
export function itemSchema(context: GraphContext, node: MapNode, index: number): SchemaOrNull {
  const step = follow(schemaOfValue(context, node.map.items, index, 0), ["0"]);
  return step.kind === "found" ? step.schema : null;
}

/** The schema of a value with tagged values inside, as far as it is known. */
export function schemaOfValue(context: GraphContext, value: Json, when: When, depth: number): SchemaOrNull {
  const tagged = classify(value);
  if (tagged.kind === "ref") {
    const found = schemaOfReference(context, tagged.ref, when);
    if (tagged.fallback === undefined || found === null) return found;
    return { anyOf: [found, schemaOfValue(context, tagged.fallback, when, depth + 1) ?? {}] };
  }
  if (tagged.kind === "expr") {
    const compiled = compileExpression(tagged.expr);
    return compiled.ok && tagged.fallback === undefined ? schemaOfCel(compiled.expression.type) : null;
  }
  if (tagged.kind === "malformed" || depth > 8) return null;
  const plain = tagged.kind === "literal" ? tagged.value : value;
  if (plain === null || typeof plain !== "object") return { type: typeName(plain), const: plain };
  if (isList(plain)) {
    const items = plain.slice(0, MAX_LISTED + 1).map((item) => schemaOfValue(context, item, when, depth + 1));
    const isKnown = items.length > 0 && items.length <= MAX_LISTED;
    return { type: "array", ...(isKnown && { items: { anyOf: items.map((item) => item ?? {}) } }) };
  }
  const properties: Record<string, SchemaOrNull> = {};
  for (const [key, item] of Object.entries(plain)) {
    if (item !== undefined) properties[key] = schemaOfValue(context, item, when, depth + 1) ?? {};
  }
  return { ...closed(properties), required: Object.keys(properties) };
}

/** Lists that are written out are compared item by item up to this length. */
const MAX_LISTED = 20;

function schemaOfReference(context: GraphContext, text: string, when: When): SchemaOrNull {
  const root = rootSchema(context, text, when);
  if (root === null) return null;
  const step = follow(root.schema, root.path);
  return step.kind === "found" ? step.schema : null;
}

/** The schema that a reference starts from and the path it takes from there; null when it names nothing known. */
export function rootSchema(
  context: GraphContext,
  text: string,
  when: When,
): { readonly schema: SchemaOrNull; readonly path: readonly string[] } | null {
  const reference = parseReference(text);
  if (reference === null) return null;
  const { pointer } = reference;
  if (reference.root === "inputs") {
    const { inputs } = context.shared.document;
    return {
      schema: inlined(inputs),
      path: reference.name === null ? pointer : [reference.name, ...pointer],
    };
  }
  if (reference.root === "run") return { schema: { type: "string" }, path: pointer };
  if (reference.root !== "steps") {
    return {
      schema: reference.root === "item" ? (context.outer?.item ?? null) : { type: "integer" },
      path: pointer,
    };
  }
  if (reference.part === "status") return { schema: { type: "string" }, path: pointer };
  if (reference.part === "port") return { schema: { type: ["string", "null"] }, path: pointer };
  if (reference.part === "error") return { schema: ERROR_SCHEMA, path: pointer };
  const step = findStep(context, reference.step, when);
  return step === null ? null : { schema: outputSchema(step.context, step.node), path: pointer };
}

/** The schema of one step as expressions see it: outputs, error, status and port. */
export function stepSchema(context: GraphContext, index: number): JsonObject {
  const outputs = outputSchema(context, index);
  return closed({
    outputs: isPlain(outputs) ? outputs : {},
    error: ERROR_SCHEMA,
    status: { type: "string" },
    port: { type: ["string", "null"] },
  });
}

/** Schemas found here are made of JSON only. */
function isPlain(schema: SchemaOrNull): schema is JsonObject {
  return schema !== null;
}
