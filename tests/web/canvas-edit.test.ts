import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { runAxe } from "../support/browser.ts";
import { foundAt, textAt } from "../support/json.ts";
import { enterKey, moveTo } from "./support.ts";
import { startWeb } from "./setup.ts";

/* What a person does with the pointer and the keys on the canvas: drag, drop, notes, copy, delete, undo, save, touch. */

const web = startWeb();

const tool = (id: string, title: string) => ({ id, type: "tool", title, tool: "get_health", with: {} });

async function stored(id: string) {
  return (await web.service.call("get_workflow", { id }, { key: true })).envelope.data.workflow;
}

/** Where a step was put, as the server has it. */
async function placeOf(id: string, step: string) {
  return foundAt((await stored(id)).document, "ui", "positions", step);
}

async function until(test: () => Promise<boolean>, what: string): Promise<void> {
  for (let n = 0; n < 1_200; n++) {
    if (await test()) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  assert.fail(what);
}

type Point = readonly [number, number];

async function opened(
  width: number,
  work: (page: Page, id: string) => Promise<void>,
  hasTouch = false,
): Promise<void> {
  const nodes = [tool("first", "First"), tool("last", "Last")];
  const edges = [{ id: "e", from: "first", to: "last", port: "success" }];
  const made = await web.service.call("create_workflow", { name: "Canvas", nodes, edges }, { key: true });
  const id: string = made.envelope.data.workflow.id;
  const watched = await web.open({ width, hasTouch });
  await watched.page.goto("/workflows");
  await enterKey(watched.page, web.service.key);
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
        const ways = edges.map((edge) => `${textAt(edge, "from")} ${textAt(edge, "to")}`);
        return ways.includes("first list_templates") && ways.includes("list_templates last");
      }, "the tool was put into the connection");
      assert.deepEqual(await runAxe(page, "main"), []);

      await page.getByRole("button", { name: "Add a note" }).click();
      await page.getByRole("textbox", { name: "Note" }).fill("Ask before changing this");
      await until(
        async () =>
          foundAt((await stored(id)).document, "ui", "notes", 0, "text") === "Ask before changing this",
        "the note was stored",
      );
      assert.equal(
        (await web.service.call("validate_workflow", { id }, { key: true })).envelope.data.errors,
        0,
      );

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

  it("puts a step where it is dropped, and the others stay where they were", async () => {
    await opened(1400, async (page, id) => {
      await page.getByRole("button", { name: "Show the list of steps" }).click();
      const list = page.getByRole("region", { name: "Steps to add" });
      const last = page.locator('.react-flow__node[data-id="last"]');
      const before = await last.boundingBox();
      const pane = page.locator(".react-flow__pane");
      const room = await pane.boundingBox();
      assert.ok(before !== null && room !== null);
      const [x, y] = [160, room.height - 160];
      await list.getByRole("button", { name: /^Approval/ }).dragTo(pane, { targetPosition: { x, y } });
      const approval = page.locator('.react-flow__node[data-id="approval"]');
      await approval.waitFor();
      const placed = await approval.boundingBox();
      const after = await last.boundingBox();
      assert.ok(placed !== null && after !== null);
      const [left, top] = [room.x + x - placed.x, room.y + y - placed.y];
      assert.ok(left > 0 && left < placed.width && top > 0 && top < placed.height, "under the pointer");
      assert.ok(Math.abs(after.x - before.x) < 2 && Math.abs(after.y - before.y) < 2, "nothing jumped");
      await until(async () => (await placeOf(id, "approval")) !== undefined, "it is kept");
    });
  });

  it("picks several steps with the pointer and takes them to another workflow by keys", async () => {
    await opened(1400, async (page, id) => {
      await page.locator('.react-flow__node[data-id="first"]').click();
      await page.locator('.react-flow__node[data-id="last"]').click({ modifiers: ["Control"] });
      assert.equal(await page.locator(".react-flow__node.selected").count(), 2);
      await page.getByRole("region", { name: "Graph" }).focus();
      await page.keyboard.press("Control+c");
      await page.keyboard.press("Delete");
      await page.getByRole("button", { name: "Add the first step" }).waitFor();
      await page.keyboard.press("Control+z");
      await page.locator('.react-flow__node[data-id="last"]').waitFor();

      await page.getByRole("textbox", { name: "Name of the workflow" }).fill("Saved by key");
      await page.keyboard.press("Control+s");
      await until(async () => (await stored(id)).name === "Saved by key", "Ctrl+S saved it");

      await moveTo(page, "/workflows/new");
      await page.getByRole("button", { name: "Add the first step" }).waitFor();
      await page.getByRole("region", { name: "Graph" }).focus();
      await page.keyboard.press("Control+v");
      await page.locator('.react-flow__node[data-id="last"]').waitFor();
      assert.equal(await page.locator(".react-flow__edge").count(), 1, "the connection came along");
      await page.keyboard.press("Control+v");
      await page.keyboard.press("Control+v");
      await page.keyboard.press("Control+v");
      await page.getByRole("img", { name: "Overview of the workflow" }).waitFor();
    });
  });

  it("keeps buttons of crossing connections apart, at first, while a step moves and where it was left", async () => {
    const four = ["a", "b", "c", "d"];
    const nodes = four.map((id) => tool(id, `Step ${id}`));
    const crossing = { name: "Crossing", nodes: [...nodes, tool("start", "Start"), tool("end", "End")] };
    const edges = [
      ...["a", "b"].map((to) => ["start", to]),
      ...["a", "b"].flatMap((from) => ["c", "d"].map((to) => [from, to])),
      ...["c", "d"].map((from) => [from, "end"]),
    ].map(([from, to]) => ({ id: `${from}-${to}`, from, to, port: "success" }));
    const made = await web.service.call("create_workflow", { ...crossing, edges }, { key: true });
    const id: string = made.envelope.data.workflow.id;
    const { page, faults, close } = await web.open({ width: 1200, height: 1100 });
    await page.goto("/workflows");
    await enterKey(page, web.service.key);
    await moveTo(page, `/workflows/${id}`);
    const step = page.locator('.react-flow__node[data-id="a"]');
    const plus = page.getByRole("button", { name: /^Add a step between/ });
    const near = () => runAxe(page, ".react-flow", ["target-size"]);
    await plus.nth(7).waitFor();
    assert.deepEqual(await near(), []);

    const box = await step.boundingBox();
    assert.ok(box !== null);
    await page.mouse.move(box.x + 20, box.y + 8);
    await page.mouse.down();
    await page.mouse.move(box.x + 60, box.y + 8, { steps: 4 });
    await until(async () => (await plus.count()) === 5, "connections that move have no buttons");
    assert.deepEqual(await near(), []);
    await page.mouse.up();
    await plus.nth(7).waitFor();
    assert.deepEqual(await near(), []);
    await until(async () => (await placeOf(id, "a")) !== undefined, "it is kept");

    const left = Number(foundAt(await placeOf(id, "a"), "x"));
    await step.focus();
    await page.keyboard.press("Shift+ArrowRight");
    await until(
      async () => Number(foundAt(await placeOf(id, "a"), "x")) > left,
      "a step that was moved by a key stays there",
    );
    await plus.nth(7).waitFor();
    assert.deepEqual(await near(), []);
    await close();
    assert.deepEqual(faults, []);
  });

  it("works with fingers: drag, pinch, and a long press for the menu", async () => {
    await opened(
      800,
      async (page, id) => {
        const cdp = await page.context().newCDPSession(page);
        const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...points: readonly Point[]) =>
          cdp.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y]) => ({ x, y })) });
        const last = page.locator('.react-flow__node[data-id="last"]');
        const box = await last.boundingBox();
        assert.ok(box !== null);
        const [x, y] = [box.x + 60, box.y + 20];
        await touch("touchStart", [x, y]);
        for (let n = 1; n <= 8; n++) await touch("touchMove", [x + n * 8, y + n * 4]);
        await touch("touchEnd");
        await until(async () => (await placeOf(id, "last")) !== undefined, "it was dragged");

        const scale = () =>
          page.evaluate(
            "new DOMMatrix(getComputedStyle(document.querySelector('.react-flow__viewport')).transform).a",
          );
        const before = Number(await scale());
        const pane = await page.locator(".react-flow__pane").boundingBox();
        assert.ok(pane !== null);
        const [cx, cy] = [pane.x + pane.width / 2, pane.y + pane.height - 60];
        await touch("touchStart", [cx - 100, cy], [cx + 100, cy]);
        for (let n = 1; n <= 8; n++) await touch("touchMove", [cx - 100 + n * 9, cy], [cx + 100 - n * 9, cy]);
        await touch("touchEnd");
        await until(async () => Number(await scale()) < before * 0.9, "two fingers zoom");

        const first = await page.locator('.react-flow__node[data-id="first"]').boundingBox();
        assert.ok(first !== null);
        await touch("touchStart", [first.x + first.width / 2, first.y + 15]);
        await page.getByRole("menu", { name: "Actions" }).waitFor();
        await touch("touchEnd");
        await page.getByRole("menuitem", { name: /^Duplicate/ }).tap();
        await page.locator(".react-flow__node").nth(2).waitFor();
      },
      true,
    );
  });
});
