import type { RunRecord } from "../ports/records.ts";
import type { StoreTx } from "../ports/store.ts";

/** Begins a queued run if fewer than `most` of its workflow go, and else leaves it. One transaction at a time gets here. */
export async function beginIfCapacity(tx: StoreTx, record: RunRecord, most: number): Promise<boolean> {
  const { workflowId } = record;
  if (workflowId === null) return false;
  await tx.sql?.("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [workflowId]);
  const hasRoom = (await tx.runs.goingOf(workflowId, most)) < most;
  const saved = await tx.runs.save(hasRoom ? { ...record, state: "running" } : { ...record, worker: null });
  return saved && hasRoom;
}
