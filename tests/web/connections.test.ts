import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { ensureBuilt, openPage, runAxe, settled, startBrowser } from "../support/browser.ts";
import { startService, type TestService } from "../support/service.ts";
import { enterKey, giveKey, moveTo } from "./support.ts";

const TOKEN = "orders-token-that-nobody-may-see";

/** A small API as a person would bring it: described, with bearer authentication, on a private address. */
interface OrdersApi {
  readonly url: string;
  readonly orders: unknown[];
  close(): Promise<void>;
}

async function startOrders(): Promise<OrdersApi> {
  const orders: unknown[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const answer = (status: number, body: unknown) => {
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify(body));
      };
      if (request.url === "/openapi.json") return answer(200, describedAt(`http://127.0.0.1:${port()}`));
      if (request.headers.authorization !== `Bearer ${TOKEN}`) return answer(401, { error: "no token" });
      if (request.method === "POST") {
        orders.push(JSON.parse(Buffer.concat(chunks).toString("utf8")));
        return answer(201, { id: orders.length, state: "taken" });
      }
      return answer(200, [
        { id: 1, item: "tea" },
        { id: 2, item: "cake" },
      ]);
    });
  });
  const port = (): number => {
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${port()}`,
    orders,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function describedAt(url: string): unknown {
  const order = {
    type: "object",
    required: ["item"],
    properties: { item: { type: "string", title: "Item" }, count: { type: "integer", minimum: 1 } },
  };
  const json = (schema: unknown) => ({ "application/json": { schema } });
  return {
    openapi: "3.1.0",
    info: { title: "Orders", version: "1" },
    servers: [{ url }],
    paths: {
      "/orders": {
        get: {
          operationId: "listOrders",
          summary: "List orders",
          responses: {
            200: { description: "all", content: json({ type: "array", items: { type: "object" } }) },
          },
        },
        post: {
          operationId: "placeOrder",
          summary: "Place an order",
          requestBody: { required: true, content: json(order) },
          responses: { 201: { description: "taken", content: json({ type: "object" }) } },
        },
      },
    },
  };
}

let service: TestService;
let browser: Browser;
let api: OrdersApi;

before(async () => {
  await ensureBuilt();
  [service, browser, api] = await Promise.all([startService(), startBrowser(), startOrders()]);
});
after(async () => {
  await browser?.close();
  await service?.close();
  await api?.close();
});

describe("connections in the browser", () => {
  it("leads from an empty service to a sent POST that is a step of a workflow", async () => {
    const { page, faults, close } = await openPage(browser, { baseUrl: service.url });
    await page.goto("/");
    await enterKey(page, service.key);
    await moveTo(page, "/connections");
    await page.getByRole("button", { name: "Connect my API or MCP server" }).click();
    await page.getByLabel("Address of the API or MCP server").fill(`${api.url}/openapi.json`);
    await page.getByRole("button", { name: "Look at it" }).click();
    await page.getByRole("button", { name: "Allow this address" }).click();
    await page.getByText("API with 2 operations").waitFor();
    await page.getByRole("button", { name: "New credential" }).click();
    const dialog = page.getByRole("dialog", { name: "New credential" });
    await dialog.getByRole("textbox", { name: "Token" }).fill(TOKEN);
    await dialog.getByRole("button", { name: "Store" }).click();
    await page.locator("dialog[open]").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Orders" }).waitFor();

    await page.getByRole("button", { name: /List orders/ }).click();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const response = page.getByRole("region", { name: "Response" });
    await response.getByText(/HTTP 200/).waitFor();
    await response.getByText("cake").first().waitFor();

    await page.getByRole("button", { name: /Place an order/ }).click();
    await page.getByRole("textbox", { name: /^Item/ }).fill("bread");
    await page.getByText("What will be sent").click();
    await page.getByText(/POST 'http:.*\/orders'/).waitFor();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await response.getByText(/HTTP 201/).waitFor();
    assert.deepEqual(api.orders, [{ item: "bread" }]);
    await settled(page);
    const violations = await runAxe(page);

    await page.getByRole("tab", { name: "History" }).click();
    await page.getByText('"item":"bread"').waitFor();
    await page.getByRole("tab", { name: "Operate" }).click();
    await page.getByRole("button", { name: "Add to a workflow" }).click();
    await page.waitForURL("**/workflows/**");
    await page.getByRole("tab", { name: "Document" }).click();
    await page.getByText("orders:placeOrder").first().waitFor();
    const text: string = await page.evaluate("document.documentElement.outerHTML");
    await close();
    assert.equal(text.includes(TOKEN), false);
    assert.deepEqual(violations, []);
    assert.deepEqual(faults, []);
  });

  it("turns a pasted document and a client's configuration into connections", async () => {
    const { page, close } = await openPage(browser, { baseUrl: service.url });
    await page.goto("/connections?add=open");
    await page.getByRole("radio", { name: "Paste or upload" }).click();
    const area = page.getByLabel("Document or configuration");
    await area.fill(
      '{"mcpServers": {"Files": {"command": "npx"}, "Far": {"url": "https://mcp.example.com/mcp"}}}',
    );
    await page.getByRole("form", { name: "Add Files" }).waitFor();
    await page.getByRole("form", { name: "Add Far" }).waitFor();
    await area.fill("not a document");
    await page.getByText(/neither JSON nor YAML: it is only text/).waitFor();
    await area.fill(JSON.stringify(describedAt(api.url)));
    const form = page.getByRole("form", { name: "Add Orders" });
    await form.getByLabel("Short name").fill("pasted");
    await form.getByRole("button", { name: "Add", exact: true }).click();
    await giveKey(page, service.key);
    await page.getByRole("heading", { level: 1, name: "Orders" }).waitFor();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("button", { name: "Allow this address" }).click();
    await page.getByText("Allowed: send it again").waitFor();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page
      .getByRole("region", { name: "Response" })
      .getByText(/HTTP 401/)
      .waitFor();
    const address = page.url();
    await close();
    assert.match(address, /\/connections\/pasted$/);
  });

  it("sends the sample API's requests without a key", async () => {
    const { page, faults, close } = await openPage(browser, { baseUrl: service.url });
    await page.goto("/connections");
    await page.getByRole("link", { name: "Open the sample API" }).click();
    await page.getByRole("button", { name: "List its operations" }).click();
    await page.getByLabel("Search operations").fill("/livez");
    await page
      .getByRole("button", { name: /\/livez/ })
      .first()
      .click();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page
      .getByRole("region", { name: "Response" })
      .getByText(/HTTP 200/)
      .waitFor();
    await close();
    assert.deepEqual(faults, []);
  });

  it("imports curl commands: connection added, credential entered, workflow saved", async () => {
    const { page, faults, close } = await openPage(browser, { baseUrl: service.url });
    await page.goto("/workflows");
    await enterKey(page, service.key);
    await moveTo(page, "/workflows?import=open");
    const dialog = page.getByRole("dialog", { name: "Import a workflow" });
    await dialog
      .getByLabel("The workflow as text")
      .fill(
        `curl -k -H 'Authorization: Bearer ${TOKEN}' -H 'Content-Type: application/json' -d '{"item":"scone"}' ${api.url}/orders`,
      );
    await dialog.getByText("Needs a credential: a bearer token").waitFor();
    await dialog.getByText("The option --insecure.").waitFor();
    await dialog.getByRole("checkbox", { name: /private address/ }).check();
    await dialog.getByRole("button", { name: "Enter it" }).click();
    const credential = page.getByRole("dialog", { name: "New credential" });
    await credential.getByRole("textbox", { name: "Name", exact: true }).fill("curl-token");
    await credential.getByRole("textbox", { name: "Token" }).fill(TOKEN);
    await credential.getByRole("button", { name: "Store" }).click();
    await dialog.getByText("curl-token").waitFor();
    await settled(page);
    const violations = await runAxe(page);
    await dialog.getByRole("button", { name: "Add 1 connection and save" }).click();
    await page.waitForURL("**/workflows/workflow_*");
    const id = new URL(page.url()).pathname.split("/").pop() ?? "";
    await close();
    assert.deepEqual(violations, []);
    assert.deepEqual(faults, []);
    const started = await service.call("run_workflow", { id, inputs: {} }, { key: true });
    let { run } = started.envelope.data;
    for (let n = 0; n < 100 && run.status !== "succeeded" && run.status !== "failed"; n++) {
      await new Promise((done) => setTimeout(done, 50));
      run = (await service.call("get_workflow_run", { id: run.id }, { key: true })).envelope.data.run;
    }
    assert.equal(run.status, "succeeded", JSON.stringify(run.error));
    assert.deepEqual(api.orders.at(-1), { item: "scone" });
  });
});
