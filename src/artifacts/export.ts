import { Scalar, stringify, visit, Document } from "yaml";
import { canonicalJson } from "../kernel/canonical-json.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import { withoutSurrounding } from "../kernel/text.ts";

/*
 * Artifacts as text: JSON, YAML and Markdown. The same artifact gives the same text whatever the order of its keys,
 * and text that was made to deceive (bidi controls, fences, document markers, YAML tags) stays inert data.
 */

/** The formats an artifact can be exported to. */
export type ExportFormat = "json" | "yaml" | "markdown";

/** Controls, line separators, bidi overrides and zero-width characters: shown escaped, never raw. */
const UNSAFE =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** The text of an artifact, its media type and a file name that suits it. */
export interface ExportedText extends JsonObject {
  readonly format: ExportFormat;
  readonly mediaType: string;
  readonly fileName: string;
  readonly text: string;
}

/** Exports an artifact. Deterministic. */
export function exportArtifact(artifact: JsonObject, format: ExportFormat): ExportedText {
  const name = fileNameOf(typeof artifact.title === "string" ? artifact.title : "artifact");
  switch (format) {
    case "json":
      return { format, mediaType: "application/json", fileName: `${name}.json`, text: prettyJson(artifact) };
    case "yaml":
      return { format, mediaType: "application/yaml", fileName: `${name}.yaml`, text: toYaml(artifact) };
    case "markdown":
      return { format, mediaType: "text/markdown", fileName: `${name}.md`, text: toMarkdown(artifact) };
  }
}

/** JSON with sorted keys, two spaces, unsafe characters escaped, and a newline at the end. */
function prettyJson(value: Json): string {
  return `${escapeUnsafe(JSON.stringify(JSON.parse(canonicalJson(value)), null, 2))}\n`;
}

function toYaml(value: JsonObject): string {
  const document = new Document(JSON.parse(canonicalJson(value)), { version: "1.2", schema: "core" });
  // A text that needs an escape is double-quoted, the only YAML style that has them.
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === "string" && node.value.search(UNSAFE) >= 0) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return escapeUnsafe(stringify(document, { lineWidth: 0, aliasDuplicateObjects: false }));
}

function toMarkdown(artifact: JsonObject): string {
  const { title, type, description, privacy, version, digest } = artifact;
  const facts: readonly (readonly [string, Json | undefined])[] = [
    ["Type", type],
    ["Privacy", privacy],
    ["Version", version],
    ["Digest", digest],
    ["Source", artifact.sourceRef ?? artifact.sourceService],
  ];
  const rows = facts.flatMap(([name, value]) =>
    typeof value === "string" || typeof value === "number" ? [`| ${name} | ${inline(`${value}`)} |`] : [],
  );
  const body = prettyJson(artifact).trimEnd();
  const fence = "`".repeat(Math.max(3, longestRun(body) + 1));
  return [
    `# ${inline(typeof title === "string" ? title : "Artifact")}`,
    ...(typeof description === "string" && description !== "" ? [inline(description)] : []),
    ...(rows.length > 0 ? [["| | |", "|---|---|", ...rows].join("\n")] : []),
    "## Content",
    `${fence}json\n${body}\n${fence}\n`,
  ].join("\n\n");
}

/** One line of Markdown in which nothing of the text is markup. */
function inline(text: string): string {
  return escapeUnsafe(text.replace(/\s+/g, " ").trim())
    .replace(/[\\`*_{}[\]()#+\-.!|<>~&:@]/g, (character) => `\\${character}`)
    .slice(0, 4000);
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

function escapeUnsafe(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function fileNameOf(title: string): string {
  const words = title
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-");
  return withoutSurrounding(words, "-").slice(0, 60) || "artifact";
}
