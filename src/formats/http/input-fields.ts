import { isJsonObject, isList, type Json, type JsonObject } from "../../kernel/json.ts";

/** What is known about the value at a place: only what every use of it allows. */
type Kind = "string" | "number" | "boolean";

interface Place {
  readonly fields: Map<string, Place>;
  readonly kinds: Set<Kind>;
}

/** What can be sent where nothing is known; a form asks for the kind and then for the value. */
const ANYTHING = ["string", "number", "boolean", "array", "object"];
/** Parts of a request that are text, whatever is put into them. */
const TEXT_PARTS = new Set(["path", "query", "header", "headers", "cookie"]);
const MAX_FIELDS = 500;
/** An input in an expression, the fields that follow it, and what it is compared with or called with. */
const IN_EXPRESSION =
  /\binputs((?:\.[A-Za-z_]\w{0,99}){1,12})(?:\s*(?:[<>]=?|[=!]=)\s*("|-?\d|true\b|false\b)|(\())?/g;

/** The fields of inputs that steps use, as a schema for each input, so that a form can ask for them. */
export function usedFields(nodes: readonly Json[]): ReadonlyMap<string, JsonObject> {
  const root: Place = { fields: new Map(), kinds: new Set() };
  let left = MAX_FIELDS;
  const note = (path: readonly string[], kind?: Kind) => {
    let at = root;
    for (const name of path) {
      const known = at.fields.get(name);
      if (known === undefined && left-- <= 0) return;
      const next = known ?? { fields: new Map<string, Place>(), kinds: new Set<Kind>() };
      at.fields.set(name, next);
      at = next;
    }
    if (kind !== undefined) at.kinds.add(kind);
  };
  const walk = (value: Json, isText: boolean): void => {
    if (isList(value)) for (const item of value) walk(item, isText);
    else if (typeof value === "string") expression(value, note);
    else if (isJsonObject(value)) {
      const reference = value["$ref"];
      if (typeof reference === "string") {
        const path = pathOf(reference);
        if (path !== null) note(path, isText ? "string" : undefined);
        return;
      }
      for (const [key, item] of Object.entries(value)) walk(item ?? null, isText || TEXT_PARTS.has(key));
    }
  };
  for (const node of nodes) walk(node, false);
  return new Map([...root.fields].map(([name, place]) => [name, schemaOf(place)]));
}

function expression(text: string, note: (path: readonly string[], kind?: Kind) => void): void {
  for (const [, dotted = "", literal = "", call = ""] of text.matchAll(IN_EXPRESSION)) {
    const path = dotted.slice(1).split(".");
    // What is called is a function of text or of a list, not a field.
    if (call !== "") note(path.slice(0, -1));
    else if (literal === "") note(path);
    else note(path, literal === '"' ? "string" : /^[tf]/.test(literal) ? "boolean" : "number");
  }
}

/** The steps of a reference to an input; null when it is to something else, or to an item of a list. */
function pathOf(reference: string): readonly string[] | null {
  const found = /^\$inputs\.(\w+)(?:#\/(.*))?$/.exec(reference);
  if (found === null) return null;
  const fields = (found[2] ?? "").split("/").filter((part) => part !== "");
  const item = fields.findIndex((part) => /^\d+$/.test(part));
  const named = item < 0 ? fields : fields.slice(0, item);
  return [found[1] ?? "", ...named.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))];
}

function schemaOf({ fields, kinds }: Place): JsonObject {
  if (fields.size > 0)
    return {
      type: "object",
      properties: Object.fromEntries([...fields].map(([name, place]) => [name, schemaOf(place)])),
      required: [...fields.keys()],
    };
  const [only] = kinds;
  return { type: only !== undefined && kinds.size === 1 ? only : ANYTHING };
}
