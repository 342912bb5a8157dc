import type { Dialect } from "./document.ts";
import { isRecord, own, pointerToken, pointerTokens } from "./json.ts";

/** A schema together with where it stands, so that the references in it can be followed. */
export interface Place {
  readonly schema: unknown;
  /** JSON Pointer from the root of its document. */
  readonly pointer: string;
  readonly resource: Resource;
  /** Keywords that are handled elsewhere and count as absent here, as `|a|b|`. */
  readonly skip?: string;
}

/** The same place with keywords left out. */
export function skipping(place: Place, ...keywords: readonly string[]): Place {
  let skip = place.skip ?? "|";
  for (const keyword of keywords) if (!skip.includes(`|${keyword}|`)) skip += `${keyword}|`;
  return { ...place, skip };
}

/** True when a keyword is left out at a place. */
export function skips(place: Place, keyword: string): boolean {
  return place.skip !== undefined && place.skip.includes(`|${keyword}|`);
}

/** A document, or a part of one that has an address of its own (`$id`). */
export interface Resource {
  readonly root: unknown;
  readonly uri: string;
  /** Pointer of the resource's root within its document. */
  readonly pointer: string;
}

/** What following a reference led to. */
export type Resolution =
  | { readonly place: Place }
  | { readonly failure: "remote_reference" | "unresolved_reference" };

const ROOT_URI = "https://schema.invalid/root";
const PLAIN_DATA = new Set(["const", "enum", "default", "examples", "example", "x-examples"]);
const NAME_MAPS = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
  "schemas",
]);

/** Follows references within a document, into parts that have an address of their own too. */
export class Resolver {
  readonly #root: Resource;
  readonly #idKeyword: string;
  readonly #resources = new Map<string, Resource>();
  readonly #anchors = new Map<string, Place>();
  #indexed = false;

  constructor(root: unknown, dialect: Dialect) {
    this.#idKeyword = dialect === "draft-04" || dialect === "swagger-2.0" ? "id" : "$id";
    this.#root = { root, uri: this.#uriOf(root, ROOT_URI) ?? ROOT_URI, pointer: "" };
  }

  /** The root of the document. */
  root(): Place {
    return { schema: this.#root.root, pointer: "", resource: this.#root };
  }

  /** The place of a subschema: one or more steps down. */
  child(place: Place, ...keys: (string | number)[]): Place {
    let schema: unknown = place.schema;
    let pointer = place.pointer;
    for (const key of keys) {
      if (Array.isArray(schema)) schema = schema[Number(key)];
      else schema = isRecord(schema) ? own(schema, String(key)) : undefined;
      pointer += `/${pointerToken(key)}`;
    }
    return { schema, pointer, resource: this.#resourceAt(schema, pointer, place.resource) };
  }

  /** Follows a `$ref` or `$dynamicRef`. */
  follow(reference: string, from: Place): Resolution {
    if (reference.startsWith("#/") || reference === "#")
      return this.#pointer(from.resource, reference.slice(1));
    const target = resolveUri(reference, from.resource.uri);
    if (target === null) return { failure: "unresolved_reference" };
    const [address = "", fragment = ""] = splitFragment(target);
    this.#index();
    const resource = this.#resources.get(address);
    if (!resource) {
      return { failure: reference.startsWith("#") ? "unresolved_reference" : "remote_reference" };
    }
    if (fragment === "" || fragment.startsWith("/")) return this.#pointer(resource, fragment);
    const place = this.#anchors.get(`${resource.uri}#${fragment}`);
    return place ? { place } : { failure: "unresolved_reference" };
  }

  #pointer(resource: Resource, fragment: string): Resolution {
    let place: Place = { schema: resource.root, pointer: resource.pointer, resource };
    let tokens: string[];
    try {
      tokens = pointerTokens(decodeURIComponent(fragment));
    } catch {
      tokens = pointerTokens(fragment);
    }
    for (const token of tokens) {
      const schema = place.schema;
      const there = Array.isArray(schema)
        ? Number(token) in schema
        : isRecord(schema) && Object.hasOwn(schema, token);
      if (!there) return { failure: "unresolved_reference" };
      place = this.child(place, token);
    }
    const { schema } = place;
    return isRecord(schema) || typeof schema === "boolean" ? { place } : { failure: "unresolved_reference" };
  }

  #resourceAt(schema: unknown, pointer: string, current: Resource): Resource {
    if (schema === current.root) return current;
    const uri = this.#uriOf(schema, current.uri);
    return uri === null ? current : { root: schema, uri, pointer };
  }

  #uriOf(schema: unknown, base: string): string | null {
    const id = isRecord(schema) ? own(schema, this.#idKeyword) : undefined;
    if (typeof id !== "string" || id.startsWith("#")) return null;
    return splitFragment(resolveUri(id, base) ?? "")[0] || null;
  }

  /** Addresses and anchors are collected only when the first reference needs them. */
  #index(): void {
    if (this.#indexed) return;
    this.#indexed = true;
    this.#resources.set(this.#root.uri, this.#root);
    this.#visit();
  }

  #visit(): void {
    const stack: { node: unknown; pointer: string; resource: Resource; isMap: boolean }[] = [
      { node: this.#root.root, pointer: "", resource: this.#root, isMap: false },
    ];
    for (let next = stack.pop(); next; next = stack.pop()) {
      const { node, pointer, isMap } = next;
      if (Array.isArray(node)) {
        node.forEach((item: unknown, index) =>
          stack.push({ node: item, pointer: `${pointer}/${index}`, resource: next.resource, isMap: false }),
        );
        continue;
      }
      if (!isRecord(node)) continue;
      const resource = isMap ? next.resource : this.#resourceAt(node, pointer, next.resource);
      if (!isMap) this.#note(node, pointer, resource);
      for (const [key, value] of Object.entries(node)) {
        if (!isMap && PLAIN_DATA.has(key)) continue;
        const map = !isMap && NAME_MAPS.has(key);
        stack.push({ node: value, pointer: `${pointer}/${pointerToken(key)}`, resource, isMap: map });
      }
    }
  }

  #note(node: Record<string, unknown>, pointer: string, resource: Resource): void {
    if (resource.root === node && !this.#resources.has(resource.uri))
      this.#resources.set(resource.uri, resource);
    const id = own(node, this.#idKeyword);
    const fragmentId = typeof id === "string" && id.startsWith("#") ? id.slice(1) : undefined;
    for (const anchor of [own(node, "$anchor"), own(node, "$dynamicAnchor"), fragmentId]) {
      if (typeof anchor !== "string") continue;
      const name = `${resource.uri}#${anchor}`;
      if (!this.#anchors.has(name)) this.#anchors.set(name, { schema: node, pointer, resource });
    }
  }
}

function splitFragment(uri: string): readonly string[] {
  const at = uri.indexOf("#");
  return at < 0 ? [uri, ""] : [uri.slice(0, at), uri.slice(at + 1)];
}

function resolveUri(reference: string, base: string): string | null {
  return URL.parse(reference, base)?.href ?? null;
}
