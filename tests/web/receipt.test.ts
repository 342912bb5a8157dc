import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { enterKey, moveTo } from "./support.ts";
import { startWeb } from "./setup.ts";

let runId = "";

const web = startWeb(async () => {
  const made = await web.service.call(
    "create_workflow",
    {
      name: "Weather report",
      nodes: [
        { id: "look", type: "tool", title: "Look at the service", tool: "get_health" },
        { id: "say", type: "transform", title: "Write the report", value: { said: "sunny" } },
      ],
      edges: [{ from: "look", to: "say" }],
    },
    { key: true },
  );
  const { envelope } = await web.service.call(
    "run_workflow",
    { id: made.envelope.data.workflow.id, inputs: {} },
    { key: true },
  );
  runId = envelope.data.run.id;
});

/** Gives the page a file as a person chooses one. */
async function choose(page: Page, text: string): Promise<void> {
  await page
    .getByLabel("Choose a receipt or proof file")
    .setInputFiles({ name: "receipt.json", mimeType: "application/json", buffer: Buffer.from(text) });
}

describe("the receipt of a run", () => {
  it("is taken from the run's page, checked offline by anybody, and refused after any change", async () => {
    const own = await web.open();
    await own.page.goto("/");
    await enterKey(own.page, web.service.key);
    await moveTo(own.page, `/runs/${runId}`);
    await own.page.getByText("succeeded").first().waitFor();
    await own.page.getByRole("link", { name: "Receipt", exact: true }).click();
    await own.page.getByText("This receipt is genuine and unchanged").waitFor();
    await own.page.getByText("What was in the run: the file shows no content.").waitFor();
    await own.page.getByText("Weather report", { exact: true }).first().waitFor();
    const plain = await saved(own.page);
    assert.ok(!plain.includes("sunny"), "contents are taken along only when the person says so");
    await own.page.getByRole("checkbox", { name: /Include inputs, results and decisions/ }).check();
    await own.page.getByText("Write the report", { exact: false }).first().waitFor();
    const full = await saved(own.page);
    assert.ok(full.includes("sunny"));
    assert.deepEqual(own.faults, []);
    await own.close();

    const other = await web.open();
    await other.page.goto("/receipt");
    await other.page.getByText("Anybody can check a receipt").waitFor();
    await other.context.setOffline(true);
    await choose(other.page, full);
    await other.page.getByText("This receipt is genuine and unchanged").waitFor();
    await other.page.getByText("The workflow in the file is the one that ran.").waitFor();
    await other.page.getByText("Write the report").click();
    await other.page.getByText("sunny").first().waitFor();
    for (const [changed, reason] of [
      [full.replaceAll("sunny", "rainy"), "What the receipt shows is not what was recorded."],
      [full.replace(/\\"state\\":\\"succeeded\\"/, '\\"state\\":\\"failed\\"'), "does not hash"],
      [full.replace(/"rootHash": "../, '"rootHash": "zz'), "The checkpoint's signature"],
      [full.slice(0, -20), "The file is not JSON"],
      ['{"hello": 1}', "neither a receipt of a run nor a proof"],
    ] as const) {
      assert.notEqual(changed, full);
      await choose(other.page, changed);
      await other.page.getByText(reason, { exact: false }).first().waitFor();
      assert.equal(await other.page.getByText("This receipt is genuine and unchanged").count(), 0, reason);
    }
    await choose(other.page, full);
    await other.page.getByText("This receipt is genuine and unchanged").waitFor();
    await other.context.setOffline(false);
    await other.page.getByRole("button", { name: "Compare with the keys of this service" }).click();
    await other.page.getByRole("button", { name: "Compared" }).waitFor();
    await other.page.getByText("This receipt is genuine and unchanged").waitFor();
    assert.deepEqual(other.faults, []);
    await other.close();
  });

  it("says when a run has no receipt yet, and checks the proof of a single record", async () => {
    const { page, close } = await web.open();
    await page.goto("/receipt?run=run_missing");
    await page.getByText("There is no run with this id that you may see.").waitFor();
    const found = await web.service.call("lookup_svc_provenance", { runId }, { key: true });
    const recordId = found.envelope.data.records[0]?.recordId;
    assert.ok(recordId);
    const verified = await web.service.call("verify_svc_provenance", { recordId }, { key: true });
    await choose(page, JSON.stringify(verified.envelope.data.proof));
    await page.getByText("The record in this proof is unchanged").waitFor();
    await close();
  });
});

async function saved(page: Page): Promise<string> {
  const file = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download the receipt" }).click();
  return readFile(await (await file).path(), "utf8");
}
