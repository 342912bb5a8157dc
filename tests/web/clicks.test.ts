import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { enterKey, moveTo } from "./support.ts";
import { startWeb } from "./setup.ts";

/*
 * How much it takes to build a workflow of five steps (tool, switch, map, approval, save) by hand, from the empty
 * editor to the approved run. Clicks are counted by the page as the browser reports them.
 */

const MOST_CLICKS = 28;

const web = startWeb();

/** Opens an empty editor with a key and counts from there. */
async function counted(work: (page: Page) => Promise<void>): Promise<{ clicks: number; keys: number }> {
  const watched = await web.open({ width: 1440 });
  const { page } = watched;
  await page.goto("/workflows");
  await enterKey(page, web.service.key);
  await moveTo(page, "/workflows/new");
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

/** Chooses in the list that is open: by typing, then Enter. */
async function choose(page: Page, text: string, down = 0): Promise<void> {
  await page.getByRole("combobox").last().waitFor();
  if (text !== "") await page.keyboard.type(text);
  for (let n = 0; n < down; n++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
}

/** Waits until the run asks; a run that took another path or failed is shown as it is. */
async function asked(address: string): Promise<void> {
  const id = new URL(address).pathname.split("/").pop() ?? "";
  for (let n = 0; n < 200; n++) {
    const { run } = (await web.service.call("get_workflow_run", { id }, { key: true })).envelope.data;
    if (run.status === "waiting") return;
    const isEnded = ["succeeded", "failed", "timed_out", "cancelled"].includes(run.status);
    assert.ok(!isEnded, JSON.stringify(run).slice(0, 4_000));
    await new Promise((done) => setTimeout(done, 100));
  }
  assert.fail("The run does not ask.");
}

/** What the workflow became, and that its run succeeded after the approval. */
async function check(address: string): Promise<void> {
  const runId = new URL(address).pathname.split("/").pop() ?? "";
  for (let n = 0; n < 100; n++) {
    const answer = await web.service.call("get_workflow_run", { id: runId }, { key: true });
    const run = answer.envelope?.data.run;
    assert.ok(run, answer.text.slice(0, 500));
    if (run.status !== "waiting" && run.status !== "running") {
      assert.equal(run.status, "succeeded", JSON.stringify(run.error));
      const { nodes } = (await web.service.call("get_workflow", { id: run.workflowId }, { key: true }))
        .envelope.data.workflow;
      assert.deepEqual(
        nodes.map((node: { type: string }) => node.type),
        ["tool", "switch", "transform", "map", "approval", "tool"],
      );
      return;
    }
    await new Promise((done) => setTimeout(done, 100));
  }
  assert.fail("The run did not end.");
}

describe("a workflow of five steps built by hand", () => {
  it(`takes at most ${MOST_CLICKS} clicks and no typed JSON or CEL`, async (t) => {
    const { clicks } = await counted(async (page) => {
      await page.getByRole("button", { name: "Add the first step" }).click();
      await choose(page, "list workflow templates");
      await page.getByRole("button", { name: "Add a step after List workflow templates: then" }).click();
      await choose(page, "switch");
      await page.getByRole("button", { name: "Choose what to look at" }).click();
      await choose(page, "data/templates");
      await page.getByRole("button", { name: "End the path here" }).click();
      await page.getByRole("button", { name: "Add a step after Switch: yes" }).click();
      await choose(page, "map");
      await page.getByRole("button", { name: "List: reference" }).click();
      await choose(page, "");
      await page.getByRole("button", { name: "Tool: Choose a tool…" }).click();
      await choose(page, "make a local artifact");
      await page.getByRole("button", { name: "Title: reference" }).click();
      // The fields of an item come with the tool's result schema.
      await page.getByRole("treeitem", { name: /This item › Name/ }).waitFor();
      await choose(page, "", 1);
      await page.getByRole("button", { name: "Add a step after Map: then" }).click();
      await choose(page, "approval");
      await page.keyboard.type("Keep these templates?");
      await page.getByRole("button", { name: "What to show: reference" }).click();
      await choose(page, "results");
      await page.getByRole("button", { name: "Add a step after Approval: approved" }).click();
      await choose(page, "save an artifact");
      await page.getByRole("group", { name: "Artifact" }).getByRole("button", { name: "Field" }).click();
      await page.keyboard.type("title");
      await page.getByRole("textbox", { name: "Title", exact: true }).click();
      await page.keyboard.type("Templates");
      await page.getByRole("group", { name: "Artifact" }).getByRole("button", { name: "Field" }).click();
      await page.keyboard.type("content");
      await page.getByRole("button", { name: "Content: reference" }).click();
      await choose(page, "results");
      await page.getByText("no errors").waitFor();
      await page.getByRole("button", { name: "Run draft" }).click();
      await page.waitForURL("**/runs/run_*");
      const run = page.url();
      await asked(run);
      await page.getByRole("link", { name: "Decide" }).click();
      await page.getByRole("button", { name: "Approve" }).click();
      await page.getByText("Approved. The run goes on.").waitFor();
      await check(run);
    });
    t.diagnostic(`${clicks} clicks`);
    assert.ok(clicks <= MOST_CLICKS, `${clicks} clicks`);
  });

  it("can be done by keyboard alone", async (t) => {
    const { clicks, keys } = await counted(async (page) => {
      await page.keyboard.press("n");
      await choose(page, "list workflow templates");
      await next(page, "List workflow templates");
      await choose(page, "switch");
      await press(page, "Choose what to look at");
      await choose(page, "data/templates");
      await press(page, "End the path here");
      await next(page, "Switch");
      await choose(page, "map");
      await press(page, "List: reference");
      await choose(page, "");
      await press(page, "Tool: Choose a tool…");
      await choose(page, "make a local artifact");
      await press(page, "Title: reference");
      // The fields of an item come with the tool's result schema.
      await page.getByRole("treeitem", { name: /This item › Name/ }).waitFor();
      await choose(page, "", 1);
      await next(page, "Map");
      await choose(page, "approval");
      await page.keyboard.type("Keep these templates?");
      await press(page, "What to show: reference");
      await choose(page, "results");
      await next(page, "Approval");
      await choose(page, "save an artifact");
      await press(page, "Field");
      await page.keyboard.type("title");
      await tabTo(page, "Title");
      await page.keyboard.type("Templates");
      await press(page, "Field");
      await page.keyboard.type("content");
      await press(page, "Content: reference");
      await choose(page, "results");
      await page.getByText("no errors").waitFor();
      await press(page, "Run draft");
      await page.waitForURL("**/runs/run_*");
      const run = page.url();
      await asked(run);
      await page.getByRole("link", { name: "Decide" }).waitFor();
      await press(page, "Decide");
      await page.getByRole("button", { name: "Approve" }).waitFor();
      await press(page, "Approve");
      await page.getByText("Approved. The run goes on.").waitFor();
      await check(run);
    });
    t.diagnostic(`${keys} keys`);
    assert.equal(clicks, 0);
  });
});

/** Leaves the step that is filled in, and asks for the next one. */
async function next(page: Page, title: string): Promise<void> {
  await page.waitForFunction(
    `document.querySelector('[aria-label="Title of the step"]')?.value === ${JSON.stringify(title)}`,
  );
  if (!(await page.evaluate('document.activeElement?.closest("[aria-label=Step]") !== null')))
    await tabTo(page, "Title of the step");
  await page.keyboard.press("Escape");
  await page.keyboard.press("n");
}

/** Goes with Tab to what has this name. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let n = 0; n < 200; n++) {
    const at: string = await page.evaluate(FOCUSED);
    if (at === name) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab does not reach ${name}.`);
}

async function press(page: Page, name: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press("Enter");
}

/** The name of what has the focus. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  const label = element.getAttribute("aria-label") ?? "";
  if (label !== "") return label;
  const named = element.labels?.[0]?.textContent ?? element.textContent;
  return named.replace("*", "").trim();
})()`;
