import { Type } from "typebox";
import { withCompanions } from "../../packages/forms/src/index.ts";
import { withHints } from "../../packages/forms/src/hints.ts";
import { freeObject, inputOf } from "../model/common.ts";
import { operationsWith } from "../ports/operations.ts";
import { sizeFor } from "../ports/settings.ts";
import { renderAnswer } from "./render.ts";

const { operation, declared } = operationsWith<unknown>();

operation({
  name: "render_form",
  title: "Render a form",
  description:
    "Renders a JSON Schema as a form, with documents that it refers to (companions, by address) and how it should look (hints).",
  http: "POST /api/svc/forms",
  access: "mixed",
  effect: "write",
  idempotent: true,
  input: inputOf({
    schema: freeObject("A JSON Schema of the caller.", "The JSON Schema to render."),
    title: Type.Optional(Type.String({ description: "The title of the form; the schema's when left out." })),
    sourceRef: Type.Optional(Type.String({ description: "Where the schema comes from, for the record." })),
    hints: Type.Optional(
      freeObject(
        "Hints name the fields of the schema.",
        "How it should look: hints by JSON Pointer, a uiSchema or a UI schema.",
      ),
    ),
    companions: Type.Optional(
      Type.Record(Type.String(), freeObject("A JSON Schema of the caller."), {
        description: "Schemas that the schema refers to, by their addresses.",
      }),
    ),
  }),
  output: Type.Object({
    form: freeObject("A form document, whose fields follow from the schema."),
    formId: Type.String(),
    fieldCount: Type.Integer(),
    renderStatus: Type.Enum(["rendered", "raw_json"]),
    stored: Type.Object({
      status: Type.Enum(["stored", "not_configured", "not_stored", "pending"]),
      detail: Type.String(),
    }),
  }),
  examples: [{ schema: { type: "object", properties: { name: { type: "string" } } } }],
  async run({ schema, title, sourceRef, hints, companions = {} }, { context }) {
    // Everything that was sent along goes inside, so that the bounds are those of the whole.
    const whole = Object.keys(companions).length === 0 ? schema : withCompanions(schema, companions);
    return renderAnswer(
      {
        schema: hints === undefined ? whole : withHints(whole, hints),
        source: { kind: "json_schema", ...(sourceRef !== undefined && { ref: sourceRef }) },
        title,
        trusted: false,
        limit: sizeFor(context.caller, context.services.settings.schemaBytes),
      },
      context,
    );
  },
});

/** What there is about forms beside the tools: a schema that comes in several documents. */
export const formOperations = declared;
