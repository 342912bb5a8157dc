/*
 * Small text operations that are linear whatever the text is. A regular expression such as `\/+$` looks at every
 * slash once for each slash before it, which is quadratic.
 */

/** The text without the run of one character at its end. */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return end === text.length ? text : text.slice(0, end);
}

/** The text without the runs of one character at both ends. */
export function withoutSurrounding(text: string, character: string): string {
  let start = 0;
  while (start < text.length && text[start] === character) start += 1;
  return withoutTrailing(start === 0 ? text : text.slice(start), character);
}

/** The beginning of a text that is too long, up to the end of a word. */
export function beginningOf(text: string, max: number): string {
  if (text.length <= max) return text;
  const words = text.slice(0, max);
  const end = Math.max(words.lastIndexOf(" "), words.lastIndexOf("\n"));
  return `${text.slice(0, end > max / 2 ? end : max - 1).trimEnd()}…`;
}

/** Text in HTML, also within an attribute. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A part of an address without its percent signs; one that is encoded wrongly stays as it is. */
export function decodedPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
