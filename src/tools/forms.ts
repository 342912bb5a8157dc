import { Type } from "typebox";
import { defineTool, type Tool } from "../ports/definitions.ts";
import { anyData, jsonObject, params, unavailable } from "./shapes.ts";

export const renderMcpToolForm = defineTool({
  name: "render_mcp_tool_form",
  title: "Render mcp tool form",
  description:
    "form fields, examples, raw JSON fallback state (description to be written by the owner of this domain)",
  params: params({ toolName: Type.String() }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("render_mcp_tool_form"),
});

export const renderOpenapiOperationForm = defineTool({
  name: "render_openapi_operation_form",
  title: "Render openapi operation form",
  description: "form fields and request examples (description to be written by the owner of this domain)",
  params: params({
    operationId: Type.Optional(Type.String()),
    method: Type.Optional(Type.String()),
    path: Type.Optional(Type.String()),
    serviceBaseUrl: Type.Optional(Type.String()),
  }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("render_openapi_operation_form"),
});

export const renderJsonSchemaForm = defineTool({
  name: "render_json_schema_form",
  title: "Render json schema form",
  description:
    "form fields, validation preview, raw JSON fallback (description to be written by the owner of this domain)",
  params: params({
    schema: jsonObject(),
    sourceRef: Type.Optional(Type.String()),
    title: Type.Optional(Type.String()),
  }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("render_json_schema_form"),
});

export const renderWebhookSchemaForm = defineTool({
  name: "render_webhook_schema_form",
  title: "Render webhook schema form",
  description:
    "form fields; claims no webhook delivery (description to be written by the owner of this domain)",
  params: params({
    schema: Type.Optional(jsonObject()),
    eventName: Type.Optional(Type.String()),
    serviceBaseUrl: Type.Optional(Type.String()),
  }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("render_webhook_schema_form"),
});

export const renderAsciiConversionForm = defineTool({
  name: "render_ascii_conversion_form",
  title: "Render ascii conversion form",
  description: "render ascii conversion form (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("render_ascii_conversion_form"),
});

export const validateFormInput = defineTool({
  name: "validate_form_input",
  title: "Validate form input",
  description:
    "checks required fields only; executes no tool (description to be written by the owner of this domain)",
  params: params({ schema: jsonObject(), value: Type.Optional(jsonObject()) }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("validate_form_input"),
});

export const listRenderedForms = defineTool({
  name: "list_rendered_forms",
  title: "List rendered forms",
  description: "list rendered forms (description to be written by the owner of this domain)",
  params: params({}),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("list_rendered_forms"),
});

export const getRenderedForm = defineTool({
  name: "get_rendered_form",
  title: "Get rendered form",
  description:
    "one rendered form when durable storage exists (description to be written by the owner of this domain)",
  params: params({ id: Type.String() }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("get_rendered_form"),
});

/** The tools of this domain. */
export const formsTools: readonly Tool[] = [
  renderMcpToolForm,
  renderOpenapiOperationForm,
  renderJsonSchemaForm,
  renderWebhookSchemaForm,
  renderAsciiConversionForm,
  validateFormInput,
  listRenderedForms,
  getRenderedForm,
];
