import {
  compileForm,
  effectiveField,
  holds,
  itemField,
  keyField,
  PUBLIC_BOUNDS,
  rootField,
  type Field,
  type FormDocument,
  type Option,
} from "../../packages/forms/src/index.ts";
import { uiHints } from "../../packages/forms/src/hints.ts";
import { AppError } from "../kernel/errors.ts";
import { isList, isObject, type Json, type JsonObject } from "../kernel/json.ts";
import type { Upload } from "./form-sent.ts";

/*
 * The form of a page: how its fields are named in what a browser sends, and which inputs that means. Members of objects
 * and items of lists are named as in `address[street]` and `items[0][name]`.
 */

/** What may be compiled and drawn between two requests; larger forms are asked for as JSON. */
const BOUNDS = { ...PUBLIC_BOUNDS, steps: 800, fields: 300, characters: 120_000 };
/** Fields that are read or drawn at most: a sender chooses how many rows a list has. */
const MOST_FIELDS = 10_000;
const MOST_ROWS = 100;
const DEEPEST = 8;

/** Buttons that draw the page again: with another row, without one, with a part that was left out, or as the values are now. */
export const REDRAWS = ["_add", "_remove", "_open", "_look"] as const;

/** Stands for a file until it is saved: a name that no artifact has. */
export const FILE_TO_COME = "artifact_of_a_file";

/** The inputs of a workflow as a form, without those that the trigger sets. */
export interface PageForm {
  readonly document: FormDocument;
  readonly fields: readonly Field[];
  /** The inputs that the trigger sets; conditions may depend on them. */
  readonly fixed: JsonObject;
  /** Other fields may be shown once there are other values. */
  readonly isLive: boolean;
}

/** Compiles the inputs of a workflow. */
export function pageFormOf(schema: JsonObject, fixed: JsonObject = {}): PageForm {
  const options = { formId: "form_page", bounds: BOUNDS, hints: uiHints };
  const compiled = compileForm(schema, options);
  const document = compiled.form ?? compileForm(asJson(schema), { ...options, bounds: PUBLIC_BOUNDS }).form;
  if (!document) throw new AppError("too_large", "The inputs of this workflow cannot be shown as a form.");
  const root = rootField(document);
  const parts = root.widget === "group" ? (root.children ?? []) : root.widget === "variants" ? [root] : [];
  const { conditions, variants } = document.validation.counts;
  return {
    document,
    fields: parts.filter(({ name, readOnly }) => !Object.hasOwn(fixed, name) && readOnly !== true),
    fixed,
    isLive: conditions + variants > 0 || JSON.stringify(document.fields).includes('"visible":'),
  };
}

/** Inputs that are out of bounds: each is asked for as JSON. */
function asJson(schema: JsonObject): JsonObject {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  return {
    type: "object",
    required: schema["required"] ?? [],
    properties: Object.fromEntries(Object.keys(properties).map((name) => [name, {}])),
  };
}

/** The name of a member of an object or of an item of a list. */
export function nameIn(parent: string, token: string | number): string {
  const text = String(token).replaceAll(/[[\]%]/g, encodeURIComponent);
  return parent === "" ? String(token) : `${parent}[${text}]`;
}

/** Where the choice of a variant is sent. */
export function choiceName(name: string): string {
  return `${name}[?]`;
}

/** True for a field that is a file which is saved as an artifact. */
export function isArtifact({ type, constraints }: Field): boolean {
  return type === "string" && constraints?.format === "artifact";
}

/** True for a list that is typed into one field, a line for each item. */
export function isLines({ widget, items, tuple }: Field): boolean {
  return (
    widget === "list" &&
    tuple === undefined &&
    items?.type === "string" &&
    items.ref === undefined &&
    ["text", "email", "url", "uuid", "hostname", "ipv4", "ipv6"].includes(items.widget)
  );
}

/** An option as the text that is sent for it. */
export function optionText({ value }: Option): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What was read of a field. */
interface ReadValue {
  readonly value: Json | undefined;
  /** A person filled it in: an object that nobody filled in is left out where it may be. */
  readonly isFilled: boolean;
}

const NOTHING: ReadValue = { value: undefined, isFilled: false };

/** Reads what was sent. The same reader says which rows and variants a page has. */
export class PageReader {
  readonly #form: PageForm;
  readonly #sent: URLSearchParams;
  readonly #files: ReadonlyMap<string, Upload>;
  readonly #artifacts: ReadonlyMap<string, string>;
  /** Every name and every beginning of one. */
  readonly #names = new Map<string, Set<string>>();
  #left = MOST_FIELDS;
  /** The names of the files that are to be artifacts. */
  readonly uploads = new Set<string>();

  constructor(
    form: PageForm,
    sent: URLSearchParams,
    files: ReadonlyMap<string, Upload> = new Map(),
    artifacts: ReadonlyMap<string, string> = new Map(),
  ) {
    this.#form = form;
    this.#sent = sent;
    this.#files = files;
    this.#artifacts = artifacts;
    for (const name of [...sent.keys(), ...files.keys()]) {
      for (let at = name.lastIndexOf("["); at > 0; at = name.lastIndexOf("[", at - 1)) {
        const parent = name.slice(0, at);
        const end = name.indexOf("]", at);
        const known = this.#names.get(parent);
        const token = name.slice(at + 1, end);
        if (known === undefined) this.#names.set(parent, new Set([token]));
        else known.add(token);
      }
    }
  }

  /** The inputs that were sent; what is empty is left out. */
  inputs(): JsonObject {
    const { fields, fixed } = this.#form;
    const [only] = fields;
    if (only?.name === "") {
      const { value } = this.#read({ ...only, required: true }, "", undefined, 0);
      return isObject(value) && !isList(value) ? value : {};
    }
    return this.#members(fields, "", fixed, 0).value;
  }

  /** True where something of this field was sent. */
  has(name: string): boolean {
    return this.#sent.has(name) || this.#files.has(name) || this.#names.has(name);
  }

  /** The rows of a list or a map by the numbers that they are named with, or undefined where none was sent. */
  rows(name: string): readonly number[] | undefined {
    const listed = this.#sent.getAll(`${name}[]`);
    const tokens = listed.length > 0 ? listed : [...(this.#names.get(name) ?? [])];
    const rows = [...new Set(tokens.filter((token) => /^\d{1,4}$/.test(token)).map(Number))]
      .slice(0, MOST_ROWS)
      .filter((row) => this.#sent.get("_remove") !== nameIn(name, row));
    if (this.#sent.get("_add") === name && rows.length < MOST_ROWS) rows.push(Math.max(-1, ...rows) + 1);
    return tokens.length > 0 || rows.length > 0 ? rows : undefined;
  }

  /** Which variant was chosen; -1 for none. */
  variant(field: Field, name: string): number {
    const chosen = this.#sent.get(choiceName(name));
    const index = Number(chosen ?? (field.required || this.has(name) ? 0 : -1));
    return chosen === "" || field.variants?.[index] === undefined ? -1 : index;
  }

  /** Counts a field; throws when there are more than a page shows. */
  count(): void {
    this.#left -= 1;
    if (this.#left < 0) throw new AppError("too_large", `A form page has at most ${MOST_FIELDS} fields.`);
  }

  #read(declared: Field, name: string, holder: Json | undefined, depth: number): ReadValue {
    this.count();
    const form = this.#form.document;
    const field = effectiveField(form, declared, undefined, holder);
    if (depth > DEEPEST) return NOTHING;
    const { widget, required } = field;
    if (isLines(field)) {
      const lines = this.#sent.getAll(name).flatMap((text) => text.split(/\r?\n/));
      const items = lines.filter((line) => line.trim() !== "");
      return items.length > 0 || required ? { value: items, isFilled: items.length > 0 } : NOTHING;
    }
    if (widget === "group") {
      if (!required && !this.has(name)) return NOTHING;
      const found = this.#members(field.children ?? [], name, {}, depth + 1);
      return found.isFilled || required ? found : NOTHING;
    }
    if (widget === "list" || widget === "tuple") return this.#list(field, name, depth);
    if (widget === "map") return this.#map(field, name, depth);
    if (widget === "variants") {
      const variant = field.variants?.[this.variant(field, name)];
      if (variant === undefined) return NOTHING;
      const found = this.#read({ ...variant.field, required: true }, name, holder, depth + 1);
      return { ...found, isFilled: true };
    }
    if (isArtifact(field)) {
      const id = this.#artifacts.get(name);
      if (id !== undefined) this.uploads.add(name);
      // What is typed in place of a file is no file: it could name an artifact that the sender may not see.
      return { value: id, isFilled: id !== undefined };
    }
    return this.#scalar(field, name);
  }

  #members(
    fields: readonly Field[],
    name: string,
    given: JsonObject,
    depth: number,
  ): ReadValue & { readonly value: JsonObject } {
    let value: JsonObject = given;
    let isFilled = false;
    // What a field is may depend on those after it: a second look knows them all.
    const depends = fields.some(
      ({ condition, overrides }) => condition !== undefined || overrides !== undefined,
    );
    for (let look = 0; look < (depends ? 2 : 1); look++) {
      const read: Record<string, Json> = {};
      isFilled = false;
      for (const field of fields) {
        if (field.readOnly === true) continue;
        if (look > 0 && field.condition !== undefined && !holds(field.condition, value[field.name], value))
          continue;
        const found = this.#read(field, nameIn(name, field.name), value, depth);
        if (found.value !== undefined)
          Object.defineProperty(read, field.name, {
            value: found.value,
            enumerable: true,
            configurable: true,
          });
        isFilled ||= found.isFilled;
      }
      value = { ...given, ...read };
    }
    const own = Object.entries(value).filter(([key]) => !Object.hasOwn(given, key));
    return { value: Object.fromEntries(own), isFilled };
  }

  #list(field: Field, name: string, depth: number): ReadValue {
    const form = this.#form.document;
    const items: Json[] = [];
    const fixed = field.tuple?.length ?? 0;
    for (const row of this.rows(name) ?? []) {
      const item = itemField(form, field, items.length);
      const found = this.#read({ ...item, required: row < fixed }, nameIn(name, row), undefined, depth + 1);
      // A row that nobody filled in is none.
      if (found.value !== undefined && (found.isFilled || row < fixed)) items.push(found.value);
    }
    const isFilled = items.length > 0;
    return isFilled || field.required ? { value: items, isFilled } : NOTHING;
  }

  #map(field: Field, name: string, depth: number): ReadValue {
    const members: [string, Json][] = [];
    for (const row of this.rows(name) ?? []) {
      const at = nameIn(name, row);
      const key = this.#sent.get(nameIn(at, "key")) ?? "";
      const inner = key === "" ? null : keyField(field, key);
      if (inner == null) continue;
      const { value } = this.#read(
        { ...inner, name: key, required: false },
        nameIn(at, "value"),
        undefined,
        depth + 1,
      );
      if (value !== undefined) members.push([key, value]);
    }
    const isFilled = members.length > 0;
    return isFilled || field.required ? { value: Object.fromEntries(members), isFilled } : NOTHING;
  }

  #scalar(field: Field, name: string): ReadValue {
    const { widget, required, nullable } = field;
    const text = this.#sent.get(name) ?? "";
    const of = (value: Json | undefined): ReadValue => ({ value, isFilled: value !== undefined });
    if (widget === "checkbox") return { value: text !== "", isFilled: text !== "" };
    if (widget === "constant" || widget === "null")
      return { value: required ? (field.const ?? null) : undefined, isFilled: false };
    if (widget === "multiselect") {
      const chosen = this.#sent.getAll(name).filter((one) => one !== "");
      const values = chosen.map((one) => chosenOf(field, one));
      return values.length > 0 || required ? { value: values, isFilled: values.length > 0 } : NOTHING;
    }
    if (widget === "file") {
      const file = this.#files.get(name);
      return of(file === undefined ? undefined : encoded(field, file));
    }
    if (text === "") return required && nullable ? { value: null, isFilled: false } : NOTHING;
    if (widget === "select") return of(chosenOf(field, text));
    if (widget === "json") return of(jsonOf(text));
    if (widget === "number" || widget === "integer" || widget === "big-integer")
      return of(text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text);
    return of(withZone(field, text));
  }
}

function chosenOf({ options = [] }: Field, text: string): Json {
  return options.find((option) => optionText(option) === text)?.value ?? text;
}

function jsonOf(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A browser gives dates and times without a zone; the page says that they are in UTC. */
function withZone({ widget, constraints }: Field, text: string): string {
  const seconds = /T?\d\d:\d\d$/.test(text) ? `${text}:00` : text;
  if (widget === "datetime" && /^\d{4}-\d\d-\d\dT[\d:.]+$/.test(text)) return `${seconds}Z`;
  return widget === "time" && constraints?.format === "time" && /^[\d:.]+$/.test(text) ? `${seconds}Z` : text;
}

/** The bytes of a file as the text that the schema asks for. */
function encoded({ constraints = {} }: Field, { bytes, type }: Upload): string {
  const { format, contentEncoding, contentMediaType = "" } = constraints;
  if (format === "data-url" || format === "uri") return `data:${type};base64,${bytes.toString("base64")}`;
  if (contentEncoding === undefined && format === undefined && /^text\/|json|xml|yaml/.test(contentMediaType))
    return bytes.toString("utf8");
  return bytes.toString(contentEncoding === "base64url" ? "base64url" : "base64");
}

/**
 * A schema for what was sent: where an artifact is asked for stands a file that was sent, and no id, which could name an
 * artifact that the sender may not see. What the trigger sets is left as it is.
 */
export function withFilesOnly(schema: JsonObject, fixed: JsonObject = {}): JsonObject {
  const files = (value: Json): Json => {
    if (isList(value)) return value.map(files);
    if (!isObject(value)) return value;
    return value["format"] === "artifact" ? { const: FILE_TO_COME } : members(value, () => true);
  };
  const members = (given: JsonObject, isSent: (name: string) => boolean): JsonObject =>
    Object.fromEntries(
      Object.entries(given).map(([key, item = null]) => [key, isSent(key) ? files(item) : item]),
    );
  const { properties } = schema;
  if (!isObject(properties) || isList(properties)) return members(schema, () => true);
  return {
    ...members(schema, (name) => name !== "properties"),
    properties: members(properties, (name) => !Object.hasOwn(fixed, name)),
  };
}
