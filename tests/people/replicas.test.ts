import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { testPostgres } from "../support/postgres.ts";
import { runToApproval, startService, type TestService } from "../support/service.ts";
import { addMember, makeOwner, Visitor, type Member } from "./support.ts";
import { waiting } from "./waiting.ts";

/* Two replicas on one PostgreSQL database. */

let server: Awaited<ReturnType<typeof testPostgres>>;
let replicas: readonly [TestService, TestService];
let owner: Member;

before(async () => {
  server = await testPostgres();
  const databaseUrl = await server.createDatabase();
  const settings = { databaseUrl };
  const first = await startService({ settings });
  replicas = [first, await startService({ settings })];
  owner = await makeOwner(first);
});
after(async () => {
  for (const replica of replicas ?? []) await replica.close();
  await server?.stop();
});

it("a person who signs in on one replica is known to the other, and out of both at once", async () => {
  const [a, b] = replicas;
  const member = await addMember(a, owner, "viewer");
  const elsewhere = new Visitor(b);
  elsewhere.cookie = member.visitor.cookie;
  assert.equal((await elsewhere.ask("GET", "/api/svc/account")).data.person?.email, member.email);
  await owner.visitor.ask("PATCH", `/api/svc/people/${member.id}`, { state: "disabled" });
  assert.equal((await elsewhere.ask("GET", "/api/svc/account")).status, 401);
});

/** The answer to an approval. More at once than a replica serves: the refused ones ask again, as clients do. */
async function decided(visitor: Visitor, id: string, digest: string | undefined) {
  for (;;) {
    const { data } = await visitor.call("approve_step", { id }, { "svc/shownDigest": digest });
    if (data.error?.code !== "overloaded") return data;
    await sleep(50);
  }
}

it("of 200 decisions on two replicas exactly one wins", async () => {
  const [a, b] = replicas;
  const approver = await addMember(a, owner, "approver");
  const made = await a.call(
    "create_workflow",
    {
      name: "Asks",
      nodes: [{ id: "ask", type: "approval", approval: { title: "Go?", approvers: ["role:approver"] } }],
      edges: [],
    },
    { key: true },
  );
  const [asked] = (await runToApproval(a, made.envelope.data.workflow.id)).approvals;
  const visitors = [a, b].map((replica) => {
    const visitor = new Visitor(replica);
    visitor.cookie = approver.visitor.cookie;
    return visitor;
  });
  const answers = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      return decided(visitors[index % 2] ?? approver.visitor, asked.id, asked.shownDigest);
    }),
  );
  assert.equal(answers.filter((answer) => answer.ok).length, 1);
  for (const answer of answers)
    assert.ok(answer.ok || answer.data?.error?.code === "conflict", JSON.stringify(answer));
});

it("of 200 approvals on two replicas exactly as many count as are needed", async () => {
  const [a, b] = replicas;
  const deciders: Visitor[] = [];
  for (const email of ["one@example.com", "two@example.com", "three@example.com"]) {
    const member = await addMember(a, owner, "approver", email);
    const elsewhere = new Visitor(b);
    elsewhere.cookie = member.visitor.cookie;
    deciders.push(member.visitor, elsewhere);
  }
  const asked = await waiting(a, { approvers: ["role:approver"], required: 2 });
  const answers = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      return decided(deciders[index % deciders.length] ?? owner.visitor, asked.id, asked.digest);
    }),
  );
  assert.equal(answers.filter((answer) => answer.ok).length, 2);
  for (const answer of answers)
    assert.ok(answer.ok || answer.data?.error?.code === "conflict", JSON.stringify(answer));
  const { store } = a.app.services;
  assert.equal((await store.read.approvals.votes(asked.id)).length, 2);
  assert.equal((await store.read.approvals.get(asked.id))?.state, "approved");
});

it("failed sign-ins are counted together", async () => {
  const [a, b] = replicas;
  const member = await addMember(a, owner, "editor");
  const answers = await Promise.all(
    Array.from({ length: 14 }, async (_, index) => {
      for (;;) {
        const answer = await new Visitor(index % 2 === 0 ? a : b).signIn(member.email, "a wrong guess");
        // A busy machine checks few passwords at once; what it refuses for that reason is not counted.
        if (answer.status !== 503) return answer.status;
        await sleep(50);
      }
    }),
  );
  assert.equal(answers.filter((status) => status === 429).length, 4, String(answers));
});
