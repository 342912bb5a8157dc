import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { addMember, makeOwner, type Member } from "../people/support.ts";
import { enterKey } from "./support.ts";
import { TEST_KEY } from "../support/service.ts";
import { startWeb, signIn, violations } from "./setup.ts";

let owner: Member;

const web = startWeb(async () => {
  owner = await makeOwner(web.service);
});

describe("the audit page", () => {
  it("lists, filters by the address, pages, links to records and exports", async () => {
    for (let nth = 0; nth < 60; nth++) {
      const group = await owner.visitor.ask("POST", "/api/svc/groups", { name: `Group ${nth}` });
      assert.equal(group.status, 201, group.text);
    }
    const editor = await addMember(web.service, owner, "editor");
    const { page } = await web.open();
    await signIn(page, "/audit", owner.email);
    await page.getByRole("heading", { level: 1, name: "Audit" }).waitFor();
    const rows = page.getByRole("main").getByRole("listitem");
    await rows.filter({ hasText: "Olga Owner signed in" }).first().waitFor();
    const broken = [...(await violations(page, "audit"))];

    await page.getByRole("link", { name: "Older" }).click();
    await rows.filter({ hasText: "Olga Owner created the group Group 0" }).first().waitFor();
    assert.match(page.url(), /cursor=/);
    await page.getByRole("link", { name: "Newest" }).click();

    await page.getByLabel("Who").fill(editor.email);
    await page.getByLabel("What").selectOption("session.*");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.waitForURL(/action=session/);
    await rows.filter({ hasText: "A editor signed in" }).waitFor();
    assert.equal(await rows.count(), 1);
    await page.reload();
    await rows.filter({ hasText: "A editor signed in" }).waitFor();
    assert.equal(await page.getByLabel("Who").inputValue(), editor.email);

    const saved = page.waitForEvent("download");
    await page.getByRole("link", { name: "Export as JSON lines" }).click();
    const file = await (await saved).path();
    const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).what),
      ["signed in"],
    );

    await page.getByRole("link", { name: "Record" }).click();
    await page.getByRole("heading", { level: 1, name: "Provenance" }).waitFor();
    await page
      .getByText(/session/i)
      .first()
      .waitFor();

    await page.goto("/audit?until=2001-01-01");
    await page.getByText("Nothing matches these filters").waitFor();
    broken.push(...(await violations(page, "nothing found")));
    await page.getByRole("link", { name: "Show everything" }).click();
    await rows.first().waitFor();
    await page.getByRole("link", { name: "Group 59" }).click();
    await page.getByText("Only what was done to").waitFor();
    assert.equal(await rows.count(), 1);
    assert.deepEqual(broken, []);
  });

  it("fits 360 pixels, and an editor reads why it is not shown", async () => {
    const small = await web.open({ width: 360, height: 740 });
    await signIn(small.page, "/audit", owner.email);
    await small.page.getByRole("main").getByRole("listitem").first().waitFor();
    const width = await small.page.evaluate<number>("document.documentElement.scrollWidth");
    assert.ok(width <= 360, `${width} pixels wide`);
    const { page } = await web.open();
    await signIn(page, "/audit", "editor@example.com");
    await page.getByText("As editor you may not administer this service.").waitFor();
  });

  it("is exported with a key, which a link could not carry", async () => {
    const { page } = await web.open();
    await page.goto("/audit");
    await enterKey(page, TEST_KEY);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export as JSON lines" }).click();
    const saved = await download;
    assert.equal(saved.suggestedFilename(), "audit.jsonl");
    const text = await readFile(await saved.path(), "utf8");
    assert.ok(text.trimEnd().split("\n").length > 60);
  });
});
