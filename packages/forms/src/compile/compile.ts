import { MOST_PARTS } from "../check/caps.ts";
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
  type Note,
  type ValidationPreview,
} from "./document.ts";
import type { HintReader } from "./hint-reader.ts";
import { isJson, isRecord, own, type Json } from "../values/json.ts";
import { Resolver } from "./resolve.ts";
import { Flattener } from "./shape.ts";
import { everyField } from "../values/fields.ts";
import { initialValue } from "../values/values.ts";

/** How to compile. */
export interface CompileOptions {
  /** Names the form; a digest of its input. */
  readonly formId: string;
  readonly title?: string;
  readonly source?: FormSource;
  readonly bounds?: Bounds;
  readonly dialect?: Dialect;
  /** Remarks on the schema to go with those of the compiler, such as `portabilityNotes`. */
  readonly notes?: (schema: unknown) => readonly Note[];
  /** Reads how the author wants the form to look: `uiHints`. Without it hints have no effect. */
  readonly hints?: (schema: unknown) => HintReader;
}

/** A form, or why the schema was refused. */
export type CompileResult =
  | {
      readonly form: FormDocument;
      /** True when a bound was reached, so that some part is raw for its size alone. */
      readonly isCut: boolean;
      readonly refusal?: undefined;
    }
  | { readonly form?: undefined; readonly isCut?: undefined; readonly refusal: Refusal };

/** How many characters of fields a character of schema may become, and what small schemas may have at least. */
const GROWTH = 8.5;
const LEAST_CHARACTERS = 60_000;
/** A document that came out too large is compiled again: with fewer copies, then with a part of the room. */
const ROUNDS = 4;

/**
 * Turns a schema into a form document. A bounded walk: nothing is fetched, generated or evaluated. The document is
 * bounded as a whole, whatever the shape of the schema: parts that do not fit are raw JSON.
 */
export function compileForm(schema: unknown, options: CompileOptions): CompileResult {
  const bounds = options.bounds ?? PUBLIC_BOUNDS;
  const refusal = findRefusal(schema, bounds);
  if (refusal) return { refusal };
  const size = JSON.stringify(schema).length;
  const most = Math.min(bounds.output, Math.max(2 * LEAST_CHARACTERS, 10 * size));
  let characters = Math.min(bounds.characters, Math.max(LEAST_CHARACTERS, GROWTH * size));
  for (let round = 1; ; round++) {
    // Before anything is left out, a document that came out too large is made with as few copies as can be.
    const { form, isCut, used } = compileWithin(schema, options, { ...bounds, characters }, round > 1);
    const length =
      size + JSON.stringify({ ...form, validation: { ...form.validation, schema: null } }).length;
    if (length <= most || round === ROUNDS) return { form, isCut };
    if (round > 1) characters = Math.min(characters, used) * Math.max(0.25, (0.9 * most) / length);
  }
}

function compileWithin(
  schema: unknown,
  options: CompileOptions,
  bounds: Bounds,
  isTight: boolean,
): { readonly form: FormDocument; readonly isCut: boolean; readonly used: number } {
  const dialect = options.dialect ?? dialectOf(schema);
  const resolver = new Resolver(schema, dialect);
  const flattener = new Flattener(resolver, dialect, bounds.steps);
  const hints = options.hints?.(schema);
  const compiler = new Compiler(flattener, bounds, hints, isTight);
  const stated = isRecord(schema) ? own(schema, "title") : undefined;
  const title = options.title ?? (typeof stated === "string" && stated !== "" ? stated : "Form");
  const whole = compiler.compile(resolver.root(), title);
  const hinted = hints?.apply(whole, compiler.definitions);
  const drawn = hinted?.root ?? whole;
  const root: Field = { ...drawn, label: options.title ?? drawn.label };
  const definitions = Object.fromEntries(hinted?.definitions ?? compiler.definitions);
  const described = isRecord(schema) ? own(schema, "description") : undefined;
  const { children, ...outside } = root;
  const isGroup = root.widget === "group" && children !== undefined;
  const { tuple: _t, items: _i, map: _m, options: _p, variants: _v, overrides: _o, ...alone } = outside;
  const { fallback, counts, required } = survey(root, definitions);
  const form: FormDocument = {
    schemaVersion: FORM_VERSION,
    formId: options.formId,
    title,
    ...(typeof described === "string" && { description: described }),
    source: options.source ?? { kind: "json_schema" },
    root: isGroup ? outside : alone,
    fields: isGroup ? children : [root],
    definitions,
    initialValue: null,
    examples: [],
    validation: { dialect, required, counts, schema: isJson(schema) ? schema : {} },
    fallback,
    notes: [...compiler.notes, ...(hinted?.notes ?? []), ...(options.notes?.(schema) ?? [])],
  };
  const used = bounds.characters - compiler.characters;
  return { form: withInitialValue(form), isCut: compiler.isCut || flattener.steps < 0, used };
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
    if (field.raw && !chosen && parts.length < MOST_PARTS)
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
