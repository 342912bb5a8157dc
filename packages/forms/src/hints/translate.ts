import type { Field, FormDocument, HintTexts } from "../compile/document.ts";

/** What a text of a schema is, for those who translate it. */
export interface TextPlace {
  readonly kind: "title" | "label" | "help" | "placeholder" | "option" | "variant" | "section";
  /** The path of its field. */
  readonly path: string;
  /** What a hint (`key`) calls the text: `person.label`, `person.help`, `person.placeholder`, `person.<option>`. */
  readonly key?: string;
}

/** A text of the schema in the wanted language; undefined leaves it as it is. */
export type Translate = (text: string, place: TextPlace) => string | undefined;

/**
 * A form with the texts of its schema in another language: those that hints give (`i18n`), and those that the page
 * knows. Names, values and conditions stay what they are.
 */
export function translateForm(form: FormDocument, language: string, translate?: Translate): FormDocument {
  const say = (
    text: string,
    kind: TextPlace["kind"],
    path: string,
    key?: string,
    part: string = kind,
  ): string => translate?.(text, { kind, path, ...(key !== undefined && { key: `${key}.${part}` }) }) ?? text;
  const field = (given: Field): Field => {
    const texts = textsIn(given, language);
    const key = given.ui?.key;
    const { path, children, tuple, items, map, variants, overrides, options, help, ui } = given;
    return {
      ...given,
      label: texts?.label ?? say(given.label, "label", path, key),
      ...(help !== undefined || texts?.help !== undefined
        ? { help: texts?.help ?? say(help ?? "", "help", path, key) }
        : {}),
      ...(options && {
        options: options.map((option, index) => ({
          ...option,
          label: texts?.options?.[index] ?? say(option.label, "option", path, key, literal(option.value)),
        })),
      }),
      ...(ui && { ui: hints(ui, texts, path) }),
      ...(children && { children: children.map(field) }),
      ...(tuple && { tuple: tuple.map(field) }),
      ...(items && { items: field(items) }),
      ...(map && {
        map: {
          ...map,
          patterns: map.patterns.map((rule) => ({ ...rule, field: field(rule.field) })),
          additional: map.additional && field(map.additional),
        },
      }),
      ...(variants && {
        variants: variants.map((variant) => ({
          ...variant,
          label: say(variant.label, "variant", path),
          field: field(variant.field),
        })),
      }),
      ...(overrides && {
        overrides: overrides.map((override) => ({ ...override, field: field(override.field) })),
      }),
    };
  };
  const hints = (
    ui: NonNullable<Field["ui"]>,
    texts: HintTexts | undefined,
    path: string,
  ): NonNullable<Field["ui"]> => ({
    ...ui,
    ...((ui.placeholder !== undefined || texts?.placeholder !== undefined) && {
      placeholder: texts?.placeholder ?? say(ui.placeholder ?? "", "placeholder", path, ui.key),
    }),
    ...(ui.sections && {
      sections: ui.sections.map((section, index) => {
        const title =
          texts?.sections?.[index] ??
          (section.title && say(section.title, "section", path, section.key, "label"));
        return { ...section, ...(title !== undefined && { title }) };
      }),
    }),
  });
  const root = field(form.root);
  const title = textsIn(form.root, language)?.label ?? say(form.title, "title", "");
  return {
    ...form,
    title,
    root,
    fields: form.fields.map(field),
    definitions: Object.fromEntries(
      Object.entries(form.definitions).map(([name, definition]) => [name, field(definition)]),
    ),
  };
}

function literal(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The texts of a field in a language, or in the one that it is a variety of: `de` for `de-AT`. */
function textsIn({ ui }: Field, language: string): HintTexts | undefined {
  const languages = ui?.i18n;
  if (languages === undefined) return undefined;
  const [base = language] = language.split("-");
  const code = [language, base].find((each) => Object.hasOwn(languages, each));
  return code === undefined ? undefined : languages[code];
}
