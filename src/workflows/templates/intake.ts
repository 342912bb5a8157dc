import { EXAMPLE } from "../examples.ts";
import { approval, choose, expr, graph, handoff, object, ref, tool, transform } from "./build.ts";
import { defineTemplate } from "./template.ts";

// Forms and webhooks that come in, are checked, and go past a person.

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
    inputs: object({
      title: { type: "string", minLength: 1, maxLength: 200, description: "What the form is about." },
      schema: { type: "object", description: "JSON Schema of the form." },
      values: { type: "object", description: "What was filled in." },
    }),
    ...graph(
      {
        check: tool("Check required fields", "validate_form_input", {
          schema: ref("inputs.schema"),
          value: ref("inputs.values"),
        }),
        complete: choose("Complete?", { yes: "steps.check.outputs.data.valid" }),
        review: approval("Review the submission", {
          title: expr('"Accept: " + inputs.title'),
          show: { title: ref("inputs.title"), values: ref("inputs.values") },
          form: {
            type: "object",
            properties: {
              note: { type: "string", maxLength: 1000, description: "A note kept with the submission." },
            },
          },
          expiresInMs: 604_800_000,
          reminderMs: 86_400_000,
        }),
        keep: tool(
          "Save the submission",
          "save_artifact",
          {
            artifact: {
              title: ref("inputs.title"),
              type: "form-submission",
              privacy: "internal",
              values: ref("inputs.values"),
              review: ref("steps.review.outputs.values", null),
            },
          },
          { idempotencyKey: expr('"intake:" + run.id'), retry: { maxAttempts: 3, backoffMs: 1000 } },
        ),
        incomplete: transform("Name what is missing", { missing: ref("steps.check.outputs.data.missing") }),
        refused: transform("Say why", { reason: ref("steps.review.outputs.reason") }),
      },
      "check > complete:case:yes > review",
      "complete:default > incomplete",
      "review:approved > keep",
      "review:rejected > refused",
      "review:expired > refused",
    ),
    outputs: {
      artifact: ref("steps.keep.outputs.data.artifact", null),
      missing: ref("steps.incomplete.outputs.missing", []),
      refusedBecause: ref("steps.refused.outputs.reason", null),
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
    inputs: object({
      name: { type: "string", title: "Your name", minLength: 1, maxLength: 100 },
      email: { type: "string", title: "E-mail address", format: "email", maxLength: 200 },
      request: { type: "string", title: "What do you need?", minLength: 1, maxLength: 2000 },
    }),
    ...graph(
      {
        decide: approval("Accept the request?", {
          title: expr('"Request of " + inputs.name'),
          show: { name: ref("inputs.name"), email: ref("inputs.email"), request: ref("inputs.request") },
          expiresInMs: 604_800_000,
        }),
        keep: tool(
          "Keep the request",
          "save_artifact",
          {
            artifact: {
              title: expr('"Request of " + inputs.name'),
              type: "request",
              privacy: "confidential",
              email: ref("inputs.email"),
              request: ref("inputs.request"),
            },
          },
          { idempotencyKey: expr('"request:" + run.id') },
        ),
        accepted: transform("Accepted", { answer: "Your request is accepted." }),
        declined: transform("Declined", { answer: "Your request is declined." }),
      },
      "decide:approved > keep > accepted",
      "decide:rejected > declined",
      "decide:expired > declined",
    ),
    outputs: { answer: ref("steps.accepted.outputs.answer", "Your request is declined.") },
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
    inputs: object({
      eventName: { type: "string", minLength: 1 },
      schema: { type: "object", description: "JSON Schema of the payload." },
      payload: { type: "object", additionalProperties: true },
    }),
    ...graph(
      {
        check: tool("Look for missing fields", "validate_form_input", {
          schema: ref("inputs.schema"),
          value: ref("inputs.payload"),
        }),
        sort: choose("How bad is it?", {
          // validate_form_input looks for required fields only; `fits` checks everything the schema says.
          malformed: "!fits(inputs.payload, inputs.schema)",
          critical: 'has(inputs.payload.severity) && inputs.payload.severity in ["critical", "high"]',
        }),
        decide: approval("Act on a critical event", {
          title: expr('"Report " + inputs.eventName + "?"'),
          show: { event: ref("inputs.eventName"), payload: ref("inputs.payload") },
          expiresInMs: 14_400_000,
          reminderMs: 1_800_000,
          escalateMs: 7_200_000,
        }),
        report: tool(
          "Write a report",
          "create_docs_report",
          {
            artifact: {
              title: expr('"Incident: " + inputs.eventName'),
              type: "incident",
              payload: ref("inputs.payload"),
              decidedBy: ref("steps.decide.outputs.decidedBy"),
            },
          },
          {
            idempotencyKey: expr('"incident:" + run.id'),
            retry: { maxAttempts: 4, backoffMs: 2000, factor: 2, maxBackoffMs: 60_000 },
          },
        ),
        note: tool("Note an ordinary event", "create_local_artifact", {
          title: ref("inputs.eventName"),
          type: "webhook-event",
          description: expr('string(size(inputs.payload)) + " fields"'),
        }),
        aside: transform("Set a malformed payload aside", {
          event: ref("inputs.eventName"),
          missing: ref("steps.check.outputs.data.missing"),
          payload: ref("inputs.payload"),
        }),
      },
      "check > sort:case:malformed > aside",
      "sort:case:critical > decide",
      "sort:default > note",
      "decide:approved > report",
      "decide:rejected > note",
      "decide:expired > note",
    ),
    outputs: {
      report: ref("steps.report.outputs.data.resultRef", null),
      note: ref("steps.note.outputs.data.artifact", null),
      malformed: ref("steps.aside.outputs", null),
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
    inputs: object({
      serviceBaseUrl: {
        type: "string",
        format: "uri",
        description: "Where the service and its openapi document are.",
      },
      operationId: { type: "string", minLength: 1 },
    }),
    ...graph(
      {
        form: tool(
          "Render the operation",
          "render_openapi_operation_form",
          { serviceBaseUrl: ref("inputs.serviceBaseUrl"), operationId: ref("inputs.operationId") },
          {
            retry: { maxAttempts: 4, backoffMs: 1000, factor: 3, maxBackoffMs: 30_000, jitter: 0.3 },
            timeoutMs: 15_000,
          },
        ),
        fill: approval("Fill in and approve", {
          title: expr('"Call " + inputs.operationId + "?"'),
          show: {
            service: ref("inputs.serviceBaseUrl"),
            operation: ref("inputs.operationId"),
            form: ref("steps.form.outputs.data.form"),
          },
          form: {
            type: "object",
            properties: {
              values: { type: "object", description: "Values of the operation's parameters and body." },
            },
            required: ["values"],
          },
          expiresInMs: 259_200_000,
        }),
        execute: handoff(
          "Dry run in the sandbox",
          {
            target: "sandbox",
            capability: "execute",
            intent: expr('"Dry run of " + inputs.operationId'),
            payload: {
              script:
                "(() => ({ service: inputs.serviceBaseUrl, operation: inputs.operationId, values: inputs.values }))()",
              inputs: {
                serviceBaseUrl: ref("inputs.serviceBaseUrl"),
                operationId: ref("inputs.operationId"),
                values: ref("steps.fill.outputs.values.values"),
              },
            },
          },
          { retry: { maxAttempts: 3, backoffMs: 2000 }, timeoutMs: 60_000 },
        ),
        keep: tool("Keep the request", "create_local_artifact", {
          title: expr('"Request of " + inputs.operationId'),
          type: "operation-request",
          sourceService: "sandbox",
          sourceRef: expr("string(steps.execute.outputs.data.resultRef)", "unconfirmed"),
        }),
        failed: transform("Say what went wrong", { error: ref("steps.execute.error") }),
      },
      "form > fill:approved > execute > keep",
      "execute:error > failed",
    ),
    outputs: {
      artifact: ref("steps.keep.outputs.data.artifact", null),
      resultRef: ref("steps.execute.outputs.data.resultRef", null),
      error: ref("steps.failed.outputs.error", null),
    },
  },
});
