import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { AppError } from "../../kernel/errors.ts";
import type { Scope } from "../../ports/caller.ts";
import type { Store } from "../../ports/store.ts";
import { openStore } from "../../storage/open.ts";
import { quiet } from "../../../tests/storage/store.samples.ts";
import { createKeyring, type ManagedKeyring } from "./keyring.ts";
import { newToken, tokenDigest, tokenId } from "./token.ts";
import { createProvenance } from "../../provenance/provenance.ts";

const RUN: { name: string; scopes: Scope[]; expiresAt: null } = {
  name: "a",
  scopes: ["run"],
  expiresAt: null,
};
/** The cache may be this old; a change made elsewhere must count after it. */
const ONE_SECOND = 1_000;

describe("tokens", () => {
  it("name their id and notice a slip of the pen", () => {
    const { id, token, digest } = newToken();
    assert.match(token, /^suite_live_[0-9a-z]{26}_[0-9a-f]{48}_[0-9a-f]{8}$/);
    assert.equal(tokenId(token), id);
    assert.equal(tokenDigest(token), digest);
    for (let at = 0; at < token.length; at++) {
      const wrong = token.slice(0, at) + (token[at] === "0" ? "1" : "0") + token.slice(at + 1);
      assert.equal(tokenId(wrong), null, `character ${at}`);
    }
  });

  it("are never seen in other text", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => tokenId(text) === null));
  });
});

describe("keyring", () => {
  let folder: string;
  let store: Store;
  let keyring: ManagedKeyring;
  let now: number;

  const clock = { now: () => now };
  const log = (kept: Store) => createProvenance({ store: kept, clock });
  const make = (apiKey: string | null = null): ManagedKeyring =>
    createKeyring({ store, settings: { apiKey }, clock, log: quiet.log, provenance: log(store) });

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "workflow-ui-keys-"));
    now = Date.parse("2026-05-05T00:00:00.000Z");
    store = await openStore(`sqlite:${join(folder, "keys.db")}`, quiet);
    keyring = make();
  });

  afterEach(async () => {
    await keyring.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("knows the key it made and no other", async () => {
    const { token, record } = await keyring.create(RUN);
    const caller = await keyring.authenticate(token);
    assert.equal(caller?.id, record.id);
    assert.deepEqual([...(caller?.scopes ?? [])], ["run"]);
    const guess = `${token.slice(0, 38)}${newToken().token.slice(38)}`;
    for (const wrong of [
      "",
      "x",
      newToken().token,
      guess,
      token.toUpperCase(),
      `${token} `,
      "no key has this digest",
    ]) {
      assert.equal(await keyring.authenticate(wrong), null, wrong);
    }
  });

  it("keeps no secret in the database", async () => {
    const { token } = await keyring.create(RUN);
    await store.close();
    const bytes = readFileSync(join(folder, "keys.db")).toString("latin1");
    assert.ok(!bytes.includes(token.split("_")[3] ?? "?"));
    store = await openStore(`sqlite:${join(folder, "keys.db")}`, quiet);
  });

  it("lets a key expire on time", async () => {
    const expiresAt = new Date(now + 5_000).toISOString();
    const { token } = await keyring.create({ ...RUN, expiresAt });
    assert.notEqual(await keyring.authenticate(token), null);
    now += 5_000;
    assert.equal(await keyring.authenticate(token), null);
  });

  it("refuses a revoked key at once here, within a second elsewhere", async () => {
    const other = make();
    const { token, record } = await keyring.create(RUN);
    assert.notEqual(await keyring.authenticate(token), null);
    assert.notEqual(await other.authenticate(token), null);
    const revoked = await keyring.revoke(record.id);
    assert.equal(revoked.revokedAt, new Date(now).toISOString());
    assert.equal(await keyring.authenticate(token), null);
    await sleep(ONE_SECOND);
    assert.equal(await other.authenticate(token), null);
    await other.close();
  });

  it("rotates a key with a time in which both work", async () => {
    const { token, record } = await keyring.create(RUN);
    const next = await keyring.rotate(record.id, 60);
    assert.deepEqual(next.record.scopes, ["run"]);
    assert.notEqual(await keyring.authenticate(token), null);
    assert.notEqual(await keyring.authenticate(next.token), null);
    now += 60_000;
    assert.equal(await keyring.authenticate(token), null);
    assert.notEqual(await keyring.authenticate(next.token), null);
    await keyring.revoke(next.record.id);
    await assert.rejects(keyring.rotate(next.record.id), isAppError("conflict"));
    await assert.rejects(keyring.rotate("key_none"), isAppError("not_found"));
    await assert.rejects(keyring.revoke("key_none"), isAppError("not_found"));
  });

  it("writes down when a key was last used", async () => {
    const { token, record } = await keyring.create(RUN);
    await keyring.authenticate(token);
    now += 1_000;
    await keyring.authenticate(token);
    await keyring.flush();
    assert.equal((await store.read.keys.get(record.id))?.lastUsedAt, new Date(now).toISOString());
    const page = await keyring.list({ limit: 10 });
    assert.deepEqual(
      page.items.map((item) => item.id),
      [record.id],
    );
  });

  it("makes one key at the first start, however many start", async () => {
    const replicas = [keyring, make(), make()];
    const tokens = (await Promise.all(replicas.map((one) => one.firstKey()))).filter((one) => one !== null);
    assert.equal(tokens.length, 1);
    assert.ok((await keyring.authenticate(tokens[0] ?? ""))?.scopes.has("admin"));
    assert.equal(await keyring.firstKey(), null);
    for (const one of replicas.slice(1)) await one.close();
  });

  it("takes the operator's own key instead, with or without a database", async () => {
    const own = "an operator's own secret of 24 or more";
    const given = make(own);
    assert.equal(await given.firstKey(), null);
    assert.ok((await given.authenticate(own))?.scopes.has("admin"));
    assert.equal(await given.authenticate(`${own}.`), null);
    await given.close();
    const none = await openStore("none", quiet);
    const bare = createKeyring({
      store: none,
      settings: { apiKey: own },
      clock,
      provenance: log(none),
    });
    assert.ok((await bare.authenticate(own))?.scopes.has("admin"));
    assert.equal(await bare.authenticate(newToken().token), null);
    await bare.close();
    const session = createKeyring({
      store: none,
      settings: { apiKey: null },
      clock,
      provenance: log(none),
    });
    const token = await session.firstKey();
    assert.ok(token);
    assert.ok((await session.authenticate(token))?.scopes.has("admin"));
    await assert.rejects(session.create(RUN), isAppError("storage_unavailable"));
    await session.close();
  });
});

function isAppError(code: string): (error: unknown) => boolean {
  return (error) => error instanceof AppError && error.code === code;
}
