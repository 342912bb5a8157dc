import { Type } from "typebox";
import {
  boundsOfSize,
  findRefusal,
  missingRequired,
  type FormSource,
} from "../../packages/forms/src/index.ts";
import { digestOf } from "../kernel/canonical-json.ts";
import { okWithText } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { toolList, type Tool } from "../ports/operations.ts";
import { findForm, formsStatus, listForms } from "../rendering/rendered-forms.ts";
import { renderAnswer, renderStored } from "../rendering/render.ts";
import { PICTURE } from "./conversions.ts";
import { operationInput, schemaLimit, toolInput, webhookInput } from "./form-inputs.ts";
import { knownTypes, needed } from "./rules.ts";
import { freeObject, inputOf, NEXT_CURSOR, TextOrNull, Time, viewOf } from "../model/common.ts";
import { jsonObject } from "./shapes.ts";

const { defineTool, declared } = toolList();

const FORM_UI = "ui://svc/form";
const CHECK_STEPS = 15_000;

const formDocument = freeObject(
  "Made from a schema of the caller; FormDocument of @workflow-ui/forms is its type.",
  "The form document, svc.form.v1: fields, initial value, examples, validation, fallback and notes.",
);
const renderedForm = Type.Object({
  form: formDocument,
  formId: Type.String({ description: "A digest of the form's input." }),
  fieldCount: Type.Integer({ description: "How many fields are at the top of the form." }),
  renderStatus: Type.String({ description: "rendered, or raw_json when the whole form is one JSON field." }),
  stored: Type.Object(
    {
      status: Type.Enum(["stored", "not_configured", "not_stored", "pending"]),
      detail: Type.String(),
    },
    { description: "Whether the form is kept under its id, and why not." },
  ),
});

defineTool({
  name: "render_mcp_tool_form",
  title: "Render a tool as a form",
  description:
    "Turns the parameters of an MCP tool into a form document: fields with labels, limits and help, an initial value, and examples as JSON, JSON-RPC, curl and suitectl. Knows this service's tools by name and synced tools as server:name. Notes tell which MCP clients would have trouble with the schema. The tool itself is never called.",
  input: inputOf({
    toolName: Type.String({ description: "A name from tools/list, or server:name of a synced tool." }),
  }),
  output: renderedForm,
  access: "public",
  effect: "none",
  ui: FORM_UI,
  run: async ({ toolName }, { context }) => renderAnswer(await toolInput(toolName, context), context),
});

defineTool({
  name: "render_openapi_operation_form",
  title: "Render an API operation as a form",
  description:
    'Turns one operation of an OpenAPI 3.x or Swagger 2.0 description into a form document with a group for each place a value goes to (path, query, headers, cookies, body, security, server), and the request as curl. Reads this service\'s own description, or another service\'s through the guarded fetcher. Name the operation by operationId, or by method and path; without either the answer lists what there is (all of it with `_meta["svc/operations"]` "all"). The operation is never called.',
  examples: [{ operationId: "get_me" }],
  input: inputOf({
    operationId: Type.Optional(Type.String({ description: "The operation's id in the description." })),
    method: Type.Optional(Type.String({ description: "HTTP method, together with path." })),
    path: Type.Optional(Type.String({ description: "Path as in the description, such as /users/{id}." })),
    serviceBaseUrl: Type.Optional(
      Type.String({
        description: "Address of the service, or of its OpenAPI document. This service when left out.",
      }),
    ),
  }),
  output: renderedForm,
  access: "public",
  effect: "none",
  openWorld: true,
  ui: FORM_UI,
  run: async (query, { context }) => renderAnswer(await operationInput(query, context), context),
});

defineTool({
  name: "render_json_schema_form",
  title: "Render a JSON Schema as a form",
  description:
    "Turns a JSON Schema (2020-12, 2019-09, draft-07, draft-06 or draft-04) into a form document: fields, initial value, what is validated, and which parts must be edited as raw JSON and why. Schemas are bounded (64 KiB, 32 levels, 2,000 nodes; more with a key; local references only). Nothing is executed or fetched.",
  input: inputOf({
    schema: jsonObject("The JSON Schema."),
    sourceRef: Type.Optional(Type.String({ description: "What you call the schema; kept with the form." })),
    title: Type.Optional(Type.String({ description: "Title of the form; the schema's own when left out." })),
  }),
  output: renderedForm,
  access: "public",
  effect: "none",
  ui: FORM_UI,
  rules: ({ schema }) => knownTypes(schema),
  run: ({ schema, sourceRef, title }, { context }) => {
    const source: FormSource = { kind: "json_schema", ...(sourceRef !== undefined && { ref: sourceRef }) };
    return renderAnswer({ schema, source, title, trusted: false, limit: schemaLimit(context) }, context);
  },
});

const NO_DELIVERY = {
  claimed: false,
  detail: "Rendering a webhook's payload sends nothing and receives nothing.",
} as const;

defineTool({
  name: "render_webhook_schema_form",
  title: "Render a webhook payload as a form",
  description:
    "Turns the payload of a webhook or event into a form document: from the schema you give, from an event of this service's asyncapi.yaml by name, or from another service's OpenAPI webhooks or AsyncAPI document. Use it to compose or read test payloads. Claims no delivery: nothing is sent or received.",
  examples: [{ eventName: "order.created" }],
  input: inputOf({
    schema: Type.Optional(jsonObject("The payload's JSON Schema. Wins over eventName.")),
    eventName: Type.Optional(
      Type.String({ description: "An event of the description, such as svc.run.succeeded." }),
    ),
    serviceBaseUrl: Type.Optional(
      Type.String({
        description:
          "The service that sends it, or its OpenAPI or AsyncAPI document. This service when left out.",
      }),
    ),
  }),
  output: Type.Object({
    ...renderedForm.properties,
    delivery: Type.Object(
      { claimed: Type.Literal(false), detail: Type.String() },
      { description: "States that nothing was delivered." },
    ),
  }),
  access: "public",
  effect: "none",
  openWorld: true,
  ui: FORM_UI,
  rules: ({ schema, eventName }) => [
    ...knownTypes(schema),
    ...(schema === undefined
      ? needed("eventName", eventName, "the name of an event, or `schema`: the payload's JSON Schema")
      : []),
  ],
  run: async (given, { context }) =>
    renderAnswer(await webhookInput(given, context), context, { delivery: NO_DELIVERY }),
});

/** The tool's parameters with an example, and the picture chosen as a file. What is valid stays the same. */
function withPicture(schema: JsonObject): JsonObject {
  const { properties } = schema;
  if (!isJsonObject(properties) || !isJsonObject(properties["image"])) return schema;
  const image = { ...properties["image"], format: "data-url", examples: [PICTURE] };
  return { ...schema, properties: { ...properties, image } };
}

defineTool({
  name: "render_ascii_conversion_form",
  title: "Render the ASCII conversion form",
  description:
    "The form of execute_ascii_conversion: image, resolution, character set and the two switches, with examples as JSON, JSON-RPC, curl and suitectl. Use it to prepare a conversion by hand. Converts nothing and contacts no other service.",
  input: inputOf({}),
  output: renderedForm,
  access: "public",
  effect: "none",
  ui: FORM_UI,
  run: async (_args, { context }) => {
    const input = await toolInput("execute_ascii_conversion", context);
    const source: FormSource = { ...input.source, kind: "ascii_conversion" };
    return renderAnswer({ ...input, schema: withPicture(input.schema), source }, context);
  },
});

defineTool({
  name: "validate_form_input",
  title: "Check required fields",
  description:
    'Checks required fields only: whether a value has every field that a JSON Schema requires, nested ones and those that conditions, dependencies or alternatives ask for included. Types, formats and limits are not checked; the answer says so with `checked: "required"`. In a workflow the CEL function `fits(value, schema)` checks everything. Answers with the missing fields and their JSON Pointers. Executes no tool and stores nothing.',
  input: inputOf({
    schema: jsonObject("The JSON Schema of the form."),
    value: Type.Optional(jsonObject("The value to check; an empty object when left out.")),
  }),
  output: Type.Object({
    valid: Type.Boolean({ description: "True when no required field is missing; nothing else is checked." }),
    missing: Type.Array(
      Type.Object({
        pointer: Type.String(),
        name: Type.String(),
        label: Type.String(),
        message: Type.String(),
        conditional: Type.Boolean({ description: "Required only because of other values." }),
      }),
    ),
    checked: Type.Literal("required", { description: "What was checked: required fields and nothing else." }),
    requiredFields: Type.Integer({ description: "How many required fields were looked for." }),
    complete: Type.Boolean({ description: "False when the value was too large to look at whole." }),
    scope: Type.String(),
    schemaDigest: Type.String(),
  }),
  access: "public",
  effect: "none",
  rules: ({ schema }) => knownTypes(schema),
  run: ({ schema, value = {} }, { context }) => {
    const refusal = findRefusal(schema, boundsOfSize(schemaLimit(context)));
    if (refusal) {
      throw new AppError("invalid_input", refusal.message, {
        problems: [{ pointer: `/schema${refusal.pointer}`, message: refusal.message }],
        details: { bound: refusal.code },
      });
    }
    const { missing, checked, complete } = missingRequired(schema, value, { steps: CHECK_STEPS });
    return {
      valid: missing.length === 0,
      missing,
      checked: "required" as const,
      requiredFields: checked,
      complete,
      scope: "required_fields_only",
      schemaDigest: digestOf(schema),
    };
  },
});

defineTool({
  name: "list_rendered_forms",
  title: "List rendered forms",
  description:
    "The forms that were rendered and kept, newest first, with how often each was asked for. Without a key only forms of this service's own tools, operations and events are listed; forms of schemas that callers sent are counted. Says so when no storage is configured.",
  input: inputOf({}),
  output: Type.Object({
    forms: Type.Array(
      viewOf("RenderedForm", "A form that was rendered and kept.", {
        id: Type.String(),
        title: Type.String(),
        kind: Type.String(),
        ref: TextOrNull,
        server: TextOrNull,
        createdAt: Time,
        lastRenderedAt: Time,
        renderCount: Type.Integer(),
      }),
    ),
    hidden: Type.Integer({ description: "Forms on this page that need a key to be seen." }),
    nextCursor: NEXT_CURSOR,
    persistence: Type.Object(
      { configured: Type.Boolean(), kind: Type.String(), detail: Type.String() },
      { description: "What is kept, and where." },
    ),
  }),
  access: "public",
  effect: "none",
  run: async (_args, { context }) => ({
    ...(await listForms(context)),
    persistence: formsStatus(context.services),
  }),
});

defineTool({
  name: "get_rendered_form",
  title: "Get a rendered form",
  description:
    "One kept form by its id, rendered again from the stored schema, with when it was first and last asked for. The id is a digest of the form's input. Answers not_found when the form was never kept or no storage is configured.",
  input: inputOf({ id: Type.String({ description: "The formId of a rendered form." }) }),
  output: Type.Object({
    form: formDocument,
    createdAt: Type.String(),
    lastRenderedAt: Type.String(),
    renderCount: Type.Integer(),
  }),
  access: "public",
  effect: "none",
  ui: FORM_UI,
  run: async ({ id }, { context }) => {
    const record = await findForm(id, context);
    const { createdAt, lastRenderedAt, renderCount } = record;
    const form = await renderStored(record, context.services);
    return okWithText("form", form.json, { createdAt, lastRenderedAt, renderCount });
  },
});

/** The tools of this domain. */
export const formsTools: readonly Tool[] = declared;
