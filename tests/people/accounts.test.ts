import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createPasswords } from "../../src/access/people/passwords.ts";
import { SESSION_COOKIE } from "../../src/access/people/cookie.ts";
import { startService, TEST_KEY, type TestService } from "../support/service.ts";
import { addMember, asOperator, makeOwner, PASSWORD, tokenIn, Visitor, type Member } from "./support.ts";

let service: TestService;
let owner: Member;

before(async () => {
  service = await startService();
  owner = await makeOwner(service);
});
after(() => service.close());

const follow = (visitor: Visitor, token: string, more: object = {}) =>
  visitor.ask("POST", "/api/svc/invitations/follow", { token, password: PASSWORD, ...more });

const sorted = (answers: readonly { readonly status: number }[]) =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b);

describe("the first owner", () => {
  it("is made once: further links are not made, and those made before are dead", async () => {
    const fresh = await startService();
    try {
      const links = [await fresh.app.people.ownerLink(), await fresh.app.people.ownerLink()];
      const [first = "", second = ""] = links.map((link) => tokenIn(link?.url ?? ""));
      const look = await new Visitor(fresh).ask("POST", "/api/svc/invitations/look", { token: first });
      assert.deepEqual(look.data, { kind: "owner", person: null });
      const person = (name: string) => ({ email: `${name}@example.com`, name });
      const answers = await Promise.all([
        follow(new Visitor(fresh), first, person("one")),
        follow(new Visitor(fresh), second, person("two")),
        follow(new Visitor(fresh), first, person("three")),
      ]);
      assert.deepEqual(sorted(answers), [201, 404, 404]);
      assert.equal(await fresh.app.people.ownerLink(), null);
      const again = await follow(new Visitor(fresh), second, person("four"));
      assert.equal(again.status, 404);
      assert.equal((await fresh.app.services.store.read.people.list({ limit: 10 })).items.length, 1);
    } finally {
      await fresh.close();
    }
  });

  it("is the last owner and cannot be removed; a second owner can", async () => {
    const path = `/api/svc/people/${owner.id}`;
    for (const change of [{ role: "admin" }, { state: "disabled" }]) {
      const answer = await owner.visitor.ask("PATCH", path, change);
      assert.equal(answer.status, 409, answer.text);
      assert.match(answer.text, /last owner/);
    }
    const second = await addMember(service, owner, "owner", "second@example.com");
    const demoted = await owner.visitor.ask("PATCH", `/api/svc/people/${second.id}`, { role: "viewer" });
    assert.equal(demoted.data.person.role, "viewer");
  });
});

describe("invitations", () => {
  it("let a person in once; replayed, replaced and forged ones get one answer", async () => {
    const invite = await owner.visitor.ask("POST", "/api/svc/people", {
      email: " Grace@Example.com ",
      name: "Grace",
      role: "editor",
    });
    assert.equal(invite.status, 201, invite.text);
    assert.equal(invite.data.person.email, "grace@example.com");
    assert.equal(invite.data.person.state, "invited");
    const token = tokenIn(invite.data.invitation.url);
    const unknown = "0".repeat(64);
    const visitor = new Visitor(service);
    assert.equal((await visitor.signIn("grace@example.com")).status, 401, "not before joining");
    const joined = await follow(visitor, token, { name: "Grace H." });
    assert.equal(joined.data.person.name, "Grace H.");
    assert.equal(joined.data.person.state, "active");
    const id: string = joined.data.person.id;
    const link = async () =>
      tokenIn((await owner.visitor.ask("POST", `/api/svc/people/${id}/link`)).data.invitation.url);
    const replaced = await link();
    const current = await link();
    const dead = await Promise.all(
      [token, replaced, unknown].map((one) => follow(new Visitor(service), one)),
    );
    assert.equal(new Set(dead.map(({ status, text }) => `${status} ${text}`)).size, 1);
    assert.equal(dead[0]?.status, 404);
    const reset = await follow(new Visitor(service), current, { password: "another long password" });
    assert.equal(reset.status, 201, reset.text);
    assert.equal((await visitor.ask("GET", "/api/svc/sessions")).status, 401, "a reset ends every session");
    assert.equal((await new Visitor(service).signIn("grace@example.com")).status, 401);
    assert.equal(
      (await new Visitor(service).signIn("grace@example.com", "another long password")).status,
      201,
    );
  });

  it("are refused with every problem named", async () => {
    const answer = await owner.visitor.ask("POST", "/api/svc/people", { email: "no", role: "king", x: 1 });
    assert.equal(answer.status, 400);
    assert.deepEqual(
      answer.data.error.problems.map(({ pointer }: { pointer: string }) => pointer).toSorted(),
      ["/email", "/role", "/x"],
    );
    const twice = await owner.visitor.ask("POST", "/api/svc/people", { email: owner.email, role: "viewer" });
    assert.equal(twice.status, 409);
    const short = await owner.visitor.ask("POST", "/api/svc/people", {
      email: "s@example.com",
      role: "viewer",
    });
    for (const password of ["short", "aaaaaaaaaaaaaaaa", "xx s@example.com xx"]) {
      const refused = await follow(new Visitor(service), tokenIn(short.data.invitation.url), { password });
      assert.equal(refused.status, 400, password);
    }
  });

  it("nobody gives rights that they do not hold", async () => {
    const admin = await addMember(service, owner, "admin");
    const editor = await addMember(service, owner, "editor");
    const invite = (who: Visitor, role: string) =>
      who.ask("POST", "/api/svc/people", { email: `${role}.new@example.com`, role });
    assert.equal((await invite(editor.visitor, "viewer")).status, 403);
    assert.equal((await invite(admin.visitor, "owner")).status, 403);
    const change = (who: Visitor, id: string, body: object) =>
      who.ask("PATCH", `/api/svc/people/${id}`, body);
    assert.equal((await change(admin.visitor, admin.id, { role: "owner" })).status, 403);
    assert.equal((await change(admin.visitor, owner.id, { name: "Mine" })).status, 403);
    assert.equal((await change(admin.visitor, owner.id, { state: "disabled" })).status, 403);
    assert.equal((await admin.visitor.ask("POST", `/api/svc/people/${owner.id}/link`)).status, 403);
    assert.equal((await change(admin.visitor, editor.id, { role: "operator" })).status, 200);
    const byKey = await asOperator(service, "POST", "/api/svc/people", {
      email: "k@example.com",
      role: "owner",
    });
    assert.equal(byKey.status, 403, "a key is not an owner");
  });
});

describe("signing in", () => {
  it("an unknown address, a wrong password and a disabled person get the same answer", async () => {
    const member = await addMember(service, owner, "viewer");
    await owner.visitor.ask("PATCH", `/api/svc/people/${member.id}`, { state: "disabled" });
    const answers = await Promise.all([
      new Visitor(service).signIn("nobody@example.com"),
      new Visitor(service).signIn(owner.email, "wrong password here"),
      new Visitor(service).signIn(member.email),
    ]);
    assert.deepEqual(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
    assert.equal(answers[0]?.status, 401);
    for (const { headers } of answers) assert.deepEqual(headers.getSetCookie(), []);
  });

  it("a person who is disabled loses access at once, and has it back when enabled", async () => {
    const member = await addMember(service, owner, "operator");
    assert.equal((await member.visitor.ask("GET", "/api/svc/sessions")).status, 200);
    const path = `/api/svc/people/${member.id}`;
    await owner.visitor.ask("PATCH", path, { state: "disabled" });
    const cookie = member.visitor.cookie;
    const refused = await member.visitor.call("run_workflow", { id: "x" });
    assert.equal(refused.status, 401);
    assert.equal(member.visitor.cookie, null, "the browser forgets the session");
    await owner.visitor.ask("PATCH", path, { state: "active" });
    member.visitor.cookie = cookie;
    assert.equal(
      (await member.visitor.ask("GET", "/api/svc/sessions")).status,
      401,
      "the old session is gone",
    );
    assert.equal((await member.visitor.signIn(member.email)).status, 201);
  });

  it("guesses are stopped, for accounts that exist and those that do not", async () => {
    const member = await addMember(service, owner, "viewer", "guessed@example.com");
    for (const email of [member.email, "never.was@example.com"]) {
      const answers = await Promise.all(
        Array.from({ length: 14 }, () => new Visitor(service).signIn(email, "a wrong guess")),
      );
      const stopped = answers.filter(({ status }) => status === 429);
      assert.equal(stopped.length, 4, email);
      assert.ok(Number(stopped[0]?.headers.get("retry-after")) >= 1);
    }
    assert.equal(
      (await new Visitor(service).signIn(member.email)).status,
      429,
      "the right password waits too",
    );
    assert.equal((await new Visitor(service).signIn(owner.email)).status, 201, "others do not");
    assert.equal(
      (await member.visitor.signIn(member.email)).status,
      201,
      "nor does the person's own browser",
    );
  });

  it("guesses from elsewhere do not lock a person out", async () => {
    const behind = await startService({ settings: { trustedProxies: ["127.0.0.1"] } });
    try {
      const person = await makeOwner(behind);
      const from = (address: string, password: string, cookie = "") =>
        new Visitor(behind).ask(
          "POST",
          "/api/svc/sessions",
          { email: person.email, password },
          {
            "x-suite-page": "1",
            "x-forwarded-for": address,
            cookie,
          },
        );
      for (let n = 0; n < 12; n++) await from("198.51.100.1", "a wrong guess");
      assert.equal((await from("198.51.100.1", PASSWORD)).status, 429);
      assert.equal(
        (await from("198.51.100.2", PASSWORD)).status,
        201,
        "ten wrong ones elsewhere do not count",
      );
      for (let n = 0; n < 12; n++) await from(`2001:db8:1:2:${n}::1`, "a wrong guess");
      assert.equal((await from("2001:db8:1:2::aaaa", PASSWORD)).status, 429, "one host of IPv6 counts once");
      assert.equal((await from("2001:db8:1:3::1", PASSWORD)).status, 201);
      // Guesses from very many addresses are stopped for browsers that nobody knows.
      for (let n = 0; n < 100; n++) await from(`203.0.113.${n}`, "a wrong guess");
      assert.equal((await from("198.51.100.3", PASSWORD)).status, 429);
      const known = await from("198.51.100.3", PASSWORD, person.visitor.device ?? "");
      assert.equal(known.status, 201, known.text);
      const forged = (person.visitor.device ?? "").replace(/.$/, (end) => (end === "0" ? "1" : "0"));
      assert.equal((await from("198.51.100.3", PASSWORD, forged)).status, 429);
    } finally {
      await behind.close();
    }
  });

  it("recovery codes work once each and allow a new password", async () => {
    const member = await addMember(service, owner, "viewer", "forgot@example.com");
    const path = "/api/svc/account/recovery-codes";
    assert.equal((await member.visitor.ask("POST", path, { password: "not the password" })).status, 400);
    const made = await member.visitor.ask("POST", path, { password: PASSWORD });
    assert.equal(made.data.codes.length, 10);
    const [code = ""] = made.data.codes;
    const use = (recoveryCode: string) => {
      const visitor = new Visitor(service);
      return visitor
        .ask("POST", "/api/svc/sessions", { email: member.email, recoveryCode })
        .then((answer) => ({ visitor, ...answer }));
    };
    const uses = await Promise.all([use(code), use(code.toUpperCase().replaceAll("-", " "))]);
    assert.deepEqual(sorted(uses), [201, 401]);
    const recovered = uses.find(({ status }) => status === 201);
    const next = { next: "a brand new password" };
    assert.equal((await member.visitor.ask("POST", "/api/svc/account/password", next)).status, 400);
    const set = await recovered?.visitor.ask("POST", "/api/svc/account/password", next);
    assert.equal(set?.status, 200, set?.text);
    assert.equal((await member.visitor.ask("GET", "/api/svc/sessions")).status, 401, "other sessions ended");
    assert.equal((await new Visitor(service).signIn(member.email, next.next)).status, 201);
    const account = await recovered?.visitor.ask("GET", "/api/svc/account");
    assert.equal(account?.data.recoveryCodesLeft, 9);
  });

  it("needs our own page: without its header, from another origin or another site it is refused", async () => {
    const { visitor } = await addMember(service, owner, "admin", "page@example.com");
    const cookie = `${SESSION_COOKIE}=${visitor.cookie ?? ""}`;
    const body = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "list_workflows", arguments: {} },
    };
    const as = (headers: Record<string, string>, method = "POST", path = "/api/mcp") =>
      new Visitor(service).ask(method, path, method === "POST" ? body : undefined, headers);
    assert.equal((await as({ cookie })).status, 403);
    assert.equal((await as({ cookie, "x-suite-page": "1", origin: "http://localhost:1" })).status, 403);
    assert.equal((await as({ cookie, "x-suite-page": "1", "sec-fetch-site": "same-site" })).status, 403);
    assert.equal((await as({ cookie, "x-suite-page": "1", "sec-fetch-site": "same-origin" })).status, 200);
    assert.equal((await as({ cookie }, "GET", "/api/svc/people")).status, 200, "reading does not");
    assert.equal((await as({ cookie }, "DELETE", "/api/svc/sessions")).status, 403);
    const key = { cookie, authorization: `Bearer ${TEST_KEY}` };
    assert.equal((await as(key)).status, 200, "a key that is shown wins");
    const signIn = await new Visitor(service).ask(
      "POST",
      "/api/svc/sessions",
      { email: "a@b.c", password: "x" },
      {},
    );
    assert.equal(signIn.status, 403);
  });

  it("sets a cookie that scripts, other hosts and other sites cannot use", async () => {
    const answer = await new Visitor(service).signIn(owner.email);
    const [line = ""] = answer.headers.getSetCookie();
    assert.match(
      line,
      /^__Host-[a-z-]+=ses_[0-9a-z]{26}\.[0-9a-f]{64}; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
    );
  });

  it("over plain http from another machine is refused with the way out", async () => {
    const open = await startService({
      settings: { baseUrl: "http://flows.example.com", trustedHosts: ["flows.example.com"] },
    });
    try {
      await makeOwner(open);
      const { site } = open.app.services;
      const headers = { host: "flows.example.com", "x-suite-page": "1", "content-type": "application/json" };
      const body = JSON.stringify({ email: "owner@example.com", password: PASSWORD });
      const answer = await site.request("POST", "/api/svc/sessions", headers, body);
      assert.equal(answer.status, 400);
      assert.match(answer.body, /https/);
    } finally {
      await open.close();
    }
  });
});

describe("what is stored and shown", () => {
  it("no answer, event or record holds a password, a token or a hash", async () => {
    const { store } = service.app.services;
    const events = await store.read.events.after(0, 5_000);
    const people = await owner.visitor.ask("GET", "/api/svc/people?limit=100");
    const shown = JSON.stringify(events) + people.text;
    assert.ok(events.some(({ type }) => type === "svc.person.invited"));
    assert.ok(events.some(({ type }) => type === "svc.session.created"));
    for (const secret of [PASSWORD, "argon2", "sha256:", owner.visitor.cookie ?? "?"])
      assert.ok(!shown.replaceAll(/"digest":"sha256:[^"]*"/g, "").includes(secret), secret);
    const session = await store.read.people.session((owner.visitor.cookie ?? "").split(".")[0] ?? "");
    assert.match(session?.digest ?? "", /^sha256:/);
    const person = await store.read.people.get(owner.id);
    assert.match(person?.password ?? "", /^\$argon2id\$v=19\$/);
    assert.match(await createPasswords().hash(PASSWORD), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it("a change of rights is in the provenance log, with who made it", async () => {
    const member = await addMember(service, owner, "viewer", "promoted@example.com");
    await owner.visitor.ask("PATCH", `/api/svc/people/${member.id}`, { role: "approver" });
    const found = await service.app.services.store.read.provenance.find(
      { subjectId: member.id },
      { limit: 10 },
    );
    const [newest] = found.items;
    assert.equal(newest?.kind, "person");
    assert.match(newest?.body ?? "", new RegExp(owner.id));
  });
});
