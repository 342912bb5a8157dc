import { isJsonRecord, type Json } from "#kernel/json.ts";
import { pathText } from "#kernel/paths.ts";
import type { Edge } from "#workflows/schema.ts";
import { asWritten } from "#workflows/values.ts";
import { EMPTY_GRAPH, freeId, replaceNode, type DraftNode, type Graph } from "../document/model.ts";

/** True when the body of a map is a graph and not one tool call. */
export function hasGraphBody(node: DraftNode): boolean {
  return node.map?.body?.nodes !== undefined;
}

/** The one step of a body that only chooses fields of each item. */
export function fieldsStep(node: DraftNode): DraftNode | null {
  const { nodes = [], outputs } = node.map?.body ?? {};
  const [only] = nodes;
  const isResult = only !== undefined && taggedRef(outputs) === pathText("steps", [only.id, "outputs"]);
  return nodes.length === 1 && only?.type === "transform" && isResult ? only : null;
}

/** The reference that a value is, as it is written; empty when it is something else. */
export function taggedRef(value: Json | undefined): string {
  return isJsonRecord(value) && typeof value["$ref"] === "string" ? asWritten(value["$ref"]) : "";
}

/** The body of a map as a graph of its own; one tool call becomes a graph with one step. */
export function bodyGraph(graph: Graph, mapId: string): Graph | null {
  const node = graph.nodes.find((item) => item.id === mapId && item.type === "map");
  if (node === undefined) return null;
  const { nodes, edges = [], outputs, tool = "", result, ...rest } = node.map?.body ?? {};
  const ui = graph.ui.bodies?.[mapId] ?? {};
  if (nodes !== undefined)
    return { ...EMPTY_GRAPH, nodes, edges, outputs: isJsonRecord(outputs) ? outputs : {}, ui };
  if (tool === "") return { ...EMPTY_GRAPH, ui };
  const id = callId(tool);
  const given = result === undefined ? {} : { $ref: asWritten(`$steps.${id}.outputs#${result}`) };
  return { ...EMPTY_GRAPH, nodes: [{ id, type: "tool", tool, ...rest }], outputs: given, ui };
}

/** The id that a map's call gets as a step. */
function callId(tool: string): string {
  return freeId({ nodes: [] }, tool.split(":").pop() ?? tool);
}

/** The graph with the body of one of its maps replaced. */
export function withBody(graph: Graph, mapId: string, body: Graph): Graph {
  const node = graph.nodes.find((item) => item.id === mapId);
  const before = bodyGraph(graph, mapId);
  if (node === undefined || before === null) return graph;
  const outputs = bodyOutputs(node, before, body);
  const inner = { nodes: body.nodes, edges: body.edges, ...(outputs !== undefined && { outputs }) };
  const next = { ...node, map: { ...node.map, body: inner } };
  const bodies = { ...graph.ui.bodies, [mapId]: body.ui };
  return { ...replaceNode(graph, mapId, next), ui: { ...graph.ui, bodies } };
}

/** What one item gives: the last step, as long as nothing else was chosen. Older bodies that say nothing stay so. */
function bodyOutputs(node: DraftNode, before: Graph, next: Graph): Json | undefined {
  const now = lastStep(next.nodes, next.edges);
  const ends = lastSteps(before.nodes, before.edges);
  const isDefault = before.nodes.length === 0 || ends.some((end) => isValueOf(end, before.outputs));
  if (isDefault && now !== null && !isValueOf(now, next.outputs)) return { $ref: valuePath(now) };
  return Object.keys(next.outputs).length > 0 ? next.outputs : node.map?.body?.outputs;
}

/** True for what a step gives when nobody chose a part of it. */
function isValueOf(step: DraftNode, outputs: Json): boolean {
  const ref = taggedRef(outputs);
  const whole = valuePath(step);
  return (
    ref === whole || (step.type === "tool" && VALUE_MEMBERS.some((member) => ref === `${whole}.${member}`))
  );
}

/** The only step after which nothing comes. */
export function lastStep(nodes: readonly DraftNode[], edges: readonly Edge[]): DraftNode | null {
  const [last, ...others] = lastSteps(nodes, edges);
  return others.length === 0 ? (last ?? null) : null;
}

function lastSteps(nodes: readonly DraftNode[], edges: readonly Edge[]): readonly DraftNode[] {
  return nodes.filter(({ id }) => !edges.some((edge) => edge.from === id));
}

/** Members of a connected tool's answer that hold what was asked for. */
export const VALUE_MEMBERS = ["body", "structuredContent"] as const;

/** Where the value of a step is, as far as its type tells; the answer of a connected tool has it deeper. */
export function valuePath({ id, type }: DraftNode): string {
  return pathText("steps", type === "tool" ? [id, "outputs", "data"] : [id, "outputs"]);
}
