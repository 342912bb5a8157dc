import { EXAMPLE } from "../examples.ts";
import { defineTemplate } from "./template.ts";

/* Long on purpose: whole workflows as data. */

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
    inputs: {
      type: "object",
      properties: {
        sheetId: { type: "string", minLength: 1 },
        range: { type: "string", default: "A1:Z100" },
        topic: { type: "string", minLength: 1, maxLength: 200 },
      },
      required: ["sheetId", "topic"],
      additionalProperties: false,
    },
    nodes: [
      {
        id: "rows",
        type: "handoff",
        title: "Read the sheet",
        handoff: {
          target: "sheets",
          capability: "read",
          intent: "Read the rows that the text is about.",
          payload: {
            sheetId: { $ref: "inputs.sheetId" },
            range: { $ref: "inputs.range", default: "A1:Z100" },
          },
        },
        retry: { maxAttempts: 3, backoffMs: 1000 },
        redact: ["/output/data/data"],
      },
      {
        id: "draft",
        type: "handoff",
        title: "Draft a text",
        handoff: {
          target: "ai_gateway",
          capability: "draft",
          intent: { $expr: '"Draft: " + inputs.topic' },
          payload: { topic: { $ref: "inputs.topic" }, rows: { $ref: "steps.rows.outputs.data.data" } },
        },
        retry: { maxAttempts: 2, backoffMs: 2000 },
        timeoutMs: 120000,
        redact: ["/input/payload/rows"],
      },
      {
        id: "edit",
        type: "approval",
        title: "Edit and approve the draft",
        approval: {
          title: { $expr: '"Publish the text on " + inputs.topic + "?"' },
          show: {
            topic: { $ref: "inputs.topic" },
            draft: { $ref: "steps.draft.outputs.data.data" },
            label: "Model output, advisory",
          },
          form: {
            type: "object",
            properties: {
              headline: { type: "string", minLength: 1, maxLength: 200 },
              text: { type: "string", minLength: 1, maxLength: 20000 },
            },
            required: ["headline", "text"],
          },
          expiresInMs: 604_800_000,
          reminderMs: 86_400_000,
        },
      },
      {
        id: "publish",
        type: "tool",
        title: "Publish with Docs",
        tool: "create_docs_report",
        with: {
          artifact: {
            title: { $ref: "steps.edit.outputs.values.headline" },
            type: "article",
            text: { $ref: "steps.edit.outputs.values.text" },
          },
        },
        idempotencyKey: { $expr: '"article:" + run.id' },
        retry: { maxAttempts: 3, backoffMs: 2000 },
      },
      {
        id: "announce",
        type: "approval",
        title: "Announce it?",
        approval: {
          title: "Post a link to the published text?",
          show: {
            headline: { $ref: "steps.edit.outputs.values.headline" },
            link: { $ref: "steps.publish.outputs.data.resultRef" },
          },
          expiresInMs: 172_800_000,
        },
      },
      {
        id: "post",
        type: "handoff",
        title: "Queue the social post",
        handoff: {
          target: "docs",
          capability: "social_post",
          intent: "Queue a social post that links the text.",
          payload: {
            kind: "social",
            link: { $ref: "steps.publish.outputs.data.resultRef" },
            headline: { $ref: "steps.edit.outputs.values.headline" },
          },
        },
      },
      { id: "quiet", type: "transform", title: "Published, not announced", value: { announced: false } },
    ],
    edges: [
      { from: "rows", to: "draft" },
      { from: "draft", to: "edit" },
      { from: "edit", to: "publish", port: "approved" },
      { from: "publish", to: "announce" },
      { from: "announce", to: "post", port: "approved" },
      { from: "announce", to: "quiet", port: "rejected" },
      { from: "announce", to: "quiet", port: "expired" },
    ],
    outputs: {
      document: { $ref: "steps.publish.outputs.data.resultRef" },
      socialJob: { $ref: "steps.post.outputs.data.resultRef", default: null },
    },
    policy: { requireApproval: "none" },
  },
});

export const artifactReview = defineTemplate({
  id: "artifact-review-publish",
  name: "Review and publish an artifact",
  description:
    "Reads a saved artifact, shows exactly that version to a reviewer, and publishes it to a sibling. If the sibling does not confirm after several attempts, a person is asked whether to give up, and nothing is called published.",
  tags: ["artifacts", "approval", "publishing"],
  needs: ["catalog"],
  exampleInputs: { artifactId: EXAMPLE.artifact, target: "catalog" },
  document: {
    inputs: {
      type: "object",
      properties: {
        artifactId: { type: "string", minLength: 1 },
        target: { type: "string", default: "catalog" },
      },
      required: ["artifactId"],
      additionalProperties: false,
    },
    nodes: [
      {
        id: "read",
        type: "tool",
        title: "Read the artifact",
        tool: "get_artifact",
        with: { id: { $ref: "inputs.artifactId" } },
      },
      {
        id: "review",
        type: "approval",
        title: "Review",
        approval: {
          title: { $expr: '"Publish artifact " + inputs.artifactId + "?"' },
          show: { artifact: { $ref: "steps.read.outputs.data.artifact" } },
          expiresInMs: 604_800_000,
        },
      },
      {
        id: "publish",
        type: "tool",
        title: "Publish",
        tool: "publish_artifact",
        with: {
          artifactId: { $ref: "inputs.artifactId" },
          target: { $ref: "inputs.target", default: "catalog" },
        },
        retry: { maxAttempts: 5, backoffMs: 2000, factor: 3, maxBackoffMs: 300000 },
      },
      {
        id: "unconfirmed",
        type: "approval",
        title: "Not confirmed",
        approval: {
          title: "The target did not confirm. Close this without publication?",
          show: { error: { $ref: "steps.publish.error" } },
          expiresInMs: 604_800_000,
        },
      },
      { id: "closed", type: "transform", title: "Closed", value: { published: false } },
    ],
    edges: [
      { from: "read", to: "review" },
      { from: "review", to: "publish", port: "approved" },
      { from: "publish", to: "unconfirmed", port: "error" },
      { from: "unconfirmed", to: "closed", port: "approved" },
    ],
    outputs: { resultRef: { $ref: "steps.publish.outputs.data.resultRef", default: null } },
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
    inputs: {
      type: "object",
      properties: { artifactId: { type: "string", minLength: 1 }, reason: { type: "string", minLength: 3 } },
      required: ["artifactId", "reason"],
      additionalProperties: false,
    },
    nodes: [
      {
        id: "read",
        type: "tool",
        title: "Read it",
        tool: "get_artifact",
        with: { id: { $ref: "inputs.artifactId" } },
      },
      {
        id: "copy",
        type: "tool",
        title: "Keep a copy",
        tool: "export_artifact",
        with: { artifact: { $ref: "steps.read.outputs.data.artifact" }, format: "json" },
      },
      {
        id: "confirm",
        type: "approval",
        title: "Delete?",
        approval: {
          title: { $expr: '"Delete artifact " + inputs.artifactId + "?"' },
          show: {
            reason: { $ref: "inputs.reason" },
            artifact: { $ref: "steps.read.outputs.data.artifact" },
            copy: { $ref: "steps.copy.outputs.data.fileName" },
          },
          expiresInMs: 604_800_000,
        },
      },
      {
        id: "remove",
        type: "tool",
        title: "Delete",
        tool: "delete_artifact",
        with: { id: { $ref: "inputs.artifactId" } },
      },
    ],
    edges: [
      { from: "read", to: "copy" },
      { from: "copy", to: "confirm" },
      { from: "confirm", to: "remove", port: "approved" },
    ],
    outputs: {
      copy: { $ref: "steps.copy.outputs.data.text" },
      tombstone: { $ref: "steps.remove.outputs.data.artifact" },
    },
  },
});

export const imageToAscii = defineTemplate({
  id: "image-to-ascii",
  name: "Image to ASCII report",
  description:
    "Sends an image to the ASCII sibling, keeps the confirmed text as a snapshot and makes a share packet of it. Without a confirmed text the run ends with the reason and no picture is invented.",
  tags: ["images", "ascii", "artifacts"],
  needs: ["ascii"],
  exampleInputs: {
    image: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    title: "Logo",
    columns: 80,
  },
  document: {
    inputs: {
      type: "object",
      properties: {
        image: { type: "string", minLength: 8, description: "The image in base64." },
        title: { type: "string", minLength: 1 },
        columns: { type: "integer", minimum: 8, maximum: 400, default: 80 },
      },
      required: ["image", "title"],
      additionalProperties: false,
    },
    nodes: [
      {
        id: "convert",
        type: "tool",
        title: "Convert",
        tool: "execute_ascii_conversion",
        with: { image: { $ref: "inputs.image" }, resolution: { $ref: "inputs.columns", default: 80 } },
        retry: { maxAttempts: 3, backoffMs: 1000 },
        timeoutMs: 30000,
        redact: ["/input/image"],
      },
      {
        id: "keep",
        type: "tool",
        title: "Keep the text",
        tool: "create_local_artifact",
        with: {
          title: { $ref: "inputs.title" },
          type: "ascii-art",
          sourceService: "ascii",
          sourceRef: { $ref: "steps.convert.outputs.data.resultRef" },
          description: { $expr: "string(steps.convert.outputs.data.result.text)", default: "" },
        },
      },
      {
        id: "share",
        type: "tool",
        title: "Share packet",
        tool: "create_share_packet",
        with: { artifact: { $ref: "steps.keep.outputs.data.artifact" } },
      },
      {
        id: "none",
        type: "transform",
        title: "No picture",
        value: { reason: { $ref: "steps.convert.error.message" } },
      },
    ],
    edges: [
      { from: "convert", to: "keep" },
      { from: "keep", to: "share" },
      { from: "convert", to: "none", port: "error" },
    ],
    outputs: {
      packet: { $ref: "steps.share.outputs.data.packet", default: null },
      reason: { $ref: "steps.none.outputs.reason", default: null },
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
    inputs: {
      type: "object",
      properties: {
        document: { type: "object", description: "The layout document." },
        templateSlug: { type: "string", minLength: 1 },
        minimum: { type: "integer", minimum: 0, maximum: 100 },
      },
      required: ["document", "templateSlug", "minimum"],
      additionalProperties: false,
    },
    nodes: [
      {
        id: "preview",
        type: "tool",
        title: "Preview",
        tool: "preview_layout_artifact",
        with: { document: { $ref: "inputs.document" }, templateSlug: { $ref: "inputs.templateSlug" } },
        retry: { maxAttempts: 3, backoffMs: 1000 },
      },
      {
        id: "score",
        type: "tool",
        title: "Score",
        tool: "score_layout_artifact",
        with: { document: { $ref: "inputs.document" }, templateSlug: { $ref: "inputs.templateSlug" } },
        retry: { maxAttempts: 3, backoffMs: 1000 },
      },
      {
        id: "points",
        type: "transform",
        title: "Read the score",
        value: { score: { $expr: "double(steps.score.outputs.data.result.score)", default: 0 } },
      },
      {
        id: "gate",
        type: "switch",
        title: "Good enough?",
        cases: [{ name: "good", when: "steps.points.outputs.score >= inputs.minimum" }],
      },
      {
        id: "exception",
        type: "approval",
        title: "Export below the bar?",
        approval: {
          title: "The layout is below the bar. Export it anyway?",
          show: {
            score: { $ref: "steps.points.outputs.score" },
            minimum: { $ref: "inputs.minimum" },
            preview: { $ref: "steps.preview.outputs.data.resultRef" },
          },
          expiresInMs: 259_200_000,
        },
      },
      {
        id: "export",
        type: "tool",
        title: "Export",
        tool: "export_layout_artifact",
        with: {
          document: { $ref: "inputs.document" },
          templateSlug: { $ref: "inputs.templateSlug" },
          format: "html",
        },
        retry: { maxAttempts: 3, backoffMs: 1000 },
      },
    ],
    edges: [
      { from: "preview", to: "points" },
      { from: "score", to: "points" },
      { from: "points", to: "gate" },
      { from: "gate", to: "export", port: "case:good" },
      { from: "gate", to: "exception", port: "default" },
      { from: "exception", to: "export", port: "approved" },
    ],
    outputs: {
      score: { $ref: "steps.points.outputs.score" },
      export: { $ref: "steps.export.outputs.data.resultRef", default: null },
    },
  },
});
