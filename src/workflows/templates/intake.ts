import { EXAMPLE } from "../examples.ts";
import { defineTemplate } from "./template.ts";

// Long on purpose: whole workflows as data. Forms and webhooks that come in, are checked, and go past a person.

export const formIntake = defineTemplate({
  id: "form-intake-approval",
  name: "Form intake with approval",
  description:
    "Checks the values of a form against its schema, shows it to a person for approval, and keeps the approved submission as an artifact. What is incomplete or rejected ends with the reason and stores nothing.",
  tags: ["forms", "approval", "artifacts"],
  needs: [],
  exampleInputs: {
    title: "Access request",
    schema: {
      type: "object",
      properties: { name: { type: "string" }, reason: { type: "string" } },
      required: ["name", "reason"],
    },
    values: { name: "Ada", reason: "Reviewing the release" },
  },
  document: {
    inputs: {
      type: "object",
      properties: {
        title: { type: "string", minLength: 1, maxLength: 200, description: "What the form is about." },
        schema: { type: "object", description: "JSON Schema of the form." },
        values: { type: "object", description: "What was filled in." },
      },
      required: ["title", "schema", "values"],
      additionalProperties: false,
    },
    nodes: [
      {
        id: "check",
        type: "tool",
        title: "Check required fields",
        tool: "validate_form_input",
        with: { schema: { $ref: "inputs.schema" }, value: { $ref: "inputs.values" } },
      },
      {
        id: "complete",
        type: "switch",
        title: "Complete?",
        cases: [{ name: "yes", when: "steps.check.outputs.data.valid" }],
      },
      {
        id: "review",
        type: "approval",
        title: "Review the submission",
        approval: {
          title: { $expr: '"Accept: " + inputs.title' },
          show: { title: { $ref: "inputs.title" }, values: { $ref: "inputs.values" } },
          form: {
            type: "object",
            properties: {
              note: { type: "string", maxLength: 1000, description: "A note kept with the submission." },
            },
          },
          expiresInMs: 604_800_000,
          reminderMs: 86_400_000,
        },
      },
      {
        id: "keep",
        type: "tool",
        title: "Save the submission",
        tool: "save_artifact",
        with: {
          artifact: {
            title: { $ref: "inputs.title" },
            type: "form-submission",
            privacy: "internal",
            values: { $ref: "inputs.values" },
            review: { $ref: "steps.review.outputs.values", default: null },
          },
        },
        idempotencyKey: { $expr: '"intake:" + run.id' },
        retry: { maxAttempts: 3, backoffMs: 1000 },
      },
      {
        id: "incomplete",
        type: "transform",
        title: "Name what is missing",
        value: { missing: { $ref: "steps.check.outputs.data.missing" } },
      },
      {
        id: "refused",
        type: "transform",
        title: "Say why",
        value: { reason: { $ref: "steps.review.outputs.reason" } },
      },
    ],
    edges: [
      { from: "check", to: "complete" },
      { from: "complete", to: "review", port: "case:yes" },
      { from: "complete", to: "incomplete", port: "default" },
      { from: "review", to: "keep", port: "approved" },
      { from: "review", to: "refused", port: "rejected" },
      { from: "review", to: "refused", port: "expired" },
    ],
    outputs: {
      artifact: { $ref: "steps.keep.outputs.data.artifact", default: null },
      missing: { $ref: "steps.incomplete.outputs.missing", default: [] },
      refusedBecause: { $ref: "steps.refused.outputs.reason", default: null },
    },
    policy: { timeoutMs: 2_592_000_000 },
  },
});

export const publicRequest = defineTemplate({
  id: "public-request-approval",
  name: "Public request form with approval",
  description:
    "A page that anybody with the link can fill in. A person reads the request and accepts or declines it; who sent it sees the answer on the page. What was accepted is kept as an artifact.",
  tags: ["forms", "public", "approval", "artifacts"],
  needs: [],
  exampleInputs: { name: "Ada", email: "ada@example.com", request: "A tour of the archive for six people." },
  triggers: [
    {
      kind: "form",
      name: "Request page",
      slug: "request",
      title: "Ask us for something",
      text: "A person reads every request. Keep the link that you get to see the answer.",
      thanks: "Thank you. A person reads it soon.",
      showOutputs: true,
    },
  ],
  document: {
    inputs: {
      type: "object",
      properties: {
        name: { type: "string", title: "Your name", minLength: 1, maxLength: 100 },
        email: { type: "string", title: "E-mail address", format: "email", maxLength: 200 },
        request: { type: "string", title: "What do you need?", minLength: 1, maxLength: 2000 },
      },
      required: ["name", "email", "request"],
      additionalProperties: false,
    },
    nodes: [
      {
        id: "decide",
        type: "approval",
        title: "Accept the request?",
        approval: {
          title: { $expr: '"Request of " + inputs.name' },
          show: {
            name: { $ref: "inputs.name" },
            email: { $ref: "inputs.email" },
            request: { $ref: "inputs.request" },
          },
          expiresInMs: 604_800_000,
        },
      },
      {
        id: "keep",
        type: "tool",
        title: "Keep the request",
        tool: "save_artifact",
        with: {
          artifact: {
            title: { $expr: '"Request of " + inputs.name' },
            type: "request",
            privacy: "confidential",
            email: { $ref: "inputs.email" },
            request: { $ref: "inputs.request" },
          },
        },
        idempotencyKey: { $expr: '"request:" + run.id' },
      },
      {
        id: "accepted",
        type: "transform",
        title: "Accepted",
        value: { answer: "Your request is accepted." },
      },
      {
        id: "declined",
        type: "transform",
        title: "Declined",
        value: { answer: "Your request is declined." },
      },
    ],
    edges: [
      { from: "decide", to: "keep", port: "approved" },
      { from: "keep", to: "accepted" },
      { from: "decide", to: "declined", port: "rejected" },
      { from: "decide", to: "declined", port: "expired" },
    ],
    outputs: {
      answer: { $ref: "steps.accepted.outputs.answer", default: "Your request is declined." },
    },
    policy: { timeoutMs: 2_592_000_000 },
  },
});

export const webhookTriage = defineTemplate({
  id: "webhook-triage",
  name: "Webhook triage",
  description:
    "Takes a webhook payload, checks it against its schema, sorts it by severity, and lets a person decide on critical ones before a report goes to Docs. Everything else is kept as a snapshot; malformed payloads are set aside with what is missing.",
  tags: ["webhooks", "triage", "approval", "docs"],
  needs: ["docs"],
  exampleInputs: {
    eventName: "incident.opened",
    schema: {
      type: "object",
      properties: { id: { type: "string" }, severity: { type: "string" } },
      required: ["id", "severity"],
    },
    payload: { id: "inc-7", severity: "critical" },
  },
  triggers: [
    {
      kind: "webhook",
      name: "Incidents",
      verifier: "token",
      inputs: {
        eventName: "incident.opened",
        schema: {
          type: "object",
          properties: { id: { type: "string" }, severity: { type: "string" } },
          required: ["id", "severity"],
        },
      },
    },
  ],
  document: {
    inputs: {
      type: "object",
      properties: {
        eventName: { type: "string", minLength: 1 },
        schema: { type: "object", description: "JSON Schema of the payload." },
        payload: { type: "object", additionalProperties: true },
      },
      required: ["eventName", "schema", "payload"],
      additionalProperties: false,
    },
    nodes: [
      {
        id: "check",
        type: "tool",
        title: "Look for missing fields",
        tool: "validate_form_input",
        with: { schema: { $ref: "inputs.schema" }, value: { $ref: "inputs.payload" } },
      },
      {
        id: "sort",
        type: "switch",
        title: "How bad is it?",
        cases: [
          // validate_form_input looks for required fields only; `fits` checks everything the schema says.
          { name: "malformed", when: "!fits(inputs.payload, inputs.schema)" },
          {
            name: "critical",
            when: 'has(inputs.payload.severity) && inputs.payload.severity in ["critical", "high"]',
          },
        ],
      },
      {
        id: "decide",
        type: "approval",
        title: "Act on a critical event",
        approval: {
          title: { $expr: '"Report " + inputs.eventName + "?"' },
          show: { event: { $ref: "inputs.eventName" }, payload: { $ref: "inputs.payload" } },
          expiresInMs: 14_400_000,
          reminderMs: 1_800_000,
          escalateMs: 7_200_000,
        },
      },
      {
        id: "report",
        type: "tool",
        title: "Write a report",
        tool: "create_docs_report",
        with: {
          artifact: {
            title: { $expr: '"Incident: " + inputs.eventName' },
            type: "incident",
            payload: { $ref: "inputs.payload" },
            decidedBy: { $ref: "steps.decide.outputs.decidedBy" },
          },
        },
        idempotencyKey: { $expr: '"incident:" + run.id' },
        retry: { maxAttempts: 4, backoffMs: 2000, factor: 2, maxBackoffMs: 60000 },
      },
      {
        id: "note",
        type: "tool",
        title: "Note an ordinary event",
        tool: "create_local_artifact",
        with: {
          title: { $ref: "inputs.eventName" },
          type: "webhook-event",
          description: { $expr: 'string(size(inputs.payload)) + " fields"' },
        },
      },
      {
        id: "aside",
        type: "transform",
        title: "Set a malformed payload aside",
        value: {
          event: { $ref: "inputs.eventName" },
          missing: { $ref: "steps.check.outputs.data.missing" },
          payload: { $ref: "inputs.payload" },
        },
      },
    ],
    edges: [
      { from: "check", to: "sort" },
      { from: "sort", to: "aside", port: "case:malformed" },
      { from: "sort", to: "decide", port: "case:critical" },
      { from: "sort", to: "note", port: "default" },
      { from: "decide", to: "report", port: "approved" },
      { from: "decide", to: "note", port: "rejected" },
      { from: "decide", to: "note", port: "expired" },
    ],
    outputs: {
      report: { $ref: "steps.report.outputs.data.resultRef", default: null },
      note: { $ref: "steps.note.outputs.data.artifact", default: null },
      malformed: { $ref: "steps.aside.outputs", default: null },
    },
  },
});

export const openapiOperation = defineTemplate({
  id: "openapi-operation-approval",
  name: "OpenAPI operation with retry and approval",
  description:
    "Reads an operation of an OpenAPI service (tried again when the service does not answer), lets a person fill in its values and approve, and has the sandbox make a dry run of the approved request: a script that builds it, without network. The confirmed request is kept as a snapshot for the person who sends it; nothing runs there that was not approved.",
  tags: ["openapi", "approval", "sandbox", "retry"],
  needs: ["sandbox"],
  exampleInputs: { serviceBaseUrl: EXAMPLE.service, operationId: EXAMPLE.operation },
  document: {
    inputs: {
      type: "object",
      properties: {
        serviceBaseUrl: {
          type: "string",
          format: "uri",
          description: "Where the service and its openapi document are.",
        },
        operationId: { type: "string", minLength: 1 },
      },
      required: ["serviceBaseUrl", "operationId"],
      additionalProperties: false,
    },
    nodes: [
      {
        id: "form",
        type: "tool",
        title: "Render the operation",
        tool: "render_openapi_operation_form",
        with: {
          serviceBaseUrl: { $ref: "inputs.serviceBaseUrl" },
          operationId: { $ref: "inputs.operationId" },
        },
        retry: { maxAttempts: 4, backoffMs: 1000, factor: 3, maxBackoffMs: 30000, jitter: 0.3 },
        timeoutMs: 15000,
      },
      {
        id: "fill",
        type: "approval",
        title: "Fill in and approve",
        approval: {
          title: { $expr: '"Call " + inputs.operationId + "?"' },
          show: {
            service: { $ref: "inputs.serviceBaseUrl" },
            operation: { $ref: "inputs.operationId" },
            form: { $ref: "steps.form.outputs.data.form" },
          },
          form: {
            type: "object",
            properties: {
              values: { type: "object", description: "Values of the operation's parameters and body." },
            },
            required: ["values"],
          },
          expiresInMs: 259_200_000,
        },
      },
      {
        id: "execute",
        type: "handoff",
        title: "Dry run in the sandbox",
        handoff: {
          target: "sandbox",
          capability: "execute",
          intent: { $expr: '"Dry run of " + inputs.operationId' },
          payload: {
            script:
              "(() => ({ service: inputs.serviceBaseUrl, operation: inputs.operationId, values: inputs.values }))()",
            inputs: {
              serviceBaseUrl: { $ref: "inputs.serviceBaseUrl" },
              operationId: { $ref: "inputs.operationId" },
              values: { $ref: "steps.fill.outputs.values.values" },
            },
          },
        },
        retry: { maxAttempts: 3, backoffMs: 2000 },
        timeoutMs: 60000,
      },
      {
        id: "keep",
        type: "tool",
        title: "Keep the request",
        tool: "create_local_artifact",
        with: {
          title: { $expr: '"Request of " + inputs.operationId' },
          type: "operation-request",
          sourceService: "sandbox",
          sourceRef: { $expr: "string(steps.execute.outputs.data.resultRef)", default: "unconfirmed" },
        },
      },
      {
        id: "failed",
        type: "transform",
        title: "Say what went wrong",
        value: { error: { $ref: "steps.execute.error" } },
      },
    ],
    edges: [
      { from: "form", to: "fill" },
      { from: "fill", to: "execute", port: "approved" },
      { from: "execute", to: "keep" },
      { from: "execute", to: "failed", port: "error" },
    ],
    outputs: {
      artifact: { $ref: "steps.keep.outputs.data.artifact", default: null },
      resultRef: { $ref: "steps.execute.outputs.data.resultRef", default: null },
      error: { $ref: "steps.failed.outputs.error", default: null },
    },
  },
});
