import assert from "node:assert/strict";
import { describe } from "node:test";
import type { OAuthRecord } from "../../src/ports/oauth.ts";
import type { Store } from "../../src/ports/store.ts";
import { samplePerson } from "./people.testsuite.ts";
import { AT } from "./store.samples.ts";

const LATER = "2026-06-01T00:00:00.000Z";

function sample(changes: Partial<OAuthRecord> = {}): OAuthRecord {
  return {
    kind: "Grant",
    digest: "sha256:grant",
    grantId: "grant-1",
    personId: "person_1",
    clientId: "client-1",
    userCode: null,
    payload: { resources: { "https://a.example": "run" } },
    consumedAt: null,
    createdAt: AT,
    expiresAt: LATER,
    ...changes,
  };
}

/** What every store must do with what the authorization server keeps. */
export function oauthSuite(
  name: string,
  check: (title: string, body: (store: Store) => Promise<void>) => void,
): void {
  describe(`${name}: OAuth`, () => {
    check("a token is found with its client, until either is gone", async (store) => {
      const token = sample({ kind: "AccessToken", digest: "sha256:token", payload: { aud: "x" } });
      await store.transact(async (tx) => {
        await tx.people.insert(samplePerson());
        await tx.oauth.put(sample());
        await tx.oauth.put(token);
        await tx.oauth.nameGrant("grant-1", "A client", "client.example");
        await tx.oauth.touchGrant("grant-1", LATER);
      });
      const found = await store.read.oauth.accessToken("sha256:token");
      assert.deepEqual(found?.record, token);
      const client = {
        grantId: "grant-1",
        personId: "person_1",
        clientId: "client-1",
        name: "A client",
        host: "client.example",
        payload: sample().payload,
        createdAt: AT,
        lastUsedAt: LATER,
        expiresAt: LATER,
      };
      assert.deepEqual(found?.client, client);
      assert.deepEqual(await store.read.oauth.clients("person_1"), [client]);
      assert.deepEqual(await store.read.oauth.clients(null), [client]);
      assert.deepEqual(await store.read.oauth.clients("person_2"), []);
      // What is written again keeps its name.
      await store.transact((tx) => tx.oauth.put(sample({ payload: {} })));
      assert.equal((await store.read.oauth.client("grant-1"))?.name, "A client");
      assert.equal(await store.transact((tx) => tx.oauth.removeGrant("grant-1")), true);
      assert.equal(await store.transact((tx) => tx.oauth.removeGrant("grant-1")), false);
      assert.equal(await store.read.oauth.accessToken("sha256:token"), null);
    });

    check("what is consumed is consumed once, and writing it again does not undo that", async (store) => {
      const code = sample({ kind: "AuthorizationCode", digest: "sha256:code" });
      await store.transact(async (tx) => {
        await tx.people.insert(samplePerson());
        await tx.oauth.put(code);
      });
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, () =>
          store.transact((tx) => tx.oauth.consume("AuthorizationCode", "sha256:code", LATER)),
        ),
      );
      assert.equal(outcomes.filter(Boolean).length, 1);
      await store.transact((tx) => tx.oauth.put(code));
      assert.equal((await store.read.oauth.get("AuthorizationCode", "sha256:code"))?.consumedAt, LATER);
      assert.equal(await store.transact((tx) => tx.oauth.removeTokens("AuthorizationCode", "grant-1")), 1);
      assert.equal(await store.transact((tx) => tx.oauth.remove("AuthorizationCode", "sha256:code")), false);
    });

    check(
      "clients that nobody connected make room, the oldest first; what ended is trimmed",
      async (store) => {
        const client = (id: string, createdAt: string) =>
          sample({
            kind: "Client",
            digest: `sha256:${id}`,
            clientId: id,
            grantId: null,
            personId: null,
            createdAt,
            expiresAt: AT,
          });
        await store.transact(async (tx) => {
          await tx.people.insert(samplePerson());
          await tx.oauth.put(sample());
          await tx.oauth.put(client("client-1", AT));
          await tx.oauth.put(client("client-2", "2026-05-06T00:00:00.000Z"));
          await tx.oauth.put(client("client-3", "2026-05-07T00:00:00.000Z"));
          await tx.oauth.keepClient("client-1", LATER);
        });
        assert.equal(await store.read.oauth.count("Client"), 3);
        assert.equal(await store.transact((tx) => tx.oauth.trim("2000-01-01", "2000-01-01")), 0);
        assert.equal(await store.transact((tx) => tx.oauth.trim("2000-01-01", AT)), 2);
        assert.equal(await store.read.oauth.count("Client"), 1);
      },
    );

    check(
      "codes that people type are unique; rows without an owner or a digest are refused",
      async (store) => {
        const device = sample({
          kind: "DeviceCode",
          digest: "sha256:device",
          grantId: null,
          personId: null,
          userCode: "sha256:typed",
        });
        await store.transact(async (tx) => {
          await tx.people.insert(samplePerson());
          await tx.oauth.put(device);
        });
        assert.deepEqual(await store.read.oauth.byUserCode("sha256:typed"), device);
        for (const wrong of [
          { ...device, digest: "sha256:other" },
          sample({ personId: null }),
          sample({ kind: "AccessToken", grantId: null }),
          sample({ digest: "in clear" }),
          sample({ personId: "person_unknown" }),
        ]) {
          await assert.rejects(store.transact((tx) => tx.oauth.put(wrong)));
        }
      },
    );
  });
}
