import type { JsonObject } from "../kernel/json.ts";
import type { Provenance, ProvenanceFact } from "../ports/provenance.ts";
import type { StoreTx } from "../ports/store.ts";
import type { AuditAction } from "./actions.ts";

/** A change that the audit list tells of. */
export interface AuditedChange {
  readonly action: AuditAction;
  /** The id of the caller who made it. */
  readonly by: string;
  readonly subject: string;
  /** The data of the event; nothing secret. */
  readonly data: JsonObject;
  readonly publicData?: JsonObject;
  readonly traceparent?: string;
  /** The run whose step made it: only what tools do is done by steps. */
  readonly madeIn?: string | null;
  readonly fact: ProvenanceFact;
}

/** Writes a change to the three places where it is found: the event, the provenance log and the audit list. */
export async function recordChange(
  tx: StoreTx,
  provenance: Provenance,
  change: AuditedChange,
): Promise<string | null> {
  const { action, by, subject, data, fact } = change;
  await tx.events.append([
    {
      type: `svc.${action}`,
      subject,
      data,
      publicData: change.publicData ?? null,
      traceparent: change.traceparent ?? null,
      madeIn: change.madeIn ?? null,
    },
  ]);
  const [provenanceId = null] = await provenance.append(tx, [fact]);
  await recordEntry(tx, { action, by, subject, detail: data, provenanceId });
  return provenanceId;
}

/** Writes an entry of the audit list alone, for changes whose event and provenance are written elsewhere. */
export async function recordEntry(
  tx: StoreTx,
  entry: {
    readonly action: AuditAction;
    readonly by: string;
    readonly subject: string;
    readonly detail: JsonObject;
    readonly provenanceId: string | null;
  },
): Promise<void> {
  const { action, by, subject, detail, provenanceId } = entry;
  // Who did it has a column of its own.
  const { by: _actor, ...rest } = detail;
  await tx.audit.append([{ action, actor: by, subject, detail: rest, provenanceId }]);
}
