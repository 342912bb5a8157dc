import { canonicalJson } from "../kernel/canonical-json.ts";
import { isJsonObject, isList, isObject, type Json, type JsonObject } from "../kernel/json.ts";
import type { DryRun } from "../model/plans.ts";
import type { WorkflowSummary } from "../model/workflows.ts";
import type { WorkflowRecord, WorkflowTexts } from "../ports/records.ts";
import { documentDigest, documentJson, parseDocument } from "./document.ts";
import { awaitedBy } from "./awaited.ts";
import { HIDDEN_OPERATION, NOT_SHOWN } from "./not-shown.ts";
import { isGraphBody, type Edge, type MapNode, type WorkflowDocument, type WorkflowNode } from "./schema.ts";

/*
 * What strangers see of a workflow. It is a list of its own: what is not named here is not shown, so that a new member
 * of a document is private until it is added. Titles, the kinds and the order of the steps, and the inputs: never people,
 * fixed values, expressions, notes, connections or other workflows.
 */

/** The document as strangers see it. It has the form of a document, so that every view and format can show it. */
export function publicDocument(stored: JsonObject): JsonObject {
  const { document } = parseDocument(stored);
  const shown: WorkflowDocument = {
    schemaVersion: document.schemaVersion,
    inputs: publicSchema(document.inputs),
    nodes: document.nodes.map(publicNode),
    edges: document.edges.map(publicEdge),
    outputs: Object.fromEntries(Object.keys(document.outputs).map((name) => [name, null])),
    policy: {},
    ui: document.ui.positions === undefined ? {} : { positions: document.ui.positions },
  };
  return documentJson(shown);
}

function publicEdge({ id, from, to, port }: Edge): Edge {
  return { id, from, to, port };
}

function publicNode(node: WorkflowNode): WorkflowNode {
  const base = { id: node.id, ...(node.title !== undefined && { title: node.title }) };
  switch (node.type) {
    case "tool":
      return { ...base, type: "tool", tool: publicTool(node.tool) };
    case "approval":
      return { ...base, type: "approval", approval: { title: "Approval" } };
    case "switch":
      return {
        ...base,
        type: "switch",
        cases: node.cases.map(({ name }) => ({ name, when: "false" })),
      };
    case "transform":
      return { ...base, type: "transform", value: null };
    case "wait":
      // What edges leave by stays to be seen.
      return { ...base, type: "wait", wait: awaitedBy(node) === null ? { ms: 1 } : { signal: NOT_SHOWN } };
    case "handoff":
      return {
        ...base,
        type: "handoff",
        handoff: { target: node.handoff.target, capability: NOT_SHOWN },
      };
    case "subworkflow":
      return { ...base, type: "subworkflow", subworkflow: { workflowId: NOT_SHOWN } };
    case "map":
      return { ...base, type: "map", map: { items: [], maxItems: 1, body: publicBody(node.map.body) } };
  }
}

function publicBody(body: MapNode["map"]["body"]): MapNode["map"]["body"] {
  if (!isGraphBody(body)) return { tool: publicTool(body.tool) };
  const nodes = body.nodes.map(publicNode).filter((node) => node.type !== "map");
  return { nodes, edges: body.edges.map(publicEdge) };
}

/** Our own tools are public; what is connected is not. */
function publicTool(name: string): string {
  return name.includes(":") ? HIDDEN_OPERATION : name;
}

/** Keywords that say what a value has to be. `default`, `examples`, `$comment` and extensions are values or notes. */
const KEYWORDS: ReadonlySet<string> = new Set(
  (
    "$ref type title description format enum const required pattern minimum maximum exclusiveMinimum " +
    "exclusiveMaximum multipleOf minLength maxLength minItems maxItems uniqueItems minProperties maxProperties " +
    "dependentRequired"
  ).split(" "),
);
/** Keywords that hold schemas: one, a list, or one for each name. */
const WITH_SCHEMAS: ReadonlySet<string> = new Set(
  "items prefixItems contains additionalProperties propertyNames not if then else allOf anyOf oneOf".split(
    " ",
  ),
);
const WITH_NAMED_SCHEMAS: ReadonlySet<string> = new Set(
  "properties patternProperties dependentSchemas $defs definitions".split(" "),
);

/** A JSON Schema with what a caller needs to give a value, and no value of its own. */
function publicSchema(schema: JsonObject): JsonObject {
  const shown: [string, Json][] = [];
  for (const [keyword, value = null] of Object.entries(schema)) {
    if (KEYWORDS.has(keyword)) shown.push([keyword, value]);
    else if (WITH_SCHEMAS.has(keyword)) shown.push([keyword, schemasIn(value)]);
    else if (WITH_NAMED_SCHEMAS.has(keyword) && isJsonObject(value)) {
      shown.push([
        keyword,
        Object.fromEntries(Object.entries(value).map(([name, item = null]) => [name, schemasIn(item)])),
      ]);
    }
  }
  return Object.fromEntries(shown);
}

function schemasIn(value: Json): Json {
  if (isList(value)) return value.map(schemasIn);
  return isJsonObject(value) ? publicSchema(value) : value;
}

/** A workflow under the name that its published version has; what it is called in a draft is not shown. */
export function asPublished(record: WorkflowRecord): WorkflowRecord {
  return { ...record, ...record.publishedTexts };
}

/** What people call a workflow. */
export function textsOf({ name, description, tags }: WorkflowTexts): WorkflowTexts {
  return { name, description, tags };
}

/** Whether a workflow has been renamed or described differently since it was published. */
export function hasNewTexts(record: WorkflowRecord): boolean {
  return canonicalJson(textsOf(record)) !== canonicalJson(textsOf(asPublished(record)));
}

/** The part of a workflow in a list that strangers see as well. */
export function publicSummary(record: WorkflowRecord): WorkflowSummary {
  const { id, name, description, tags, status, visibility, publishedVersion, createdAt, updatedAt } = record;
  return {
    id,
    name,
    description,
    tags: [...tags],
    status,
    visibility,
    publishedVersion,
    createdAt,
    updatedAt,
  };
}

/** What strangers see of a dry run of a workflow: which way it went, without a value. */
export function publicDryRun(answer: DryRun, shown: JsonObject, supplied: JsonObject): DryRun {
  const { error, trace, unconfirmedSteps } = answer;
  return {
    ...answer,
    outputs: null,
    error: isObject(error) ? { code: textOf(error["code"]) } : null,
    inputs: supplied,
    assumedInputs: [],
    documentDigest: documentDigest(parseDocument(shown).document),
    blocked: [],
    unconfirmedSteps: unconfirmedSteps.map(({ stepId, sibling, confirmable }) => ({
      stepId,
      sibling,
      confirmable,
    })),
    nextAction: null,
    trace: {
      ...trace,
      steps: trace.steps.map(({ stepId, state, port, source }) => ({ stepId, state, port, source })),
    },
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
