import { sha256Hex } from "../../../src/kernel/canonical-json.ts";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { Refusal } from "../http.ts";
import { subjectOf, textOf } from "../parts.ts";
import type { SiblingContext, SiblingDefinition } from "../sibling.ts";

const MAX_PROMPT = 2_000;

interface Section {
  readonly id: string;
  readonly title: string;
  readonly kind: "form" | "table" | "text" | "actions";
  /** Words in a prompt that ask for it. */
  readonly words: readonly string[];
}

const SECTIONS: readonly Section[] = [
  { id: "intro", title: "What this is for", kind: "text", words: [] },
  {
    id: "form",
    title: "Input",
    kind: "form",
    words: ["form", "input", "enter", "field", "upload", "intake"],
  },
  {
    id: "list",
    title: "Items",
    kind: "table",
    words: ["list", "table", "rows", "report", "overview", "dashboard"],
  },
  {
    id: "review",
    title: "Review",
    kind: "table",
    words: ["review", "approve", "approval", "check", "release"],
  },
  { id: "history", title: "History", kind: "table", words: ["history", "audit", "log", "runs", "trace"] },
  { id: "actions", title: "Actions", kind: "actions", words: [] },
];

/** Composes designs out of sections that a prompt asks for. No model is involved: the same prompt, the same design. */
export const studio: SiblingDefinition = {
  name: "studio",
  routes: (context) => [
    {
      method: "POST",
      path: "/api/studio/designs",
      isProtected: true,
      handle: async ({ body }) => ({ data: await design(body, context) }),
    },
    {
      method: "GET",
      path: "/api/studio/designs/*",
      isProtected: false,
      async handle({ params: [id = ""] }) {
        const found = id.startsWith("design_") ? await context.results.get(id) : null;
        if (found === null) throw new Refusal(404, "not_found", "There is no design of this id.");
        return { data: { design: found, url: designUrl(context, id) } };
      },
    },
  ],
  async work(packet, context) {
    const data = await design(subjectOf(packet.payload ?? {}), context);
    return { status: "completed", resultRef: textOf(data, "url"), result: data };
  },
};

async function design(request: JsonObject, context: SiblingContext): Promise<JsonObject> {
  const prompt = textOf(request, "prompt").trim().slice(0, MAX_PROMPT);
  const templateId = textOf(request, "templateId", "general")
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .slice(0, 60);
  const words = new Set(prompt.toLowerCase().match(/\p{L}+/gu) ?? []);
  const asked = SECTIONS.filter((section) =>
    section.words.some((word) => words.has(word) || words.has(`${word}s`)),
  );
  const middle = asked.length > 0 ? asked : SECTIONS.filter(({ id }) => id === "form");
  const chosen = SECTIONS.filter(
    ({ words: w, id }) => w.length === 0 || middle.some((section) => section.id === id),
  );
  const id = `design_${templateId}_${sha256Hex(`${templateId}\n${prompt}`).slice(0, 12)}`;
  const record = {
    schemaVersion: "suite.design.v1",
    id,
    templateId,
    title: prompt === "" ? "Untitled design" : prompt.replaceAll(/\s+/g, " ").slice(0, 80),
    sections: chosen.map(({ id: section, title, kind }) => ({ id: section, title, kind })),
  };
  await context.results.put(id, record);
  return { design: record, url: designUrl(context, id) };
}

function designUrl({ url }: SiblingContext, id: string): string {
  return `${url}/api/studio/designs/${id}`;
}
