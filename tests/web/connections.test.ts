import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { rest } from "../connections/rest.ts";
import { asOperator } from "../people/support.ts";
import { ensureBuilt, leaveBrowser, openPage, runAxe, settled, takeBrowser } from "../support/browser.ts";
import { startService, type TestService } from "../support/service.ts";
import { describedAt, startOrders, TOKEN, type OrdersApi } from "./orders-api.ts";
import { walkStory } from "./story.ts";
import { enterKey, giveKey, moveTo } from "./support.ts";

let service: TestService;
let browser: Browser;
let api: OrdersApi;

before(async () => {
  await ensureBuilt();
  [service, browser, api] = await Promise.all([startService(), takeBrowser(), startOrders()]);
});
after(async () => {
  if (browser !== undefined) await leaveBrowser(browser);
  await service?.close();
  await api?.close();
});

async function definitionsOf(name: string): Promise<readonly string[]> {
  const { definitions } = (await rest(service, "GET", `/${name}/definitions`)).body.data;
  return definitions.map(({ name: called, state }) => `${called} ${state}`).toSorted();
}

describe("connections in the browser", () => {
  it("leads from an empty service to a POST in a running workflow in under two minutes of clicks", async (t) => {
    const { page, faults, close } = await openPage(browser, { baseUrl: service.url });
    await page.goto("/");
    await page.getByRole("banner").getByRole("link", { name: "Sign in" }).waitFor();
    await page.evaluate(`
      window.clicks = 0;
      addEventListener("click", (event) => { if (event.detail > 0) clicks++; }, true);`);
    const began = performance.now();
    await walkStory(page, { description: `${api.url}/openapi.json`, token: TOKEN, key: service.key });
    const seconds = (performance.now() - began) / 1_000;
    const clicks: number = await page.evaluate("window.clicks");
    await settled(page);
    const text: string = await page.evaluate("document.documentElement.outerHTML");
    t.diagnostic(`${clicks} clicks, ${seconds.toFixed(1)} s by script`);
    // Two minutes at six seconds a click; the time of the script depends on the machine.
    assert.ok(clicks <= 20, `${clicks} clicks`);
    assert.deepEqual(api.orders, [{ item: "bread" }, { item: "bread" }], "once by hand, once by the run");

    await moveTo(page, "/connections/orders");
    await page.getByRole("button", { name: /List orders/ }).click();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const response = page.getByRole("region", { name: "Response" });
    await response.getByText(/HTTP 200/).waitFor();
    await response.getByText("cake").first().waitFor();
    await settled(page);
    const violations = await runAxe(page);
    await page.getByRole("button", { name: /Place an order/ }).click();
    await page.getByRole("tab", { name: "History" }).click();
    await page.getByText('"item":"bread"').first().waitFor();
    const html: string = await page.evaluate("document.documentElement.outerHTML");
    await close();
    assert.equal((text + html).includes(TOKEN), false);
    assert.deepEqual(violations, []);
    assert.deepEqual(faults, []);
  });

  it("has its operations in the editor, and an approval shows the whole of what will be sent", async () => {
    const { page, faults, close } = await openPage(browser, { baseUrl: service.url });
    const step = { tool: "get_health", title: "Look", with: {} };
    await page.goto(`/workflows/new#${new URLSearchParams({ step: JSON.stringify(step) }).toString()}`);
    await page.locator(".react-flow__node").getByText("Look").waitFor();
    await page.reload();
    await page.locator(".react-flow__node").getByText("Look").waitFor();

    await enterKey(page, service.key);
    await moveTo(page, "/connections/orders?pick=placeOrder");
    await page.getByRole("textbox", { name: /^Item/ }).fill("brown bread");
    await page.getByRole("button", { name: "Add to a workflow" }).click();
    await page.getByRole("button", { name: "New workflow" }).click();
    await page.locator(".react-flow__node").getByText("Place an order").click();
    const fields = page.getByRole("region", { name: "Step", exact: true });
    assert.equal(await fields.getByRole("textbox", { name: /^Item/ }).inputValue(), "brown bread");
    await page.getByRole("button", { name: "Add a step before Place an order" }).click();
    const picker = page.getByRole("dialog", { name: "Add a step" });
    await picker.getByPlaceholder("Find a tool or a kind of step").fill("list ord");
    await picker.getByRole("option", { name: /List orders/ }).waitFor();
    await picker.getByPlaceholder("Find a tool or a kind of step").fill("approval");
    await picker.getByRole("option", { name: /^Approval/ }).click();
    await fields.getByRole("textbox", { name: /Question/ }).fill("Order this?");
    await page.getByRole("button", { name: "Run draft" }).click();
    await page.waitForURL("**/runs/run_*");
    await page.getByRole("term").getByText("Waiting for", { exact: true }).waitFor();
    assert.equal(await page.getByText("Took", { exact: true }).count(), 0, "nothing took a time yet");
    await page.getByRole("link", { name: "Decide" }).click();
    const host = new URL(api.url).host;
    await page.getByText(`Place an order: this is sent to “Orders” (${host}).`).waitFor();
    await page.getByText("brown bread").waitFor();
    const call = page.getByRole("listitem").filter({ hasText: "brown bread" });
    assert.match(await call.innerText(), /orders:\w+/, "the tool that is called is named");

    const item = { $ref: "steps.made.outputs.item" };
    const nodes = [
      { id: "made", type: "transform", value: { item: "rye bread" } },
      { id: "ask", type: "approval", approval: { title: "Order the other one?" } },
      { id: "place", type: "tool", tool: "orders:placeOrder", title: "Place", with: { body: { item } } },
    ];
    const edges = [
      { from: "made", to: "ask" },
      { from: "ask", to: "place" },
    ];
    const made = await service.call("create_workflow", { name: "Later", nodes, edges }, { key: true });
    const { id } = made.envelope.data.workflow;
    await service.call("run_workflow", { id }, { key: true });
    await moveTo(page, "/approvals");
    await page.getByRole("link", { name: /Order the other one/ }).click();
    await page.getByText("rye bread").waitFor();
    await close();
    assert.deepEqual(faults, []);
  });

  it("turns a pasted document and a client's configuration into connections", async () => {
    const { page, close } = await openPage(browser, { baseUrl: service.url });
    await page.goto("/connections?add=open");
    const area = page.getByRole("textbox", { name: "Your API, schema or configuration" });
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

  it("recognises a pasted document: updates the connection, or adds another under a free name", async () => {
    const { page, faults, close } = await openPage(browser, { baseUrl: service.url });
    await page.goto("/connections");
    await enterKey(page, service.key);
    const paste = async (document: unknown) => {
      await moveTo(page, "/connections?add=open");
      await page.getByLabel("Choose a file", { exact: true }).setInputFiles({
        name: "orders.json",
        mimeType: "application/json",
        buffer: Buffer.from(JSON.stringify(document)),
      });
      return page.getByRole("form", { name: "Add Orders" });
    };
    const { paths, ...head } = describedAt(api.url);
    const more = { "/bills": { get: { operationId: "listBills", responses: { 200: { description: "" } } } } };
    const again = await paste({ ...head, paths: { ...paths, ...more } });
    await again.getByText("Orders is connected already as pasted.").waitFor();
    await again.getByRole("button", { name: "Update it" }).click();
    await page.waitForURL("**/connections/pasted");
    await page.getByRole("button", { name: /listBills/ }).waitFor();
    const updated = await definitionsOf("pasted");

    const third = await paste(describedAt(api.url));
    await third.getByText("API with 2 operations").waitFor();
    const name = await third.getByLabel("Short name").inputValue();
    await third.getByRole("button", { name: "Add another" }).click();
    await page.waitForURL("**/connections/orders-2");
    await close();
    assert.deepEqual(updated, ["listBills quarantined", "listOrders active", "placeOrder active"]);
    assert.equal(name, "orders-2", "the name orders is taken");
    assert.deepEqual(await definitionsOf("orders-2"), ["listOrders active", "placeOrder active"]);
    assert.deepEqual(await definitionsOf("pasted"), updated, "the first is as it was");
    assert.deepEqual(faults, []);
  });

  it("says what was brought and offers what follows; former links lead here", async () => {
    for (const credential of [
      { name: "for-addresses", kind: "bearer", hosts: ["api.example.com"], secret: "one-secret" },
      { name: "for-programs", kind: "environment", hosts: ["program"], secret: "another-secret" },
    ]) {
      const stored = await asOperator(service, "POST", "/api/svc/credentials", credential);
      assert.equal(stored.status, 201, stored.text);
    }
    const { page, faults, close } = await openPage(browser, { baseUrl: service.url });
    const schema = JSON.stringify({ title: "Hat", type: "object", properties: { size: { type: "number" } } });
    await page.goto(`/own#${new URLSearchParams({ schema }).toString()}`);
    await page.getByRole("textbox", { name: "Size" }).waitFor();
    assert.equal(new URL(page.url()).pathname, "/connections");
    await enterKey(page, service.key);
    // A chosen file is whole at once; typing would be many texts.
    const give = (text: string) =>
      page
        .getByLabel("Choose a file", { exact: true })
        .setInputFiles({ name: "given.txt", mimeType: "text/plain", buffer: Buffer.from(text) });
    await give("npx -y server /srv");
    await page.getByText("A command that starts an MCP server").waitFor();
    await page.getByRole("form", { name: "Add server" }).waitFor();
    await give('{"event": "placed", "order": {"id": 7}}');
    await page.getByText("A sample of JSON").waitFor();
    await give(
      JSON.stringify({
        ...describedAt(api.url),
        info: { title: "Guarded", version: "1" },
        security: [{ key: [] }],
        components: { securitySchemes: { key: { type: "apiKey", in: "query", name: "appid" } } },
      }),
    );
    const form = page.getByRole("form", { name: "Add Guarded" });
    assert.equal(await form.getByLabel("Short name").inputValue(), "guarded");
    await form.getByText("It asks for an API key in the query appid.").waitFor();
    const choices = form.getByLabel("Credential").locator("option");
    await choices.getByText("for-addresses").waitFor({ state: "attached" });
    assert.equal(await choices.getByText("for-programs").count(), 0, "what a program gets is sent nowhere");
    await form.getByRole("button", { name: "New credential" }).click();
    const dialog = page.getByRole("dialog", { name: "New credential" });
    assert.deepEqual(
      [
        await dialog.getByLabel("Kind of credential").locator("option:checked").innerText(),
        await dialog.getByRole("radio", { name: "query" }).isChecked(),
        await dialog.getByLabel("Called").inputValue(),
        await dialog.getByLabel("Hosts it may be sent to").inputValue(),
      ],
      ["API key", true, "appid", new URL(api.url).host],
    );
    await page.keyboard.press("Escape");
    await give(`curl ${api.url}/orders`);
    await page.getByText("HTTP requests: add them").waitFor();
    await settled(page);
    const violations = await runAxe(page);
    await page.getByRole("button", { name: "Import as a workflow" }).click();
    const imported = page.getByRole("dialog", { name: "Import a workflow" });
    await imported.getByText("curl", { exact: true }).waitFor();
    assert.equal(await imported.getByLabel("The workflow as text").inputValue(), `curl ${api.url}/orders`);
    await close();
    assert.deepEqual(violations, []);
    assert.deepEqual(faults, []);
  });

  it("sends the sample API's requests without a key", async () => {
    const { page, faults, close } = await openPage(browser, { baseUrl: service.url });
    await page.goto("/connections");
    await page.getByRole("button", { name: "this service's API" }).click();
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
    await credential.getByRole("textbox", { name: "Name (required)" }).fill("curl-token");
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
    for (let n = 0; n < 2_400 && run.status !== "succeeded" && run.status !== "failed"; n++) {
      await new Promise((done) => setTimeout(done, 50));
      run = (await service.call("get_workflow_run", { id: run.id }, { key: true })).envelope.data.run;
    }
    assert.equal(run.status, "succeeded", JSON.stringify(run.error));
    assert.deepEqual(api.orders.at(-1), { item: "scone" });
  });
});
