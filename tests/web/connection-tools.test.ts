import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { json, startApiServer, type ApiServer } from "../connections/api-server.ts";
import { rest } from "../connections/rest.ts";
import { ensureBuilt, leaveBrowser, openPage, runAxe, settled, takeBrowser } from "../support/browser.ts";
import { at } from "../support/json.ts";
import { startService, type TestService } from "../support/service.ts";
import { enterKey, moveTo } from "./support.ts";

/* What a person does with requests of their own: write them down, send, save, record, correct, read answers. */

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

let service: TestService;
let browser: Browser;
let api: ApiServer;
/** The request that is never answered was given up. */
const isLeft = Promise.withResolvers<void>();

before(async () => {
  await ensureBuilt();
  [service, browser, api] = await Promise.all([
    startService(),
    takeBrowser(),
    startApiServer({
      "POST /orders": json({ id: "order-17", state: "open" }, 201),
      "GET /orders/order-17": json({ id: "order-17", state: "open" }),
      "GET /list": json([
        { id: 1, item: "tea" },
        { id: 2, item: "cake" },
      ]),
      "GET /wrong": json({ id: "not a number" }),
      "GET /hang": (_request, response) => void response.on("close", () => isLeft.resolve()),
      "GET /text": (_request, response) => {
        response.writeHead(200, { "content-type": "text/plain" }).end("just words");
      },
      "GET /picture": (_request, response) => {
        response.writeHead(200, { "content-type": "image/png" }).end(PIXEL);
      },
      "GET /file": (_request, response) => {
        response.writeHead(200, { "content-type": "application/zip" }).end(Buffer.from("PK\u0003\u0004zip"));
      },
    }),
  ]);
});
after(async () => {
  if (browser !== undefined) await leaveBrowser(browser);
  await service?.close();
  await api?.close();
});

async function opened(path: string): Promise<Awaited<ReturnType<typeof openPage>>> {
  const watched = await openPage(browser, { baseUrl: service.url });
  await watched.page.goto("/");
  await enterKey(watched.page, service.key);
  await moveTo(watched.page, path);
  return watched;
}

function response(page: Page) {
  return page.getByRole("region", { name: "Response" });
}

describe("requests of one's own", () => {
  it("are filled from curl, sent, saved, copied, recorded as a workflow and corrected", async () => {
    const { page, faults, close } = await opened("/connections?add=open");
    await page.getByRole("button", { name: "Write requests by hand" }).click();
    const curl = page.getByLabel("Paste a curl command to fill it in");
    await curl.fill(
      `curl ${api.url}/orders -H 'Content-Type: application/json' -H 'X-Api-Key: canary-web-key-1' -d '{"item":"tea"}'`,
    );
    await page.getByRole("button", { name: "Take it over" }).click();
    await page.getByText("The secrets in it are not taken over.").waitFor();
    await curl.fill(`curl ${api.url}/orders/3f2b8c1e-1111-4000-8000-000000000001`);
    await page.getByRole("button", { name: "Take it over" }).click();
    await page.getByRole("group", { name: "get_orders_orderId" }).waitFor();
    assert.equal(await page.getByLabel("Base address").inputValue(), api.url);
    await settled(page);
    const violations = await runAxe(page);
    const form = page.getByRole("form", { name: /^Add / });
    await form.getByLabel("Short name").fill("mine");
    await form.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.getByRole("button", { name: /post_orders/ }).click();
    await page.getByRole("textbox", { name: /^Item/i }).fill("scone");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("button", { name: "Allow this address" }).click();
    await page.getByText("Allowed: send it again").waitFor();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await response(page)
      .getByText(/HTTP 201/)
      .waitFor();
    await page.getByRole("button", { name: "Save call" }).click();
    const saved = page.getByRole("region", { name: "Saved calls" });
    await saved.getByText('"item":"scone"').waitFor();
    await page.getByRole("textbox", { name: /^Item/i }).fill("other");
    await saved.getByRole("button", { name: "Open" }).click();
    assert.equal(await page.getByRole("textbox", { name: /^Item/i }).inputValue(), "scone");
    await page.getByRole("button", { name: "Copy as curl" }).click();
    await page.getByText("Copied as curl, without the credential").waitFor();
    const copied: string = await page.evaluate("navigator.clipboard.readText()");
    assert.match(copied, /curl .*POST .*\/orders/s);

    await page.getByRole("button", { name: /get_orders_orderId/ }).click();
    await page.getByRole("textbox", { name: /order ?id/i }).fill("order-17");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await response(page)
      .getByText(/HTTP 200/)
      .waitFor();
    await page.getByRole("tab", { name: "History" }).click();
    await page.getByRole("button", { name: "Record as workflow" }).click();
    const record = page.getByRole("dialog", { name: "Record as workflow" });
    await record.getByText(/1 reference guessed/).waitFor();
    await record.getByText('"order-17"').first().waitFor();
    await record.getByRole("button", { name: "Create a draft with 2 steps" }).click();
    await page.waitForURL("**/workflows/workflow_*");
    const id = new URL(page.url()).pathname.split("/").pop() ?? "";

    await moveTo(page, "/connections/mine?tab=settings&pick=post_orders");
    await page.getByLabel("Name in workflows").fill("place_order");
    await page.getByLabel("Title").fill("Place an order");
    await page.getByLabel("What it can do").selectOption("destructive");
    await page.getByLabel("Fixed arguments").fill("not json");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText(/Fixed arguments are a JSON object/).waitFor();
    await page.getByLabel("Fixed arguments").fill('{"body": {"item": "tea"}}');
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByRole("heading", { level: 2, name: "Place an order" }).waitFor();
    await page.getByText("fixed arguments changed here").waitFor();
    await close();
    assert.deepEqual(violations, []);
    assert.deepEqual(faults, []);
    const { definition } = (await rest(service, "GET", "/mine/definitions/place_order")).body.data;
    assert.equal(definition.effect, "destructive");
    assert.deepEqual(definition.overrides?.fixedArguments, { body: { item: "tea" } });
    const { nodes } = (await service.call("get_workflow", { id }, { key: true })).envelope.data.workflow;
    assert.deepEqual(at(nodes, 1, "with", "path", "orderId"), { $ref: "steps.step1.outputs.data.body.id" });
  });

  it("show answers as table, text, picture, download, and how they deviate", async () => {
    const get = (path: string, more: object = {}) => ({
      name: path,
      method: "GET",
      path: `/${path}`,
      ...more,
    });
    const added = await rest(service, "POST", "", {
      name: "answers",
      kind: "http",
      url: api.url,
      allowPrivateOrigin: true,
      document: {
        requests: [
          get("list"),
          get("text"),
          get("picture"),
          get("file"),
          get("wrong", { response: { type: "object", properties: { id: { type: "integer" } } } }),
        ],
      },
    });
    assert.equal(added.status, 201, JSON.stringify(added.body));
    const { page, faults, close } = await opened("/connections/answers");
    const send = async (name: string) => {
      await page.getByRole("button", { name: new RegExp(`^${name}`) }).click();
      await page.getByRole("heading", { level: 2, name }).waitFor();
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await response(page)
        .getByText(/HTTP 200 · /)
        .waitFor();
    };
    await send("list");
    await response(page).getByRole("radio", { name: "Table" }).click();
    await response(page).getByRole("cell", { name: "cake" }).waitFor();
    await send("text");
    await response(page).getByText("just words").waitFor();
    await send("picture");
    await response(page).getByRole("img", { name: "The server's answer" }).waitFor();
    await send("file");
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      response(page).getByRole("button", { name: "Download the file" }).click(),
    ]);
    assert.equal(file.suggestedFilename(), "answer.zip");
    await send("wrong");
    await response(page).getByText("The answer deviates from its description").waitFor();
    await settled(page);
    const violations = await runAxe(page);
    await close();
    assert.deepEqual(violations, []);
    assert.deepEqual(faults, []);
  });

  it("say what is wrong with a pasted document, and recognise a sample", async () => {
    const { page, faults, close } = await openPage(browser, { baseUrl: service.url });
    await page.goto("/connections?add=open");
    // A chosen file is whole at once; typing into the editor would be many texts.
    const file = page.getByLabel("Choose a file", { exact: true });
    const give = (text: string) =>
      file.setInputFiles({ name: "given.txt", mimeType: "text/plain", buffer: Buffer.from(text) });
    await page.getByRole("button", { name: "a schema" }).click();
    await page.getByRole("button", { name: "Check it" }).waitFor();
    await give("a:\n  - b\n c: 1\n");
    await page.getByText(/This is not valid YAML in line \d+, column \d+: /).waitFor();
    assert.equal(await page.getByRole("button", { name: "Check it" }).count(), 0, "a stale form");
    await give('{"a": 1,\n "b" 2}');
    await page.getByText(/This is not valid JSON in line 2/).waitFor();
    await give('{"event": "order.placed", "at": "2026-11-16T10:00:00Z", "order": {"id": 7}}');
    await page.getByText("Webhook payload (from your sample)").first().waitFor();
    await page.getByRole("textbox", { name: /^Event/ }).waitFor();
    await close();
    assert.deepEqual(faults, []);
  });

  it("are left while they are under way, and the connection does not count as failing", async () => {
    const requests = [{ name: "slow", method: "GET", path: "/hang", title: "Slow" }];
    const source = { kind: "http", url: api.url, allowPrivateOrigin: true };
    const made = await rest(service, "POST", "", { ...source, name: "slow", document: { requests } });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const state = async () => {
      const { connection } = (await rest(service, "GET", "/slow")).body.data;
      return [connection.state, connection.problem];
    };
    const before = await state();
    const { page, faults, close } = await opened("/connections/slow");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    while (!api.seen.some(({ url }) => url === "/hang")) await page.waitForTimeout(50);
    await page.goto("/runs");
    await page.getByRole("heading", { level: 1, name: "Runs" }).waitFor();
    await isLeft.promise;
    const after = await state();
    await close();
    assert.deepEqual([after, faults], [before, []]);
  });
});
