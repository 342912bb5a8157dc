import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { traces } from "./support.ts";
import { startWeb, violations } from "./setup.ts";

const web = startWeb();

const PASSWORD = "a few plain words";

async function join(page: Page, url: string, button: string, fields: Readonly<Record<string, string>>) {
  await page.goto(url);
  for (const [label, value] of Object.entries(fields))
    await page.getByLabel(label, { exact: true }).fill(value);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByLabel("Password again").fill(PASSWORD);
  await page.getByRole("button", { name: button, exact: true }).click();
}

describe("people in the browser", () => {
  it("owner set-up, invitation, sign-in, reload, sign-out; nothing readable is left behind", async () => {
    const link = await web.service.app.people.ownerLink();
    const broken: string[] = [];
    const first = await web.open();
    await first.page.goto(link?.url ?? "");
    await first.page.getByRole("heading", { level: 1, name: "Create the owner" }).waitFor();
    assert.ok(!first.page.url().includes("#"), "the secret is out of the address");
    broken.push(...(await violations(first.page, "join")));
    await first.page.goto("/");
    await join(first.page, link?.url ?? "", "Create the owner", {
      "E-mail address": "olga@example.com",
      "Your name": "Olga",
    });
    await first.page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await first.page.getByRole("region", { name: "First steps" }).waitFor();
    await first.page.getByRole("link", { name: "People" }).click();
    await first.page.getByRole("button", { name: "Signed in as Olga" }).waitFor();
    // On plain http of this machine the __Host- cookie is kept, and no script sees it.
    const [cookie] = await first.context.cookies();
    assert.equal(cookie?.name, "__Host-suite-session");
    assert.deepEqual([cookie?.secure, cookie?.httpOnly, cookie?.sameSite], [true, true, "Strict"]);
    assert.ok(!(await traces(first.page)).includes(cookie?.value ?? "?"));

    await first.page.reload();
    await first.page.getByRole("button", { name: "Signed in as Olga" }).waitFor();
    await first.page.getByRole("heading", { name: "1 person" }).waitFor();
    assert.ok(await first.page.getByLabel("Role of Olga").isDisabled(), "there is always an owner");
    assert.equal(await first.page.getByRole("button", { name: "Disable" }).count(), 0);
    await first.page.getByLabel("E-mail address").fill("ada@example.com");
    await first.page.getByLabel("Name", { exact: true }).fill("Ada");
    await first.page.getByLabel("Role", { exact: true }).selectOption("approver");
    await first.page.getByRole("button", { name: "Invite", exact: true }).click();
    await first.page.getByRole("heading", { name: "Link for ada@example.com" }).waitFor();
    const url = await first.page.getByRole("group", { name: "link" }).innerText();
    broken.push(...(await violations(first.page, "people")));

    await first.page.getByLabel("New group").fill("finance");
    await first.page.getByRole("button", { name: "Create group" }).click();
    await first.page.getByLabel("Add a person to finance").selectOption({ label: "Ada" });
    await first.page.getByRole("button", { name: "Take Ada out of finance" }).waitFor();
    broken.push(...(await violations(first.page, "groups")));
    await first.page.getByRole("button", { name: "Rename finance" }).click();
    await first.page.getByLabel("New name of finance").fill("money");
    await first.page.getByRole("button", { name: "Save", exact: true }).click();
    await first.page.getByRole("button", { name: "Take Ada out of money" }).click();
    await first.page.getByText("This group has no members.").waitFor();

    const second = await web.open();
    await join(second.page, url.trim(), "Join", {});
    await second.page.getByRole("button", { name: "Signed in as Ada" }).waitFor();
    await second.page.getByRole("button", { name: "Signed in as Ada" }).click();
    await second.page.getByRole("menuitem", { name: "Sign out" }).click();
    await second.page.getByRole("banner").getByRole("link", { name: "Sign in" }).click();
    await second.page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
    broken.push(...(await violations(second.page, "sign-in")));
    await second.page.getByLabel("E-mail address").fill("ada@example.com");
    await second.page.getByLabel("Password").fill("not this one, no");
    await second.page.getByRole("button", { name: "Sign in", exact: true }).click();
    await second.page.getByRole("alert").filter({ hasText: "do not match" }).waitFor();
    await second.page.getByLabel("Password").fill(PASSWORD);
    await second.page.getByRole("button", { name: "Sign in", exact: true }).click();
    await second.page.getByRole("button", { name: "Signed in as Ada" }).waitFor();

    await second.page.goto("/account");
    await second.page.getByText("This browser").waitFor();
    await second.page.getByLabel("Password, to make new codes").fill(PASSWORD);
    await second.page.getByRole("button", { name: "New recovery codes" }).click();
    await second.page.getByRole("group", { name: "recovery codes" }).waitFor();
    await second.page.getByText("You have 10 left.").waitFor();
    broken.push(...(await violations(second.page, "account")));

    await second.page.goto("/tokens");
    await second.page.getByLabel(/^Name/).fill("laptop");
    assert.equal(await second.page.getByLabel(/decide approvals/).isChecked(), false);
    await second.page.getByRole("button", { name: "Create token" }).click();
    const token = await second.page.getByRole("group", { name: "token" }).innerText();
    const me = await web.service.fetch("/api/svc/me", { headers: { "x-suite-api-key": token.trim() } });
    assert.match(await me.text(), /"kind":"token".*"scopes":\["read-private"\]/);
    await second.page.getByText("May read private records.").waitFor();
    broken.push(...(await violations(second.page, "tokens")));
    await second.page.getByRole("button", { name: "Revoke laptop" }).click();
    await second.page.getByText("revoked", { exact: true }).waitFor();

    // Only the person who is named decides; the owner sees why not.
    const made = await web.service.call(
      "create_workflow",
      {
        name: "Asks Ada",
        nodes: [
          { id: "ask", type: "approval", approval: { title: "Go?", approvers: ["person:ada@example.com"] } },
        ],
        edges: [],
      },
      { key: true },
    );
    const started = await web.service.call(
      "run_workflow",
      { id: made.envelope.data.workflow.id },
      { key: true },
    );
    const approvalId = started.envelope.data.run.approvals?.[0]?.id;
    assert.ok(approvalId);
    await first.page.goto(`/approvals?id=${approvalId}`);
    await first.page.getByText("You are not among those who may decide this approval.").waitFor();
    broken.push(...(await violations(first.page, "approval of others")));
    await second.page.goto(`/approvals?id=${approvalId}`);
    await second.page.getByRole("button", { name: "Approve" }).click();
    await second.page.getByText("Approved. The run goes on.").waitFor();
    await first.page.goto(`/approvals?id=${approvalId}`);
    await first.page.getByText("Decided by Ada").waitFor();

    // A person who is disabled is out with the next request.
    await first.page.goto("/people");
    await first.page
      .getByRole("listitem")
      .filter({ hasText: "ada@example.com" })
      .getByRole("button", { name: "Disable" })
      .click();
    await first.page.getByRole("button", { name: "Enable" }).waitFor();
    await second.page.goto("/account");
    await second.page.getByText("You are not signed in").waitFor();
    await second.page.getByRole("banner").getByRole("link", { name: "Sign in" }).waitFor();

    const faults = [...first.faults, ...second.faults];
    await first.close();
    await second.close();
    assert.deepEqual([...broken, ...faults], []);
  });
});
