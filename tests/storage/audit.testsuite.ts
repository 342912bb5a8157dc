import assert from "node:assert/strict";
import { describe } from "node:test";
import type { NewAuditEntry } from "../../src/ports/audit.ts";
import type { Store } from "../../src/ports/store.ts";

function sampleEntry(changes: Partial<NewAuditEntry> = {}): NewAuditEntry {
  return {
    action: "person.invited",
    actor: "person_1",
    subject: "people/person_2",
    detail: { role: "editor" },
    provenanceId: null,
    ...changes,
  };
}

/** What the audit list must do on every database. */
export function auditSuite(
  name: string,
  check: (title: string, body: (store: Store) => Promise<void>) => void,
): void {
  describe(`${name}: audit list`, () => {
    check("gives entries newest first, page by page, each once", async (store) => {
      const subjects = Array.from({ length: 7 }, (_, nth) => `people/person_${nth}`);
      for (const subject of subjects)
        await store.transact((tx) => tx.audit.append([sampleEntry({ subject })]));
      const seen: string[] = [];
      let cursor: string | null | undefined;
      do {
        const page = await store.read.audit.list({ limit: 3, ...(cursor && { cursor }) });
        assert.ok(page.items.length <= 3);
        seen.push(...page.items.map((entry) => entry.subject));
        cursor = page.nextCursor;
      } while (cursor !== null);
      assert.deepEqual(seen, subjects.toReversed());
    });

    check("filters by actor, action, kind, subject and time, all together", async (store) => {
      await store.transact((tx) =>
        tx.audit.append([
          sampleEntry(),
          sampleEntry({ action: "person.disabled" }),
          sampleEntry({ action: "personnel.invited", actor: "key_1" }),
          sampleEntry({ action: "group.created", subject: "groups/group_1", actor: "key_1" }),
        ]),
      );
      const actions = async (filter: Parameters<typeof store.read.audit.list>[1]) =>
        (await store.read.audit.list({ limit: 50 }, filter)).items.map((entry) => entry.action).sort();
      assert.deepEqual(await actions({ action: "person.*" }), ["person.disabled", "person.invited"]);
      assert.deepEqual(await actions({ action: "person.invited" }), ["person.invited"]);
      assert.deepEqual(await actions({ actor: "key_1" }), ["group.created", "personnel.invited"]);
      assert.deepEqual(await actions({ actor: "key_1", subject: "groups/group_1" }), ["group.created"]);
      assert.deepEqual(await actions({ actor: "person_1", subject: "groups/group_1" }), []);
      const [newest] = (await store.read.audit.list({ limit: 1 })).items;
      const at = newest?.createdAt ?? "";
      assert.equal((await actions({ from: at })).length, 4);
      assert.equal((await actions({ to: at })).length, 0);
    });

    check("keeps what an entry says, and rolls back with its change", async (store) => {
      const entry = sampleEntry({ detail: { name: "Ünï", nested: { list: [1, null] } } });
      await store.transact((tx) => tx.audit.append([entry]));
      await assert.rejects(
        store.transact(async (tx) => {
          await tx.audit.append([sampleEntry({ subject: "people/lost" })]);
          throw new Error("rolled back");
        }),
      );
      const { items } = await store.read.audit.list({ limit: 10 });
      assert.equal(items.length, 1);
      const { id, createdAt, ...kept } = items[0] ?? { id: "", createdAt: "" };
      assert.deepEqual(kept, entry);
      assert.match(id, /^audit_/);
      assert.ok(Date.parse(createdAt) > 0);
    });

    check("refuses an entry that names a provenance record that does not exist", async (store) => {
      await assert.rejects(
        store.transact((tx) => tx.audit.append([sampleEntry({ provenanceId: "prov_missing" })])),
      );
    });

    check("trims one action before a time and nothing else", async (store) => {
      await store.transact((tx) =>
        tx.audit.append([sampleEntry(), sampleEntry({ action: "session.refused" })]),
      );
      const refusals = async () =>
        (await store.read.audit.list({ limit: 10 }, { action: "session.refused" })).items.length;
      const newer = Array.from({ length: 4 }, () => sampleEntry({ action: "session.refused" }));
      await store.transact((tx) => tx.audit.append(newer));
      await store.transact((tx) => tx.audit.trim("session.refused", "2000-01-01", 5));
      assert.equal(await refusals(), 5);
      await store.transact((tx) => tx.audit.trim("session.refused", "2000-01-01", 2));
      assert.equal(await refusals(), 2);
      await store.transact((tx) => tx.audit.trim("session.refused", "9999-01-01", 5));
      const { items } = await store.read.audit.list({ limit: 10 });
      assert.deepEqual(
        items.map((entry) => entry.action),
        ["person.invited"],
      );
    });
  });
}
