import { isGraphBody, type Edge, type WorkflowNode } from "../workflows/schema.ts";
import { slug, type Exported, type Loss, type Portable } from "./format.ts";

const SHAPES: Readonly<Record<WorkflowNode["type"], readonly [string, string]>> = {
  tool: ["[", "]"],
  approval: ["{{", "}}"],
  switch: ["{", "}"],
  map: ["[[", "]]"],
  transform: ["(", ")"],
  wait: ["([", "])"],
  handoff: [">", "]"],
  subworkflow: ["[[", "]]"],
};

/** Draws a workflow as a Mermaid flowchart, for people to read. */
export function exportMermaid(workflow: Portable): Exported {
  const { nodes, edges } = workflow.document;
  const lines = [
    "---",
    `title: ${JSON.stringify(workflow.name.slice(0, 100))}`,
    "---",
    "flowchart TD",
    ...draw(nodes, edges, "n", "  "),
  ];
  const losses: Loss[] = [
    {
      pointer: "",
      what: "Everything but steps, their kinds and their order.",
      why: "Mermaid draws; it does not run.",
    },
  ];
  return {
    format: "mermaid",
    mediaType: "text/vnd.mermaid",
    fileName: `${slug(workflow.name)}.mmd`,
    text: `${lines.join("\n")}\n`,
    losses,
  };
}

function draw(
  nodes: readonly WorkflowNode[],
  edges: readonly Edge[],
  prefix: string,
  indent: string,
): readonly string[] {
  // Numbered ids: a node may be called `end`, which Mermaid reserves.
  const numbers = new Map(nodes.map((node, index) => [node.id, `${prefix}${index}`]));
  const lines: string[] = [];
  for (const node of nodes) {
    const id = numbers.get(node.id) ?? prefix;
    if (node.type === "map" && isGraphBody(node.map.body)) {
      lines.push(`${indent}subgraph ${id}["${label(node)}"]`);
      lines.push(...draw(node.map.body.nodes, node.map.body.edges, `${id}_`, `${indent}  `), `${indent}end`);
      continue;
    }
    const [open, close] = SHAPES[node.type];
    lines.push(`${indent}${id}${open}"${label(node)}"${close}`);
  }
  for (const { from, to, port } of edges) {
    const [source, target] = [numbers.get(from), numbers.get(to)];
    if (source === undefined || target === undefined) continue;
    const arrow = port === "success" ? "-->" : `-->|"${escape(port)}"|`;
    lines.push(`${indent}${source} ${arrow} ${target}`);
  }
  return lines;
}

function label(node: WorkflowNode): string {
  const detail =
    node.type === "tool"
      ? node.tool
      : node.type === "handoff"
        ? `${node.handoff.target}: ${node.handoff.capability}`
        : node.type;
  return `${escape(node.title ?? node.id)}<br/>${escape(detail)}`;
}

/** Mermaid reads labels as HTML with entities; nothing from a document may become markup. */
function escape(text: string): string {
  return text
    .slice(0, 80)
    .replaceAll("#", "#35;")
    .replaceAll("&", "#38;")
    .replaceAll('"', "#quot;")
    .replaceAll("<", "#lt;")
    .replaceAll(">", "#gt;")
    .replaceAll("`", "#96;")
    .replaceAll(/[\r\n]+/g, " ");
}
