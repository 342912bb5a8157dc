/*
 * Text for a terminal. What comes from the service was written by others: control characters in it could move the
 * cursor, recolour or rewrite what was shown, so they are made visible.
 */

const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A text whose control and direction characters are visible; line breaks and tabs stay. */
export function safeText(text: string): string {
  return text.replaceAll(UNSAFE, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ""}}`);
}

/** A text in one line. */
export function oneLine(text: string): string {
  return safeText(text.replaceAll(/\s+/g, " ").trim());
}

let segmenter: Intl.Segmenter | null = null;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const PLAIN = /^[\u0020-\u007e]*$/;

/** The characters of a text as people see them; what is needed for it is made when it is first needed. */
function charactersOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter();
  return segmenter.segment(text);
}

/** How many columns a text takes. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const { segment } of charactersOf(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** A text that takes at most a number of columns, with a sign where it was cut. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = "";
  let width = 1;
  for (const { segment } of charactersOf(text)) {
    width += WIDE.test(segment) ? 2 : 1;
    if (width > columns) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** A text padded to a number of columns. */
export function padded(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - widthOf(text)));
}

/** The styles in use. */
const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, cyan: 36 } as const;

/** The name of a style. */
export type Style = keyof typeof STYLES;

/** Styles a text, or leaves it alone. */
export type Paint = (style: Style, text: string) => string;

/** A painter for a terminal that shows colours, or for one that does not. */
export function painter(colors: boolean): Paint {
  return colors ? (style, text) => `\u001b[${STYLES[style]}m${text}\u001b[0m` : (_style, text) => text;
}

const GOOD = new Set([
  "ok",
  "pass",
  "succeeded",
  "approved",
  "completed",
  "published",
  "active",
  "ready",
  "configured",
  "live",
]);
const BAD = new Set([
  "failed",
  "fail",
  "rejected",
  "timed_out",
  "dead",
  "revoked",
  "outcome_unknown",
  "error",
  "broken",
]);
const WAITING = new Set([
  "waiting",
  "pending",
  "running",
  "queued",
  "backoff",
  "paused",
  "degraded",
  "warning",
  "cancelling",
  "expired",
]);

/** The style of a state. */
export function styleOfState(state: string): Style | null {
  if (GOOD.has(state)) return "green";
  if (BAD.has(state)) return "red";
  return WAITING.has(state) ? "yellow" : null;
}
