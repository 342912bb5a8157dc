import type { TSchema } from "typebox";
import { isObject } from "../kernel/json.ts";
import type { Tool } from "../ports/operations.ts";
import type { Registry } from "../ports/services.ts";
import { plainSchema } from "./declarations.ts";

/** docs/tools.md: every tool in a table and with its parameters, every resource, every prompt. */
export function renderToolDocs(registry: Registry): string {
  return [
    "# Tools, resources and prompts",
    "",
    "Generated from the registry by `npm run generate`; do not edit.",
    "",
    "Public tools need no credential. Protected ones need a key with the scope that is named: `Authorization: Bearer <key>` or `X-Suite-API-Key: <key>`.",
    "",
    "| tool | access | what it does |",
    "|---|---|---|",
    ...registry.tools.map(
      (tool) =>
        `| [\`${tool.name}\`](#${tool.name}) | ${accessOf(tool)} | ${cell(firstSentence(tool.description))} |`,
    ),
    "",
    "## Tools",
    "",
    ...registry.tools.flatMap(toolSection),
    "## Resources",
    "",
    "| URI | what it holds |",
    "|---|---|",
    ...registry.resources.map(({ uri, description }) => `| \`${uri}\` | ${cell(description)} |`),
    "",
    "## Prompts",
    "",
    "| prompt | arguments | what it is for |",
    "|---|---|---|",
    ...registry.prompts.map(
      (prompt) =>
        `| \`${prompt.name}\` | ${prompt.arguments.map(({ name, required }) => `\`${name}\`${required ? "*" : ""}`).join(", ") || "none"} | ${cell(prompt.description)} |`,
    ),
    "",
    "A star marks a required argument.",
    "",
  ].join("\n");
}

function toolSection(tool: Tool): readonly string[] {
  return [
    `### ${tool.name}`,
    "",
    `**${tool.title}** · ${accessOf(tool)} · effect: ${tool.effect}${tool.idempotent ? ", safe to repeat" : ""}${tool.openWorld ? ", talks to other systems" : ""}`,
    "",
    tool.description,
    "",
    ...parameterRows(tool.input),
  ];
}

/** The table of an input's members, with where each travels when that is given. */
export function parameterRows(input: TSchema, placeOf?: (name: string) => string): readonly string[] {
  const schema = plainSchema(input);
  const properties = isObject(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  if (properties.length === 0) return [];
  const [head, line] = placeOf === undefined ? ["", ""] : [" in |", "---|"];
  return [
    `| parameter |${head} type | required | meaning |`,
    `|---|${line}---|---|---|`,
    ...properties.map(([name, property]) =>
      parameterRow(
        name,
        property,
        required.includes(name),
        placeOf === undefined ? "" : ` ${placeOf(name)} |`,
      ),
    ),
    "",
  ];
}

function parameterRow(name: string, property: unknown, required: boolean, place: string): string {
  const given = isObject(property) ? property : {};
  const choices = Array.isArray(given["enum"])
    ? ` (${given["enum"].map((value) => `\`${String(value)}\``).join(", ")})`
    : "";
  const range = ["minimum", "maximum"].some((key) => typeof given[key] === "number")
    ? ` (${bound(given["minimum"])}…${bound(given["maximum"])})`
    : "";
  const description = typeof given["description"] === "string" ? given["description"] : "";
  return `| \`${name}\` |${place} ${cell(typeText(given))}${choices}${range} | ${required ? "yes" : "no"} | ${cell(description)} |`;
}

/** The type of a value in words: the name of a view, or what JSON calls it. */
export function typeText(schema: unknown): string {
  if (!isObject(schema)) return "any";
  const { title, type, anyOf, items, enum: choices } = schema;
  if (typeof title === "string") return title;
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map(typeText))].join(" or ");
  if (type === "array" && items !== undefined) return `list of ${typeText(items)}`;
  if (typeof type === "string") return type;
  if ("const" in schema) return JSON.stringify(schema["const"]);
  return Array.isArray(choices) && choices.every((one) => typeof one === "string") ? "string" : "any";
}

function bound(value: unknown): string {
  return typeof value === "number" ? String(value) : "";
}

function accessOf(tool: Tool): string {
  return tool.access === "public" ? "public" : `key: \`${tool.access}\``;
}

/** Up to the first full stop that ends a sentence. */
function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
}

/** Table cells hold one line, and a bar would end the cell. */
export function cell(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|");
}
