import { isMap, isScalar, parseDocument, visit, type Document } from "yaml";

/** How YAML of callers is read. */
export interface YamlOptions {
  /** How often aliases may be expanded; 0 refuses them. */
  readonly maxAliasCount: number;
}

/**
 * The value of a YAML 1.2 text. Throws when it is not YAML or has a key twice. The library compares each key with all
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
  return value;
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
