import type { JsonObject, Json } from "@workflow-ui/client";
import { isList, isJsonRecord } from "#kernel/json.ts";
import { deref, type Known } from "#workflows/schema-types.ts";
import { duration, words } from "../lib/format.ts";
import { objectAt, textAt } from "../lib/read.ts";
import { titleOf, typeOf, type Graph, type DraftNode } from "../workflow/model.ts";
import { knownValue } from "./known-value.ts";
import type { ToolInfo } from "../api/tools.ts";

/** One step that follows a decision. */
interface NextStep {
  readonly sentence: string;
  /** What the step saves or sends, under the names that a form gives it; null when it changes nothing. */
  readonly sent: JsonObject | null;
}

/** What follows a decision, in the order of the steps. */
export interface Consequence {
  readonly choice: "approved" | "rejected" | "changes" | "expired";
  readonly steps: readonly NextStep[];
}

const MOST = 6;

/**
 * What happens after each choice, read from the document that the run runs. `known` holds the inputs and the results so
 * far, as references name them, so that a sentence can say where something goes.
 */
export function consequencesOf(
  graph: Graph,
  stepId: string,
  tools: readonly ToolInfo[],
  known: JsonObject = {},
  /** Connections as a person knows them, by short name. */
  places: ReadonlyMap<string, string> = new Map(),
): readonly Consequence[] {
  return (["approved", "rejected", "changes", "expired"] as const).map((choice) => ({
    choice,
    steps: follow(graph, stepId, choice, { tools, known, places }),
  }));
}

interface Facts {
  readonly tools: readonly ToolInfo[];
  readonly known: JsonObject;
  readonly places: ReadonlyMap<string, string>;
}

function follow(graph: Graph, from: string, port: string, facts: Facts): readonly NextStep[] {
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const steps: NextStep[] = [];
  const seen = new Set<string>();
  let next = graph.edges.filter((edge) => edge.from === from && edge.port === port);
  while (next.length > 0 && steps.length < MOST) {
    const targets = next.map((edge) => edge.to).filter((id) => !seen.has(id));
    next = [];
    for (const id of targets) {
      seen.add(id);
      const node = byId.get(id);
      if (node === undefined) continue;
      steps.push({ sentence: sentenceOf(node, facts), sent: sentBy(node, facts) });
      // What comes after another decision or a switch is not certain.
      if (typeOf(node) === "approval" || typeOf(node) === "switch") continue;
      next.push(...graph.edges.filter((edge) => edge.from === id && edge.port === "success"));
    }
  }
  return steps;
}

function sentenceOf(node: DraftNode, facts: Facts): string {
  const title = titleOf(node);
  const type = typeOf(node);
  if (type === "tool") {
    // What is sent stands in full below the sentence.
    const values = sentBy(node, facts) === null ? valuesOf(node.with ?? {}, facts.known) : "";
    return `${title}: ${effectOf(node.tool ?? "", facts)}${values}.`;
  }
  if (type === "approval") return `${title}: another person is asked.`;
  if (type === "switch") return `${title}: one of ${(node.cases?.length ?? 0) + 1} paths is taken.`;
  if (type === "wait") {
    const ms = node.wait?.ms;
    return `${title}: the run pauses${typeof ms === "number" ? ` for ${duration(ms)}` : ""}.`;
  }
  if (type === "handoff") return `${title}: the work is sent to ${words(node.handoff?.target ?? "")}.`;
  if (type === "subworkflow") return `${title}: another workflow is run.`;
  if (type === "map") {
    const { tool = "" } = node.map?.body ?? {};
    return `${title}: for each item, ${tool === "" ? "its steps are run" : effectOf(tool, facts)}.`;
  }
  return `${title}: a value is made; nothing is sent.`;
}

/** The arguments of a step that saves or sends something, as far as they are known. */
function sentBy(node: DraftNode, { tools, known }: Facts): JsonObject | null {
  if (typeOf(node) !== "tool") return null;
  const tool = tools.find((item) => item.name === node.tool);
  if (tool === undefined || tool.readOnly) return null;
  const root = tool.inputSchema;
  const { with: given = {} } = node;
  // The body of a request is what a person thinks of; its name says nothing.
  const only = Object.keys(given).length === 1 && isJsonRecord(given["body"]) && tool.server !== "";
  const schema = only ? deref(objectAt(root, "properties")["body"], root) : root;
  const sent = readable(only ? given["body"] : given, schema, root, known, 0);
  return isJsonRecord(sent) && Object.keys(sent).length > 0 ? sent : null;
}

const MAX_DEPTH = 6;

/** A value as it will be sent: references looked up, fields under the titles of the schema. */
function readable(
  value: Json | undefined,
  schema: Known,
  root: Known,
  known: JsonObject,
  depth: number,
): Json {
  if (value === undefined || value === null || typeof value !== "object") return value ?? null;
  if (isList(value)) {
    const item = deref(schema?.["items"], root);
    return depth > MAX_DEPTH ? value : value.map((entry) => readable(entry, item, root, known, depth + 1));
  }
  const { $ref: ref, $expr: expression, $literal: literal } = value;
  if (typeof ref === "string") return knownValue(ref, known) ?? value["default"] ?? "not known yet";
  if (typeof expression === "string") return "worked out when the step begins";
  if (literal !== undefined) return literal;
  if (depth > MAX_DEPTH) return value;
  const properties = objectAt(schema, "properties");
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const property = deref(properties[name], root);
      return [textAt(property, "title", name), readable(item, property, root, known, depth + 1)];
    }),
  );
}

function effectOf(name: string, { tools, places }: Facts): string {
  const tool = tools.find((item) => item.name === name);
  const [short = ""] = name.includes(":") ? name.split(":", 1) : [];
  const server = places.get(short) ?? short;
  if (tool === undefined) return server === "" ? "a tool is called" : `${server} is called`;
  if (tool.readOnly) return "something is looked up; nothing changes";
  const where = server === "" ? "" : ` at ${server}`;
  if (tool.destructive) return `something is deleted or overwritten${where}`;
  if (server !== "") return `this is sent to ${server}`;
  return tool.openWorld ? "this is sent to another service" : "this is saved here";
}

/** The values that are known by now, so that a person sees what goes where. */
function valuesOf(given: JsonObject, known: JsonObject): string {
  const values = leaves(given, known, 0).map(([name, value]) => `${words(name).toLowerCase()}: ${value}`);
  return values.length === 0 ? "" : ` (${values.slice(0, 4).join(", ")})`;
}

const MAX_VALUE = 80;

function leaves(given: JsonObject, known: JsonObject, depth: number): readonly (readonly [string, string])[] {
  return Object.entries(given).flatMap(([name, value]): readonly (readonly [string, string])[] => {
    const { $ref: ref } = objectAt(value);
    const found = typeof ref === "string" ? knownValue(ref, known) : value;
    if (typeof found === "number" || (typeof found === "string" && found !== "" && found.length <= MAX_VALUE))
      return [[name, String(found)]];
    return isJsonRecord(value) && ref === undefined && depth < 2 ? leaves(value, known, depth + 1) : [];
  });
}
