import { hash } from "node:crypto";
import { randomHex } from "../kernel/ids.ts";
import { isList, isObject, type Json, type JsonObject } from "../kernel/json.ts";
import type { Problem } from "../kernel/errors.ts";
import type { TriggerRecord } from "../ports/triggers.ts";

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
    | "area";
  readonly options: readonly string[];
  readonly attributes: Readonly<Record<string, string>>;
}

/** The name of a field that people do not see: who fills it in is a program. */
export const TRAP = "website";
/** Names one sending of the page, so that pressing the button twice starts one run. */
export const SENDING = "_sending";

const STYLE = `:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;margin:0}main{max-width:36rem;margin:0 auto;padding:1.5rem 1rem}
h1{font-size:1.5rem;margin:0 0 .5rem}p{margin:.5rem 0}label,legend{display:block;font-weight:600;margin-top:1rem}
input,select,textarea{font:inherit;width:100%;box-sizing:border-box;padding:.5rem;margin-top:.25rem;border:1px solid #767676;border-radius:.25rem}
input[type=checkbox]{width:1.5rem;height:1.5rem}textarea{min-height:6rem}small{display:block}.trap{position:absolute;left:-9999px}
button{font:inherit;padding:.6rem 1.2rem;margin-top:1.5rem;min-height:2.75rem}.problem{border-left:4px solid #b3261e;padding-left:.75rem}
pre,p,li{overflow-wrap:anywhere;white-space:pre-line}`;

/** With a session a request must come from our own page: only a script can say so. */
const SCRIPT = `document.addEventListener("submit",async(e)=>{e.preventDefault();const f=e.target;f.querySelector("button").disabled=true;const r=await fetch(f.action,{method:"POST",headers:{"x-suite-page":"1","content-type":"application/x-www-form-urlencoded"},body:new URLSearchParams(new FormData(f))});const d=new DOMParser().parseFromString(await r.text(),"text/html");const m=document.querySelector("main");m.replaceWith(d.querySelector("main")??m);document.querySelector("main").focus()})`;

const source = (text: string): string => `'sha256-${hash("sha256", text, "base64")}'`;

/** The headers of a page. Our own pages show it in a frame, as a preview, and so may the origins of the trigger. */
export function pageHeaders(embedOrigins: readonly string[] = []): Readonly<Record<string, string>> {
  const frames = ["'self'", ...embedOrigins].join(" ");
  return {
    "content-security-policy": `default-src 'none'; style-src ${source(STYLE)}; script-src ${source(SCRIPT)}; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors ${frames}`,
  };
}

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
  }).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
  return {
    name,
    label: text("title") ?? words(name),
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
  return longest > 200 ? "area" : "text";
}

function words(name: string): string {
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

/** The page with its form, and what is wrong with what was sent. */
export function formPage(
  { slug, settings }: Pick<TriggerRecord, "slug" | "settings">,
  title: string,
  fields: readonly PageField[],
  sent: URLSearchParams = new URLSearchParams(),
  problems: readonly Problem[] = [],
): string {
  const faults = problems.map(({ pointer, message }) => {
    const [, , name = ""] = pointer.split("/");
    const label = fields.find((field) => field.name === name)?.label;
    return `<li>${escaped(label === undefined ? message : `${label}: ${message}`)}</li>`;
  });
  const trap = `<div class="trap" aria-hidden="true"><input name="${TRAP}" tabindex="-1" autocomplete="off" aria-label="Leave this empty"></div>`;
  const sending = sent.get(SENDING) ?? randomHex(12);
  return pageOf(
    title,
    `${settings.text === undefined ? "" : `<p>${escaped(settings.text)}</p>`}
${faults.length === 0 ? "" : `<div class="problem" role="alert"><p>Not sent. Fix ${faults.length === 1 ? "this" : "these"}:</p><ul>${faults.join("")}</ul></div>`}
<form method="post" action="/f/${escaped(slug ?? "")}">
${fields.map((field) => control(field, sent.get(field.name))).join("\n")}
${trap}<input type="hidden" name="${SENDING}" value="${escaped(sending)}">
<button type="submit">Send</button>
</form>`,
  );
}

function control(field: PageField, sent: string | null): string {
  const { name, label, help, isRequired, widget, options } = field;
  const id = `f-${escaped(name)}`;
  const value = escaped(sent ?? "");
  const described = help === "" ? "" : ` aria-describedby="${id}-h"`;
  const limits = Object.entries(field.attributes).map(([key, text]) => ` ${key}="${escaped(text)}"`);
  const common = `id="${id}" name="${escaped(name)}"${described}${isRequired && widget !== "checkbox" ? " required" : ""}`;
  const choice = ["", ...options].map(
    (option) =>
      `<option value="${escaped(option)}"${option === sent ? " selected" : ""}>${escaped(option)}</option>`,
  );
  const area = `<textarea ${common}>${value}</textarea>`;
  const drawn: Partial<Record<PageField["widget"], string>> = {
    checkbox: `<input type="checkbox" ${common}${sent === null ? "" : " checked"}>`,
    select: `<select ${common}>${choice.join("")}</select>`,
    area,
    lines: `${area}<small>One on each line.</small>`,
    json: `${area}<small>As JSON.</small>`,
  };
  const input = drawn[widget] ?? `<input type="${widget}" ${common}${limits.join("")} value="${value}">`;
  const mark = isRequired && widget !== "checkbox" ? " (required)" : "";
  return `<label for="${id}">${escaped(label)}${mark}</label>${input}${help === "" ? "" : `<small id="${id}-h">${escaped(help)}</small>`}`;
}

/** A page that says one thing. */
export function notePage(
  title: string,
  text: string,
  link?: { readonly href: string; readonly text: string },
): string {
  const further =
    link === undefined ? "" : `<p><a href="${escaped(link.href)}">${escaped(link.text)}</a></p>`;
  return pageOf(title, `<p>${escaped(text)}</p>${further}`);
}

function pageOf(title: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title><style>${STYLE}</style></head>
<body><main tabindex="-1"><h1>${escaped(title)}</h1>
${content}
</main><script>${SCRIPT}</script></body></html>
`;
}

/** What a run's state is to people who are not signed in. */
export function stateWords(state: string): string {
  const known: Readonly<Record<string, string>> = {
    queued: "It waits for its turn.",
    running: "It is being worked on.",
    waiting: "It waits, for example for an approval.",
    succeeded: "It is done.",
    failed: "A step of it failed. The people who run this form can see why.",
    timed_out: "It took too long and was stopped.",
    cancelling: "It is being stopped.",
    cancelled: "It was stopped.",
  };
  return known[state] ?? "It was received.";
}

/** True for a JSON value that a page's inputs can be. */
export function isInputs(value: Json): value is JsonObject {
  return isObject(value) && !isList(value);
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
