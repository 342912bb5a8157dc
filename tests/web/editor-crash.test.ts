import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { makeOwner, PASSWORD, type Member } from "../people/support.ts";
import { ensureBuilt, openPage, settled, startBrowser } from "../support/browser.ts";
import { foundAt, objectsAt } from "../support/json.ts";
import { startServiceProcess, TEST_KEY } from "../support/service.ts";
import { startWeb, signIn } from "./setup.ts";
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
        return foundAt(found.envelope.data.workflow.nodes, 0, "title");
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

/** The session ends on the server while a person types: the page says so, loses nothing, and goes on afterwards. */
describe("a session that ends while a workflow is edited", () => {
  let owner: Member;
  const web = startWeb(async () => {
    owner = await makeOwner(web.service);
  });
  for (const isPublic of [false, true])
    it(`is shown, what is typed stays, and is saved after signing in again: ${isPublic ? "a public" : "a private"} workflow`, async () => {
      await owner.visitor.signIn(owner.email);
      const fixed = { id: "artifact_that_strangers_do_not_see" };
      const nodes = [{ id: "check", type: "tool", title: "Before", tool: "get_artifact", with: fixed }];
      const made = await owner.visitor.call("create_workflow", { name: "Ended", nodes, edges: [] });
      const { id } = made.data.data.workflow;
      if (isPublic) await owner.visitor.call("publish_workflow", { id });
      const { page, faults, close } = await web.open({ width: 1400 });
      await signIn(page, `/workflows/${id}?node=check`, owner.email);
      const title = page.getByRole("textbox", { name: "Title of the step" });
      await title.fill("Typed before");
      await page.getByRole("status").getByText("Saved", { exact: true }).waitFor();

      const asked = page.waitForResponse(
        (response) => response.request().postData()?.includes('"get_workflow"') === true,
      );
      await owner.visitor.ask("DELETE", "/api/svc/sessions");
      await title.fill("Typed after it ended");
      await page.getByText("Your session has ended. What you entered is kept here.").waitFor();
      assert.equal(await title.inputValue(), "Typed after it ended");
      // A stranger may read the workflow in part; that takes nothing away from the draft.
      await asked;
      await settled(page);
      assert.equal(await page.getByText("Changes made elsewhere were merged").count(), 0);
      await title.fill("Typed at last");
      await page.getByRole("link", { name: "Sign in and go on" }).click();
      await page.getByLabel("E-mail address").fill(owner.email);
      await page.getByLabel("Password").fill(PASSWORD);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.waitForURL(`**/workflows/${id}?node=check`);
      await page.getByRole("status").getByText("Saved", { exact: true }).waitFor();
      assert.equal(await title.inputValue(), "Typed at last");
      // Nothing is reported as another person's change.
      assert.equal(await page.getByRole("dialog").count(), 0);
      assert.equal(await page.getByText("Your session has ended.").count(), 0);
      const stored = await owner.visitor.call("get_workflow", { id });
      await close();
      const [node] = objectsAt(stored.data.data.workflow.nodes);
      assert.equal(node?.["title"], "Typed at last");
      assert.deepEqual([node["tool"], node["with"]], ["get_artifact", fixed]);
      assert.deepEqual(faults, []);
    });
});
