import { isRecord, own } from "../values/json.ts";
import type { Place, Resolver } from "./resolve.ts";
import type { Union } from "./shape.ts";

/*
 * OpenAPI's inheritance: a base schema names its subtypes in the mapping of its discriminator, and each subtype includes the
 * base. A reference to the base means one of the subtypes.
 */

/** Finds the subtypes of base schemas. */
export class Subtypes {
  readonly #resolver: Resolver;
  /** The same places for the same mapping: fields are recognised by them. */
  readonly #known = new Map<object, readonly Place[]>();

  constructor(resolver: Resolver) {
    this.#resolver = resolver;
  }

  /** The subtypes as alternatives; null where there are none, or where the base is being looked at as a part of one. */
  of(place: Place, get: (keyword: string) => unknown, seen: ReadonlySet<string>): Union | null {
    const discriminator = get("discriminator");
    const mapping = isRecord(discriminator) ? own(discriminator, "mapping") : undefined;
    if (!isRecord(discriminator) || !isRecord(mapping)) return null;
    const branches = this.#places(place, mapping);
    const inSubtype = branches.some((branch) => {
      const followed = this.#resolver.reference(branch);
      return followed && "place" in followed.found && seen.has(this.#resolver.keyOf(followed.found.place));
    });
    return branches.length < 2 || inSubtype ? null : { kind: "oneOf", owner: place, branches, discriminator };
  }

  #places(place: Place, mapping: Record<string, unknown>): readonly Place[] {
    const known = this.#known.get(mapping);
    if (known) return known;
    const targets = new Set<string>();
    for (const value of Object.values(mapping)) {
      const reference = typeof value === "string" ? this.#reference(value, place) : null;
      if (reference !== null) targets.add(reference);
    }
    const places = [...targets].map(($ref): Place => ({
      ...place,
      schema: { $ref },
      pointer: `${place.pointer}/discriminator`,
    }));
    this.#known.set(mapping, places);
    return places;
  }

  /** A mapping leads to a schema by reference or by name; null when it leads nowhere, or back to the base itself. */
  #reference(value: string, place: Place): string | null {
    const isName = /^[\w.-]+$/.test(value);
    const tried = isName
      ? ["$defs", "definitions", "components/schemas"].map((holder) => `#/${holder}/${value}`)
      : [value];
    for (const reference of tried) {
      const found = this.#resolver.follow(reference, place);
      if ("place" in found && found.place.schema !== place.schema) return reference;
    }
    return null;
  }
}
