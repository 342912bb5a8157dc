import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addMember, makeOwner, type Member } from "../people/support.ts";
import { foundAt } from "../support/json.ts";
import { startWeb, signIn, violations } from "./setup.ts";

let owner: Member;
let approver: Member;
let editor: Member;

const web = startWeb(async () => {
  owner = await makeOwner(web.service);
  approver = await addMember(web.service, owner, "approver");
  editor = await addMember(web.service, owner, "editor");
});

describe("what people choose for approvals", () => {
  for (const [width, label, mode] of [
    [1_280, "Once a day", "digest"],
    [360, "Never", "off"],
  ] as const) {
    it(`a substitute while out of office, and which mails come (${width} px)`, async () => {
      const { page, faults, close } = await web.open({ width });
      await signIn(page, "/account", approver.email);
      const panel = page
        .getByRole("region")
        .or(page.locator("section"))
        .filter({
          has: page.getByRole("heading", { name: "Out of office" }),
        });
      // Only those who may decide are offered; here it is one.
      await panel.getByText("Olga Owner (owner)").waitFor();
      const broken = [...(await violations(page, "account"))];
      await panel.getByLabel("From").fill("2030-05-01T09:00");
      await panel.getByLabel("Until").fill("2030-04-01T09:00");
      await panel.getByRole("button", { name: "Name the substitute" }).click();
      await panel
        .getByText(/"until" must be a time after from/)
        .first()
        .waitFor();
      await panel.getByLabel("Until").fill("2030-05-08T09:00");
      await panel.getByRole("button", { name: "Name the substitute" }).click();
      await panel.getByText("Olga Owner will decide approvals in your place").waitFor();
      const kept = await approver.visitor.ask("GET", "/api/svc/account/absence");
      // The browser is in Berlin, two hours ahead of UTC in May.
      assert.equal(kept.data.absence?.from, "2030-05-01T07:00:00.000Z");
      broken.push(...(await violations(page, "absence")));
      await panel.getByRole("button", { name: "I am back" }).click();
      await panel.getByText("Olga Owner (owner)").waitFor();
      assert.equal((await approver.visitor.ask("GET", "/api/svc/account/absence")).data.absence, null);

      await page.getByText("This service sends no mails at the moment.").waitFor();
      assert.equal(await page.getByLabel("At once").isChecked(), width === 1_280);
      await page.getByLabel(label).click();
      await page.getByText("Your choice is saved.").waitFor();
      const chosen = await approver.visitor.ask("GET", "/api/svc/account/notifications");
      assert.equal(chosen.data.mail, mode);
      await close();
      assert.deepEqual([broken, faults], [[], []]);
    });
  }

  it("an admin adds and removes webhooks of people and groups", async () => {
    await owner.visitor.ask("POST", "/api/svc/groups", { name: "Finance" });
    const { page, faults, close } = await web.open();
    await signIn(page, "/people", owner.email);
    await page.getByLabel("For whom").selectOption({ label: "Finance" });
    await page.getByLabel("Address", { exact: true }).fill("ftp://files.example/");
    await page.getByRole("button", { name: "Add webhook" }).click();
    await page
      .getByText(/an http or https address/)
      .first()
      .waitFor();
    await page.getByLabel("Address", { exact: true }).fill("https://chat.example/hook");
    await page.getByRole("button", { name: "Add webhook" }).click();
    const secret = page.getByRole("group", { name: "signing secret" });
    assert.match(await secret.innerText(), /^whsec_/);
    await page.getByText("Group Finance").waitFor();
    await page.getByLabel("For whom").selectOption({ label: "A approver" });
    await page.getByLabel("Address", { exact: true }).fill("https://chat.example/approver");
    await page.getByRole("button", { name: "Add webhook" }).click();
    await page.getByRole("button", { name: "Remove the webhook of A approver" }).waitFor();
    const broken = [...(await violations(page, "webhooks"))];
    await page.setViewportSize({ width: 360, height: 740 });
    broken.push(...(await violations(page, "webhooks, small")));
    await page.getByRole("button", { name: "Remove the webhook of Group Finance" }).click();
    await page.getByText("Group Finance").waitFor({ state: "detached" });
    const left = await owner.visitor.ask("GET", "/api/svc/notification-targets");
    assert.equal(left.data.targets.length, 1);
    await close();
    assert.deepEqual([broken, faults], [[], []]);
  });

  it("an editor names people and groups without seeing addresses", async () => {
    const nodes = [{ id: "ask", type: "approval", approval: { title: "Go?" } }];
    const made = await editor.visitor.call("create_workflow", { name: "Asks", nodes, edges: [] });
    const id: string = made.data.data.workflow.id;
    const { page, faults, close } = await web.open({ width: 1_400 });
    await signIn(page, `/workflows/${id}?node=ask`, editor.email);
    const field = page.getByRole("group", { name: "Who may decide" });
    const picker = page.getByRole("dialog", { name: "Who may decide" });
    await field.getByRole("button", { name: "Name who may decide" }).click();
    await picker.getByRole("option", { name: /A approver/ }).waitFor();
    assert.equal(await picker.getByRole("option", { name: /A editor/ }).count(), 0, "may not decide");
    assert.doesNotMatch(await picker.innerText(), /@example/);
    await picker.getByRole("option", { name: /A approver/ }).click();
    await field.getByText("A approver", { exact: true }).waitFor();
    await field.getByRole("button", { name: "Add" }).click();
    await picker.getByRole("option", { name: /Finance/ }).click();
    await field.getByText("Group of 0 people").waitFor();
    const wanted = JSON.stringify([`person:${approver.id}`, "group:Finance"]);
    for (let n = 0; n < 1_200; n++) {
      const { data } = await editor.visitor.call("get_workflow", { id });
      const approvers = JSON.stringify(foundAt(data.data.workflow.nodes, 0, "approval", "approvers"));
      if (approvers === wanted) break;
      if (n === 1_199) assert.fail(`The server has ${approvers}`);
      await new Promise((done) => setTimeout(done, 100));
    }
    await close();
    assert.deepEqual(faults, []);
  });

  it("a new password by link keeps what is ticked, and nothing by default", async () => {
    const member = await addMember(web.service, owner, "editor", "forgets@example.com");
    const body = { name: "a program", scopes: ["run"] };
    const made = await member.visitor.ask("POST", "/api/svc/tokens", body);
    const headers = { authorization: `Bearer ${made.data.token}` };
    const states = async (): Promise<readonly number[]> => [
      (await member.visitor.ask("GET", "/api/svc/sessions")).status,
      (await web.service.fetch("/api/svc/me", { headers })).status,
    ];
    assert.deepEqual(await states(), [200, 200]);
    const reset = async (tick: string): Promise<void> => {
      const { data } = await owner.visitor.ask("POST", `/api/svc/people/${member.id}/link`, {});
      const { page, faults, close } = await web.open();
      await page.goto(data.invitation.url);
      await page.getByLabel("Password", { exact: true }).fill("another horse battery");
      await page.getByLabel("Password again").fill("another horse battery");
      if (tick !== "") await page.getByLabel(tick).check();
      await page.getByRole("button", { name: "Set password" }).click();
      await page.getByText("You can sign in again.").waitFor();
      await close();
      assert.deepEqual(faults, []);
    };
    await reset("Tokens that I made");
    assert.deepEqual(await states(), [401, 200]);
    await reset("");
    assert.deepEqual(await states(), [401, 401]);
  });

  it("a workflow is published for everybody after a list of what becomes visible, and unpublished again", async () => {
    const nodes = [
      { id: "ask", type: "approval", approval: { title: "Pay?", approvers: [approver.email] } },
      { id: "read", type: "tool", tool: "get_artifact", with: { id: "artifact_1" } },
    ];
    const edges = [{ from: "ask", to: "read", port: "approved" }];
    const made = await owner.visitor.call("create_workflow", { name: "Pays", nodes, edges });
    const id: string = made.data.data.workflow.id;
    assert.equal((await owner.visitor.ask("POST", `/api/svc/workflows/${id}/publish`, {})).status, 200);
    const stranger = async (): Promise<number> => {
      const answer = await web.service.call("get_workflow", { id });
      return answer.envelope.ok ? 200 : 404;
    };
    assert.equal(await stranger(), 404);
    const { page, faults, close } = await web.open({ width: 1_400 });
    await signIn(page, `/workflows/${id}`, owner.email);
    const change = async (menu: string, button: string, done: string): Promise<string> => {
      await page.getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("menuitem", { name: menu }).click();
      const asked = page.getByRole("dialog");
      const seen = await asked.getByLabel("What becomes visible").innerText();
      assert.deepEqual(await violations(page, "publish"), []);
      await asked.getByRole("button", { name: button }).click();
      await page.getByText(done).waitFor();
      return seen;
    };
    const seen = await change(
      "Publish for everybody",
      "Publish for everybody",
      "Everybody sees this workflow now",
    );
    assert.match(seen, /Pays/);
    assert.doesNotMatch(seen, /@example/);
    assert.equal(await stranger(), 200);
    // A new name is a draft as long as it is not published.
    const saved = page.waitForResponse(
      (response) => response.request().postData()?.includes("Pays secretly") === true,
    );
    await page.getByLabel("Name of the workflow").fill("Pays secretly");
    assert.equal((await saved).status(), 200);
    const guest = await web.open();
    await guest.page.goto("/workflows");
    await guest.page.getByText("Pays", { exact: true }).waitFor();
    assert.equal(await guest.page.getByText("secretly").count(), 0);
    await page.getByRole("button", { name: "Publish for everybody" }).click();
    const dialog = page.getByRole("dialog", { name: "Publish for everybody?" });
    // Only what is new is listed, and nothing is published before.
    assert.match(await dialog.getByLabel("What becomes visible").innerText(), /^name\s+Pays secretly$/i);
    assert.deepEqual(await violations(page, "dialog"), []);
    const list = async () => JSON.stringify((await web.service.call("get_workflow", { id })).envelope);
    assert.doesNotMatch(await list(), /secretly/);
    await dialog.getByRole("button", { name: "Publish for everybody" }).click();
    await page.getByText("Version 2 is published").waitFor();
    await guest.page.reload();
    await guest.page.getByText("Pays secretly").click();
    // What is not shown to strangers is no problem of the workflow.
    await guest.page.getByText("no errors").waitFor();
    assert.equal(await guest.page.getByText(/^\d+ problems?$/).count(), 0);
    // Nor are steps whose operation is hidden ones that delete.
    await guest.page.getByRole("tab", { name: "Plan" }).first().click();
    await guest.page.getByText("Sign in to see the plan").waitFor();
    await guest.close();
    await change("Unpublish for everybody", "Unpublish", "Only people here see this workflow now");
    assert.equal(await stranger(), 404);
    await close();
    assert.deepEqual(faults, []);
  });
});
