import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { enterKey, giveKey, moveTo, traces } from "./support.ts";
import { startWeb } from "./setup.ts";

/* What was kept opens again where it came from, with its values: a pasted schema, an operation, a connection's call. */

const web = startWeb();

const SCHEMA = {
  title: "Guest",
  type: "object",
  properties: {
    name: { type: "string", title: "Name" },
    seats: { type: "integer", title: "Seats" },
    pin: { type: "string", title: "Pin", format: "password" },
  },
};
const API = {
  openapi: "3.1.0",
  info: { title: "Rooms", version: "1" },
  paths: {
    "/rooms": { get: { summary: "List rooms", responses: {} } },
    "/rooms/{id}": {
      put: {
        summary: "Rename a room",
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
        responses: {},
      },
    },
  },
};

async function paste(page: Page, document: unknown): Promise<void> {
  const text = JSON.stringify(document, null, 2);
  await page.getByLabel("Choose a file", { exact: true }).setInputFiles({
    name: "source.json",
    mimeType: "application/json",
    buffer: Buffer.from(text),
  });
}

/** Keeps the form that is shown, and opens the newest draft from the list of artifacts. */
async function keepAndOpen(page: Page, title: string): Promise<void> {
  await page.getByRole("button", { name: "Keep", exact: true }).click();
  await page.getByText("Kept as a draft on this device").first().waitFor();
  await moveTo(page, "/artifacts");
  await page.getByRole("link", { name: new RegExp(title) }).click();
  await page.getByRole("heading", { level: 1, name: title }).waitFor();
}

describe("a kept form", () => {
  it("opens with its schema and values after a reload, from this device and from the server", async () => {
    const { page, faults, close } = await web.open();
    await page.goto("/connections?add=open");
    await paste(page, SCHEMA);
    await page.getByRole("textbox", { name: "Name" }).fill("Ada");
    await page.getByRole("textbox", { name: "Seats" }).fill("3");
    await page.getByLabel("Pin", { exact: true }).fill("secret-pin-81");
    await keepAndOpen(page, "Guest");
    await page.reload();
    await page.getByRole("link", { name: "Open its form" }).click();
    const [name, seats] = [
      page.getByRole("textbox", { name: "Name" }),
      page.getByRole("textbox", { name: "Seats" }),
    ];
    await name.waitFor();
    assert.deepEqual([await name.inputValue(), await seats.inputValue()], ["Ada", "3"]);
    assert.equal(await page.getByLabel("Pin", { exact: true }).inputValue(), "");
    assert.doesNotMatch(await traces(page), /secret-pin-81/);

    await page.goBack();
    await page.getByRole("button", { name: "Save on the server" }).click();
    await giveKey(page, web.service.key);
    await page.waitForURL("**/artifacts/artifact_*");
    await page.getByRole("link", { name: "Open its form" }).click();
    await name.waitFor();
    assert.equal(await name.inputValue(), "Ada");
    await close();
    assert.deepEqual(faults, []);
  });

  it("opens with its hints and the documents that it refers to", async () => {
    const { page, faults, close } = await web.open();
    const choose = (label: string, name: string, document: unknown) =>
      page.getByLabel(label).setInputFiles({
        name,
        mimeType: "application/json",
        buffer: Buffer.from(JSON.stringify(document)),
      });
    await page.goto("/connections?add=open");
    await paste(page, {
      title: "Seat",
      type: "object",
      properties: { name: { type: "string" }, home: { $ref: "types.json#/$defs/home" } },
    });
    await choose("Choose a file with hints", "ui.json", { name: { "ui:title": "Name on the ticket" } });
    await choose("Choose documents", "types.json", {
      $defs: { home: { type: "string", description: "Where the post goes" } },
    });
    const [name, town] = [
      page.getByRole("textbox", { name: "Name on the ticket" }),
      page.getByText("Where the post goes"),
    ];
    await town.waitFor();
    await name.fill("Ada");
    await keepAndOpen(page, "Seat");
    await page.reload();
    await page.getByRole("link", { name: "Open its form" }).click();
    await name.waitFor();
    assert.equal(await name.inputValue(), "Ada");
    await town.waitFor();
    assert.match(await page.getByRole("textbox", { name: "Hints" }).innerText(), /Name on the ticket/);

    await page.goBack();
    await page.getByRole("button", { name: "Save on the server" }).click();
    await giveKey(page, web.service.key);
    await page.waitForURL("**/artifacts/artifact_*");
    await page.getByRole("link", { name: "Open its form" }).click();
    await name.waitFor();
    await town.waitFor();
    await close();
    assert.deepEqual(faults, []);
  });

  it("of an operation opens at that operation, pasted or read from an address", async () => {
    const { page, close } = await web.open();
    await page.goto("/connections?add=open");
    await paste(page, API);
    await page.getByRole("button", { name: /Rename a room/ }).click();
    await page.getByRole("textbox", { name: /^id/i }).fill("room-7");
    await keepAndOpen(page, "Rename a room");
    await page.reload();
    await page.getByRole("link", { name: "Open its form" }).click();
    const id = page.getByRole("textbox", { name: /^id/i });
    await id.waitFor();
    assert.equal(await id.inputValue(), "room-7");

    await moveTo(page, "/connections?add=open&kind=url");
    await page.getByRole("button", { name: "List its operations" }).click();
    await page.getByLabel("Search operations").fill("workflows");
    await page.getByRole("button", { name: /workflows\/\S*export$/ }).click();
    const workflow = page.getByRole("textbox", { name: /^id/i });
    await workflow.fill("workflow_kept");
    const title = await page.getByRole("heading", { level: 3 }).first().innerText();
    await keepAndOpen(page, title);
    await page.reload();
    await page.getByRole("link", { name: "Open its form" }).click();
    await workflow.waitFor();
    assert.equal(await workflow.inputValue(), "workflow_kept");
    await close();
  });

  it("of a connection's call opens at the connection", async () => {
    const added = await web.service.fetch("/api/svc/connections", {
      method: "POST",
      headers: { authorization: `Bearer ${web.service.key}`, "content-type": "application/json" },
      body: JSON.stringify({
        name: "rooms",
        kind: "openapi",
        document: JSON.stringify(API),
        baseUrl: "https://rooms.example",
      }),
    });
    assert.equal(added.status, 201, await added.text());
    const { page, close } = await web.open();
    await page.goto("/");
    await enterKey(page, web.service.key);
    await moveTo(page, "/connections/rooms");
    await page.getByRole("button", { name: /Rename a room/ }).click();
    const id = page.getByRole("textbox", { name: /^id/i });
    await id.fill("room-9");
    await page.getByRole("button", { name: "Save call" }).click();
    await page.getByText("Call saved on this device").waitFor();
    await id.fill("another");
    await moveTo(page, "/artifacts");
    await page.getByRole("link", { name: /Rename a room/ }).click();
    await page.getByRole("link", { name: "Open its form" }).click();
    await page.waitForURL(/\/connections\/rooms\?pick=/);
    await id.waitFor();
    await page.waitForFunction("document.querySelector('main form input')?.value === 'room-9'");
    await close();
  });

  it("of an artifact is edited by its kind: text as text, other content as a form, with its versions", async () => {
    const saved = await web.service.call(
      "save_artifact",
      { artifact: { title: "Score", type: "report", content: { findings: 3, open: true, tags: ["a"] } } },
      { key: true },
    );
    const { page, faults, close } = await web.open();
    await page.goto("/");
    await enterKey(page, web.service.key);
    await moveTo(page, `/artifacts/${saved.envelope.data.artifact.id}`);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    const findings = page.getByRole("textbox", { name: "Findings" });
    await findings.fill("4");
    await page.getByLabel("Who may read it").selectOption("confidential");
    await page.getByRole("button", { name: "Keep", exact: true }).click();
    await page.getByText("Draft kept on this device").waitFor();
    assert.equal(await findings.inputValue(), "4");
    await page.getByRole("button", { name: "Restore this version" }).click();
    await page.waitForFunction(
      "document.querySelector('main form input[type=text], main form input')?.value === '3'",
    );
    await findings.fill("5");
    await page.getByRole("button", { name: "Save as a new version" }).click();
    await page.getByText(/^version 2, saved/).waitFor();
    const { envelope } = await web.service.call(
      "get_artifact",
      { id: saved.envelope.data.artifact.id },
      { key: true },
    );
    assert.deepEqual(envelope.data.artifact.content, { findings: 5, open: true, tags: ["a"] });
    assert.equal(envelope.data.artifact.privacy, "confidential");
    await close();
    assert.deepEqual(faults, []);
  });

  it("of a list, or of members that a program saved, is shown and keeps its shape when it is edited", async () => {
    const kept = async (artifact: object): Promise<string> =>
      (await web.service.call("save_artifact", { artifact }, { key: true })).envelope.data.artifact.id;
    const list = await kept({ title: "Orders", type: "list", content: [{ item: "tea", amount: 2 }] });
    const spread = await kept({ title: "From a program", type: "report", body: "It went well.", score: 3 });
    const { page, faults, close } = await web.open();
    await page.goto("/");
    await enterKey(page, web.service.key);
    const edit = async (id: string, shown: string, field: string, value: string) => {
      await moveTo(page, `/artifacts/${id}`);
      await page.getByRole("main").getByText(shown).first().waitFor();
      await page.getByRole("button", { name: "Edit", exact: true }).click();
      await page.getByRole("textbox", { name: field }).fill(value);
      await page.getByRole("button", { name: "Save as a new version" }).click();
      await page.getByText(/^version 2, saved/).waitFor();
      return (await web.service.call("get_artifact", { id }, { key: true })).envelope.data.artifact;
    };
    const orders = await edit(list, "tea", "Item", "bread");
    assert.deepEqual(orders.content, [{ item: "bread", amount: 2 }]);
    const report = await edit(spread, "It went well.", "Body", "It went badly.");
    assert.equal(report.body, "It went badly.");
    assert.equal(report.score, 3);
    assert.equal("content" in report, false);
    await close();
    assert.deepEqual(faults, []);
  });

  it("of an artifact can become null, and earlier versions that cannot be read are said to be there", async () => {
    const artifact = { title: "Empty", type: "report", content: {} };
    const { envelope } = await web.service.call("save_artifact", { artifact }, { key: true });
    const { id } = envelope.data.artifact;
    const { page, close } = await web.open();
    await page.goto("/");
    await enterKey(page, web.service.key);
    await page.route("**/api/mcp", (route) =>
      route.request().postData()?.includes('"svc/version"') === true ? route.abort() : route.fallback(),
    );
    await moveTo(page, `/artifacts/${id}`);
    await page.getByText("This is the only version.").waitFor();
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("textbox", { name: "Content as JSON" }).fill("null");
    await page.getByRole("button", { name: "Save as a new version" }).click();
    await page.getByText(/^version 2, saved/).waitFor();
    await page.getByRole("button", { name: "Try again" }).waitFor();
    assert.equal(await page.getByText("This is the only version.").count(), 0);
    await close();
    const saved = await web.service.call("get_artifact", { id }, { key: true });
    assert.equal(saved.envelope.data.artifact.content, null);
  });
});
