import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { addMember, makeOwner, Visitor, type Member } from "../people/support.ts";
import { at } from "../support/json.ts";
import { startService, type TestService } from "../support/service.ts";
import {
  authorizeQuery,
  Browser,
  callWith,
  consent,
  exchange,
  newClient,
  pkce,
  post,
  refresh,
  register,
  resourceMetadata,
  serverMetadata,
  signInClient,
  type ScriptedClient,
} from "./support.ts";

describe("OAuth for MCP clients", () => {
  let service: TestService;
  let owner: Member;
  let editor: Member;
  let client: ScriptedClient;

  before(async () => {
    service = await startService();
    owner = await makeOwner(service);
    editor = await addMember(service, owner, "editor");
    client = await newClient(service);
  });
  after(() => service.close());

  const link = (challenge: string, more: Readonly<Record<string, string>> = {}): string =>
    `${service.url}/oauth/authorize?${authorizeQuery(client, challenge, more).toString()}`;

  it("describes itself: resource, authorization server, and where a 401 leads", async () => {
    for (const path of ["", "/api/mcp", "/mcp"]) {
      const metadata = await resourceMetadata(service, `/.well-known/oauth-protected-resource${path}`);
      assert.equal(metadata.resource, `${service.url}${path}`);
      assert.deepEqual(metadata.authorization_servers, [service.url]);
      assert.ok(metadata.scopes_supported.includes("run") && !metadata.scopes_supported.includes("admin"));
    }
    const metadata = await serverMetadata(service);
    assert.equal(metadata.issuer, service.url);
    assert.deepEqual(metadata.code_challenge_methods_supported, ["S256"]);
    const refused = await service.call("create_workflow", { name: "x" });
    assert.equal(refused.status, 401);
    const challenge = refused.headers.get("www-authenticate") ?? "";
    assert.match(challenge, /^Bearer /);
    assert.ok(
      challenge.includes(`resource_metadata="${service.url}/.well-known/oauth-protected-resource/api/mcp"`),
      challenge,
    );
    assert.match(challenge, /scope="[^"]*run[^"]*"/);
    assert.doesNotMatch(challenge, /error=/);
    const public_ = await service.call("get_health");
    assert.equal(public_.status, 200);
  });

  it("signs a client in with a code and PKCE, and the token calls a protected tool", async () => {
    const tokens = await signInClient(service, editor, client);
    assert.equal(tokens.token_type, "Bearer");
    assert.ok(tokens.expires_in <= 900);
    assert.equal(tokens.scope.split(" ").toSorted().join(" "), "read-private run write");
    const made = await callWith(service, tokens.access_token);
    assert.equal(made.status, 200);
    assert.equal(made.ok, true, made.text);
    const lacking = await callWith(service, tokens.access_token, "approve_step", { id: "x" });
    assert.equal(lacking.status, 403);
    const challenge = lacking.headers.get("www-authenticate") ?? "";
    assert.match(challenge, /error="insufficient_scope"/);
    assert.match(challenge, /scope="[^"]*approve[^"]*"/);
  });

  it("shows who asks and for what, and what the role cannot give", async () => {
    const browser = new Browser(service, editor);
    const page = await browser.begin(
      link(pkce().challenge, { scope: "run approve admin openid", resource: `${service.url}/api/mcp` }),
    );
    const { data } = await browser.ask("GET", `${page}/details`);
    assert.deepEqual(data.client, { id: client.clientId, name: "Scripted client", host: "client.example" });
    assert.equal(data.resource, `${service.url}/api/mcp`);
    assert.deepEqual(
      data.scopes.map((scope) => [scope.name, scope.allowed, scope.preset]),
      [
        ["run", true, true],
        ["approve", false, false],
        ["admin", false, false],
      ],
    );
    for (const scopes of [[], ["approve"], ["write"], ["run", "admin"], ["nonsense"]]) {
      assert.equal((await browser.ask("POST", `${page}/decision`, { scopes })).status, 400, scopes.join());
    }
    const back = await browser.decide(page, { denied: true });
    assert.equal(back.searchParams.get("error"), "access_denied");
    assert.equal(back.searchParams.get("state"), "some-state");
    assert.equal((await browser.ask("POST", `${page}/decision`, { scopes: ["run"] })).status, 404);
  });

  it("has approve off at first, also for an owner", async () => {
    const browser = new Browser(service, owner);
    const page = await browser.begin(link(pkce().challenge, { scope: "run approve admin" }));
    const { data } = await browser.ask("GET", `${page}/details`);
    assert.deepEqual(
      data.scopes.map((scope) => `${scope.name} ${scope.preset}`),
      ["run true", "approve false", "admin false"],
    );
  });

  it("lets only the browser decide that came from the client", async () => {
    const page = await new Browser(service, owner).begin(link(pkce().challenge));
    // The link of the page, sent to another person who is signed in.
    const other = new Browser(service, editor);
    assert.equal((await other.ask("GET", `${page}/details`)).status, 404);
    assert.equal((await other.ask("POST", `${page}/decision`, { scopes: ["run"] })).status, 404);
    const resumed = await other.open(page.replace("/requests/", "/authorize/"));
    assert.equal(resumed.status, 400);
  });

  it("refuses a code that is used twice and ends what it gave", async () => {
    const { verifier, challenge } = pkce();
    const code = (await consent(service, editor, link(challenge))).searchParams.get("code") ?? "";
    const [first, second] = await Promise.all([
      exchange(service, client, code, verifier),
      exchange(service, client, code, verifier),
    ]);
    assert.equal([first, second].filter(({ status }) => status === 200).length <= 1, true);
    const again = await exchange(service, client, code, verifier);
    assert.equal(again.status, 400);
    assert.equal(again.json.error, "invalid_grant");
    const token = [first, second].find(({ status }) => status === 200)?.json.access_token ?? "none";
    assert.equal((await callWith(service, token)).status, 401);
  });

  it("refuses a wrong verifier, redirect, client and method", async () => {
    const { verifier, challenge } = pkce();
    const code = (await consent(service, editor, link(challenge))).searchParams.get("code") ?? "";
    const other = await newClient(service);
    for (const attempt of [
      exchange(service, client, code, pkce().verifier),
      exchange(service, client, code, verifier, { redirect_uri: "https://client.example/other" }),
      exchange(service, other, code, verifier),
      exchange(service, client, `${code}x`, verifier),
    ]) {
      const { status, json } = await attempt;
      assert.equal(status, 400);
      assert.equal(json.error, "invalid_grant");
    }
    assert.equal((await exchange(service, client, code, verifier)).status, 200);
    const browser = new Browser(service, editor);
    // An address that was not registered is never redirected to.
    const wrong = await browser.open(link(challenge, { redirect_uri: "https://evil.example/" }));
    assert.equal(wrong.status, 400);
    assert.equal(wrong.headers.get("location"), null);
    for (const more of [{ code_challenge_method: "plain" }, { code_challenge: "" }]) {
      const response = await browser.open(link(challenge, more));
      const back = response.headers.get("location");
      assert.ok(response.status === 400 || back?.includes("error=invalid_request") === true, String(back));
    }
  });

  it("gives tokens for its own resources only, and refuses one for another resource", async () => {
    const browser = new Browser(service, editor);
    const { challenge } = pkce();
    for (const resource of [
      "https://other.example/mcp",
      `${service.url}/api/svc`,
      `${service.url}.evil.example/`,
    ]) {
      const response = await browser.open(link(challenge, { resource }));
      assert.match(response.headers.get("location") ?? "", /error=invalid_target/, resource);
    }
    const whole = await signInClient(service, editor, client, { asked: { resource: `${service.url}/` } });
    const contract = await signInClient(service, editor, client, {
      asked: { resource: `${service.url}/api/mcp` },
    });
    const agents = await signInClient(service, editor, client, { asked: { resource: `${service.url}/mcp` } });
    assert.equal((await callWith(service, whole.access_token)).status, 200);
    assert.equal((await callWith(service, contract.access_token)).status, 200);
    const refused = await callWith(service, agents.access_token);
    assert.equal(refused.status, 401);
    assert.match(refused.headers.get("www-authenticate") ?? "", /error="invalid_token"/);
    const me = (token: string) =>
      new Visitor(service).ask("GET", "/api/svc/me", undefined, { authorization: `Bearer ${token}` });
    assert.equal((await me(contract.access_token)).status, 401);
    assert.equal((await me(whole.access_token)).data.me.kind, "oauth");
  });

  it("rotates refresh tokens, and one that is used again ends the family", async () => {
    const first = await signInClient(service, editor, client);
    const second = await refresh(service, client, first.refresh_token);
    assert.equal(second.status, 200, JSON.stringify(second.json));
    assert.notEqual(second.json.refresh_token, first.refresh_token);
    assert.equal((await callWith(service, second.json.access_token)).status, 200);
    const replayed = await refresh(service, client, first.refresh_token);
    assert.equal(replayed.status, 400);
    assert.equal(replayed.json.error, "invalid_grant");
    assert.equal((await callWith(service, second.json.access_token)).status, 401);
    assert.equal((await callWith(service, first.access_token)).status, 401);
    assert.equal((await refresh(service, client, second.json.refresh_token)).status, 400);
  });

  it("of 20 refreshes with one token at most one succeeds", async () => {
    const { refresh_token } = await signInClient(service, editor, client);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => refresh(service, client, refresh_token)),
    );
    assert.ok(answers.filter(({ status }) => status === 200).length <= 1);
    for (const { status, json } of answers) assert.ok(status === 200 || json.error === "invalid_grant");
  });

  it("never gives more than the role, at each call", async () => {
    const member = await addMember(service, owner, "editor", "demoted@example.com");
    const tokens = await signInClient(service, member, client);
    assert.equal((await callWith(service, tokens.access_token)).status, 200);
    const change = (body: object) => owner.visitor.ask("PATCH", `/api/svc/people/${member.id}`, body);
    assert.equal((await change({ role: "viewer" })).status, 200);
    assert.equal((await callWith(service, tokens.access_token)).status, 403);
    assert.equal((await change({ role: "editor", state: "disabled" })).status, 200);
    assert.equal((await callWith(service, tokens.access_token)).status, 401);
    const refreshed = await refresh(service, client, tokens.refresh_token);
    assert.equal(refreshed.status, 400);
    assert.equal(refreshed.json.error, "invalid_grant");
  });

  it("lists connected clients with their last use, and disconnects one at once", async () => {
    const member = await addMember(service, owner, "editor", "lists@example.com");
    const tokens = await signInClient(service, member, client, { scopes: ["run", "write"] });
    await callWith(service, tokens.access_token);
    const listed = await member.visitor.ask("GET", "/api/svc/oauth/clients");
    const [entry] = listed.data.clients;
    assert.ok(entry !== undefined);
    assert.equal(listed.data.clients.length, 1);
    assert.equal(entry.name, "Scripted client");
    assert.equal(entry.host, "client.example");
    assert.deepEqual(entry.scopes.toSorted(), ["run", "write"]);
    assert.ok(entry.lastUsedAt !== null);
    const path = `/api/svc/oauth/clients/${entry.id}`;
    assert.equal((await editor.visitor.ask("DELETE", path)).status, 404);
    assert.equal((await editor.visitor.ask("GET", "/api/svc/oauth/clients?people=all")).status, 403);
    const all = await owner.visitor.ask("GET", "/api/svc/oauth/clients?people=all");
    assert.ok(all.data.clients.some(({ id }) => id === entry.id));
    assert.equal((await member.visitor.ask("DELETE", path)).status, 200);
    assert.equal((await callWith(service, tokens.access_token)).status, 401);
    assert.equal((await refresh(service, client, tokens.refresh_token)).status, 400);
    assert.equal((await member.visitor.ask("GET", "/api/svc/oauth/clients")).data.clients.length, 0);
  });

  it("revokes what a client gives back", async () => {
    const tokens = await signInClient(service, editor, client);
    const answer = await post(service, "/oauth/revoke", {
      token: tokens.refresh_token,
      client_id: client.clientId,
    });
    assert.equal(answer.status, 200);
    assert.equal((await refresh(service, client, tokens.refresh_token)).status, 400);
    assert.equal((await callWith(service, tokens.access_token)).status, 401);
  });

  it("keeps no token and no code in the database", async () => {
    const { verifier, challenge } = pkce();
    const code = (await consent(service, editor, link(challenge))).searchParams.get("code") ?? "";
    const { status, json } = await exchange(service, client, code, verifier);
    assert.equal(status, 200, JSON.stringify(json));
    const file = service.app.services.settings.databaseUrl.slice("sqlite:".length);
    const kept = ["", "-wal"].map((end) => readFileSync(`${file}${end}`).toString("latin1")).join("");
    assert.ok(kept.includes(client.clientId));
    for (const secret of [code, json.access_token, json.refresh_token]) assert.ok(!kept.includes(secret));
  });

  it("sends nobody on to a client that no person has connected", async () => {
    const stranger = await newClient(service, "https://stranger.example/back");
    const wrong = { response_type: "token" };
    const ask = (one: ScriptedClient, more: Record<string, string>) =>
      service.fetch(`/oauth/authorize?${authorizeQuery(one, pkce().challenge, more).toString()}`, {
        redirect: "manual",
      });
    const page = await ask(stranger, wrong);
    assert.equal(page.status, 400);
    assert.equal(page.headers.get("location"), null);
    assert.match(await page.text(), /cannot be connected.*unsupported_response_type/s);
    const known = await newClient(service);
    await signInClient(service, editor, known);
    const back = await ask(known, wrong);
    assert.match(back.headers.get("location") ?? "", /^https:\/\/client\.example\/callback[?#]error=/);
  });

  it("announces no response mode that its own pages forbid", async () => {
    const metadata = await serverMetadata(service);
    assert.deepEqual(metadata.response_modes_supported, ["query", "fragment"]);
    const query = authorizeQuery(client, pkce().challenge, { response_mode: "form_post" });
    const refused = await service.fetch(`/oauth/authorize?${query.toString()}`);
    assert.deepEqual(
      [refused.status, at(JSON.parse(await refused.text()), "error")],
      [400, "invalid_request"],
    );
  });

  it("refuses large bodies and many parameters before it reads them", async () => {
    const send = (path: string, body: string, type = "application/x-www-form-urlencoded") =>
      service.fetch(path, { method: "POST", headers: { "content-type": type }, body });
    const many = "a&".repeat(500_000);
    for (const path of ["/oauth/token", "/oauth/revoke", "/oauth/device"]) {
      assert.equal((await send(path, many)).status, 413, path);
      assert.equal((await send(path, "grant_type=x".padEnd(16_385, "x"))).status, 413, path);
      assert.equal((await send(path, `grant_type=x&${"a=1&".repeat(50)}`)).status, 413, path);
    }
    const redirects = JSON.stringify({ redirect_uris: ["https://x.example/".padEnd(17_000, "x")] });
    assert.equal((await send("/oauth/register", redirects, "application/json")).status, 413);
    assert.equal((await send("/oauth/token", "grant_type=x&client_id=y")).status, 401);
  });

  it("refuses unsafe registrations with the reason", async () => {
    for (const redirect_uris of [
      undefined,
      [],
      ["http://client.example/callback"],
      ["javascript:alert(1)"],
      ["https://client.example/#fragment"],
      ["https://user:pass@client.example/"],
      ["https://localhost/callback"],
      [7],
      Array.from({ length: 21 }, (_, index) => `https://client.example/${index}`),
      [`https://client.example/${"x".repeat(500)}`],
    ]) {
      const { status, json } = await register(service, { redirect_uris });
      assert.equal(status, 400, JSON.stringify(redirect_uris));
      assert.equal(json.error, "invalid_redirect_uri");
      assert.ok(json.error_description.length > 20);
    }
    const named = await register(service, {
      redirect_uris: ["https://client.example/cb"],
      client_name: `Claude\u202e\n${"x".repeat(300)}`,
      token_endpoint_auth_method: "client_secret_basic",
    });
    assert.equal(named.status, 201, JSON.stringify(named.json));
    assert.equal(named.json.client_secret, undefined);
    assert.equal(named.json.token_endpoint_auth_method, "none");
    assert.match(named.json.client_name, /^Claude x{90,93}$/);
  });
});
