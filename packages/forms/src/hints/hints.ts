import type { Field, FieldHints, HintCondition, HintTexts, Note, Option } from "../compile/document.ts";
import type { HintReader } from "../compile/hint-reader.ts";
import { DEEPEST_HINT, hintNode, nodeAt, type HintNode, type Remark } from "./hint-tree.ts";
import { CHOICES, readWords, TEXT_WIDGETS, type FieldWords, type OptionLabels } from "./hint-words.ts";
import { isJsonForms, readJsonForms } from "./hints-json-forms.ts";
import { readRjsf } from "./hints-rjsf.ts";
import { isRecord, own, pointerTokens, type JsonObject, isJson } from "../values/json.ts";

/*
 * Hints: how an author wants a form to look. They stand in the schema as `x-ui`, or in a second document that
 * `withHints` puts beside it: hints by JSON Pointer, a uiSchema of react-jsonschema-form or a UI schema of JSON Forms.
 * Nothing in them changes what is valid, hides a problem or leaves a field out; what has no effect becomes a note.
 */

/** The member of a schema that holds its second document. */
export const HINTS_KEYWORD = "x-ui-schema";
const MOST_NOTES = 40;
/**
 * Characters of shared definitions that are written out so that one place can have hints of its own: some, and half
 * of the schema's size. More would push fields out of a document that is bounded as a whole.
 */
const LEAST_COPIED = 20_000;

/** A schema with a document of hints beside it; `compileForm` with `hints: uiHints` draws them. */
export function withHints(schema: JsonObject, document: unknown): JsonObject {
  return isJson(document) ? { ...schema, [HINTS_KEYWORD]: document } : schema;
}

/** Reads hints while a schema is compiled: `compileForm(schema, { formId, hints: uiHints })`. */
export function uiHints(schema: unknown): HintReader {
  const read = new Map<unknown, FieldHints>();
  const words = new Map<FieldHints, FieldWords>();
  const document = isRecord(schema) ? own(schema, HINTS_KEYWORD) : undefined;
  return {
    read: (given) => {
      if (!isRecord(given)) return undefined;
      const known = read.get(given);
      if (known !== undefined) return known;
      const found = readWords(given);
      // Two places that say the same have hints of their own: what else they say is found by these.
      const hints = { ...found.hints };
      read.set(given, hints);
      words.set(hints, found);
      return hints;
    },
    apply: (root, definitions) => {
      if (words.size === 0 && document === undefined) return { root, definitions, notes: [] };
      const room = LEAST_COPIED + JSON.stringify(schema).length / 2;
      const pass = new Pass(words, definitions, room);
      const tree = document === undefined ? undefined : readDocument(document, pass.remark);
      const drawn = pass.field(root, tree, 0);
      const others = new Map(
        [...definitions].map(([name, field]) => [name, pass.field(field, undefined, 0)]),
      );
      return { root: drawn, definitions: others, notes: pass.notes };
    },
  };
}

/** Finds out which of the three formats a document has, and reads it. */
function readDocument(document: unknown, remark: Remark): HintNode | undefined {
  if (!isRecord(document)) {
    remark("", "The hints are no object.");
    return undefined;
  }
  if (isJsonForms(document)) return readJsonForms(document, remark);
  const entries = Object.entries(document);
  if (entries.length === 0 || entries.some(([key]) => key !== "" && !key.startsWith("/")))
    return readRjsf(document, remark);
  const root = hintNode();
  for (const [pointer, hints] of entries) {
    const tokens = pointerTokens(pointer);
    if (isRecord(hints) && tokens.length <= DEEPEST_HINT) Object.assign(nodeAt(root, tokens).own, hints);
    else remark(`/${pointer.replaceAll("~", "~0").replaceAll("/", "~1")}`, "These are no hints of a field.");
  }
  return root;
}

class Pass {
  readonly notes: Note[] = [];
  readonly #words: ReadonlyMap<FieldHints, FieldWords>;
  readonly #definitions: ReadonlyMap<string, Field>;
  readonly #sizes = new Map<Field, number>();
  #room: number;

  constructor(
    words: ReadonlyMap<FieldHints, FieldWords>,
    definitions: ReadonlyMap<string, Field>,
    room: number,
  ) {
    this.#words = words;
    this.#definitions = definitions;
    this.#room = room;
  }

  /** Notes what a document of hints says in vain. */
  readonly remark: Remark = (pointer, message) => this.#note(`/${HINTS_KEYWORD}${pointer}`, message);

  #note(schemaPath: string, message: string): void {
    if (this.notes.length < MOST_NOTES)
      this.notes.push({ code: "hint", severity: "info", schemaPath, message: message.slice(0, 400) });
  }

  /** A field and everything below it, as the hints want them. */
  field(given: Field, node: HintNode | undefined, depth: number): Field {
    const opened =
      node !== undefined && depth <= DEEPEST_HINT && speaksBelow(node) ? this.#opened(given) : given;
    const stated = opened.ui === undefined ? undefined : this.#words.get(opened.ui);
    const added = node === undefined || Object.keys(node.own).length === 0 ? undefined : readWords(node.own);
    const inside = this.#inside(opened, node, depth);
    if (stated === undefined && added === undefined) return inside;
    const { ui: _ui, ...bare } = inside;
    let field: Field = bare;
    // The second document comes last: it is written for this one form.
    for (const words of [stated, added]) if (words) field = this.#dressed(field, words);
    return field;
  }

  #inside(field: Field, node: HintNode | undefined, depth: number): Field {
    const { children, tuple, items, map, variants, overrides } = field;
    const inner = (part: Field, hints: HintNode | undefined) => this.field(part, hints, depth + 1);
    const names = new Set((children ?? []).map(({ name }) => name));
    const isObject = !items && !tuple && !variants && !overrides;
    if (node && isObject && field.ref === undefined)
      for (const name of node.children.keys())
        if (!names.has(name) && !["items", "additionalProperties"].includes(name) && !map)
          this.#note(
            `/${HINTS_KEYWORD}`,
            `There is no field ${field.path}/${name}; its hints have no effect.`,
          );
    // Alternatives and changed fields have the members of the same object.
    const shared = node && { ...hintNode(), children: node.children, items: node.items, tuple: node.tuple };
    return {
      ...field,
      ...(children && { children: children.map((child) => inner(child, node?.children.get(child.name))) }),
      ...(tuple && { tuple: tuple.map((part, index) => inner(part, node?.tuple.get(index))) }),
      ...(items && { items: inner(items, node?.items) }),
      ...(map && {
        map: {
          ...map,
          patterns: map.patterns.map((rule) => ({ ...rule, field: inner(rule.field, node?.additional) })),
          additional: map.additional && inner(map.additional, node?.additional),
        },
      }),
      ...(variants && {
        variants: variants.map((variant, index) => ({
          ...variant,
          field: inner(variant.field, node?.variants.get(index) ?? shared),
        })),
      }),
      ...(overrides && {
        overrides: overrides.map((override) => ({ ...override, field: inner(override.field, node) })),
      }),
    };
  }

  /** A reference as a field of its own, when there is room for a copy of its definition. */
  #opened(field: Field): Field {
    const target = field.ref === undefined ? undefined : this.#definitions.get(field.ref);
    if (target === undefined) return field;
    const size = this.#sizes.get(target) ?? JSON.stringify(target).length;
    this.#sizes.set(target, size);
    if (size > this.#room) {
      this.#note(
        `/${HINTS_KEYWORD}`,
        `The hints below ${field.path || "the root"} are for a part that is too large to be written out; they have no effect.`,
      );
      return field;
    }
    this.#room -= size;
    const { ref: _ref, type: _type, widget: _widget, ui, ...place } = field;
    const hints = ui ?? target.ui;
    return { ...moved(target, field.path), ...place, ...(hints && { ui: hints }) };
  }

  #dressed(field: Field, words: FieldWords): Field {
    for (const problem of words.problems) this.#about(field, problem);
    const { title, help, more, readOnly, order, labels, suggestions } = words;
    const text = [help ?? field.help, more].filter((part) => part !== undefined && part !== "").join("\n\n");
    const children = order && field.children ? this.#ordered(field, order) : field.children;
    const isTyped = suggestions !== undefined && TEXT_WIDGETS.some((name) => name === field.widget);
    if (suggestions !== undefined && !isTyped) this.#about(field, "“suggestions” are for texts.");
    const listed = isTyped ? suggestions.map((value) => ({ value, label: value })) : field.options;
    const named = labels && listed ? labelled(listed, labels) : listed;
    const options = order && named ? ordered(named, order) : named;
    const dressed: Field = {
      ...field,
      ...(title !== undefined && { label: title }),
      ...((help !== undefined || more !== undefined) && { help: text }),
      ...(readOnly === true && { readOnly }),
      ...(children && { children }),
      ...(options && { options }),
      ...(isTyped && { widget: "combobox" }),
    };
    const { widget, ...rest } = { ...field.ui, ...words.hints };
    const hints: FieldHints = {
      ...rest,
      ...(rest.sections && { sections: this.#sections(field, rest.sections) }),
      ...(rest.i18n && { i18n: translated(rest.i18n, named ?? [], options ?? [], words.labelsIn) }),
    };
    return this.#withWidget(hints.sections ? inSections(dressed, hints.sections) : dressed, hints, widget);
  }

  /** Says that a hint of a field has no effect. */
  #about(field: Field, message: string): void {
    this.#note("", `Hints of ${field.path || "the root"}: ${message}`);
  }

  /** A standard widget that can hold the value takes the field's place; any other is the page's own. */
  #withWidget(field: Field, hints: FieldHints, widget: string | undefined): Field {
    const ui = (more: FieldHints) => (Object.keys(more).length === 0 ? {} : { ui: more });
    // Yes and No are drawn as radio buttons.
    const isUsual = field.widget === "checkbox" && (widget === "radio" || widget === "select");
    const isHeld = isUsual || (widget === field.widget && widget !== "select");
    if (widget === undefined || isHeld) return { ...field, ...ui(hints) };
    const text = TEXT_WIDGETS.find((name) => name === widget);
    if (text !== undefined && TEXT_WIDGETS.some((name) => name === field.widget))
      return { ...field, widget: text, ...(text === "password" && { secret: true }), ...ui(hints) };
    const { minimum, maximum } = field.constraints ?? {};
    const isNumber = field.widget === "number" || field.widget === "integer";
    if (widget === "slider" && isNumber && (minimum === undefined || maximum === undefined)) {
      this.#about(field, "a slider needs a minimum and a maximum.");
      return { ...field, ...ui(hints) };
    }
    const isStandard =
      (CHOICES.includes(widget) && field.widget === "select") ||
      (widget === "toggle" && field.widget === "checkbox") ||
      (widget === "slider" && isNumber);
    if (!isStandard)
      this.#about(
        field,
        `the widget “${widget.slice(0, 60)}” is drawn where the page has one of that name, and “${field.widget}” elsewhere.`,
      );
    return { ...field, ...ui({ ...hints, widget }) };
  }

  #ordered(field: Field, order: readonly string[]): readonly Field[] {
    const children = field.children ?? [];
    const byName = new Map(children.map((child) => [child.name, child]));
    const first: Field[] = [];
    const last: Field[] = [];
    let into = first;
    for (const name of order) {
      const child = byName.get(name);
      if (name === "*" && child === undefined) into = last;
      else if (child !== undefined) into.push(child);
      else this.#about(field, `“order” names ${name.slice(0, 60)}, which is no field.`);
    }
    const named = new Set([...first, ...last]);
    return [...first, ...children.filter((child) => !named.has(child)), ...last];
  }

  #sections(
    field: Field,
    sections: NonNullable<FieldHints["sections"]>,
  ): NonNullable<FieldHints["sections"]> {
    const names = new Set((field.children ?? []).map(({ name }) => name));
    const taken = new Set<string>();
    return sections.map((section) => {
      const fields = section.fields.filter((name) => names.has(name) && !taken.has(name));
      for (const name of section.fields)
        if (!fields.includes(name))
          this.#about(
            field,
            `a section names ${name.slice(0, 60)}, which is ${taken.has(name) ? "in another section" : "no field"}.`,
          );
      for (const name of fields) taken.add(name);
      return { ...section, fields };
    });
  }
}

/** Fields of a section that comes and goes, each with the section's condition. */
function inSections(field: Field, sections: NonNullable<FieldHints["sections"]>): Field {
  if (sections.every(({ visible }) => visible === undefined)) return field;
  const children = field.children?.map((child) => {
    const visible = sections.find(({ fields }) => fields.includes(child.name))?.visible;
    const stated = child.ui?.visible;
    if (visible === undefined || (stated && stated.on !== visible.on)) return child;
    const both: HintCondition = stated
      ? {
          on: visible.on,
          when: { kind: "all", of: [visible.when, stated.when] },
          text: `${visible.text} and ${stated.text}`,
        }
      : visible;
    return { ...child, ui: { ...child.ui, visible: both } };
  });
  return { ...field, ...(children && { children }) };
}

/** True when something below a place has hints. */
function speaksBelow(node: HintNode): boolean {
  const { children, items, additional, tuple, variants } = node;
  return (
    "order" in node.own ||
    "sections" in node.own ||
    children.size + tuple.size + variants.size > 0 ||
    items !== undefined ||
    additional !== undefined
  );
}

/** A copy of a definition at a place: its paths begin there. */
function moved(field: Field, path: string): Field {
  const inner = (part: Field) => moved(part, path);
  const { children, tuple, items, map, variants, overrides } = field;
  return {
    ...field,
    path: `${path}${field.path}`,
    ...(children && { children: children.map(inner) }),
    ...(tuple && { tuple: tuple.map(inner) }),
    ...(items && { items: inner(items) }),
    ...(map && {
      map: {
        ...map,
        patterns: map.patterns.map((rule) => ({ ...rule, field: inner(rule.field) })),
        additional: map.additional && inner(map.additional),
      },
    }),
    ...(variants && { variants: variants.map((variant) => ({ ...variant, field: inner(variant.field) })) }),
    ...(overrides && { overrides: overrides.map((one) => ({ ...one, field: inner(one.field) })) }),
  };
}

/** Options in the wanted order; `*` stands for the others. */
function ordered(options: readonly Option[], order: readonly string[]): readonly Option[] {
  const rest = order.indexOf("*");
  const place = ({ value }: Option) =>
    order.indexOf(typeof value === "string" ? value : JSON.stringify(value));
  const at = (option: Option) => (place(option) >= 0 ? place(option) : rest >= 0 ? rest : order.length);
  return options.toSorted((one, other) => at(one) - at(other));
}

function labelIn(labels: OptionLabels, option: Option, index: number): string | undefined {
  if (!(labels instanceof Map)) return Array.isArray(labels) ? labels[index] : undefined;
  return labels.get(typeof option.value === "string" ? option.value : JSON.stringify(option.value));
}

function labelled(options: readonly Option[], labels: OptionLabels): readonly Option[] {
  return options.map((option, index) => ({
    ...option,
    label: labelIn(labels, option, index) ?? option.label,
  }));
}

function translated(
  languages: Readonly<Record<string, HintTexts>>,
  given: readonly Option[],
  options: readonly Option[],
  labelsIn: ReadonlyMap<string, OptionLabels>,
): Readonly<Record<string, HintTexts>> {
  return Object.fromEntries(
    Object.entries(languages).map(([code, texts]) => {
      const labels = labelsIn.get(code);
      return [
        code,
        labels === undefined || options.length === 0
          ? texts
          : {
              ...texts,
              options: options.map(
                (option) => labelIn(labels, option, given.indexOf(option)) ?? option.label,
              ),
            },
      ];
    }),
  );
}
