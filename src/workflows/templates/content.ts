import { EXAMPLE } from "../examples.ts";
import { approval, choose, expr, graph, handoff, object, ref, tool, transform } from "./build.ts";
import { defineTemplate } from "./template.ts";

// Content that is drafted, reviewed and handed on.

export const sheetsToDocs = defineTemplate({
  id: "sheets-to-docs-social",
  name: "Sheets to Docs and social",
  description:
    "Reads rows from a sheet, has the AI gateway draft a text (advisory and labelled as such), lets a person edit and approve it, publishes it with Docs, and asks again before the social post. Row values are redacted in public views, and each output counts only when its owner confirms it.",
  tags: ["sheets", "docs", "social", "approval", "model-assisted"],
  needs: ["sheets", "ai_gateway", "docs"],
  // The reference sheets sibling has this sheet.
  exampleInputs: { sheetId: "sheet_example", range: "A1:D20", topic: "Weekly summary" },
  triggers: [
    {
      kind: "schedule",
      name: "Weekly summary",
      cron: "0 9 * * 1",
      inputs: { sheetId: "sheet_example", range: "A1:D20", topic: "Weekly summary" },
    },
  ],
  document: {
    inputs: object(
      {
        sheetId: { type: "string", minLength: 1 },
        range: { type: "string", default: "A1:Z100" },
        topic: { type: "string", minLength: 1, maxLength: 200 },
      },
      ["range"],
    ),
    ...graph(
      {
        rows: handoff(
          "Read the sheet",
          {
            target: "sheets",
            capability: "read",
            intent: "Read the rows that the text is about.",
            payload: { sheetId: ref("inputs.sheetId"), range: ref("inputs.range", "A1:Z100") },
          },
          { retry: { maxAttempts: 3, backoffMs: 1000 }, redact: ["/output/data/data"] },
        ),
        draft: handoff(
          "Draft a text",
          {
            target: "ai_gateway",
            capability: "draft",
            intent: expr('"Draft: " + inputs.topic'),
            payload: { topic: ref("inputs.topic"), rows: ref("steps.rows.outputs.data.data") },
          },
          { retry: { maxAttempts: 2, backoffMs: 2000 }, timeoutMs: 120_000, redact: ["/input/payload/rows"] },
        ),
        edit: approval("Edit and approve the draft", {
          title: expr('"Publish the text on " + inputs.topic + "?"'),
          show: {
            topic: ref("inputs.topic"),
            draft: ref("steps.draft.outputs.data.data"),
            label: "Model output, advisory",
          },
          form: {
            type: "object",
            properties: {
              headline: { type: "string", minLength: 1, maxLength: 200 },
              text: { type: "string", minLength: 1, maxLength: 20_000 },
            },
            required: ["headline", "text"],
          },
          expiresInMs: 604_800_000,
          reminderMs: 86_400_000,
        }),
        publish: tool(
          "Publish with Docs",
          "create_docs_report",
          {
            artifact: {
              title: ref("steps.edit.outputs.values.headline"),
              type: "article",
              text: ref("steps.edit.outputs.values.text"),
            },
          },
          { idempotencyKey: expr('"article:" + run.id'), retry: { maxAttempts: 3, backoffMs: 2000 } },
        ),
        announce: approval("Announce it?", {
          title: "Post a link to the published text?",
          show: {
            headline: ref("steps.edit.outputs.values.headline"),
            link: ref("steps.publish.outputs.data.resultRef"),
          },
          expiresInMs: 172_800_000,
        }),
        post: handoff("Queue the social post", {
          target: "docs",
          capability: "social_post",
          intent: "Queue a social post that links the text.",
          payload: {
            kind: "social",
            link: ref("steps.publish.outputs.data.resultRef"),
            headline: ref("steps.edit.outputs.values.headline"),
          },
        }),
        quiet: transform("Published, not announced", { announced: false }),
      },
      "rows > draft > edit:approved > publish > announce:approved > post",
      "announce:rejected > quiet",
      "announce:expired > quiet",
    ),
    outputs: {
      document: ref("steps.publish.outputs.data.resultRef"),
      socialJob: ref("steps.post.outputs.data.resultRef", null),
    },
    policy: { requireApproval: "none" },
  },
});

export const artifactReview = defineTemplate({
  id: "artifact-review-publish",
  name: "Review and publish an artifact",
  description:
    "Reads a saved artifact, shows exactly that version to a reviewer, and publishes it to a service of the suite. If that does not confirm after several attempts, a person is asked whether to give up, and nothing is called published.",
  tags: ["artifacts", "approval", "publishing"],
  needs: ["catalog"],
  exampleInputs: { artifactId: EXAMPLE.artifact, target: "catalog" },
  document: {
    inputs: object(
      { artifactId: { type: "string", minLength: 1 }, target: { type: "string", default: "catalog" } },
      ["target"],
    ),
    ...graph(
      {
        read: tool("Read the artifact", "get_artifact", { id: ref("inputs.artifactId") }),
        review: approval("Review", {
          title: expr('"Publish artifact " + inputs.artifactId + "?"'),
          show: { artifact: ref("steps.read.outputs.data.artifact") },
          expiresInMs: 604_800_000,
        }),
        publish: tool(
          "Publish",
          "publish_artifact",
          { artifactId: ref("inputs.artifactId"), target: ref("inputs.target", "catalog") },
          { retry: { maxAttempts: 5, backoffMs: 2000, factor: 3, maxBackoffMs: 300_000 } },
        ),
        unconfirmed: approval("Not confirmed", {
          title: "The target did not confirm. Close this without publication?",
          show: { error: ref("steps.publish.error") },
          expiresInMs: 604_800_000,
        }),
        closed: transform("Closed", { published: false }),
      },
      "read > review:approved > publish:error > unconfirmed:approved > closed",
    ),
    outputs: { resultRef: ref("steps.publish.outputs.data.resultRef", null) },
  },
});

export const artifactRetention = defineTemplate({
  id: "artifact-retention",
  name: "Delete an artifact, with a copy kept",
  description:
    "Exports an artifact as text, shows what would be deleted, and deletes it only after a person has approved. The exported copy is part of the run's outputs, and the deletion leaves a tombstone with its provenance.",
  tags: ["artifacts", "retention", "destructive", "approval"],
  needs: [],
  exampleInputs: { artifactId: EXAMPLE.artifact, reason: "Past its retention period" },
  document: {
    inputs: object({
      artifactId: { type: "string", minLength: 1 },
      reason: { type: "string", minLength: 3 },
    }),
    ...graph(
      {
        read: tool("Read it", "get_artifact", { id: ref("inputs.artifactId") }),
        copy: tool("Keep a copy", "export_artifact", {
          artifact: ref("steps.read.outputs.data.artifact"),
          format: "json",
        }),
        confirm: approval("Delete?", {
          title: expr('"Delete artifact " + inputs.artifactId + "?"'),
          show: {
            reason: ref("inputs.reason"),
            artifact: ref("steps.read.outputs.data.artifact"),
            copy: ref("steps.copy.outputs.data.fileName"),
          },
          expiresInMs: 604_800_000,
        }),
        remove: tool("Delete", "delete_artifact", { id: ref("inputs.artifactId") }),
      },
      "read > copy > confirm:approved > remove",
    ),
    outputs: {
      copy: ref("steps.copy.outputs.data.text"),
      tombstone: ref("steps.remove.outputs.data.artifact"),
    },
  },
});

export const imageToAscii = defineTemplate({
  id: "image-to-ascii",
  name: "Image to ASCII report",
  description:
    "Sends an image to the ASCII service, keeps the confirmed text as a snapshot and makes a share packet of it. Without a confirmed text the run ends with the reason and no picture is invented.",
  tags: ["images", "ascii", "artifacts"],
  needs: ["ascii"],
  exampleInputs: {
    image: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    title: "Logo",
    columns: 80,
  },
  document: {
    inputs: object(
      {
        image: { type: "string", minLength: 8, description: "The image in base64." },
        title: { type: "string", minLength: 1 },
        columns: { type: "integer", minimum: 8, maximum: 400, default: 80 },
      },
      ["columns"],
    ),
    ...graph(
      {
        convert: tool(
          "Convert",
          "execute_ascii_conversion",
          { image: ref("inputs.image"), resolution: ref("inputs.columns", 80) },
          { retry: { maxAttempts: 3, backoffMs: 1000 }, timeoutMs: 30_000, redact: ["/input/image"] },
        ),
        keep: tool("Keep the text", "create_local_artifact", {
          title: ref("inputs.title"),
          type: "ascii-art",
          sourceService: "ascii",
          sourceRef: ref("steps.convert.outputs.data.resultRef"),
          description: expr("string(steps.convert.outputs.data.result.text)", ""),
        }),
        share: tool("Share packet", "create_share_packet", {
          artifact: ref("steps.keep.outputs.data.artifact"),
        }),
        none: transform("No picture", { reason: ref("steps.convert.error.message") }),
      },
      "convert > keep > share",
      "convert:error > none",
    ),
    outputs: {
      packet: ref("steps.share.outputs.data.packet", null),
      reason: ref("steps.none.outputs.reason", null),
    },
  },
});

export const layoutQuality = defineTemplate({
  id: "layout-quality-gate",
  name: "Layout quality gate",
  description:
    "Previews and scores a layout document side by side. A score at or above the bar exports it at once; below the bar a person decides whether to export it anyway.",
  tags: ["layout", "quality", "approval"],
  needs: ["layout"],
  exampleInputs: { document: { title: "Landing page" }, templateSlug: "landing", minimum: 80 },
  document: {
    inputs: object({
      document: { type: "object", description: "The layout document." },
      templateSlug: { type: "string", minLength: 1 },
      minimum: { type: "integer", minimum: 0, maximum: 100 },
    }),
    ...graph(
      {
        preview: tool(
          "Preview",
          "preview_layout_artifact",
          { document: ref("inputs.document"), templateSlug: ref("inputs.templateSlug") },
          { retry: { maxAttempts: 3, backoffMs: 1000 } },
        ),
        score: tool(
          "Score",
          "score_layout_artifact",
          { document: ref("inputs.document"), templateSlug: ref("inputs.templateSlug") },
          { retry: { maxAttempts: 3, backoffMs: 1000 } },
        ),
        points: transform("Read the score", {
          score: expr("double(steps.score.outputs.data.result.score)", 0),
        }),
        gate: choose("Good enough?", { good: "steps.points.outputs.score >= inputs.minimum" }),
        exception: approval("Export below the bar?", {
          title: "The layout is below the bar. Export it anyway?",
          show: {
            score: ref("steps.points.outputs.score"),
            minimum: ref("inputs.minimum"),
            preview: ref("steps.preview.outputs.data.resultRef"),
          },
          expiresInMs: 259_200_000,
        }),
        export: tool(
          "Export",
          "export_layout_artifact",
          { document: ref("inputs.document"), templateSlug: ref("inputs.templateSlug"), format: "html" },
          { retry: { maxAttempts: 3, backoffMs: 1000 } },
        ),
      },
      "preview > points",
      "score > points > gate:case:good > export",
      "gate:default > exception:approved > export",
    ),
    outputs: {
      score: ref("steps.points.outputs.score"),
      export: ref("steps.export.outputs.data.resultRef", null),
    },
  },
});
