import { digestOf } from "../kernel/canonical-json.ts";
import type { Provenance } from "../ports/provenance.ts";
import type { StoreTx } from "../ports/store.ts";

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
  await tx.events.append([
    {
      type: `svc.client.${change}`,
      subject: `people/${personId}`,
      data,
      publicData: null,
      traceparent: null,
    },
  ]);
  await provenance.append(tx, [
    {
      kind: "person",
      subjectId: personId,
      digest: digestOf({ change: `client_${change}`, ...data }),
      privacy: "restricted",
      predicate: { change: `client_${change}`, ...data },
    },
  ]);
}
