import {
  effectiveField,
  hintHolds,
  itemField,
  keyField,
  pickVariant,
  type Field,
} from "../../packages/forms/src/index.ts";
import { visibleChild } from "../../packages/forms/src/values/fields.ts";
import type { Problem } from "../kernel/errors.ts";
import { isList, isObject, type Json } from "../kernel/json.ts";
import { pointerToken } from "../../packages/forms/src/values/json.ts";
import { escaped } from "../kernel/text.ts";
import {
  choiceName,
  isArtifact,
  isLines,
  nameIn,
  optionText,
  type PageForm,
  type PageReader,
} from "./form-fields.ts";
import { attributes, button, idOf, option } from "./form-html.ts";

/*
 * Fields as plain HTML that works without a script: rows are added, variants chosen and parts opened by buttons that draw
 * the page again. What people typed is only ever text in it.
 */

/** Where a field is drawn. */
interface Place {
  readonly name: string;
  readonly pointer: string;
  /** What the field begins with on a page that nothing was typed into. */
  readonly begin: Json | undefined;
  /** The object that holds it. */
  readonly holder: Json | undefined;
  /** Everything that holds it is certain to be sent, so a browser may insist on it. */
  readonly isCertain: boolean;
  readonly depth: number;
  /** One of several: it may be left out, which goes without saying. */
  readonly isRow?: boolean;
}

const DEEPEST = 6;

/** Draws the fields of a form. */
export class PageDrawer {
  readonly #form: PageForm;
  readonly #sent: URLSearchParams;
  readonly #reader: PageReader;
  /** What was typed, with what the trigger sets. */
  readonly value: Json;
  readonly #problems: ReadonlyMap<string, string>;

  constructor(form: PageForm, sent: URLSearchParams, reader: PageReader, problems: readonly Problem[]) {
    this.#form = form;
    this.#sent = sent;
    this.#reader = reader;
    const { document, fixed } = form;
    const typed = sent.size > 0 ? reader.inputs() : document.initialValue;
    this.value = isObject(typed) && !isList(typed) ? { ...typed, ...fixed } : fixed;
    this.#problems = new Map(problems.map(({ pointer, message }) => [pointer, message]));
  }

  /** Draws some of the form's own fields. */
  draw(fields: readonly Field[]): string {
    const place = { name: "", pointer: "/inputs", holder: this.value, isCertain: true, depth: 0 };
    const begin = this.#sent.size > 0 ? undefined : this.#form.document.initialValue;
    return fields
      .map((field) =>
        field.name === ""
          ? this.#field(field, { ...place, begin })
          : this.#member(field, { ...place, begin }),
      )
      .join("\n");
  }

  #member(child: Field, place: Place): string {
    const { holder, begin } = place;
    const shown = visibleChild(this.#form.document, child, holder);
    const name = nameIn(place.name, child.name);
    if (shown === null || shown.readOnly === true) return "";
    const isTyped = (this.#sent.get(name) ?? "") !== "" || memberOf(holder, child.name) !== undefined;
    const { hidden = false, visible } = shown.ui ?? {};
    const pointer = `${place.pointer}/${pointerToken(child.name)}`;
    const isAsked = !hidden && (visible === undefined || isTyped || hintHolds(visible, holder, this.value));
    return isAsked || this.#problems.has(pointer)
      ? this.#field(shown, { ...place, name, pointer, begin: memberOf(begin, child.name) })
      : "";
  }

  #field(declared: Field, place: Place): string {
    this.#reader.count();
    const value = memberOf(place.holder, declared.name);
    const field = effectiveField(this.#form.document, declared, value, place.holder);
    const widget: string = field.widget;
    const { required } = field;
    const { name, begin } = place;
    if (isLines(field))
      return this.#labelled(
        field,
        place,
        (common) => this.#area(common, place, texts(begin).join("\n")),
        "One on each line.",
      );
    const isOpen =
      required || this.#reader.has(name) || this.#sent.get("_open") === name || begin !== undefined;
    if (widget === "group" && !isOpen && (place.depth > 2 || declared.ref !== undefined))
      return button("_open", name, `Add ${field.label}`);
    if (place.depth > DEEPEST && ["group", "list", "tuple", "map", "variants"].includes(widget)) return "";
    switch (widget) {
      case "group":
        return this.#group(field, place);
      case "list":
      case "tuple":
      case "map":
        return this.#rows(field, place);
      case "variants":
        return this.#variants(field, place);
      case "null":
      case "never":
        return "";
      case "constant":
        return required ? "" : this.#check(field, place);
      case "multiselect":
        return this.#choices(field, place);
      default:
        return this.#control(field, place);
    }
  }

  #group(field: Field, place: Place): string {
    const value = place.depth === 0 && field.name === "" ? this.value : memberOf(place.holder, field.name);
    const inner = {
      ...place,
      isRow: false,
      holder: value ?? {},
      isCertain: place.isCertain && field.required,
      depth: place.depth + 1,
    };
    const members = (field.children ?? []).map((child) => this.#member(child, inner)).join("\n");
    return part(field, place, field.label, `${members}${this.#problem(place)}`);
  }

  #rows(field: Field, place: Place): string {
    const { name, pointer, begin } = place;
    const form = this.#form.document;
    const fixed = field.tuple?.length ?? 0;
    const entries =
      isObject(begin) && !isList(begin)
        ? Object.entries(begin)
        : isList(begin ?? null) && begin !== undefined
          ? Object.entries(begin ?? [])
          : [];
    const least = Math.max(
      fixed,
      field.constraints?.minItems ?? 0,
      entries.length,
      field.required && field.widget === "list" ? 1 : 0,
    );
    const rows =
      this.#reader.rows(name) ??
      (this.#sent.size > 0 ? [] : Array.from({ length: Math.min(least, 20) }, (_, row) => row));
    const added = this.#sent.get("_add") === name ? rows.at(-1) : undefined;
    const value = memberOf(place.holder, field.name);
    const drawn = rows.map((row, at) => {
      const own = nameIn(name, row);
      const focus = row === added;
      const [key = "", item] = entries[row] ?? [];
      let inner: string;
      if (field.widget === "map") {
        const typed = this.#sent.get(nameIn(own, "key")) ?? key;
        const text = {
          name: "key",
          path: "",
          label: "Name",
          type: "string",
          widget: "text",
          required: false,
          nullable: false,
        } as const;
        const of = keyField(field, typed) ?? field.map?.patterns[0]?.field ?? field.map?.additional;
        const below = { ...place, holder: undefined, isCertain: false, depth: place.depth + 1 };
        inner = `${this.#field(text, { ...below, name: nameIn(own, "key"), pointer: `${pointer}/`, begin: typed || undefined })}${
          of == null
            ? ""
            : this.#field(
                { ...of, name: typed, label: "Value", required: false },
                {
                  ...below,
                  holder: value,
                  name: nameIn(own, "value"),
                  pointer: `${pointer}/${pointerToken(typed)}`,
                  begin: item,
                },
              )
        }`;
      } else {
        const items = itemField(form, field, at);
        const label =
          items.label === "" || items.label === field.label
            ? `${field.label} ${at + 1}`
            : `${items.label} ${at + 1}`;
        const below = {
          name: own,
          isRow: true,
          pointer: `${pointer}/${at}`,
          begin: item,
          holder: value,
          isCertain: false,
          depth: place.depth + 1,
        };
        inner = this.#field({ ...items, name: String(at), label, required: at < fixed }, below);
      }
      const more = row < fixed ? "" : button("_remove", own, `Remove ${field.label} ${at + 1}`);
      const mark = `<input type="hidden" name="${escaped(name)}[]" value="${row}">`;
      return `<div class="row">${mark}${focus ? inner.replace(/<(input|select|textarea)(?! type="hidden")/, "<$1 autofocus") : inner}${more}</div>`;
    });
    const isFull =
      rows.length >= (field.constraints?.maxItems ?? 100) ||
      (field.widget === "tuple" && field.items === undefined);
    return part(
      field,
      place,
      field.label,
      `${drawn.join("\n")}${isFull ? "" : button("_add", name, `Add to ${field.label}`)}${this.#problem(place)}`,
    );
  }

  #variants(field: Field, place: Place): string {
    const { name, begin } = place;
    const variants = field.variants ?? [];
    const isFresh = this.#sent.size === 0;
    const begun = begin === undefined ? -1 : pickVariant(this.#form.document, field, begin);
    const chosen = isFresh
      ? begun >= 0
        ? begun
        : field.required
          ? 0
          : -1
      : this.#reader.variant(field, name);
    const options = variants.map(({ label }, at) => option(String(at), label, at === chosen));
    const none = field.required ? "" : option("", "", chosen < 0);
    const variant = variants[chosen];
    const select = this.#labelled(
      field,
      { ...place, name: choiceName(name) },
      (common) => `<select ${common}>${none}${options.join("")}</select>`,
    );
    if (variant === undefined) return `${select}${LOOK}`;
    const inner: Field = { ...variant.field, name: field.name, required: true, label: variant.label };
    const below = { ...place, isCertain: place.isCertain && field.required, depth: place.depth + 1 };
    return `${select}${LOOK}<div class="variant">${this.#field(inner, below)}</div>`;
  }

  #check(field: Field, place: Place): string {
    const isOn = this.#sent.size > 0 ? this.#sent.has(place.name) : place.begin === true;
    return this.#labelled(
      { ...field, required: false },
      place,
      (common) => `<input type="checkbox" ${common}${isOn ? " checked" : ""}>`,
    );
  }

  #choices(field: Field, { name, pointer, begin, ...place }: Place): string {
    const on = new Set(
      this.#sent.size > 0 ? this.#sent.getAll(name) : isList(begin ?? null) ? texts(begin) : [],
    );
    const boxes = (field.options ?? []).map((one, at) => {
      const text = optionText(one);
      const id = `${idOf(name)}-${at}`;
      return `<div class="choice"><input type="checkbox" id="${id}" name="${escaped(name)}" value="${escaped(text)}"${on.has(text) ? " checked" : ""}><label for="${id}">${escaped(one.label)}</label></div>`;
    });
    const whole = { name, pointer, begin, ...place };
    return part(field, whole, field.label, `${boxes.join("")}${this.#problem(whole)}`);
  }

  #control(field: Field, place: Place): string {
    const { constraints = {}, options = [] } = field;
    const widget: string = field.widget;
    const text = this.#sent.size > 0 ? (this.#sent.get(place.name) ?? "") : begunText(field, place.begin);
    const limits = attributes(field);
    const input =
      (type: string, value = text) =>
      (common: string): string =>
        `<input type="${type}" ${common}${limits} value="${escaped(value)}">`;
    if (isArtifact(field) || widget === "file") {
      const accept =
        constraints.contentMediaType === undefined
          ? ""
          : ` accept="${escaped(constraints.contentMediaType)}"`;
      return this.#labelled(field, place, (common) => `<input type="file" ${common}${accept}>`);
    }
    switch (widget) {
      case "checkbox":
        return this.#check(field, place);
      case "select":
        return this.#labelled(field, place, (common) => {
          const drawn = options.map((one) => option(optionText(one), one.label, optionText(one) === text));
          return `<select ${common}>${option("", "", text === "")}${drawn.join("")}</select>`;
        });
      case "combobox":
        return this.#labelled(field, place, (common) => {
          const list = `${idOf(place.name)}-l`;
          return `<input ${common} list="${list}" value="${escaped(text)}"><datalist id="${list}">${options.map((one) => `<option value="${escaped(optionText(one))}">`).join("")}</datalist>`;
        });
      case "json":
        return this.#labelled(field, place, (common) => this.#area(common, place, text), "As JSON.");
      case "multiline":
        return this.#labelled(field, place, (common) => this.#area(common, place, text));
      case "number":
      case "integer":
      case "email":
      case "date":
      case "password":
        return this.#labelled(field, place, input(widget === "integer" ? "number" : widget));
      case "url":
        return this.#labelled(field, place, input(constraints.format === "uri" ? "url" : "text"));
      case "datetime":
        return this.#labelled(field, place, input("datetime-local", text.replace(/Z$/, "")), "In UTC.");
      case "time":
        return this.#labelled(
          field,
          place,
          input("time", text.replace(/Z$/, "")),
          constraints.format === "time" ? "In UTC." : "",
        );
      default:
        return (constraints.maxLength ?? 0) > 200
          ? this.#labelled(field, place, (common) => this.#area(common, place, text))
          : this.#labelled(field, place, input("text"));
    }
  }

  #area(common: string, { name }: Place, begun: string): string {
    const text = this.#sent.size > 0 ? (this.#sent.get(name) ?? "") : begun;
    return `<textarea ${common}>\n${escaped(text)}</textarea>`;
  }

  /** A control with its label, its help and what is wrong with it. */
  #labelled(field: Field, place: Place, control: (common: string) => string, note = ""): string {
    const { name } = place;
    const id = idOf(name);
    const problem = this.#problemAt(place, field.widget === "json" || isLines(field));
    const help = [field.help ?? "", note].filter((text) => text !== "").join(" ");
    const described = [help === "" ? "" : `${id}-h`, problem === undefined ? "" : `${id}-p`].filter(
      (one) => one !== "",
    );
    const insists = field.required && place.isCertain && field.widget !== "checkbox" && !isLines(field);
    const hint = field.ui?.placeholder;
    const common = `id="${id}" name="${escaped(name)}"${described.length === 0 ? "" : ` aria-describedby="${described.join(" ")}"`}${insists ? " required" : ""}${problem === undefined ? "" : ' aria-invalid="true"'}${hint === undefined ? "" : ` placeholder="${escaped(hint)}"`}`;
    const mark = field.required && field.widget !== "checkbox" ? " (required)" : "";
    return `<label for="${id}">${escaped(field.label)}${mark}</label>${control(common)}${help === "" ? "" : `<small id="${id}-h">${escaped(help)}</small>`}${problem === undefined ? "" : `<small class="wrong" id="${id}-p">${escaped(problem)}</small>`}`;
  }

  #problem(place: Place): string {
    const problem = this.#problemAt(place, false);
    return problem === undefined
      ? ""
      : `<small class="wrong" id="${idOf(place.name)}-p">${escaped(problem)}</small>`;
  }

  #problemAt({ pointer }: Place, isWhole: boolean): string | undefined {
    const inside = isWhole ? [...this.#problems].find(([at]) => at.startsWith(`${pointer}/`)) : undefined;
    return this.#problems.get(pointer) ?? inside?.[1];
  }
}

const LOOK = `<button class="look" name="_look" value="1" formnovalidate>Show its fields</button>`;

function part(field: Field, { name, isRow = false }: Place, title: string, content: string): string {
  const mark = field.required || isRow ? "" : " (optional)";
  const help = field.help === undefined ? "" : `<small>${escaped(field.help)}</small>`;
  return `<fieldset class="part" id="${idOf(name)}"><legend>${escaped(title)}${mark}</legend>${help}${content}</fieldset>`;
}

function memberOf(holder: Json | undefined, name: string): Json | undefined {
  if (holder !== undefined && isList(holder)) return holder[Number(name)];
  return isObject(holder) && !isList(holder) && Object.hasOwn(holder, name) ? holder[name] : undefined;
}

function begunText({ widget }: Field, begin: Json | undefined): string {
  if (begin === undefined) return "";
  return typeof begin === "string"
    ? begin
    : widget === "json"
      ? JSON.stringify(begin, null, 2)
      : JSON.stringify(begin);
}

function texts(begin: Json | undefined): readonly string[] {
  return begin !== undefined && isList(begin)
    ? begin.map((one) => (typeof one === "string" ? one : JSON.stringify(one)))
    : [];
}
