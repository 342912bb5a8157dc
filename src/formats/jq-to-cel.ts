import { compileExpression } from "../workflows/expressions.ts";

const TOKEN =
  /\s+|(?<path>(?:\$workflow\.input|\$input)?(?:\.[A-Za-z_][A-Za-z0-9_]*)+)|(?<text>"(?:[^"\\]|\\["\\/bfnrt])*")|(?<number>-?\d+(?:\.\d+)?)|(?<word>and|or|not|true|false|null)\b|(?<sign>==|!=|<=|>=|<|>|\(|\)|\+|-|\*|\/|%)/y;

/** What stands between `${` and `}`, or the text itself when it is not wrapped. */
export function unwrap(text: string): string | null {
  const trimmed = text.trim();
  return trimmed.startsWith("${") && trimmed.endsWith("}") ? trimmed.slice(2, -1).trim() : null;
}

/** A path into the workflow's input, as `.a.b` or `$workflow.input.a.b`; null for anything else. */
export function inputPath(jq: string): readonly string[] | null {
  const match = /^(?:\$workflow\.input|\$input)?((?:\.[A-Za-z_][A-Za-z0-9_]*)+)$/.exec(jq.trim());
  return match === null ? null : (match[1] ?? "").split(".").slice(1);
}

/** CEL that means the same as a simple jq condition over the input; null when there is none. */
export function jqToCel(jq: string): string | null {
  const parts: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < jq.length) {
    const groups = TOKEN.exec(jq)?.groups;
    if (groups === undefined) return null;
    const { path, text, number, word, sign } = groups;
    if (path !== undefined) parts.push(`inputs.${(inputPath(path) ?? []).join(".")}`);
    else if (word === "and") parts.push("&&");
    else if (word === "or") parts.push("||");
    else if (word === "not") return null;
    else {
      const kept = text ?? number ?? word ?? sign;
      if (kept !== undefined) parts.push(kept);
    }
  }
  const cel = parts.join(" ");
  return cel !== "" && compileExpression(cel).ok ? cel : null;
}
