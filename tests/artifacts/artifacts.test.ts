import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { recordDocuments } from "../../src/provenance/documents.ts";
import { at } from "../support/json.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.close());

const keyed = { key: true } as const;
const CANARY = "canary-3f9a1c77";

test("a saved artifact is found again, has versions, and a stale change is a conflict", async () => {
  const saved = await service.call(
    "save_artifact",
    { artifact: { title: "Plan", type: "note", body: "one" } },
    keyed,
  );
  assert.equal(saved.envelope.ok, true);
  const { id, version, storage } = saved.envelope.data.artifact;
  assert.equal(version, 1);
  assert.equal(storage.mode, "server_persistence");

  const updated = await service.call("update_artifact", { id, artifact: { body: "two", version: 1 } }, keyed);
  assert.equal(updated.envelope.data.artifact.version, 2);
  assert.equal(updated.envelope.data.artifact.title, "Plan");

  const stale = await service.call(
    "update_artifact",
    { id, artifact: { body: "three" } },
    { key: true, meta: { "svc/expectedRevision": 1 } },
  );
  assert.equal(stale.envelope.ok, false);
  assert.equal(stale.envelope.data.error.code, "conflict");
  assert.equal(stale.envelope.data.error.details.currentVersion, 2);

  const older = await service.call("get_artifact", { id }, { key: true, meta: { "svc/version": 1 } });
  assert.equal(older.envelope.data.artifact.body, "one");
  const newest = await service.call("get_artifact", { id }, keyed);
  assert.equal(newest.envelope.data.artifact.body, "two");
});

test("calls under one idempotency key save once, also at the same moment; another content is a conflict", async () => {
  const save = (body: string) =>
    service.call(
      "save_artifact",
      { artifact: { title: "Once", body } },
      { key: true, meta: { "svc/idempotencyKey": "once-1" } },
    );
  const [first, ...others] = await Promise.all(Array.from({ length: 5 }, () => save("one")));
  const { id } = first?.envelope.data.artifact ?? {};
  for (const other of others) assert.equal(other.envelope.data.artifact.id, id, other.text);
  assert.equal((await save("two")).envelope.data.error.code, "conflict");
  const listed = await service.call("list_artifacts", {}, { key: true, meta: { "svc/limit": 100 } });
  const found = listed.envelope.data.artifacts.filter(({ title }) => title === "Once");
  assert.equal(found.length, 1);
});

test("the same content again adds no version", async () => {
  const saved = await service.call("save_artifact", { artifact: { title: "Same" } }, keyed);
  const { id } = saved.envelope.data.artifact;
  const again = await service.call("update_artifact", { id, artifact: { title: "Same" } }, keyed);
  assert.equal(again.envelope.data.artifact.version, 1);
});

test("a deleted artifact leaves a tombstone and its provenance", async () => {
  const saved = await service.call("save_artifact", { artifact: { title: "Gone", body: CANARY } }, keyed);
  const { id } = saved.envelope.data.artifact;
  const deleted = await service.call("delete_artifact", { id }, keyed);
  assert.equal(typeof deleted.envelope.data.artifact.deletedAt, "string");
  const read = await service.call("get_artifact", { id }, keyed);
  assert.ok(!read.text.includes(CANARY));
  const old = await service.call("get_artifact", { id }, { key: true, meta: { "svc/version": 1 } });
  assert.equal(old.envelope.data.error.code, "not_found");
  const list = await service.call("list_artifacts", {}, keyed);
  assert.ok(!list.text.includes(id));
  const again = await service.call("delete_artifact", { id }, keyed);
  assert.equal(again.envelope.data.error.code, "not_found");
  const provenance = await service.call("lookup_svc_provenance", { artifactId: id }, keyed);
  assert.equal(provenance.envelope.data.records.length, 2);
});

test("two updates at once from the same version: one wins", async () => {
  const saved = await service.call("save_artifact", { artifact: { title: "Race" } }, keyed);
  const { id } = saved.envelope.data.artifact;
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      service.call("update_artifact", { id, artifact: { body: `${i}`, version: 1 } }, keyed),
    ),
  );
  assert.equal(answers.filter((answer) => answer.envelope.ok).length, 1);
  assert.equal(answers.filter((answer) => answer.envelope.data.error?.code === "conflict").length, 19);
});

test("what is marked private appears in nothing public", async () => {
  const artifact = { title: `t ${CANARY}`, privacy: "restricted", body: CANARY, description: CANARY };
  const saved = await service.call("save_artifact", { artifact }, keyed);
  const { id } = saved.envelope.data.artifact;
  const publicAnswers = [
    await service.call("get_artifact", { id }),
    await service.call("list_artifacts"),
    await service.rpc("resources/read", { uri: `svc://artifact/${id}` }),
    await service.rpc("resources/read", { uri: "svc://artifacts" }),
    await service.call("lookup_svc_provenance", { artifactId: id }),
    await service.call("list_svc_fingerprints"),
    await service.call("export_artifact", { artifact }),
    await service.call("create_share_packet", { artifact }),
  ];
  for (const answer of publicAnswers) assert.ok(!answer.text.includes(CANARY), answer.text.slice(0, 300));
  const digest = createHash("sha256").update(CANARY).digest("hex");
  for (const answer of publicAnswers) assert.ok(!answer.text.includes(digest));
  const withKey = await service.call("get_artifact", { id }, keyed);
  assert.ok(withKey.text.includes(CANARY));
  const exported = await service.call("export_artifact", { artifact }, keyed);
  assert.ok(exported.text.includes(CANARY));
});

test("the provenance of a saved artifact verifies, and the digest is that of its content", async () => {
  const saved = await service.call(
    "save_artifact",
    { artifact: { title: "Proved", privacy: "public" } },
    keyed,
  );
  const { id, digest } = saved.envelope.data.artifact;
  const byHash = await service.call("lookup_svc_provenance", { hash: digest });
  const [found] = byHash.envelope.data.records;
  assert.ok(found);
  assert.equal(found.subjectId, id);
  const { recordId } = found;
  const verified = await service.call("verify_svc_provenance", { recordId });
  assert.equal(verified.envelope.data.verified, true);
  assert.equal(verified.envelope.data.verdicts.signature.verdict, "pass");
  assert.equal(verified.envelope.data.proof?.record.id, recordId);
});

test("discovery documents are recorded once for each content, and found by address", async () => {
  const paths = ["/llms.txt", "/.well-known/trust.json"];
  // The service records them by itself a moment after its start; either way there is one record each.
  await recordDocuments(service.app.services, paths);
  assert.equal(await recordDocuments(service.app.services, paths), 0);
  const found = await service.call("lookup_svc_provenance", { url: `${service.url}/llms.txt` });
  assert.equal(found.envelope.data.records.length, 1);
  const verified = await service.call("verify_svc_provenance", {
    recordId: found.envelope.data.records[0]?.recordId,
  });
  assert.equal(verified.envelope.data.verified, true);
});

test("replicas that start at once record a discovery document once", async () => {
  const { services } = service.app;
  const elsewhere = { ...services, settings: { ...services.settings, baseUrl: "http://replicas.example" } };
  const record = (): Promise<number> => recordDocuments(elsewhere, ["/llms.txt", "/.well-known/trust.json"]);
  const counts = await Promise.all([record(), record(), record()]);
  assert.deepEqual(counts.toSorted(), [0, 0, 2]);
});

test("a snapshot says that nothing is kept, and is not found", async () => {
  const made = await service.call("create_local_artifact", { title: "Local", schema: { type: "object" } });
  const { artifact } = made.envelope.data;
  assert.equal(artifact.storage.persisted, false);
  const again = await service.call("create_local_artifact", { title: "Local", schema: { type: "object" } });
  assert.equal(again.envelope.data.artifact.id, artifact.id);
  const clone = await service.call("clone_artifact", { artifact });
  assert.equal(clone.envelope.data.artifact.clonedFrom, artifact.id);
  assert.notEqual(clone.envelope.data.artifact.id, artifact.id);
  const read = await service.call("get_artifact", { id: artifact.id });
  assert.equal(read.envelope.data.error.code, "not_found");
});

test("a share packet's link and call carry the artifact and no secret", async () => {
  const artifact = { title: "Shared", apiKey: CANARY, content: { token: CANARY, text: "kept" } };
  const { envelope, text } = await service.call("create_share_packet", { artifact });
  const { packet } = envelope.data;
  assert.ok(!text.includes(CANARY));
  assert.ok(packet.link !== null);
  const { pathname, search, hash } = new URL(packet.link);
  assert.equal(pathname + search, "/artifacts?view=shared", "the page that shows what a link carries");
  const carried = JSON.parse(new URLSearchParams(hash.slice(1)).get("artifact") ?? "");
  assert.deepEqual([carried.title, carried.content.text], ["Shared", "kept"]);
  const { name, arguments: args } = packet.jsonRpc.params;
  assert.ok(name === "save_artifact");
  const replayed = await service.call(name, args, keyed);
  assert.equal(replayed.envelope.ok, true);
  assert.equal(at(replayed.envelope.data.artifact, "content", "text"), "kept");
});

test("an artifact without a title is refused with the place of the fault", async () => {
  const answer = await service.call("save_artifact", { artifact: { type: "note" } }, keyed);
  assert.equal(answer.envelope.data.error.code, "invalid_input");
  assert.equal(answer.envelope.data.error.problems[0]?.pointer, "/artifact/title");
});

test("without a database everything that would be saved is degraded, with the reason", async () => {
  const none = await startService({ settings: { databaseUrl: "none" } });
  try {
    const saved = await none.call("save_artifact", { artifact: { title: "x" } }, keyed);
    assert.equal(saved.envelope.ok, false);
    assert.equal(saved.envelope.data.status, "degraded");
    assert.equal(saved.envelope.data.adapter, "storage");
    assert.match(saved.envelope.data.nextAction, /DATABASE_URL/);
    const status = await none.call("get_storage_status");
    assert.equal(status.envelope.ok, true);
    assert.equal(status.envelope.data.mode, "degraded");
  } finally {
    await none.close();
  }
});
