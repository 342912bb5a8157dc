import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { openPage } from "../support/browser.ts";
import { startServiceProcess, TEST_KEY } from "../support/service.ts";
import { enterKey, giveKey, moveTo } from "./support.ts";
import { startWeb } from "./setup.ts";

const web = startWeb();

/** Opens a page with a key, does something there, and sees that nothing broke. */
async function keyed(path: string, work: (page: Page) => Promise<void>): Promise<void> {
  const { page, faults, close } = await web.open();
  await page.goto("/");
  await enterKey(page, web.service.key);
  await moveTo(page, path);
  await work(page);
  await close();
  assert.deepEqual(faults, []);
}

async function made(args: object): Promise<string> {
  const { envelope } = await web.service.call("create_workflow", args, { key: true });
  return envelope.data.workflow.id;
}

const step = (id: string) => ({ id, type: "transform", title: `Step ${id}`, value: { id } });

describe("the page of a run", () => {
  it("says when the service is gone, goes on when it is back after kill -9, and shows the truth", async () => {
    const folder = await mkdtemp(join(tmpdir(), "run-page-"));
    const env = { DATABASE_URL: `sqlite:${join(folder, "test.db")}` };
    let process = await startServiceProcess(env);
    const { port } = new URL(process.url);
    const { page, faults, close } = await openPage(web.browser, { baseUrl: process.url });
    try {
      const { envelope } = await process.call(
        "create_workflow",
        {
          name: "Survivor",
          nodes: [
            step("first"),
            { id: "pause", type: "wait", title: "A pause", wait: { ms: 2_500 } },
            step("last"),
          ],
          edges: [
            { from: "first", to: "pause" },
            { from: "pause", to: "last" },
          ],
        },
        { key: true },
      );
      await page.goto("/");
      await enterKey(page, TEST_KEY);
      const started = await process.call(
        "run_workflow",
        { id: envelope.data.workflow.id, inputs: {} },
        { key: true },
      );
      await moveTo(page, `/runs/${started.envelope.data.run.id}`);
      await page.getByRole("button", { name: /A pause/ }).waitFor();
      await process.stop("SIGKILL");
      await page.getByText("The service cannot be reached. What you see may be old").waitFor();
      assert.equal(await page.getByRole("button", { name: /Step last/ }).count(), 0);
      process = await startServiceProcess({ ...env, PORT: port });
      await page.getByText("The service cannot be reached").waitFor({ state: "detached" });
      await page.getByRole("button", { name: /Step last.*succeeded/ }).waitFor();
      await page.getByText("3 of 3 done").waitFor();
      const { envelope: truth } = await process.call(
        "get_workflow_run",
        { id: started.envelope.data.run.id },
        { key: true },
      );
      assert.equal(truth.data.run.status, "succeeded");
      assert.equal(truth.data.run.steps.length, 3);
      assert.deepEqual(faults, []);
    } finally {
      await close();
      await process.stop("SIGKILL");
      await rm(folder, { recursive: true, force: true });
    }
  });

  it("follows a run of 50 steps with fewer questions than steps, and asks nothing about other runs", async () => {
    const chain = Array.from({ length: 50 }, (_, n) => `s${n}`);
    const nodes = [{ id: "go", type: "approval", approval: { title: "Begin?" } }, ...chain.map(step)];
    const edges = [
      { from: "go", port: "approved", to: "s0" },
      ...chain.slice(1).map((id, n) => ({ from: `s${n}`, to: id })),
    ];
    const id = await made({ name: "Fifty", nodes, edges });
    const run = async () =>
      (await web.service.call("run_workflow", { id, inputs: {} }, { key: true })).envelope.data.run.id;
    const [watched, other] = [await run(), await run()];
    const approvalOf = async (runId: string): Promise<string> => {
      for (;;) {
        const { envelope } = await web.service.call("list_approvals", { limit: 100 }, { key: true });
        const found = envelope.data.approvals.find((item: { runId: string }) => item.runId === runId);
        if (found !== undefined) return found.id;
      }
    };
    await keyed(`/runs/${watched}`, async (page) => {
      await page.getByRole("link", { name: "Decide" }).waitFor();
      const asked: string[] = [];
      page.on("request", (request) => {
        const body = request.postData() ?? "";
        if (body.includes("get_workflow_run")) asked.push(body);
        else if (request.url().includes("/document")) asked.push(request.url());
      });
      await web.service.call("approve_step", { id: await approvalOf(other) }, { key: true });
      const began = Date.now();
      for (;;) {
        const { envelope } = await web.service.call("get_workflow_run", { id: other }, { key: true });
        if (envelope.data.run.status === "succeeded") break;
      }
      // Without events of its own run the page only looks every ten seconds.
      const idle = Math.ceil((Date.now() - began) / 10_000) + 1;
      assert.ok(asked.length <= idle, `${asked.length} questions about a run in which nothing happened`);
      const start = Date.now();
      await web.service.call("approve_step", { id: await approvalOf(watched) }, { key: true });
      await page.getByText("51 of 51 done").waitFor();
      const bursts = Math.ceil((Date.now() - start) / 400) + idle + 2;
      assert.ok(asked.length <= Math.min(50, bursts), `${asked.length} questions for 50 steps`);
      assert.ok(asked.every((what) => what.includes(watched)));
    });
  });
});

describe("lists and tools", () => {
  it("copies, tags, archives, brings back and deletes workflows, and counts the steps inside maps", async () => {
    const id = await made({
      name: "Nested",
      nodes: [
        {
          id: "each",
          type: "map",
          map: {
            items: [1, 2],
            maxItems: 10,
            body: { nodes: [step("a"), step("b")], edges: [{ from: "a", to: "b" }] },
          },
        },
      ],
      edges: [],
    });
    await keyed("/workflows", async (page) => {
      const row = (name: string) => page.getByRole("listitem").filter({ hasText: name });
      const menu = async (name: string, entry: string) => {
        await page.getByRole("button", { name: `More for ${name}`, exact: true }).click();
        await page.getByRole("menuitem", { name: entry }).click();
      };
      await row("Nested").getByText("3 steps").waitFor();
      await menu("Nested", "Tags");
      await page.getByLabel("Tags, separated by commas").fill("weekly, sales");
      await page.getByRole("button", { name: "Save the tags" }).click();
      await page.getByRole("combobox", { name: "Tag" }).selectOption("sales");
      await row("Nested").getByText("weekly").waitFor();
      await menu("Nested", "Duplicate");
      await page.waitForURL("**/workflows/workflow_*");
      // The address changes before the list is left, which still has its filter.
      await page.getByRole("tab", { name: "Edit" }).waitFor();
      await moveTo(page, "/workflows");
      await row("Nested (copy)").waitFor();
      await menu("Nested (copy)", "Delete");
      await page.getByRole("button", { name: "Delete it" }).click();
      await row("Nested (copy)").waitFor({ state: "detached" });
      await menu("Nested", "Archive");
      await page.getByRole("button", { name: "Archive it" }).click();
      await page.getByRole("radio", { name: "Archived (1)" }).click();
      await menu("Nested", "Bring back");
      await page.getByRole("radio", { name: "Current" }).click();
      await row("Nested").waitFor();
    });
    await web.service.call("run_workflow", { id, inputs: {} }, { key: true });
    const refused = await web.service.fetch(`/api/svc/workflows/${id}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${web.service.key}` },
    });
    assert.equal(refused.status, 409);
    assert.match(await refused.text(), /Archive it/);
  });

  it("groups tools by task, hides aliases until they are searched for, and offers ids to choose from", async () => {
    const id = await made({ name: "Chosen by name", nodes: [step("a")], edges: [] });
    await keyed("/tools", async (page) => {
      await page.getByRole("heading", { name: "Build workflows" }).waitFor();
      const list = page.locator("[data-tool-list]");
      assert.equal(await list.getByText("get_info", { exact: true }).count(), 0);
      await page.getByLabel("Search tools").fill("get_info");
      await list.getByText("get_info", { exact: true }).waitFor();
      await moveTo(page, "/workflows/new");
      await page.getByRole("button", { name: "Add step" }).click();
      const steps = page.getByRole("dialog", { name: "Add a step" });
      await steps.getByText("Service information", { exact: true }).waitFor();
      assert.equal(await steps.getByText("Service information (alias)").count(), 0);
      await steps.getByRole("combobox").fill("alias");
      await steps.getByText("Service information (alias)").waitFor();
      await page.keyboard.press("Escape");
      await moveTo(page, "/tools/get_workflow");
      await page.locator(`datalist option[value="${id}"]`).waitFor({ state: "attached" });
      assert.equal(await page.locator(`datalist option[value="${id}"]`).textContent(), "Chosen by name");
    });
  });

  it("finds templates, says what they need, and fills in their example inputs", async () => {
    await keyed("/templates", async (page) => {
      await page.getByText("needs Docs: not set up").first().waitFor();
      await page.getByRole("checkbox", { name: "Works here without other services" }).check();
      assert.equal(await page.getByText(/not set up/).count(), 0);
      await page.getByLabel("Search templates").fill("intake");
      await page.getByRole("button", { name: "Use it" }).click();
      await page.waitForURL("**/workflows/workflow_*");
      await page.getByRole("button", { name: "Run draft" }).click();
      const title = page.getByRole("dialog", { name: "Run draft" }).getByRole("textbox", { name: "Title" });
      await title.waitFor();
      assert.equal(await title.inputValue(), "Access request");
    });
  });
});

describe("the key and the way through the pages", () => {
  it("shows whose key it is and what it may do, and a wrong key in red", async () => {
    await keyed("/", async (page) => {
      await page.getByRole("button", { name: "Key in use" }).click();
      await page.getByRole("menu").getByText("administer this service").waitFor();
      await page.getByRole("menuitem", { name: "Use another key" }).click();
      await giveKey(page, "not-a-key");
      await page.getByRole("button", { name: "Key refused" }).waitFor();
      await page.getByText("The key was refused.").first().waitFor();
      for (const lie of ["No runs yet", "No approval is waiting", "No workflows yet"])
        assert.equal(await page.getByText(lie).count(), 0, lie);
    });
  });

  it("moves focus to the heading of a new page", async () => {
    await keyed("/", async (page) => {
      await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Runs" }).click();
      await page.locator("h1:focus", { hasText: "Runs" }).waitFor();
    });
  });
});
