import type { Field, FieldHints, Note } from "./document.ts";

/** Reads the hints of one schema while it is compiled; `uiHints` makes one. */
export interface HintReader {
  /** What `x-ui` in a schema says about the field made of it. */
  readonly read: (given: unknown) => FieldHints | undefined;
  /** The fields as the hints want them, and remarks on hints that have no effect. */
  readonly apply: (
    root: Field,
    definitions: ReadonlyMap<string, Field>,
  ) => {
    readonly root: Field;
    readonly definitions: ReadonlyMap<string, Field>;
    readonly notes: readonly Note[];
  };
}
