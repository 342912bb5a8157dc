import type { HandoffRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import { handoffEvent, handoffFact } from "./journal.ts";

/** Stores a received packet once, with its event and its provenance, and gives what is stored under its id. */
export function storeAccepted(
  { store, provenance }: Pick<Services, "store" | "provenance">,
  record: HandoffRecord,
  traceparent: string,
): Promise<HandoffRecord | null> {
  return store.transact(async (tx) => {
    if (!(await tx.handoffs.insert(record))) return tx.handoffs.get(record.id, "in");
    await tx.events.append([handoffEvent(record, traceparent)]);
    await provenance.append(tx, [handoffFact(record)]);
    return record;
  });
}
