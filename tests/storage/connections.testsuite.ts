import assert from "node:assert/strict";
import type {
  ConnectionCallRecord,
  ConnectionRecord,
  DefinitionRecord,
} from "../../src/ports/connections.ts";
import type { Store } from "../../src/ports/store.ts";
import { AT, DIGEST } from "./store.samples.ts";

const LATER = "2026-11-16T23:00:00.000Z";
const DOCUMENT = '{"openapi": "3.1.0"}';

type Check = (title: string, body: (store: Store) => Promise<void>) => void;

/** What every store must do with connections. */
export function connectionSuite(check: Check): void {
  check("connections are kept, changed and removed with what belongs to them", async (store) => {
    const record = sampleConnection();
    await store.transact(async (tx) => {
      assert.equal(await tx.connections.insert(record, DOCUMENT), true);
      assert.equal(await tx.connections.insert(record, null), false);
      await tx.connections.putDefinition(sampleDefinition("a"));
      await tx.connections.insertCalls([sampleCall("call_1")], 10);
      await tx.connections.changed();
    });
    const { connections } = store.read;
    assert.deepEqual(await connections.get("pets"), record);
    assert.equal(await connections.document("pets"), DOCUMENT);
    assert.equal(await connections.hasDocument("pets"), true);
    const moved: ConnectionRecord = { ...record, title: "Other", credential: "token", privateOrigin: "h:1" };
    assert.equal(await store.transact((tx) => tx.connections.update(moved)), true);
    assert.equal(await connections.document("pets"), DOCUMENT, "the document is left alone");
    await store.transact(async (tx) => {
      await tx.connections.update(moved, null);
      await tx.connections.observe("pets", { state: "failing", problem: "no", checkedAt: AT });
    });
    assert.equal(await connections.document("pets"), null);
    assert.equal(await connections.hasDocument("pets"), false);
    assert.deepEqual(await connections.get("pets"), {
      ...moved,
      state: "failing",
      problem: "no",
      checkedAt: AT,
    });
    assert.equal(await connections.revision(), 1);
    assert.equal(await store.transact((tx) => tx.connections.remove("pets")), true);
    assert.equal(await store.transact((tx) => tx.connections.remove("pets")), false);
    assert.equal(await connections.get("pets"), null);
    assert.deepEqual(await connections.definitions("pets"), []);
    assert.deepEqual((await connections.calls({ connection: "pets" }, { limit: 10 })).items, []);
  });

  check("a connection that is syncing stays that until its sync ends", async (store) => {
    const record: ConnectionRecord = { ...sampleConnection(), state: "syncing", problem: "not done" };
    await store.transact(async (tx) => {
      await tx.connections.insert(record, null);
      await tx.connections.putDefinition(sampleDefinition("a"));
      await tx.connections.putDefinition({
        ...sampleDefinition("b"),
        state: "quarantined",
        pendingDefinition: { changed: true },
      });
      await tx.connections.observe("pets", { state: "reachable", problem: null, checkedAt: AT });
    });
    const { connections } = store.read;
    assert.deepEqual(await connections.get("pets"), record);
    await store.transact((tx) => tx.connections.dropDefinition("pets", "b", LATER));
    const gone = await connections.definition("pets", "b");
    assert.deepEqual([gone?.state, gone?.pendingDefinition, gone?.syncedAt], ["removed", null, LATER]);
    assert.deepEqual(
      (await connections.heads("pets")).map(({ name, state }) => [name, state]),
      [
        ["a", "active"],
        ["b", "removed"],
      ],
    );
    assert.deepEqual(await connections.heads("other"), []);
  });

  check("a new connection has nothing of an earlier one of its name", async (store) => {
    await store.transact(async (tx) => {
      await tx.connections.putDefinition(sampleDefinition("a"));
      await tx.connections.insert(sampleConnection(), null);
    });
    assert.deepEqual(await store.read.connections.definitions("pets"), []);
  });

  check("definitions are found by the name callers use, then by the server's", async (store) => {
    const first = sampleDefinition("a");
    const renamed: DefinitionRecord = {
      ...sampleDefinition("b"),
      name: "better",
      state: "quarantined",
      pendingDefinition: { changed: true },
      overrides: { effect: "read", idempotent: true, fixedArguments: { query: { v: 1 } } },
    };
    await store.transact(async (tx) => {
      await tx.connections.putDefinition(first);
      await tx.connections.putDefinition(renamed);
      await tx.connections.putDefinition({ ...first, title: "New title" });
    });
    const { connections } = store.read;
    assert.deepEqual(await connections.definition("pets", "a"), { ...first, title: "New title" });
    assert.deepEqual(await connections.definition("pets", "better"), renamed);
    assert.deepEqual(await connections.definition("pets", "b"), renamed);
    assert.equal(await connections.definition("pets", "c"), null);
    assert.deepEqual(
      (await connections.heads()).map(({ name, sourceName }) => [name, sourceName]),
      [
        ["a", "a"],
        ["better", "b"],
      ],
    );
    const twice = store.transact((tx) =>
      tx.connections.putDefinition({ ...sampleDefinition("c"), name: "a" }),
    );
    await assert.rejects(twice, "a name stands for one definition");
  });

  check("new definitions come as text, and a list has the review of what waits", async (store) => {
    const {
      definition: _none,
      pendingDefinition: _pending,
      overrides: _overrides,
      review: _review,
      ...head
    } = sampleDefinition("a");
    const { syncedAt, ...active } = head;
    const waiting = { ...active, sourceName: "w", name: "w", state: "quarantined" } as const;
    await store.transact(async (tx) => {
      await tx.connections.addDefinition({ ...active, state: "active" }, '{"name":"a"}', syncedAt);
      await tx.connections.addDefinition(waiting, '{"name":"w"}', syncedAt);
      await tx.connections.touchDefinitions("pets", "2026-02-02T00:00:00.000Z");
    });
    const { connections } = store.read;
    const [first, second] = await connections.listing("pets");
    assert.equal(first?.review, null);
    assert.deepEqual(second?.review, { digest: DIGEST, reason: "new", changes: [], moreChanges: 0 });
    assert.deepEqual((await connections.definition("pets", "w"))?.pendingDefinition, { name: "w" });
    assert.equal(first?.syncedAt, "2026-02-02T00:00:00.000Z");
    assert.deepEqual((await connections.definition("pets", "a"))?.definition, { name: "a" });
    assert.equal((await connections.definition("pets", "a"))?.pendingDefinition, null);
  });

  check("of each definition only the last calls are kept", async (store) => {
    const calls = Array.from({ length: 7 }, (_, index) => sampleCall(`call_${index}`));
    await store.transact((tx) => tx.connections.insertCalls(calls, 3));
    const other = { ...sampleCall("call_9"), definition: "b", by: "key_2" };
    await store.transact((tx) => tx.connections.insertCalls([other], 3));
    const { connections } = store.read;
    const kept = await connections.calls({ connection: "pets", definition: "a" }, { limit: 10 });
    assert.deepEqual(
      kept.items.map(({ id }) => id),
      ["call_6", "call_5", "call_4"],
    );
    assert.deepEqual((await connections.calls({ by: "key_2" }, { limit: 10 })).items, [other]);
  });
}

function sampleConnection(): ConnectionRecord {
  return {
    name: "pets",
    kind: "openapi",
    title: "Pets",
    url: "https://pets.test/openapi.json",
    command: {
      command: "npx",
      args: ["-y", "server"],
      env: { LANG: "C" },
      credentials: { TOKEN: "files-token" },
    },
    baseUrl: null,
    credential: null,
    privateOrigin: null,
    state: "reachable",
    problem: null,
    checkedAt: AT,
    syncedAt: AT,
    owner: "key_1",
    createdAt: AT,
    updatedAt: AT,
  };
}

function sampleDefinition(name: string): DefinitionRecord {
  return {
    connection: "pets",
    sourceName: name,
    name,
    title: name,
    description: "",
    effect: "write",
    idempotent: false,
    state: "active",
    digest: DIGEST,
    definition: { name, inputSchema: { type: "object" } },
    pendingDefinition: null,
    review: null,
    overrides: {},
    syncedAt: AT,
  };
}

function sampleCall(id: string): ConnectionCallRecord {
  return {
    id,
    connection: "pets",
    definition: "a",
    at: AT,
    by: "key_1",
    ok: true,
    outcome: "ok",
    httpStatus: 200,
    elapsedMs: 12,
    digest: DIGEST,
    runId: null,
    arguments: { body: { name: "Rex" } },
    result: null,
  };
}
