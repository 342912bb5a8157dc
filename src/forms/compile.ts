import { findRefusal, PUBLIC_BOUNDS, type Bounds, type Refusal } from "./bounds.ts";
import { Compiler } from "./compiler.ts";
import { dialectOf } from "./dialect.ts";
import {
  FORM_VERSION,
  type Dialect,
  type Fallback,
  type FallbackPart,
  type Field,
  type FormDocument,
  type FormSource,
  type ValidationPreview,
} from "./document.ts";
import { isJson, isRecord, own, type Json } from "./json.ts";
import { portabilityNotes } from "./portability.ts";
import { Resolver } from "./resolve.ts";
import { Flattener } from "./shape.ts";
import { everyField } from "./fields.ts";
import { initialValue } from "./values.ts";

/** How to compile. */
export interface CompileOptions {
  /** Names the form; a digest of its input. */
  readonly formId: string;
  readonly title?: string;
  readonly source?: FormSource;
  readonly bounds?: Bounds;
  readonly dialect?: Dialect;
  /** False leaves out the remarks on what troubles which MCP clients. */
  readonly portability?: boolean;
}

/** A form, or why the schema was refused. */
export type CompileResult =
  | { readonly form: FormDocument; readonly refusal?: undefined }
  | { readonly form?: undefined; readonly refusal: Refusal };

/** Turns a schema into a form document. A bounded walk: nothing is fetched, generated or evaluated. */
export function compileForm(schema: unknown, options: CompileOptions): CompileResult {
  const bounds = options.bounds ?? PUBLIC_BOUNDS;
  const refusal = findRefusal(schema, bounds);
  if (refusal) return { refusal };
  const dialect = options.dialect ?? dialectOf(schema);
  const resolver = new Resolver(schema, dialect);
  const compiler = new Compiler(new Flattener(resolver, dialect, bounds.steps), bounds);
  const stated = isRecord(schema) ? own(schema, "title") : undefined;
  const title = options.title ?? (typeof stated === "string" && stated !== "" ? stated : "Form");
  const whole = compiler.compile(resolver.root(), title);
  const root: Field = { ...whole, label: options.title ?? whole.label };
  const definitions = Object.fromEntries(compiler.definitions);
  const described = isRecord(schema) ? own(schema, "description") : undefined;
  const { children, ...withoutChildren } = root;
  const isGroup = root.widget === "group" && children !== undefined;
  const { fallback, counts, required } = survey(root, definitions);
  const form: FormDocument = {
    schemaVersion: FORM_VERSION,
    formId: options.formId,
    title,
    ...(typeof described === "string" && { description: described }),
    source: options.source ?? { kind: "json_schema" },
    root: isGroup ? withoutChildren : root,
    fields: isGroup ? children : [root],
    definitions,
    initialValue: null,
    examples: [],
    validation: { dialect, required, counts, schema: isJson(schema) ? schema : {} },
    fallback,
    notes: [...compiler.notes, ...(options.portability === false ? [] : portabilityNotes(schema))],
  };
  return { form: withInitialValue(form) };
}

function withInitialValue(form: FormDocument): FormDocument {
  const { value, notes } = initialValue(form);
  return { ...form, initialValue: value, notes: [...form.notes, ...notes] };
}

function survey(
  root: Field,
  definitions: Readonly<Record<string, Field>>,
): { fallback: Fallback; counts: ValidationPreview["counts"]; required: string[] } {
  const parts: FallbackPart[] = [];
  const required: string[] = [];
  const counts = { fields: 0, limits: 0, conditions: 0, variants: 0 };
  const visit = (field: Field, prefix: string): void => {
    counts.fields += 1;
    if (field.constraints) counts.limits += 1;
    if (field.condition || field.requiredWhen || field.overrides) counts.conditions += 1;
    if (field.variants) counts.variants += 1;
    // A part that always has an override, such as a body by content type, is raw only until one is chosen.
    const chosen = field.overrides !== undefined && field.raw?.code === "anything_allowed";
    if (field.raw && !chosen && parts.length < 200)
      parts.push({ path: `${prefix}${field.path}`, ...field.raw });
    if (
      prefix === "" &&
      field.required &&
      field.name !== "" &&
      !field.path.includes("*") &&
      required.length < 500
    )
      required.push(field.path);
  };
  for (const field of everyField(root)) visit(field, "");
  for (const [name, definition] of Object.entries(definitions)) {
    for (const field of everyField(definition)) visit(field, `definitions/${name}`);
  }
  return { fallback: { whole: root.raw !== undefined, parts }, counts, required };
}

/** The name of the digest input: what a form's id is made from. */
export function formIdentity(schema: Json, source: FormSource, title: string): Json {
  return {
    version: FORM_VERSION,
    schema,
    source: { kind: source.kind, ref: source.ref, server: source.server },
    title,
  };
}
