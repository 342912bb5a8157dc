import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { newClient, signInClient } from "../oauth/support.ts";
import { at } from "../support/json.ts";
import { startService, type TestService } from "../support/service.ts";
import { addMember, makeOwner, Visitor, type CallAnswer, type Member } from "./support.ts";
import { approve, started, waiting, type Waiting } from "./waiting.ts";

let service: TestService;
let owner: Member;
let editor: Member;
let approver: Member;
let second: Member;
let ahead = 0;

before(async () => {
  service = await startService({ clock: { now: () => Date.now() + ahead } });
  owner = await makeOwner(service);
  editor = await addMember(service, owner, "editor");
  approver = await addMember(service, owner, "approver");
  second = await addMember(service, owner, "approver", "second@example.com");
});
after(() => service.close());

const approveWithKey = (asked: Waiting) => service.call("approve_step", { id: asked.id }, { key: true });

describe("an approval that names people", () => {
  it("is not decided by a key, however many rights it has, nor by people who are not named", async () => {
    const asked = await waiting(service, { approvers: ["role:approver"] });
    const byKey = await approveWithKey(asked);
    assert.deepEqual([byKey.status, at(byKey.json, "error", "data", "code")], [403, "forbidden"]);
    assert.ok(!byKey.text.includes(asked.digest));
    const byOwner = await approve(owner, asked, asked.digest);
    assert.equal(byOwner.status, 403, "an owner is not an approver");
    const byEditor = await approve(editor, asked, asked.digest);
    assert.equal(byEditor.status, 403);
    const decided = await approve(approver, asked, asked.digest);
    assert.equal(decided.data.ok, true, decided.text);
  });

  it("is decided by a person who is named by address or id, and the record names that person", async () => {
    const asked = await waiting(service, { approvers: ["person:Second@example.com", `person:${owner.id}`] });
    assert.equal((await approve(approver, asked, asked.digest)).status, 403);
    const detail = await second.visitor.ask("GET", `/api/svc/approvals/${asked.id}`);
    assert.deepEqual(detail.data.you, {
      mayDecide: true,
      reason: null,
      mayRequestChanges: false,
      mayReassign: false,
    });
    const others = await approver.visitor.ask("GET", `/api/svc/approvals/${asked.id}`);
    assert.equal(others.data.you?.mayDecide, false);
    assert.match(others.data.you?.reason ?? "", /not among those/);
    const decided = await approve(second, asked, asked.digest);
    assert.equal(decided.data.data.approval.decidedBy, second.id, decided.text);
    const after = await owner.visitor.ask("GET", `/api/svc/approvals/${asked.id}`);
    assert.equal(after.data.approval.decidedByName, "A approver");
    const { store } = service.app.services;
    const found = await store.read.provenance.find({ subjectId: asked.id }, { limit: 1 });
    assert.match(found.items[0]?.body ?? "", new RegExp(second.id));
  });

  it("is decided by a key that the workflow names", async () => {
    const asked = await waiting(service, { approvers: ["role:approver", "operator"] });
    assert.equal((await approveWithKey(asked)).envelope.ok, true);
  });

  it("is refused to a person who is disabled while it waits", async () => {
    const leaving = await addMember(service, owner, "approver", "leaving@example.com");
    const asked = await waiting(service, { approvers: [`person:${leaving.email}`] });
    await owner.visitor.ask("PATCH", `/api/svc/people/${leaving.id}`, { state: "disabled" });
    assert.equal((await approve(leaving, asked, asked.digest)).status, 401);
    const { store } = service.app.services;
    assert.equal((await store.read.approvals.get(asked.id))?.state, "pending");
  });

  it("names roles that can decide: others are a problem of the workflow", async () => {
    const { envelope } = await service.call("validate_workflow", {
      nodes: [{ id: "ask", type: "approval", approval: { title: "Go?", approvers: ["role:viewer"] } }],
      edges: [],
    });
    assert.equal(envelope.data.valid, false, JSON.stringify(envelope.data));
    assert.match(JSON.stringify(envelope.data), /approvers/);
  });
});

describe("what was shown is what is decided", () => {
  it("a person sends its digest; without it or with another nothing is decided, and no answer reveals it", async () => {
    const asked = await waiting(service, {});
    const none = await approve(approver, asked);
    assert.equal(none.data.data.error.code, "invalid_input", none.text);
    const wrong = await approve(approver, asked, `sha256:${"0".repeat(64)}`);
    assert.equal(wrong.data.data.error.code, "conflict", wrong.text);
    for (const { text } of [none, wrong]) assert.ok(!text.includes(asked.digest));
    assert.equal((await approve(approver, asked, asked.digest)).data.ok, true);
  });

  it("a key may leave it out where nobody is named", async () => {
    const asked = await waiting(service, {});
    assert.equal((await approveWithKey(asked)).envelope.ok, true);
  });
});

describe("four eyes", () => {
  it("who started the run does not decide it; another does", async () => {
    const asked = await waiting(service, { approvers: ["role:owner"], fourEyes: true }, owner);
    const own = await approve(owner, asked, asked.digest);
    assert.equal(own.status, 403);
    assert.match(own.text, /four eyes/);
    const other = await addMember(service, owner, "owner", "other.owner@example.com");
    assert.equal((await approve(other, asked, asked.digest)).data.ok, true);
  });

  it("is on by itself where people are named and a step is destructive, and off otherwise", async () => {
    const destroys = { id: "act", type: "tool", tool: "delete_artifact", with: { id: "artifact_none" } };
    const asked = await waiting(service, { approvers: ["role:owner"] }, owner, [destroys]);
    assert.equal((await approve(owner, asked, asked.digest)).status, 403);
    const off = await waiting(service, { approvers: ["role:owner"], fourEyes: false }, owner, [destroys]);
    assert.equal((await approve(owner, off, off.digest)).data.ok, true);
    const harmless = await waiting(service, { approvers: ["role:owner"] }, owner);
    assert.equal((await approve(owner, harmless, harmless.digest)).data.ok, true);
  });

  it("who made or last changed a draft is the authenticated caller, whatever owner was declared", async () => {
    const maker = await addMember(service, owner, "admin", "maker@example.com");
    const changer = await addMember(service, owner, "admin", "changer@example.com");
    const declared = await addMember(service, owner, "admin", "declared@example.com");
    const templates = await service.call("list_templates", {});
    const made = await maker.visitor.call("instantiate_template", {
      templateId: templates.envelope.data.templates[0]?.id,
      owner: declared.id,
    });
    assert.equal(made.data.ok, true, made.text);
    const { owner: named, createdBy, updatedBy } = made.data.data.workflow;
    assert.deepEqual([named, createdBy, updatedBy], [declared.id, maker.id, maker.id]);

    const approval = { title: "Go?", approvers: ["role:admin"], fourEyes: true };
    const graph = { nodes: [{ id: "ask", type: "approval", approval }], edges: [] };
    const draft = await maker.visitor.call("create_workflow", { name: "Asks", ...graph });
    const { id } = draft.data.data.workflow;
    const forged = { createdBy: declared.id, updatedBy: declared.id, owner: declared.id };
    await changer.visitor.call("update_workflow", { id, ...graph, ...forged });
    await changer.visitor.call("update_workflow", { id, ...graph });
    const { data } = (await changer.visitor.call("get_workflow", { id })).data;
    assert.deepEqual([data.workflow.createdBy, data.workflow.updatedBy], [maker.id, changer.id]);
    const asked = await started(service, id);
    for (const [who, why] of [
      [maker, /made this workflow/],
      [changer, /changed this workflow/],
    ] as const) {
      const own = await approve(who, asked, asked.digest);
      assert.equal(own.status, 403, own.text);
      assert.match(own.text, why);
    }
    assert.equal((await approve(declared, asked, asked.digest)).data.ok, true);
  });

  it("everybody who worked on the version that runs does not decide, and those of other versions do", async () => {
    const [first, middle, last, publisher] = await Promise.all(
      ["first", "middle", "last", "publisher"].map((name) =>
        addMember(service, owner, "admin", `${name}.editor@example.com`),
      ),
    );
    assert.ok(first && middle && last && publisher);
    const approval = { title: "Go?", approvers: ["role:admin"], fourEyes: true };
    const graph = (title: string) => ({
      nodes: [{ id: "ask", type: "approval", approval: { ...approval, title } }],
      edges: [],
    });
    const draft = await first.visitor.call("create_workflow", { name: "Asks", ...graph("One?") });
    const { id } = draft.data.data.workflow;
    await middle.visitor.call("update_workflow", { id, ...graph("Two?") });
    await last.visitor.call("update_workflow", { id, ...graph("Three?") });
    const asDraft = await started(service, id);
    assert.match((await approve(middle, asDraft, asDraft.digest)).text, /changed this workflow/);
    assert.equal((await publisher.visitor.call("publish_workflow", { id })).data.ok, true);
    assert.equal((await approve(middle, asDraft, asDraft.digest)).status, 403, "published since");

    const asked = await started(service, id);
    for (const [who, why] of [
      [first, /worked on this version/],
      [middle, /worked on this version/],
      [last, /worked on this version/],
      [publisher, /published this workflow/],
    ] as const) {
      const own = await approve(who, asked, asked.digest);
      assert.equal(own.status, 403, own.text);
      assert.match(own.text, why);
    }
    await last.visitor.call("update_workflow", { id, ...graph("Four?") });
    assert.equal((await publisher.visitor.call("publish_workflow", { id })).data.ok, true);
    const next = await started(service, id);
    assert.equal((await approve(last, next, next.digest)).status, 403);
    assert.equal((await approve(middle, next, next.digest)).data.ok, true);
  });

  it("holds for keys where the step asks for it", async () => {
    const asked = await waiting(service, { fourEyes: true });
    assert.equal((await approveWithKey(asked)).status, 403);
    assert.equal((await approve(approver, asked, asked.digest)).data.ok, true);
  });
});

describe("people count, not credentials", () => {
  type Call = <N extends string>(name: N, args: object) => Promise<CallAnswer<N>>;

  /** Calls tools with a key or token. */
  function calling(token: string): Call {
    const visitor = new Visitor(service);
    return async (name, args) => {
      const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
      const answer = await visitor.ask("POST", "/api/mcp", body, { authorization: `Bearer ${token}` });
      const { result, error } = JSON.parse(answer.text);
      return { ...answer, data: result?.structuredContent ?? { error: error?.data } };
    };
  }

  async function credentialsOf(who: Member): Promise<{ key: Call; keyId: string; service: Call }> {
    const scopes = ["run", "approve", "read-private", "write"];
    const key = await who.visitor.ask("POST", "/api/svc/keys", { name: "deploys", scopes });
    assert.equal(key.status, 201, key.text);
    const token = await who.visitor.ask("POST", "/api/svc/tokens", { name: "bot", scopes, kind: "service" });
    assert.equal(token.status, 201, token.text);
    return { key: calling(key.data.token), keyId: key.data.key.id, service: calling(token.data.token) };
  }

  it("the session, API key and service key of one person are one vote; the record names person and key", async () => {
    const { key, keyId, service: bot } = await credentialsOf(owner);
    const asked = await waiting(service, { required: 2 });
    const first = await key("approve_step", { id: asked.id });
    assert.equal(first.data.data.approval.status, "pending", first.text);
    assert.equal((await bot("approve_step", { id: asked.id })).data.data.error.code, "conflict");
    const own = await approve(owner, asked, asked.digest);
    assert.equal(own.data.data.error.code, "conflict", own.text);
    const other = await approve(approver, asked, asked.digest);
    assert.equal(other.data.data.approval.status, "approved", other.text);

    const single = await waiting(service, {});
    const { approval } = (await key("approve_step", { id: single.id })).data.data;
    const via = { kind: "key", id: keyId, name: "deploys" };
    assert.deepEqual([approval.decidedBy, approval.decidedVia], [owner.id, via]);
    const { store } = service.app.services;
    const found = await store.read.provenance.find({ subjectId: single.id }, { limit: 1 });
    assert.deepEqual(JSON.parse(found.items[0]?.body ?? "").predicate.via, via);
    const entries = await owner.visitor.ask("GET", `/api/svc/audit?subject=approvals/${single.id}`);
    const entry = entries.data.entries.find(({ action }) => action === "approval.approved");
    assert.deepEqual([entry?.actor.id, entry?.detail["via"]], [owner.id, via], entries.text);
  });

  it("a client that cannot send a digest is shown what it would decide, then decides exactly that", async () => {
    const token = await approver.visitor.ask("POST", "/api/svc/tokens", {
      name: "an agent",
      scopes: ["approve"],
    });
    const other = await approver.visitor.ask("POST", "/api/svc/tokens", { name: "b", scopes: ["approve"] });
    const oauth = await signInClient(service, approver, await newClient(service), {
      scopes: ["read-private", "approve"],
    });
    const { store } = service.app.services;
    const stateOf = async (id: string) => (await store.read.approvals.get(id))?.state;
    for (const [tool, secret] of [
      ["approve_step", token.data.token],
      ["approve_step", oauth.access_token],
      ["reject_step", oauth.access_token],
    ] as const) {
      const agent = calling(secret);
      const asked = await waiting(service, { approvers: ["role:approver"] });
      const args = { id: asked.id, ...(tool === "reject_step" && { reason: "No." }) };
      const first = (await agent(tool, args)).data;
      assert.equal(first.ok, false);
      assert.deepEqual([first.data.status, first.data.decided], ["confirmation_required", false]);
      assert.deepEqual(first.data.approval.shown, { title: "Go?", content: { sum: 7 } });
      assert.equal(await stateOf(asked.id), "pending");
      // Another client of the same person was shown nothing.
      assert.equal((await calling(other.data.token)(tool, args)).data.data.status, "confirmation_required");
      ahead += 11 * 60_000;
      assert.equal((await agent(tool, args)).data.data.status, "confirmation_required", "too late");
      const done = (await agent(tool, args)).data;
      assert.equal(done.ok, true, JSON.stringify(done));
      assert.equal(done.data.approval.decidedBy, approver.id);
      assert.equal(done.data.approval.decidedVia?.kind, secret === token.data.token ? "token" : "oauth");
      ahead = 0;
    }
    const refused = await calling(oauth.access_token)("approve_step", {
      id: (await waiting(service, { approvers: ["role:owner"] })).id,
    });
    assert.equal(refused.status, 403, refused.text);
  });

  it("four eyes see the person behind who started a run or worked on its version", async () => {
    const { key, service: bot } = await credentialsOf(owner);
    const bySession = await waiting(service, { fourEyes: true }, owner);
    for (const call of [key, bot]) {
      const refused = await call("approve_step", { id: bySession.id });
      assert.equal(refused.status, 403, refused.text);
      assert.match(refused.text, /You started this run/);
    }
    const nodes = [{ id: "ask", type: "approval", approval: { title: "Go?", fourEyes: true } }];
    for (const call of [key, bot]) {
      const made = await call("create_workflow", { name: "Asks", nodes, edges: [] });
      const asked = await started(service, made.data.data.workflow.id);
      const refused = await approve(owner, asked, asked.digest);
      assert.match(refused.text, /You made this workflow/);
      const { workflowId } = await waiting(service, { fourEyes: true });
      const run = await call("run_workflow", { id: workflowId });
      const { engine, store } = service.app.services;
      const { id } = await engine.waitFor(run.data.data.run.id, 120_000, "waiting");
      const [mine] = (await store.read.approvals.list({ limit: 1 }, { runId: id })).items;
      assert.ok(mine !== undefined);
      assert.match((await approve(owner, mine, mine.shownDigest)).text, /You started this run/);
      assert.equal((await approve(approver, mine, mine.shownDigest)).data.ok, true);
    }
  });

  it("a program behind which nobody is known decides where it is named, and counts once elsewhere", async () => {
    // Without read-private an approval that the key may not decide does not exist for it.
    const keys = await Promise.all(
      ["one", "two"].map((name) =>
        service.app.keyring.create({ name, scopes: ["approve", "read-private"], expiresAt: null }),
      ),
    );
    const [one, two] = keys.map(({ token }) => calling(token));
    assert.ok(one && two && keys[0]);
    const guarded = await waiting(service, { fourEyes: true });
    const refused = await one("approve_step", { id: guarded.id });
    assert.equal(refused.status, 403);
    assert.match(refused.text, /No person is known behind this key/);
    const named = await waiting(service, { fourEyes: true, approvers: [keys[0].record.id] });
    assert.equal((await one("approve_step", { id: named.id })).data.ok, true);
    const both = await waiting(service, { required: 2 });
    assert.equal((await one("approve_step", { id: both.id })).data.data.approval.status, "pending");
    assert.equal((await two("approve_step", { id: both.id })).data.data.error.code, "conflict");
    assert.equal((await approve(approver, both, both.digest)).data.data.approval.status, "approved");
  });
});

describe("many decisions at the same time", () => {
  it("of 200 by people and a key exactly one wins", async () => {
    const asked = await waiting(service, { approvers: ["role:approver", "operator"] });
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        if (index % 4 === 0) return (await approveWithKey(asked)).envelope;
        return (await approve(index % 2 === 0 ? approver : second, asked, asked.digest)).data;
      }),
    );
    const won = answers.filter((answer) => answer?.ok);
    assert.equal(won.length, 1);
    for (const answer of answers) {
      if (answer !== won[0]) assert.equal(answer?.data?.error?.code, "conflict", JSON.stringify(answer));
    }
    const record = await service.app.services.store.read.approvals.get(asked.id);
    assert.ok(won[0] !== undefined);
    assert.equal(record?.decidedBy, won[0].data.approval.decidedBy);
  });
});
