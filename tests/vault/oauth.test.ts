import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { startBrowser } from "../support/browser.ts";
import { testPostgres } from "../support/postgres.ts";
import { startService, TEST_KEY, type TestService } from "../support/service.ts";
import { MACHINE, startAuthorizationServer, type AuthorizationServer } from "./authorization-server.ts";
import { addCredential, ask, authorize, masterKey, openSignIn } from "./support.ts";

/** A token that was renewed because of a 401 is not renewed again for this long. */
const PAUSE_MS = 5_100;
const TRUSTED = { trustedHosts: ["127.0.0.1"] };
/** As long as a lease on a refresh lasts, and a little more. */
const LEASE_MS = 21_000;

let browser: Browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser.close());

/** Signs in as a person does: opens the address, logs in, agrees, and reads the page at the end. */
async function signIn(
  service: TestService,
  name: string,
): Promise<{ readonly text: string; readonly url: string }> {
  const begun = await ask(service, "POST", `/api/svc/credentials/${name}/authorize`, {});
  assert.equal(begun.status, 200, begun.text);
  const page = await browser.newPage();
  try {
    await page.goto(begun.data.authorizationUrl, { waitUntil: "domcontentloaded" });
    const words = `asks to sign the credential "${name}" in, which is shared by everybody here.`;
    await page.getByText(words).waitFor();
    await page.getByRole("link", { name: "Continue to the sign-in" }).click();
    await page.locator("input[name=login]").fill("jane");
    await page.locator("input[name=password]").fill("any");
    await page.locator("button[type=submit]").click();
    await page.locator("button[type=submit]:has-text('Continue')").click();
    await page.waitForURL((url) => url.pathname === "/oauth/callback");
    return { text: await page.locator("main").innerText(), url: page.url() };
  } finally {
    await page.close();
  }
}

async function stateOf(service: TestService, name: string): Promise<string> {
  return (await ask(service, "GET", `/api/svc/credentials/${name}`)).data.credential.state;
}

/** Uses the resource with the credential and gives the status. */
async function use(server: AuthorizationServer, service: TestService, name: string): Promise<number> {
  return server.open((await authorize(service, name, server.resource)).headers);
}

/** Uses the resource with a token that replaces the present one, as after a 401. */
async function useRenewed(server: AuthorizationServer, service: TestService, name: string): Promise<number> {
  const refused = await authorize(service, name, server.resource);
  return server.open((await authorize(service, name, server.resource, { refused })).headers);
}

describe("OAuth against a real authorization server", () => {
  let server: AuthorizationServer;
  let service: TestService;
  before(async () => {
    server = await startAuthorizationServer();
    service = await startService({ settings: TRUSTED });
  });
  after(async () => {
    await service.close();
    await server.close();
  });

  it("a person signs in in Chromium: discovery, registration, PKCE, consent; the token opens the resource", async () => {
    const made = await addCredential(service, { name: "things", kind: "oauth2", resource: server.resource });
    assert.equal(made.state, "consent_required");
    assert.match(made.nextAction ?? "", /suitectl vault authorize things/);
    assert.deepEqual(made.hosts, [new URL(server.issuer).host]);
    await assert.rejects(use(server, service, "things"), /needs a person's consent/);

    const { text, url } = await signIn(service, "things");
    assert.match(text, /The credential things is ready/);
    assert.equal(await stateOf(service, "things"), "ready");
    assert.equal(await use(server, service, "things"), 200);
    const events = await service.app.services.store.read.events.after(0, 100);
    assert.ok(events.some(({ type }) => type === "svc.credential.authorized"));

    // The same callback again: its state is used up.
    const again = await fetch(url);
    assert.equal(again.status, 400);
    assert.match(await again.text(), /was used already/);
  });

  it("a token is refreshed after a 401, and the refresh token is replaced by the new one", async () => {
    const before_ = server.granted["refresh_token"] ?? 0;
    const old = await authorize(service, "things", server.resource);
    // However young the token is: the resource has refused it.
    const fresh = await authorize(service, "things", server.resource, { refused: old });
    assert.notEqual(fresh.headers["authorization"], old.headers["authorization"]);
    assert.equal(await server.open(fresh.headers), 200);
    // A second call that met the 401 of the old token gets the new one without a refresh of its own.
    const same = await authorize(service, "things", server.resource, { refused: old });
    assert.equal(same.headers["authorization"], fresh.headers["authorization"]);
    // A resource that refuses the renewed token as well does not make every call renew it.
    const pointless = await authorize(service, "things", server.resource, { refused: fresh });
    assert.equal(pointless.headers["authorization"], fresh.headers["authorization"]);
    assert.equal((server.granted["refresh_token"] ?? 0) - before_, 1);
    await sleep(PAUSE_MS);
    assert.equal(await useRenewed(server, service, "things"), 200, "the replaced refresh token works");
    assert.equal((server.granted["refresh_token"] ?? 0) - before_, 2);
  });

  it("access that was revoked: the refresh is refused, consent is asked for, and given again", async () => {
    await server.revokeAll();
    assert.equal(await use(server, service, "things"), 401);
    await sleep(PAUSE_MS);
    await assert.rejects(useRenewed(server, service, "things"), /needs a person's consent/);
    assert.equal(await stateOf(service, "things"), "consent_required");
    const events = await service.app.services.store.read.events.after(0, 200);
    assert.ok(events.some(({ type }) => type === "svc.credential.consent_required"));
    await signIn(service, "things");
    assert.equal(await use(server, service, "things"), 200);
  });

  it("a resource that asks for more scopes makes a new consent necessary, which asks for them", async () => {
    const challenge = 'Bearer error="insufficient_scope", scope="api:read openid"';
    await assert.rejects(
      authorize(service, "things", server.resource, { challenge }),
      /asks for api:read openid/,
    );
    assert.equal(await stateOf(service, "things"), "consent_required");
    const begun = await ask(service, "POST", "/api/svc/credentials/things/authorize", {});
    const scope = (await openSignIn(begun.data.authorizationUrl)).url.searchParams.get("scope");
    assert.ok(scope?.split(" ").includes("openid"), scope ?? "none");
  });

  it("client credentials: a token without a person, fetched once for many calls", async () => {
    await addCredential(service, {
      name: "machine",
      kind: "oauth2",
      grant: "client_credentials",
      issuer: server.issuer,
      resource: server.resource,
      hosts: [new URL(server.issuer).host],
      clientId: MACHINE.clientId,
      secret: MACHINE.secret,
      scope: "api:read",
    });
    const calls = await Promise.all(Array.from({ length: 20 }, () => use(server, service, "machine")));
    assert.deepEqual(new Set(calls), new Set([200]));
    assert.equal(server.granted["client_credentials"], 1);
  });

  it("a wrong client secret is reported with its code and without the secret", async () => {
    const secret = "wrong-secret-11aa22";
    await addCredential(service, {
      name: "wrong",
      kind: "oauth2",
      grant: "client_credentials",
      issuer: server.issuer,
      hosts: ["127.0.0.1"],
      clientId: MACHINE.clientId,
      secret,
    });
    await assert.rejects(use(server, service, "wrong"), (error) => {
      assert.match(String(error), /refused the request: invalid_client/);
      assert.ok(!JSON.stringify(error).includes(secret));
      return true;
    });
  });

  it("callbacks that are made up, wrong or from another server end on a page that says so", async () => {
    for (const query of ["", "?state=x&code=y", `?state=${"a".repeat(43)}&code=y`]) {
      const response = await fetch(`${service.url}/oauth/callback${query}`);
      assert.equal(response.status, 400, query);
      assert.match(await response.text(), /not known here/);
    }
    /** The callback of a sign-in that began in this browser, or in another one. */
    const back = async (query: string, isSame = true): Promise<Response> => {
      const begun = await ask(service, "POST", "/api/svc/credentials/things/authorize", {});
      const { url, cookie } = await openSignIn(begun.data.authorizationUrl);
      const headers = isSame ? { cookie } : { cookie: cookie.replace(/.$/, "_") };
      const state = url.searchParams.get("state") ?? "";
      return fetch(`${service.url}/oauth/callback?state=${state}&${query}`, { headers });
    };
    const elsewhere = await back(`code=abc&iss=${server.issuer}`, false);
    assert.equal(elsewhere.status, 400);
    assert.match(await elsewhere.text(), /did not begin in this browser/);
    const denied = await back("error=access_denied&error_description=%3Cscript%3E");
    const text = await denied.text();
    assert.equal(denied.status, 400);
    assert.match(text, /did not agree: access_denied/);
    assert.ok(!text.includes("script"));
    const mixed = await back("code=abc&iss=https://evil.example");
    assert.equal(mixed.status, 400);
    assert.match(await mixed.text(), /does not come from the authorization server that was asked/);
    const bad = await back(`code=abc&iss=${server.issuer}`);
    assert.equal(bad.status, 400);
    assert.match(await bad.text(), /did not take the code/);
  });
});

describe("several replicas", () => {
  let server: AuthorizationServer;
  let databaseUrl: string;
  const masterKeys = [masterKey()];
  const replica = (): Promise<TestService> =>
    startService({ settings: { ...TRUSTED, databaseUrl, masterKeys } });
  let first: TestService;
  let second: TestService;
  before(async () => {
    server = await startAuthorizationServer();
    databaseUrl = await (await testPostgres()).createDatabase();
    first = await replica();
    second = await replica();
    await addCredential(first, { name: "things", kind: "oauth2", resource: server.resource });
    await signIn(first, "things");
  });
  after(async () => {
    await first.close();
    await second.close();
    await server.close();
  });

  it("refresh at the same moment with one refresh, and all get its token", async () => {
    const before_ = server.granted["refresh_token"] ?? 0;
    const refused = await authorize(first, "things", server.resource);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        authorize(index % 2 === 0 ? first : second, "things", server.resource, { refused }),
      ),
    );
    assert.equal((server.granted["refresh_token"] ?? 0) - before_, 1);
    assert.equal(new Set(answers.map(({ headers }) => headers["authorization"])).size, 1);
    assert.equal(await server.open(answers[0]?.headers ?? {}), 200);
  });

  it("kill -9 before the server has worked on the refresh: another replica takes over, nothing is lost", async () => {
    await killInRefresh("before");
    assert.equal(await stateOf(second, "things"), "ready");
    assert.equal(await useRenewed(server, second, "things"), 200);
    assert.equal(await stateOf(second, "things"), "ready");
  });

  it("kill -9 after the server has replaced the refresh token: a clear state, and a new consent works", async () => {
    await killInRefresh("after");
    await assert.rejects(
      useRenewed(server, second, "things"),
      /needs a person's consent: a refresh was cut off before its answer was stored/,
    );
    assert.equal(await stateOf(first, "things"), "consent_required");
    await signIn(second, "things");
    assert.equal(await use(server, first, "things"), 200);
  });

  /** A third replica begins a refresh and is killed while the token endpoint has its request. */
  async function killInRefresh(when: "before" | "after"): Promise<void> {
    const held = server.hold(when);
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL("refresh-child.ts", import.meta.url)), "things", server.resource],
      {
        env: {
          ...process.env,
          PORT: "0",
          SVC_API_KEY: TEST_KEY,
          LOG_LEVEL: "silent",
          DATABASE_URL: databaseUrl,
          SVC_MASTER_KEY: masterKeys.join(","),
          SVC_TRUSTED_HOSTS: "127.0.0.1",
        },
        stdio: ["ignore", "ignore", "inherit"],
      },
    );
    const ended = once(child, "exit");
    await Promise.race([held.arrived, ended.then(() => assert.fail("the replica ended by itself"))]);
    child.kill("SIGKILL");
    await ended;
    held.release();
    const shown = await ask(second, "GET", "/api/svc/credentials/things");
    assert.equal(shown.data.credential.state, "ready", "nothing was decided yet");
    await sleep(LEASE_MS);
  }
});
