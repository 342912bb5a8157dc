import type { ToolInfo } from "../api/queries.ts";
import { duration, words } from "../lib/format.ts";
import { bagAt, bagsAt, isBag, numberAt, textAt, type Bag } from "../lib/read.ts";
import { titleOf, typeOf, type Graph } from "../workflow/model.ts";

/** What follows a decision: sentences in the order of the steps. */
export interface Consequence {
  readonly choice: "approved" | "rejected" | "changes" | "expired";
  readonly sentences: readonly string[];
}

const MOST = 6;

/** What happens after each choice, read from the document that the run runs. */
export function consequencesOf(
  graph: Graph,
  stepId: string,
  tools: readonly ToolInfo[],
): readonly Consequence[] {
  return (["approved", "rejected", "changes", "expired"] as const).map((choice) => ({
    choice,
    sentences: follow(graph, stepId, choice, tools),
  }));
}

function follow(graph: Graph, from: string, port: string, tools: readonly ToolInfo[]): readonly string[] {
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
      sentences.push(sentenceOf(node, tools));
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

function sentenceOf(node: Bag, tools: readonly ToolInfo[]): string {
  const title = titleOf(node);
  const type = typeOf(node);
  if (type === "tool")
    return `${title}: ${effectOf(textAt(node, "tool"), tools)}${fixedOf(bagAt(node, "with"))}.`;
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
  if (tool === undefined) return "a tool is called";
  if (tool.readOnly) return "something is looked up; nothing changes";
  if (tool.destructive) return "something is deleted or overwritten";
  return tool.openWorld ? "data is sent to another service" : "something is saved here";
}

/** The values that are fixed in the workflow, so that a person sees where something goes. */
function fixedOf(given: Bag): string {
  const fixed = Object.entries(given)
    .filter(([, value]) => typeof value === "string" && value !== "" && value.length <= 80 && !isBag(value))
    .map(([name, value]) => `${words(name).toLowerCase()} ${String(value)}`);
  return fixed.length === 0 ? "" : ` (${fixed.slice(0, 3).join(", ")})`;
}
