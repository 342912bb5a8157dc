import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { firstOf, until } from "../agent/support.ts";
import { startApiServer, type ApiServer } from "../connections/api-server.ts";
import { newClient, signInClient } from "../oauth/support.ts";
import { asOperator, makeOwner, Visitor } from "../people/support.ts";
import { ensureBuilt, leaveBrowser, openPage, takeBrowser } from "../support/browser.ts";
import { startService, startServiceProcess, type ServiceProcess } from "../support/service.ts";
import {
  inspector,
  scriptedHost,
  sdkV1,
  sdkV2,
  type AgentClient,
  type Person,
  type Place,
} from "./agent-clients.ts";
import { describedAt } from "./orders-api.ts";
import { signIn } from "./setup.ts";

/*
 * Every client × every way to wait: an agent has a person connect an API with a credential that it never sees, finds the
 * tool, calls it, and is asked; the service is killed; the person approves in Chromium, and the client gets the result.
 */

const SECRET = "api-secret-that-no-model-sees-0123456789";
let folder = "";
let service: ServiceProcess;
let api: ApiServer;
let page: Page;
let place: Place;
let port = "0";
let starts = 0;
let clients: readonly AgentClient[] = [];
const NAMES = ["sdk1", "sdk2", "inspector", "host"];
const made = (): number => api.seen.filter(({ method }) => method === "POST").length;

async function start(): Promise<void> {
  service = await startServiceProcess({ DATABASE_URL: `sqlite:${join(folder, "test.db")}`, PORT: port });
  port = new URL(service.url).port;
  starts += 1;
}

/** The link to the one approval that waits. */
async function pendingLink(): Promise<string> {
  const { data } = await until(
    () => asOperator(service, "GET", "/api/svc/approvals?status=pending"),
    (answer) => answer.data?.approvals?.length === 1,
  );
  return `${service.url}/approvals?id=${firstOf(data.approvals).id}`;
}

/** Everything that waits survives the end of the process. */
const kill = async (): Promise<void> => {
  assert.equal(await service.stop("SIGKILL"), "SIGKILL");
  await start();
};

const approve: Person = async (link) => {
  await page.goto(link);
  const button = page.getByRole("button", { name: "Approve", exact: true });
  await button.click();
  await button.waitFor({ state: "detached" }).catch(async (cause: unknown) => {
    throw new Error(await page.locator("body").innerText(), { cause });
  });
};

const killAndApprove: Person = async (link) => {
  await kill();
  await approve(link);
};

/** The person connects the API on the page behind the link, and gives its credential there. */
const connect: Person = async (link) => {
  await page.goto(link);
  await page.getByRole("button", { name: "Check address" }).click();
  await page.getByRole("button", { name: "Allow this address" }).click();
  await page.getByRole("button", { name: "New credential" }).click();
  const dialog = page.getByRole("dialog", { name: "New credential" });
  const name = NAMES.find((one) => link.includes(`%2F${one}%2F`)) ?? "";
  await dialog.getByRole("textbox", { name: "Name (required)" }).fill(name);
  await dialog.getByRole("textbox", { name: "Token" }).fill(SECRET);
  await dialog.getByRole("button", { name: "Store" }).click();
  await page.locator("dialog[open]").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("button", { name: /Place an order/ }).waitFor();
};

before(async () => {
  await ensureBuilt();
  folder = await mkdtemp(join(tmpdir(), "clients-"));
  api = await startApiServer(
    Object.fromEntries(
      NAMES.flatMap((name) => [
        [
          `GET /${name}/openapi.json`,
          (_request, response) =>
            void response.writeHead(200, { "content-type": "application/json" }).end(
              JSON.stringify({
                ...describedAt(`${api.url}/${name}`),
                info: { title: name, version: "1" },
              }),
            ),
        ],
        [
          `POST /${name}/orders`,
          ({ headers }, response) => {
            const knows = headers["authorization"] === `Bearer ${SECRET}`;
            response.writeHead(knows ? 201 : 401, { "content-type": "application/json" }).end('{"id":"o1"}');
          },
        ],
      ]),
    ),
  );
  const first = await startService({ settings: { databaseUrl: `sqlite:${join(folder, "test.db")}` } });
  const owner = await makeOwner(first);
  const { data } = await asOperator(first, "POST", "/api/svc/keys", {
    name: "agent",
    scopes: ["run", "read-private"],
  });
  await first.close();
  await start();
  ({ page } = await openPage(await takeBrowser(), { baseUrl: service.url }));
  await signIn(page, "/", owner.email);
  await page.getByRole("link", { name: "Connections", exact: true }).first().waitFor();
  place = { url: () => service.url, key: data.token, folder, seen: [], starts: () => starts };
  // The way Claude and ChatGPT come: signed in for a person, with less than that person may do.
  const visitor = new Visitor(service);
  ({ cookie: visitor.cookie, device: visitor.device } = owner.visitor);
  const scopes = ["run", "read-private"];
  const tokens = await signInClient(service, { ...owner, visitor }, await newClient(service), { scopes });
  const signedIn = { ...place, key: tokens.access_token };
  clients = [sdkV1(place), sdkV2(signedIn), inspector(place, pendingLink), scriptedHost(signedIn)];
});
after(async () => {
  for (const client of clients) await client.close?.();
  await leaveBrowser(await takeBrowser());
  await service?.stop();
  await api?.close();
  await rm(folder, { recursive: true, force: true });
});

for (const name of NAMES) {
  const client = (): AgentClient => {
    const found = clients.find((one) => one.name === name);
    if (found === undefined) throw new Error(`no client ${name}`);
    return found;
  };

  describe(`an agent behind ${name}`, () => {
    it("has a person connect an API with a credential that it never sees, and finds its tool", async () => {
      const url = `${api.url}/${name}/openapi.json`;
      let asked = "";
      const answer = await client().plain("connect", { url, name }, async (link) => {
        asked = link;
        await connect(link);
      });
      // One that cannot ask its person gives the link to the model.
      if (asked === "")
        await connect(/http[^\s"\\]+\/connections\?add=open&url=[^\s"\\]+/.exec(answer)?.[0] ?? "");
      else assert.match(answer, /"connected":true/);
      const again = await client().plain("connect", { url, name }, () => Promise.reject(new Error("asked")));
      assert.match(again, new RegExp(`Connected as ${name}`));
      const found = await client().plain("find", { query: `place an order ${name}` }, approve);
      assert.match(found, new RegExp(`${name}:placeOrder`));
    });

    it("gets the result of a call that a person approved, in each of its ways, over a kill -9", async () => {
      for (const [way, call] of Object.entries(client().ways)) {
        for (const person of [approve, killAndApprove]) {
          const before = made();
          const args = {
            name: `${name}:placeOrder`,
            arguments: { body: { item: way } },
            idempotencyKey: `${name} ${way} ${person === approve}`,
          };
          const result = await call("call", args, person);
          assert.match(result, /"id":"o1"/, `${name} ${way}: ${result}`);
          assert.equal(made(), before + 1, `${name} ${way}`);
        }
      }
    });
  });
}

it("no message between a client and the service has the credential", () => {
  assert.ok(place.seen.length > 50);
  assert.ok(!place.seen.some((text) => text.includes(SECRET)));
});
