import { DEFAULT_STEP_TIMEOUT_MS, isGraphBody } from "../schema.ts";
import type { Edge, MapNode, MapToolBody, Policy, Retry, WorkflowDocument, WorkflowNode } from "../schema.ts";
import type { Json, JsonObject } from "../../kernel/json.ts";

/** Where an edge leads, and the port that opens it. */
interface OutEdge {
  readonly port: string;
  readonly to: number;
}

/** A node with what the interpreter needs at hand. */
export interface ProgramNode {
  readonly index: number;
  readonly node: WorkflowNode;
  readonly join: "all" | "any";
  /** How many edges lead here. */
  readonly incoming: number;
  readonly out: readonly OutEdge[];
  readonly retry: Retry;
  readonly timeoutMs: number;
  /** The body of a map that is a graph of its own. */
  readonly body: Graph | null;
}

/** A graph whose edges are looked up, never searched. */
export interface Graph {
  readonly nodes: readonly ProgramNode[];
  readonly outputs: Json | undefined;
}

/** A document made ready to run. Built once for each digest and shared by all its runs. */
export interface Program {
  readonly digest: string;
  readonly document: WorkflowDocument;
  readonly graph: Graph;
  readonly policy: Policy;
  readonly maxParallelSteps: number;
}

const ONE_TRY: Retry = { maxAttempts: 1 };

/** Compiles a normalised document. */
export function compileProgram(digest: string, document: WorkflowDocument): Program {
  const { policy } = document;
  return {
    digest,
    document,
    graph: compileGraph(document.nodes, document.edges, document.outputs, policy),
    policy,
    maxParallelSteps: policy.maxParallelSteps ?? 8,
  };
}

function compileGraph(
  nodes: readonly WorkflowNode[],
  edges: readonly Edge[],
  outputs: Json | undefined,
  policy: Policy,
): Graph {
  const indexOf = new Map(nodes.map((node, index) => [node.id, index]));
  const out: OutEdge[][] = nodes.map(() => []);
  const incoming = nodes.map(() => 0);
  for (const edge of edges) {
    const from = indexOf.get(edge.from);
    const to = indexOf.get(edge.to);
    if (from === undefined || to === undefined) continue;
    out[from]?.push({ port: edge.port, to });
    incoming[to] = (incoming[to] ?? 0) + 1;
  }
  return {
    outputs,
    nodes: nodes.map((node, index) => ({
      index,
      node,
      join: node.join ?? "all",
      incoming: incoming[index] ?? 0,
      out: out[index] ?? [],
      retry: node.retry ?? (retries(node) ? policy.retry : undefined) ?? ONE_TRY,
      timeoutMs: node.timeoutMs ?? policy.stepTimeoutMs ?? DEFAULT_STEP_TIMEOUT_MS,
      body: node.type === "map" ? bodyGraph(node, policy) : null,
    })),
  };
}

/** The policy's retry is meant for work that can fail by bad luck; the rest fails the same way each time. */
function retries(node: WorkflowNode): boolean {
  return node.type === "tool" || node.type === "handoff" || node.type === "map";
}

function bodyGraph(node: MapNode, policy: Policy): Graph | null {
  const { body } = node.map;
  return isGraphBody(body) ? compileGraph(body.nodes, body.edges, body.outputs, policy) : null;
}

/** The tool call that a map makes for each item; null when its body is a graph. */
export function itemCall(node: MapNode): MapToolBody | null {
  return isGraphBody(node.map.body) ? null : node.map.body;
}

/** The outputs of a graph that declares none: those of its last steps, by id. */
export function lastOutputs(graph: Graph, output: (index: number) => Json | undefined): JsonObject {
  const last: Record<string, Json> = {};
  for (const { index, node, out } of graph.nodes) {
    if (out.length > 0) continue;
    const value = output(index);
    if (value !== undefined) last[node.id] = value;
  }
  return last;
}
