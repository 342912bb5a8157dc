import assert from "node:assert/strict";
import { describe } from "node:test";
import type { CredentialRecord, OAuthFlowRecord } from "../../src/ports/records.ts";
import type { Store } from "../../src/ports/store.ts";
import { AT } from "./store.samples.ts";

const LATER = "2026-06-01T00:00:00.000Z";

function sample(changes: Partial<CredentialRecord> = {}): CredentialRecord {
  return {
    name: "github",
    owner: "",
    kind: "bearer",
    hosts: ["api.example.com", "[::1]:8443"],
    settings: { scope: "a b" },
    state: "ready",
    masterKeyId: "mk_1",
    wrappedKey: "d3JhcHBlZA==",
    sealed: "c2VhbGVk",
    revision: 1,
    tokenIssuedAt: null,
    tokenExpiresAt: null,
    leaseBy: null,
    leaseUntil: null,
    createdBy: "key_1",
    createdAt: AT,
    updatedAt: AT,
    ...changes,
  };
}

function sampleFlow(changes: Partial<OAuthFlowRecord> = {}): OAuthFlowRecord {
  return {
    stateDigest: "sha256:1",
    name: "github",
    owner: "",
    masterKeyId: "mk_1",
    wrappedKey: "d3JhcHBlZA==",
    sealed: "c2VhbGVk",
    startedBy: "key_1",
    expiresAt: LATER,
    ...changes,
  };
}

/** What every store must do with credentials. */
export function credentialSuite(
  name: string,
  check: (title: string, body: (store: Store) => Promise<void>) => void,
): void {
  describe(`${name}: credentials`, () => {
    check("come back as they were, the caller's own before the shared one", async (store) => {
      const shared = sample();
      const own = sample({ owner: "key_7", kind: "apiKey" });
      await store.transact(async (tx) => {
        assert.equal(await tx.credentials.insert(shared), true);
        assert.equal(await tx.credentials.insert(own), true);
        assert.equal(await tx.credentials.insert(sample({ sealed: "other" })), false);
      });
      const { credentials } = store.read;
      assert.deepEqual(await credentials.get(shared), shared);
      assert.deepEqual(await credentials.find("github", "key_7"), own);
      assert.deepEqual(await credentials.find("github", "key_8"), shared);
      assert.equal(await credentials.find("gitlab", "key_7"), null);
      assert.deepEqual((await credentials.list({ limit: 1 })).items, [shared]);
      const first = await credentials.list({ limit: 1 });
      const rest = await credentials.list({ limit: 5, cursor: first.nextCursor ?? "" });
      assert.deepEqual(rest.items, [own]);
      assert.deepEqual(await credentials.countByMasterKey(), [{ masterKeyId: "mk_1", count: 2 }]);
    });

    check("of two changes from the same revision one is refused", async (store) => {
      await store.transact((tx) => tx.credentials.insert(sample()));
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          store.transact((tx) => tx.credentials.update(sample({ revision: 2, sealed: `s${index}` }), 1)),
        ),
      );
      assert.equal(outcomes.filter(Boolean).length, 1);
      assert.equal((await store.read.credentials.get(sample()))?.revision, 2);
    });

    check("one process at a time may fetch a token, until its time is over", async (store) => {
      await store.transact((tx) => tx.credentials.insert(sample()));
      const lease = (by: string, now: string, until: string, revision = 1): Promise<boolean> =>
        store.transact((tx) => tx.credentials.lease({ name: "github", owner: "", revision }, by, now, until));
      const outcomes = await Promise.all(["a", "b", "c"].map((by) => lease(by, AT, LATER)));
      assert.equal(outcomes.filter(Boolean).length, 1);
      const holder = ["a", "b", "c"][outcomes.indexOf(true)] ?? "";
      assert.equal((await store.read.credentials.get(sample()))?.leaseBy, holder);
      assert.equal(await lease("d", LATER, "2027-01-01T00:00:00.000Z", 2), false, "a stale revision");
      assert.equal(await lease("d", LATER, "2027-01-01T00:00:00.000Z"), true, "after its end");
      await store.transact((tx) => tx.credentials.release(sample(), holder));
      assert.equal((await store.read.credentials.get(sample()))?.leaseBy, "d", "not its own any more");
      await store.transact((tx) => tx.credentials.release(sample(), "d"));
      assert.equal((await store.read.credentials.get(sample()))?.leaseBy, null);
    });

    check("a sign-in is taken once, and goes with its credential", async (store) => {
      await store.transact(async (tx) => {
        await tx.credentials.insert(sample());
        await tx.credentials.insertFlow(sampleFlow());
        await tx.credentials.insertFlow(sampleFlow({ stateDigest: "sha256:2", expiresAt: AT }));
        await tx.credentials.insertFlow(sampleFlow({ stateDigest: "sha256:3" }));
      });
      const taken = await Promise.all(
        Array.from({ length: 5 }, () => store.transact((tx) => tx.credentials.takeFlow("sha256:1"))),
      );
      assert.deepEqual(
        taken.filter((flow) => flow !== null),
        [sampleFlow()],
      );
      assert.equal(await store.transact((tx) => tx.credentials.trimFlows(AT)), 1);
      assert.equal(await store.transact((tx) => tx.credentials.remove(sample())), true);
      assert.equal(await store.transact((tx) => tx.credentials.remove(sample())), false);
      assert.equal(await store.transact((tx) => tx.credentials.takeFlow("sha256:3")), null);
    });
  });
}
