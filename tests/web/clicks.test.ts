import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { makeOwner } from "../people/support.ts";
import { at } from "../support/json.ts";
import { connectBooks, type BooksApi } from "./books-api.ts";
import { signIn, startWeb } from "./setup.ts";

/*
 * How much it takes to build an ordinary workflow by hand (list books, switch on their count, two fields of each,
 * approval by a named person, place an order, save the result), publish it, run it and approve. Clicks and keys are
 * counted by the page as the browser reports them.
 */

const MOST_CLICKS = 28;
const MOST_KEYS = 90;
const TYPES = ["tool", "switch", "transform", "map", "approval", "tool", "tool"];

let api: BooksApi;
const web = startWeb(async () => {
  await makeOwner(web.service);
  api = await connectBooks(web.service);
});
after(() => api.close());

/** Opens an empty editor as a signed-in person and counts from there. */
async function counted(work: (page: Page) => Promise<void>): Promise<{ clicks: number; keys: number }> {
  const watched = await web.open({ width: 1440 });
  const { page } = watched;
  await signIn(page, "/workflows/new", "owner@example.com");
  await page.getByRole("button", { name: "Add the first step" }).waitFor();
  await page.evaluate(`
    window.counted = { clicks: 0, keys: 0 };
    // A click that a key made has no detail.
    addEventListener("click", (event) => { if (event.detail > 0) counted.clicks++; }, true);
    addEventListener("keydown", () => counted.keys++, true);`);
  await work(page);
  const result: { clicks: number; keys: number } = await page.evaluate("window.counted");
  const { faults } = watched;
  await watched.close();
  assert.deepEqual(faults, []);
  return result;
}

/** Waits until the run asks; a run that took another path or failed is shown as it is. */
async function asked(page: Page): Promise<void> {
  await page.waitForURL("**/runs/run_*");
  await ended(page.url(), "waiting");
}

async function ended(address: string, state: string): Promise<string | null> {
  const id = new URL(address).pathname.split("/").pop() ?? "";
  for (let n = 0; n < 1_200; n++) {
    const { run } = (await web.service.call("get_workflow_run", { id }, { key: true })).envelope.data;
    if (run.status === state) return run.workflowId;
    const isOver = ["succeeded", "failed", "timed_out", "cancelled"].includes(run.status);
    assert.ok(!isOver, JSON.stringify(run).slice(0, 4_000));
    await new Promise((done) => setTimeout(done, 100));
  }
  return assert.fail(`The run is not ${state}.`);
}

/** The order that the shop got, what was saved, and of which steps the workflow became. */
async function check(run: string): Promise<void> {
  const workflow = await ended(run, "succeeded");
  const { nodes } = (await web.service.call("get_workflow", { id: workflow }, { key: true })).envelope.data
    .workflow;
  assert.deepEqual(
    nodes.map((node) => at(node, "type")),
    TYPES,
  );
  const items = [
    { id: 7, title: "Dune" },
    { id: 9, title: "Emma" },
  ];
  assert.deepEqual(api.orders.at(-1), { items });
  const { artifacts } = (await web.service.call("list_artifacts", {}, { key: true })).envelope.data;
  assert.equal(artifacts[0]?.title, "Result of Place an order");
}

describe("an ordinary workflow built by hand", () => {
  it(`takes at most ${MOST_CLICKS} clicks and no key`, async (t) => {
    const { clicks, keys } = await counted(async (page) => {
      const step = page.getByRole("region", { name: "Step", exact: true });
      const pick = (name: RegExp) => page.getByRole("option", { name }).first().click();
      await page.getByRole("button", { name: "Add the first step" }).click();
      await pick(/^List books/);
      await page.getByRole("button", { name: "Add a step after List books: then" }).click();
      await pick(/^Switch/);
      await step.getByRole("button", { name: "Choose what to look at" }).click();
      await page.getByRole("treeitem", { name: /^List books › Count/ }).click();
      await page.getByRole("button", { name: "Add a step after Switch: yes" }).click();
      await pick(/^Map/);
      await step.getByRole("button", { name: "ID", exact: true }).click();
      await step.getByRole("button", { name: "Title", exact: true }).click();
      await page.getByRole("button", { name: "Add a step after Map: then" }).click();
      await pick(/^Approval/);
      await step.getByRole("button", { name: "Name who may decide" }).click();
      await pick(/^Olga Owner/);
      await page.getByRole("button", { name: "Add a step after Approval: approved" }).click();
      await pick(/^Place an order/);
      await step.getByRole("button", { name: "Items: reference" }).click();
      await page
        .getByRole("treeitem", { name: /^Map › Results/ })
        .first()
        .click();
      await page.getByRole("button", { name: "Add a step after Place an order: then" }).click();
      await pick(/^Save an artifact/);
      await page.getByText("no errors").waitFor();
      await page.getByRole("button", { name: "Publish" }).click();
      await page.getByRole("button", { name: "Run v1" }).click();
      await asked(page);
      const run = page.url();
      await page.getByRole("link", { name: "Decide" }).click();
      await page.getByRole("button", { name: "Approve" }).click();
      await page.getByText("Approved. The run goes on.").waitFor();
      await check(run);
    });
    t.diagnostic(`${clicks} clicks, ${keys} keys`);
    assert.ok(clicks <= MOST_CLICKS, `${clicks} clicks`);
    assert.equal(keys, 0);
  });

  it(`takes at most ${MOST_KEYS} keys and no click`, async (t) => {
    const { clicks, keys } = await counted(async (page) => {
      const { keyboard } = page;
      /** Asks for the next step, types some of its name, and waits until its fields are there. */
      const next = async (typed: string, title: string) => {
        await keyboard.press("n");
        await page.getByRole("combobox").last().waitFor();
        await keyboard.type(typed);
        await page.locator('[role="option"][data-selected="true"]', { hasText: title }).waitFor();
        await keyboard.press("Enter");
        await page.getByRole("heading", { name: title, exact: true, level: 2 }).waitFor();
      };
      await next("boo", "List books");
      await next("sw", "Switch");
      await focused(page, "Choose what to look at");
      await keyboard.press("Enter");
      await keyboard.type("cou");
      await page.getByRole("treeitem", { name: /^List books › Count/ }).waitFor();
      await keyboard.press("Enter");
      await next("map", "Map");
      await focused(page, "ID");
      await keyboard.press("Enter");
      await tabTo(page, "Title");
      await keyboard.press("Enter");
      await next("app", "Approval");
      await focused(page, "Question");
      await tabTo(page, "Name who may decide");
      await keyboard.press("Enter");
      await page.locator('[role="option"][data-selected="true"]', { hasText: "Olga Owner" }).waitFor();
      await keyboard.press("Enter");
      await next("pla", "Place an order");
      await focused(page, "Items: reference");
      await keyboard.press("Enter");
      await page
        .getByRole("treeitem", { name: /^Map › Results/ })
        .first()
        .waitFor();
      await keyboard.press("Enter");
      await next("save", "Save an artifact");
      await page.getByText("no errors").waitFor();
      await keyboard.press("Control+Enter");
      await page.getByRole("button", { name: "Run v1" }).waitFor();
      await keyboard.press("Control+Enter");
      await asked(page);
      const run = page.url();
      await page.getByRole("link", { name: "Decide" }).waitFor();
      await tabTo(page, "Decide");
      await keyboard.press("Enter");
      await page.getByRole("button", { name: "Approve" }).waitFor();
      await tabTo(page, "Approve");
      await keyboard.press("Enter");
      await page.getByText("Approved. The run goes on.").waitFor();
      await check(run);
    });
    t.diagnostic(`${keys} keys`);
    assert.equal(clicks, 0);
    assert.ok(keys <= MOST_KEYS, `${keys} keys`);
  });
});

/** Waits until what has this name has the focus. */
async function focused(page: Page, name: string): Promise<void> {
  for (let n = 0; n < 1_200; n++) {
    if ((await page.evaluate(FOCUSED)) === name) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  assert.fail(`${String(await page.evaluate(FOCUSED)).slice(0, 80)} has the focus, not ${name}.`);
}

/** Goes with Tab to what has this name. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let n = 0; n < 60; n++) {
    if ((await page.evaluate(FOCUSED)) === name) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab does not reach ${name}.`);
}

/** The name of what has the focus. */
const FOCUSED = `(() => {
  const element = document.activeElement ?? document.body;
  const label = element.getAttribute("aria-label") ?? "";
  if (label !== "") return label;
  const named = element.labels?.[0]?.textContent ?? element.textContent;
  return named.replace("*", "").trim();
})()`;
