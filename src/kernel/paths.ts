/** Words of CEL that cannot follow a dot there. */
const RESERVED = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

/** A path with further parts: names with a dot, positions and other names in brackets. */
export function pathText(path: string, parts: readonly string[]): string {
  return parts.reduce((text, part) => {
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(part) && !RESERVED.has(part)) return `${text}.${part}`;
    return /^(0|[1-9][0-9]{0,8})$/.test(part) ? `${text}[${part}]` : `${text}[${JSON.stringify(part)}]`;
  }, path);
}

/** The segments of a JSON Pointer, unescaped; null when an escape is wrong. */
export function pointerSegments(pointer: string): readonly string[] | null {
  if (pointer === "") return [];
  const segments = pointer.split("/").slice(1);
  if (!pointer.includes("~")) return segments;
  if (segments.some((part) => /~(?![01])/.test(part))) return null;
  return segments.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** A name as a segment of a JSON Pointer. */
export function pointerSegment(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
