import {
  boundsOfSize,
  compileForm,
  formIdentity,
  portabilityNotes,
  TRUSTED_BOUNDS,
  type Bounds,
  type FormDocument,
  type FormSource,
  type Json,
  type Note,
} from "../../packages/forms/src/index.ts";
import { renderExamples } from "./examples.ts";
import { sampleOf } from "../../packages/forms/src/values/sample.ts";
import { sampleValue } from "../../packages/forms/src/sample.ts";
import { uiHints } from "../../packages/forms/src/hints.ts";
import { digestOf } from "../kernel/canonical-json.ts";
import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";

/** What to render. */
export interface RenderInput {
  readonly schema: JsonObject;
  readonly source: FormSource;
  readonly title?: string | undefined;
  /** The id that the form was kept under; a digest of the input when left out. */
  readonly formId?: string | undefined;
  /** A document we or an operator chose, rather than one that a caller or another server sent. */
  readonly trusted: boolean;
  /** Characters that a schema of a caller may have. */
  readonly limit: number;
}

/** A form as it goes out: its JSON, and what an answer and a record say of it. */
export interface WrittenForm {
  readonly formId: string;
  readonly title: string;
  readonly fieldCount: number;
  /** The whole form is one JSON field. */
  readonly isRaw: boolean;
  /** The digest of what is kept of it, when it was computed already. */
  readonly digest?: string;
  readonly json: string;
}

declare module "../ports/platform.ts" {
  interface WorkerTasks {
    render_form: {
      readonly input: RenderInput & { readonly gateway: string };
      readonly output: Texts<Omit<WrittenForm, "json">>;
    };
  }
}

/** Writes a form. */
export function written(form: FormDocument): WrittenForm {
  const { formId, title, fields, fallback } = form;
  return { formId, title, fieldCount: fields.length, isRaw: fallback.whole, json: JSON.stringify(form) };
}

/** What is kept of a form: the same form is rendered from it again. */
export function keptOf({ schema }: RenderInput, title: string): JsonObject {
  return { schema, title };
}

/** The digest of what is kept. */
export function keptDigest(input: RenderInput, title: string): string {
  return digestOf(keptOf(input, title));
}

/** What may be rendered between two requests; more than that takes a worker thread. */
const QUICK = { steps: 400, fields: 150, characters: 60_000, sampleSteps: 2_000 } as const;

/** The form when it is small enough to be rendered at once, whatever its schema's size; null when it is not. */
export function renderQuickly(input: RenderInput, gateway: string): FormDocument | null {
  const bounds = boundsOf(input);
  const { steps, fields, characters, sampleSteps } = QUICK;
  const quick: Bounds = {
    ...bounds,
    steps: Math.min(bounds.steps, steps),
    fields: Math.min(bounds.fields, fields),
    characters: Math.min(bounds.characters, characters),
  };
  const { form, isCut } = compiled(input, quick);
  if (isCut) return null;
  const sample = sampleOf(form, sampleSteps);
  return sample.isComplete ? withExamples(form, sample.value, gateway) : null;
}

/** Renders a form with examples made from one valid value; `gateway` is where they are sent. Throws `invalid_input` when the schema is out of bounds. */
export function renderForm(input: RenderInput, gateway: string): FormDocument {
  const { form } = compiled(input, boundsOf(input));
  return withExamples(form, sampleValue(form), gateway);
}

function compiled(
  input: RenderInput,
  bounds: Bounds,
): { readonly form: FormDocument; readonly isCut: boolean } {
  const title = input.title ?? titleOf(input.schema) ?? "Form";
  const formId = input.formId ?? idOf(input, title);
  const result = compileForm(input.schema, {
    formId,
    title,
    source: input.source,
    bounds,
    hints: uiHints,
    ...(["mcp_tool", "json_schema"].includes(input.source.kind) && { notes: portabilityNotes }),
  });
  if (!result.form) {
    const { code, pointer, message } = result.refusal;
    throw new AppError("invalid_input", message, {
      problems: [{ pointer: `/schema${pointer}`, message }],
      nextAction:
        code === "too_large" || code === "too_many_nodes"
          ? "Send a smaller schema. Callers with a key may send larger ones (SVC_SCHEMA_LIMIT_KB)."
          : "Send a simpler schema, with every definition inside it.",
      details: { bound: code },
    });
  }
  return { form: placed(result.form), isCut: result.isCut };
}

function idOf({ schema, source }: RenderInput, title: string): string {
  const at = "sha256:".length;
  return `form_${digestOf(formIdentity(schema, source, title)).slice(at, at + 32)}`;
}

function withExamples(form: FormDocument, value: Json | undefined, gateway: string): FormDocument {
  if (value === undefined) return { ...form, notes: [...form.notes, NO_EXAMPLE] };
  return {
    ...form,
    exampleValue: value,
    examples: renderExamples(form, value, gateway),
  };
}

/** A synced tool is pinned, so references that lead out of it are raw parts rather than a refusal; all else holds. */
function boundsOf({ source, trusted, limit }: RenderInput): Bounds {
  if (trusted) return TRUSTED_BOUNDS;
  const bounds = boundsOfSize(limit);
  return source.server === undefined ? bounds : { ...bounds, localOnly: false };
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
