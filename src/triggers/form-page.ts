import { randomHex } from "../kernel/ids.ts";
import { isList, isObject, type Json, type JsonObject } from "../kernel/json.ts";
import type { Problem } from "../kernel/errors.ts";
import { pointerSegments } from "../kernel/paths.ts";
import { runHasEnded, type RunState } from "../model/states.ts";
import type { TriggerRecord } from "../ports/triggers.ts";
import { SCRIPT, STYLE } from "./form-assets.ts";

/*
 * The inputs of a workflow as a page of its own: plain HTML that works without a script, on a phone and in a frame. What
 * people typed is only ever text in it.
 */

/** One input on the page. */
export interface PageField {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  readonly isRequired: boolean;
  readonly widget:
    | "text"
    | "email"
    | "url"
    | "date"
    | "datetime-local"
    | "number"
    | "checkbox"
    | "select"
    | "lines"
    | "json"
    | "file"
    | "area";
  readonly options: readonly string[];
  readonly attributes: Readonly<Record<string, string>>;
}

/** The name of a field that people do not see: who fills it in is a program. */
export const TRAP = "website";
/** The button that keeps what was typed and sends nothing. */
export const SAVING = "_save";
/** The token of what was kept, so that it goes when it is sent. */
export const SAVED = "_saved";
/** Names one sending of the page, so that pressing the button twice starts one run. */
export const SENDING = "_sending";

/** The fields of a page: the members of the inputs that the trigger does not set. */
export function fieldsOf(schema: JsonObject, fixed: JsonObject = {}): readonly PageField[] {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(properties)
    .filter(([name]) => !Object.hasOwn(fixed, name))
    .map(([name, given]) => fieldOf(name, isObject(given) ? given : {}, required.includes(name)));
}

function fieldOf(name: string, schema: Record<string, unknown>, isRequired: boolean): PageField {
  const text = (key: string): string | undefined =>
    typeof schema[key] === "string" ? schema[key] : undefined;
  const number = (key: string): string | undefined =>
    typeof schema[key] === "number" ? String(schema[key]) : undefined;
  const options = Array.isArray(schema["enum"])
    ? schema["enum"].map((one: unknown) => (typeof one === "string" ? one : JSON.stringify(one)))
    : [];
  const items = isObject(schema["items"]) ? schema["items"]["type"] : undefined;
  const attributes = Object.entries({
    minlength: number("minLength"),
    maxlength: number("maxLength"),
    min: number("minimum"),
    max: number("maximum"),
    step: schema["type"] === "number" ? "any" : undefined,
    accept: text("contentMediaType"),
  }).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
  return {
    name,
    label: text("title") ?? labelOf(name),
    help: text("description") ?? "",
    isRequired,
    widget: widgetOf(
      schema["type"],
      text("format"),
      options.length > 0,
      items,
      Number(number("maxLength") ?? 0),
    ),
    options,
    attributes: Object.fromEntries(attributes),
  };
}

function widgetOf(
  type: unknown,
  format: string | undefined,
  isChoice: boolean,
  items: unknown,
  longest: number,
): PageField["widget"] {
  if (isChoice) return "select";
  if (type === "boolean") return "checkbox";
  if (type === "integer" || type === "number") return "number";
  if (type === "array" && items === "string") return "lines";
  if (type !== "string") return "json";
  if (format === "email" || format === "date") return format;
  if (format === "uri") return "url";
  if (format === "artifact") return "file";
  return longest > 200 ? "area" : "text";
}

function labelOf(name: string): string {
  const spaced = name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]+/g, " ")
    .toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** The inputs that a sent page means; what is empty is left out. */
export function valuesOf(
  fields: readonly PageField[],
  sent: URLSearchParams,
  schema: JsonObject,
): JsonObject {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const values: Record<string, Json> = {};
  for (const field of fields) {
    // A file is what was sent as one: an id in its place could name an artifact that the sender may not see.
    if (field.widget === "file") continue;
    const text = sent.get(field.name) ?? "";
    if (field.widget === "checkbox") values[field.name] = text !== "";
    else if (text !== "") values[field.name] = valueOf(field, text, properties[field.name]);
  }
  return values;
}

function valueOf({ widget }: PageField, text: string, schema: unknown): Json {
  if (widget === "lines") return text.split(/\r?\n/).filter((line) => line.trim() !== "");
  if (widget === "number") return Number.isFinite(Number(text)) ? Number(text) : text;
  if (widget === "select") return chosen(schema, text);
  if (widget !== "json") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function chosen(schema: unknown, text: string): Json {
  const options: readonly Json[] = isObject(schema) && Array.isArray(schema["enum"]) ? schema["enum"] : [];
  return (
    options.find((option) => (typeof option === "string" ? option : JSON.stringify(option)) === text) ?? text
  );
}

/** Fields that are shown together. */
interface Step {
  readonly title: string;
  readonly fields: readonly PageField[];
}

/** More fields than this are shown in steps. */
const ONE_STEP = 8;
const STEP_SIZE = 6;

/** The steps of a page: the sections that the inputs ask for, or a long form in parts. */
export function stepsOf(schema: JsonObject, fields: readonly PageField[]): readonly Step[] {
  const hints = isObject(schema["x-ui"]) ? schema["x-ui"]["sections"] : undefined;
  const sections = Array.isArray(hints) ? hints.filter(isObject) : [];
  const named = sections.map(({ title, fields: names }) => ({
    title: typeof title === "string" ? title : "",
    fields: fields.filter(({ name }) => Array.isArray(names) && names.includes(name)),
  }));
  const rest = fields.filter((field) => !named.some((step) => step.fields.includes(field)));
  const size = rest.length > ONE_STEP ? STEP_SIZE : ONE_STEP;
  const parts = Array.from({ length: Math.ceil(rest.length / size) }, (_, part) => ({
    title: "",
    fields: rest.slice(part * size, (part + 1) * size),
  }));
  return [...named.filter((step) => step.fields.length > 0), ...parts];
}

/** The page with its form, and what is wrong with what was sent. */
export function formPage(
  { slug, settings }: Pick<TriggerRecord, "slug" | "settings">,
  title: string,
  steps: readonly Step[],
  sent: URLSearchParams = new URLSearchParams(),
  problems: readonly Problem[] = [],
): string {
  const fields = steps.flatMap((step) => step.fields);
  const wrong = new Set(problems.map(({ pointer }) => memberAt(pointer)));
  const faults = problems.map(({ pointer, message }) => {
    const label = fields.find((field) => field.name === memberAt(pointer))?.label;
    return `<li>${escaped(label === undefined ? message : `${label}: ${message}`)}</li>`;
  });
  const trap = `<div class="trap" aria-hidden="true"><input name="${TRAP}" tabindex="-1" autocomplete="off" aria-label="Leave this empty"></div>`;
  const sending = sent.get(SENDING) ?? randomHex(12);
  const saved = sent.get(SAVED);
  const controls = (step: Step): string =>
    step.fields.map((field) => control(field, sent.get(field.name), wrong.has(field.name))).join("\n");
  const parts = steps.map((step, index) => {
    const place = `Step ${index + 1} of ${steps.length}`;
    const name = step.title === "" ? place : `${step.title} (${place.toLowerCase()})`;
    return `<fieldset><legend tabindex="-1">${escaped(name)}</legend>${controls(step)}</fieldset>`;
  });
  const isLong = steps.length > 1;
  return pageOf(
    title,
    `${settings.text === undefined ? "" : `<p>${escaped(settings.text)}</p>`}
${faults.length === 0 ? "" : `<div class="problem" role="alert"><p>Not sent. Fix ${faults.length === 1 ? "this" : "these"}:</p><ul>${faults.join("")}</ul></div>`}
<form method="post" enctype="multipart/form-data" action="/f/${escaped(slug ?? "")}">
${isLong ? parts.join("\n") : steps.map(controls).join("\n")}
${trap}<input type="hidden" name="${SENDING}" value="${escaped(sending)}">${saved === null ? "" : `<input type="hidden" name="${SAVED}" value="${escaped(saved)}">`}
<button type="submit">Send</button>${isLong ? `<button name="${SAVING}" value="1" formnovalidate>Save and go on later</button>` : ""}
</form>`,
    settings.logo,
  );
}

/** The input that a problem is about: `/inputs/name`. */
function memberAt(pointer: string): string {
  return pointerSegments(pointer)?.[1] ?? "";
}

function control(field: PageField, sent: string | null, isWrong: boolean): string {
  const { name, label, help, isRequired, widget, options } = field;
  // No spaces: `aria-describedby` is a list.
  const id = `f-${escaped(encodeURIComponent(name))}`;
  const value = escaped(sent ?? "");
  const described = help === "" ? "" : ` aria-describedby="${id}-h"`;
  const limits = Object.entries(field.attributes).map(([key, text]) => ` ${key}="${escaped(text)}"`);
  const common = `id="${id}" name="${escaped(name)}"${described}${isRequired && widget !== "checkbox" ? " required" : ""}${isWrong ? ' aria-invalid="true"' : ""}`;
  const choice = ["", ...options].map(
    (option) =>
      `<option value="${escaped(option)}"${option === sent ? " selected" : ""}>${escaped(option)}</option>`,
  );
  const area = `<textarea ${common}>${value}</textarea>`;
  const drawn: Partial<Record<PageField["widget"], string>> = {
    checkbox: `<input type="checkbox" ${common}${sent === null ? "" : " checked"}>`,
    select: `<select ${common}>${choice.join("")}</select>`,
    area,
    file: `<input type="file" ${common}${limits.join("")}>`,
    lines: `${area}<small>One on each line.</small>`,
    json: `${area}<small>As JSON.</small>`,
  };
  const input = drawn[widget] ?? `<input type="${widget}" ${common}${limits.join("")} value="${value}">`;
  const mark = isRequired && widget !== "checkbox" ? " (required)" : "";
  return `<label for="${id}">${escaped(label)}${mark}</label>${input}${help === "" ? "" : `<small id="${id}-h">${escaped(help)}</small>`}`;
}

/** A page that says one thing, and how far a run is. */
export function notePage(
  title: string,
  text: string,
  {
    link,
    state = "",
    logo,
  }: {
    readonly link?: { readonly href: string; readonly text: string };
    /** What `statePart` gives. */
    readonly state?: string;
    readonly logo?: string | undefined;
  } = {},
): string {
  const further =
    link === undefined ? "" : `<p><a href="${escaped(link.href)}">${escaped(link.text)}</a></p>`;
  return pageOf(title, `${text === "" ? "" : `<p>${escaped(text)}</p>`}${state}${further}`, logo);
}

/** How far a run is. While it goes on, the script of the page looks at `href` again. */
export function statePart(state: RunState, href: string, facts: JsonObject): string {
  const shown = Object.entries(facts)
    .slice(0, MOST_FACTS)
    .map(([name, value]) => {
      const words = typeof value === "string" ? value : JSON.stringify(value);
      return `<dt>${escaped(labelOf(name))}</dt><dd>${escaped(words.slice(0, LONGEST_FACT))}</dd>`;
    });
  const list = shown.length === 0 ? "" : `<dl>${shown.join("")}</dl>`;
  const look = runHasEnded(state) ? "" : ` data-look="${escaped(href)}"`;
  return `<div id="state" role="status"${look}><p>${escaped(STATE_WORDS[state])}</p>${list}</div>`;
}

const MOST_FACTS = 20;
const LONGEST_FACT = 2_000;

function pageOf(title: string, content: string, logo?: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title><style>${STYLE}</style></head>
<body><main tabindex="-1">${logo === undefined ? "" : `<img class="logo" src="${escaped(logo)}" alt="">`}<h1>${escaped(title)}</h1>
${content}
</main><script>${SCRIPT}</script></body></html>
`;
}

/** What a run's state is to people who are not signed in. */
const STATE_WORDS: Readonly<Record<RunState, string>> = {
  queued: "It waits for its turn.",
  running: "It is being worked on.",
  waiting: "It waits, for example for an approval.",
  succeeded: "It is done.",
  failed: "A step of it failed. The people who run this form can see why.",
  timed_out: "It took too long and was stopped.",
  cancelling: "It is being stopped.",
  cancelled: "It was stopped.",
};

/** True for a JSON value that a page's inputs can be. */
export function isInputs(value: Json): value is JsonObject {
  return isObject(value) && !isList(value);
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
