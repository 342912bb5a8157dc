import { digestOf } from "../kernel/canonical-json.ts";
import { recordChange, recordEntry } from "../audit/record.ts";
import type { PersonRecord } from "../ports/people.ts";
import type { Provenance } from "../ports/provenance.ts";
import type { StoreTx } from "../ports/store.ts";

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
): Promise<void> {
  const { id, role, state, revision } = person;
  await recordChange(tx, provenance, {
    action: `person.${change}`,
    by,
    subject: `people/${id}`,
    data: { id, role, state, revision, by },
    fact: {
      kind: "person",
      subjectId: id,
      digest: digestOf({ id, email: person.email, name: person.name, role, state, revision }),
      privacy: "restricted",
      predicate: { change, id, role, state, revision, by },
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

/**
 * Writes that a sign-in was refused. Only the audit list has it: strangers could make the log and the events grow. What was
 * typed is not kept, because people type passwords into the wrong field.
 */
export async function recordRefusal(
  tx: StoreTx,
  personId: string | null,
  method: string,
  address: string,
): Promise<void> {
  await recordEntry(tx, {
    action: "session.refused",
    by: "anonymous",
    subject: personId === null ? "people/unknown" : `people/${personId}`,
    detail: { method, address },
    provenanceId: null,
  });
}
