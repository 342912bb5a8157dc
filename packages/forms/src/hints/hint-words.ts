import type { FieldHints, HintSection, HintTexts } from "../compile/document.ts";
import { readCondition } from "./hint-conditions.ts";
import { isJson, isRecord, own, setOwn, type Json } from "../values/json.ts";

/*
 * The vocabulary `x-ui`: what may stand in it, and how much. Whatever is not understood is reported and left out.
 */

const LONGEST_TEXT = 2_000;
const LONGEST_OPTIONS = 4_000;
const MOST_SECTIONS = 100;
const MOST_NAMES = 2_000;
const MOST_LANGUAGES = 40;
const MOST_COLUMNS = 12;
const LANGUAGE = /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}$/;

/** Texts that a person types: these widgets can stand in for one another. */
export const TEXT_WIDGETS = [
  "text",
  "multiline",
  "password",
  "email",
  "url",
  "uuid",
  "hostname",
  "ipv4",
  "ipv6",
  "regex",
  "json-pointer",
  "date",
  "time",
  "datetime",
  "duration",
  "color",
  "file",
] as const;

/** How one of several options may be chosen. */
export const CHOICES = ["radio", "select", "search"];

/** The widgets that a hint may ask for without a page that has one of its own. */
export const STANDARD_WIDGETS: readonly string[] = [...TEXT_WIDGETS, ...CHOICES, "slider", "toggle"];

/** Labels of options: in their order, or by the value as text. */
export type OptionLabels = readonly string[] | ReadonlyMap<string, string>;

/** What the vocabulary says that ends up in the field itself, and what was not understood. */
export interface FieldWords {
  readonly hints: FieldHints;
  readonly title?: string;
  readonly help?: string;
  /** Stands below the help. */
  readonly more?: string;
  readonly readOnly?: boolean;
  readonly order?: readonly string[];
  readonly labels?: OptionLabels;
  /** What may be typed into a text, without a duty to. */
  readonly suggestions?: readonly string[];
  /** Labels of options by language. */
  readonly labelsIn: ReadonlyMap<string, OptionLabels>;
  readonly problems: readonly string[];
}

const WORDS = [
  "title",
  "help",
  "more",
  "placeholder",
  "widget",
  "options",
  "hidden",
  "readOnly",
  "order",
  "sections",
  "columns",
  "span",
  "visible",
  "enabled",
  "labels",
  "suggestions",
  "key",
  "i18n",
];

/** Reads the words of one place. */
export function readWords(given: Record<string, unknown>): FieldWords {
  const problems: string[] = [];
  const text = (name: string) => textOf(own(given, name), name, problems);
  const flag = (name: string) => own(given, name) === true || undefined;
  const columns = (name: string) => countOf(own(given, name), name, problems);
  const names = (name: string) =>
    own(given, name) === undefined ? undefined : namesOf(own(given, name), name, problems);
  const condition = (name: string) => conditionOf(own(given, name), name, problems);
  for (const name of Object.keys(given))
    if (!WORDS.includes(name))
      problems.push(
        `“${name.slice(0, 60)}” is no hint that is known here. Known: ${WORDS.filter((word) => word !== "more").join(", ")}.`,
      );
  const labelsIn = new Map<string, OptionLabels>();
  const hints = stated<FieldHints>({
    widget: text("widget"),
    options: optionsOf(own(given, "options"), problems),
    placeholder: text("placeholder"),
    hidden: flag("hidden"),
    visible: condition("visible"),
    enabled: condition("enabled"),
    columns: columns("columns"),
    span: columns("span"),
    sections: sectionsOf(own(given, "sections"), problems),
    key: text("key"),
    i18n: languagesOf(own(given, "i18n"), labelsIn, problems),
  });
  return stated<FieldWords>({
    hints,
    title: text("title"),
    help: text("help"),
    more: text("more"),
    readOnly: flag("readOnly"),
    order: names("order"),
    suggestions: names("suggestions"),
    labels: labelsOf(own(given, "labels"), problems),
    labelsIn,
    problems,
  });
}

/** An object without the members that are undefined. */
function stated<T extends object>(given: { [K in keyof T]: T[K] | undefined }): T;
function stated(given: object): object {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function textOf(given: unknown, name: string, problems: string[]): string | undefined {
  if (given === undefined) return undefined;
  if (typeof given === "string") return given.slice(0, LONGEST_TEXT);
  problems.push(`“${name}” is no text.`);
  return undefined;
}

function countOf(given: unknown, name: string, problems: string[]): number | undefined {
  if (given === undefined) return undefined;
  if (typeof given === "number" && Number.isInteger(given) && given >= 1 && given <= MOST_COLUMNS)
    return given;
  problems.push(`“${name}” is no whole number from 1 to ${MOST_COLUMNS}.`);
  return undefined;
}

function conditionOf(given: unknown, name: string, problems: string[]): HintSection["visible"] {
  if (given === undefined) return undefined;
  const read = readCondition(given);
  if ("condition" in read) return read.condition;
  problems.push(`“${name}” is no condition: ${read.problem}.`);
  return undefined;
}

function namesOf(given: unknown, name: string, problems: string[]): readonly string[] {
  const list = Array.isArray(given) ? given : [];
  const names = list.filter((item) => typeof item === "string").slice(0, MOST_NAMES);
  if (!Array.isArray(given) || names.length < list.length) problems.push(`“${name}” is no list of names.`);
  return [...new Set(names)];
}

function optionsOf(given: unknown, problems: string[]): Readonly<Record<string, Json>> | undefined {
  if (given === undefined) return undefined;
  if (!isRecord(given) || !isJson(given) || JSON.stringify(given).length > LONGEST_OPTIONS) {
    problems.push(`“options” is no object of at most ${LONGEST_OPTIONS} characters.`);
    return undefined;
  }
  const options: Record<string, Json> = {};
  for (const [key, value] of Object.entries(given)) if (value !== undefined) setOwn(options, key, value);
  return options;
}

function sectionsOf(given: unknown, problems: string[]): readonly HintSection[] | undefined {
  if (given === undefined) return undefined;
  if (!Array.isArray(given)) {
    problems.push("“sections” is no list.");
    return undefined;
  }
  if (given.length > MOST_SECTIONS)
    problems.push(`More than ${MOST_SECTIONS} sections; the others are left out.`);
  return given.slice(0, MOST_SECTIONS).flatMap((section: unknown) => {
    if (!isRecord(section)) {
      problems.push("A section is an object with `fields`.");
      return [];
    }
    return [
      stated<HintSection>({
        title: textOf(own(section, "title"), "title of a section", problems),
        help: textOf(own(section, "help"), "help of a section", problems),
        fields: namesOf(own(section, "fields"), "fields of a section", problems),
        columns: countOf(own(section, "columns"), "columns of a section", problems),
        collapsed: own(section, "collapsed") === true || undefined,
        visible: conditionOf(own(section, "visible"), "visible of a section", problems),
        key: textOf(own(section, "key"), "key of a section", problems),
      }),
    ];
  });
}

function labelsOf(given: unknown, problems: string[]): OptionLabels | undefined {
  if (given === undefined) return undefined;
  if (Array.isArray(given)) return given.map((label) => String(label).slice(0, LONGEST_TEXT));
  if (isRecord(given))
    return new Map(
      Object.entries(given).map(([value, label]) => [value, String(label).slice(0, LONGEST_TEXT)]),
    );
  problems.push("“labels” is neither a list of texts nor an object of texts by value.");
  return undefined;
}

function languagesOf(
  given: unknown,
  labelsIn: Map<string, OptionLabels>,
  problems: string[],
): Readonly<Record<string, HintTexts>> | undefined {
  if (given === undefined) return undefined;
  if (!isRecord(given)) {
    problems.push("“i18n” is no object of texts by language.");
    return undefined;
  }
  const languages: Record<string, HintTexts> = {};
  for (const [code, texts] of Object.entries(given).slice(0, MOST_LANGUAGES)) {
    if (!LANGUAGE.test(code) || !isRecord(texts)) {
      problems.push(
        `“i18n” has no texts under “${code.slice(0, 20)}”; a language is written as de or pt-BR.`,
      );
      continue;
    }
    const labels = labelsOf(own(texts, "labels"), problems);
    if (labels !== undefined) labelsIn.set(code, labels);
    const sections = own(texts, "sections");
    languages[code] = stated<HintTexts>({
      label: textOf(own(texts, "title"), "title", problems),
      help: textOf(own(texts, "help"), "help", problems),
      placeholder: textOf(own(texts, "placeholder"), "placeholder", problems),
      options: undefined,
      sections: sections === undefined ? undefined : namesOf(sections, "sections", problems),
    });
  }
  return languages;
}
