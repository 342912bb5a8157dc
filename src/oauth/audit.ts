import { digestOf } from "../kernel/canonical-json.ts";
import type { Provenance } from "../ports/provenance.ts";
import type { StoreTx } from "../ports/store.ts";
import { recordChange } from "../audit/record.ts";

/** Whose client was connected or disconnected, and with which rights. */
export interface ClientChange {
  readonly change: "connected" | "disconnected";
  readonly grantId: string;
  readonly personId: string;
  readonly clientId: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly by: string;
}

/** Writes who gave a client rights or took them away: an event, and a record in the provenance log. */
export async function recordClient(tx: StoreTx, provenance: Provenance, what: ClientChange): Promise<void> {
  const { change, grantId, personId, clientId, name, by } = what;
  const data = { id: grantId, personId, clientId, name, scopes: [...what.scopes], by };
  await recordChange(tx, provenance, {
    action: `client.${change}`,
    by,
    subject: `people/${personId}`,
    data,
    fact: {
      kind: "person",
      subjectId: personId,
      digest: digestOf({ change: `client_${change}`, ...data }),
      privacy: "restricted",
      predicate: { change: `client_${change}`, ...data },
    },
  });
}
