import { isRecord, own, pointerToken, setOwn } from "./json.ts";
import { NAME_MAPS, PLAIN_DATA } from "./keywords.ts";

/*
 * The browser's validator knows no dynamic references. Where the whole schema settles what they mean, which is whenever
 * the root declares the anchor or only one resource does, they are written as plain ones.
 */

/** A schema whose dynamic references are plain ones. */
export interface StaticSchema {
  readonly schema: unknown;
  /** False when a dynamic reference means different things in different places; those are left out. */
  readonly complete: boolean;
}

interface Declarations {
  /** For each dynamic anchor the addresses of the resources that declare it, and where in the document. */
  readonly anchors: Map<string, { readonly base: string; readonly pointer: string }[]>;
  uses: number;
}

const ROOT = "https://schema.invalid/root";

/** Rewrites `$dynamicRef` and `$dynamicAnchor` into `$ref` and `$anchor`. A schema without any is returned as it is. */
export function withoutDynamicReferences(schema: unknown): StaticSchema {
  const found: Declarations = { anchors: new Map(), uses: 0 };
  collect(schema, ROOT, "", false, found);
  if (found.uses === 0) return { schema, complete: true };
  const root = baseOf(schema, ROOT);
  const rewriter = new Rewriter(found.anchors, root);
  // References by full address need a root that has one.
  const rewritten = rewriter.rewrite(schema, ROOT, false);
  const named =
    isRecord(rewritten) && own(rewritten, "$id") === undefined ? { $id: ROOT, ...rewritten } : rewritten;
  return { schema: named, complete: rewriter.complete };
}

class Rewriter {
  readonly #anchors: Declarations["anchors"];
  readonly #root: string;
  complete = true;

  constructor(anchors: Declarations["anchors"], root: string) {
    this.#anchors = anchors;
    this.#root = root;
  }

  rewrite(node: unknown, outer: string, isMap: boolean): unknown {
    if (Array.isArray(node)) return node.map((item: unknown) => this.rewrite(item, outer, false));
    if (!isRecord(node)) return node;
    const base = isMap ? outer : baseOf(node, outer);
    const copy: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(node)) {
      if (!isMap && PLAIN_DATA.has(key)) setOwn(copy, key, value);
      else if (!isMap && key === "$dynamicAnchor") {
        // The validator would take an anchor of an embedded resource for one of the whole.
        if (this.#anchors.get(String(value))?.length === 1) setOwn(copy, "$anchor", value);
      } else if (isMap || key !== "$dynamicRef")
        setOwn(copy, key, this.rewrite(value, base, !isMap && NAME_MAPS.has(key)));
    }
    const reference = isMap ? undefined : own(node, "$dynamicRef");
    if (typeof reference !== "string") return copy;
    const target = this.#target(reference, base);
    if (target === null) this.complete = false;
    else if (own(copy, "$ref") === undefined) copy["$ref"] = target;
    else copy["allOf"] = [...(Array.isArray(copy["allOf"]) ? copy["allOf"] : []), { $ref: target }];
    return copy;
  }

  /** What a dynamic reference means everywhere; null when that depends on the way to it. */
  #target(reference: string, base: string): string | null {
    const url = URL.parse(reference, base);
    if (!url) return reference;
    const anchor = url.hash.slice(1);
    const declaring = this.#anchors.get(anchor) ?? [];
    url.hash = "";
    // Only a reference to a dynamic anchor is a dynamic one.
    if (!declaring.some((one) => one.base === url.href)) return reference;
    const inRoot = declaring.find((one) => one.base === this.#root);
    if (inRoot) return inRoot.pointer === "" ? this.#root : `${this.#root}#${encodeURI(inRoot.pointer)}`;
    return declaring.length === 1 ? reference : null;
  }
}

function collect(node: unknown, outer: string, pointer: string, isMap: boolean, found: Declarations): void {
  if (Array.isArray(node)) {
    node.forEach((item: unknown, index) => collect(item, outer, `${pointer}/${index}`, false, found));
    return;
  }
  if (!isRecord(node)) return;
  const base = isMap ? outer : baseOf(node, outer);
  const anchor = isMap ? undefined : own(node, "$dynamicAnchor");
  if (typeof anchor === "string")
    found.anchors.set(anchor, [...(found.anchors.get(anchor) ?? []), { base, pointer }]);
  if (!isMap && typeof own(node, "$dynamicRef") === "string") found.uses += 1;
  for (const [key, value] of Object.entries(node)) {
    if (!isMap && PLAIN_DATA.has(key)) continue;
    collect(value, base, `${pointer}/${pointerToken(key)}`, !isMap && NAME_MAPS.has(key), found);
  }
}

function baseOf(node: unknown, outer: string): string {
  const id = isRecord(node) ? own(node, "$id") : undefined;
  if (typeof id !== "string") return outer;
  const url = URL.parse(id, outer);
  if (!url) return outer;
  url.hash = "";
  return url.href;
}
