import { pointerSegment } from "../kernel/paths.ts";
/*
 * Runs only after a duplicate was found by counting, so it may be slow; the text is known to be valid JSON of bounded depth.
 */

/** The JSON Pointer of the first member whose name occurs twice in its object. */
export function duplicateMember(text: string): string {
  const stack: { readonly names: Set<string> | null; pointer: string; index: number }[] = [];
  let expectName = false;
  let name = "";
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    const top = stack.at(-1);
    if (char === '"') {
      const end = stringEnd(text, i);
      if (expectName && top?.names) {
        name = String(JSON.parse(text.slice(i, end + 1)));
        if (top.names.has(name)) return `${top.pointer}/${pointerSegment(name)}`;
        top.names.add(name);
        expectName = false;
      }
      i = end;
    } else if (char === "{" || char === "[") {
      const pointer =
        top === undefined ? "" : `${top.pointer}/${top.names ? pointerSegment(name) : top.index}`;
      stack.push({ names: char === "{" ? new Set() : null, pointer, index: 0 });
      expectName = char === "{";
    } else if (char === "}" || char === "]") {
      stack.pop();
      expectName = false;
    } else if (char === "," && top) {
      top.index++;
      expectName = top.names !== null;
    }
  }
  return "of an object";
}

function stringEnd(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length && text.charAt(i) !== '"') i += text.charAt(i) === "\\" ? 2 : 1;
  return i;
}
