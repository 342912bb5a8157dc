import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { json, startApiServer, type ApiServer } from "../connections/api-server.ts";
import { rest } from "../connections/rest.ts";
import { makeOwner } from "../people/support.ts";
import { signIn, startWeb } from "./setup.ts";
import { enterKey, moveTo } from "./support.ts";

let api: ApiServer;
let isBusy = true;

const web = startWeb(async () => {
  api = await startApiServer({
    "GET /stock": (request, response) =>
      isBusy
        ? json({ error: { code: "E17", message: "Too many orders for today" } }, 503)(request, response)
        : json({ left: 7 })(request, response),
    "POST /orders": json({ id: "order-1" }, 201),
  });
  const body = { type: "object", properties: { item: { type: "string" }, amount: { type: "integer" } } };
  const added = await rest(web.service, "POST", "", {
    kind: "http",
    url: api.url,
    name: "shop",
    allowPrivateOrigin: true,
    document: {
      requests: [
        { name: "stock", method: "GET", path: "/stock", title: "Look at the stock" },
        { name: "order", method: "POST", path: "/orders", title: "Order", body },
      ],
    },
  });
  assert.equal(added.status, 201, JSON.stringify(added.body));
});
after(() => api?.close());

/** Starts a run of a workflow and gives its id. */
async function begin(name: string, nodes: readonly object[], inputs: object = {}): Promise<string> {
  const ids = nodes.map((node) => ("id" in node ? String(node.id) : ""));
  const edges = ids.slice(1).map((to, nth) => ({ from: ids[nth], to }));
  const meta = { "svc/document": { inputs: { type: "object" } } };
  const made = await web.service.call("create_workflow", { name, nodes, edges }, { key: true, meta });
  const id: string = made.envelope.data.workflow.id;
  const started = await web.service.call("run_workflow", { id, inputs }, { key: true });
  return started.envelope.data.run.id;
}

describe("the page of a run", () => {
  it("says what the connected API said, what was not reached, and counts attempts and time after a retry", async () => {
    isBusy = true;
    const id = await begin("Stock", [
      // Named so that the alphabet would turn them round.
      { id: "zero", type: "transform", title: "First", value: 1 },
      { id: "ask", type: "tool", title: "Ask for the stock", tool: "shop:stock", with: {} },
      { id: "after", type: "transform", title: "Afterwards", value: { left: { $ref: "steps.ask.outputs" } } },
    ]);
    const { page, close } = await web.open();
    await page.goto("/");
    await enterKey(page, web.service.key);
    await moveTo(page, `/runs/${id}`);
    await page.getByText("Too many orders for today").first().waitFor();
    assert.deepEqual(
      await page
        .locator("main ol li")
        .getByText(/^(First|Ask|After)/)
        .allInnerTexts(),
      ["First", "Ask for the stock", "Afterwards"],
    );
    await page.getByText("not reached", { exact: true }).waitFor();
    isBusy = false;
    // Longer than any time that a step takes.
    await page.waitForTimeout(3_000);
    await page.getByRole("button", { name: "Retry from where it stopped" }).click();
    await page.getByText("attempt 2").waitFor();
    await page.getByText("Retry took", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Run again with the same inputs" }).waitFor();
    const line = await page.getByRole("button", { name: /Ask for the stock/ }).innerText();
    assert.match(line, /attempt 2\s+(\d+ ms|[0-2]\.\d+ s)/, "it took what the retry took");
    await page.getByRole("button", { name: /Ask for the stock/ }).click();
    await page.getByRole("heading", { name: "2 attempts" }).waitFor();
    // The result is what the last step gave, without envelope and status.
    await page.getByText("From the last step, “Afterwards”").waitFor();
    await page.getByRole("link", { name: "Draft of Stock" }).click();
    await page.waitForURL("**/workflows/workflow_*");
    await close();
  });

  it("names the field that is wrong, and opens the editor there", async () => {
    const id = await begin("Wrong", [
      { id: "half", type: "transform", title: "Half", value: { n: 1.5 } },
      {
        id: "order",
        type: "tool",
        title: "Place it",
        tool: "shop:order",
        with: { body: { item: "tea", amount: { $ref: "steps.half.outputs.n" } } },
      },
    ]);
    const { page, close } = await web.open();
    await page.goto("/");
    await enterKey(page, web.service.key);
    await moveTo(page, `/runs/${id}`);
    const problem = page.getByRole("listitem").filter({ hasText: "Amount: Must be a whole number." });
    await problem.getByRole("link", { name: "Open in editor" }).click();
    await page.waitForURL("**/workflows/workflow_*");
    await page.locator("[data-pointer$='/with/body/amount'] :focus").waitFor();
    await close();
  });

  it("is found in the list by a text of its input, its workflow and its state", async () => {
    const nodes = [{ id: "only", type: "transform", value: 1 }];
    await begin("Tea", nodes, { order: "TEA-4711" });
    await begin("Bread", nodes, { order: "BREAD-1" });
    const { page, close } = await web.open();
    await page.goto("/");
    await enterKey(page, web.service.key);
    await moveTo(page, "/runs");
    await page.getByRole("heading", { level: 1, name: "Runs" }).waitFor();
    await page.getByRole("link", { name: /Bread/ }).waitFor();
    await page.getByLabel("Text in the input").fill("tea-47");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByRole("link", { name: /Bread/ }).waitFor({ state: "detached" });
    await page.getByRole("link", { name: /Tea.*Draft .* took .*by the operator's key/s }).waitFor();
    await page.getByRole("radio", { name: "Failed" }).click();
    await page.getByText("No run matches").waitFor();
    await page.getByRole("link", { name: "Show all runs" }).click();
    await page.getByRole("link", { name: /Bread/ }).waitFor();
    await close();
  });

  it("is run again with the same inputs, and found by its workflow, who started it, and the day", async () => {
    const nodes = [{ id: "only", type: "transform", value: { $ref: "$inputs.order" } }];
    const id = await begin("Coffee", nodes, { order: "COFFEE-1" });
    await begin("Milk", nodes, { order: "MILK-1" });
    const owner = await makeOwner(web.service);
    const { page, close } = await web.open();
    await signIn(page, `/runs/${id}`, owner.email);
    await page.getByRole("button", { name: "Run again with the same inputs" }).click();
    await page.waitForURL((url) => url.pathname.startsWith("/runs/") && !url.pathname.endsWith(id));
    const again = new URL(page.url()).pathname.split("/").pop() ?? "";
    await page.getByText("started by Olga Owner").waitFor();
    const run = await web.service.app.services.engine.waitFor(again, 120_000);
    assert.deepEqual([run.state, run.inputs], ["succeeded", { order: "COFFEE-1" }]);

    await moveTo(page, "/runs");
    const rows = page.locator("main li").getByRole("link");
    const filter = () => page.getByRole("button", { name: "Filter" }).click();
    const milk = page.getByRole("link", { name: /^Milk/ });
    await milk.waitFor();
    await page.locator("select[name=workflow]").selectOption({ label: "Coffee" });
    await filter();
    await milk.waitFor({ state: "detached" });
    assert.equal(await rows.count(), 2);
    await page.locator("select[name=person]").selectOption({ label: "Olga Owner" });
    await filter();
    await page.waitForURL(/[?&]person=person_/);
    await page.getByRole("link", { name: /operator's key/ }).waitFor({ state: "detached" });
    assert.equal(await rows.count(), 1);
    assert.match(await rows.innerText(), /Coffee[^]*by Olga Owner/);
    const day = (distance: number) => new Date(Date.now() + distance * 86_400_000).toISOString().slice(0, 10);
    await page.getByLabel("From day").fill(day(1));
    await filter();
    await page.getByText("No run matches").waitFor();
    await page.getByLabel("From day").fill(day(-1));
    await page.getByLabel("To day").fill(day(0));
    await filter();
    await rows.first().waitFor();
    assert.equal(await rows.count(), 1);
    // The address keeps the filters, and the form shows them.
    await page.reload();
    await rows.first().waitFor();
    const chosen = page.locator("select[name=person]").locator("option:checked");
    await chosen.filter({ hasText: "Olga Owner" }).waitFor({ state: "attached" });
    await close();
  });

  it("shows a saved artifact without the notes of the service, which stand in the details", async () => {
    const artifact = { title: "Kept", content: { note: "for the shelf" } };
    const id = await begin("Keeps", [
      { id: "keep", type: "tool", title: "Keep it", tool: "save_artifact", with: { artifact } },
    ]);
    const { page, close } = await web.open();
    await page.goto("/");
    await enterKey(page, web.service.key);
    await moveTo(page, `/runs/${id}`);
    const result = page.locator("section").filter({ has: page.getByRole("heading", { name: "Result" }) });
    await result.getByText("for the shelf").first().waitFor();
    assert.doesNotMatch(await result.innerText(), /sha256:|record id|persisted/i);
    await result.getByText("Details", { exact: true }).click();
    assert.match(await result.innerText(), /sha256:[^]*record id/i);
    await result
      .getByRole("link", { name: /^artifact_/ })
      .first()
      .click();
    await page.getByRole("heading", { level: 1, name: "Kept" }).waitFor();
    await close();
  });

  it("draws a map of 1,000 items by pages, what failed first, and opens an item of any page", async () => {
    const id = await begin(
      "Thousand",
      [
        {
          id: "each",
          type: "map",
          title: "Each order",
          map: {
            items: { $ref: "$inputs.list" },
            maxItems: 1_000,
            concurrency: 10,
            onItemError: "continue",
            body: {
              nodes: [{ id: "part", type: "transform", title: "Share", value: { $expr: "100 / item.n" } }],
              edges: [],
            },
          },
        },
      ],
      { list: Array.from({ length: 1_000 }, (_, i) => ({ n: i === 900 ? 0 : 1 })) },
    );
    const { page, close } = await web.open();
    await page.goto("/");
    await enterKey(page, web.service.key);
    const answers: number[] = [];
    page.on("response", (response) => {
      if (/\/runs\/run_[^/]+(?:\/items.*)?$/.test(response.url()))
        void response.text().then((text) => answers.push(text.length));
    });
    await moveTo(page, `/runs/${id}`);
    const items = page.getByRole("button", { name: "1,000 items: 999 done, 1 failed" });
    await items.waitFor({ timeout: 60_000 });
    const lines = page.getByRole("button", { name: /^Item \d+: Share/ });
    assert.equal(await lines.count(), 0, "items are drawn when they are asked for");
    await items.click();
    await page.getByText("50 of 1,000 items are shown, failed ones first.").waitFor();
    assert.match(await lines.first().innerText(), /^Item 901: Share/);
    await page.getByRole("button", { name: "Show more" }).click();
    await page.getByText("100 of 1,000 items are shown, failed ones first.").waitFor();
    assert.equal(await lines.count(), 100);
    // An item that no answer held so far: by its address.
    await moveTo(page, `/runs/${id}?step=${encodeURIComponent("each[734].part")}`);
    await page.getByRole("heading", { name: "Share" }).waitFor();
    await page.getByText("100", { exact: true }).first().waitFor();
    // The input and the result of the map have all items; the steps of the items are bounded.
    assert.ok(Math.max(...answers) < 200_000, `the largest answer has ${Math.max(...answers)} characters`);
    await close();
  });
});
