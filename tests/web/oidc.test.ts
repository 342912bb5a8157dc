import assert from "node:assert/strict";
import { createServer, type RequestListener, type Server } from "node:http";
import { after, before, describe, it } from "node:test";
import Provider from "oidc-provider";
import type { Browser, Page } from "playwright-core";
import { ensureBuilt, leaveBrowser, openPage, runAxe, takeBrowser } from "../support/browser.ts";
import { startService, type TestService } from "../support/service.ts";
import { makeOwner, type Member } from "../people/support.ts";

/* A company's identity provider: oidc-provider in this process, with people in groups. */

interface Employee {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  readonly groups?: readonly string[];
}
const employees: Record<string, Employee> = {};

let idp: Server;
let answer: RequestListener;
let service: TestService;
let browser: Browser;
let owner: Member;

before(async () => {
  await ensureBuilt();
  idp = createServer((request, response) => answer(request, response));
  await new Promise<void>((done) => idp.listen(0, "127.0.0.1", done));
  const address = idp.address();
  assert.ok(typeof address === "object" && address !== null);
  const issuer = `http://127.0.0.1:${address.port}`;
  const client = { clientId: "workflow-ui", clientSecret: "a-secret-between-the-two-of-us-1234" };
  service = await startService({
    settings: {
      oidc: {
        issuer,
        ...client,
        name: "Example Corp",
        groupsClaim: "groups",
        roles: [
          ["engineering", "editor"],
          ["auditors", "viewer"],
        ],
      },
    },
  });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: [`${service.url}/api/svc/sign-in/oidc/callback`],
      },
    ],
    claims: { openid: ["sub", "groups"], email: ["email", "email_verified"], profile: ["name"] },
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: () => ({ sub: id, ...employees[id], groups: [...(employees[id]?.groups ?? [])] }),
    }),
    pkce: { required: () => true },
    cookies: { keys: ["a key of the test"] },
  });
  const serve = provider.callback();
  answer = (request, response) => void serve(request, response);
  [browser, owner] = await Promise.all([takeBrowser(), makeOwner(service)]);
});
after(async () => {
  if (browser !== undefined) await leaveBrowser(browser);
  await service?.close();
  idp?.closeAllConnections();
  await new Promise((done) => idp?.close(done));
});

/** Goes through the company's sign-in as an employee. */
async function signInAs(page: Page, login: string, to = "/account"): Promise<void> {
  await page.goto(`/sign-in?to=${encodeURIComponent(to)}`);
  await page.getByRole("link", { name: "Sign in with Example Corp" }).click();
  await page.locator("input[name=login]").fill(login);
  await page.locator("input[name=password]").fill("whatever");
  await page.locator("button[type=submit]").click();
  await page.locator("button[type=submit]").click();
}

const start = (headers: Record<string, string> = {}) =>
  service.fetch("/api/svc/sign-in/oidc?to=/runs", { redirect: "manual", headers });
const callback = (query: string, cookie?: string) =>
  service.fetch(`/api/svc/sign-in/oidc/callback?${query}`, {
    redirect: "manual",
    headers: cookie === undefined ? {} : { cookie },
  });

describe("sign-in at a company's provider", () => {
  it("makes the account with the role of the group, and follows the group at the next sign-in", async () => {
    employees["emma"] = {
      email: "Emma@example.com",
      email_verified: true,
      name: "Emma",
      groups: ["engineering", "auditors"],
    };
    const first = await openPage(browser, { baseUrl: service.url });
    await first.page.goto("/sign-in");
    await first.page.getByRole("link", { name: "Sign in with Example Corp" }).waitFor();
    const found = await runAxe(first.page);
    await signInAs(first.page, "emma");
    await first.page.getByText("Emma, emma@example.com. Your role is editor.").waitFor();
    await first.page.getByText(/by oidc/).waitFor();
    employees["emma"] = { ...employees["emma"], groups: ["auditors"] };
    const second = await openPage(browser, { baseUrl: service.url });
    await signInAs(second.page, "emma");
    await second.page.getByText("Emma, emma@example.com. Your role is viewer.").waitFor();
    const people = (await owner.visitor.ask("GET", "/api/svc/people")).data.people;
    assert.equal(people.filter(({ email }: { email: string }) => email === "emma@example.com").length, 1);
    // What the provider's own pages do is not ours to check.
    const faults = [...first.faults, ...second.faults].filter((fault) => fault.includes(service.url));
    await first.close();
    await second.close();
    assert.deepEqual([...found, ...faults], []);
  });

  it("refuses who has no role, whose address is another's, and who is disabled, each with a sentence", async () => {
    employees["nora"] = { email: "nora@example.com", email_verified: true, groups: ["sales"] };
    employees["mallory"] = { email: owner.email, email_verified: false, groups: ["engineering"] };
    employees["early"] = { email: "somebody.else@example.com", groups: ["engineering"] };
    employees["anon"] = { groups: ["engineering"] };
    employees["dora"] = { email: "dora@example.com", email_verified: true, groups: ["auditors"] };
    const see = async (login: string, words: string) => {
      const { page, close } = await openPage(browser, { baseUrl: service.url });
      await signInAs(page, login);
      await page.getByText(words).waitFor();
      await close();
    };
    await see("nora", "None of your groups has a role here.");
    await see("mallory", "There is an account with your address already");
    await see("early", "has not verified your e-mail address");
    await see("anon", "gave no e-mail address");
    await see("dora", "Your role is viewer.");
    const { people } = (await owner.visitor.ask("GET", "/api/svc/people")).data;
    assert.doesNotMatch(JSON.stringify(people), /somebody\.else/);
    const dora = people.find(({ email }) => email === "dora@example.com");
    assert.ok(dora);
    await owner.visitor.ask("PATCH", `/api/svc/people/${dora.id}`, { state: "disabled" });
    await see("dora", "Your account is disabled.");
    assert.equal((await owner.visitor.ask("GET", "/api/svc/account")).data.person?.role, "owner");
  });

  it("binds the answer to the browser and the request that began; forged ones sign nobody in", async () => {
    const begun = await start();
    assert.equal(begun.status, 303);
    const sent = new URL(begun.headers.get("location") ?? "");
    for (const name of ["state", "nonce", "code_challenge"]) assert.ok(sent.searchParams.get(name), name);
    assert.equal(sent.searchParams.get("code_challenge_method"), "S256");
    const [cookie = ""] = (begun.headers.getSetCookie()[0] ?? "").split(";");
    assert.match(begun.headers.getSetCookie()[0] ?? "", /Secure; HttpOnly; SameSite=Lax/);
    const state = sent.searchParams.get("state") ?? "";
    const issuer = encodeURIComponent(sent.origin);
    const outcomes = await Promise.all([
      callback(`code=x&state=${state}&iss=${issuer}`),
      callback(`code=x&state=other&iss=${issuer}`, cookie),
      callback(`code=x&state=${state}&iss=https%3A%2F%2Fevil.example`, cookie),
      callback(`code=forged&state=${state}&iss=${issuer}`, cookie),
      callback(`error=access_denied&state=${state}&iss=${issuer}`, cookie),
      callback(`code=x&state=${state}`, `${cookie.split("=")[0]}=bm9uc2Vuc2U`),
    ]);
    for (const outcome of outcomes) {
      assert.equal(outcome.status, 303);
      assert.match(outcome.headers.get("location") ?? "", /^\/sign-in\?problem=(?:expired|refused)$/);
      assert.deepEqual(outcome.headers.getSetCookie(), []);
    }
    for (const to of ["//evil.example", "https://evil.example", "/\\evil.example"]) {
      const answered = await service.fetch(`/api/svc/sign-in/oidc?to=${encodeURIComponent(to)}`, {
        redirect: "manual",
      });
      const value = /oidc=([\w-]+)/.exec(answered.headers.getSetCookie()[0] ?? "")?.[1] ?? "";
      assert.equal(JSON.parse(Buffer.from(value, "base64url").toString()).to, "/", to);
    }
  });

  it("says so when the provider answers nonsense or nothing, and recovers", async () => {
    const healthy = answer;
    const config = service.app.services.settings.oidc;
    assert.ok(config !== null);
    const other = await startService({ settings: { oidc: config } });
    const begin = () => other.fetch("/api/svc/sign-in/oidc", { redirect: "manual" });
    try {
      for (const nonsense of ["<html>Welcome</html>", "{}", '{"issuer":"https://evil.example"}']) {
        answer = (_request, response) => {
          response.writeHead(200, { "content-type": "application/json" }).end(nonsense);
        };
        assert.equal((await begin()).headers.get("location"), "/sign-in?problem=unavailable", nonsense);
      }
      answer = (request) => void request.socket.destroy();
      assert.equal((await begin()).headers.get("location"), "/sign-in?problem=unavailable");
      answer = healthy;
      assert.ok((await begin()).headers.get("location")?.startsWith(config.issuer));
      const { page, close } = await openPage(browser, { baseUrl: other.url });
      await page.goto("/sign-in?problem=unavailable");
      await page.getByRole("alert").filter({ hasText: "does not answer as it should" }).waitFor();
      await close();
    } finally {
      answer = healthy;
      await other.close();
    }
  });
});
