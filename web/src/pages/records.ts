import { textAt, type Bag } from "../lib/read.ts";

/** Where a record stands, under whichever of the two names a view gives it. */
export function stateOf(record: Bag): string {
  return textAt(record, "state", textAt(record, "status", "unknown"));
}
