/** A function of expressions, as a person reads it. */
interface ExpressionFunction {
  readonly name: string;
  /** How it is called and what it gives, such as `text.contains(part) → yes/no`. */
  readonly signature: string;
  readonly about: string;
  /** Called on something, after a dot. */
  readonly isMember: boolean;
}

/** The functions that are offered and explained while an expression is typed. */
export const FUNCTIONS: readonly ExpressionFunction[] = [
  ["size", "size(list or text) → number", "How many items or characters"],
  ["has", "has(path) → yes/no", "Whether something is there"],
  ["string", "string(value) → text", "As text"],
  ["int", "int(value) → number", "As a whole number"],
  ["double", "double(value) → number", "As a number"],
  ["fits", "fits(value, schema) → yes/no", "Whether a value fits a JSON Schema"],
  ["contains", "text.contains(part) → yes/no", "Whether a text holds another"],
  ["startsWith", "text.startsWith(part) → yes/no", "Whether a text begins with another"],
  ["endsWith", "text.endsWith(part) → yes/no", "Whether a text ends with another"],
  ["map", "list.map(x, expression) → list", "A list made from another"],
  ["filter", "list.filter(x, condition) → list", "The items for which a condition holds"],
  ["all", "list.all(x, condition) → yes/no", "Whether a condition holds for all items"],
  ["exists", "list.exists(x, condition) → yes/no", "Whether a condition holds for some item"],
].map(([name = "", signature = "", about = ""]) => ({
  name,
  signature,
  about,
  isMember: !signature.startsWith(`${name}(`),
}));

/** The call around a place of an expression. */
interface Call {
  readonly known: ExpressionFunction;
  /** Where the name of the function begins. */
  readonly from: number;
  /** Which argument stands at the place, from 0. */
  readonly argument: number;
}

/** The innermost call of a known function around a place; null when there is none. */
export function callAt(text: string, place: number): Call | null {
  const bare = withoutTexts(text.slice(0, place));
  let depth = 0;
  let argument = 0;
  for (let at = bare.length - 1; at >= 0; at--) {
    const letter = bare[at] ?? "";
    if (")]}".includes(letter)) depth++;
    else if ("[{".includes(letter)) {
      // Inside of a list or an object that is an argument, its commas belong to it.
      if (depth === 0) argument = 0;
      else depth--;
    } else if (letter === "," && depth === 0) argument++;
    else if (letter === "(") {
      if (depth > 0) {
        depth--;
        continue;
      }
      const name = nameBefore(bare, at);
      const known = FUNCTIONS.find((item) => item.name === name);
      if (known !== undefined) return { known, from: at - name.length, argument };
      argument = 0;
    }
  }
  return null;
}

/** The expression with its texts blanked out: brackets and commas inside of them do not count. */
function withoutTexts(text: string): string {
  let bare = "";
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? "";
    if (quote === "") {
      if (letter === '"' || letter === "'") quote = letter;
      bare += quote === "" ? letter : " ";
      continue;
    }
    bare += " ";
    if (letter === "\\") {
      bare += " ";
      at++;
    } else if (letter === quote) quote = "";
  }
  return bare;
}

function nameBefore(text: string, end: number): string {
  let from = end;
  while (from > 0 && /\w/.test(text[from - 1] ?? "")) from--;
  return text.slice(from, end);
}

/** A signature in three parts: what stands before the argument that is typed, that argument, and the rest. */
export function aroundArgument(
  { signature }: ExpressionFunction,
  argument: number,
): readonly [string, string, string] {
  const open = signature.indexOf("(") + 1;
  const close = signature.indexOf(")");
  const names = signature.slice(open, close).split(", ");
  const at = Math.min(argument, names.length - 1);
  const before = names.slice(0, at).map((name) => `${name}, `);
  const after = names.slice(at + 1).map((name) => `, ${name}`);
  return [
    signature.slice(0, open) + before.join(""),
    names[at] ?? "",
    after.join("") + signature.slice(close),
  ];
}
