import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { ask } from "../agent/support.ts";
import { asOperator } from "../people/support.ts";
import { ORDER, startShop, type Shop } from "../guard/support.ts";
import { signIn, startWeb, violations } from "./setup.ts";

let shop: Shop;
const web = startWeb(async () => {
  shop = await startShop(web.service);
});
after(() => shop?.close());

const settings = async () => (await asOperator(web.service, "GET", "/api/svc/guard")).data.guard;

describe("the guard page", () => {
  it("shows calls, tries a rule on them before it is saved, stops and limits, and records a bypass", async () => {
    await ask(web.service, "call", ORDER, shop.agentKey);
    const { page, faults, close } = await web.open();
    await signIn(page, "/guard", shop.owner.email);
    const row = page.getByRole("listitem").filter({ hasText: "shop:createOrder" }).first();
    await row.waitFor();
    assert.match(await row.innerText(), /default-write/);
    assert.ok(await row.getByRole("link", { name: "Approval" }).isVisible());
    await row.getByText("1 argument").click();
    await row.getByText("tea").first().waitFor();
    const broken = [...(await violations(page, "calls"))];

    await page.getByRole("tab", { name: "Rules" }).click();
    await page.getByRole("button", { name: "Add rule" }).click();
    const dialog = page.getByRole("dialog", { name: "Add a rule" });
    await dialog.getByLabel("Name").fill("no-tea");
    // A new rule is made of comparisons; one that says more is an expression.
    const argument = dialog.getByRole("group", { name: "It decides about calls where" });
    await argument.getByLabel("Comparison 2: what to look at").selectOption({ label: "Argument" });
    await argument.getByLabel("Comparison 2: name of the argument").fill("body.quantity");
    await argument.getByLabel("Comparison 2: comparison").selectOption({ label: "is more than" });
    await argument.getByLabel("Comparison 2: value").fill("1.5");
    await dialog.getByLabel("Decision").selectOption("deny");
    await dialog.getByRole("button", { name: "Preview on the last calls" }).click();
    await dialog.getByText(/it would have asked 0 times, refused 1/).waitFor();
    broken.push(...(await violations(page, "comparisons")));
    await dialog.getByRole("button", { name: "As an expression" }).click();
    assert.equal(
      await dialog.getByLabel("Condition").inputValue(),
      'effect == "write" && args.body.quantity > 1.5',
    );
    await dialog.getByLabel("Condition").fill("tool ==");
    await dialog.getByRole("button", { name: "Preview on the last calls" }).click();
    await dialog
      .getByText(/CEL condition/)
      .first()
      .waitFor();
    await dialog.getByLabel("Condition").fill('args.body.item == "tea"');
    await dialog.getByLabel("Decision").selectOption("deny");
    await dialog.getByRole("button", { name: "Preview on the last calls" }).click();
    await dialog.getByText(/it would have asked 0 times, refused 1/).waitFor();
    await dialog.getByText(/asked 1 time, refused 0/).waitFor();
    broken.push(...(await violations(page, "rule")));
    assert.deepEqual((await settings()).rules, []);
    await dialog.getByRole("button", { name: "Save rule" }).click();
    await page.getByRole("button", { name: "Turn no-tea off" }).click();
    await page.getByRole("button", { name: "Turn no-tea on" }).waitFor();
    const [rule] = (await settings()).rules;
    assert.deepEqual([rule?.id, rule?.decision, rule?.enabled], ["no-tea", "deny", false]);

    await page.getByRole("tab", { name: "Limits and stops" }).click();
    await page.getByLabel("Connection or caller").fill("shop");
    await page.getByRole("button", { name: "Stop its calls" }).click();
    await page.getByRole("button", { name: "Resume: shop" }).waitFor();
    assert.deepEqual((await settings()).stopped, ["shop"]);
    broken.push(...(await violations(page, "controls")));
    await page.setViewportSize({ width: 360, height: 740 });
    broken.push(...(await violations(page, "controls on a phone")));
    await page.getByRole("button", { name: "Resume: shop" }).click();
    await page.getByText("Nothing is stopped.").waitFor();
    await page.getByLabel("Calls a day").fill("20");
    await page.getByRole("button", { name: "Add limit" }).click();
    await page.getByText("Every caller, every tool: 20 a day").waitFor();
    await page.getByLabel("Reason, for the record").fill("Moving the shop");
    await page.getByRole("button", { name: "Start the bypass" }).click();
    await page.getByRole("button", { name: "End the bypass" }).waitFor();
    const { bypass, limits } = await settings();
    assert.equal(bypass?.reason, "Moving the shop");
    assert.deepEqual(limits, [{ perDay: 20 }]);
    await close();
    assert.deepEqual([...broken, ...faults], []);
  });

  it("says who may see it to everybody else", async () => {
    const { page, close } = await web.open();
    await signIn(page, "/guard", shop.approver.email);
    await page.getByText("Admins see and change the guard").waitFor();
    assert.deepEqual(await violations(page, "without the right"), []);
    await close();
  });
});
