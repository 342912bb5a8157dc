import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { runAxe, settled } from "../support/browser.ts";
import { enterKey, moveTo } from "./support.ts";
import { startWeb } from "./setup.ts";

/*
 * Trying a workflow on the canvas before it runs: one step with other values, what leads to a step, a pinned sample,
 * and the problems and the plan beside the graph. Nothing of it writes.
 */

const web = startWeb();

const NODES = [
  { id: "find", type: "tool", title: "Find templates", tool: "list_templates", with: { limit: 3 } },
  {
    id: "keep",
    type: "tool",
    title: "Keep them",
    tool: "save_artifact",
    with: { artifact: { title: { $ref: "steps.find.outputs.data.templates[0].name" }, type: "report" } },
  },
  { id: "later", type: "tool", title: "Not finished", tool: "get_wrkflow", with: {} },
];
const EDGES = [
  { id: "1", from: "find", to: "keep", port: "success" },
  { id: "2", from: "keep", to: "later", port: "success" },
];

async function opened(work: (page: Page, id: string) => Promise<void>): Promise<void> {
  const made = await web.service.call(
    "create_workflow",
    { name: "Tried", nodes: NODES, edges: EDGES },
    { key: true },
  );
  const id: string = made.envelope.data.workflow.id;
  const watched = await web.open({ width: 1400 });
  await watched.page.goto("/workflows");
  await enterKey(watched.page, web.service.key);
  await moveTo(watched.page, `/workflows/${id}?node=find`);
  await watched.page.getByRole("textbox", { name: "Title of the step" }).waitFor();
  await work(watched.page, id);
  const { faults } = watched;
  await watched.close();
  assert.deepEqual(faults, []);
}

const artifacts = async () =>
  (await web.service.app.services.store.read.artifacts.list({ limit: 100 })).items.length;

describe("a dry run on the canvas", () => {
  it("tries one step with other values, pins its result, and runs up to a step without writing", async () => {
    const before = await artifacts();
    await opened(async (page, id) => {
      await page.getByRole("button", { name: "Run this step…" }).click();
      const dialog = page.getByRole("dialog", { name: "Test Find templates" });
      await dialog.getByRole("textbox", { name: /Limit/ }).fill("1");
      assert.deepEqual(await runAxe(page, "dialog[open]"), []);
      await dialog.getByRole("button", { name: "Run this step" }).click();
      const outcome = page.getByRole("region", { name: "Last dry run" });
      await outcome.waitFor();
      await page.locator('.react-flow__node[data-id="find"]').getByText("called").waitFor();
      // The values of a test stay in the test.
      assert.equal(await page.getByRole("textbox", { name: "Limit" }).inputValue(), "3");
      await page.getByRole("button", { name: "Pin this result" }).click();
      await page.getByText("pinned sample").first().waitFor();

      await page.locator('.react-flow__node[data-id="keep"]').click();
      await page.getByRole("button", { name: "Run up to here" }).click();
      const keep = page.locator('.react-flow__node[data-id="keep"]');
      await keep.getByText("not sent").waitFor();
      await page.locator('.react-flow__node[data-id="find"]').getByText("pinned sample").waitFor();
      await page.getByText("1 item", { exact: true }).waitFor();
      await page.getByText("Not sent. A run would send this").waitFor();
      assert.equal(await page.locator('.react-flow__node[data-id="later"] .bg-good-soft').count(), 0);
      await settled(page);
      assert.deepEqual(await runAxe(page), []);

      // The pin is kept on this device and left out of the document.
      await page.reload();
      await enterKey(page, web.service.key);
      await page.locator('.react-flow__node[data-id="find"]').click();
      await page.getByText("pinned sample").first().waitFor();
      const stored = await web.service.call("get_workflow", { id }, { key: true });
      assert.doesNotMatch(JSON.stringify(stored.envelope.data.workflow), /pinned|samples/);
      await page.getByRole("button", { name: "Unpin" }).click();
      await page.getByText("pinned sample").first().waitFor({ state: "detached" });
    });
    assert.equal(await artifacts(), before);
  });

  it("fits the view again when a dry run makes the steps taller, unless it was moved", async () => {
    const nodes = Array.from({ length: 6 }, (_, n) => ({ ...NODES[0], id: `find${n}`, title: `Find ${n}` }));
    const edges = nodes.slice(1).map(({ id }, n) => ({ id, from: `find${n}`, to: id, port: "success" }));
    const made = await web.service.call("create_workflow", { name: "Tall", nodes, edges }, { key: true });
    const { page, faults, close } = await web.open({ width: 1400, height: 1300 });
    await page.goto("/workflows");
    await enterKey(page, web.service.key);
    const last = page.locator(".react-flow__node").filter({ hasText: "Find 5" });
    const view = () => page.locator(".react-flow__viewport").getAttribute("style");
    const dryRun = async (most: number, prepare?: () => Promise<void>) => {
      await moveTo(page, "/workflows");
      await moveTo(page, `/workflows/${made.envelope.data.workflow.id}`);
      await last.waitFor();
      await settled(page);
      await prepare?.();
      const before = await view();
      await page.getByRole("button", { name: "Dry run" }).click();
      await last.getByText("called").waitFor();
      for (let n = 0; n < most && (await view()) === before; n++) await page.waitForTimeout(50);
      return (await view()) !== before;
    };
    assert.equal(await dryRun(1_200), true);
    const [canvas, step] = [await page.locator(".react-flow").boundingBox(), await last.boundingBox()];
    assert.ok(canvas !== null && step !== null);
    assert.ok(step.y + step.height < canvas.y + canvas.height, JSON.stringify({ canvas, step }));
    assert.equal(await dryRun(20, () => page.getByRole("button", { name: "Zoom Out" }).click()), false);
    await close();
    assert.deepEqual(faults, []);
  });

  it("shows problems and plan beside the canvas, goes to the field, and fixes by one click", async () => {
    await opened(async (page, id) => {
      await page.getByRole("radio", { name: "Plan" }).click();
      const plan = page.getByRole("region", { name: "Plan", exact: true });
      await plan.getByText("1 call writes").waitFor();
      await plan.getByText("No step waits for a person.").waitFor();
      assert.deepEqual(await runAxe(page, "main"), []);
      await page.getByRole("radio", { name: /^Problems \(1\)/ }).click();
      const problems = page.getByRole("region", { name: "Problems" });
      await problems.getByText("the nearest:").first().waitFor();
      assert.deepEqual(await runAxe(page, "main"), []);
      await problems.getByRole("button", { name: "Not finished" }).click();
      await page.waitForFunction(
        'document.activeElement?.closest("[data-pointer]")?.dataset.pointer === "/nodes/2/tool"',
      );
      await page.getByRole("radio", { name: /^Problems/ }).click();
      await problems.getByRole("button", { name: "Use “Get a workflow”" }).click();
      await problems.getByRole("button", { name: "Fill it in" }).click();
      await page.waitForFunction(
        'document.activeElement?.closest("[data-pointer]")?.dataset.pointer?.startsWith("/nodes/2/with")',
      );
      await page.keyboard.type(id);
      await page.getByText("no errors").waitFor();
    });
  });
});
