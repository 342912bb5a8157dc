import type { ToolInfo } from "../api/queries.ts";
import { duration, words } from "../lib/format.ts";
import { at, bagAt, bagsAt, isBag, numberAt, textAt, type Bag } from "../lib/read.ts";
import { titleOf, typeOf, type Graph } from "../workflow/model.ts";

/** What follows a decision: sentences in the order of the steps. */
export interface Consequence {
  readonly choice: "approved" | "rejected" | "changes" | "expired";
  readonly sentences: readonly string[];
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
  known: Bag = {},
): readonly Consequence[] {
  return (["approved", "rejected", "changes", "expired"] as const).map((choice) => ({
    choice,
    sentences: follow(graph, stepId, choice, { tools, known }),
  }));
}

interface Facts {
  readonly tools: readonly ToolInfo[];
  readonly known: Bag;
}

function follow(graph: Graph, from: string, port: string, facts: Facts): readonly string[] {
  const byId = new Map(graph.nodes.map((node) => [textAt(node, "id"), node]));
  const sentences: string[] = [];
  const seen = new Set<string>();
  let next = graph.edges.filter(
    (edge) => textAt(edge, "from") === from && textAt(edge, "port", "success") === port,
  );
  while (next.length > 0 && sentences.length < MOST) {
    const targets = next.map((edge) => textAt(edge, "to")).filter((id) => !seen.has(id));
    next = [];
    for (const id of targets) {
      seen.add(id);
      const node = byId.get(id);
      if (node === undefined) continue;
      sentences.push(sentenceOf(node, facts));
      // What comes after another decision or a switch is not certain.
      if (typeOf(node) === "approval" || typeOf(node) === "switch") continue;
      next.push(
        ...graph.edges.filter(
          (edge) => textAt(edge, "from") === id && textAt(edge, "port", "success") === "success",
        ),
      );
    }
  }
  return sentences;
}

function sentenceOf(node: Bag, { tools, known }: Facts): string {
  const title = titleOf(node);
  const type = typeOf(node);
  if (type === "tool")
    return `${title}: ${effectOf(textAt(node, "tool"), tools)}${valuesOf(bagAt(node, "with"), known)}.`;
  if (type === "approval") return `${title}: another person is asked.`;
  if (type === "switch") return `${title}: one of ${bagsAt(node, "cases").length + 1} paths is taken.`;
  if (type === "wait") {
    const ms = numberAt(node, "wait", "ms");
    return `${title}: the run pauses${ms === null ? "" : ` for ${duration(ms)}`}.`;
  }
  if (type === "handoff")
    return `${title}: the work is sent to ${words(textAt(node, ["handoff", "target"]))}.`;
  if (type === "subworkflow") return `${title}: another workflow is run.`;
  if (type === "map") {
    const tool = textAt(node, ["map", "body", "tool"]);
    return `${title}: for each item, ${tool === "" ? "its steps are run" : effectOf(tool, tools)}.`;
  }
  return `${title}: a value is made; nothing is sent.`;
}

function effectOf(name: string, tools: readonly ToolInfo[]): string {
  const tool = tools.find((item) => item.name === name);
  const [server = ""] = name.includes(":") ? name.split(":", 1) : [];
  if (tool === undefined) return server === "" ? "a tool is called" : `“${server}” is called`;
  if (tool.readOnly) return "something is looked up; nothing changes";
  const where = server === "" ? "" : ` at “${server}”`;
  if (tool.destructive) return `something is deleted or overwritten${where}`;
  if (server !== "") return `this is sent to “${server}”`;
  return tool.openWorld ? "this is sent to another service" : "this is saved here";
}

/** The values that are known by now, so that a person sees what goes where. */
function valuesOf(given: Bag, known: Bag): string {
  const values = leaves(given, known, 0).map(([name, value]) => `${words(name).toLowerCase()}: ${value}`);
  return values.length === 0 ? "" : ` (${values.slice(0, 4).join(", ")})`;
}

const MAX_VALUE = 80;

function leaves(given: Bag, known: Bag, depth: number): readonly (readonly [string, string])[] {
  return Object.entries(given).flatMap(([name, value]): readonly (readonly [string, string])[] => {
    const ref = textAt(value, "$ref");
    const found = ref === "" ? value : at(known, ...ref.split("."));
    if (typeof found === "number" || (typeof found === "string" && found !== "" && found.length <= MAX_VALUE))
      return [[name, String(found)]];
    return isBag(value) && ref === "" && depth < 2 ? leaves(value, known, depth + 1) : [];
  });
}
