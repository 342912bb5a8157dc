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
    await dialog
      .getByLabel("Input (JSON)")
      .fill('{"path": {"step": "second"}, "body": {"value": "<b>by hand</b>"}}');
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
    assert.deepEqual([...broken], []);
  });
});
