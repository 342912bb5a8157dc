import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startWeb } from "./setup.ts";

const web = startWeb();

describe("the documentation at /docs", () => {
  it("is found by a search, opens at its heading, and leads on by its links", async () => {
    const { page, faults, close } = await web.open();
    await page.goto("/docs");
    await page.getByRole("heading", { level: 1, name: "Documentation" }).waitFor();
    await page.getByLabel("Search the documentation").fill("passkey approval");
    const hits = page.getByRole("region", { name: "Found in the documentation" });
    const hit = hits.getByRole("link", { name: /^People: / }).first();
    const name = ((await hit.textContent()) ?? "").replace("People: ", "");
    await hit.click();
    await page.getByRole("heading", { level: 1, name: "People", exact: true }).waitFor();
    await page
      .getByRole("heading", { name, exact: true })
      .and(page.locator(":target, [id]"))
      .first()
      .waitFor();
    assert.match(page.url(), /\/docs\/people#\S+$/);
    await page.getByLabel("Search the documentation").fill("zzzzqqqq");
    await page.getByText("Nothing is found for").waitFor();
    await page.goto("/docs/adding-an-operation");
    await page.getByRole("link", { name: "ADR 0004" }).click();
    await page.getByRole("heading", { level: 1, name: /operation/ }).waitFor();
    assert.match(page.url(), /\/docs\/adr\/0004-/);
    await page.goto("/docs/no-such-page");
    await page.getByText("There is no page at this address").waitFor();
    await close();
    assert.deepEqual(faults, []);
  });
});
