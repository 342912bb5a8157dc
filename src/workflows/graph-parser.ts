import { isJsonObject, isList, isObject, type Json, type JsonObject, textOrJson } from "../kernel/json.ts";
import { nearestNames } from "../kernel/nearest.ts";
import { PROBLEM_CODES, problem, quoted, type WorkflowProblem } from "./problems.ts";
import { edgeValidator, fieldProblems, mapToolBodyValidator, nodeValidators, unknownField } from "./shape.ts";
import {
  NODE_ID,
  NODE_TYPES,
  type Edge,
  type MapGraphBody,
  type MapNode,
  type MapToolBody,
  type NodeType,
  type PlainNode,
  type WorkflowNode,
} from "./schema.ts";
import { defaultPort } from "./ports.ts";

/** The lists of a graph as they were given. */
export interface RawGraph {
  readonly nodes: readonly Json[];
  readonly edges: readonly Json[];
}

/** What a `start` or `end` node declares, and where. */
interface Folded {
  readonly value: Json | undefined;
  readonly pointer: string;
}

/** A graph that was read. */
export interface ParsedGraph {
  readonly nodes: readonly WorkflowNode[];
  readonly edges: readonly Edge[];
  readonly places: Map<WorkflowNode | Edge, string>;
  readonly broken: Set<WorkflowNode>;
  readonly positions: ReadonlyMap<string, { x: number; y: number }>;
  readonly start: Folded | null;
  readonly end: Folded | null;
}

const ID = new RegExp(NODE_ID);

/** Fields that canvas libraries keep on nodes and edges and that mean nothing to a run. */
const CANVAS_NODE = new Set(
  (
    "data position positionAbsolute measured width height initialWidth initialHeight selected dragging draggable " +
    "selectable connectable deletable focusable hidden dragHandle zIndex extent expandParent parentId origin style " +
    "className ariaLabel sourcePosition targetPosition handles resizing label"
  ).split(" "),
);
const CANVAS_EDGE = new Set(
  (
    "source target sourceHandle targetHandle type animated hidden deletable focusable selectable selected label " +
    "labelStyle labelShowBg labelBgStyle style className zIndex markerStart markerEnd ariaLabel interactionWidth " +
    "pathOptions reconnectable data"
  ).split(" "),
);

const BODY_FIELDS: readonly string[] = ["nodes", "edges", "outputs"];
const EDGE_FIELDS = new Set(["id", "from", "to", "port"]);

/** Reads nodes and edges; what cannot be read is reported and, where an id is known, replaced by a stand-in. */
export function parseGraph(raw: RawGraph, pointer: string, problems: WorkflowProblem[]): ParsedGraph {
  const reader = new GraphReader(pointer, problems);
  raw.nodes.forEach((node, index) => reader.node(node, `${pointer}/nodes/${index}`));
  raw.edges.forEach((edge, index) => reader.edge(edge, `${pointer}/edges/${index}`));
  return reader;
}

class GraphReader implements ParsedGraph {
  readonly nodes: WorkflowNode[] = [];
  readonly edges: Edge[] = [];
  readonly places = new Map<WorkflowNode | Edge, string>();
  readonly broken = new Set<WorkflowNode>();
  readonly positions = new Map<string, { x: number; y: number }>();
  start: Folded | null = null;
  end: Folded | null = null;
  readonly #problems: WorkflowProblem[];
  readonly #nested: boolean;
  readonly #types = new Map<string, NodeType>();
  /** Ids of `start` and `end` nodes: edges that touch them only say where the graph begins and ends. */
  readonly #pseudo = new Set<string>();

  constructor(pointer: string, problems: WorkflowProblem[]) {
    this.#problems = problems;
    this.#nested = pointer !== "";
  }

  node(given: Json, pointer: string): void {
    if (!isJsonObject(given)) {
      this.#problems.push(
        problem(
          "document_not_object",
          pointer,
          "A node is not an object.",
          "Give an object with `id` and `type`.",
        ),
      );
      return;
    }
    const data = given["data"];
    const onCanvas = isJsonObject(data);
    const place = onCanvas ? `${pointer}/data` : pointer;
    const fields = onCanvas ? fromCanvas(given, data) : withoutCanvas(given);
    const id = fields["id"];
    if (typeof id !== "string" || !ID.test(id) || id === "__proto__") {
      const shown = typeof id === "string" ? `${quoted(id)} is not an id` : "A node has no id";
      this.#problems.push(problem("node_id_invalid", `${pointer}/id`, `${shown}.`));
      return;
    }
    const type = fields["type"];
    if (this.#fold(type, id, fields, place)) return;
    this.#position(id, given["position"]);
    if (this.#types.has(id) || this.#pseudo.has(id)) {
      this.#problems.push(
        problem(
          "node_id_duplicate",
          `${pointer}/id`,
          `The id ${quoted(id)} is taken by a node before this one.`,
        ),
      );
      return;
    }
    if (!isNodeType(type) || (this.#nested && type === "map")) {
      const message =
        type === undefined
          ? "The node has no type."
          : type === "map"
            ? "A map cannot stand in the body of a map."
            : `There is no node type ${quoted(textOrJson(type))}.`;
      const [near] = typeof type === "string" ? nearestNames(type, NODE_TYPES, 1) : [];
      const meant = near === undefined || near === type ? "" : `Did you mean \`${near}\`? `;
      const fix = `${meant}${PROBLEM_CODES.node_type_unknown.fix}`;
      this.#problems.push(problem("node_type_unknown", `${pointer}/type`, message, fix));
      this.#standIn(id, "transform", place);
      return;
    }
    this.#types.set(id, type);
    const node = this.#check(type, fields, place);
    if (node === null) this.#standIn(id, type, place);
    else this.#keep(node, place);
  }

  #check(type: NodeType, fields: JsonObject, place: string): WorkflowNode | null {
    if (type === "map") return this.#map(fields, place);
    const validator = nodeValidators[type]();
    if (validator.Check(fields)) return fields;
    this.#problems.push(...fieldProblems(validator, fields, place));
    return null;
  }

  #map(fields: JsonObject, place: string): MapNode | null {
    const shell = nodeValidators.map();
    if (!shell.Check(fields)) {
      this.#problems.push(...fieldProblems(shell, fields, place));
      return null;
    }
    const body = this.#body(fields.map.body, `${place}/map/body`);
    return body === null ? null : { ...fields, map: { ...fields.map, body } };
  }

  #body(given: JsonObject, place: string): MapToolBody | MapGraphBody | null {
    const nodes = given["nodes"];
    if (nodes === undefined) {
      const validator = mapToolBodyValidator();
      if (validator.Check(given)) return given;
      this.#problems.push(...fieldProblems(validator, given, place));
      return null;
    }
    const edges = given["edges"] ?? [];
    if (!isList(nodes) || !isList(edges)) {
      this.#problems.push(
        problem("document_not_object", place, "The body's nodes and edges are not both lists."),
      );
      return null;
    }
    for (const key of Object.keys(given)) {
      if (!BODY_FIELDS.includes(key))
        this.#problems.push(unknownField(key, place, BODY_FIELDS, "A map's body has no field"));
    }
    const inner = parseGraph(
      { nodes: nodes.slice(0, 200), edges: edges.slice(0, 1_000) },
      place,
      this.#problems,
    );
    if (nodes.length > 200 || edges.length > 1_000) {
      this.#problems.push(
        problem("document_too_large", place, "A body has at most 200 nodes and 1000 edges."),
      );
    }
    for (const [item, itemPlace] of inner.places) this.places.set(item, itemPlace);
    for (const item of inner.broken) this.broken.add(item);
    const outputs = given["outputs"] ?? inner.end?.value;
    return {
      nodes: inner.nodes.filter(isPlainNode),
      edges: [...inner.edges],
      ...(outputs !== undefined && { outputs }),
    };
  }

  #keep(node: WorkflowNode, place: string): void {
    this.nodes.push(node);
    this.places.set(node, place);
  }

  /** Keeps the place of a node that could not be read, so that its edges are not reported as dangling. */
  #standIn(id: string, type: NodeType, place: string): void {
    const node: WorkflowNode = { id, type: "transform", value: null };
    this.#types.set(id, type);
    this.#keep(node, place);
    this.broken.add(node);
  }

  #fold(type: Json | undefined, id: string, fields: JsonObject, place: string): boolean {
    if (type !== "start" && type !== "end") return false;
    const name = type === "start" ? "inputs" : "outputs";
    const known = type === "start" ? this.start : this.end;
    if (known !== null || this.#types.has(id) || (this.#nested && type === "start")) {
      const where = this.#nested ? "in the body of a map" : "in one graph";
      this.#problems.push(
        problem(
          "start_end_misplaced",
          place,
          `There cannot be ${known === null ? "a" : "a second"} \`${type}\` ${where}.`,
        ),
      );
    } else {
      const folded = { value: fields[name], pointer: place };
      if (type === "start") this.start = folded;
      else this.end = folded;
    }
    const allowed = ["id", "type", "title", name];
    for (const key of Object.keys(fields)) {
      if (!allowed.includes(key))
        this.#problems.push(unknownField(key, place, allowed, `A \`${type}\` node has no field`));
    }
    this.#pseudo.add(id);
    return true;
  }

  #position(id: string, given: Json | undefined): void {
    if (!isObject(given)) return;
    const { x, y } = given;
    if (typeof x === "number" && typeof y === "number") this.positions.set(id, { x, y });
  }

  edge(given: Json, pointer: string): void {
    if (!isJsonObject(given)) {
      this.#problems.push(
        problem(
          "document_not_object",
          pointer,
          "An edge is not an object.",
          "Give an object with `from` and `to`.",
        ),
      );
      return;
    }
    const { from, to, port, id } = ends(given);
    for (const [name, value] of [["from", from] as const, ["to", to] as const]) {
      if (value !== undefined) continue;
      const textOrJson = `The edge has no \`${name}\`; an edge is {from, to, port?, id?} with the ids of two nodes.`;
      this.#problems.push(
        problem("missing_field", `${pointer}/${name}`, textOrJson, `Add \`${name}\`: the id of a node.`),
      );
    }
    if (from === undefined || to === undefined) return;
    if (
      (typeof from === "string" && this.#pseudo.has(from)) ||
      (typeof to === "string" && this.#pseudo.has(to))
    )
      return;
    const leaves = port ?? defaultPort(typeof from === "string" ? this.#types.get(from) : undefined);
    for (const key of unknownFields(given)) {
      this.#problems.push(unknownField(key, pointer, [...EDGE_FIELDS], "An edge has no field"));
    }
    const edge: JsonObject = {
      id: id ?? `${textOrJson(from)}:${textOrJson(leaves)}->${textOrJson(to)}`,
      from,
      to,
      port: leaves,
    };
    const validator = edgeValidator();
    if (validator.Check(edge)) {
      this.edges.push(edge);
      this.places.set(edge, pointer);
    } else {
      this.#problems.push(...fieldProblems(validator, edge, pointer));
    }
  }
}

function isNodeType(value: Json | undefined): value is NodeType {
  return NODE_TYPES.some((type) => type === value);
}

function isPlainNode(node: WorkflowNode): node is PlainNode {
  return node.type !== "map";
}

/** `{id, type, data}`: the canvas's own type is often only how the box looks, then `data.type` says what it is. */
function fromCanvas(given: JsonObject, data: JsonObject): JsonObject {
  const own = Object.entries(given).filter(([key]) => !CANVAS_NODE.has(key));
  const { label, ...rest } = data;
  const known = isNodeType(given["type"]) || given["type"] === "start" || given["type"] === "end";
  return {
    ...rest,
    ...Object.fromEntries(own),
    ...(data["type"] !== undefined && !known && { type: data["type"] }),
    ...(typeof label === "string" && data["title"] === undefined && { title: label }),
  };
}

function withoutCanvas(given: JsonObject): JsonObject {
  if (!isObject(given["position"])) return given;
  return Object.fromEntries(Object.entries(given).filter(([key]) => !CANVAS_NODE.has(key)));
}

function ends(given: JsonObject): {
  from: Json | undefined;
  to: Json | undefined;
  port: Json | undefined;
  id: Json | undefined;
} {
  const data = given["data"];
  return {
    from: given["from"] ?? given["source"],
    to: given["to"] ?? given["target"],
    port:
      given["port"] ?? (isJsonObject(data) ? data["port"] : undefined) ?? given["sourceHandle"] ?? undefined,
    id: given["id"] ?? undefined,
  };
}

/** Fields of an edge that neither we nor a canvas know. */
function unknownFields(given: JsonObject): readonly string[] {
  const canvas = given["source"] !== undefined || given["target"] !== undefined;
  return Object.keys(given).filter((key) => !EDGE_FIELDS.has(key) && !(canvas && CANVAS_EDGE.has(key)));
}
