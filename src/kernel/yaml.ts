import { isMap, isScalar, parseDocument, visit, type Document } from "yaml";

/** How YAML of callers is read. */
export interface YamlOptions {
  /** How often aliases may be expanded; 0 refuses them. */
  readonly maxAliasCount: number;
}

/**
 * The value of a YAML 1.2 text. Throws when it is not YAML, has a key twice, or has a part that contains itself. The library compares each key with all
 * keys before it, which is quadratic, so keys are compared here.
 */
export function readYaml(text: string, { maxAliasCount }: YamlOptions): unknown {
  const document = parseDocument(text, {
    version: "1.2",
    schema: "core",
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
  });
  const [problem] = document.errors;
  if (problem) throw problem;
  refuseDuplicates(document);
  const value: unknown = document.toJS({ maxAliasCount });
  refuseCycles(value, new Set(), new Set());
  return value;
}

/** An alias inside what it names makes a value without end, which is no JSON. */
function refuseCycles(value: unknown, within: Set<unknown>, seen: Set<unknown>): void {
  if (typeof value !== "object" || value === null || seen.has(value)) return;
  if (within.has(value)) throw new SyntaxError("An alias stands inside the part that it names.");
  within.add(value);
  for (const part of Object.values(value)) refuseCycles(part, within, seen);
  within.delete(value);
  seen.add(value);
}

function refuseDuplicates(document: Document): void {
  visit(document, {
    Map(_key, node) {
      if (!isMap(node)) return;
      const seen = new Set<unknown>();
      for (const { key } of node.items) {
        const name = isScalar(key) ? key.value : key;
        if (seen.has(name)) throw new SyntaxError("A key stands twice in the same mapping.");
        seen.add(name);
      }
    },
  });
}
