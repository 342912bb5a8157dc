import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { startService, type TestService } from "../support/service.ts";
import { addMember, makeOwner, type Member } from "./support.ts";
import { approve, waiting, type Waiting } from "./waiting.ts";

let service: TestService;
let owner: Member;
let ada: Member;
let bob: Member;

before(async () => {
  service = await startService();
  owner = await makeOwner(service);
  ada = await addMember(service, owner, "approver", "ada@example.com");
  bob = await addMember(service, owner, "approver", "bob@example.com");
});
after(() => service.close());

async function untilEvent({ id }: Waiting, wanted: string): Promise<readonly string[]> {
  for (let tries = 0; tries < 2_400; tries++) {
    const events = await service.app.services.store.read.events.after(0, 5_000);
    const names = events
      .filter(({ type, data }) => type.startsWith("svc.approval.") && data["id"] === id)
      .map(({ type }) => type.slice("svc.approval.".length));
    if (names.includes(wanted)) return names;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`no ${wanted} came`);
}

it("reminds, falls due and escalates once each; then the further people may decide", async () => {
  const asked = await waiting(service, {
    approvers: ["person:ada@example.com"],
    reminderMs: 100,
    dueInMs: 200,
    escalateMs: 400,
    escalateTo: ["person:bob@example.com"],
  });
  const early = await service.app.services.store.read.approvals.get(asked.id);
  assert.ok(early?.dueAt !== null && early?.dueAt !== undefined);
  const dueInMs = Date.parse(early.dueAt) - Date.parse(early.createdAt);
  assert.ok(dueInMs > 100 && dueInMs < 60_000, `${dueInMs} ms`);
  await ada.visitor.ask("POST", `/api/svc/approvals/${asked.id}/claim`);
  const names = await untilEvent(asked, "escalated");
  assert.deepEqual(
    names.filter((name) => name !== "claimed"),
    ["requested", "reminder", "overdue", "escalated"],
  );
  const inbox = await bob.visitor.ask("GET", "/api/svc/approvals?inbox=mine&status=pending");
  assert.deepEqual(
    inbox.data.approvals.map(({ id }: { id: string }) => id),
    [asked.id],
  );
  assert.equal(
    (await approve(bob, asked, asked.digest)).data.ok,
    true,
    "the late claim does not keep others away",
  );
});

it("an escalation of what names nobody shuts nobody out", async () => {
  const asked = await waiting(service, { escalateMs: 50, escalateTo: ["person:bob@example.com"] });
  await untilEvent(asked, "escalated");
  assert.equal((await approve(ada, asked, asked.digest)).data.ok, true);
});

it("a time after the expiry is a problem of the workflow", async () => {
  const { envelope } = await service.call("validate_workflow", {
    nodes: [{ id: "ask", type: "approval", approval: { title: "Go?", dueInMs: 10, expiresInMs: 10 } }],
    edges: [],
  });
  assert.match(JSON.stringify(envelope.data), /time_conflict.*dueInMs|dueInMs.*time_conflict/);
});
