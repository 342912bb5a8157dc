import { digestOf } from "../../../src/kernel/canonical-json.ts";
import { isJsonObject, type JsonObject } from "../../../src/kernel/json.ts";
import { Refusal } from "../http.ts";
import { contentId, escapeHtml, objectsOf, page, subjectOf, textOf } from "../parts.ts";
import type { SiblingContext, SiblingDefinition } from "../sibling.ts";

const WIDTHS = new Map([
  ["mobile", 360],
  ["tablet", 768],
  ["desktop", 1280],
]);

const TEMPLATES: ReadonlyMap<string, JsonObject> = new Map([
  [
    "landing",
    {
      title: "Landing page",
      blocks: [
        { type: "heading", level: 1, text: "Landing page" },
        { type: "text", text: "What this is for, in a sentence." },
        { type: "button", text: "Begin", href: "#begin" },
      ],
    },
  ],
  [
    "report",
    {
      title: "Report",
      blocks: [
        { type: "heading", level: 1, text: "Report" },
        { type: "heading", level: 2, text: "Findings" },
        { type: "list", items: ["First finding", "Second finding"] },
      ],
    },
  ],
]);

/** Draws, scores and exports documents of headings, texts, images, buttons and lists. */
export const layout: SiblingDefinition = {
  name: "layout",
  routes: (context) => [
    call("preview", context, previewed),
    call("score", context, scored),
    call("export", context, exported),
    {
      method: "GET",
      path: "/layouts/*",
      isProtected: false,
      async handle({ params: [name = ""] }) {
        const found = await context.results.get(name.replace(/\.json$/, ""));
        if (found === null) throw new Refusal(404, "not_found", "There is no layout of this id.");
        return { data: found };
      },
    },
  ],
  async work(packet, context) {
    const data = await kept("score", subjectOf(packet.payload ?? {}), context, scored);
    return { status: "completed", resultRef: textOf(data, "url"), result: data };
  },
};

type Work = (document: JsonObject, request: JsonObject) => JsonObject;

function call(kind: string, context: SiblingContext, work: Work) {
  return {
    method: "POST",
    path: `/api/layout/${kind}`,
    isProtected: true,
    handle: async ({ body }: { readonly body: JsonObject }) => ({
      data: await kept(kind, body, context, work),
    }),
  } as const;
}

async function kept(
  kind: string,
  request: JsonObject,
  context: SiblingContext,
  work: Work,
): Promise<JsonObject> {
  const own = isJsonObject(request["document"]) ? request["document"] : {};
  const template = TEMPLATES.get(textOf(request, "templateSlug"));
  if (textOf(request, "templateSlug") !== "" && template === undefined) {
    throw new Refusal(422, "invalid_input", `There are the templates ${[...TEMPLATES.keys()].join(", ")}.`);
  }
  const document = { ...template, ...own };
  const result = work(document, request);
  const id = contentId(kind, JSON.stringify([document, request]));
  const record = { id, documentDigest: digestOf(own), url: `${context.url}/layouts/${id}.json`, ...result };
  await context.results.put(id, record);
  return record;
}

function previewed(document: JsonObject, request: JsonObject): JsonObject {
  const viewport = textOf(request, "viewport", "desktop");
  const width = WIDTHS.get(viewport);
  if (width === undefined)
    throw new Refusal(422, "invalid_input", `viewport is ${[...WIDTHS.keys()].join(", ")}.`);
  return { viewport, width, html: drawn(document) };
}

function exported(document: JsonObject, request: JsonObject): JsonObject {
  const format = textOf(request, "format", "html");
  if (format === "html") return { format, content: drawn(document) };
  if (format === "json") return { format, content: JSON.stringify(document, null, 2) };
  if (format === "markdown")
    return { format, content: blocksOf(document).map(markdownOf).join("\n\n") || "\n" };
  throw new Refusal(422, "invalid_input", "format is html, markdown or json.");
}

/** Points from 0 to 100: each finding costs some, and a document without content has none left. */
function scored(document: JsonObject): JsonObject {
  const blocks = blocksOf(document);
  const findings: JsonObject[] = [];
  const note = (rule: string, message: string, cost: number): void =>
    void findings.push({ rule, message, cost });
  if (textOf(document, "title") === "") note("title", "The document has no title.", 20);
  if (blocks.length === 0) note("content", "The document has no blocks.", 80);
  const levels = blocks.filter(({ type }) => type === "heading").map(({ level }) => Number(level ?? 1));
  if (blocks.length > 0 && levels.filter((level) => level === 1).length !== 1) {
    note("one-h1", "A page has exactly one heading of level 1.", 20);
  }
  for (const [index, level] of levels.entries()) {
    const before = levels[index - 1];
    if (before !== undefined && level > before + 1) note("heading-order", "A heading skips a level.", 10);
  }
  for (const block of blocks) {
    if (block["type"] === "image" && textOf(block, "alt") === "")
      note("alt", "An image has no alternative text.", 20);
    if (block["type"] === "button" && textOf(block, "text") === "") note("name", "A button has no text.", 20);
    if (textOf(block, "text").length > 1_200) note("length", "A text is longer than 1,200 characters.", 5);
  }
  const cost = findings.reduce((sum, finding) => sum + Number(finding["cost"]), 0);
  return { score: Math.round(Math.max(0, 100 - cost)), findings };
}

function blocksOf(document: JsonObject): readonly JsonObject[] {
  return objectsOf(document["blocks"]);
}

function drawn(document: JsonObject): string {
  return page(textOf(document, "title", "Untitled"), blocksOf(document).map(htmlOf).join("\n"));
}

function itemsOf(block: JsonObject): readonly string[] {
  return Array.isArray(block["items"]) ? block["items"].filter((item) => typeof item === "string") : [];
}

function htmlOf(block: JsonObject): string {
  const text = escapeHtml(textOf(block, "text"));
  const level = Math.min(6, Math.max(1, Number(block["level"] ?? 1) || 1));
  switch (textOf(block, "type")) {
    case "heading":
      return `<h${level}>${text}</h${level}>`;
    case "image":
      return `<img alt="${escapeHtml(textOf(block, "alt"))}" src="data:,">`;
    case "button":
      return `<p><a href="${escapeHtml(textOf(block, "href", "#"))}">${text}</a></p>`;
    case "list":
      return `<ul>${itemsOf(block)
        .map((item) => `<li>${escapeHtml(item)}</li>`)
        .join("")}</ul>`;
    default:
      return `<p>${text}</p>`;
  }
}

function markdownOf(block: JsonObject): string {
  const text = textOf(block, "text");
  switch (textOf(block, "type")) {
    case "heading":
      return `${"#".repeat(Math.min(6, Math.max(1, Number(block["level"] ?? 1) || 1)))} ${text}`;
    case "list":
      return itemsOf(block)
        .map((item) => `- ${item}`)
        .join("\n");
    case "image":
      return `![${textOf(block, "alt")}]()`;
    case "button":
      return `[${text}](${textOf(block, "href", "#")})`;
    default:
      return text;
  }
}
