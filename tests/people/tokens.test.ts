import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { startService, TEST_KEY, type TestService } from "../support/service.ts";
import { callWith, newClient, refresh, signInClient } from "../oauth/support.ts";
import { addMember, asOperator, makeOwner, PASSWORD, tokenIn, Visitor, type Member } from "./support.ts";

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
const make = (who: Member, scopes: readonly string[], more: object = {}) =>
  who.visitor.ask("POST", TOKENS, { name: "a program", scopes, ...more });

/** Asks with a token in one of the two headers. */
function withToken(token: string, header = "authorization") {
  const headers = { [header]: header === "authorization" ? `Bearer ${token}` : token };
  const visitor = new Visitor(service);
  return {
    ask: <M extends string, P extends string>(method: M, path: P, body?: unknown) =>
      visitor.ask(method, path, body, headers),
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
      assert.equal(answer.data.error.problems[0]?.pointer, "/scopes");
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
    assert.deepEqual(listed?.effectiveScopes, ["read-private"]);
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
    const list = (await member.visitor.ask("GET", TOKENS)).data.tokens;
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
    const path = `/api/svc/people/${member.id}/tokens` as const;
    const seen = await asOperator(service, "GET", path);
    const [record] = seen.data.tokens;
    assert.ok(record !== undefined);
    assert.deepEqual([record.name, record.revokedAt], ["laptop", null]);
    assert.ok(Date.parse(record.lastUsedAt ?? "") > 0);
    assert.ok(!seen.text.includes("sha256:") && !seen.text.includes(token));
    const { store, provenance, settings } = service.app.services;
    const file = /^sqlite:(.+)$/.exec(settings.databaseUrl)?.[1];
    if (file !== undefined) assert.ok(!readFileSync(file).includes(token.split("_")[3] ?? "?"));
    const gone = await asOperator(service, "DELETE", path);
    assert.deepEqual(
      gone.data.tokens.map(({ revokedBy }) => revokedBy),
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

describe("rights are present rights", () => {
  const STEP = { id: "act", type: "tool", tool: "create_workflow", with: { name: "made by a run" } };
  const call = async (token: string, name: string, args: object) => {
    const params = { name, arguments: args };
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const { text } = await withToken(token).ask("POST", "/api/mcp", body);
    return JSON.parse(text).result.structuredContent.data;
  };
  /** A run of this token that waits, with a step behind the approval that needs `write`. */
  const waitingRun = async (token: string): Promise<{ runId: string; approvalId: string }> => {
    const nodes = [{ id: "ask", type: "approval", approval: { title: "Go?", show: { sum: 7 } } }, STEP];
    const edges = [{ from: "ask", to: "act", port: "approved" }];
    const { workflow } = await call(token, "create_workflow", { name: "Asks", nodes, edges });
    let { run } = await call(token, "run_workflow", { id: workflow.id });
    for (let n = 0; n < 6_000 && run.status !== "waiting"; n++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      ({ run } = await call(token, "get_workflow_run", { id: run.id }));
    }
    return { runId: run.id, approvalId: run.approvals[0].id };
  };
  const end = async ({ runId, approvalId }: { runId: string; approvalId: string }) => {
    const { data } = await owner.visitor.ask("GET", `/api/svc/approvals/${approvalId}`);
    const { shownDigest } = data.approval;
    await owner.visitor.ask("POST", `/api/svc/approvals/${approvalId}/decide`, {
      verdict: "approved",
      shownDigest,
    });
    return service.app.services.engine.waitFor(runId, 120_000);
  };

  it("a step acts with the rights of its start that are still held; a retry with those of who retries", async () => {
    const editor = await addMember(service, owner, "editor", "present@example.com");
    const all = ["run", "write", "read-private"];
    const demoted = await waitingRun(await issue(editor, all));
    await owner.visitor.ask("PATCH", `/api/svc/people/${editor.id}`, { role: "operator" });
    const refused = await end(demoted);
    assert.deepEqual([refused.state, refused.error?.["code"]], ["failed", "forbidden"]);
    assert.match(JSON.stringify(refused.error), /The run acts without the scope .{0,2}write/);
    await owner.visitor.ask("PATCH", `/api/svc/people/${editor.id}`, { role: "editor" });

    const revoked = await issue(editor, all);
    const [held] = (await editor.visitor.ask("GET", TOKENS)).data.tokens;
    const stopped = await waitingRun(revoked);
    await editor.visitor.ask("DELETE", `${TOKENS}/${held?.id}`);
    const run = await end(stopped);
    assert.deepEqual([run.state, run.error?.["code"]], ["failed", "rights_ended"]);
    assert.match(JSON.stringify(run.error), /the token .{0,2}a program.{0,2} was revoked/);

    const { data } = await asOperator(service, "POST", "/api/svc/keys", { name: "nightly", scopes: all });
    const ofKey = await waitingRun(data.token);
    await asOperator(service, "POST", `/api/svc/keys/${data.key.id}/revoke`, {});
    const keyRun = await end(ofKey);
    assert.match(JSON.stringify(keyRun.error), /the API key .{0,2}nightly.{0,2} was revoked/);

    for (const runId of [demoted.runId, stopped.runId, ofKey.runId]) {
      const retried = await owner.visitor.ask("POST", `/api/svc/runs/${runId}/retry`, {});
      assert.equal(retried.status, 202, retried.text);
      const done = await service.app.services.engine.waitFor(runId, 120_000);
      assert.deepEqual([done.state, done.actsFor, done.actsVia], ["succeeded", owner.id, null]);
    }
  });

  it("disabling a person ends what lets the person in, stops the runs, and lists what goes on", async () => {
    const admin = await addMember(service, owner, "admin", "leaving@example.com");
    const client = await newClient(service);
    const tokens = await signInClient(service, admin, client);
    const run = await waitingRun(tokens.access_token);
    const personal = await issue(admin, ["read-private"]);
    const ask = <P extends string>(path: P, body: object) => admin.visitor.ask("POST", path, body);
    const invited = await ask("/api/svc/people", { email: "late@example.com", role: "viewer" });
    const scopes = ["read-private", "write", "run"];
    const key = await ask("/api/svc/keys", { name: "left", scopes });
    const hook = await ask("/api/svc/webhooks", { url: "https://hooks.example.com/x?secret=1" });
    assert.deepEqual([invited.status, key.status, hook.status], [201, 201, 201]);
    const nodes = [{ id: "a", type: "transform", value: 1 }];
    const { workflow } = await call(key.data.token, "create_workflow", { name: "Nightly", nodes, edges: [] });
    await call(key.data.token, "publish_workflow", { id: workflow.id });
    const trigger = (name: string) => ({
      workflowId: workflow.id,
      kind: "schedule",
      name,
      everySeconds: 86_400,
    });
    const theirs = await ask("/api/svc/triggers", trigger("of the person"));
    assert.equal(theirs.status, 201, theirs.text);
    const ofKey = await service.fetch("/api/svc/triggers", {
      method: "POST",
      headers: { authorization: `Bearer ${key.data.token}`, "content-type": "application/json" },
      body: JSON.stringify(trigger("of the key")),
    });
    assert.equal(ofKey.status, 201, await ofKey.text());

    const path = `/api/svc/people/${admin.id}` as const;
    const disabled = await owner.visitor.ask("PATCH", path, { state: "disabled" });
    assert.deepEqual(disabled.data.ended, { sessions: 1, tokens: 1, clients: 1, invitations: 1 });
    assert.deepEqual(
      disabled.data.goesOn?.map(({ kind, name }) => [kind, name]),
      [
        ["key", "left"],
        ["webhook", "https://hooks.example.com"],
        ["trigger", "of the key"],
        ["stopped_trigger", "of the person"],
      ],
    );
    const stopped = await service.app.services.engine.waitFor(run.runId, 120_000);
    assert.deepEqual([stopped.state, stopped.error?.["code"]], ["failed", "rights_ended"]);
    assert.equal(await withToken(personal).status(), 401);
    const link = tokenIn(invited.data.invitation.url);
    assert.equal(
      (await new Visitor(service).ask("POST", "/api/svc/invitations/look", { token: link })).status,
      404,
    );
    const { data } = await owner.visitor.ask("GET", `/api/svc/audit?subject=people/${admin.id}`);
    assert.deepEqual(
      data.entries.find(({ action }) => action === "person.disabled")?.detail["ended"],
      disabled.data.ended,
    );
    // What ended does not come back with the person.
    await owner.visitor.ask("PATCH", path, { state: "active" });
    assert.equal((await callWith(service, tokens.access_token)).status, 401);
    assert.equal((await refresh(service, client, tokens.refresh_token)).status, 400);
  });

  it("a new password by link ends sessions, tokens and clients that are not kept", async () => {
    const member = await addMember(service, owner, "editor", "reset@example.com");
    const client = await newClient(service);
    const reset = async (keep?: readonly string[]) => {
      const { data } = await owner.visitor.ask("POST", `/api/svc/people/${member.id}/link`, {});
      const token = tokenIn(data.invitation.url);
      const body = { token, password: "another horse battery", ...(keep && { keep }) };
      const visitor = new Visitor(service);
      return { visitor, answer: await visitor.ask("POST", "/api/svc/invitations/follow", body) };
    };
    const state = async (token: string, access: string) => [
      (await member.visitor.ask("GET", "/api/svc/sessions")).status,
      await withToken(token).status(),
      (await callWith(service, access)).status,
    ];
    const made = await member.visitor.ask("POST", "/api/svc/account/recovery-codes", { password: PASSWORD });
    assert.equal(made.status, 201, made.text);
    const codesLeft = () => service.app.services.store.read.people.countRecoveryCodes(member.id);
    const codes = await codesLeft();
    assert.ok(codes > 0);
    const token = await issue(member, ["read-private"]);
    const { access_token: access } = await signInClient(service, member, client);
    const wrong = await reset(["everything"]);
    assert.equal(wrong.answer.status, 400);
    assert.match(wrong.answer.text, /one of .{0,3}sessions.{1,5} .{0,3}tokens.{1,5} .{0,3}clients/);
    assert.equal((await reset(["sessions", "tokens", "clients", "passkeys"])).answer.status, 201);
    assert.deepEqual(await state(token, access), [200, 200, 200]);
    assert.equal(await codesLeft(), codes);
    assert.equal((await reset(["tokens"])).answer.status, 201);
    assert.deepEqual(await state(token, access), [401, 200, 401]);
    assert.equal((await reset()).answer.status, 201);
    assert.deepEqual(await state(token, access), [401, 401, 401]);
    assert.equal(await codesLeft(), 0);
  });
});
