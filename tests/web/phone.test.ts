import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { runAxe, settled } from "../support/browser.ts";
import { objectsAt } from "../support/json.ts";
import { MISFITS } from "./page-list.ts";
import { enterKey, moveTo, seed, type Seeded } from "./support.ts";
import { startWeb } from "./setup.ts";

/* On a phone, what stands beside the content elsewhere is a sheet over it: nothing opens far below. */

let seeded: Seeded;

const web = startWeb(async () => {
  seeded = await seed(web.service);
  await web.service.call("publish_workflow", { id: seeded.workflowId }, { key: true });
  const { envelope } = await web.service.call("get_workflow", { id: seeded.workflowId }, { key: true });
  const nodes = objectsAt(envelope.data.workflow.nodes).map((node, index) =>
    index === 0 ? { ...node, title: "Another title" } : node,
  );
  await web.service.call("update_workflow", { id: seeded.workflowId, nodes }, { key: true });
});

async function onPhone(use: (page: Page, sound: (what: string) => Promise<void>) => Promise<void>) {
  const { page, faults, close } = await web.open({ width: 360, height: 740, hasTouch: true });
  const broken: string[] = [];
  await page.goto("/");
  await enterKey(page, web.service.key);
  await use(page, async (what) => {
    await settled(page);
    const over: number = await page.evaluate(
      "Math.max(...[document.documentElement, ...document.querySelectorAll('dialog[open]')].map((box) => box.scrollWidth - box.clientWidth))",
    );
    if (over > 0) broken.push(`${what}: wider than the screen by ${over}px`);
    for (const misfit of await page.evaluate<readonly string[]>(MISFITS)) broken.push(`${what}: ${misfit}`);
    for (const violation of await runAxe(page))
      broken.push(`${what}: ${violation.id} ${violation.where.join(" ")}`);
  });
  await close();
  assert.deepEqual([...broken, ...faults], []);
}

describe("on a phone", () => {
  it("the fields of a step and the data for them are sheets", async () => {
    await onPhone(async (page, sound) => {
      await moveTo(page, `/workflows/${seeded.workflowId}?node=review`);
      const step = page.getByRole("dialog", { name: "Approval step" });
      await step.waitFor();
      await sound("the fields of a step");
      await step.getByRole("button", { name: "Question: reference" }).tap();
      const data = page.getByRole("dialog", { name: "Data for Question" });
      await data.getByRole("combobox").fill("title");
      await data.getByRole("treeitem", { name: /Title/ }).first().waitFor();
      await sound("the data for a field");
      await data.getByRole("treeitem", { name: /Title/ }).first().tap();
      await data.waitFor({ state: "detached" });
      await step
        .getByText(/Inputs › Title/)
        .first()
        .waitFor();
      await step.getByRole("button", { name: "Name who may decide" }).tap();
      await page.getByRole("dialog", { name: "Who may decide" }).waitFor();
      await sound("who may decide");
      await page.keyboard.press("Escape");
      await step.getByRole("button", { name: "Close" }).first().tap();
      await page.getByRole("button", { name: "Inputs, outputs and rules" }).tap();
      await page.getByRole("dialog", { name: "Inputs, outputs and rules" }).waitFor();
      await sound("inputs and outputs");
    });
  });

  it("a step of a run and the changes since a version are sheets", async () => {
    await onPhone(async (page, sound) => {
      await moveTo(page, `/runs/${seeded.runId}`);
      await page.getByRole("button", { name: /Review the submission/ }).tap();
      const step = page.getByRole("dialog", { name: "Review the submission" });
      await step.getByRole("link", { name: "Decide" }).waitFor();
      // The id of the approval is no result.
      assert.doesNotMatch(await step.innerText(), /approval_0/);
      await sound("a step of a run");
      await page.keyboard.press("Escape");
      await step.waitFor({ state: "detached" });
      await page.locator("button:focus", { hasText: "Review the submission" }).waitFor();

      await moveTo(page, `/workflows/${seeded.workflowId}?tab=versions`);
      await page.getByRole("button", { name: "Compare with the draft" }).tap();
      const changes = page.getByRole("dialog", { name: "Changes since version 1" });
      await changes.getByText("Another title").first().waitFor();
      await changes.locator(".react-flow__node").first().waitFor();
      await sound("the changes since a version");
    });
  });

  it("the problems of a workflow are a sheet from the bottom, and lead to their fields", async () => {
    await onPhone(async (page, sound) => {
      await moveTo(page, "/workflows/new#step=" + encodeURIComponent('{"tool":"get_artifact","with":{}}'));
      const problems = page.getByRole("button", { name: /^\d+ problems?$/ });
      await problems.tap();
      const sheet = page.getByRole("dialog", { name: "Problems" });
      await sheet.getByRole("listitem").first().waitFor();
      const box = await sheet.boundingBox();
      assert.ok(box !== null && box.y > 60 && Math.round(box.y + box.height) === 740, JSON.stringify(box));
      await sound("the problems");
      await page.keyboard.press("Escape");
      await sheet.waitFor({ state: "detached" });
      await page.locator("button:focus", { hasText: "problem" }).waitFor();
      // Beside the sheet, a tap on the page closes it.
      await problems.tap();
      await page.touchscreen.tap(180, 20);
      await sheet.waitFor({ state: "detached" });
      await problems.tap();
      await sheet.getByRole("button", { name: "Fill it in" }).first().tap();
      await page.getByRole("dialog", { name: /step$/ }).locator(":focus").waitFor();
    });
  });

  it("the filters of a list and the check of a record are sheets", async () => {
    await onPhone(async (page, sound) => {
      await moveTo(page, "/templates");
      await page.getByRole("button", { name: "Filters", exact: true }).tap();
      const filters = page.getByRole("dialog", { name: "Filters" });
      await filters.getByRole("checkbox", { name: "Works here without other services" }).check();
      await sound("the filters of templates");
      await filters.getByRole("button", { name: /^Show \d+ templates?$/ }).tap();
      await filters.waitFor({ state: "detached" });
      await page.locator("button:focus", { hasText: "Filters (1)" }).waitFor();

      await moveTo(page, "/audit");
      await page.getByRole("button", { name: "Filters", exact: true }).tap();
      await filters.getByLabel("From day (UTC)").fill("2020-01-01");
      await sound("the filters of the audit");
      await filters.getByRole("button", { name: "Filter", exact: true }).tap();
      await page.getByRole("button", { name: "Filters (1)" }).waitFor();

      await moveTo(page, `/provenance?by=runId&value=${seeded.endedRunId}`);
      await page.getByRole("button", { name: /^run/ }).tap();
      const check = page.getByRole("dialog", { name: "Verification" });
      await check.getByText("Inclusion: ").waitFor();
      await sound("the check of a record");
      await check.getByRole("button", { name: "Close" }).tap();
      await page.locator("button:focus", { hasText: /^run/ }).waitFor();
    });
  });

  it("a template is looked into over the list", async () => {
    await onPhone(async (page, sound) => {
      await moveTo(page, "/templates?id=form-intake-approval");
      const inside = page.getByRole("dialog");
      await inside.locator(".react-flow__node").first().waitFor();
      await sound("a template");
    });
  });

  it("approvals are a list, and each opens with a way back", async () => {
    const inputs = {
      title: "Second",
      schema: { type: "object", properties: { name: { type: "string" } } },
      values: { name: "Bea" },
    };
    await web.service.call("run_workflow", { id: seeded.workflowId, inputs }, { key: true });
    await onPhone(async (page, sound) => {
      await moveTo(page, "/approvals");
      const back = page.getByRole("link", { name: /^All \d+ approvals$/ });
      const approve = page.getByRole("button", { name: "Approve" });
      await page.getByRole("heading", { name: "2 approvals" }).waitFor();
      assert.equal(await approve.count(), 0);
      await sound("the list of approvals");
      await page
        .getByRole("link", { name: /waiting/ })
        .first()
        .tap();
      await approve.waitFor();
      assert.equal(await page.getByRole("heading", { name: "2 approvals" }).count(), 0);
      await sound("an approval");
      await back.tap();
      await page.getByRole("heading", { name: "2 approvals" }).waitFor();
    });
  });
});
