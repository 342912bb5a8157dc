import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { authorizeQuery, callWith, exchange, pkce, post, register } from "../oauth/support.ts";
import { makeOwner, PASSWORD } from "../people/support.ts";
import { startWeb, violations } from "./setup.ts";

let callback: Server;
let address: string;

const web = startWeb(async () => {
  // Where a client that runs on the person's computer waits for the code.
  callback = createServer((_request, response) => response.end("back in the client"));
  await new Promise<void>((listening) => callback.listen(0, "127.0.0.1", listening));
  const bound = callback.address();
  address = `http://127.0.0.1:${isBound(bound) ? bound.port : 0}/callback`;
  await makeOwner(web.service);
});
after(async () => {
  callback?.close();
});

function isBound(value: AddressInfo | string | null): value is AddressInfo {
  return typeof value === "object" && value !== null;
}

async function signIn(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Sign in", exact: true }).last().click();
  await page.getByLabel("E-mail address").fill("owner@example.com");
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

describe("connecting MCP clients in the browser", () => {
  it("signs in on the way, consents, goes back with a code that works; the client is listed and disconnected", async () => {
    const registered = await register(web.service, {
      client_name: "Visual Studio Code",
      redirect_uris: ["http://127.0.0.1/callback"],
    });
    const client = { clientId: registered.json.client_id, redirectUri: address };
    const { verifier, challenge } = pkce();
    const query = authorizeQuery(client, challenge, {
      resource: `${web.service.url}/api/mcp`,
      scope: "read-private run write approve",
    });
    const broken: string[] = [];
    const { page } = await web.open();
    await page.goto(`${web.service.url}/oauth/authorize?${query.toString()}`);
    await page.getByText("Sign in to go on").waitFor();
    broken.push(...(await violations(page, "signed-out")));
    await signIn(page);
    await page.getByRole("heading", { name: "What may Visual Studio Code do?" }).waitFor();
    assert.equal(await page.getByRole("checkbox", { name: /^approve/ }).isChecked(), false);
    assert.equal(await page.getByRole("checkbox", { name: /^run/ }).isChecked(), true);
    broken.push(...(await violations(page, "consent")));
    await page.getByRole("checkbox", { name: /^read-private/ }).uncheck();
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.waitForURL(`${address}?**`);
    const code = new URL(page.url()).searchParams.get("code") ?? "";
    const tokens = await exchange(web.service, client, code, verifier);
    assert.equal(tokens.status, 200, JSON.stringify(tokens.json));
    assert.equal(tokens.json.scope.split(" ").toSorted().join(" "), "run write");
    assert.equal((await callWith(web.service, tokens.json.access_token)).status, 200);

    await page.goto(`${web.service.url}/clients`);
    await page.getByText("may run workflows and call connections, create, change and publish").waitFor();
    broken.push(...(await violations(page, "clients")));
    await page.getByRole("button", { name: "Disconnect Visual Studio Code" }).click();
    await page.getByText("No client is connected").waitFor();
    assert.equal((await callWith(web.service, tokens.json.access_token)).status, 401);
    assert.deepEqual(broken, []);
  });

  it("connects a program with the code that it shows", async () => {
    const started = await post(web.service, "/oauth/device", {
      client_id: "suitectl",
      scope: "run write",
      resource: web.service.url,
    });
    assert.equal(started.status, 200, JSON.stringify(started.json));
    assert.equal(started.json.verification_uri, `${web.service.url}/device`);
    const broken: string[] = [];
    const { page } = await web.open();
    await page.goto(started.json.verification_uri_complete ?? "");
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByText("Sign in to go on").waitFor();
    await signIn(page);
    await page.getByLabel("Code").fill("BBBB-BBBB");
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByRole("alert").getByText("no program waiting").waitFor();
    broken.push(...(await violations(page, "device")));
    await page.getByLabel("Code").fill(started.json.user_code.toLowerCase());
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByRole("heading", { name: "What may suitectl do?" }).waitFor();
    broken.push(...(await violations(page, "device-consent")));
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.getByText("The program is connected").waitFor();
    const tokens = await post(web.service, "/oauth/token", {
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      client_id: "suitectl",
      device_code: started.json.device_code,
    });
    assert.equal(tokens.status, 200, JSON.stringify(tokens.json));
    assert.equal((await callWith(web.service, tokens.json.access_token)).status, 200);
    assert.deepEqual(broken, []);
  });
});
