import { sha256Hex } from "../../src/kernel/canonical-json.ts";
import { isJsonObject, type Json, type JsonObject } from "../../src/kernel/json.ts";

/** What a packet asks to work on: its artifact, its workflow, or its payload itself. */
export function subjectOf(payload: JsonObject): JsonObject {
  if (isJsonObject(payload["artifact"])) return payload["artifact"];
  return isJsonObject(payload["workflow"]) ? payload["workflow"] : payload;
}

/** A text of a record, or the fallback. */
export function textOf(record: JsonObject, name: string, fallback = ""): string {
  const value = record[name];
  return typeof value === "string" ? value : fallback;
}

/** The objects of a list. */
export function objectsOf(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** `prefix_<hex>` of content: the same work has the same id. */
export function contentId(prefix: string, content: string | Uint8Array): string {
  return `${prefix}_${sha256Hex(content).slice(0, 32)}`;
}

/** Text made safe to stand in HTML. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

/** A whole page around a body. */
export function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
pre{overflow:auto;padding:.75rem;background:#f4f4f4}table{border-collapse:collapse}td,th{border:1px solid #bbb;padding:.25rem .5rem;text-align:left}</style></head>
<body><main>${body}</main></body>
</html>
`;
}
