import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { openPage, runAxe, setTheme, type WatchedPage } from "../support/browser.ts";
import { addDevice } from "./passkey-device.ts";
import { startWeb, violations } from "./setup.ts";

/* What people do with approvals in the browser: with a passkey, and together. Wide and 360 px, light and dark. */

const SUITECTL = fileURLToPath(new URL("../../bin/suitectl.mjs", import.meta.url));
/** Where to put pictures of every state, for a person to look at. */
const PICTURES = process.env["APPROVAL_PICTURES"] ?? "";

let baseUrl: string;
let ada: WatchedPage & { readonly device: Awaited<ReturnType<typeof addDevice>> };
let bob: WatchedPage;

const web = startWeb(async () => {
  baseUrl = web.service.url.replace("127.0.0.1", "localhost");
  const opened = await openPage(web.browser, { baseUrl });
  ada = { ...opened, device: await addDevice(opened.page) };
  bob = await openPage(web.browser, { baseUrl });
  await joined(ada.page, "ada@example.com", "Ada");
  await bob.page.goto(await invitation("bob@example.com", "Bob"));
  await bob.page.getByRole("button", { name: "Use a password" }).click();
  for (const label of ["Password", "Password again"])
    await bob.page.getByLabel(label, { exact: true }).fill("correct horse battery staple");
  await bob.page.getByRole("button", { name: "Join", exact: true }).click();
  await bob.page.getByRole("button", { name: "Signed in as Bob" }).waitFor();
});

async function invitation(email: string, name: string, role = "approver"): Promise<string> {
  const answer = await fetch(`${web.service.url}/api/svc/people`, {
    method: "POST",
    headers: { authorization: `Bearer ${web.service.key}`, "content-type": "application/json" },
    body: JSON.stringify({ email, name, role }),
  });
  const url: string = JSON.parse(await answer.text()).data.invitation.url;
  return url.replace("127.0.0.1", "localhost");
}

async function joined(page: Page, email: string, name: string, role = "approver"): Promise<void> {
  await page.goto(await invitation(email, name, role));
  await page.getByRole("button", { name: "Join", exact: true }).click();
  await page.getByRole("button", { name: `Signed in as ${name}` }).waitFor();
}

/** Runs a workflow that asks, and gives the ids of the run and the approval. */
async function asked(approval: object): Promise<{ readonly id: string; readonly runId: string }> {
  const { envelope } = await web.service.call(
    "create_workflow",
    {
      name: "Payment",
      nodes: [
        {
          id: "ask",
          type: "approval",
          approval: {
            title: "Pay the invoice?",
            show: { amount: 1200, to: "Example Ltd" },
            approvers: ["role:approver"],
            ...approval,
          },
        },
        { id: "again", type: "transform", value: { again: true } },
      ],
      edges: [{ from: "ask", to: "again", port: "changes" }],
    },
    { key: true },
  );
  return started(envelope.data.workflow.id);
}

async function started(workflowId: string): Promise<{ readonly id: string; readonly runId: string }> {
  const { envelope } = await web.service.call("run_workflow", { id: workflowId }, { key: true });
  const { run } = envelope.data;
  const [asked] = run.approvals ?? [];
  assert.ok(asked);
  return { id: asked.id, runId: run.id };
}

/** Axe in both themes and both widths, and nothing wider than the page. */
async function looked(page: Page, what: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 900 });
    if (width > 360) found.push(...(await violations(page, what)));
    else
      found.push(
        ...(await runAxe(page)).map(({ id, where }) => `${what} ${width} ${id}: ${where.join(" | ")}`),
      );
    const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
    if (wide > width) found.push(`${what}: ${wide} wide at ${width}`);
    for (const theme of PICTURES === "" ? [] : (["light", "dark"] as const)) {
      await setTheme(page, theme);
      const name = `${what.replaceAll(" ", "-")}-${width}-${theme}`;
      await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true });
    }
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  return found;
}

/** Chooses from the search that a button opens. */
async function chosen(page: Page, button: string, typed: string, option: RegExp): Promise<void> {
  await page.getByRole("button", { name: button }).click();
  await page.getByRole("combobox", { name: "Who may decide" }).fill(typed);
  await page.getByRole("option", { name: option }).click();
}

describe("an approval that needs a passkey", () => {
  it("is signed in the browser, and the exported record proves it offline", async () => {
    const broken: string[] = [];
    const { page, device } = ada;
    const { id, runId } = await asked({ stepUp: true });
    await page.goto(`/approvals?id=${id}`);
    await page.getByText("This decision needs your passkey.").waitFor();
    await page.getByText("needs your passkey", { exact: false }).first().waitFor();
    broken.push(...(await looked(page, "passkey needed")));
    await device.verifies(false);
    await page.getByRole("button", { name: "Approve with passkey" }).click();
    await page.getByRole("alert").filter({ hasText: "No passkey was given" }).waitFor();
    broken.push(...(await looked(page, "passkey refused")));
    await device.verifies(true);
    await page.getByRole("button", { name: "Approve with passkey" }).click();
    await page.getByText("Approved. The run goes on.").waitFor();
    await page.goto(`/approvals?id=${id}`);
    await page.getByText("Ada approved with a passkey").waitFor();
    broken.push(...(await looked(page, "passkey given")));

    const found = await web.service.call("lookup_svc_provenance", { runId }, { key: true });
    const record = found.envelope.data.records.find(({ kind }) => kind === "approval");
    const answer = await web.service.call(
      "verify_svc_provenance",
      { recordId: record?.recordId },
      { key: true },
    );
    const { verified, verdicts, proof } = answer.envelope.data;
    assert.deepEqual([verified, verdicts.assertion?.verdict], [true, "pass"]);
    assert.ok(proof !== null);
    const folder = await mkdtemp(join(tmpdir(), "step-up-"));
    try {
      const file = join(folder, "proof.json");
      await writeFile(file, JSON.stringify(proof));
      const run = promisify(execFile);
      const { stdout } = await run(process.execPath, [SUITECTL, "provenance", "verify", file, "--json"]);
      assert.match(stdout, /Signed with a passkey by person_/);
    } finally {
      await rm(folder, { recursive: true });
    }

    await page.goto("/receipt");
    await page.getByText("Anybody can check a receipt").waitFor();
    await ada.context.setOffline(true);
    const choose = (text: string) =>
      page
        .getByLabel("Choose a receipt or proof file")
        .setInputFiles({ name: "proof.json", mimeType: "application/json", buffer: Buffer.from(text) });
    await choose(JSON.stringify(proof));
    await page.getByText("The record in this proof is unchanged").waitFor();
    await page.getByText("Passkey: valid.").waitFor();
    broken.push(...(await looked(page, "passkey proof")));
    const body = JSON.parse(proof.record.body);
    const { signature } = body.predicate.votes[0].assertion;
    const forged = signature.replace(
      /^(.{40})(.)/,
      (_: string, head: string, letter: string) => head + (letter === "A" ? "B" : "A"),
    );
    const changed = proof.record.body.replace(signature, forged);
    assert.notEqual(changed, proof.record.body);
    await choose(JSON.stringify({ ...proof, record: { ...proof.record, body: changed } }));
    await page.getByText("Passkey: invalid.").waitFor();
    await ada.context.setOffline(false);
    assert.deepEqual([...broken, ...ada.faults], []);
  });

  it("is the one that a link names, or none: a guest is asked to sign in, and no other one takes its place", async () => {
    const { id } = await asked({});
    const guest = await openPage(web.browser, { baseUrl });
    await guest.page.goto(`/approvals?id=${id}`);
    await guest.page.getByText("Sign in to see this approval").waitFor();
    await guest.page.goto("/approvals");
    await guest.page.getByText("Sign in to see your approvals").waitFor();
    await guest.close();
    await bob.page.goto("/approvals?id=approval_01m7s203125c07h3j5d4haar2p");
    await bob.page.getByText("This approval is not shown to you").waitFor();
    assert.equal(await bob.page.getByRole("button", { name: /Approve/ }).count(), 0);
  });

  it("sends a person without a passkey to the account page", async () => {
    const { id } = await asked({ stepUp: true });
    await bob.page.goto(`/approvals?id=${id}`);
    await bob.page.getByText("you have none yet").waitFor();
    assert.equal(await bob.page.getByRole("button", { name: /Approve/ }).count(), 0);
    const broken = await looked(bob.page, "no passkey yet");
    await bob.page.getByRole("link", { name: "Add one to your account" }).click();
    await bob.page.getByText("No passkeys yet.").waitFor();
    assert.deepEqual([...broken, ...bob.faults], []);
  });
});

describe("what people do with an approval together", () => {
  it("claim, release, delegate, take back, comment, request changes, and what differs", async () => {
    const broken: string[] = [];
    const first = await asked({ dueInMs: 3_600_000, expiresInMs: 7_200_000 });
    await ada.page.goto(`/approvals?id=${first.id}&inbox=groups`);
    await ada.page.getByRole("button", { name: "Claim" }).click();
    await ada.page.getByText("Ada has claimed it.").waitFor();
    await bob.page.goto(`/approvals?id=${first.id}`);
    await bob.page.getByText("Ada has claimed this approval.").waitFor();
    broken.push(...(await looked(ada.page, "claimed")), ...(await looked(bob.page, "claimed by another")));
    await ada.page.getByRole("button", { name: "Release" }).click();
    await ada.page.getByRole("button", { name: "Claim" }).waitFor();
    await ada.page.getByLabel("New comment").fill("Is the amount right?");
    await ada.page.getByRole("button", { name: "Comment", exact: true }).click();
    await ada.page.getByText("Is the amount right?").waitFor();
    await ada.page.getByText("Let another person decide").click();
    await ada.page.getByRole("button", { name: "Delegate" }).click();
    await ada.page.getByText("Choose the person who decides in your place.").waitFor();
    await chosen(ada.page, "Choose a person", "nobody@example.com", /nobody@example\.com/);
    await ada.page.getByRole("button", { name: "Delegate" }).click();
    await ada.page.getByText("There is no such person", { exact: false }).waitFor();
    await ada.page.getByText("Request changes", { exact: true }).first().click();
    broken.push(...(await looked(ada.page, "comment and delegate")));
    await ada.page.getByRole("button", { name: "Remove nobody@example.com" }).click();
    await chosen(ada.page, "Choose a person", "bo", /^Bob/);
    await ada.page.getByRole("button", { name: "Delegate" }).click();
    await ada.page.getByText("Bob decides in place of Ada.").waitFor();
    broken.push(...(await looked(ada.page, "delegated")));
    await ada.page.getByRole("button", { name: "Decide yourself again" }).click();
    await ada.page.getByRole("button", { name: "Approve", exact: true }).click();
    await ada.page.getByText("Approved. The run goes on.").waitFor();
    assert.match(ada.page.url(), /inbox=groups/);

    // The same step again: the page says what differs from what was approved.
    const { envelope } = await web.service.call("get_workflow_run", { id: first.runId }, { key: true });
    const { workflowId } = envelope.data.run;
    assert.ok(workflowId !== null);
    const again = await started(workflowId);
    await bob.page.goto(`/approvals?id=${again.id}`);
    await bob.page.getByText("The same as what was approved", { exact: false }).waitFor();
    await bob.page.getByText("Request changes", { exact: true }).first().click();
    await bob.page.getByLabel("What should change").fill("Pay half of it.");
    broken.push(...(await looked(bob.page, "request changes")));
    await bob.page.getByRole("button", { name: "Request changes" }).click();
    await bob.page.getByText("Changes requested.", { exact: false }).waitFor();
    assert.deepEqual([...broken, ...ada.faults, ...bob.faults], []);
  });

  it("an admin reassigns it to people, groups and roles; of several who must approve each is named", async () => {
    const broken: string[] = [];
    const opened = await openPage(web.browser, { baseUrl });
    const cleo = { ...opened, device: await addDevice(opened.page) };
    await joined(cleo.page, "cleo@example.com", "Cleo", "admin");
    await fetch(`${web.service.url}/api/svc/groups`, {
      method: "POST",
      headers: { authorization: `Bearer ${web.service.key}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "Finance" }),
    });
    const { id } = await asked({ required: 2, approvers: ["person:gone@example.com", "role:approver"] });
    await cleo.page.goto(`/approvals?id=${id}`);
    await cleo.page.getByText("0 of 2 approvals. One rejection rejects.").waitFor();
    await cleo.page.getByText("Reassign", { exact: true }).first().click();
    await cleo.page.getByLabel("Reason").fill("Gone has left.");
    await cleo.page.getByRole("button", { name: "Reassign" }).click();
    await cleo.page.getByText("Name at least one person, group or role.").waitFor();
    await cleo.page.getByRole("button", { name: "Name people, groups or roles" }).click();
    await cleo.page.getByRole("option", { name: /^Finance/ }).waitFor();
    assert.equal(await cleo.page.getByRole("option", { name: /Key / }).count(), 0, "workflows name keys");
    broken.push(...(await looked(cleo.page, "reassign search")));
    await cleo.page.getByRole("option", { name: /^Ada/ }).click();
    await chosen(cleo.page, "Add", "finance", /^Finance/);
    await chosen(cleo.page, "Add", "approver", /^Every approver/);
    broken.push(...(await looked(cleo.page, "reassign")));
    await cleo.page.getByRole("button", { name: "Reassign" }).click();
    await cleo.page.getByText("Every member of the group Finance", { exact: false }).waitFor();
    const { store } = web.service.app.services;
    assert.deepEqual((await store.read.approvals.get(id))?.approvers, [
      "person:ada@example.com",
      "group:Finance",
      "role:approver",
    ]);
    await ada.page.goto(`/approvals?id=${id}`);
    await ada.page.getByRole("button", { name: "Approve", exact: true }).click();
    await bob.page.goto(`/approvals?id=${id}`);
    await bob.page.getByText("1 of 2 approvals. One rejection rejects.").waitFor();
    await bob.page.getByText("Ada approved", { exact: false }).first().waitFor();
    broken.push(...(await looked(bob.page, "one of two")));
    await bob.page.getByRole("button", { name: "Approve", exact: true }).click();
    await bob.page.getByText("Approved. The run goes on.").waitFor();
    await bob.page.goto(`/approvals?id=${id}`);
    await bob.page.getByText("2 of 2 approvals", { exact: false }).waitFor();
    broken.push(...(await looked(bob.page, "two of two")));
    assert.deepEqual([...broken, ...cleo.faults, ...ada.faults, ...bob.faults], []);
  });
});
