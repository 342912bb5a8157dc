import { isKnownIn } from "./dialect.ts";
import type { Dialect } from "./document.ts";
import { isRecord, own, pointerToken, pointerTokens } from "../values/json.ts";
import { NAME_MAPS, PLAIN_DATA, SCHEMAS } from "./keywords.ts";

/** A schema together with where it stands, so that the references in it can be followed. */
export interface Place {
  readonly schema: unknown;
  /** JSON Pointer from the root of its document. */
  readonly pointer: string;
  readonly resource: Resource;
  /** Keywords that are handled elsewhere and count as absent here, as `|a|b|`. */
  readonly skip?: string;
  /** What dynamic references mean here; absent where nothing but the root has been entered. */
  readonly scope?: Scope;
}

/**
 * The dynamic scope, as far as it matters: for each dynamic anchor the outermost resource that declares it. The anchor
 * of `$recursiveAnchor` has no name.
 */
export interface Scope {
  readonly key: string;
  readonly anchors: ReadonlyMap<string, Resource>;
}

/** The same place with keywords left out. */
export function skipping(place: Place, ...keywords: readonly string[]): Place {
  if (place.skip === undefined) return { ...place, skip: `|${keywords.join("|")}|` };
  let { skip } = place;
  for (const keyword of keywords) if (!skip.includes(`|${keyword}|`)) skip += `${keyword}|`;
  return { ...place, skip };
}

/** True when a keyword is left out at a place. */
export function skips(place: Place, keyword: string): boolean {
  return place.skip !== undefined && place.skip.includes(`|${keyword}|`);
}

/** Numbers the nodes of a document by what they say, so that parts which say the same have one number. */
class Contents {
  readonly #ids = new Map<object, number>();
  readonly #texts = new Map<string, number>();

  /** The same number for nodes that say the same, wherever they stand; each is looked at once. */
  idOf(node: unknown[] | Record<string, unknown>): number {
    let id = this.#ids.get(node);
    if (id !== undefined) return id;
    const text = Array.isArray(node) ? this.#list(node) : this.#record(node);
    id = this.#texts.get(text);
    if (id === undefined) {
      id = this.#texts.size;
      this.#texts.set(text, id);
    }
    this.#ids.set(node, id);
    return id;
  }

  #list(items: readonly unknown[]): string {
    let text = "[";
    for (const item of items) text += this.#part(item);
    return text;
  }

  #record(node: Readonly<Record<string, unknown>>): string {
    let text = "{";
    for (const key of Object.keys(node)) text += `${key.length}:${key}${this.#part(node[key])}`;
    return text;
  }

  /** A length before each string keeps two different parts from giving the same text. */
  #part(item: unknown): string {
    if (typeof item === "string") return `"${item.length}:${item}`;
    return Array.isArray(item) || isRecord(item) ? `#${this.idOf(item)},` : `${String(item)},`;
  }
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
/** Follows references within a document, into parts that have an address of their own too. */
export class Resolver {
  readonly #root: Resource;
  readonly #idKeyword: string;
  readonly #keywords: readonly string[];
  readonly #isOld: boolean;
  readonly #resources = new Map<string, Resource>();
  readonly #anchors = new Map<string, Place>();
  /** The dynamic anchors of each resource, and the scopes that were made of them. */
  readonly #dynamic = new Map<string, Set<string>>();
  readonly #scopes = new Map<string, Scope>();
  readonly #contents = new Contents();
  #indexed = false;

  constructor(root: unknown, dialect: Dialect) {
    this.#idKeyword = dialect === "draft-04" || dialect === "swagger-2.0" ? "id" : "$id";
    this.#isOld = !isKnownIn(dialect, "unevaluatedItems");
    this.#keywords = ["$ref", "$dynamicRef", "$recursiveRef"].filter((name) => isKnownIn(dialect, name));
    this.#root = { root, uri: this.#uriOf(root, ROOT_URI) ?? ROOT_URI, pointer: "" };
  }

  /** The root of the document. */
  root(): Place {
    return { schema: this.#root.root, pointer: "", resource: this.#root };
  }

  /** The same key for schemas that say the same, with the same keywords skipped, in the same resource and dynamic scope. */
  keyOf(place: Place): string {
    const { schema } = place;
    if (!isRecord(schema)) return String(schema);
    const resource = place.resource.pointer;
    const key = `${this.#contents.idOf(schema)}${place.skip ?? ""}${resource === "" ? "" : `~${resource}`}`;
    return place.scope === undefined ? key : `${key}@${place.scope.key}`;
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
    return this.#entered(
      { schema, pointer, resource: this.#resourceAt(schema, pointer, place.resource) },
      place,
    );
  }

  /** Follows the reference that a schema holds, a dynamic one by its dynamic scope; null when it holds none. */
  reference(place: Place): { readonly reference: string; readonly found: Resolution } | null {
    const { schema } = place;
    if (!isRecord(schema)) return null;
    for (const keyword of this.#keywords) {
      const reference = skips(place, keyword) ? undefined : own(schema, keyword);
      if (typeof reference !== "string") continue;
      const found = this.follow(reference, place);
      return { reference, found: keyword === "$ref" ? found : this.#dynamically(reference, found, place) };
    }
    return null;
  }

  /**
   * Where the target is named by its dynamic anchor, the outermost resource that has the same anchor is meant instead.
   * `$recursiveRef` is always `#`.
   */
  #dynamically(reference: string, found: Resolution, from: Place): Resolution {
    if (!from.scope || !("place" in found) || !isRecord(found.place.schema)) return found;
    const anchor =
      own(found.place.schema, "$recursiveAnchor") === true && reference === "#"
        ? ""
        : own(found.place.schema, "$dynamicAnchor");
    if (typeof anchor !== "string" || !reference.endsWith(`#${anchor}`)) return found;
    const outermost = from.scope.anchors.get(anchor);
    if (!outermost) return found;
    const place =
      anchor === ""
        ? { schema: outermost.root, pointer: outermost.pointer, resource: outermost }
        : this.#anchors.get(`${outermost.uri}#${anchor}`);
    return place ? { place: { ...place, scope: from.scope } } : found;
  }

  /** A place reached from another one: entering a resource adds its dynamic anchors to the scope. */
  #entered(place: Place, from: Place): Place {
    const same = place.resource === from.resource || place.resource.uri === from.resource.uri;
    const scope = same ? from.scope : this.#scopeOf(from, place.resource);
    return scope ? { ...place, scope } : place;
  }

  #scopeOf(from: Place, resource: Resource): Scope | undefined {
    this.#index();
    if (this.#dynamic.size === 0) return undefined;
    const anchors = new Map(from.scope?.anchors);
    for (const entered of [...(from.scope ? [] : [this.#root, from.resource]), resource]) {
      for (const name of this.#dynamic.get(entered.uri) ?? [])
        if (!anchors.has(name)) anchors.set(name, entered);
    }
    const key = [...anchors].map(([name, { uri }]) => `${name}=${uri}`).join(" ");
    let scope = this.#scopes.get(key);
    if (!scope) {
      scope = { key, anchors };
      this.#scopes.set(key, scope);
    }
    return scope;
  }

  /** Follows a reference by what it says, without regard to dynamic anchors. */
  follow(reference: string, from: Place): Resolution {
    const found = this.#target(reference, from);
    return "place" in found ? { place: this.#entered(found.place, from) } : found;
  }

  #target(reference: string, from: Place): Resolution {
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
    // Until draft-07 an address beside a reference says nothing, unless the part is a document with definitions.
    if (this.#isOld && isRecord(schema) && typeof own(schema, "$ref") === "string") {
      if (own(schema, "definitions") === undefined) return current;
    }
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
    // What stands under a keyword that we do not know is no schema; its addresses count where nothing else has them.
    const unknown: typeof stack = [];
    for (let next = stack.pop() ?? unknown.pop(); next; next = stack.pop() ?? unknown.pop()) {
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
        const into = isMap || map || SCHEMAS.has(key) ? stack : unknown;
        into.push({ node: value, pointer: `${pointer}/${pointerToken(key)}`, resource, isMap: map });
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
    const dynamic = own(node, "$dynamicAnchor");
    if (typeof dynamic === "string") this.#declare(resource, dynamic);
    if (resource.root === node && own(node, "$recursiveAnchor") === true) this.#declare(resource, "");
  }

  #declare(resource: Resource, anchor: string): void {
    const names = this.#dynamic.get(resource.uri) ?? new Set<string>();
    this.#dynamic.set(resource.uri, names.add(anchor));
  }
}

function splitFragment(uri: string): readonly string[] {
  const at = uri.indexOf("#");
  return at < 0 ? [uri, ""] : [uri.slice(0, at), uri.slice(at + 1)];
}

function resolveUri(reference: string, base: string): string | null {
  return URL.parse(reference, base)?.href ?? null;
}
