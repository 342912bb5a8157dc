import { digestOf } from "../kernel/canonical-json.ts";
import { isJsonObject, isList, isObject, type Json, type JsonObject } from "../kernel/json.ts";
import { parseGraph, type RawGraph } from "./graph-parser.ts";
import { problem, type WorkflowProblem } from "./problems.ts";
import { fieldProblems, policyValidator, unknownField } from "./shape.ts";
import {
  LIMITS,
  WORKFLOW_SCHEMA_VERSION,
  type Edge,
  type Policy,
  type Ui,
  type WorkflowDocument,
  type WorkflowNode,
} from "./schema.ts";

/** What a document says about itself beside what runs. Not part of the digest. */
interface DocumentMeta {
  readonly name: string | null;
  readonly description: string | null;
  readonly tags: readonly string[] | null;
}

/** A document that was read: normalised as far as it could be, with everything that was wrong in its form. */
export interface ParsedDocument {
  readonly document: WorkflowDocument;
  readonly meta: DocumentMeta;
  readonly problems: readonly WorkflowProblem[];
  /** Where each node and edge (nested ones too) stood in what was given, as a JSON Pointer to its fields. */
  readonly places: ReadonlyMap<WorkflowNode | Edge, string>;
  /** Nodes that stand in for ones that could not be read: their edges count, their content does not. */
  readonly broken: ReadonlySet<WorkflowNode>;
}

const TOP_FIELDS = new Set([
  "schemaVersion",
  "name",
  "description",
  "tags",
  "inputs",
  "nodes",
  "edges",
  "outputs",
  "policy",
  "ui",
  "viewport",
]);

/** An empty document: what a new draft begins with. */
export function emptyDocument(): WorkflowDocument {
  return {
    schemaVersion: WORKFLOW_SCHEMA_VERSION,
    inputs: { type: "object", properties: {}, additionalProperties: false },
    nodes: [],
    edges: [],
    outputs: {},
    policy: {},
    ui: {},
  };
}

/**
 * Reads a document in our own form or as canvas libraries write it (`source`/`target`, `{id, type, data, position}`),
 * with `inputs` and `outputs` on the document or on `start` and `end` nodes. Takes anything and never throws.
 */
export function parseDocument(given: unknown): ParsedDocument {
  const problems: WorkflowProblem[] = [];
  const excess = measure(given);
  if (excess !== null) return nothing([problem("document_too_large", "", excess)]);
  if (!isJsonObject(given))
    return nothing([problem("document_not_object", "", "The document is not a JSON object.")]);
  for (const key of Object.keys(given)) {
    if (!TOP_FIELDS.has(key)) {
      problems.push(unknownField(key, "", [...TOP_FIELDS], "The document has no field"));
    }
  }
  const version = given["schemaVersion"];
  if (version !== undefined && version !== WORKFLOW_SCHEMA_VERSION) {
    problems.push(
      problem("schema_version", "/schemaVersion", `This service reads ${WORKFLOW_SCHEMA_VERSION} only.`),
    );
  }
  const raw: RawGraph = {
    nodes: listAt(given, "nodes", LIMITS.nodes, problems),
    edges: listAt(given, "edges", LIMITS.edges, problems),
  };
  const graph = parseGraph(raw, "", problems);
  const inputs = partOf("inputs", given["inputs"], graph.start, problems);
  const outputs = partOf("outputs", given["outputs"], graph.end, problems);
  return {
    document: {
      schemaVersion: WORKFLOW_SCHEMA_VERSION,
      inputs: inputs ?? emptyDocument().inputs,
      nodes: graph.nodes,
      edges: graph.edges,
      outputs: outputs ?? {},
      policy: readPolicy(given["policy"], problems),
      ui: readUi(given, graph.positions, problems),
    },
    meta: readMeta(given, problems),
    problems,
    places: graph.places,
    broken: graph.broken,
  };
}

/** The document as plain JSON, for storing and sending. */
export function documentJson(document: WorkflowDocument): JsonObject {
  const { schemaVersion, inputs, nodes, edges, outputs, policy, ui } = document;
  return { schemaVersion, inputs, nodes, edges, outputs, policy, ui };
}

/** The digest of what runs: everything but the canvas. */
export function documentDigest(document: WorkflowDocument): string {
  const { schemaVersion, inputs, nodes, edges, outputs, policy } = document;
  return digestOf({ schemaVersion, inputs, nodes, edges, outputs, policy });
}

function nothing(problems: readonly WorkflowProblem[]): ParsedDocument {
  return {
    document: emptyDocument(),
    meta: { name: null, description: null, tags: null },
    problems,
    places: new Map(),
    broken: new Set(),
  };
}

/** Says what is too much, without recursion, so that nothing after this can overflow or run long. */
function measure(given: unknown): string | null {
  const open: { value: unknown; depth: number }[] = [{ value: given, depth: 0 }];
  let count = 0;
  let expressions = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    count += 1;
    if (count > LIMITS.values) return `The document has more than ${LIMITS.values} values.`;
    if (next.depth > LIMITS.depth) return `The document is nested more than ${LIMITS.depth} deep.`;
    const { value } = next;
    if (!isObject(value) && !Array.isArray(value)) continue;
    if (isObject(value) && EXPRESSION_FIELDS.some((field) => Object.hasOwn(value, field))) expressions += 1;
    if (expressions > LIMITS.expressions)
      return `The document has more than ${LIMITS.expressions} expressions.`;
    const children: unknown[] = Array.isArray(value) ? value : Object.values(value);
    if (children.length > LIMITS.values) return `The document has more than ${LIMITS.values} values.`;
    for (const child of children) open.push({ value: child, depth: next.depth + 1 });
  }
  return null;
}

const EXPRESSION_FIELDS = ["$expr", "if", "when"];

function listAt(
  given: JsonObject,
  key: "nodes" | "edges",
  most: number,
  problems: WorkflowProblem[],
): readonly Json[] {
  const list = given[key];
  if (list === undefined || list === null) return [];
  if (!isList(list)) {
    problems.push(
      problem("document_not_object", `/${key}`, `\`${key}\` is not a list.`, `Give ${key} as a list.`),
    );
    return [];
  }
  if (list.length > most) {
    problems.push(
      problem("document_too_large", `/${key}`, `There are ${list.length} ${key}; ${most} are allowed.`),
    );
    return list.slice(0, most);
  }
  return list;
}

function partOf(
  name: "inputs" | "outputs",
  onDocument: Json | undefined,
  onNode: { readonly value: Json | undefined; readonly pointer: string } | null,
  problems: WorkflowProblem[],
): JsonObject | null {
  const stated = onDocument ?? undefined;
  const folded = onNode?.value ?? undefined;
  if (stated !== undefined && folded !== undefined && digestOf(stated) !== digestOf(folded)) {
    problems.push(
      problem(
        "start_end_misplaced",
        onNode?.pointer ?? "",
        `The document and a node both say \`${name}\`, differently.`,
      ),
    );
  }
  const value = stated ?? folded;
  if (value === undefined) return null;
  if (isJsonObject(value)) return value;
  const pointer = stated === undefined ? `${onNode?.pointer ?? ""}/${name}` : `/${name}`;
  problems.push(problem("bad_field", pointer, `\`${name}\` must be an object.`));
  return null;
}

function readPolicy(given: Json | undefined, problems: WorkflowProblem[]): Policy {
  if (given === undefined || given === null) return {};
  const validator = policyValidator();
  if (validator.Check(given)) return given;
  problems.push(...fieldProblems(validator, given, "/policy"));
  return {};
}

function readUi(
  given: JsonObject,
  positions: ReadonlyMap<string, { x: number; y: number }>,
  problems: WorkflowProblem[],
): Ui & JsonObject {
  const stated = given["ui"];
  if (stated !== undefined && stated !== null && !isJsonObject(stated)) {
    problems.push(problem("bad_field", "/ui", "`ui` must be an object."));
  }
  const ui: JsonObject = isJsonObject(stated) ? stated : {};
  const known = readPositions(ui["positions"]);
  for (const [id, position] of positions) known.set(id, position);
  const viewport = given["viewport"];
  const { positions: _, ...rest } = ui;
  return {
    ...rest,
    ...(known.size > 0 && { positions: Object.fromEntries(known) }),
    ...(isJsonObject(viewport) && { viewport }),
  };
}

function readPositions(given: Json | undefined): Map<string, { x: number; y: number }> {
  const positions = new Map<string, { x: number; y: number }>();
  if (!isObject(given)) return positions;
  for (const [id, position] of Object.entries(given)) {
    if (!isObject(position)) continue;
    const { x, y } = position;
    if (typeof x === "number" && typeof y === "number") positions.set(id, { x, y });
  }
  return positions;
}

function readMeta(given: JsonObject, problems: WorkflowProblem[]): DocumentMeta {
  const { name, description, tags } = given;
  for (const [key, value] of [["name", name] as const, ["description", description] as const]) {
    if (value !== undefined && typeof value !== "string") {
      problems.push(problem("bad_field", `/${key}`, `\`${key}\` must be a text.`));
    }
  }
  const texts =
    tags !== undefined && tags !== null && isList(tags)
      ? tags.filter((tag) => typeof tag === "string")
      : null;
  if (
    tags !== undefined &&
    (texts === null || !isList(tags ?? null) || texts.length !== Object.keys(tags ?? {}).length)
  ) {
    problems.push(problem("bad_field", "/tags", "`tags` must be a list of texts."));
  }
  return {
    name: typeof name === "string" ? name : null,
    description: typeof description === "string" ? description : null,
    tags: texts,
  };
}
