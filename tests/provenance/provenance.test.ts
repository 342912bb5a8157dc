import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { stepFact } from "../../src/engine/journal.ts";
import { digestOf } from "../../src/kernel/canonical-json.ts";
import { isObject, type JsonObject } from "../../src/kernel/json.ts";
import type { Provenance, ProvenanceFact } from "../../src/ports/provenance.ts";
import type { ProvenanceRecord } from "../../src/ports/records.ts";
import type { Store } from "../../src/ports/store.ts";
import { checkpointText } from "../../src/provenance/checkpoint.ts";
import { verifyBundle } from "../../src/provenance/bundle.ts";
import type { ProofBundle } from "../../src/provenance/proof.ts";
import { preAuthEncoding } from "../../src/provenance/dsse.ts";
import { verifyConsistency } from "../../src/provenance/merkle-proof.ts";
import { createProvenance } from "../../src/provenance/provenance.ts";
import { openStore } from "../../src/storage/open.ts";
import { sampleStep } from "../storage/store.samples.ts";
import { leafOf, rootFromPath } from "./second-verifier.ts";

/* Long on purpose: every check works on the one log that is made here. */

const folder = mkdtempSync(join(tmpdir(), "provenance-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const HAS_OPENSSL = spawnSync("openssl", ["version"]).status === 0;
const clock = { now: () => Date.now() };
const open = (name: string): Promise<Store> =>
  openStore(`sqlite:${join(folder, name)}`, { clock, log: quiet });

const fact = (over: Partial<ProvenanceFact> = {}): ProvenanceFact => ({
  kind: "artifact_version",
  subjectId: "artifact_1",
  digest: digestOf({ title: "x" }),
  privacy: "public",
  predicate: { version: 1 },
  ...over,
});

/** A log of mixed records: signed and leaf-only, public and private. */
async function filled(name: string, count = 23): Promise<{ store: Store; ids: readonly string[] }> {
  const store = await open(name);
  const log = createProvenance({ store, clock });
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const privacy = i % 2 === 0 ? "public" : "confidential";
    const one =
      i % 3 === 1
        ? stepFact(sampleStep("run_1", { stepId: `step_${i}` }))
        : fact({ privacy, subjectId: `subject_${i}`, digest: digestOf({ i }) });
    ids.push(...(await store.transact((tx) => log.append(tx, [one]))));
  }
  return { store, ids };
}

async function recordOf(store: Store, id: string): Promise<ProvenanceRecord> {
  const record = await store.read.provenance.get(id);
  assert.ok(record);
  return record;
}

test("every record verifies, with a verdict for each question", async () => {
  const { store, ids } = await filled("all.db");
  const log = createProvenance({ store, clock });
  for (const id of ids) {
    const record = await recordOf(store, id);
    const { verified, verdicts } = await log.verify(record);
    assert.equal(verified, true, JSON.stringify(verdicts));
    assert.ok(isObject(verdicts));
    for (const name of ["digest", "key", "inclusion"]) assert.equal(verdictOf(verdicts, name), "pass");
    assert.equal(verdictOf(verdicts, "signature"), record.kind === "step" ? "not_checked" : "pass");
    assert.equal(verdictOf(verdicts, "anchor"), "not_checked");
  }
  await store.close();
});

test("an independent verifier agrees: openssl on both signatures, a second implementation on the path", async (t) => {
  if (!HAS_OPENSSL) return t.skip("the program openssl is not installed");
  const { store, ids } = await filled("independent.db");
  const log = createProvenance({ store, clock });
  for (const id of ids.slice(0, 6)) {
    const proof = await log.prove(id);
    assert.ok(proof);
    const { record, checkpoint, inclusionPath, keys, origin } = readProof(proof);
    const root = rootFromPath(
      leafOf(record.body),
      record.leafIndex,
      checkpoint.treeSize,
      inclusionPath.map((hash) => Buffer.from(hash, "hex")),
    );
    assert.equal(root.toString("hex"), checkpoint.rootHash);
    const publicKey = keys[0]?.publicKey ?? "";
    assert.ok(
      opensslVerifies(publicKey, Buffer.from(checkpointText(origin, checkpoint)), checkpoint.signature),
    );
    if (record.envelope === null) continue;
    const { payloadType, payload, signatures } = record.envelope;
    const signed = preAuthEncoding(payloadType, Buffer.from(payload, "base64"));
    assert.ok(opensslVerifies(publicKey, signed, signatures[0]?.sig ?? ""));
    assert.ok(
      !opensslVerifies(publicKey, Buffer.concat([signed, Buffer.from("x")]), signatures[0]?.sig ?? ""),
    );
  }
  await store.close();
});

test("one flipped character in any column of any table of the log makes a verdict fail", async () => {
  // Enough leaves for a stored subtree.
  const { store, ids } = await filled("flip.db", 66);
  await store.close();
  const targets = [
    {
      table: "provenance_records",
      key: "leaf_index",
      columns: [
        "leaf_index",
        "id",
        "kind",
        "subject_id",
        "run_id",
        "digest",
        "lookup_key",
        "privacy",
        "body",
        "leaf_hash",
        "created_at",
      ],
    },
    { table: "provenance_nodes", key: "rowid", columns: ["hash"] },
    {
      table: "provenance_checkpoints",
      key: "tree_size",
      columns: ["root_hash", "key_id", "signature", "created_at"],
    },
    { table: "signing_keys", key: "rowid", columns: ["public_key"] },
  ];
  const file = join(folder, "flipped.db");
  for (const { table, key, columns } of targets) {
    for (const column of columns) {
      const flipped = fc.asyncProperty(fc.nat(), fc.nat(), async (row, position) => {
        copyFileSync(join(folder, "flip.db"), file);
        if (!flip(file, table, key, column, row, position)) return;
        assert.equal(
          await allVerify("flipped.db", ids),
          false,
          `${table}.${column} was flipped and everything verified`,
        );
      });
      // The last character is the one that a reader may cut off.
      await fc.assert(flipped, {
        numRuns: 5,
        examples: [
          [0, -1],
          [1, -1],
        ],
      });
    }
  }
});

/** Changes one character (or the number) in one cell. False when the cell is empty. */
function flip(
  file: string,
  table: string,
  key: string,
  column: string,
  row: number,
  position: number,
): boolean {
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  try {
    database.exec("PRAGMA ignore_check_constraints = ON");
    // The newest checkpoint is the one that proofs use.
    const order = table === "provenance_checkpoints" ? `ORDER BY tree_size DESC LIMIT 1` : `LIMIT 1 OFFSET ?`;
    const count = Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"]);
    const select = database.prepare(`SELECT ${key} AS k, ${column} AS v FROM ${table} ${order}`);
    const cell = table === "provenance_checkpoints" ? select.get() : select.get(row % count);
    const value = cell?.["v"];
    const place = cell?.["k"];
    if (value === null || value === undefined || value === "" || typeof place !== "number") return false;
    const length = String(value).length;
    const at = position < 0 ? length + position : position % length;
    const changed = typeof value === "number" ? value + 1000 : flipAt(String(value), at);
    if (changed === value) return false;
    // A cell that must be unique cannot take the value of another row.
    const taken = database.prepare(`SELECT 1 FROM ${table} WHERE ${column} = ?`).get(changed);
    if (taken !== undefined && column === "id") return false;
    if (column === "privacy") {
      const other = value === "public" ? "internal" : "public";
      database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`).run(other, place);
    } else {
      database.exec("PRAGMA ignore_check_constraints = ON");
      database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`).run(changed, place);
    }
    return true;
  } finally {
    database.close();
  }
}

function flipAt(text: string, at: number): string {
  const code = text.charCodeAt(at);
  return text.slice(0, at) + String.fromCharCode(code === 0x61 ? 0x62 : 0x61) + text.slice(at + 1);
}

/** True when every record can be found and none of its verdicts fails. */
async function allVerify(name: string, ids: readonly string[]): Promise<boolean> {
  const store = await open(name);
  try {
    const log = createProvenance({ store, clock });
    for (const id of ids) {
      const record = await store.read.provenance.get(id);
      if (!record) return false;
      const { verified } = await log.verify(record);
      if (!verified) return false;
    }
    return true;
  } catch {
    return false;
  } finally {
    await store.close();
  }
}

test("what is not public leaves no plain digest behind, and the holder of the salt can check it", async (t) => {
  if (!HAS_OPENSSL) return t.skip("the program openssl is not installed");
  const store = await open("private.db");
  const log = createProvenance({ store, clock });
  const digest = digestOf({ pin: "1234" });
  const [id = ""] = await store.transact((tx) => log.append(tx, [fact({ privacy: "restricted", digest })]));
  const record = await recordOf(store, id);
  assert.ok(!JSON.stringify(record).includes(digest.slice(7)));
  assert.equal((await log.lookup({ hash: digest }, { limit: 5 }, false)).items.length, 0);
  assert.equal((await log.lookup({ hash: digest }, { limit: 5 }, true)).items[0]?.id, id);
  const { salt } = await log.disclose(record);
  assert.ok(typeof salt === "string");
  const recomputed = execFileSync(
    "openssl",
    ["dgst", "-sha256", "-mac", "HMAC", "-macopt", `hexkey:${salt}`],
    { input: digest },
  );
  assert.ok(recomputed.toString().includes(record.digest.replace("hmac-sha256:", "")));
  await store.close();
});

test("the holder of the salt of a run can check the result of a step with openssl", async (t) => {
  if (!HAS_OPENSSL) return t.skip("the program openssl is not installed");
  const store = await open("salted.db");
  const log = createProvenance({ store, clock });
  const step = sampleStep("run_1", { input: { b: 1, a: 2 }, output: { z: [null], y: "\u00e9" } });
  const [id = ""] = await store.transact((tx) => log.append(tx, [stepFact(step)]));
  const record = await recordOf(store, id);
  const { algorithm, salt } = await log.disclose(record);
  assert.equal(algorithm, "hmac-sha256");
  assert.ok(typeof salt === "string");
  const content = '["fetch","succeeded",1,"success",{"a":2,"b":1},{"y":"\u00e9","z":[null]}]';
  const hex = execFileSync("openssl", ["dgst", "-sha256", "-r"], { input: content }).toString().slice(0, 64);
  const recomputed = execFileSync(
    "openssl",
    ["dgst", "-sha256", "-mac", "HMAC", "-macopt", `hexkey:${salt}`, "-r"],
    { input: `sha256:${hex}` },
  ).toString();
  assert.equal(record.digest, `hmac-sha256:${recomputed.slice(0, 64)}`);
  assert.ok(!JSON.stringify(record).includes(digestOf(JSON.parse(content)).slice(7)));
  await store.close();
});

test("records from before a rotation still verify, and the log is consistent across it", async () => {
  const { store, ids } = await filled("rotate.db", 9);
  const log = createProvenance({ store, clock });
  const before = await store.read.provenance.checkpoint();
  await log.rotateKey();
  await store.transact((tx) => log.append(tx, [fact({ subjectId: "after" })]));
  const newest = await store.read.provenance.checkpoint();
  assert.ok(before && newest && newest.keyId !== before.keyId);
  for (const id of ids) assert.equal((await log.verify(await recordOf(store, id))).verified, true);
  const growth = await log.growthSince(before.treeSize);
  assert.ok(growth);
  const { older, newer, path } = growth;
  assert.deepEqual([older, newer], [before, newest]);
  assert.ok(verifyConsistency(older.treeSize, newer.treeSize, older.rootHash, newer.rootHash, path));
  await store.close();
});

test("a process that does not know of a rotation signs with the old key while that is valid, and then with the new", async () => {
  const store = await open("replicas.db");
  let now = Date.now();
  const moving = { now: () => now };
  const [here, there] = [
    createProvenance({ store, clock: moving }),
    createProvenance({ store, clock: moving }),
  ];
  const append = async (): Promise<string> => {
    const [id = ""] = await store.transact((tx) => there.append(tx, [fact()]));
    return id;
  };
  const ids = [await append()];
  const { id: next } = await here.rotateKey();
  const used: unknown[] = [];
  for (const seconds of [1, 25, 120]) {
    now += seconds * 1_000;
    ids.push(await append());
    used.push((await store.read.provenance.checkpoint())?.keyId === next);
    for (const id of ids) {
      const { verified, verdicts } = await here.verify(await recordOf(store, id));
      assert.equal(verified, true, JSON.stringify(verdicts));
    }
  }
  assert.deepEqual(used, [false, true, true]);
  await store.close();
});

test("a rotation in the millisecond of the first key, or with a clock set back, keeps origin and salts", async () => {
  const store = await open("same-moment.db");
  let now = Date.now();
  const log = createProvenance({ store, clock: { now: () => now } });
  const append = async (): Promise<string> => {
    const [id = ""] = await store.transact((tx) => log.append(tx, [fact({ privacy: "confidential" })]));
    return id;
  };
  const ids = [await append()];
  const { origin } = await log.describe();
  const { salt } = await log.disclose(await recordOf(store, ids[0] ?? ""));
  now -= 20_000;
  await log.rotateKey();
  now += 20_000;
  for (const milliseconds of [0, 0, 10_000, -5_000, 1, 120_000]) {
    now += milliseconds;
    await log.rotateKey();
    ids.push(await append());
    assert.equal((await log.describe())["origin"], origin, `${milliseconds}`);
    assert.equal((await log.disclose(await recordOf(store, ids[0] ?? ""))).salt, salt);
    for (const id of ids) {
      const { verified, verdicts } = await log.verify(await recordOf(store, id));
      assert.equal(verified, true, `${milliseconds} ${JSON.stringify(verdicts)}`);
    }
  }
  await store.close();
});

test("a transaction that rolls back leaves the log as it was", async () => {
  const { store } = await filled("rollback.db", 5);
  const log = createProvenance({ store, clock });
  await assert.rejects(
    store.transact(async (tx) => {
      await log.append(tx, [fact({ subjectId: "never" })]);
      throw new Error("no");
    }),
  );
  const [id = ""] = await store.transact((tx) => log.append(tx, [fact({ subjectId: "kept" })]));
  assert.equal((await recordOf(store, id)).leafIndex, 5);
  assert.equal((await log.verify(await recordOf(store, id))).verified, true);
  await store.close();
});

test("a statement is signed when the record is taken, with the key of its time, and is always the same", async () => {
  const store = await open("taken.db");
  const log = createProvenance({ store, clock });
  const [id = ""] = await store.transact((tx) => log.append(tx, [fact()]));
  const first = await envelopeOf(log, id);
  assert.ok(first !== null);
  await setTimeout(5);
  await log.rotateKey();
  await store.transact((tx) => log.append(tx, [fact({ subjectId: "later" })]));
  assert.deepEqual(await envelopeOf(log, id), first);
  assert.equal((await log.verify(await recordOf(store, id))).verified, true);
  await store.close();
});

test("what the log does not prove is not signed", async () => {
  const { store, ids } = await filled("forged.db", 3);
  const log = createProvenance({ store, clock });
  const [id = ""] = ids;
  const record = await recordOf(store, id);
  assert.ok((await envelopeOf(log, id)) !== null);
  const body = record.body.replace('"version":1', '"version":2');
  const database = new DatabaseSync(join(folder, "forged.db"));
  database
    .prepare("UPDATE provenance_records SET body = ?, leaf_hash = ? WHERE id = ?")
    .run(body, leafOf(body).toString("hex"), id);
  database.close();
  assert.equal(await envelopeOf(log, id), null);
  const { verdicts } = await log.verify(await recordOf(store, id));
  assert.ok(isObject(verdicts));
  for (const name of ["signature", "inclusion"]) assert.equal(verdictOf(verdicts, name), "fail");
  await store.close();
});

test("one changed character anywhere in a proof makes a verdict fail", async () => {
  const { store, ids } = await filled("bundle.db", 9);
  const log = createProvenance({ store, clock });
  const { keys: trustedKeys, ...proof } = bundleOf(await log.prove(ids[2] ?? ""));
  await store.close();
  const bundle = { ...proof, keys: trustedKeys };
  assert.ok(bundle.record.envelope !== null);
  const failed = (changed: ProofBundle): boolean =>
    Object.values(verifyBundle(changed, { trustedKeys })).some(({ verdict }) => verdict === "fail");
  assert.equal(failed(bundle), false);
  const parts = ["origin", "record", "checkpoint", "inclusionPath"] as const;
  const places = parts.flatMap((part) => leavesIn(bundle[part], [part]));
  fc.assert(
    fc.property(fc.constantFrom(...places), fc.nat(), (path, position) => {
      const changed = structuredClone(bundle);
      changeAt(changed, path, position);
      assert.ok(failed(changed), path.join("."));
    }),
    { numRuns: 500 },
  );
});

async function envelopeOf(log: Provenance, id: string): Promise<JsonObject | null> {
  return bundleOf(await log.prove(id)).record.envelope;
}

function bundleOf(proof: JsonObject | null): ProofBundle {
  const read: ProofBundle = JSON.parse(JSON.stringify(proof));
  return read;
}

/** Where a value has texts and numbers. */
function leavesIn(value: unknown, path: readonly string[]): string[][] {
  if (typeof value === "string" || typeof value === "number") return [[...path]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => leavesIn(member, [...path, key]));
}

/** Changes one character, or the number, at a place. */
function changeAt(value: object, [key = "", ...rest]: readonly string[], position: number): void {
  const member: unknown = Reflect.get(value, key);
  if (typeof member === "object" && member !== null) changeAt(member, rest, position);
  else if (typeof member === "number") Reflect.set(value, key, member + 1);
  else if (typeof member === "string") Reflect.set(value, key, flipAt(member, position % member.length));
}

test("transactions that share a commit share its checkpoint, and one that fails takes none with it", async () => {
  const store = await open("shared.db");
  const log = createProvenance({ store, clock });
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, i) =>
      store.transact(async (tx) => {
        const ids = await log.append(tx, [fact({ subjectId: `subject_${i}` })]);
        if (i % 7 === 3) throw new Error("no");
        return ids;
      }),
    ),
  );
  const ids = outcomes.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  assert.equal(ids.length, 17);
  for (const id of ids) assert.equal((await log.verify(await recordOf(store, id))).verified, true);
  assert.equal((await store.read.provenance.checkpoint())?.treeSize, 17);
  await store.close();
  const database = new DatabaseSync(join(folder, "shared.db"));
  assert.equal(database.prepare("SELECT count(*) AS n FROM provenance_checkpoints").get()?.["n"], 1);
  database.close();
});

function verdictOf(verdicts: JsonObject | Record<string, unknown>, name: string): unknown {
  const entry = verdicts[name];
  return isObject(entry) ? entry["verdict"] : undefined;
}

interface Proof {
  readonly origin: string;
  readonly record: {
    readonly body: string;
    readonly leafIndex: number;
    readonly envelope: { payloadType: string; payload: string; signatures: { sig: string }[] } | null;
  };
  readonly checkpoint: { treeSize: number; rootHash: string; signature: string; createdAt: string };
  readonly inclusionPath: readonly string[];
  readonly keys: readonly { publicKey: string }[];
}

function readProof(proof: JsonObject): Proof {
  const read: Proof = JSON.parse(JSON.stringify(proof));
  return read;
}

function opensslVerifies(publicKey: string, message: Uint8Array, signature: string): boolean {
  const file = (name: string): string => join(folder, name);
  writeFileSync(file("key.der"), Buffer.from(publicKey, "base64"));
  writeFileSync(file("message"), message);
  writeFileSync(file("signature"), Buffer.from(signature, "base64"));
  try {
    const args = [
      "pkeyutl",
      "-verify",
      "-pubin",
      "-inkey",
      file("key.der"),
      "-keyform",
      "DER",
      "-rawin",
      "-in",
      file("message"),
      "-sigfile",
      file("signature"),
    ];
    execFileSync("openssl", args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
