import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { json, startApiServer, type ApiServer } from "../connections/api-server.ts";
import { startWeb } from "./setup.ts";
import { enterKey } from "./support.ts";

/* Workflows of other tools: imported, tried without sending, and run against a server, without typing JSON. */

const TOKEN = "token-of-the-shop-1234";
let api: ApiServer;
const web = startWeb(async () => {
  api = await startApiServer({
    "GET /customers/c-7": json({ id: "c-7", name: "Mia", credit: 250 }),
    "POST /orders": json({ id: "order-9", state: "open" }, 201),
  });
});
after(() => api?.close());

/** A webhook, a request with a credential, a condition whose other branch leads nowhere, and a request that writes. */
function n8n(url: string): string {
  const node = (name: string, type: string, typeVersion: number, parameters: object, more: object = {}) => ({
    id: name,
    name,
    type: `n8n-nodes-base.${type}`,
    typeVersion,
    position: [0, 0],
    parameters,
    ...more,
  });
  const to = (name: string) => [{ node: name, type: "main", index: 0 }];
  const condition = {
    id: "a",
    leftValue: "={{ $json.credit }}",
    rightValue: 100,
    operator: { type: "number", operation: "gte" },
  };
  const order = {
    method: "POST",
    url: `${url}/orders`,
    sendBody: true,
    specifyBody: "json",
    jsonBody: `={"item": "{{ $('Webhook').item.json.body.item }}", "customer": "{{ $('Get customer').item.json.name }}"}`,
  };
  return JSON.stringify({
    name: "Order intake",
    nodes: [
      node("Webhook", "webhook", 2, { httpMethod: "POST", path: "orders" }),
      node(
        "Get customer",
        "httpRequest",
        4.2,
        {
          url: `=${url}/customers/{{ $json.body.customerId }}`,
          authentication: "genericCredentialType",
          genericAuthType: "httpBearerAuth",
        },
        { credentials: { httpBearerAuth: { id: "9", name: "Shop token" } } },
      ),
      node("Good credit?", "if", 2.2, { conditions: { conditions: [condition], combinator: "and" } }),
      node("Place order", "httpRequest", 4.2, order),
      node("Nothing to do", "noOp", 1, {}),
    ],
    connections: {
      Webhook: { main: [to("Get customer")] },
      "Get customer": { main: [to("Good credit?")] },
      "Good credit?": { main: [to("Place order"), to("Nothing to do")] },
    },
  });
}

async function imported(page: Page, text: string): Promise<void> {
  await page.goto("/workflows");
  await enterKey(page, web.service.key);
  await page.getByRole("button", { name: "Import", exact: true }).first().click();
  await page.getByRole("textbox", { name: "The workflow as text" }).fill(text);
  await page.getByRole("checkbox", { name: /Let this connection reach the private address/ }).check();
}

const seen = () =>
  api.seen.map(({ method, url, body }) => `${method} ${url} ${body.toString("utf8")}`.trim());

describe("workflows of other tools", () => {
  it("imports an n8n workflow with its credential, tries it without writing, and runs it", async () => {
    const { page, faults, close } = await web.open({ width: 1400 });
    await imported(page, n8n(api.url));
    await page.getByRole("button", { name: "Enter it" }).click();
    const credential = page.getByRole("dialog", { name: "New credential" });
    await credential.getByRole("textbox", { name: "Token" }).fill(TOKEN);
    await credential.locator("form button[type=submit], form button").last().click();
    await page.getByRole("button", { name: "Add 1 connection and save" }).click();
    await page.getByText("no errors").waitFor();

    await page.getByRole("button", { name: "Dry run" }).click();
    const asked = async (button: string) => {
      const dialog = page.getByRole("dialog", { name: /^(Dry run|Run draft)$/ });
      await dialog.getByRole("textbox", { name: "Customer ID" }).fill("c-7");
      await dialog.getByRole("group", { name: "Item" }).getByRole("textbox").fill("tea");
      await dialog.getByRole("button", { name: button }).click();
    };
    await asked("Start the dry run");
    await page.getByText("dry run works, 1 write blocked").waitFor();
    assert.deepEqual(seen(), ["GET /customers/c-7"]);
    assert.equal(api.seen[0]?.headers["authorization"], `Bearer ${TOKEN}`);
    const edge = page.locator('[data-edge="Get_customer:success->Good_credit"]');
    await edge.getByText("1 value").waitFor();

    await page.getByRole("button", { name: "Run draft" }).click();
    await asked("Run draft");
    await page.waitForURL("**/runs/run_*");
    await page.getByText("order-9").waitFor();
    assert.deepEqual(seen().slice(1), ["GET /customers/c-7", 'POST /orders {"item":"tea","customer":"Mia"}']);
    // The write was answered whole, as its description says.
    await page.getByText("confirmed", { exact: true }).waitFor();
    await close();
    assert.deepEqual(faults, []);
  });
});
