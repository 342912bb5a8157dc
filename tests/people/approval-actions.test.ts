import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startService, type TestService } from "../support/service.ts";
import { addMember, makeOwner, type Member } from "./support.ts";
import { approve, started, waiting, type Waiting } from "./waiting.ts";

let service: TestService;
let owner: Member;
let ada: Member;
let bob: Member;
let cleo: Member;
let editor: Member;

before(async () => {
  service = await startService();
  owner = await makeOwner(service);
  editor = await addMember(service, owner, "editor");
  ada = await addMember(service, owner, "approver", "ada@example.com");
  bob = await addMember(service, owner, "approver", "bob@example.com");
  cleo = await addMember(service, owner, "approver", "cleo@example.com");
});
after(() => service.close());

const act = <A extends string>(who: Member, { id }: Waiting, action: A, body?: unknown) =>
  who.visitor.ask("POST", `/api/svc/approvals/${id}/${action}`, body);
const look = async (who: Member, { id }: Waiting) =>
  (await who.visitor.ask("GET", `/api/svc/approvals/${id}`)).data;
const stateOf = async ({ id }: Waiting) => (await service.app.services.store.read.approvals.get(id))?.state;

async function newsOf({ id }: Waiting): Promise<readonly string[]> {
  const events = await service.app.services.store.read.events.after(0, 5_000);
  return events
    .filter(({ type, data }) => type.startsWith("svc.approval.") && data["id"] === id)
    .map(({ type }) => type.slice("svc.approval.".length));
}

async function recordedOf({ id }: Waiting): Promise<string> {
  const { store } = service.app.services;
  const found = await store.read.provenance.find({ subjectId: id }, { limit: 50 });
  return found.items.map(({ body }) => body).join("\n");
}

describe("n of m", () => {
  it("goes on after the second approval; a person counts once; everybody is in the record", async () => {
    const asked = await waiting(service, { approvers: ["role:approver"], required: 2 });
    const first = await approve(ada, asked, asked.digest);
    assert.equal(first.data.data.approval.status, "pending", first.text);
    const again = await approve(ada, asked, asked.digest);
    assert.equal(again.data.data.error.code, "conflict");
    const seen = await look(bob, asked);
    assert.deepEqual([seen.who?.required, seen.who?.votes.length, seen.you?.mayDecide], [2, 1, true]);
    const own = await look(ada, asked);
    assert.match(own.you?.reason ?? "", /approved this already/);
    const second = await approve(bob, asked, asked.digest);
    assert.equal(second.data.data.approval.status, "approved", second.text);
    assert.deepEqual(await newsOf(asked), ["requested", "voted", "approved"]);
    const recorded = await recordedOf(asked);
    for (const person of [ada, bob]) assert.ok(recorded.includes(person.id));
  });

  it("one rejection rejects, whatever was approved before", async () => {
    const asked = await waiting(service, { approvers: ["role:approver"], required: 3 });
    await approve(ada, asked, asked.digest);
    const meta = { "svc/shownDigest": asked.digest };
    const no = await bob.visitor.call("reject_step", { id: asked.id, reason: "too much" }, meta);
    assert.equal(no.data.data.approval.status, "rejected", no.text);
  });

  it("of 200 decisions at the same time exactly as many count as are needed", async () => {
    const asked = await waiting(service, { approvers: ["role:approver", "operator"], required: 3 });
    const deciders = [ada, bob, cleo];
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const who = deciders[index % 4];
        return who === undefined
          ? (await service.call("approve_step", { id: asked.id }, { key: true })).envelope
          : (await approve(who, asked, asked.digest)).data;
      }),
    );
    assert.equal(answers.filter((answer) => answer?.ok).length, 3);
    for (const answer of answers)
      assert.ok(answer?.ok || answer?.data?.error?.code === "conflict", JSON.stringify(answer));
    const votes = await service.app.services.store.read.approvals.votes(asked.id);
    assert.equal(new Set(votes.map(({ voter }) => voter)).size, 3);
    assert.equal(await stateOf(asked), "approved");
  });

  it("is a problem of the workflow when too few are named or there is a form", async () => {
    for (const approval of [
      { title: "Go?", approvers: ["person:ada@example.com"], required: 2 },
      { title: "Go?", required: 2, form: { type: "object", properties: { a: { type: "string" } } } },
    ]) {
      const { envelope } = await service.call("validate_workflow", {
        nodes: [{ id: "ask", type: "approval", approval }],
        edges: [],
      });
      assert.match(JSON.stringify(envelope.data), /approval_unmeetable/);
    }
  });
});

describe("claim and release", () => {
  it("keeps others away until it is released, by its holder or an admin", async () => {
    const asked = await waiting(service, { approvers: ["role:approver"] });
    assert.equal((await act(ada, asked, "claim")).data.approval.claimedBy, ada.id);
    assert.equal((await act(bob, asked, "claim")).status, 409);
    const blocked = await approve(bob, asked, asked.digest);
    assert.equal(blocked.data.data.error.code, "conflict");
    assert.match(blocked.text, /has claimed/);
    assert.equal((await act(bob, asked, "release")).status, 403);
    assert.equal((await act(owner, asked, "release")).status, 200);
    assert.equal((await approve(bob, asked, asked.digest)).data.ok, true);
    assert.deepEqual(await newsOf(asked), ["requested", "claimed", "released", "approved"]);
  });

  it("is not for keys, for people who may not decide, nor for what several decide", async () => {
    const asked = await waiting(service, { approvers: ["role:approver"] });
    assert.equal((await act(editor, asked, "claim")).status, 403);
    const key = await service.fetch(`/api/svc/approvals/${asked.id}/claim`, {
      method: "POST",
      headers: { authorization: `Bearer ${service.key}` },
    });
    assert.equal(key.status, 403);
    const several = await waiting(service, { approvers: ["role:approver"], required: 2 });
    assert.equal((await act(ada, several, "claim")).status, 409);
  });

  it("does not count while its holder is disabled", async () => {
    const leaving = await addMember(service, owner, "approver", "claimer@example.com");
    const asked = await waiting(service, { approvers: ["role:approver"] });
    await act(leaving, asked, "claim");
    await owner.visitor.ask("PATCH", `/api/svc/people/${leaving.id}`, { state: "disabled" });
    assert.equal((await approve(bob, asked, asked.digest)).data.ok, true);
  });
});

describe("delegate", () => {
  it("gives the seat to another person, who decides in the first one's place", async () => {
    const asked = await waiting(service, { approvers: ["person:ada@example.com"] });
    assert.equal((await approve(bob, asked, asked.digest)).status, 403);
    const given = await act(ada, asked, "delegate", { to: "bob@example.com" });
    assert.equal(given.status, 200, given.text);
    assert.match((await look(ada, asked)).you?.reason ?? "", /in your place/);
    assert.equal((await approve(ada, asked, asked.digest)).status, 403);
    assert.equal((await approve(bob, asked, asked.digest)).data.ok, true);
    const [vote] = await service.app.services.store.read.approvals.votes(asked.id);
    assert.deepEqual([vote?.voter, vote?.seat], [bob.id, ada.id]);
    const recorded = await recordedOf(asked);
    assert.match(recorded, /"change":"delegated"/);
    assert.ok(recorded.includes(ada.id) && recorded.includes(bob.id));
  });

  it("can be taken back, and is refused to people who could not decide", async () => {
    const asked = await waiting(service, { approvers: ["person:ada@example.com"] });
    assert.equal((await act(ada, asked, "delegate", { to: editor.id })).status, 400);
    assert.equal((await act(ada, asked, "delegate", { to: "nobody@example.com" })).status, 400);
    assert.equal((await act(bob, asked, "delegate", { to: cleo.id })).status, 403);
    await act(ada, asked, "delegate", { to: bob.id });
    assert.equal((await act(ada, asked, "delegate", { to: ada.id })).status, 200);
    assert.equal((await approve(bob, asked, asked.digest)).status, 403);
    assert.equal((await approve(ada, asked, asked.digest)).data.ok, true);
  });

  it("makes no second vote: of two who are needed, one cannot stand for both", async () => {
    const approvers = ["person:ada@example.com", "person:cleo@example.com"];
    const asked = await waiting(service, { approvers, required: 2 });
    await act(ada, asked, "delegate", { to: bob.id });
    await approve(bob, asked, asked.digest);
    assert.equal((await approve(ada, asked, asked.digest)).status, 403);
    await act(cleo, asked, "delegate", { to: bob.id });
    assert.equal((await approve(bob, asked, asked.digest)).data.data.error.code, "conflict");
    assert.equal(await stateOf(asked), "pending");
  });

  it("never widens four eyes: not to who started the run, and not from that person", async () => {
    const asked = await waiting(
      service,
      { approvers: ["role:owner", "person:ada@example.com"], fourEyes: true },
      owner,
    );
    const to = await act(ada, asked, "delegate", { to: owner.id });
    assert.equal(to.status, 403);
    assert.match(to.text, /four eyes/);
    assert.equal((await act(owner, asked, "delegate", { to: bob.id })).status, 403);
    assert.equal((await approve(bob, asked, asked.digest)).status, 403);
  });
});

describe("comment and request changes", () => {
  it("a comment is kept with its author, and says nothing in events and the log", async () => {
    const asked = await waiting(service, { approvers: ["role:approver"] });
    const comment = await act(editor, asked, "comment", { body: "The sum was 6 yesterday" });
    assert.equal(comment.data.comments?.[0]?.authorName, "A editor", comment.text);
    assert.ok(!(await recordedOf(asked)).includes("yesterday"));
    assert.equal((await act(editor, asked, "comment", { body: " " })).status, 400);
    assert.equal((await act(editor, asked, "comment", { body: "x", more: 1 })).status, 400);
  });

  it("takes the port `changes` with the comment where the workflow has it", async () => {
    const note = { id: "act", type: "transform", value: { $ref: "steps.ask.outputs" } };
    const asked = await waiting(service, { approvers: ["role:approver"] }, undefined, [note], "changes");
    assert.equal((await look(ada, asked)).you?.mayRequestChanges, true);
    const wrong = await act(ada, asked, "request-changes", {
      comment: "Use 8",
      shownDigest: `sha256:${"0".repeat(64)}`,
    });
    assert.equal(wrong.status, 409);
    assert.ok(!wrong.text.includes(asked.digest));
    const none = await act(ada, asked, "request-changes", { comment: "Use 8" });
    assert.equal(none.status, 400);
    const sent = await act(ada, asked, "request-changes", { comment: "Use 8", shownDigest: asked.digest });
    assert.equal(sent.data.approval.status, "changes_requested", sent.text);
    const run = await service.app.services.engine.waitFor(asked.runId, 120_000);
    assert.equal(run.state, "succeeded");
    const steps = await service.app.services.store.read.runs.steps(asked.runId);
    const [ask, after] = ["ask", "act"].map((id) => steps.find(({ stepId }) => stepId === id));
    assert.deepEqual([ask?.port, after?.state], ["changes", "succeeded"]);
    assert.match(JSON.stringify(after?.output), /Use 8/);
  });

  it("is refused clearly where the workflow has no such port", async () => {
    const asked = await waiting(service, { approvers: ["role:approver"] });
    const refused = await act(ada, asked, "request-changes", { comment: "Use 8", shownDigest: asked.digest });
    assert.equal(refused.status, 409);
    assert.match(refused.text, /port `changes`/);
    assert.equal(await stateOf(asked), "pending");
  });
});

describe("nobody can decide", () => {
  it("says so when the only person is disabled, and an admin reassigns it", async () => {
    const leaving = await addMember(service, owner, "approver", "leaving@example.com");
    const asked = await waiting(service, { approvers: [`person:${leaving.email}`] });
    assert.equal((await look(owner, asked)).who?.stuck, null);
    await owner.visitor.ask("PATCH", `/api/svc/people/${leaving.id}`, { state: "disabled" });
    const stuck = await look(owner, asked);
    assert.match(stuck.who?.stuck ?? "", /Nobody can decide this: A approver is disabled/);
    const body = { approvers: ["person:bob@example.com"], reason: "left the company" };
    assert.equal((await act(ada, asked, "reassign", body)).status, 403);
    assert.equal((await act(owner, asked, "reassign", { ...body, approvers: ["operator"] })).status, 400);
    assert.equal((await act(owner, asked, "reassign", body)).data.who?.stuck, null);
    assert.match(await recordedOf(asked), /reassigned/);
    assert.equal((await approve(bob, asked, asked.digest)).data.ok, true);
  });

  it("says so when fewer are left than must approve", async () => {
    const asked = await waiting(service, {
      approvers: ["role:admin", "person:ada@example.com"],
      required: 2,
    });
    assert.match((await look(owner, asked)).who?.stuck ?? "", /2 more must approve and only 1 can/);
  });
});

describe("groups", () => {
  it("members of the group decide; after it is removed nobody can", async () => {
    const made = await owner.visitor.ask("POST", "/api/svc/groups", {
      name: "Book keeping",
      members: [ada.id],
    });
    assert.equal(made.status, 201, made.text);
    const asked = await waiting(service, { approvers: ["group:book keeping"] });
    assert.equal((await approve(bob, asked, asked.digest)).status, 403);
    assert.equal((await look(ada, asked)).you?.mayDecide, true);
    const inbox = await ada.visitor.ask("GET", "/api/svc/approvals?inbox=groups&status=pending");
    assert.ok(inbox.data.approvals.some(({ id }) => id === asked.id));
    await owner.visitor.ask("DELETE", `/api/svc/groups/${made.data.group.id}`);
    assert.equal((await approve(ada, asked, asked.digest)).status, 403);
    assert.match((await look(owner, asked)).who?.stuck ?? "", /there is no group book keeping/i);
  });
});

describe("out of office", () => {
  const set = (who: Member, body: object) => who.visitor.ask("POST", "/api/svc/account/absence", body);
  const span = { from: "2020-01-01T00:00:00Z", until: "2020-12-30T00:00:00Z" };

  it("the substitute decides in the person's place between the dates, and one vote counts", async () => {
    const now = Date.now();
    const dates = {
      from: new Date(now - 60_000).toISOString(),
      until: new Date(now + 3_600_000).toISOString(),
    };
    const asked = await waiting(service, {
      approvers: ["person:ada@example.com", "role:admin"],
      required: 2,
    });
    assert.equal((await set(ada, { ...span, substitute: bob.id })).data.absence?.isNow, false);
    assert.equal((await approve(bob, asked, asked.digest)).status, 403, "those dates are over");
    const away = await set(ada, { ...dates, substitute: "bob@example.com" });
    assert.equal(away.data.absence?.substitute.name, "A approver", away.text);
    const inbox = await bob.visitor.ask("GET", "/api/svc/approvals?inbox=mine&status=pending");
    assert.ok(inbox.data.approvals.some(({ id }) => id === asked.id));
    assert.equal((await approve(bob, asked, asked.digest)).data.ok, true);
    const twice = await approve(ada, asked, asked.digest);
    assert.equal(twice.data.data.error.code, "conflict", "the seat has voted");
    assert.equal(await stateOf(asked), "pending");
    assert.deepEqual((await ada.visitor.ask("DELETE", "/api/svc/account/absence")).data.absence, null);
    const again = await waiting(service, { approvers: ["person:ada@example.com"] });
    assert.equal((await approve(bob, again, again.digest)).status, 403);
  });

  it("is refused with oneself, with people who could not decide, and with dates that make no sense", async () => {
    for (const body of [
      { ...span, substitute: ada.id },
      { ...span, substitute: editor.id },
      { substitute: bob.id, from: span.until, until: span.from },
      { substitute: bob.id, from: "soon", until: span.until },
    ]) {
      const answer = await set(ada, body);
      assert.equal(answer.status, 400, JSON.stringify(body));
    }
  });
});

describe("the inbox", () => {
  it("shows mine, my groups' and all, and what differs from the last time", async () => {
    const mine = await waiting(service, { approvers: ["person:Cleo@example.com"] });
    const role = await waiting(service, { approvers: ["role:approver"] });
    const list = async (inbox: string): Promise<readonly string[]> => {
      const answer = await cleo.visitor.ask("GET", `/api/svc/approvals?status=pending&inbox=${inbox}`);
      return answer.data.approvals.map(({ id }) => id);
    };
    const [own, groups, all] = [await list("mine"), await list("groups"), await list("all")];
    assert.ok(own.includes(mine.id) && !own.includes(role.id));
    assert.ok(groups.includes(role.id) && !groups.includes(mine.id));
    assert.ok(all.includes(role.id) && all.includes(mine.id));
    assert.equal((await cleo.visitor.ask("GET", "/api/svc/approvals?inbox=other")).status, 400);
    assert.equal((await look(cleo, mine)).last, null);
  });

  it("says what differs from what the step showed the last time", async () => {
    const made = await service.call(
      "create_workflow",
      {
        name: "Pays",
        nodes: [
          {
            id: "ask",
            type: "approval",
            approval: { title: "Pay?", show: { sum: { $ref: "inputs.sum" }, to: "x" } },
          },
        ],
        edges: [],
      },
      {
        key: true,
        meta: { "svc/document": { inputs: { type: "object", properties: { sum: { type: "number" } } } } },
      },
    );
    const workflowId = made.envelope.data.workflow.id;
    const first = await started(service, workflowId, undefined, { sum: 5 });
    assert.equal((await look(ada, first)).last, null);
    await approve(ada, first, first.digest);
    const second = await started(service, workflowId, undefined, { sum: 7 });
    const { last } = await look(ada, second);
    assert.equal(last?.id, first.id);
    assert.deepEqual(last?.changes, [{ pointer: "/content/sum", change: "changed", before: 5, after: 7 }]);
  });
});
