import { digestOf } from "../../../src/kernel/canonical-json.ts";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { Refusal } from "../http.ts";
import { contentId, subjectOf, textOf } from "../parts.ts";
import { showRoute } from "../show.ts";
import type { SiblingDefinition } from "../sibling.ts";

const SHOWN = 100;

/** Keeps entries of artifacts and finds them by a word. */
export const catalog: SiblingDefinition = {
  name: "catalog",
  routes: (context) => [
    showRoute(context, { path: "/api/catalog/entries", prefix: "entry", isProtected: false, as: "entry" }),
    {
      method: "GET",
      path: "/api/catalog/entries",
      isProtected: false,
      async handle({ url }) {
        const word = (url.searchParams.get("q") ?? "").toLowerCase();
        const ids = (await context.results.ids()).filter((id) => id.startsWith("entry_"));
        const entries: JsonObject[] = [];
        for (const id of ids) {
          const entry = await context.results.get(id);
          const text = `${textOf(entry ?? {}, "title")} ${textOf(entry ?? {}, "description")}`.toLowerCase();
          if (entry !== null && text.includes(word)) entries.push(entry);
          if (entries.length >= SHOWN) break;
        }
        return { data: { entries } };
      },
    },
  ],
  async work(packet, context) {
    const subject = subjectOf(packet.payload ?? {});
    const title = textOf(subject, "title");
    if (title === "") throw new Refusal(422, "invalid_input", "An entry needs a title.");
    const id = contentId("entry", packet.id);
    const entry = {
      id,
      title,
      description: textOf(subject, "description"),
      type: textOf(subject, "type", "artifact"),
      artifactId: textOf(subject, "id") || null,
      artifactDigest: digestOf(subject),
      listedFor: packet.from,
      url: `${context.url}/api/catalog/entries/${id}`,
    };
    await context.results.put(id, entry);
    return { status: "completed", resultRef: id, result: { entry } };
  },
};
