import type { Json, JsonObject } from "../kernel/json.ts";

/** A block of a screen: what kind it is and what stands in it. */
export interface Section extends JsonObject {
  readonly kind: "form" | "summary" | "table" | "actions" | "timeline" | "notice";
  readonly title: string;
  readonly items: readonly string[];
}

/** A screen design with the workflow behind it. Made without a model, so the same request gives the same design. */
export interface StudioTemplate {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** Words in a request that speak for this template. */
  readonly keywords: readonly string[];
  readonly sections: readonly Section[];
  /** JSON Schema of what the person fills in: also the inputs of the workflow. */
  readonly inputs: JsonObject;
  readonly nodes: readonly JsonObject[];
  readonly edges: readonly JsonObject[];
  readonly outputs: JsonObject;
}

const ref = (path: string): JsonObject => ({ $ref: path });
const edge = (from: string, to: string, port = "success"): JsonObject => ({
  id: `${from}-${to}`,
  from,
  to,
  port,
});
const object = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const tool = (id: string, title: string, name: string, args: JsonObject): JsonObject => ({
  id,
  title,
  type: "tool",
  tool: name,
  with: args,
});
const approval = (id: string, title: string, show: Json): JsonObject => ({
  id,
  title,
  type: "approval",
  approval: { title, show, expiresInMs: 7 * 24 * 3_600_000 },
});

/** The deterministic templates, used when the design sibling is not there to ask. */
export const STUDIO_TEMPLATES: readonly StudioTemplate[] = [
  {
    id: "intake-form",
    title: "Intake form with review",
    description: "A request comes in through a form, a person reviews it, and what was approved is kept.",
    keywords: [
      "intake",
      "form",
      "request",
      "submit",
      "apply",
      "application",
      "ticket",
      "onboarding",
      "survey",
    ],
    sections: [
      { kind: "form", title: "Your request", items: ["title", "details", "contact"] },
      {
        kind: "notice",
        title: "What happens next",
        items: ["A person reviews the request before it is kept."],
      },
      { kind: "actions", title: "Actions", items: ["Submit", "Save draft"] },
    ],
    inputs: object(
      {
        title: { type: "string", title: "Title", minLength: 3, default: "New request" },
        details: {
          type: "string",
          title: "Details",
          format: "multiline",
          default: "What is needed, and why.",
        },
        contact: { type: "string", title: "Contact", format: "email", default: "person@example.com" },
      },
      ["title", "details"],
    ),
    nodes: [
      approval("review", "Review the request", {
        title: ref("inputs.title"),
        details: ref("inputs.details"),
      }),
      tool("keep", "Keep the request", "save_artifact", {
        artifact: { title: ref("inputs.title"), type: "request", details: ref("inputs.details") },
      }),
    ],
    edges: [edge("review", "keep", "approved")],
    outputs: { artifact: ref("steps.keep.outputs.data.artifact") },
  },
  {
    id: "status-board",
    title: "Status board",
    description: "Health, integrations and surface checks on one screen, with a snapshot to share.",
    keywords: ["status", "dashboard", "health", "board", "monitor", "overview", "metrics", "uptime"],
    sections: [
      { kind: "summary", title: "Service", items: ["health", "version", "uptime"] },
      { kind: "table", title: "Integrations", items: ["name", "state", "last seen"] },
      { kind: "actions", title: "Actions", items: ["Refresh", "Share snapshot"] },
    ],
    inputs: object({ title: { type: "string", title: "Title", default: "Status board" } }, ["title"]),
    nodes: [
      tool("health", "Read the health", "get_health", {}),
      tool("integrations", "Read the integrations", "list_integrations", {}),
      tool("snapshot", "Make the snapshot", "create_local_artifact", {
        title: ref("inputs.title"),
        type: "status",
        schema: {
          health: ref("steps.health.outputs.data"),
          integrations: ref("steps.integrations.outputs.data"),
        },
      }),
    ],
    edges: [edge("health", "snapshot"), edge("integrations", "snapshot")],
    outputs: { artifact: ref("steps.snapshot.outputs.data.artifact") },
  },
  {
    id: "report-page",
    title: "Report with sign-off",
    description:
      "A report is written, signed off by a person, exported as Markdown and passed to the docs service.",
    keywords: ["report", "document", "docs", "page", "article", "summary", "publish", "write"],
    sections: [
      { kind: "form", title: "Report", items: ["title", "body"] },
      { kind: "timeline", title: "Sign-off", items: ["written", "reviewed", "published"] },
      { kind: "actions", title: "Actions", items: ["Preview", "Ask for sign-off"] },
    ],
    inputs: object(
      {
        title: { type: "string", title: "Title", minLength: 3, default: "Weekly report" },
        body: {
          type: "string",
          title: "Body",
          format: "multiline",
          default: "What happened, and what follows.",
        },
      },
      ["title", "body"],
    ),
    nodes: [
      tool("draft", "Write the draft", "export_artifact", {
        artifact: { title: ref("inputs.title"), type: "report", description: ref("inputs.body") },
        format: "markdown",
      }),
      approval("signoff", "Sign the report off", { text: ref("steps.draft.outputs.data.text") }),
      tool("publish", "Pass it to the docs service", "create_docs_report", {
        artifact: { title: ref("inputs.title"), type: "report", description: ref("inputs.body") },
      }),
    ],
    edges: [edge("draft", "signoff"), edge("signoff", "publish", "approved")],
    outputs: { markdown: ref("steps.draft.outputs.data.text") },
  },
  {
    id: "schema-workbench",
    title: "Schema workbench",
    description:
      "A JSON Schema becomes a form, an example is checked against it, and both are packed to share.",
    keywords: [
      "schema",
      "json",
      "validate",
      "workbench",
      "editor",
      "contract",
      "api",
      "openapi",
      "playground",
    ],
    sections: [
      { kind: "form", title: "Schema", items: ["schema", "value"] },
      { kind: "summary", title: "Result", items: ["fields", "missing", "notes"] },
      { kind: "actions", title: "Actions", items: ["Render", "Check", "Share"] },
    ],
    inputs: object(
      {
        title: { type: "string", title: "Title", default: "Schema check" },
        schema: {
          type: "object",
          title: "Schema",
          default: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
        },
        value: { type: "object", title: "Value to check", default: { name: "example" } },
      },
      ["title", "schema", "value"],
    ),
    nodes: [
      tool("render", "Render the form", "render_json_schema_form", {
        schema: ref("inputs.schema"),
        title: ref("inputs.title"),
      }),
      tool("check", "Check required fields", "validate_form_input", {
        schema: ref("inputs.schema"),
        value: ref("inputs.value"),
      }),
      tool("share", "Pack it to share", "create_share_packet", {
        artifact: {
          title: ref("inputs.title"),
          type: "schema-check",
          result: ref("steps.check.outputs.data"),
        },
      }),
    ],
    edges: [edge("render", "share"), edge("check", "share")],
    outputs: { packet: ref("steps.share.outputs.data.packet") },
  },
  {
    id: "approval-desk",
    title: "Approval desk",
    description: "What waits for a person, shown with what it is about, decided with a reason.",
    keywords: ["approval", "approve", "review", "decide", "queue", "desk", "gate", "sign"],
    sections: [
      { kind: "table", title: "Waiting", items: ["title", "workflow", "waiting since"] },
      { kind: "summary", title: "What was shown", items: ["details", "digest"] },
      { kind: "actions", title: "Decision", items: ["Approve", "Reject with a reason"] },
    ],
    inputs: object({ subject: { type: "string", title: "What is to be decided", default: "A release" } }, [
      "subject",
    ]),
    nodes: [
      approval("decide", "Decide", { subject: ref("inputs.subject") }),
      tool("record", "Record the decision", "save_artifact", {
        artifact: { title: ref("inputs.subject"), type: "decision", decision: ref("steps.decide.outputs") },
      }),
    ],
    edges: [edge("decide", "record", "approved")],
    outputs: { artifact: ref("steps.record.outputs.data.artifact") },
  },
  {
    id: "handoff-console",
    title: "Handoff console",
    description:
      "An artifact is prepared as a packet for a service of the suite, looked at, and sent only after a person agreed.",
    keywords: [
      "handoff",
      "delegate",
      "send",
      "sibling",
      "packet",
      "transfer",
      "sandbox",
      "evals",
      "integration",
    ],
    sections: [
      { kind: "form", title: "Packet", items: ["target", "title", "action"] },
      { kind: "summary", title: "Preview", items: ["packet id", "status", "trace"] },
      { kind: "actions", title: "Actions", items: ["Preview", "Agree and send"] },
    ],
    inputs: object(
      {
        target: {
          type: "string",
          title: "Target",
          enum: ["sandbox", "evals", "docs", "catalog"],
          default: "sandbox",
        },
        title: { type: "string", title: "Title", default: "Work to hand over" },
      },
      ["target", "title"],
    ),
    nodes: [
      tool("preview", "Prepare the packet", "delegate_artifact", {
        targetService: ref("inputs.target"),
        artifact: { title: ref("inputs.title"), type: "handoff" },
        dryRun: true,
      }),
      approval("agree", "Agree to hand this over", { packet: ref("steps.preview.outputs.data") }),
    ],
    edges: [edge("preview", "agree")],
    outputs: { packet: ref("steps.preview.outputs.data") },
  },
];
