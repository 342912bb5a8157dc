import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { at, textAt } from "../support/json.ts";
import { runToApproval, startService, TEST_KEY, type TestService } from "../support/service.ts";
import { testPacket } from "../siblings/packets.ts";

/* Lists carry no contents, have limits, and show anonymous callers only what is public. */

const CANARY = "canary-list-51c7";
const keyed = { key: true };
let service: TestService;

before(async () => {
  service = await startService();
});
after(() => service.close());

const resource = async (uri: string, key = false) => {
  const answer = await service.rpc(
    "resources/read",
    { uri },
    key ? { authorization: `Bearer ${TEST_KEY}` } : {},
  );
  return { text: answer.text, document: JSON.parse(textAt(answer.json, "result", "contents", 0, "text")) };
};

test("artifact lists carry no contents, keep to the limit, and show strangers the public ones only", async () => {
  const big = "x".repeat(200_000);
  const save = async (privacy: string): Promise<string> => {
    const artifact = { title: `${privacy} one`, privacy, body: big, secret: CANARY };
    const { envelope } = await service.call("save_artifact", { artifact }, keyed);
    return envelope.data.artifact.id;
  };
  const ids = [await save("public"), await save("internal"), await save("public"), await save("restricted")];
  const all = await service.call("list_artifacts", {}, keyed);
  assert.deepEqual(
    all.envelope.data.artifacts.map(({ id }: { id: string }) => id),
    [...ids].reverse(),
  );
  assert.ok(all.text.length < 10_000 && !all.text.includes(CANARY), `${all.text.length} characters`);
  assert.equal(all.envelope.data.artifacts[1]?.title, "public one");
  const open = await service.call("list_artifacts");
  const listed = open.envelope.data.artifacts;
  assert.deepEqual(
    listed.map((one) => [one.id, one.title]),
    [
      [ids[2], "public one"],
      [ids[0], "public one"],
    ],
  );
  assert.ok(!open.text.includes(CANARY) && !open.text.includes(big.slice(0, 100)));
  const first = await service.call("list_artifacts", {}, { meta: { "svc/limit": 1 } });
  assert.equal(first.envelope.data.artifacts.length, 1);
  const meta = { "svc/limit": 1, "svc/cursor": first.envelope.data.nextCursor };
  const second = await service.call("list_artifacts", {}, { meta });
  assert.equal(second.envelope.data.artifacts[0]?.id, ids[0]);
  const { text, document } = await resource("svc://artifacts");
  assert.equal(document.artifacts.length, 2);
  assert.ok(!text.includes(CANARY) && text.length < 10_000);
});

test("a deleted artifact is not found, and nothing says that it is persisted", async () => {
  const saved = await service.call("save_artifact", { artifact: { title: "Gone" } }, keyed);
  const { id } = saved.envelope.data.artifact;
  const deleted = await service.call("delete_artifact", { id }, keyed);
  assert.equal(deleted.envelope.data.artifact.storage.persisted, false);
  const read = await service.call("get_artifact", { id }, keyed);
  assert.deepEqual([read.envelope.ok, read.envelope.data.error.code], [false, "not_found"]);
  assert.equal(typeof read.envelope.data.error.details.deletedAt, "string");
  assert.ok(!read.text.includes('"persisted":true'));
  const stranger = await service.call("get_artifact", { id });
  assert.equal(stranger.envelope.data.error.code, "not_found");
  assert.ok(!stranger.text.includes("deleted at"));
  const viaResource = await service.rpc("resources/read", { uri: `svc://artifact/${id}` });
  assert.equal(at(viaResource.json, "error", "code"), -32002);
});

test("a saved artifact's answer names its provenance record, and the record verifies", async () => {
  const saved = await service.call("save_artifact", { artifact: { title: "Proved" } }, keyed);
  const { artifact, provenance } = saved.envelope.data;
  assert.equal(provenance.digest, artifact.digest);
  const { recordId } = provenance;
  const verified = await service.call("verify_svc_provenance", { recordId }, keyed);
  assert.equal(verified.envelope.data.verified, true, verified.text);
  const updated = await service.call(
    "update_artifact",
    { id: artifact.id, artifact: { body: "two" } },
    keyed,
  );
  assert.notEqual(updated.envelope.data.provenance.recordId, recordId);
  const same = await service.call("update_artifact", { id: artifact.id, artifact: { body: "two" } }, keyed);
  assert.equal(same.envelope.data.provenance.recordId, null);
});

test("approvals of private runs, and handoffs, are not listed for strangers", async () => {
  const nodes = [{ id: "ask", type: "approval", approval: { title: CANARY } }];
  const start = async (publish: boolean): Promise<string> => {
    const made = await service.call("create_workflow", { name: "Ask", nodes, edges: [] }, keyed);
    const { id } = made.envelope.data.workflow;
    if (publish) await service.call("publish_workflow", { id }, keyed);
    return (await runToApproval(service, id)).approvals[0].id;
  };
  const hidden = await start(false);
  const shown = await start(true);
  const rest = JSON.parse(await (await service.fetch("/api/svc/approvals")).text()).data.approvals;
  const { document } = await resource("svc://approvals");
  const tool = (await service.call("list_approvals")).envelope.data.approvals;
  for (const approvals of [rest, document.approvals, tool]) {
    assert.deepEqual(
      approvals.map(({ id }: { id: string }) => id),
      [shown],
    );
    assert.deepEqual(
      [approvals[0].title, approvals[0].reason],
      [{ $redacted: "private" }, { $redacted: "note" }],
    );
    assert.ok(!JSON.stringify(approvals).includes(CANARY));
  }
  assert.equal((await service.fetch(`/api/svc/approvals/${hidden}`)).status, 404);
  assert.equal((await service.fetch(`/api/svc/approvals/${shown}`)).status, 200);
  const all = (await service.call("list_approvals", {}, keyed)).envelope.data.approvals;
  assert.equal(all.length, 2);

  const headers = { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" };
  const packet = testPacket();
  await service.fetch("/api/svc/receive-handoff", { method: "POST", headers, body: JSON.stringify(packet) });
  const delegations = await resource("svc://delegations");
  assert.deepEqual([delegations.document.newest.handoffs, delegations.document.newest.shown], [[], 1]);
  assert.ok(!delegations.text.includes(String(packet["id"])));
  const { document: own } = await resource("svc://delegations", true);
  assert.equal(own.newest.handoffs[0].id, packet["id"]);
});
