import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { makeOwner, type Member } from "../people/support.ts";
import { signIn, startWeb, violations } from "./setup.ts";

/* What people need is in view and legible on an ordinary screen, without scrolling. */

let owner: Member;
const web = startWeb(async () => {
  owner = await makeOwner(web.service);
});

const LAPTOP = { width: 1280, height: 800 };

async function create(
  name: string,
  nodes: readonly object[],
  edges: readonly object[] = [],
): Promise<string> {
  const made = await owner.visitor.call("create_workflow", { name, nodes, edges });
  return made.data.data.workflow.id;
}

/** Where the zoom of the canvas stands. */
const ZOOM = `new DOMMatrix(getComputedStyle(document.querySelector(".react-flow__viewport")).transform).a`;

const leftEdges = async (page: Page) =>
  Promise.all(
    ["Dry run", "Run draft", "More"].map(async (name) => {
      const box = await page.getByRole("button", { name, exact: true }).boundingBox();
      return box?.x;
    }),
  );

describe("at a glance", () => {
  it("no page of the navigation is cut off", async () => {
    const { page, faults, close } = await web.open(LAPTOP);
    await signIn(page, "/", owner.email);
    const people = page.getByRole("complementary").getByRole("link", { name: "People" });
    await people.waitFor();
    const [whole, seen]: readonly number[] = await page.evaluate(
      `(({ scrollHeight, clientHeight }) => [scrollHeight, clientHeight])(document.querySelector("aside"))`,
    );
    await close();
    assert.ok((whole ?? 1) <= (seen ?? 0), `${whole} pixels in ${seen}`);
    assert.deepEqual(faults, []);
  });

  it("the buttons of a decision are in view, however much is decided on", async () => {
    const show = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`line ${n}`, `Value ${n}`]));
    const form = { type: "object", properties: { limit: { type: "integer", title: "At most" } } };
    const id = await create("Long", [
      { id: "ask", type: "approval", approval: { title: "All of it?", show, form } },
    ]);
    await owner.visitor.call("run_workflow", { id });
    for (const screen of [LAPTOP, { width: 360, height: 740 }]) {
      const { page, faults, close } = await web.open(screen);
      await signIn(page, "/approvals", owner.email);
      for (const name of ["Approve", "Reject"]) {
        const button = page.getByRole("button", { name, exact: true });
        await button.waitFor();
        const box = await button.boundingBox();
        assert.ok(box !== null && box.y > 0 && box.y + box.height <= screen.height, JSON.stringify(box));
      }
      const broken = await violations(page, `approval at ${screen.width}`);
      // What the bar covers can be read as well.
      await page.getByText("Value 39").scrollIntoViewIfNeeded();
      await close();
      assert.deepEqual([broken, faults], [[], []]);
    }
  });

  it("the steps of an ordinary workflow are legible, and a dry run moves no button", async () => {
    const nodes = Array.from({ length: 9 }, (_, n) => ({
      id: `n${n}`,
      type: "tool",
      title: `Step number ${n}`,
      tool: "get_health",
    }));
    const edges = nodes
      .slice(1)
      .map(({ id }, n) => ({ id: `e${n}`, from: `n${n}`, to: id, port: "success" }));
    const id = await create("Nine steps", nodes, edges);
    const { page, faults, close } = await web.open(LAPTOP);
    await signIn(page, `/workflows/${id}`, owner.email);
    await page.getByText("Step number 0").waitFor();
    await page.waitForFunction(`${ZOOM} !== 1`);
    assert.ok((await page.evaluate<number>(ZOOM)) >= 0.85);
    const before = await leftEdges(page);
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.getByText("dry run works").waitFor();
    assert.deepEqual(await leftEdges(page), before);
    assert.ok((await page.evaluate<number>(ZOOM)) >= 0.85);
    const first = await page.getByText("Step number 0").boundingBox();
    assert.ok(first !== null && first.y > 0 && first.y < LAPTOP.height);
    await close();
    assert.deepEqual(faults, []);
  });
});
