import { effectiveField, rootField, type Field, type FormDocument } from "../packages/forms/src/index.ts";

/*
 * Blanks, counted from the schema's side: what the schema lets a person fill in is looked for in the form, at any
 * depth. This walk shares nothing with the compiler, so that a part the compiler forgets is missed here.
 */

type Node = Record<string, unknown>;

const DEEPEST = 12;
const MOST = 20_000;

/** The places where the schema takes a value and the form offers no way to enter one. */
export function blankParts(schema: unknown, form: FormDocument): string[] {
  const walk = new Walk(schema, form);
  walk.visit(schema, [rootField(form)], "", 0);
  return [...walk.blanks];
}

class Walk {
  readonly blanks = new Set<string>();
  readonly #root: unknown;
  readonly #form: FormDocument;
  readonly #seen = new Map<unknown, Set<unknown>>();
  #left = MOST;

  constructor(root: unknown, form: FormDocument) {
    this.#root = root;
    this.#form = form;
  }

  visit(schema: unknown, given: readonly Field[], path: string, depth: number): void {
    this.#left -= 1;
    if (depth > DEEPEST || this.#left < 0) return;
    const parts = this.#parts(schema, 0);
    const fields = given.flatMap((field) => this.#opened(field, 0));
    // Raw JSON takes anything, and says why it is raw; what allows no value needs no field.
    if (fields.some(({ widget }) => widget === "json") || fields.every(({ widget }) => widget === "never"))
      return;
    const [first] = fields;
    const known = this.#seen.get(schema) ?? new Set();
    if (first && known.has(first)) return;
    this.#seen.set(schema, known.add(first));
    const members = new Map<string, unknown>();
    // Members of what is a text or a list apply to nothing; listed values are chosen as a whole.
    const hasMembers = parts.every(mayBeObject) && !fields.some(({ options }) => options);
    for (const part of hasMembers ? parts : []) {
      for (const [name, member] of Object.entries(record(part["properties"]) ?? {}))
        if (member !== false && !members.has(name)) members.set(name, member);
    }
    for (const [name, member] of members) {
      const children = fields.flatMap((field) => this.#children(field, name));
      const at = `${path}/${name}`;
      if (children.length === 0) this.blanks.add(at);
      else this.visit(member, children, at, depth + 1);
    }
    const isObject = parts.some(({ type }) => type === "object");
    const isClosed = parts.some(
      (part) => part["additionalProperties"] === false || part["unevaluatedProperties"] === false,
    );
    const canAdd = fields.some(({ map, widget, options }) => map || widget === "constant" || options);
    if (isObject && members.size === 0 && !isClosed && !canAdd && depth > 0) {
      const drawn = fields.some(({ children }) => (children ?? []).length > 0);
      if (!drawn) this.blanks.add(path);
    }
    for (const part of parts) {
      if (record(part["items"]) === null) continue;
      const items = fields.flatMap((field) => [
        ...(field.items ? [field.items] : []),
        ...(field.tuple ?? []),
      ]);
      const isChoice = fields.some(({ options }) => options);
      if (items.length > 0) this.visit(part["items"], items, `${path}/*`, depth + 1);
      else if (!isChoice && fields.some(({ type }) => type === "array")) this.blanks.add(`${path}/*`);
    }
  }

  /** A schema with its references and `allOf`; alternatives are left to the form, which must draw some of them. */
  #parts(schema: unknown, depth: number): Node[] {
    const node = record(schema);
    if (node === null || depth > 16) return [];
    const reference = node["$ref"];
    const target = typeof reference === "string" && reference.startsWith("#") ? this.#at(reference) : null;
    const every = Array.isArray(node["allOf"]) ? node["allOf"] : [];
    return [
      node,
      ...this.#parts(target, depth + 1),
      ...every.flatMap((part: unknown) => this.#parts(part, depth + 1)),
    ];
  }

  #at(reference: string): unknown {
    let current: unknown = this.#root;
    for (const token of reference.slice(1).split("/").slice(1)) {
      const key = decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~");
      current = Array.isArray(current) ? current[Number(key)] : record(current)?.[key];
    }
    return current;
  }

  #opened(field: Field, depth: number): Field[] {
    const actual = effectiveField(this.#form, field, undefined, undefined);
    if (depth > 6) return [actual];
    const others = [
      ...(actual.variants ?? []).map((variant) => variant.field),
      ...(actual.overrides ?? []).map((override) => override.field),
    ];
    return [actual, ...others.flatMap((other) => this.#opened(other, depth + 1))];
  }

  #children(field: Field, name: string): Field[] {
    const found = (field.children ?? []).filter((child) => child.name === name);
    const mapped = field.map ? [...field.map.patterns.map((rule) => rule.field), field.map.additional] : [];
    return found.length > 0 ? found : mapped.filter((inner) => inner !== null);
  }
}

function mayBeObject({ type }: Node): boolean {
  return type === undefined || (Array.isArray(type) ? type : [type]).includes("object");
}

function record(value: unknown): Node | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : null;
}
