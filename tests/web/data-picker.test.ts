import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { enterKey, moveTo, showExpertView } from "./support.ts";
import { startWeb } from "./setup.ts";

const web = startWeb();

describe("data in the fields of a step", () => {
  it("is dragged from the tree onto another field, and a call says what its arguments are", async () => {
    const nodes = [
      { id: "list", type: "tool", title: "List", tool: "list_templates", with: {} },
      {
        id: "keep",
        type: "tool",
        title: "Keep",
        tool: "create_local_artifact",
        with: { title: "Kept", description: { $expr: "" } },
      },
    ];
    const edges = [{ id: "e", from: "list", to: "keep", port: "success" }];
    const made = await web.service.call("create_workflow", { name: "Data", nodes, edges }, { key: true });
    const id: string = made.envelope.data.workflow.id;
    const { page, faults, close } = await web.open({ width: 1400 });
    await page.goto("/workflows");
    await enterKey(page, web.service.key);
    await moveTo(page, `/workflows/${id}?node=keep`);
    const step = page.getByRole("region", { name: "Step", exact: true });

    await showExpertView(page);
    const expression = step.getByRole("textbox", { name: "Description: expression" });
    await expression.click();
    await page.keyboard.type("[1, 2].filter(x, ");
    const help = page.locator(".cm-signature");
    await help.getByText("list.filter(x, ").waitFor();
    assert.equal(await help.locator("strong").innerText(), "condition");
    await page.keyboard.type("x > 1)");
    await help.waitFor({ state: "detached" });

    await step.getByRole("button", { name: "Description: reference" }).click();
    await page.getByRole("combobox", { name: /Search data/ }).fill("data/templates");
    const from = await page
      .getByRole("treeitem", { name: /^List › Templates › First item › ID/ })
      .boundingBox();
    const to = await step.getByRole("textbox", { name: "Title", exact: true }).boundingBox();
    assert.ok(from !== null && to !== null);
    await page.mouse.move(from.x + 60, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(from.x + 90, from.y + 4, { steps: 3 });
    // While something is dragged, the tree lets it through to the field that it covers.
    await page.locator("[data-dragging]").waitFor();
    await page.mouse.move(to.x + 12, to.y + 8, { steps: 6 });
    await page.mouse.up();
    for (let n = 0; n < 1_200; n++) {
      const { envelope } = await web.service.call("get_workflow", { id }, { key: true });
      const given = envelope.data.workflow.nodes[1].with;
      if (given.title?.$ref === "steps.list.outputs.data.templates[0].id") {
        assert.equal(given.description.$expr, "[1, 2].filter(x, x > 1)");
        break;
      }
      if (n === 149) assert.fail(JSON.stringify(given));
      await new Promise((done) => setTimeout(done, 100));
    }
    await close();
    assert.deepEqual(faults, []);
  });
});
