import type { Field } from "../../packages/forms/src/index.ts";
import { escaped } from "../kernel/text.ts";

/** A button that draws the page again, and sends nothing. */
export function button(name: string, value: string, text: string): string {
  return `<button name="${name}" value="${escaped(value)}" formnovalidate>${escaped(text)}</button>`;
}

/** One choice of a list. */
export function option(value: string, label: string, isChosen: boolean): string {
  return `<option value="${escaped(value)}"${isChosen ? " selected" : ""}>${escaped(label)}</option>`;
}

/** What a browser checks of the value of a field. */
export function attributes({ widget, constraints = {} }: Field): string {
  const { minLength, maxLength, minimum, maximum } = constraints;
  const isNumber = widget === "number" || widget === "integer";
  return Object.entries({
    ...(isNumber ? { min: minimum, max: maximum, step: widget === "number" ? "any" : undefined } : {}),
    ...(widget === "datetime" || (widget === "time" && constraints.format === "time") ? { step: 1 } : {}),
    ...(isNumber ? {} : { minlength: minLength, maxlength: maxLength }),
  })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${value}"`)
    .join("");
}

/** An id without spaces: `aria-describedby` is a list. */
export function idOf(name: string): string {
  return `f-${escaped(encodeURIComponent(name))}`;
}
