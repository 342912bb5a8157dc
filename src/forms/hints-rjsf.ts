import { DEEPEST_HINT, hintNode, type HintNode, type Remark } from "./hint-tree.ts";
import { isRecord, own, pointerToken } from "./json.ts";

/*
 * A `uiSchema` of react-jsonschema-form, read into hints. What only makes sense with its components (class names, own
 * fields as functions) is reported and has no effect.
 */

const WIDGETS: Readonly<Record<string, string>> = {
  textarea: "multiline",
  TextareaWidget: "multiline",
  PasswordWidget: "password",
  RadioWidget: "radio",
  SelectWidget: "select",
  uri: "url",
  "date-time": "datetime",
  "alt-date": "date",
  "alt-datetime": "datetime",
};

/** Names that say what the form does anyway. */
const USUAL = new Set([
  "checkbox",
  "checkboxes",
  "updown",
  "CheckboxesWidget",
  "CheckboxWidget",
  "TextWidget",
]);

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
  for (const [key, value] of Object.entries(given)) {
    const at = pointerToken(key);
    if (key === "ui:options" && isRecord(value)) {
      for (const [name, option] of Object.entries(value))
        setOption(node, name, option, `${pointer}/${at}/${pointerToken(name)}`, remark);
    } else if (key.startsWith("ui:")) setOption(node, key.slice(3), value, `${pointer}/${at}`, remark);
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
    }
  }
  return node;
}

function setOption(node: HintNode, name: string, value: unknown, pointer: string, remark: Remark): void {
  const hints = node.own;
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
    case "rows":
      hints["options"] = { ...(isRecord(hints["options"]) && hints["options"]), rows: value };
      return;
    case "inputType":
      if (typeof value === "string" && own(hints, "widget") === undefined) hints["widget"] = value;
      return;
    case "widget":
    case "field":
      if (value === "hidden" || value === "HiddenWidget") hints["hidden"] = true;
      else if (typeof value !== "string") remark(pointer, `“ui:${name}” is no name of a widget.`);
      else if (!USUAL.has(value)) hints["widget"] = own(WIDGETS, value) ?? value;
      return;
    default:
      remark(pointer, `“ui:${name}” has no effect in this form.`);
  }
}
