import {
  compileForm,
  formIdentity,
  PUBLIC_BOUNDS,
  renderExamples,
  sampleValue,
  TRUSTED_BOUNDS,
  type Bounds,
  type FormDocument,
  type FormSource,
  type Note,
} from "../forms/index.ts";
import { digestOf } from "../kernel/canonical-json.ts";
import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";

/** What to render. */
export interface RenderInput {
  readonly schema: JsonObject;
  readonly source: FormSource;
  readonly title?: string | undefined;
  /** A document we or an operator chose, rather than one that a caller or another server sent. */
  readonly trusted: boolean;
}

/** Renders a form with examples made from one valid value; `gateway` is where they are sent. Throws `invalid_input` when the schema is out of bounds. */
export function renderForm(input: RenderInput, gateway: string): FormDocument {
  const title = input.title ?? titleOf(input.schema) ?? "Form";
  const formId = `form_${digestOf(formIdentity(input.schema, input.source, title)).slice("sha256:".length, "sha256:".length + 32)}`;
  const compiled = compileForm(input.schema, {
    formId,
    title,
    source: input.source,
    bounds: boundsOf(input),
    portability: input.source.kind === "mcp_tool" || input.source.kind === "json_schema",
  });
  if (!compiled.form) {
    const { code, pointer, message } = compiled.refusal;
    throw new AppError("invalid_input", message, {
      problems: [{ pointer: `/schema${pointer}`, message }],
      nextAction: "Send a smaller or simpler schema, with every definition inside it.",
      details: { bound: code },
    });
  }
  const form = placed(compiled.form);
  const value = sampleValue(form);
  if (value === undefined) return { ...form, notes: [...form.notes, NO_EXAMPLE] };
  return {
    ...form,
    exampleValue: value,
    examples: renderExamples(form, value, gateway),
  };
}

/** A synced tool is pinned, so references that lead out of it are raw parts rather than a refusal; all else holds. */
function boundsOf({ source, trusted }: RenderInput): Bounds {
  if (trusted) return TRUSTED_BOUNDS;
  return source.server === undefined ? PUBLIC_BOUNDS : { ...PUBLIC_BOUNDS, localOnly: false };
}

const LOCATIONS = ["server", "path", "query", "header", "cookie", "body", "security"] as const;

/** The groups of an operation say where their values go. */
function placed(form: FormDocument): FormDocument {
  if (form.source.kind !== "openapi_operation") return form;
  const fields = form.fields.map((field) => {
    const location = LOCATIONS.find((name) => name === field.name);
    return location === undefined ? field : { ...field, location };
  });
  return { ...form, fields };
}

const NO_EXAMPLE: Note = {
  code: "no_example",
  severity: "info",
  schemaPath: "",
  message: "No example is shown: none could be made that is certainly valid against the schema.",
};

function titleOf(schema: JsonObject): string | undefined {
  return typeof schema["title"] === "string" && schema["title"] !== "" ? schema["title"] : undefined;
}
