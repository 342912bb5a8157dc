import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { ensureBuilt, openPage, startBrowser } from "../support/browser.ts";
import { startServiceProcess, TEST_KEY } from "../support/service.ts";
import { enterKey, moveTo } from "./support.ts";

/** The service is killed while a person types: the page says so, loses nothing, and saves by itself afterwards. */
describe("kill -9 while a workflow is edited", () => {
  it("keeps what is typed on the device and saves it when the service is back", async () => {
    await ensureBuilt();
    const folder = await mkdtemp(join(tmpdir(), "workflow-ui-"));
    const env = { DATABASE_URL: `sqlite:${join(folder, "test.db")}` };
    const browser = await startBrowser();
    let service = await startServiceProcess(env);
    try {
      const nodes = [{ id: "check", type: "tool", title: "Before", tool: "get_health", with: {} }];
      const made = await service.call("create_workflow", { name: "Crash", nodes, edges: [] }, { key: true });
      const id: string = made.envelope.data.workflow.id;
      const titleStored = async () => {
        const found = await service.call("get_workflow", { id }, { key: true });
        return found.envelope.data.workflow.nodes[0].title;
      };
      const { page } = await openPage(browser, { baseUrl: service.url, width: 1400 });
      await page.goto("/workflows");
      await enterKey(page, TEST_KEY);
      await moveTo(page, `/workflows/${id}?node=check`);
      const title = page.getByRole("textbox", { name: "Title of the step" });
      await title.fill("Typed before");
      await page.getByRole("status").getByText("Saved", { exact: true }).waitFor();
      assert.equal(await titleStored(), "Typed before");

      assert.equal(await service.stop("SIGKILL"), "SIGKILL");
      await title.fill("Typed while it was down");
      await page.getByText("Saved on this device only").waitFor();
      await page.getByText("They are safe on this device").waitFor();
      // What was typed is in the local database, not only on the screen.
      await page.waitForFunction(`new Promise((done) => {
        const open = indexedDB.open("workflow-ui");
        open.onsuccess = () => {
          const all = open.result.transaction("edits").objectStore("edits").getAll();
          all.onsuccess = () => { open.result.close(); done(JSON.stringify(all.result).includes("Typed while it was down")); };
        };
      })`);
      service = await startServiceProcess({ ...env, PORT: new URL(service.url).port });
      await page.getByRole("status").getByText("Saved", { exact: true }).waitFor({ timeout: 60_000 });
      assert.equal(await titleStored(), "Typed while it was down");
      assert.equal(await title.inputValue(), "Typed while it was down");
    } finally {
      await browser.close();
      await service.stop("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    }
  });
});
