import { runOf } from "../events/cloud-event.ts";
import { runHasEnded } from "../model/states.ts";
import type { Services } from "../ports/services.ts";

const BATCH = 200;
const MOST_WAITS = 1_000;

/**
 * Follows the outbox for steps that wait for an event: runs that may have got theirs are looked at, the others are noted
 * as read up to here. Says whether one of them came further.
 */
export async function followWaits({ store, engine }: Services): Promise<boolean> {
  const waits = await store.read.signals.waits(MOST_WAITS);
  const [first] = waits;
  if (first === undefined) return false;
  const events = await store.read.events.after(first.seen, BATCH);
  const last = events.at(-1);
  if (last === undefined) return false;
  const matched = new Set<string>();
  let moved = false;
  for (const wait of waits) {
    const { runId, stepId, type, seen } = wait;
    if (seen >= last.sequence) continue;
    const isMatch = events.some(
      (event) => event.sequence > seen && event.type === type && runOf(event) !== runId,
    );
    if (isMatch) {
      const run = await store.read.runs.get(runId);
      if (run !== null && !runHasEnded(run.state)) {
        matched.add(runId);
        continue;
      }
    }
    await store.transact((tx) =>
      isMatch ? tx.signals.stopListening(runId, stepId) : tx.signals.saw({ ...wait, seen: last.sequence }),
    );
    moved = true;
  }
  if (matched.size > 0) await engine.lookAt([...matched]);
  return moved;
}
