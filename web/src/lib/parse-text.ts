/* JSON and YAML that a person pasted, and what is wrong with it in words that say where and how to fix it. */

const YAML_WORDS: Readonly<Record<string, string>> = {
  BAD_INDENT: "the line is indented differently from its neighbours. Use the same number of spaces",
  TAB_AS_INDENT: "the line is indented with a tab. Use spaces",
  DUPLICATE_KEY: "the same name stands twice in one object. Remove or rename one of them",
  MISSING_CHAR: "a bracket, quote or comma is missing. Close what is open",
  UNEXPECTED_TOKEN:
    "something stands here that does not belong. Put texts with special characters into quotes",
  BAD_SCALAR_START: "a text begins with a character that has a meaning in YAML. Put it into quotes",
  BLOCK_AS_IMPLICIT_KEY:
    "a name is followed by a second one on the same line. Put it on a line of its own, or quote the text",
  MULTILINE_IMPLICIT_KEY: "a name has no colon after it. Add the colon, or quote the text",
  BLOCK_IN_FLOW:
    "a list or object begins inside brackets without brackets of its own. Close the brackets first",
  MULTIPLE_DOCS: "the text has several documents. Paste one of them",
  BAD_ALIAS: "a reference (*) names nothing that was defined. Write the value itself",
  BAD_DQ_ESCAPE: "a backslash in quotes is followed by an unknown letter. Write it twice",
};

/** Reads JSON or YAML. Throws an Error whose message says what is wrong, where, and how to fix it. */
export async function parseText(text: string): Promise<unknown> {
  const begins = text.trimStart().charAt(0);
  let jsonError: unknown;
  try {
    return JSON.parse(text);
  } catch (error) {
    jsonError = error;
  }
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text, { prettyErrors: true });
  const [problem] = document.errors;
  if (problem === undefined) {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    if (typeof value === "object" && value !== null) return value;
    throw new Error("This is neither JSON nor YAML: it is only text. Paste a whole document.");
  }
  if (begins === "{" || begins === "[") throw new Error(jsonWords(jsonError, text));
  const [place] = problem.linePos ?? [];
  const where = place === undefined ? "" : ` in line ${place.line}, column ${place.col}`;
  const what = YAML_WORDS[problem.code] ?? "it cannot be read. Look at the line before it, too";
  throw new Error(`This is not valid YAML${where}: ${what}.`);
}

/** Browsers say the position in characters; a person counts lines. */
function jsonWords(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : "";
  const position = /position (\d+)/.exec(message)?.[1];
  const at = position === undefined ? text.length : Number(position);
  const before = text.slice(0, at).split("\n");
  const where = `in line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  if (position === undefined || at >= text.trimEnd().length)
    return `This is not valid JSON: it ends too early ${where}. A bracket or quote is not closed.`;
  const found = text.charAt(at);
  return `This is not valid JSON ${where}: ${JSON.stringify(found)} does not belong there. Look for a missing comma or quote before it, or a comma too many.`;
}
