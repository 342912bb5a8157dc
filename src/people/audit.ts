import { digestOf } from "../kernel/canonical-json.ts";
import type { PersonRecord } from "../ports/people.ts";
import type { Provenance } from "../ports/provenance.ts";
import type { StoreTx } from "../ports/store.ts";

/** What happened to a person's rights. */
type PersonChange = "invited" | "joined" | "updated" | "disabled" | "enabled" | "link_made" | "password_set";

/** Writes who changed whose rights: an event, and a record in the provenance log, which stays for good. */
export async function recordPerson(
  tx: StoreTx,
  provenance: Provenance,
  person: PersonRecord,
  change: PersonChange,
  by: string,
): Promise<void> {
  const { id, role, state, revision } = person;
  await tx.events.append([
    {
      type: `svc.person.${change}`,
      subject: `people/${id}`,
      data: { id, role, state, revision, by },
      publicData: null,
      traceparent: null,
    },
  ]);
  await provenance.append(tx, [
    {
      kind: "person",
      subjectId: id,
      digest: digestOf({ id, email: person.email, name: person.name, role, state, revision }),
      privacy: "restricted",
      predicate: { change, id, role, state, revision, by },
    },
  ]);
}

/** Writes that sessions began or ended. */
export async function recordSessions(
  tx: StoreTx,
  personId: string,
  sessionIds: readonly string[],
  change: "created" | "revoked",
  why: string,
  by: string,
): Promise<void> {
  await tx.events.append(
    sessionIds.map((id) => ({
      type: `svc.session.${change}`,
      subject: `people/${personId}`,
      data: { id, personId, why, by },
      publicData: null,
      traceparent: null,
    })),
  );
}
