import { Marked } from "marked";
import { sha256Hex } from "../../../src/kernel/canonical-json.ts";
import type { JsonObject } from "../../../src/kernel/json.ts";
import type { HandoffPacket } from "../../../src/handoffs/packet.ts";
import { completeHandoff } from "../handoff.ts";
import { Refusal } from "../http.ts";
import { contentId, escapeHtml, page, subjectOf, textOf } from "../parts.ts";
import { showRoute } from "../show.ts";
import type { SiblingContext, SiblingDefinition, WorkDone } from "../sibling.ts";

const MAX_MARKDOWN = 500_000;
const SAFE_LINK = /^(?:https?:|mailto:|#|\/)/i;

/** Markdown to HTML; raw HTML in it is shown as text, and links lead to the web or nowhere. */
const markdown = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }) => escapeHtml(text),
    link({ href, text }) {
      return SAFE_LINK.test(href)
        ? `<a href="${escapeHtml(href)}" rel="nofollow">${escapeHtml(text)}</a>`
        : escapeHtml(text);
    },
    image: ({ text }) => escapeHtml(text),
  },
});

/** Publishes reports, keeps drafts, and queues social posts that wait for a person. */
export const docs: SiblingDefinition = {
  name: "docs",
  routes: (context) => [
    {
      method: "GET",
      path: "/reports/*",
      isProtected: false,
      async handle({ params: [name = ""] }) {
        const html = await context.results.file(name.replace(/\.html$/, ""), "html");
        if (html === null) throw new Refusal(404, "not_found", "There is no report at this address.");
        return { type: "text/html; charset=utf-8", content: html };
      },
    },
    showRoute(context, { path: "/api/docs/reports", prefix: "report", isProtected: true, as: "report" }),
    {
      method: "POST",
      path: "/api/docs/social/*/confirm",
      isProtected: true,
      async handle({ params: [id = ""] }) {
        const job = contentId("job", id);
        await context.results.put(job, { id: job, packetId: id, status: "queued" });
        const done = {
          status: "completed",
          resultRef: job,
          result: { job: { id: job, status: "queued" } },
        } as const;
        await completeHandoff(context.results, id, done);
        return { data: { job: { id: job, status: "queued" } } };
      },
    },
  ],
  work(packet, context): Promise<WorkDone> {
    // A post goes out under a person's name, so it waits until a person confirms it.
    if (packet.capability === "social_post") return Promise.resolve({ status: "accepted" });
    return publish(packet, context);
  },
};

async function publish(packet: HandoffPacket, context: SiblingContext): Promise<WorkDone> {
  const payload = packet.payload ?? {};
  const subject = subjectOf(payload);
  const source = textOf(payload, "markdown", textOf(subject, "markdown", fallbackMarkdown(subject)));
  const title = textOf(payload, "title", textOf(subject, "title", "Untitled"));
  if (source === "" || source.length > MAX_MARKDOWN) {
    throw new Refusal(422, "invalid_input", "Give a report of 1 to 500,000 characters as Markdown.");
  }
  const isDraft = packet.capability === "draft";
  const html = page(title, `${isDraft ? "<p>Draft, not published.</p>" : ""}${await markdown.parse(source)}`);
  const id = contentId(isDraft ? "draft" : "report", `${packet.id}\n${source}`);
  const url = `${context.url}/reports/${id}.html`;
  const record = {
    id,
    title,
    url,
    status: isDraft ? "draft" : "published",
    contentDigest: `sha256:${sha256Hex(html)}`,
  };
  await context.results.putFile(id, "html", html);
  await context.results.put(id, record);
  return { status: "completed", resultRef: url, result: isDraft ? { draft: record } : { report: record } };
}

function fallbackMarkdown(subject: JsonObject): string {
  if (Object.keys(subject).length === 0) return "";
  return `# ${textOf(subject, "title", "Record")}\n\n\`\`\`json\n${JSON.stringify(subject, null, 2)}\n\`\`\`\n`;
}
