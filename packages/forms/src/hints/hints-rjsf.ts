import { DEEPEST_HINT, hintNode, setOption, type HintNode, type Remark } from "./hint-tree.ts";
import { STANDARD_WIDGETS } from "./hint-words.ts";
import { isRecord, own, pointerToken } from "../values/json.ts";

/*
 * A `uiSchema` of react-jsonschema-form, read into hints. What only makes sense with its components (class names, own
 * fields as functions) is reported and has no effect.
 */

/** Names of widgets, also with “Widget” behind them, and what they are here. */
const WIDGETS = new Map([
  ["textarea", "multiline"],
  ["uri", "url"],
  ["date-time", "datetime"],
  ["alt-date", "date"],
  ["altdate", "date"],
  ["alt-datetime", "datetime"],
  ["altdatetime", "datetime"],
  ["range", "slider"],
  ...[
    "password",
    "radio",
    "select",
    "email",
    "url",
    "color",
    "file",
    "date",
    "time",
    "datetime",
    "toggle",
  ].map((name) => [name, name] as const),
]);

/** Names that say what the form does anyway. */
const USUAL = ["checkbox", "checkboxes", "updown", "text"];

/** Options that ours are called too, and those that have no effect unless they are false. */
const AS_OPTIONS = ["rows", "autocomplete", "accept"];
const LIST_OPTIONS = ["addable", "orderable", "removable", "copyable", "label"];

/** Reads a uiSchema. */
export function readRjsf(document: Record<string, unknown>, remark: Remark): HintNode {
  return read(document, "", remark, 0);
}

function read(given: Record<string, unknown>, pointer: string, remark: Remark, depth: number): HintNode {
  const node = hintNode();
  if (depth > DEEPEST_HINT) {
    remark(pointer, `Hints are read down to ${DEEPEST_HINT} levels.`);
    return node;
  }
  const inner = (value: unknown, at: string): HintNode | undefined =>
    isRecord(value) ? read(value, `${pointer}/${at}`, remark, depth + 1) : undefined;
  const unread: Unread[] = [];
  for (const [key, value] of Object.entries(given)) {
    const at = pointerToken(key);
    if (key === "ui:options" && isRecord(value)) {
      for (const [name, option] of Object.entries(value))
        readOption(node, name, option, `${pointer}/${at}/${pointerToken(name)}`, unread);
    } else if (key.startsWith("ui:")) readOption(node, key.slice(3), value, `${pointer}/${at}`, unread);
    else if (Array.isArray(value)) {
      const into = key === "items" ? node.tuple : key === "anyOf" || key === "oneOf" ? node.variants : null;
      if (into === null) remark(`${pointer}/${at}`, `“${key}” holds no hints.`);
      value.forEach((part, index) => {
        const read = inner(part, `${at}/${index}`);
        if (read !== undefined) into?.set(index, read);
      });
    } else {
      const child = inner(value, at);
      if (child === undefined) {
        remark(`${pointer}/${at}`, `“${key}” holds no hints.`);
        continue;
      }
      node.children.set(key, child);
      // A property may be called items as well; the field says which of them it has.
      if (key === "items") node.items = child;
      if (key === "additionalProperties") node.additional = child;
      if (key === "additionalItems") node.items = child;
    }
  }
  const { widget } = node.own;
  const isCustom = typeof widget === "string" && !STANDARD_WIDGETS.includes(widget);
  for (const { name, value, at, message } of unread)
    // A widget of the page knows its own options.
    if (isCustom && message === undefined && !LOOKS.includes(name)) setOption(node, name, value);
    else remark(at, message ?? `“ui:${name}” has no effect in this form.`);
  return node;
}

/** What has no effect, unless a widget of the page reads it. */
interface Unread {
  readonly name: string;
  readonly value: unknown;
  readonly at: string;
  readonly message?: string;
}

/** How things look is the page's theme. */
const LOOKS = ["className", "classNames", "style"];

function readOption(node: HintNode, name: string, value: unknown, at: string, unread: Unread[]): void {
  const hints = node.own;
  if (AS_OPTIONS.includes(name)) return setOption(node, name, value);
  if (LIST_OPTIONS.includes(name)) {
    if (value === false) setOption(node, name, false);
    return;
  }
  switch (name) {
    case "order":
    case "title":
    case "placeholder":
      hints[name] = value;
      return;
    case "description":
      hints["help"] = value;
      return;
    case "help":
      hints["more"] = value;
      return;
    case "readonly":
    case "disabled":
      hints["readOnly"] = hints["readOnly"] === true || value === true;
      return;
    case "enumNames":
      hints["labels"] = value;
      return;
    case "enumOrder":
      hints["order"] = Array.isArray(value)
        ? value.map((item) => (typeof item === "string" ? item : JSON.stringify(item)))
        : value;
      return;
    case "enumDisabled":
      return setOption(node, "disabled", value);
    case "autofocus":
      return setOption(node, "focus", value);
    case "inline":
      return setOption(node, "orientation", value === true ? "horizontal" : "vertical");
    case "emptyValue":
      if (value === "") setOption(node, "keepEmpty", true);
      else unread.push({ name, value, at });
      return;
    // Markdown is always drawn.
    case "enableMarkdownInDescription":
      return;
    case "inputType":
      if (value === "tel") setOption(node, "inputMode", value);
      else if (typeof value === "string") hints["widget"] ??= WIDGETS.get(value) ?? value;
      return;
    case "submitButtonOptions": {
      const text = isRecord(value) ? own(value, "submitText") : undefined;
      if (typeof text === "string") setOption(node, "submit", text);
      return;
    }
    case "widget":
    case "field": {
      if (typeof value !== "string") {
        unread.push({ name, value, at, message: `“ui:${name}” is no name of a widget.` });
        return;
      }
      const short = value.replace(/Widget$/, "").toLowerCase();
      if (short === "hidden") hints["hidden"] = true;
      else if (!USUAL.includes(short)) hints["widget"] = WIDGETS.get(short) ?? value;
      return;
    }
    default:
      unread.push({ name, value, at });
  }
}
