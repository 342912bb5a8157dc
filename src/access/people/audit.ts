import { digestOf } from "../../kernel/canonical-json.ts";
import { recordChange, recordEntry } from "../../audit/record.ts";
import { grantedScopes, type ConnectedClient } from "../../ports/oauth.ts";
import type { PersonRecord } from "../../ports/people.ts";
import type { Provenance } from "../../ports/provenance.ts";
import type { StoreTx } from "../../ports/store.ts";

/** What happened to a person's rights. */
type PersonChange =
  | "invited"
  | "joined"
  | "updated"
  | "disabled"
  | "enabled"
  | "link_made"
  | "password_set"
  | "recovery_codes_made";

/** Writes who changed whose rights: an event, and a record in the provenance log, which stays for good. */
export async function recordPerson(
  tx: StoreTx,
  provenance: Provenance,
  person: PersonRecord,
  change: PersonChange,
  by: string,
  /** What ended with it, counted. */
  ended: Readonly<Record<string, number>> = {},
): Promise<void> {
  const { id, role, state, revision } = person;
  const more = Object.keys(ended).length === 0 ? {} : { ended: { ...ended } };
  await recordChange(tx, provenance, {
    action: `person.${change}`,
    by,
    subject: `people/${id}`,
    data: { id, role, state, revision, by, ...more },
    fact: {
      kind: "person",
      subjectId: id,
      digest: digestOf({ id, email: person.email, name: person.name, role, state, revision }),
      privacy: "restricted",
      predicate: { change, id, role, state, revision, by, ...more },
    },
  });
}

/** Writes that sessions began or ended. */
export async function recordSessions(
  tx: StoreTx,
  provenance: Provenance,
  personId: string,
  sessionIds: readonly string[],
  change: "created" | "revoked",
  why: string,
  by: string,
): Promise<void> {
  for (const id of sessionIds) {
    const data = { id, personId, why, by };
    await recordChange(tx, provenance, {
      action: `session.${change}`,
      by,
      subject: `people/${personId}`,
      data,
      fact: {
        kind: "session",
        subjectId: personId,
        digest: digestOf({ change, ...data }),
        privacy: "restricted",
        predicate: { change, ...data },
      },
    });
  }
}

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

/** Writes that a connected client was disconnected. */
export function recordDisconnected(
  tx: StoreTx,
  provenance: Provenance,
  client: ConnectedClient,
  by: string,
): Promise<void> {
  const { grantId, personId, clientId, name } = client;
  const what = { grantId, personId, clientId, name, scopes: grantedScopes(client), by };
  return recordClient(tx, provenance, { change: "disconnected", ...what });
}

/** Disconnects every client of a person inside a transaction; gives those that were. */
export async function disconnectAll(
  tx: StoreTx,
  provenance: Provenance,
  personId: string,
  by: string,
): Promise<readonly ConnectedClient[]> {
  const clients = await tx.oauth.clients(personId);
  for (const client of clients) {
    await tx.oauth.removeGrant(client.grantId);
    await recordDisconnected(tx, provenance, client, by);
  }
  return clients;
}

/**
 * Writes that a sign-in was refused. Only the audit list has it: strangers could make the log and the events grow. What was
 * typed is not kept, because people type passwords into the wrong field.
 */
export async function recordRefusal(
  tx: StoreTx,
  personId: string | null,
  method: string,
  address: string,
  by = "anonymous",
): Promise<void> {
  await recordEntry(tx, {
    action: "session.refused",
    by,
    subject: personId === null ? "people/unknown" : `people/${personId}`,
    detail: { method, address },
    provenanceId: null,
  });
}
