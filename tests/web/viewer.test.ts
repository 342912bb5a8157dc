import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { addMember, asOperator, makeOwner, type Member } from "../people/support.ts";
import { signIn, startWeb, violations } from "./setup.ts";
import { enterKey, moveTo, traces } from "./support.ts";

let viewer: Member;
let editor: Member;
let operator: Member;
let readOnly: string;
let id: string;

const web = startWeb(async () => {
  const owner = await makeOwner(web.service);
  viewer = await addMember(web.service, owner, "viewer");
  editor = await addMember(web.service, owner, "editor");
  operator = await addMember(web.service, owner, "operator");
  const body = { name: "reads", scopes: ["read-private"] };
  readOnly = (await asOperator(web.service, "POST", "/api/svc/keys", body)).data.token;
  const nodes = [{ id: "check", type: "tool", tool: "get_health" }];
  const made = await owner.visitor.call("create_workflow", { name: "As it is", nodes, edges: [] });
  id = made.data.data.workflow.id;
});

const nameOf = (page: Page) => page.getByLabel("Name of the workflow");

/** Waits until the workflow is shown with the name that the server has. */
async function seesTheRealOne(page: Page): Promise<void> {
  await nameOf(page).waitFor();
  assert.equal(await nameOf(page).inputValue(), "As it is");
}

async function change(page: Page, to: string): Promise<void> {
  await nameOf(page).fill(to);
  await page.getByRole("button", { name: "Undo" }).click({ trial: true });
}

async function leave(page: Page): Promise<void> {
  await moveTo(page, "/runs");
  await page.getByRole("heading", { level: 1, name: "Runs" }).waitFor();
}

describe("edits of those who may not change a workflow", () => {
  for (const who of ["viewer", "read-only key"] as const) {
    it(`a ${who} edits, leaves, comes back and sees the real workflow`, async () => {
      const { page, faults, close } = await web.open();
      const come = async () => {
        if (who === "viewer") return page.goto(`/workflows/${id}`);
        await page.goto("/");
        await enterKey(page, readOnly);
        return moveTo(page, `/workflows/${id}`);
      };
      if (who === "viewer") await signIn(page, `/workflows/${id}`, viewer.email);
      else await come();
      await seesTheRealOne(page);
      await change(page, "A shadow");
      await leave(page);
      await moveTo(page, `/workflows/${id}`);
      await seesTheRealOne(page);
      await change(page, "A shadow");
      await come();
      await seesTheRealOne(page);
      const left = await traces(page);
      await close();
      assert.doesNotMatch(left, /A shadow/);
      assert.deepEqual(faults, []);
    });
  }

  it("what a viewer changed is not saved by the editor who signs in afterwards", async () => {
    const { page, faults, close } = await web.open();
    await signIn(page, `/workflows/${id}`, viewer.email);
    await seesTheRealOne(page);
    await change(page, "A shadow");
    await leave(page);
    await page.getByRole("button", { name: /Signed in as/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("banner").getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("E-mail address").fill(editor.email);
    await page.getByLabel("Password").fill("correct horse battery");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Runs" }).waitFor();
    await moveTo(page, `/workflows/${id}`);
    await seesTheRealOne(page);
    // Longer than a change waits before it is saved.
    await page.waitForTimeout(3_000);
    await seesTheRealOne(page);
    const { data } = await editor.visitor.call("get_workflow", { id });
    await close();
    assert.equal(data.data.workflow.name, "As it is");
    assert.deepEqual(faults, []);
  });
});

describe("a run that its starter may not carry to the end", () => {
  it("is asked about before it starts, and says afterwards what it was not allowed", async () => {
    const nodes = [{ id: "keep", type: "tool", tool: "save_artifact", with: { artifact: { content: 1 } } }];
    const { data } = await editor.visitor.call("create_workflow", { name: "Keeps", nodes, edges: [] });
    const { page, faults, close } = await web.open();
    await signIn(page, `/workflows/${data.data.workflow.id}`, operator.email);
    await page.getByRole("button", { name: "Run draft" }).click();
    const asked = page.getByRole("dialog", { name: "The run would stop" });
    await asked.getByText("As operator you may not create, change and publish.").waitFor();
    await asked.getByRole("button", { name: "Run as it is" }).click();
    await page.getByText("who may not create, change and publish.").waitFor();
    const shown = await page.getByRole("main").innerText();
    await close();
    assert.doesNotMatch(shown, /scope/);
    assert.deepEqual(faults, []);
  });
});

describe("what a viewer may not do", () => {
  it("is explained to the keyboard, the pointer and a finger, and nothing happens", async () => {
    for (const hasTouch of [false, true]) {
      const { page, faults, close } = await web.open({
        hasTouch,
        ...(hasTouch && { width: 360, height: 740 }),
      });
      await signIn(page, `/workflows/${id}`, viewer.email);
      const publish = page.getByRole("button", { name: "Publish" });
      const reason = page.getByRole("tooltip").filter({ visible: true });
      const why = "As viewer you may not create, change and publish. Ask an admin.";
      await publish.waitFor();
      assert.equal(await publish.getAttribute("aria-disabled"), "true");
      assert.equal(await page.getByRole("button", { name: "Publish", description: why }).count(), 1);
      const sent: string[] = [];
      page.on("request", (request) => request.method() !== "GET" && sent.push(request.url()));
      if (hasTouch) {
        await publish.tap({ force: true });
      } else {
        await publish.hover({ force: true });
        await reason.getByText(why).waitFor();
        await page.mouse.move(0, 0);
        await reason.waitFor({ state: "detached" });
        await nameOf(page).focus();
        await page.keyboard.press("Tab");
        assert.equal(await page.evaluate("document.activeElement.innerText"), "Publish");
        await reason.getByText(why).waitFor();
        await page.keyboard.press("Enter");
      }
      await reason.getByText(why).waitFor();
      const broken = await violations(page, `reason, touch ${hasTouch}`);
      await close();
      assert.deepEqual([broken, faults, sent], [[], [], []]);
    }
  });
});
