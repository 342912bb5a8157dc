import type { ToolCatalogView } from "../catalog-view.ts";
import { analyseCertainty, type Certainty } from "../certainty.ts";
import { buildGraph, findCycles, topologicalOrder, type FlowGraph } from "../graph.ts";
import type { WorkflowProblem } from "../problems.ts";
import type { Edge, WorkflowDocument, WorkflowNode } from "../schema.ts";
import type { SchemaOrNull } from "../schema-types.ts";

/** What all graphs of one document share while it is validated. */
export interface Shared {
  readonly document: WorkflowDocument;
  readonly view: ToolCatalogView;
  /** The id of the workflow itself, when it has one: it must not run itself. */
  readonly workflowId: string | null;
  readonly places: ReadonlyMap<WorkflowNode | Edge, string>;
  readonly broken: ReadonlySet<WorkflowNode>;
  readonly problems: WorkflowProblem[];
  /** How many more misspelt tool names are compared with all known ones. */
  hintsLeft: number;
}

/** One graph being validated: the document's, or the body of a map. */
export interface GraphContext {
  readonly shared: Shared;
  readonly pointer: string;
  readonly graph: FlowGraph;
  readonly order: readonly number[];
  readonly cycles: readonly (readonly number[])[];
  /** Null when the graph has cycles: then nothing is certain, and the cycles are what has to be fixed. */
  readonly certainty: Certainty | null;
  /** For a body: the graph around it, the map's number there, and what its items look like. */
  readonly outer: {
    readonly context: GraphContext;
    readonly node: number;
    readonly item: SchemaOrNull;
  } | null;
  /** Schemas of what steps give, found once. */
  readonly outputs: Map<number, SchemaOrNull>;
  /** The graphs that maps run for each item, opened once. */
  readonly bodies: Map<number, GraphContext>;
}

/** A place where a value is needed: before a node begins, or when the graph has ended. */
export type When = number | "end";

/** Prepares a graph for all the checks. */
export function openContext(
  shared: Shared,
  pointer: string,
  nodes: readonly WorkflowNode[],
  edges: readonly Edge[],
  outer: GraphContext["outer"] = null,
): GraphContext {
  const graph = buildGraph(nodes, edges);
  const order = topologicalOrder(graph);
  const acyclic = order.length === nodes.length;
  return {
    shared,
    pointer,
    graph,
    order,
    cycles: acyclic ? [] : findCycles(graph),
    certainty: acyclic ? analyseCertainty(graph, order) : null,
    outer,
    outputs: new Map(),
    bodies: new Map(),
  };
}

/** Where a node's fields, or an edge, stand in what was given. */
export function placeOf(context: GraphContext, item: WorkflowNode | Edge): string {
  return context.shared.places.get(item) ?? context.pointer;
}

/** A step as a value can name it: in this graph, or around it. */
export interface StepRef {
  readonly context: GraphContext;
  readonly node: number;
  /** The moment at which its outputs are needed, in its own graph. */
  readonly when: When;
}

/** Finds a step by id in this graph and in those around it. */
export function findStep(context: GraphContext, id: string, when: When): StepRef | null {
  const node = context.graph.indexOf.get(id);
  if (node !== undefined) return { context, node, when };
  return context.outer === null ? null : findStep(context.outer.context, id, context.outer.node);
}

/** True when the step has surely ended, with outputs if they are asked for, at that moment. */
export function isCertain({ context, node, when }: StepRef, outputs: boolean): boolean {
  const { certainty } = context;
  if (certainty === null) return true;
  if (when === "end") return certainty.hasOutputsAtEnd(node);
  return outputs ? certainty.hasOutputs(node, when) : certainty.ran(node, when);
}
