/* Linear whatever the text is, unlike a regular expression with two ends to look for. */

/** The text with each `{name}` replaced. A brace without its other half stays as it is. */
export function replaceBraces(text: string, replacement: (name: string, whole: string) => string): string {
  return replaceEnclosed(text, "{", "}", replacement);
}

/** The text with everything from an opening character to the next closing one replaced. */
export function replaceEnclosed(
  text: string,
  opening: string,
  closing: string,
  replacement: (inner: string, whole: string) => string,
): string {
  const parts: string[] = [];
  let from = 0;
  for (let open = text.indexOf(opening); open !== -1; open = text.indexOf(opening, from)) {
    const close = text.indexOf(closing, open);
    if (close === -1) break;
    parts.push(text.slice(from, open), replacement(text.slice(open + 1, close), text.slice(open, close + 1)));
    from = close + 1;
  }
  return parts.length === 0 ? text : parts.join("") + text.slice(from);
}
