import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { startService, TEST_KEY, type TestService } from "../support/service.ts";
import { addMember, asOperator, makeOwner, Visitor, type Answer, type Member } from "./support.ts";

let service: TestService;
let owner: Member;
let ahead = 0;

before(async () => {
  service = await startService({ clock: { now: () => Date.now() + ahead } });
  owner = await makeOwner(service);
});
after(() => service.close());

const DRAFT = {
  name: "by a service key",
  nodes: [{ id: "ask", type: "approval", approval: { title: "Go?" } }],
  edges: [],
};
const TOKENS = "/api/svc/tokens";
const make = (who: Member, scopes: readonly string[], more: object = {}): Promise<Answer> =>
  who.visitor.ask("POST", TOKENS, { name: "a program", scopes, ...more });

/** Asks with a token in one of the two headers. */
function withToken(token: string, header = "authorization") {
  const headers = { [header]: header === "authorization" ? `Bearer ${token}` : token };
  const visitor = new Visitor(service);
  return {
    ask: (method: string, path: string, body?: unknown) => visitor.ask(method, path, body, headers),
    me: async () => (await visitor.ask("GET", "/api/svc/me", undefined, headers)).data?.me,
    status: async () => (await visitor.ask("GET", "/api/svc/me", undefined, headers)).status,
  };
}

async function issue(who: Member, scopes: readonly string[], more: object = {}): Promise<string> {
  const answer = await make(who, scopes, more);
  assert.equal(answer.status, 201, answer.text);
  return answer.data.token;
}

describe("tokens of people", () => {
  it("work in both headers as the person with fewer rights; a service key acts as itself", async () => {
    const editor = await addMember(service, owner, "editor");
    const token = await issue(editor, ["run", "read-private"]);
    for (const header of ["authorization", "x-suite-api-key"]) {
      const { kind, name, scopes } = await withToken(token, header).me();
      assert.deepEqual([kind, name, scopes], ["token", "a program", ["run", "read-private"]]);
    }
    const refused = await withToken(token).ask("POST", "/api/mcp", {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "create_workflow", arguments: { name: "x", nodes: [], edges: [] } },
    });
    assert.equal(refused.status, 403);
    assert.match(refused.text, /The token \\"a program\\" lacks the scope \\"write\\"/);
    const key = withToken(await issue(editor, ["write", "run"], { kind: "service", name: "build" }));
    const call = async (name: string, args: object) => {
      const params = { name, arguments: args };
      const answer = await key.ask("POST", "/api/mcp", {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params,
      });
      return JSON.parse(answer.text).result.structuredContent.data;
    };
    const { workflow } = await call("create_workflow", DRAFT);
    const { run } = await call("run_workflow", { id: workflow.id });
    const started = await service.app.services.store.read.runs.get(run.id);
    assert.match(started?.startedBy ?? "", /^tok_/);
    assert.equal((await key.me()).kind, "key");
  });

  it("hold no more than the maker's role, when they are made and at each call", async () => {
    const operator = await addMember(service, owner, "operator");
    for (const scopes of [["write"], ["admin"], ["run", "approve"]]) {
      const answer = await make(operator, scopes);
      assert.equal(answer.status, 403, answer.text);
      assert.equal(answer.data.error.problems[0].pointer, "/scopes");
    }
    for (const [scopes, more] of [
      [[], {}],
      [["king"], {}],
      [["run"], { days: 0 }],
      [["run"], { days: 367 }],
      [["run"], { days: 1.5 }],
      [["run"], { kind: "royal" }],
      [["run"], { expiresAt: "2099-01-01" }],
    ] as const)
      assert.equal((await make(operator, scopes, more)).status, 400, JSON.stringify([scopes, more]));
    const token = await issue(operator, ["run", "handoff", "read-private"]);
    const role = (name: string) =>
      owner.visitor.ask("PATCH", `/api/svc/people/${operator.id}`, { role: name });
    await role("viewer");
    assert.deepEqual((await withToken(token).me()).scopes, ["read-private"]);
    const [listed] = (await operator.visitor.ask("GET", TOKENS)).data.tokens;
    assert.deepEqual(listed.effectiveScopes, ["read-private"]);
    await role("admin");
    assert.deepEqual((await withToken(token).me()).scopes, ["run", "handoff", "read-private"]);
  });

  it("decide approvals only where that was granted by name, and cannot come to it by a detour", async () => {
    const token = await issue(owner, ["admin"]);
    const program = withToken(token);
    const call = (name: string, args: object) =>
      program.ask("POST", "/api/mcp", {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: args },
      });
    assert.equal((await program.ask("GET", "/api/svc/people")).status, 200, "it is an admin's");
    assert.equal((await call("approve_step", { id: "approval_none" })).status, 403);
    for (const scopes of [["approve"], ["admin"]])
      assert.equal((await program.ask("POST", "/api/svc/keys", { name: "k", scopes })).status, 403);
    for (const role of ["approver", "admin", "owner"]) {
      const invited = await program.ask("POST", "/api/svc/people", { email: `x.${role}@example.com`, role });
      assert.equal(invited.status, 403, role);
    }
    const viewer = await program.ask("POST", "/api/svc/people", { email: "x@example.com", role: "viewer" });
    assert.equal(viewer.status, 201, viewer.text);
    const raise = { role: "approver" };
    const raised = await program.ask("PATCH", `/api/svc/people/${viewer.data.person.id}`, raise);
    assert.equal(raised.status, 403);
    assert.equal((await program.ask("POST", TOKENS, { name: "more", scopes: ["approve"] })).status, 403);
    const granted = withToken(await issue(owner, ["approve"]));
    const answer = await granted.ask("POST", "/api/mcp", {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "approve_step", arguments: { id: "approval_none" } },
    });
    assert.notEqual(answer.status, 403);
  });

  it("end when revoked, expired, or with the person; forged and altered ones get the same answer", async () => {
    const member = await addMember(service, owner, "viewer");
    const [first, second, third] = [
      await issue(member, ["read-private"]),
      await issue(member, ["read-private"], { days: 1 }),
      await issue(member, ["read-private"], { kind: "service" }),
    ];
    for (const token of [first, second, third]) assert.equal(await withToken(token).status(), 200);
    const list: { id: string; days: number }[] = (await member.visitor.ask("GET", TOKENS)).data.tokens;
    assert.equal(list.length, 3);
    assert.equal(
      (await owner.visitor.ask("DELETE", `${TOKENS}/${list[2]?.id}`)).status,
      404,
      "not the owner's",
    );
    assert.equal((await member.visitor.ask("DELETE", `${TOKENS}/${list[2]?.id}`)).status, 200);
    assert.equal(await withToken(first).status(), 401);
    ahead += 24 * 60 * 60 * 1_000;
    assert.equal(await withToken(second).status(), 401);
    ahead = 0;
    assert.equal(await withToken(second).status(), 200, "a clock that went back");
    await owner.visitor.ask("PATCH", `/api/svc/people/${member.id}`, { state: "disabled" });
    const answers = await Promise.all(
      [
        first,
        second,
        third,
        `${second.slice(0, -1)}x`,
        second.replace(/_[0-9a-f]{48}_/, `_${"0".repeat(48)}_`),
      ].map((token) => withToken(token).ask("GET", "/api/svc/me")),
    );
    for (const { status, data } of answers)
      assert.deepEqual([status, data.error.message], [401, "A valid API key is required."]);
    await owner.visitor.ask("PATCH", `/api/svc/people/${member.id}`, { state: "active" });
    assert.equal(await withToken(second).status(), 401, "what ended does not come back");
  });

  it("are kept as digests, noted when used, seen and revoked by admins, and recorded", async () => {
    const member = await addMember(service, owner, "approver");
    const token = await issue(member, ["read-private"], { name: "laptop" });
    await withToken(token).me();
    const path = `/api/svc/people/${member.id}/tokens`;
    const seen = await asOperator(service, "GET", path);
    const [record] = seen.data.tokens;
    assert.deepEqual([record.name, record.revokedAt], ["laptop", null]);
    assert.ok(Date.parse(record.lastUsedAt) > 0);
    assert.ok(!seen.text.includes("sha256:") && !seen.text.includes(token));
    const { store, provenance, settings } = service.app.services;
    const file = /^sqlite:(.+)$/.exec(settings.databaseUrl)?.[1];
    if (file !== undefined) assert.ok(!readFileSync(file).includes(token.split("_")[3] ?? "?"));
    const gone = await asOperator(service, "DELETE", path);
    assert.deepEqual(
      gone.data.tokens.map(({ revokedBy }: { revokedBy: string }) => revokedBy),
      ["operator"],
    );
    assert.equal(await withToken(token).status(), 401);
    const events = (await store.read.events.after(0, 1_000)).filter(({ data }) => data["id"] === record.id);
    assert.deepEqual(
      events.map(({ type }) => type),
      ["svc.token.created", "svc.token.revoked"],
    );
    const proofs = await provenance.lookup({ subjectId: record.id }, { limit: 5 }, true);
    assert.equal(proofs.items.length, 2);
    // An admin who is no owner does not touch an owner's.
    await issue(owner, ["run"]);
    const refused = await asOperator(service, "DELETE", `/api/svc/people/${owner.id}/tokens`);
    assert.equal(refused.status, 403);
  });

  it("are for signed-in people to make: no key, no token and nobody else can", async () => {
    const token = await issue(owner, ["admin", "approve"]);
    for (const bearer of [token, TEST_KEY]) {
      const answer = await withToken(bearer).ask("POST", TOKENS, { name: "x", scopes: ["run"] });
      assert.equal(answer.status, 403, answer.text);
    }
    const nobody = await new Visitor(service).ask("POST", TOKENS, { name: "x", scopes: ["run"] });
    assert.equal(nobody.status, 401);
  });
});
