import { isRecord, own, pointerToken } from "../values/json.ts";

/** How much a schema may ask of us. */
export interface Bounds {
  /** Characters of its JSON text. */
  readonly size: number;
  readonly depth: number;
  readonly nodes: number;
  /** Only references within the schema (`#…`). */
  readonly localOnly: boolean;
  /** Fields in the form document; what does not fit is raw JSON. */
  readonly fields: number;
  /** Subschemas looked at while compiling. */
  readonly steps: number;
  /** Characters of the fields in the form, copies counted. */
  readonly characters: number;
  /** Characters of the whole form document as JSON. */
  readonly output: number;
}

/** For schemas that anybody may send. */
export const PUBLIC_BOUNDS: Bounds = {
  size: 65_536,
  depth: 32,
  nodes: 2_000,
  localOnly: true,
  fields: 1_200,
  steps: 2_500,
  characters: 500_000,
  output: 1_500_000,
};

/** For schemas of at most `size` characters: a larger one may nest deeper, and its form grow in proportion. */
export function boundsOfSize(size: number): Bounds {
  const factor = Math.max(1, size / PUBLIC_BOUNDS.size);
  const most = (bound: "nodes" | "fields" | "steps" | "characters" | "output"): number =>
    Math.min(Math.ceil(PUBLIC_BOUNDS[bound] * factor), TRUSTED_BOUNDS[bound]);
  return {
    size,
    depth: factor > 1 ? 64 : PUBLIC_BOUNDS.depth,
    nodes: most("nodes"),
    localOnly: true,
    fields: most("fields"),
    steps: most("steps"),
    characters: most("characters"),
    output: most("output"),
  };
}

/** For documents that we or an operator chose: our own, another service's OpenAPI. */
export const TRUSTED_BOUNDS: Bounds = {
  size: 16_777_216,
  depth: 256,
  nodes: 1_000_000,
  localOnly: false,
  fields: 20_000,
  steps: 120_000,
  characters: 20_000_000,
  output: 40_000_000,
};

/** Why a schema is refused: what was out of bounds, and where. */
export interface Refusal {
  readonly code: "not_a_schema" | "too_large" | "too_deep" | "too_many_nodes" | "remote_reference";
  readonly pointer: string;
  readonly message: string;
}

/** The first bound that a schema breaks, or null. Stops as soon as it knows, so a hostile schema costs little. */
export function findRefusal(schema: unknown, bounds: Bounds): Refusal | null {
  if (!isRecord(schema) && typeof schema !== "boolean") {
    return refuse("not_a_schema", "", "A schema is a JSON object, or true or false.");
  }
  let nodes = 0;
  let size = 0;
  const stack: Step[] = [{ node: schema, key: "", from: null, depth: 1, named: false }];
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { node, depth, named } = next;
    if (typeof node === "string") {
      size += node.length + 2;
      continue;
    }
    if (typeof node !== "object" || node === null) {
      size += 5;
      continue;
    }
    nodes += 1;
    if (depth > bounds.depth) {
      return refuse(
        "too_deep",
        pointerOf(next),
        `The schema is nested more than ${bounds.depth} levels deep.`,
      );
    }
    if (nodes > bounds.nodes) {
      return refuse(
        "too_many_nodes",
        pointerOf(next),
        `The schema has more than ${bounds.nodes} objects and arrays.`,
      );
    }
    if (size > bounds.size) break;
    if (Array.isArray(node)) {
      size += node.length + 1;
      if (size > bounds.size) break;
      for (let index = node.length - 1; index >= 0; index--)
        stack.push({ node: node[index], key: index, from: next, depth: depth + 1, named: false });
      continue;
    }
    if (!isRecord(node)) continue;
    const found = named ? null : refuseKeywords(node, next, bounds);
    if (found) return found;
    for (const key of Object.keys(node)) {
      size += key.length + 4;
      const map = !named && (key === "properties" || key === "patternProperties");
      stack.push({ node: node[key], key, from: next, depth: depth + 1, named: map });
    }
  }
  if (size > bounds.size)
    return refuse("too_large", "", `The schema is larger than ${bounds.size} characters.`);
  return null;
}

/** A node on the way through a schema, and the one that holds it. */
interface Step {
  readonly node: unknown;
  readonly key: string | number;
  readonly from: Step | null;
  readonly depth: number;
  /** A map whose keys are names, not keywords. */
  readonly named: boolean;
}

function pointerOf(step: Step): string {
  return step.from === null ? "" : `${pointerOf(step.from)}/${pointerToken(step.key)}`;
}

function refuseKeywords(node: Record<string, unknown>, step: Step, bounds: Bounds): Refusal | null {
  if (!bounds.localOnly) return null;
  for (const key of ["$ref", "$dynamicRef", "$recursiveRef"]) {
    const reference = own(node, key);
    if (typeof reference === "string" && isRemote(reference)) {
      return refuse(
        "remote_reference",
        `${pointerOf(step)}/${key}`,
        "Other documents are not fetched; put the definition into $defs and refer to #/$defs/name.",
      );
    }
  }
  return null;
}

/** Fragments and names relative to an `$id` inside the schema stay local; anything with an authority or a scheme leaves. */
function isRemote(reference: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(reference);
}

function refuse(code: Refusal["code"], pointer: string, message: string): Refusal {
  return { code, pointer, message };
}
