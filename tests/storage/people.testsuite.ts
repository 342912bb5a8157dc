import assert from "node:assert/strict";
import { describe } from "node:test";
import type { GroupRecord } from "../../src/ports/groups.ts";
import type { PasskeyRecord } from "../../src/ports/passkeys.ts";
import type { InvitationRecord, PersonRecord, SessionRecord } from "../../src/ports/people.ts";
import type { Store } from "../../src/ports/store.ts";
import type { TokenRecord } from "../../src/ports/tokens.ts";
import { AT, sampleApproval, sampleRun } from "./store.samples.ts";

/* Long on purpose: the one suite about people that both databases must pass. */

const LATER = "2026-06-01T00:00:00.000Z";

/** A person, with whatever a test wants different. */
export function samplePerson(changes: Partial<PersonRecord> = {}): PersonRecord {
  return {
    id: "person_1",
    email: "ada@example.com",
    name: "Ada",
    role: "owner",
    state: "active",
    password: "$argon2id$…",
    revision: 1,
    createdBy: "setup",
    createdAt: AT,
    updatedBy: "setup",
    updatedAt: AT,
    lastSignInAt: null,
    ...changes,
  };
}

/** A session of the sample person. */
export function sampleSession(changes: Partial<SessionRecord> = {}): SessionRecord {
  return {
    id: "ses_1",
    personId: "person_1",
    digest: "sha256:1",
    nextDigest: null,
    nextAt: null,
    previousDigest: null,
    method: "password",
    client: "a browser",
    address: "127.0.0.1",
    createdAt: AT,
    rotatedAt: AT,
    lastUsedAt: AT,
    expiresAt: LATER,
    ...changes,
  };
}

function sampleLink(changes: Partial<InvitationRecord> = {}): InvitationRecord {
  return {
    digest: "sha256:1",
    kind: "invite",
    personId: "person_1",
    createdBy: "key_1",
    createdAt: AT,
    expiresAt: LATER,
    ...changes,
  };
}

/** What every store must do with people. */
export function peopleSuite(
  name: string,
  check: (title: string, body: (store: Store) => Promise<void>) => void,
): void {
  describe(`${name}: people`, () => {
    check(
      "come back as they were; an address is taken once; of two changes one is refused",
      async (store) => {
        const ada = samplePerson();
        const outcomes = await Promise.all(
          Array.from({ length: 5 }, (_, index) =>
            store.transact((tx) => tx.people.insert(samplePerson({ id: `person_${index + 1}` }))),
          ),
        );
        assert.equal(outcomes.filter(Boolean).length, 1);
        const stored = await store.read.people.byEmail(ada.email);
        assert.deepEqual(stored, { ...ada, id: stored?.id });
        assert.ok(stored !== null);
        const next = { ...stored, name: "Ada L.", revision: 2 };
        const changes = await Promise.all(
          Array.from({ length: 5 }, () => store.transact((tx) => tx.people.update(next, 1))),
        );
        assert.equal(changes.filter(Boolean).length, 1);
        await store.transact((tx) => tx.people.signedIn(stored.id, LATER));
        assert.deepEqual(await store.read.people.get(stored.id), { ...next, lastSignInAt: LATER });
        assert.deepEqual((await store.read.people.list({ limit: 5 })).items.length, 1);
        assert.equal(await store.read.people.count(), 1);
      },
    );

    check("of two owners who remove each other at the same time one stays", async (store) => {
      const owners = ["person_1", "person_2"].map((id) => samplePerson({ id, email: `${id}@example.com` }));
      await store.transact(async (tx) => {
        for (const owner of owners) await tx.people.insert(owner);
        await tx.people.insert(samplePerson({ id: "person_3", email: "c@example.com", state: "disabled" }));
      });
      const demote = (owner: PersonRecord): Promise<boolean> =>
        store.transact(async (tx) => {
          const active = await tx.people.owners();
          if (active.length < 2 || !active.includes(owner.id)) return false;
          return tx.people.update({ ...owner, role: "viewer", revision: 2 }, 1);
        });
      const done = await Promise.all(owners.map(demote));
      assert.equal(done.filter(Boolean).length, 1);
      assert.equal((await store.read.people.owners()).length, 1);
    });

    check("a group has one name and each member once; deleting it leaves the people", async (store) => {
      const group: GroupRecord = {
        id: "group_1",
        name: "Fin\u00c4nce",
        revision: 1,
        createdBy: "key_1",
        createdAt: AT,
        updatedBy: "key_1",
        updatedAt: AT,
      };
      const inserts = await Promise.all(
        ["fin\u00e4nce", "FIN\u00c4NCE", group.name].map((name, index) =>
          store.transact((tx) => tx.groups.insert({ ...group, id: `group_${index}`, name })),
        ),
      );
      assert.equal(inserts.filter(Boolean).length, 1);
      const kept = await store.read.groups.byName("finÄnce");
      assert.ok(kept !== null);
      await store.transact(async (tx) => {
        await tx.people.insert(samplePerson());
        assert.equal(await tx.groups.insert({ ...group, id: "group_ops", name: "ops" }), true);
        assert.equal(await tx.groups.addMember(kept.id, "person_1", "key_1", AT), true);
        assert.equal(await tx.groups.addMember(kept.id, "person_1", "key_1", AT), false);
        assert.equal(await tx.groups.addMember("group_ops", "person_1", "key_1", AT), true);
      });
      const next = { ...kept, name: "Money", revision: 2, updatedBy: "key_2", updatedAt: LATER };
      const update = (record: GroupRecord) => store.transact((tx) => tx.groups.update(record, 1));
      assert.equal(await update({ ...next, name: "OPS" }), "taken");
      const renames = await Promise.all([update(next), update(next), update(next)]);
      assert.deepEqual(renames.toSorted(), ["changed", "stale", "stale"]);
      assert.deepEqual(await store.read.groups.get(kept.id), next);
      assert.deepEqual(await store.read.groups.members(kept.id), ["person_1"]);
      assert.deepEqual(
        (await store.read.groups.ofPerson("person_1")).map(({ name }) => name),
        ["Money", "ops"],
      );
      assert.equal((await store.read.groups.list({ limit: 10 })).items.length, 2);
      await store.transact(async (tx) => {
        assert.equal(await tx.groups.removeMember("group_ops", "person_1"), true);
        assert.equal(await tx.groups.removeMember("group_ops", "person_1"), false);
        assert.equal(await tx.groups.remove(kept.id), true);
        assert.equal(await tx.groups.remove(kept.id), false);
      });
      assert.deepEqual(await store.read.groups.ofPerson("person_1"), []);
      assert.notEqual(await store.read.people.get("person_1"), null);
    });

    check("tokens end once, one by one or together, and note their use", async (store) => {
      const token: TokenRecord = {
        id: "tok_1",
        kind: "personal",
        personId: "person_1",
        name: "laptop",
        digest: "sha256:1",
        scopes: ["run", "read-private"],
        createdAt: AT,
        expiresAt: LATER,
        revokedAt: null,
        revokedBy: null,
        lastUsedAt: null,
      };
      await store.transact(async (tx) => {
        await tx.people.insert(samplePerson());
        await tx.tokens.insert(token);
        await tx.tokens.insert({ ...token, id: "tok_2", digest: "sha256:2", createdAt: LATER });
        await tx.tokens.insert({ ...token, id: "tok_3", digest: "sha256:3", kind: "service" });
      });
      await assert.rejects(store.transact((tx) => tx.tokens.insert({ ...token, id: "tok_4" })));
      assert.deepEqual(await store.read.tokens.get("tok_1"), token);
      const revoked = await Promise.all(
        Array.from({ length: 5 }, () => store.transact((tx) => tx.tokens.revoke("tok_1", AT, "person_1"))),
      );
      assert.equal(revoked.filter(Boolean).length, 1);
      await store.transact(async (tx) => {
        await tx.tokens.touch("tok_2", LATER);
        await tx.tokens.touch("tok_2", AT);
        const ended = await tx.tokens.revokeAll("person_1", LATER, "key_1");
        assert.deepEqual([...ended].toSorted(), ["tok_2", "tok_3"]);
      });
      const [newest] = await store.read.tokens.ofPerson("person_1");
      assert.deepEqual([newest?.id, newest?.lastUsedAt, newest?.revokedBy], ["tok_2", LATER, "key_1"]);
      assert.equal(await store.transact((tx) => tx.tokens.trim("person_1", LATER)), 1);
      assert.equal(await store.read.tokens.get("tok_1"), null);
    });

    check("attempts are counted together, refill and are given back", async (store) => {
      const count = (now: number) =>
        store.transact((tx) => tx.people.countAttempt("sha256:a", now, 1_000, 3));
      const first = await Promise.all(Array.from({ length: 8 }, () => count(10_000)));
      assert.equal(first.filter((wait) => wait === 0).length, 3);
      assert.deepEqual(
        first.filter((wait) => wait > 0),
        [1_000, 1_000, 1_000, 1_000, 1_000],
      );
      assert.equal(await count(10_400), 600);
      assert.equal(await count(11_000), 0);
      await store.transact((tx) => tx.people.returnAttempt("sha256:a", 1_000));
      assert.equal(await count(11_000), 0);
      assert.notEqual(await count(11_000), 0);
      assert.notEqual(await count(10_900), 0, "another process read the clock a moment before");
      assert.equal(await store.transact((tx) => tx.people.trimAttempts(13_000)), 0);
      assert.equal(await count(1_000), 0, "the clock was moved back");
      assert.equal(await count(11_000), 0);
      assert.equal(await count(11_000), 0);
      assert.equal(await count(11_000), 0);
      assert.equal(await store.transact((tx) => tx.people.trimAttempts(14_000)), 1);
    });

    check("a passkey is known once, its counter grows, a challenge is taken once", async (store) => {
      const passkey: PasskeyRecord = {
        id: "cred_1",
        personId: "person_1",
        name: "Phone",
        publicKey: "pk",
        counter: 0,
        transports: ["internal"],
        synced: true,
        createdAt: AT,
        lastUsedAt: null,
      };
      await store.transact(async (tx) => {
        await tx.people.insert(samplePerson());
        assert.equal(await tx.passkeys.insert(passkey), true);
        assert.equal(await tx.passkeys.insert({ ...passkey, name: "again" }), false);
        assert.equal(await tx.people.addIdentity("https://idp", "sub", "person_1", AT), true);
        assert.equal(await tx.people.addIdentity("https://idp", "sub", "person_1", AT), false);
      });
      assert.equal(await store.read.people.identity("https://idp", "sub"), "person_1");
      assert.equal(await store.read.people.identity("https://idp", "other"), null);
      assert.equal(await store.read.people.hasIdentity("person_1"), true);
      assert.deepEqual(await store.read.passkeys.ofPerson("person_1"), [passkey]);
      const use = (counter: number) => store.transact((tx) => tx.passkeys.used("cred_1", counter, LATER));
      assert.deepEqual([await use(0), await use(0), await use(5)], [true, true, true]);
      assert.deepEqual([await use(5), await use(4), await use(0)], [false, false, false]);
      const uses = await Promise.all([use(6), use(6), use(6)]);
      assert.equal(uses.filter(Boolean).length, 1);
      await store.transact((tx) => tx.passkeys.rename("cred_1", "Old phone"));
      const expected = { ...passkey, name: "Old phone", counter: 6, lastUsedAt: LATER };
      assert.deepEqual(await store.read.passkeys.get("cred_1"), expected);
      const challenge = { digest: "sha256:c", purpose: "sign-in", subject: "", expiresAt: LATER } as const;
      await store.transact(async (tx) => {
        await tx.passkeys.insertChallenge(challenge);
        await tx.passkeys.insertChallenge({ ...challenge, digest: "sha256:d", expiresAt: AT });
        assert.equal(await tx.passkeys.trimChallenges(AT), 1);
      });
      const taken = await Promise.all(
        Array.from({ length: 5 }, () => store.transact((tx) => tx.passkeys.takeChallenge("sha256:c"))),
      );
      assert.deepEqual(
        taken.filter((one) => one !== null),
        [challenge],
      );
      assert.equal(await store.transact((tx) => tx.passkeys.remove("cred_1")), true);
      assert.equal(await store.read.passkeys.get("cred_1"), null);
    });

    check("a link is taken once, and goes when it is over or dropped", async (store) => {
      await store.transact(async (tx) => {
        await tx.people.insert(samplePerson());
        await tx.people.insertInvitation(sampleLink());
        await tx.people.insertInvitation(sampleLink({ digest: "sha256:2", kind: "reset", expiresAt: AT }));
        await tx.people.insertInvitation(sampleLink({ digest: "sha256:3" }));
        await tx.people.insertInvitation(sampleLink({ digest: "sha256:4", kind: "owner", personId: null }));
      });
      assert.deepEqual(await store.read.people.invitation("sha256:1"), sampleLink());
      const taken = await Promise.all(
        Array.from({ length: 5 }, () => store.transact((tx) => tx.people.takeInvitation("sha256:1"))),
      );
      assert.deepEqual(
        taken.filter((link) => link !== null),
        [sampleLink()],
      );
      assert.equal(await store.transact((tx) => tx.people.trimInvitations(AT)), 1);
      await store.transact((tx) => tx.people.dropInvitations("person_1"));
      assert.equal(await store.read.people.invitation("sha256:3"), null);
      assert.equal((await store.read.people.invitation("sha256:4"))?.kind, "owner");
      await store.transact((tx) => tx.people.dropInvitations(null));
      assert.equal(await store.read.people.invitation("sha256:4"), null);
    });

    check("a recovery code counts once", async (store) => {
      await store.transact(async (tx) => {
        await tx.people.insert(samplePerson());
        await tx.people.setRecoveryCodes("person_1", ["sha256:old"]);
        await tx.people.setRecoveryCodes("person_1", ["sha256:a", "sha256:b"]);
      });
      const take = (digest: string): Promise<boolean> =>
        store.transact((tx) => tx.people.takeRecoveryCode("person_1", digest));
      const taken = await Promise.all(Array.from({ length: 5 }, () => take("sha256:a")));
      assert.equal(taken.filter(Boolean).length, 1);
      assert.equal(await take("sha256:old"), false);
      assert.equal(await store.read.people.countRecoveryCodes("person_1"), 1);
    });

    check("sessions rotate by compare-and-set, and end one by one or together", async (store) => {
      const first = sampleSession();
      await store.transact(async (tx) => {
        await tx.people.insert(samplePerson());
        await tx.people.insertSession(first);
        await tx.people.insertSession(sampleSession({ id: "ses_2", createdAt: LATER }));
        await tx.people.insertSession(sampleSession({ id: "ses_3", expiresAt: AT }));
      });
      assert.deepEqual(await store.read.people.session("ses_1"), first);
      const next = { ...first, digest: "sha256:2", previousDigest: "sha256:1", rotatedAt: LATER };
      const rotated = await Promise.all(
        Array.from({ length: 5 }, () => store.transact((tx) => tx.people.updateSession(next, "sha256:1"))),
      );
      assert.equal(rotated.filter(Boolean).length, 1);
      await store.transact((tx) => tx.people.touchSession("ses_1", LATER));
      await store.transact((tx) => tx.people.touchSession("ses_1", AT));
      assert.deepEqual(await store.read.people.session("ses_1"), { ...next, lastUsedAt: LATER });
      assert.deepEqual(
        (await store.read.people.sessions("person_1")).map(({ id }) => id),
        ["ses_2", "ses_3", "ses_1"],
      );
      const long = "2025-01-01T00:00:00.000Z";
      assert.equal(await store.transact((tx) => tx.people.trimSessions(AT, long)), 1);
      assert.deepEqual(await store.transact((tx) => tx.people.removeSessions("person_1", "ses_2")), [
        "ses_1",
      ]);
      assert.equal(await store.transact((tx) => tx.people.removeSession("ses_2")), true);
      assert.equal(await store.transact((tx) => tx.people.removeSession("ses_2")), false);
    });

    check("a person is out of office between two times and has one substitute", async (store) => {
      const absence = {
        personId: "person_1",
        substituteId: "person_2",
        fromAt: "2026-01-01T00:00:00.000Z",
        untilAt: "2026-02-01T00:00:00.000Z",
        createdAt: AT,
      };
      const other = { ...absence, untilAt: "2026-03-01T00:00:00.000Z" };
      await store.transact(async (tx) => {
        await tx.people.insert(samplePerson());
        await tx.people.insert(samplePerson({ id: "person_2", email: "two@example.com" }));
        await tx.approvals.putAbsence(absence);
        await tx.approvals.putAbsence(other);
      });
      const { approvals } = store.read;
      assert.deepEqual(await approvals.absence("person_1"), other);
      assert.deepEqual(await approvals.substitutedBy("person_2", "2026-02-15T00:00:00.000Z"), [other]);
      assert.deepEqual(await approvals.substitutedBy("person_2", other.untilAt), []);
      await assert.rejects(
        store.transact((tx) => tx.approvals.putAbsence({ ...absence, substituteId: "person_1" })),
      );
      assert.equal(await store.transact((tx) => tx.approvals.dropAbsence("person_1")), true);
      assert.equal(await approvals.absence("person_1"), null);
    });

    check(
      "a notification is written once for an event and a recipient, and claimed by one replica",
      async (store) => {
        const run = sampleRun();
        const approval = sampleApproval(run.id);
        const record = {
          id: "notification_1",
          sequence: 1,
          kind: "requested",
          approvalId: approval.id,
          channel: "email" as const,
          recipient: "person_1",
          state: "pending" as const,
          attempts: 0,
          nextAttemptAt: AT,
          lastError: null,
          createdAt: AT,
          sentAt: null,
        };
        await store.transact(async (tx) => {
          await tx.runs.putDocument(run.documentDigest, {});
          await tx.runs.insert({ ...run, workflowId: null, workflowVersion: null });
          await tx.approvals.insert(approval);
          await tx.notifications.add(record);
          await tx.notifications.add({ ...record, id: "notification_2" });
        });
        const claims = await Promise.all(
          Array.from({ length: 5 }, () => store.transact((tx) => tx.notifications.claim(AT, LATER, 10))),
        );
        assert.deepEqual(
          claims.flat().map(({ id, attempts }) => [id, attempts]),
          [["notification_1", 1]],
        );
        assert.equal(await store.read.notifications.isDue(AT), false);
        const sent = { ...record, state: "sent" as const, nextAttemptAt: null, sentAt: LATER };
        await store.transact((tx) => tx.notifications.settle(sent));
        assert.deepEqual(await store.read.notifications.ofApproval(approval.id), [{ ...sent, attempts: 1 }]);
        await assert.rejects(store.transact((tx) => tx.notifications.settle({ ...sent, sentAt: null })));
        await store.transact((tx) => tx.notifications.setCursor(7));
        assert.equal(await store.read.notifications.cursor(), 7);
        assert.equal(await store.transact((tx) => tx.notifications.trim("2099-01-01T00:00:00.000Z")), 1);
      },
    );
  });
}
