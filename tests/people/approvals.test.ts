import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startService, type TestService } from "../support/service.ts";
import { addMember, makeOwner, type Member } from "./support.ts";
import { approve, started, waiting, type Waiting } from "./waiting.ts";

let service: TestService;
let owner: Member;
let editor: Member;
let approver: Member;
let second: Member;

before(async () => {
  service = await startService();
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
    assert.deepEqual([byKey.status, byKey.json.error.data.code], [403, "forbidden"]);
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
    assert.equal(others.data.you.mayDecide, false);
    assert.match(others.data.you.reason, /not among those/);
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

  it("a key may leave it out, as ever, where nobody is named", async () => {
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
      templateId: templates.envelope.data.templates[0].id,
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

describe("many decisions at the same time", () => {
  it("of 200 by people and a key exactly one wins", async () => {
    const asked = await waiting(service, { approvers: ["role:approver", "operator"] });
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        if (index % 4 === 0) return (await approveWithKey(asked)).envelope;
        return (await approve(index % 2 === 0 ? approver : second, asked, asked.digest)).data;
      }),
    );
    const won = answers.filter((answer) => answer?.ok === true);
    assert.equal(won.length, 1);
    for (const answer of answers) {
      if (answer !== won[0]) assert.equal(answer?.data?.error?.code, "conflict", JSON.stringify(answer));
    }
    const record = await service.app.services.store.read.approvals.get(asked.id);
    assert.equal(record?.decidedBy, won[0].data.approval.decidedBy);
  });
});
