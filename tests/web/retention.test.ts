import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeOwner, type Member } from "../people/support.ts";
import { startWeb, signIn, violations } from "./setup.ts";

let owner: Member;

const web = startWeb(async () => {
  owner = await makeOwner(web.service);
});

describe("the retention page", () => {
  it("shows what a rule would remove before it is set, and says on a run what was removed", async () => {
    const node = { id: "look", type: "tool", title: "Look", tool: "get_health" };
    const made = await web.service.call(
      "create_workflow",
      { name: "Nightly", nodes: [node], edges: [] },
      { key: true },
    );
    const { id } = made.envelope.data.workflow;
    const started = await web.service.call("run_workflow", { id }, { key: true });
    const run = started.envelope.data.run.id;
    await web.service.app.services.engine.waitFor(run, 120_000);

    const { page } = await web.open();
    await signIn(page, "/retention", owner.email);
    await page.getByText("Every run is kept").waitFor();
    await page.getByRole("textbox", { name: "Keep details for days" }).fill("0");
    await page.getByRole("button", { name: "Show what it would remove" }).click();
    await page.getByText("Now it would remove 0 runs, and the details of 1 run.").waitFor();
    const broken = [...(await violations(page, "retention"))];
    if (process.env["SHOT"] !== undefined)
      await page.screenshot({ path: process.env["SHOT"], fullPage: true });
    await page.getByRole("button", { name: "Set the rule and remove them" }).click();
    await page.getByText("Values, steps and approvals for 0 days").waitFor();
    await page.goto(`/runs/${run}`);
    await page.getByText(/Values and steps were removed/).waitFor();
    assert.equal(await page.getByRole("button", { name: /Run again/ }).count(), 0);
    await page.goto("/retention");
    await page.getByRole("button", { name: "Remove the rule" }).click();
    await page.getByText("Every run is kept").waitFor();
    assert.deepEqual(broken, []);
  });
});
