import { isJsonObject, type Json, type JsonObject } from "../../../src/kernel/json.ts";
import { Refusal } from "../http.ts";
import { contentId, subjectOf, textOf } from "../parts.ts";
import { showRoute } from "../show.ts";
import type { SiblingContext, SiblingDefinition } from "../sibling.ts";

const PRODUCER = "deterministic table and text summary; no language model";
const MAX_SENTENCES = 4;

/** Drafts a text from rows or prose by counting and picking. There is no model behind it, and it says so. */
export const aiGateway: SiblingDefinition = {
  name: "ai_gateway",
  routes: (context) => [
    {
      method: "POST",
      path: "/api/ai/drafts",
      isProtected: true,
      handle: async ({ body }) => ({ data: await draft(body, context) }),
    },
    showRoute(context, { path: "/api/ai/drafts", prefix: "draft", isProtected: true }),
  ],
  async work(packet, context) {
    const data = await draft(subjectOf(packet.payload ?? {}), context);
    return { status: "completed", resultRef: textOf(data, "draftId"), result: data };
  },
};

async function draft(request: JsonObject, context: SiblingContext): Promise<JsonObject> {
  const topic = textOf(request, "topic", textOf(request, "title", "Update"));
  const { columns, rows } = isJsonObject(request["rows"]) ? request["rows"] : request;
  const body =
    Array.isArray(columns) && Array.isArray(rows)
      ? aboutTable(columns, rows)
      : aboutText(textOf(request, "text"));
  if (body === "")
    throw new Refusal(422, "invalid_input", "Give columns and rows, or a text, to draft from.");
  const text = `${topic}\n\n${body}`;
  const record = { draftId: contentId("draft", text), text, advisory: true, producedBy: PRODUCER };
  await context.results.put(record.draftId, record);
  return record;
}

function aboutTable(columns: readonly Json[], rows: readonly Json[]): string {
  const names = columns.map((name) => (typeof name === "string" ? name : JSON.stringify(name)));
  const table = rows.filter((row) => Array.isArray(row));
  const lines = names.map((name, index) => {
    const values = table.map((row) => row[index]).filter((value) => value !== null && value !== undefined);
    const numbers = values.filter((value) => typeof value === "number");
    if (numbers.length > 0 && numbers.length === values.length) {
      const sum = numbers.reduce((total, value) => total + value, 0);
      return `${name}: ${numbers.length} values from ${Math.min(...numbers)} to ${Math.max(...numbers)}, ${sum} in all.`;
    }
    return `${name}: ${new Set(values.map((value) => JSON.stringify(value))).size} different values.`;
  });
  return [`${table.length} rows.`, ...lines].join("\n");
}

/** The sentences with the most of the text's frequent words, in their order. */
function aboutText(text: string): string {
  const sentences = [...new Intl.Segmenter("en", { granularity: "sentence" }).segment(text)].map(
    ({ segment }) => segment.trim(),
  );
  const wordsOf = (sentence: string): readonly string[] => sentence.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
  const counts = new Map<string, number>();
  for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const ranked = sentences
    .map((sentence, index) => {
      const words = wordsOf(sentence);
      const weight =
        words.reduce((sum, word) => sum + (counts.get(word) ?? 0), 0) / Math.max(1, words.length);
      return { sentence, index, weight };
    })
    .filter(({ sentence }) => sentence !== "");
  return ranked
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, MAX_SENTENCES)
    .toSorted((a, b) => a.index - b.index)
    .map(({ sentence }) => sentence)
    .join(" ");
}
