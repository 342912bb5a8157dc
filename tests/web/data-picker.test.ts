import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser } from "playwright-core";
import { ensureBuilt, openPage, startBrowser } from "../support/browser.ts";
import { startService, type TestService } from "../support/service.ts";
import { enterKey, moveTo } from "./support.ts";

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
    const made = await service.call("create_workflow", { name: "Data", nodes, edges }, { key: true });
    const id: string = made.envelope.data.workflow.id;
    const { page, faults, close } = await openPage(browser, { baseUrl: service.url, width: 1400 });
    await page.goto("/workflows");
    await enterKey(page, service.key);
    await moveTo(page, `/workflows/${id}?node=keep`);
    const step = page.getByRole("region", { name: "Step", exact: true });

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
    const row = page.getByRole("treeitem").first();
    await row.dragTo(step.getByRole("textbox", { name: "Title", exact: true }), {
      // The tree may cover the middle of the field.
      targetPosition: { x: 8, y: 8 },
    });
    for (let n = 0; n < 150; n++) {
      const { envelope } = await service.call("get_workflow", { id }, { key: true });
      const given = envelope.data.workflow.nodes[1].with;
      if (given.title?.$ref === "steps.list.outputs.data.templates") {
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
