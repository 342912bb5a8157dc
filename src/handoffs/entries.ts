import type { ProvenanceFact } from "../ports/provenance.ts";
import type { HandoffRecord } from "../ports/records.ts";
import type { StoreTx } from "../ports/store.ts";
import { handoffEvent, handoffFact } from "./journal.ts";

/* Accepted packets as the logbook keeps them. Their events and facts are made when they are put into their tables. */

/** An accepted packet, read from the logbook. */
export interface HandoffEntry {
  readonly record: HandoffRecord;
  readonly traceparent: string;
}

/** How the entry of a packet begins, and no other. */
const MARK = "handoff ";

/** The entry of an accepted packet. */
export function handoffEntry(entry: HandoffEntry): string {
  return MARK + JSON.stringify(entry);
}

/** Reads an entry again; null when it is of another kind. */
export function readHandoffEntry(entry: string): HandoffEntry | null {
  return entry.startsWith(MARK) ? JSON.parse(entry.slice(MARK.length)) : null;
}

/** What provenance says of an accepted packet. */
export function acceptanceFact({ record }: HandoffEntry): ProvenanceFact {
  return handoffFact(record);
}

/** Writes packets and their events. A packet whose id is taken is not written; gives those that were. */
export async function writeHandoffs(
  tx: StoreTx,
  entries: readonly HandoffEntry[],
): Promise<readonly HandoffEntry[]> {
  const fresh: HandoffEntry[] = [];
  for (const entry of entries) if (await tx.handoffs.insert(entry.record)) fresh.push(entry);
  if (fresh.length > 0) {
    await tx.events.append(fresh.map(({ record, traceparent }) => handoffEvent(record, traceparent)));
  }
  return fresh;
}
