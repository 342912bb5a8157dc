import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { makeOwner, type Member } from "../people/support.ts";
import { connectOracle, inARow, published, start, startOracle, work, type Oracle } from "../repair/oracle.ts";
import { startWeb, signIn, violations } from "./setup.ts";

let owner: Member;
let oracle: Oracle;

const web = startWeb(async () => {
  owner = await makeOwner(web.service);
  oracle = await startOracle();
  await connectOracle(web.service, oracle);
});

describe("the repair dialog of a run", () => {
  after(() => oracle?.close());

  it("explains the run, shows what a changed input does, and lets the run go on", async () => {
    const nodes = [work("first"), work("second")];
    const id = await published(web.service, nodes, inARow(nodes));
    oracle.failing.add("second");
    const runId = await start(web.service, id);
    await web.service.app.services.engine.waitFor(runId, 120_000);
    oracle.failing.clear();

    const { page } = await web.open();
    await signIn(page, `/runs/${runId}`, owner.email);
    await page.getByRole("button", { name: "Repair" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/The step "second" failed/).waitFor();
    await dialog.getByLabel("What to do").selectOption("change_input");
    // The step's input is the form of the operation that takes it.
    const form = dialog.getByRole("region", { name: "Input" });
    const field = (pointer: string) =>
      form.locator(`[data-pointer="${pointer}"]`).getByRole("textbox").last();
    assert.equal(await field("/path/step").inputValue(), "second");
    await field("/body/value").fill("<b>by hand</b>");
    await dialog.getByLabel("Reason").fill("The value was wrong.");
    await dialog.getByRole("button", { name: "Preview" }).click();
    await dialog.getByText("result stays").waitFor();
    const broken = await violations(page, "repair");
    await dialog.getByRole("button", { name: "Repair" }).click();
    await page.getByText("The run goes on").waitFor();
    const run = await web.service.app.services.engine.waitFor(runId, 120_000);
    assert.equal(run.state, "succeeded");
    assert.deepEqual(
      oracle.effects.map(({ step, value }) => [step, value]),
      [
        ["first", "first"],
        ["second", "<b>by hand</b>"],
      ],
    );
    assert.equal(run.repairs[0]?.by, owner.id);
    await page.getByText(/Repaired .*: .* changed the input of “second”: “The value was wrong.”/).waitFor();
    assert.deepEqual([...broken], []);
  });

  it("repairs all runs of one cause from the list of failed runs, after a preview", async () => {
    const { engine } = web.service.app.services;
    const nodes = [work("third"), { ...work("fourth"), title: "Book it" }];
    const id = await published(web.service, nodes, inARow(nodes));
    const failedAt = async (step: string) => {
      oracle.failing.add(step);
      const run = await start(web.service, id);
      await engine.waitFor(run, 20_000);
      oracle.failing.clear();
      return run;
    };
    const runs = [await failedAt("fourth"), await failedAt("fourth")];
    const other = await failedAt("third");
    const before = oracle.effects.length;

    const { page, faults, close } = await web.open();
    await signIn(page, "/runs?state=failed", owner.email);
    const causes = page
      .locator("section")
      .filter({ has: page.getByRole("heading", { name: "Why runs failed" }) });
    const cause = causes.getByRole("listitem").filter({ hasText: "at “Book it”" });
    await cause.getByText("2 runs", { exact: true }).waitFor();
    const broken = [...(await violations(page, "causes"))];
    await cause.getByRole("link").click();
    const rows = page.getByRole("main").locator("a[href^='/runs/run_']");
    await page.getByText("These runs failed for the same cause").waitFor();
    await rows.nth(1).waitFor();
    const listed = await rows.evaluateAll((links) => links.map((link) => link.getAttribute("href")));
    assert.deepEqual(new Set(listed), new Set(runs.map((run) => `/runs/${run}`)));

    await page.getByRole("button", { name: "Repair these 2 runs" }).click();
    const dialog = page.getByRole("dialog", { name: "Repair 2 runs" });
    assert.equal(await dialog.getByLabel("What to do").inputValue(), "retry");
    await dialog.getByRole("button", { name: "Preview" }).click();
    await dialog.getByText("result stays").waitFor();
    await dialog.getByText("Book it").waitFor();
    broken.push(...(await violations(page, "repair of a cause")));
    assert.equal(oracle.effects.length, before);
    await dialog.getByRole("button", { name: "Repair 2 runs" }).click();
    await page.getByText("2 runs of 2 go on").waitFor();
    for (const run of runs) assert.equal((await engine.waitFor(run, 20_000)).state, "succeeded");
    assert.equal((await engine.waitFor(other, 20_000)).state, "failed");
    assert.deepEqual(
      oracle.effects.slice(before).map(({ step }) => step),
      ["fourth", "fourth"],
    );
    await page.setViewportSize({ width: 360, height: 740 });
    await page
      .getByRole("link", { name: "All causes" })
      .or(page.getByText("No run matches"))
      .first()
      .waitFor();
    broken.push(...(await violations(page, "causes on a phone")));
    await close();
    assert.deepEqual([...broken, ...faults], []);
  });
});
