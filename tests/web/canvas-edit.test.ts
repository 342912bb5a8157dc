import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { ensureBuilt, openPage, runAxe, startBrowser } from "../support/browser.ts";
import { startService, type TestService } from "../support/service.ts";
import { enterKey, moveTo } from "./support.ts";

/* What a person does with the pointer and the keys on the canvas: drag, drop, notes, copy, delete, undo, save, touch. */

let service: TestService;
let browser: Browser;

before(async () => {
  await ensureBuilt();
  [service, browser] = await Promise.all([startService(), startBrowser()]);
});
after(async () => {
  await browser?.close();
  await service?.close();
});

const tool = (id: string, title: string) => ({ id, type: "tool", title, tool: "get_health", with: {} });

async function stored(id: string) {
  return (await service.call("get_workflow", { id }, { key: true })).envelope.data.workflow;
}

async function until(test: () => Promise<boolean>, what: string): Promise<void> {
  for (let n = 0; n < 150; n++) {
    if (await test()) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  assert.fail(what);
}

async function opened(width: number, work: (page: Page, id: string) => Promise<void>): Promise<void> {
  const nodes = [tool("first", "First"), tool("last", "Last")];
  const edges = [{ id: "e", from: "first", to: "last", port: "success" }];
  const made = await service.call("create_workflow", { name: "Canvas", nodes, edges }, { key: true });
  const id: string = made.envelope.data.workflow.id;
  const watched = await openPage(browser, { baseUrl: service.url, width });
  await watched.page.goto("/workflows");
  await enterKey(watched.page, service.key);
  await moveTo(watched.page, `/workflows/${id}`);
  await watched.page.locator('.react-flow__node[data-id="last"]').waitFor();
  await work(watched.page, id);
  const { faults } = watched;
  await watched.close();
  assert.deepEqual(faults, []);
}

describe("editing on the canvas", () => {
  it("takes a tool dragged from the list onto a connection, keeps notes, and undoes by key", async () => {
    await opened(1400, async (page, id) => {
      await page.getByRole("button", { name: "Show the list of steps" }).click();
      const list = page.getByRole("region", { name: "Steps to add" });
      await list.getByRole("textbox", { name: "Find a step to add" }).fill("list workflow templates");
      const plus = page.getByRole("button", { name: "Add a step between First, then, to Last" });
      await list.getByRole("button", { name: /List workflow templates/ }).dragTo(plus);
      await until(async () => {
        const { edges } = await stored(id);
        const ways = edges.map((edge: Record<string, string>) => `${edge["from"]} ${edge["to"]}`);
        return ways.includes("first list_templates") && ways.includes("list_templates last");
      }, "the tool was put into the connection");
      assert.deepEqual(await runAxe(page, "main"), []);

      await page.getByRole("button", { name: "Add a note" }).click();
      await page.getByRole("textbox", { name: "Note" }).fill("Ask before changing this");
      await until(
        async () => (await stored(id)).document?.ui?.notes?.[0]?.text === "Ask before changing this",
        "the note was stored",
      );
      assert.equal((await service.call("validate_workflow", { id }, { key: true })).envelope.data.errors, 0);

      await page.locator('.react-flow__node[data-id="last"]').click();
      await page.locator('.react-flow__node[data-id="last"]').focus();
      await page.keyboard.press("Delete");
      await page.locator('.react-flow__node[data-id="last"]').waitFor({ state: "detached" });
      await page.keyboard.press("Control+z");
      await page.locator('.react-flow__node[data-id="last"]').waitFor();
    });
  });

  it("copies steps to another workflow and offers the same by menu", async () => {
    await opened(1400, async (page) => {
      await page.locator('.react-flow__node[data-id="first"]').click({ button: "right" });
      const menu = page.getByRole("menu", { name: "Actions" });
      assert.deepEqual(await runAxe(page, "[role=menu]"), []);
      await menu.getByRole("menuitem", { name: /^Copy/ }).click();
      await moveTo(page, "/workflows/new");
      await page.getByRole("button", { name: "Add the first step" }).waitFor();
      await page.locator(".react-flow__pane").click({ button: "right", position: { x: 40, y: 40 } });
      await menu.getByRole("menuitem", { name: /^Paste/ }).click();
      await page.locator('.react-flow__node[data-id="first"]').waitFor();
    });
  });
});
