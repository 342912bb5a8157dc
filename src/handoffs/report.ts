import type { Json, JsonObject } from "../kernel/json.ts";
import { isJsonObject } from "../kernel/json.ts";
import type { WorkflowRecord } from "../ports/records.ts";

/** A table: what Sheets takes. */
export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Json[])[];
}

const MAX_ROWS = 5_000;
const MAX_CELL = 2_000;

/** An artifact as a Markdown report. Values are code, so nothing in them is taken for markup. */
export function artifactReport(artifact: JsonObject): { readonly title: string; readonly markdown: string } {
  const title = titleOf(artifact, "Artifact");
  const { description, markdown, content, text } = artifact;
  const lines = [`# ${oneLine(title)}`, ""];
  if (typeof description === "string" && description !== "") lines.push(oneLine(description), "");
  if (typeof markdown === "string") lines.push(markdown, "");
  else if (typeof content === "string") lines.push(content, "");
  else if (typeof text === "string") lines.push(text, "");
  lines.push(
    "## Record",
    "",
    "```json",
    JSON.stringify(artifact, null, 2).replaceAll("```", "` ` `"),
    "```",
    "",
  );
  return { title, markdown: lines.join("\n") };
}

/** A workflow as a Markdown report: what it does, step by step. */
export function workflowReport(workflow: WorkflowRecord): {
  readonly title: string;
  readonly markdown: string;
} {
  const { columns, rows } = workflowTable(workflow);
  const lines = [
    `# ${oneLine(workflow.name)}`,
    "",
    oneLine(workflow.description) || "No description.",
    "",
    `Status: ${workflow.status}. Revision ${workflow.revision}, digest \`${workflow.digest}\`.`,
    "",
    "## Steps",
    "",
    `| ${columns.join(" | ")} |`,
    `| ${columns.map(() => "---").join(" | ")} |`,
    ...rows.map(
      (row) => `| ${row.map((cell) => oneLine(cellText(cell)).replaceAll("|", "\\|")).join(" | ")} |`,
    ),
    "",
  ];
  return { title: workflow.name, markdown: lines.join("\n") };
}

/** An artifact as a table: its own rows when it has some, its fields otherwise. */
export function artifactTable(artifact: JsonObject): Table {
  const title = titleOf(artifact, "Artifact");
  const { columns, rows } = artifact;
  if (Array.isArray(rows) && rows.length > 0 && rows.every(isJsonObject)) {
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    return {
      title,
      columns: names,
      rows: rows.slice(0, MAX_ROWS).map((row) => names.map((name) => row[name] ?? null)),
    };
  }
  if (Array.isArray(rows) && Array.isArray(columns) && rows.every((row) => Array.isArray(row))) {
    return { title, columns: columns.map(cellText), rows: rows.slice(0, MAX_ROWS) };
  }
  const fields = Object.entries(artifact).slice(0, MAX_ROWS);
  return {
    title,
    columns: ["field", "value"],
    rows: fields.map(([name, value]) => [name, cellText(value ?? null)]),
  };
}

/** A workflow as a table of its steps. */
export function workflowTable(workflow: WorkflowRecord): Table {
  const { nodes, edges } = workflow.document;
  const steps = Array.isArray(nodes) ? nodes.filter(isJsonObject) : [];
  const links = Array.isArray(edges) ? edges.filter(isJsonObject) : [];
  const after = (id: Json | undefined): string =>
    links
      .filter((edge) => (edge["to"] ?? edge["target"]) === id)
      .map((edge) => cellText(edge["from"] ?? edge["source"] ?? ""))
      .join(", ");
  return {
    title: workflow.name,
    columns: ["step", "type", "tool", "after"],
    rows: steps
      .slice(0, MAX_ROWS)
      .map((node) => [node["id"] ?? "", node["type"] ?? "", node["tool"] ?? "", after(node["id"])]),
  };
}

/** A title for people: the record's own, or what kind of thing it is. */
export function titleOf(record: JsonObject, fallback: string): string {
  const { title, name } = record;
  if (typeof title === "string" && title.trim() !== "") return title.trim().slice(0, 200);
  return typeof name === "string" && name.trim() !== "" ? name.trim().slice(0, 200) : fallback;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function cellText(value: Json): string {
  return (typeof value === "string" ? value : JSON.stringify(value)).slice(0, MAX_CELL);
}
