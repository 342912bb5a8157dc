import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import type { SiblingName } from "../../src/ports/settings.ts";
import { startSuiteProcess, SUITE_KEY } from "../suite/support.ts";
import { ensureBuilt, leaveBrowser, openPage, takeBrowser, type WatchedPage } from "../support/browser.ts";
import { startService, type TestService } from "../support/service.ts";
import { enterKey, giveKey, moveTo, seed } from "./support.ts";

/*
 * The pages that need others to answer: real siblings of the reference suite, and one that takes every request and never
 * answers, so that a step runs out of time with its effect in doubt.
 */

const NAMES: readonly SiblingName[] = ["root", "mcp", "spec", "sandbox", "evals"];
const IMPORT = {
  name: "Import a design",
  nodes: [
    {
      id: "import",
      type: "tool",
      tool: "import_studio_design",
      with: { designId: "design_1" },
      timeoutMs: 200,
    },
    { id: "look", type: "transform", value: { got: { $ref: "$steps.import.outputs#/data/artifactId" } } },
  ],
  edges: [{ id: "e", from: "import", to: "look" }],
};

let folder = "";
let suite: Awaited<ReturnType<typeof startSuiteProcess>>;
let service: TestService;
let browser: Browser;
let asked = 0;
const silent = createServer(() => {
  asked += 1;
});

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "workflow-ui-web-suite-"));
  await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done));
  const address = silent.address();
  assert.ok(address !== null && typeof address === "object");
  [suite, browser] = await Promise.all([startSuiteProcess(NAMES, folder), takeBrowser(), ensureBuilt()]);
  const siblings = Object.fromEntries(
    NAMES.map((name) => [name, { url: suite.urls[name] ?? "", key: SUITE_KEY }]),
  );
  const studio = { url: `http://127.0.0.1:${address.port}`, key: SUITE_KEY };
  service = await startService({ settings: { siblings: { ...siblings, studio } } });
});
after(async () => {
  if (browser !== undefined) await leaveBrowser(browser);
  await service?.close();
  await suite?.stop();
  silent.closeAllConnections();
  await new Promise((done) => silent.close(done));
  await rm(folder, { recursive: true, force: true });
});

async function on(path: string, work: (page: Page, watched: WatchedPage) => Promise<void>): Promise<void> {
  const watched = await openPage(browser, { baseUrl: service.url, width: 1440 });
  await watched.page.goto(path);
  await work(watched.page, watched);
  const { faults } = watched;
  await watched.close();
  assert.deepEqual(faults, []);
}

describe("with siblings that answer", () => {
  it("probes and runs the six steps of the demo, and shows what each owner confirmed", async () => {
    await on("/demo", async (page) => {
      await page.getByText("declared", { exact: true }).first().waitFor();
      await page.getByRole("button", { name: "Probe public steps" }).click();
      await page.getByText("4 verified").waitFor();
      await page.getByRole("button", { name: "Run all six" }).click();
      await giveKey(page, service.key);
      await page.getByText("6 verified").waitFor();
      assert.equal(await page.getByText("verified", { exact: true }).count(), 6);
      const fifth = page.getByRole("listitem").filter({ hasText: "Hand the form to evals" });
      await fifth
        .getByText(/^scorecard_/)
        .first()
        .waitFor();
      await fifth.getByText("Input, output and evidence").click();
      await fifth.getByText("send-handoff").last().waitFor();
    });
  });

  it("lists the tools it synced beside its own, and operates one", async () => {
    await on("/tools/sync_network_tools", async (page) => {
      await enterKey(page, service.key);
      // Aliases are not in the list.
      const total = page.getByText(/^\d+ tools$/);
      const own = Number.parseInt(await total.innerText(), 10);
      assert.ok(own > 50, `${own} tools`);
      await page.getByRole("button", { name: "Run" }).click();
      const result = page.getByRole("region", { name: "Result" });
      await result.getByText("mcp:count_words").waitFor();
      await page.getByText(`${own + 5} tools`).waitFor();
      await page.getByLabel("Search tools").fill("count words");
      await page.getByRole("link", { name: /mcp:count_words/ }).click();
      await page.getByText("from mcp", { exact: true }).waitFor();
      await page.getByRole("textbox", { name: "Text" }).fill("three small words");
      await page.getByRole("button", { name: "Run" }).click();
      await result.getByText("Done").waitFor();
      await result.getByRole("radio", { name: "JSON" }).click();
      await result.getByText(/"words": 3/).waitFor();
    });
  });

  it("composes a handoff, sends it, and shows its state and the evidence for it", async () => {
    await on("/handoffs", async (page) => {
      await page.getByRole("combobox", { name: "Target" }).selectOption({ label: "Evals" });
      await page.getByRole("textbox", { name: "Title" }).fill("Sent from the page");
      await page.getByRole("button", { name: "Preview packet" }).click();
      await page.getByText("A preview. Nothing was sent.").waitFor();
      await page.getByRole("button", { name: "Send now" }).click();
      await giveKey(page, service.key);
      await page.getByText("Completed: evals confirmed the result.").waitFor();
      await page
        .getByText(/^scorecard_/)
        .first()
        .waitFor();
      await page.getByText(/^HTTP 200 in /).waitFor();
      await page.getByRole("combobox", { name: "Target" }).selectOption({ label: "Sandbox" });
      await page.getByRole("button", { name: "Send again" }).click();
      await page
        .getByText(/^Not done/)
        .first()
        .waitFor();
      await page.getByText(/^HTTP 422 in /).waitFor();
      await page.getByRole("tab", { name: "Outbox" }).click();
      await page.getByRole("button", { name: /Sent from the page to evals.*completed/ }).click();
      const dialog = page.getByRole("dialog", { name: "Handoff" });
      await dialog.getByText("Completed: evals confirmed the result.").waitFor();
      await dialog.getByText("All the evidence").click();
      await dialog
        .getByText(/^sha256:/)
        .first()
        .waitFor();
    });
  });

  it("shows a packet that came in, and starts the run that answers it", async () => {
    const { workflowId } = await seed(service);
    const preview = await service.call("delegate_artifact", { targetService: "sandbox" });
    const inputs = { title: "Sign-up", schema: { type: "object" }, values: {} };
    const packet = {
      ...preview.envelope.data.packet,
      from: "sandbox",
      to: "svc",
      dryRun: false,
      payload: { inputs },
    };
    const received = await service.fetch("/api/svc/receive-handoff", {
      method: "POST",
      headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
      body: JSON.stringify({ ...packet, status: "accepted", intent: "Look at this sign-up" }),
    });
    const text = await received.text();
    assert.equal(received.status, 202, text);
    await on("/handoffs?view=in", async (page) => {
      await enterKey(page, service.key);
      await page.getByRole("button", { name: /Look at this sign-up/ }).click();
      const dialog = page.getByRole("dialog", { name: "Handoff" });
      await dialog.getByLabel("Workflow").selectOption(workflowId);
      await dialog.getByRole("button", { name: "Start a run" }).click();
      await page.getByText("The run was started").waitFor();
    });
  });
});

describe("a run whose step is in doubt", () => {
  it("is settled by a person's word, run again when it failed, and ends with what the person gave", async () => {
    const made = await service.call("create_workflow", IMPORT, { key: true });
    const started = await service.call("run_workflow", { id: made.envelope.data.workflow.id }, { key: true });
    const id: string = started.envelope.data.run.id;
    await on(`/runs/${id}`, async (page) => {
      await enterKey(page, service.key);
      await page.getByRole("button", { name: "Settle it" }).click();
      await page.getByRole("button", { name: "It did not" }).click();
      const retry = page.getByRole("button", { name: "Retry from where it stopped" });
      await retry.waitFor();
      const before = asked;
      await retry.click();
      await page.getByRole("button", { name: "It happened" }).waitFor();
      assert.equal(asked, before + 1, "the step was tried once more");
      await page.getByLabel("Output as a JSON object").fill("{");
      await page.getByText("This is not a JSON object yet.").waitFor();
      assert.ok(await page.getByRole("button", { name: "It happened" }).isDisabled());
      await page
        .getByLabel("Output as a JSON object")
        .fill('{"ok": true, "data": {"status": "imported", "artifactId": "artifact_by_hand"}}');
      await page.getByRole("button", { name: "It happened" }).click();
      await page.getByText("succeeded").first().waitFor();
      await page.getByText("2 of 2 done").waitFor();
      assert.equal(asked, before + 1, "nothing was tried after the person's word");
      await moveTo(page, `/runs/${id}?step=look`);
      await page.getByText("artifact_by_hand").first().waitFor();
    });
  });
});
