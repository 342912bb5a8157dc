import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { type WatchedPage } from "../support/browser.ts";
import { at, foundAt, textAt } from "../support/json.ts";
import { enterKey, largeWorkflow, moveTo, showExpertView } from "./support.ts";
import { startWeb } from "./setup.ts";

/*
 * The builder as a person meets it: what runs is what is on the screen, nothing typed is lost, every kind of value can
 * be entered, the picture shows the connections that exist, and thousands of steps stay usable.
 */

const web = startWeb();

/** Opens a page with a key, runs a test on it, and wants no uncaught error and no violation of the policy. */
async function keyed(path: string, work: (page: Page, watched: WatchedPage) => Promise<void>): Promise<void> {
  const watched = await web.open({ width: 1400 });
  await watched.page.goto("/workflows");
  await enterKey(watched.page, web.service.key);
  await moveTo(watched.page, path);
  await work(watched.page, watched);
  const { faults } = watched;
  await watched.close();
  assert.deepEqual(faults, []);
}

const STEP = { id: "check", type: "tool", title: "Old title", tool: "get_health", with: {} };

async function create(
  name: string,
  nodes: readonly unknown[],
  edges: readonly unknown[] = [],
): Promise<string> {
  const made = await web.service.call("create_workflow", { name, nodes, edges }, { key: true });
  return made.envelope.data.workflow.id;
}

async function stored(id: string) {
  const found = await web.service.call("get_workflow", { id }, { key: true });
  return found.envelope.data.workflow;
}

/** Waits until the server has what the test wants. */
async function until(test: () => Promise<boolean>): Promise<void> {
  for (let n = 0; n < 1_200; n++) {
    if (await test()) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  assert.fail("The server never had it.");
}

async function addStep(page: Page, search: string): Promise<void> {
  await page.getByRole("button", { name: "Add step", exact: true }).click();
  await page.getByRole("dialog", { name: "Add a step" }).getByRole("combobox").fill(search);
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "Step" }).waitFor();
}

describe("the workflow editor", () => {
  it("runs the draft that is on the screen or the version that is named, and says which one ran", async () => {
    const id = await create("Two versions", [STEP]);
    await web.service.call("publish_workflow", { id }, { key: true });
    await keyed(`/workflows/${id}?node=check`, async (page) => {
      const offered = page.locator("header button.bg-accent");
      await offered.filter({ hasText: "Run v1" }).waitFor();
      await page.getByRole("textbox", { name: "Title of the step" }).fill("New title");
      await offered.filter({ hasText: "Run draft" }).waitFor();
      await page.getByRole("button", { name: "Run draft" }).click();
      await page.waitForURL("**/runs/run_*");
      await page.getByText(/^Draft of/).waitFor();
      await page.getByRole("button", { name: /New title/ }).waitFor();
      await moveTo(page, `/workflows/${id}`);
      await page.getByRole("button", { name: "Run v1" }).click();
      await page.getByRole("dialog", { name: "Run version 1" }).getByText("The draft differs").waitFor();
      await page.getByRole("button", { name: "Run version 1" }).click();
      await page.waitForURL("**/runs/run_*");
      await page.getByText(/^Version 1/).waitFor();
      await page.getByRole("button", { name: /Old title/ }).waitFor();
    });
  });

  it("compares the draft with a version, restores it, and undo brings the draft back", async () => {
    const id = await create("Restored", [STEP]);
    await web.service.call("publish_workflow", { id }, { key: true });
    await web.service.call(
      "update_workflow",
      {
        id,
        nodes: [
          { ...STEP, title: "New title" },
          { ...STEP, id: "added", title: "Added later" },
        ],
      },
      { key: true },
    );
    await keyed(`/workflows/${id}?tab=versions`, async (page) => {
      await page.getByRole("button", { name: "Compare with the draft" }).click();
      await page.getByRole("heading", { name: "What the draft changes" }).waitFor();
      for (const text of ["Old title", "New title", "Added later"])
        await page.locator("main").getByText(text, { exact: true }).first().waitFor();
      await page.getByRole("button", { name: "Restore", exact: true }).click();
      await page.getByText("The draft is now version 1 again").waitFor();
      await until(async () => {
        const { nodes } = await stored(id);
        return nodes.length === 1 && foundAt(nodes, 0, "title") === "Old title";
      });
      await page.getByText("Nothing: the draft runs what version 1 runs.").waitFor();
      await page.getByRole("tab", { name: "Edit" }).click();
      await page.getByRole("button", { name: "Undo" }).click();
      await page.locator(".react-flow__node").getByText("Added later").waitFor();
      await until(async () => (await stored(id)).nodes.length === 2);
    });
  });

  it("loses nothing when a page is left, reloaded or gone back from, and keeps undo", async () => {
    const id = await create("Left open", [STEP]);
    await keyed(`/workflows/${id}?node=check`, async (page) => {
      const title = page.getByRole("textbox", { name: "Title of the step" });
      await title.fill("Typed and left");
      await page.getByRole("link", { name: "Runs", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: "Runs" }).waitFor();
      await page.goBack();
      assert.equal(await title.inputValue(), "Typed and left");
      await until(async () => foundAt((await stored(id)).nodes, 0, "title") === "Typed and left");
      // The answer to a save that the page does not wait for: what it sent is its own, no conflict.
      let isAnswered = false;
      await page.route("**/api/mcp", async (route) => {
        if (isAnswered) await route.continue();
        else await route.fetch();
      });
      await title.fill("Sent without an answer");
      await until(async () => foundAt((await stored(id)).nodes, 0, "title") === "Sent without an answer");
      await title.fill("Typed and reloaded");
      isAnswered = true;
      await page.reload();
      await enterKey(page, web.service.key);
      await page.getByRole("textbox", { name: "Title of the step" }).waitFor();
      assert.equal(await title.inputValue(), "Typed and reloaded");
      await until(async () => foundAt((await stored(id)).nodes, 0, "title") === "Typed and reloaded");
      await page.getByRole("button", { name: "Undo" }).click();
      await page.waitForFunction(
        'document.querySelector(\'[aria-label="Title of the step"]\').value !== "Typed and reloaded"',
      );
    });
  });

  it("merges what two people change, and shows both sides where they changed the same", async () => {
    const second = { ...STEP, id: "second", title: "Second" };
    const id = await create("Shared", [STEP, second]);
    await keyed(`/workflows/${id}?node=check`, async (page) => {
      await page.getByRole("textbox", { name: "Title of the step" }).waitFor();
      await web.service.call(
        "update_workflow",
        { id, nodes: [STEP, { ...second, title: "Theirs" }] },
        { key: true },
      );
      await page.getByRole("textbox", { name: "Title of the step" }).fill("Mine");
      await until(async () => {
        const { nodes } = await stored(id);
        return foundAt(nodes, 0, "title") === "Mine" && foundAt(nodes, 1, "title") === "Theirs";
      });
      await keyed(`/workflows/${id}?node=check`, async (other) => {
        await other.getByRole("textbox", { name: "Title of the step" }).waitFor();
        await other.context().setOffline(true);
        await other.getByRole("textbox", { name: "Title of the step" }).fill("Offline name");
        await web.service.call(
          "update_workflow",
          { id, nodes: [{ ...STEP, title: "Online name" }, second] },
          { key: true },
        );
        await other.context().setOffline(false);
        const dialog = other.getByRole("dialog", { name: "Another person changed this too" });
        await dialog.getByText("Offline name", { exact: true }).waitFor();
        await dialog.getByText("Online name", { exact: true }).waitFor();
        await dialog.getByRole("radio", { name: "Theirs" }).check();
        await dialog.getByRole("button", { name: "Keep what is chosen" }).click();
        await other.waitForFunction(
          'document.querySelector(\'[aria-label="Title of the step"]\').value === "Online name"',
        );
      });
    });
  });

  it("takes a number, a text, fields, a reference and an expression on a fresh step", async () => {
    await keyed("/workflows/new", async (page) => {
      await addStep(page, "list workflow templates");
      await page.getByRole("textbox", { name: "Limit" }).fill("7");
      await addStep(page, "create local artifact");
      await page.getByRole("textbox", { name: "Title", exact: true }).fill("Plain text");
      await page.getByText("optional arguments").click();
      const content = page.getByRole("group", { name: "Schema" });
      await content.getByRole("button", { name: "Field" }).click();
      await page.keyboard.type("first");
      await content.getByRole("button", { name: "First: reference" }).click();
      await page.getByRole("combobox", { name: /Search data/ }).fill("data/templates");
      await page.keyboard.press("Enter");
      await showExpertView(page);
      await page.getByRole("button", { name: "Description: expression" }).click();
      await page.getByRole("textbox", { name: "Description: expression" }).click();
      await page.keyboard.type('"n" + "1"');
      await page.waitForURL("**/workflows/workflow_*");
      const id = new URL(page.url()).pathname.split("/").pop() ?? "";
      await until(
        async () => foundAt((await stored(id)).nodes, 1, "with", "description", "$expr") === '"n" + "1"',
      );
      const { nodes, edges } = await stored(id);
      assert.deepEqual(at(nodes, 0, "with"), { limit: 7 });
      assert.equal(at(nodes, 1, "with", "title"), "Plain text");
      assert.deepEqual(at(nodes, 1, "with", "schema"), {
        first: { $ref: "steps.list_templates.outputs.data.templates" },
      });
      assert.deepEqual(
        edges.map((edge) => ["from", "port", "to"].map((member) => textAt(edge, member)).join(" ")),
        ["list_templates success create_local_artifact"],
      );
    });
  });

  it("draws connections that can be seen: arrowheads, no line through a step, a handle for each port", async () => {
    const tool = (id: string) => ({ ...STEP, id, title: id });
    const nodes = [
      tool("a"),
      { id: "ask", type: "approval", title: "Ask", approval: { title: "Well?" } },
      tool("b"),
      tool("c"),
      tool("end"),
    ];
    const edges = [
      { id: "1", from: "a", to: "ask", port: "success" },
      { id: "2", from: "ask", to: "b", port: "approved" },
      { id: "3", from: "b", to: "c", port: "success" },
      { id: "4", from: "a", to: "end", port: "error" },
      { id: "5", from: "c", to: "end", port: "success" },
    ];
    const id = await create("Drawn", nodes, edges);
    await keyed(`/workflows/${id}`, async (page) => {
      await page.locator(".react-flow__edge-path").nth(4).waitFor({ state: "attached" });
      const crossed: readonly string[] = await page.evaluate(CROSSINGS);
      assert.deepEqual(crossed, []);
      const marked = await page.locator(".react-flow__edge-path[marker-end]").count();
      assert.equal(marked, 5);
      const ask = page.locator('.react-flow__node[data-id="ask"]');
      assert.equal(await ask.locator(".react-flow__handle.source").count(), 5);
      const from = await ask.locator('.react-flow__handle[data-handleid="rejected"]').boundingBox();
      const to = await page
        .locator('.react-flow__node[data-id="end"] .react-flow__handle.target')
        .boundingBox();
      assert.ok(from !== null && to !== null);
      await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
      await page.mouse.down();
      await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 8 });
      await page.mouse.up();
      await until(async () =>
        (await stored(id)).edges.some(
          (edge) => at(edge, "from") === "ask" && at(edge, "port") === "rejected" && at(edge, "to") === "end",
        ),
      );
    });
  });

  it("keeps a plain sentence as the question of an approval", async () => {
    await keyed("/workflows/new", async (page) => {
      await addStep(page, "approval");
      await page.keyboard.type("Send this to everyone?");
      await page.waitForURL("**/workflows/workflow_*");
      const id = new URL(page.url()).pathname.split("/").pop() ?? "";
      await until(
        async () => foundAt((await stored(id)).nodes, 0, "approval", "title") === "Send this to everyone?",
      );
    });
  });

  it("takes a file as an input, and shows what was given to who approves it", async () => {
    await keyed("/workflows/new", async (page) => {
      await page.getByRole("button", { name: "Add a field" }).click();
      await page.getByLabel("Name of field field").fill("invoice");
      await page.getByLabel("Name of field field").press("Enter");
      await page.getByLabel("Type of field invoice").selectOption({ label: "File" });
      await page.getByRole("checkbox", { name: "required" }).check();
      await addStep(page, "approval");
      await page.waitForURL("**/workflows/workflow_*");
      const id = new URL(page.url()).pathname.split("/").pop() ?? "";
      await until(async () => foundAt((await stored(id)).nodes, 0, "approval", "show", "$ref") === "inputs");
      const { inputs } = (await stored(id)).document;
      assert.deepEqual(at(inputs, "properties"), { invoice: { type: "string", format: "artifact" } });
      assert.deepEqual(at(inputs, "required"), ["invoice"]);
    });
  });

  it("opens 2,000 steps as a picture and as a list without drawing what is out of sight", async () => {
    const { name, nodes, edges } = largeWorkflow(2_000);
    const id = await create(name, nodes, edges);
    await keyed(`/workflows/${id}?view=outline`, async (page, { context }) => {
      await page.getByRole("button", { name: "Step 3 get_health" }).waitFor();
      const elements: number = await page.evaluate("document.querySelectorAll('*').length");
      assert.ok(elements < 3_000, `${elements} elements in the outline`);
      await page.getByRole("radio", { name: "Canvas" }).click();
      await page.locator(".react-flow__node").first().waitFor({ timeout: 60_000 });
      const drawn = await page.locator(".react-flow__node").count();
      assert.ok(drawn > 0 && drawn < 100, `${drawn} steps drawn on the canvas`);
      assert.ok((await page.locator(".react-flow__edge").count()) < 150);
      // As far out as it goes, hundreds of steps are in view, and each is drawn with little.
      const zoomOut = page.locator(".react-flow__controls-zoomout");
      while (await zoomOut.isEnabled()) await zoomOut.click();
      await page.waitForFunction("document.querySelectorAll('.react-flow__node').length > 50");
      const whole: number = await page.evaluate("document.querySelectorAll('*').length");
      assert.ok(whole < 4_000, `${whole} elements when zoomed out`);
      assert.ok((await page.locator(".react-flow__edge").count()) > 50, "the connections are drawn as well");
      // Moving one of so many steps leaves a document that the server takes.
      const box = await page.locator('.react-flow__node[data-id="n0"]').boundingBox();
      assert.ok(box !== null);
      await page.mouse.move(box.x + box.width / 2, box.y + 4);
      await page.mouse.down();
      await page.mouse.move(box.x + 60, box.y + 40, { steps: 6 });
      await page.mouse.up();
      await until(async () => foundAt((await stored(id)).document, "ui", "positions", "n0") !== undefined);
      const cdp = await context.newCDPSession(page);
      await cdp.send("HeapProfiler.collectGarbage");
      const { usedSize } = await cdp.send("Runtime.getHeapUsage");
      assert.ok(usedSize < 500 * 2 ** 20, `${Math.round(usedSize / 2 ** 20)} MiB`);
    });
  });
});

/** The edges whose line runs through a step that is neither of their ends. */
const CROSSINGS = `(() => {
  const boxes = [...document.querySelectorAll(".react-flow__node")].map((node) => [node.dataset.id, node.getBoundingClientRect()]);
  const found = [];
  for (const edge of document.querySelectorAll(".react-flow__edge")) {
    const path = edge.querySelector(".react-flow__edge-path");
    const matrix = path.getScreenCTM();
    const ends = edge.getAttribute("aria-label") ?? "";
    const length = path.getTotalLength();
    for (let n = 1; n < 60; n++) {
      const point = path.getPointAtLength((length * n) / 60).matrixTransform(matrix);
      for (const [id, box] of boxes) {
        const inside = point.x > box.left + 1 && point.x < box.right - 1 && point.y > box.top + 1 && point.y < box.bottom - 1;
        if (inside && !new RegExp("\\\\b" + id + "\\\\b").test(ends)) found.push(edge.dataset.id + " through " + id);
      }
    }
  }
  return [...new Set(found)];
})()`;
