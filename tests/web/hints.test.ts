import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { runAxe, type WatchedPage } from "../support/browser.ts";
import { formPage, type FormPage } from "./form-page.ts";
import { startWeb } from "./setup.ts";

let watched: WatchedPage;
let page: Page;
let form: FormPage;

const web = startWeb(async () => {
  watched = await web.open({ width: 1400 });
  ({ page } = watched);
  await page.goto("/connections?add=open");
  form = formPage(page);
});

const ORDER = {
  type: "object",
  required: ["name"],
  properties: {
    note: { type: "string" },
    name: { type: "string", minLength: 2 },
    kind: { enum: ["private", "company"] },
    vat: { type: "string" },
    size: { enum: ["small", "medium", "large", "very large", "enormous"] },
  },
};

const FIELDS = "form [data-pointer]:not([data-pointer=''])";

async function pointers(): Promise<readonly string[]> {
  const fields = await page.locator(FIELDS).all();
  return Promise.all(fields.map(async (field) => (await field.getAttribute("data-pointer")) ?? ""));
}

async function across(name: string): Promise<number> {
  return (await page.getByRole("textbox", { name }).boundingBox())?.x ?? Number.NaN;
}

describe("hints", () => {
  it("x-ui orders, groups, places side by side, hides and shows", async () => {
    const { name, kind, vat, ...rest } = ORDER.properties;
    await form.show({
      ...ORDER,
      "x-ui": {
        sections: [
          { title: "Who", fields: ["name", "kind"], columns: 2 },
          { title: "Company", fields: ["vat"], visible: { field: "kind", is: "company" } },
          { title: "Later", fields: ["note"], collapsed: true },
        ],
      },
      properties: {
        ...rest,
        name: { ...name, "x-ui": { title: "Full name", placeholder: "Ada Lovelace" } },
        kind: { ...kind, "x-ui": { widget: "select" } },
        vat: { ...vat, "x-ui": { enabled: { field: "/name", present: true } } },
        size: { ...rest.size, "x-ui": { widget: "radio", labels: { small: "S" } } },
      },
    });
    const full = page.getByRole("textbox", { name: "Full name" });
    assert.equal(await full.getAttribute("placeholder"), "Ada Lovelace");
    assert.deepEqual(await pointers(), ["/name", "/kind", "/note", "/size"]);
    await page.getByRole("radio", { name: "S", exact: true }).waitFor();
    const select = page.getByRole("combobox", { name: "Kind" });
    const [left, right] = [await full.boundingBox(), await select.boundingBox()];
    assert.ok(
      left && right && right.x > left.x + left.width && Math.abs(right.y - left.y) < 40,
      "side by side",
    );
    await select.selectOption("company");
    const tax = page.getByRole("group", { name: "Company" }).getByRole("textbox", { name: "Vat" });
    await tax.waitFor();
    assert.equal(await tax.isDisabled(), true);
    await full.fill("Ada");
    await page.locator("fieldset[disabled]").waitFor({ state: "detached" });
    await tax.fill("DE1");
    await form.becomes({ name: "Ada", kind: "company", vat: "DE1" });
    // A value whose field is hidden is shown with the reason, so that nothing is sent unseen.
    await select.selectOption("private");
    await page.getByText("Vat has a value but applies only when `kind` is company.").waitFor();
    assert.equal(await page.getByRole("group", { name: "Company" }).count(), 0);
    await page.getByRole("button", { name: "Remove it" }).click();
    await form.becomes({ name: "Ada", kind: "private" });
    assert.deepEqual(await runAxe(page, "form"), []);
    const later = page.locator("details", { hasText: "Later" });
    assert.equal(await later.evaluate((element) => element.hasAttribute("open")), false);
    await later.locator("summary").click();
    await page.getByRole("textbox", { name: "Note" }).fill("x");
    await form.becomes({ name: "Ada", kind: "private", note: "x" });
  });

  it("a slider, a switch, suggestions, a search and lists that keep their items", async () => {
    const ui = (schema: object, hints: object) => ({ ...schema, "x-ui": hints });
    await form.show({
      type: "object",
      properties: {
        level: ui({ type: "integer", minimum: 1, maximum: 9 }, { widget: "slider", options: { step: 2 } }),
        on: ui({ type: "boolean" }, { widget: "toggle" }),
        city: ui(
          { type: "string", maxLength: 4 },
          { suggestions: ["Oslo", "Rome"], options: { restrict: true, autocomplete: "address-level2" } },
        ),
        size: ui({ enum: ["small", "large"] }, { widget: "search", options: { label: false } }),
        guests: ui(
          {
            type: "array",
            items: { type: "object", properties: { a: { type: "string" }, b: { enum: ["one", "two"] } } },
          },
          { options: { orderable: false, removable: false, itemLabel: "/b" } },
        ),
      },
    });
    const level = page.getByRole("slider", { name: "Level" });
    await page.getByRole("status").getByText("Not set").waitFor();
    await level.press("ArrowRight");
    await page.getByRole("status").getByText("3").waitFor();
    await page.getByRole("switch", { name: "On" }).click();
    const city = page.getByRole("combobox", { name: "City" });
    assert.equal(await city.getAttribute("autocomplete"), "address-level2");
    assert.equal(await page.locator("datalist option").count(), 2);
    await city.pressSequentially("Osloo");
    await page.getByRole("button", { name: "Size" }).click();
    await page.getByRole("option", { name: "large" }).click();
    await page.getByRole("button", { name: "Add Guests" }).click();
    await page.getByRole("button", { name: "Add guest", exact: true }).click();
    await page.getByRole("textbox", { name: "A", exact: true }).fill("x");
    await page.getByRole("radio", { name: "two" }).click();
    await form.becomes({ level: 3, on: true, city: "Oslo", size: "large", guests: [{ a: "x", b: "two" }] });
    assert.equal(await page.getByRole("button", { name: /^(Move|Remove) guest 1/i }).count(), 0);
    assert.deepEqual(await runAxe(page, "form"), []);
  });

  it("columns become one below the other where it is narrow", async () => {
    await form.show({
      type: "object",
      "x-ui": { columns: 2 },
      properties: { left: { type: "string" }, right: { type: "string" } },
    });
    assert.notEqual(await across("Left"), await across("Right"));
    await page.setViewportSize({ width: 360, height: 800 });
    assert.equal(await across("Left"), await across("Right"));
    await page.setViewportSize({ width: 1400, height: 900 });
  });

  it("a problem in what a hint hides or folds is shown and can be fixed", async () => {
    await form.show({
      ...ORDER,
      required: ["name", "note"],
      "x-ui": { sections: [{ title: "Folded", fields: ["note"], collapsed: true }] },
      properties: { ...ORDER.properties, name: { type: "string", "x-ui": { hidden: true } } },
    });
    assert.equal(await page.getByRole("textbox", { name: "Name" }).count(), 0);
    await page.getByRole("button", { name: "Check it" }).click();
    const name = page.getByRole("textbox", { name: "Name" });
    await name.fill("Ada");
    await page.getByRole("alert").getByRole("button", { name: /^Note/ }).click();
    const note = page.getByRole("textbox", { name: "Note" });
    await note.waitFor();
    await note.fill("x");
    await form.becomes({ name: "Ada", note: "x" });
  });

  it("a UI schema of JSON Forms and one of RJSF are pasted beside the schema", async () => {
    await form.show(ORDER);
    const editor = page.getByRole("textbox", { name: "Hints" });
    await page.getByText("How the form should look").click();
    await editor.waitFor();
    const give = async (document: object) => {
      await page.getByLabel("Choose a file with hints").setInputFiles({
        name: "ui.json",
        mimeType: "application/json",
        buffer: Buffer.from(JSON.stringify(document)),
      });
    };
    await give({
      type: "VerticalLayout",
      elements: [
        { type: "Group", label: "Buyer", elements: [{ type: "Control", scope: "#/properties/name" }] },
        { type: "Star" },
      ],
    });
    await page.getByRole("group", { name: "Buyer" }).getByRole("textbox", { name: "Name" }).waitFor();
    await page.getByText("1 hint has a remark").waitFor();
    await give({ "ui:order": ["name", "*"], name: { "ui:title": "Buyer’s name" } });
    await page.getByRole("textbox", { name: "Buyer’s name" }).waitFor();
    assert.equal((await pointers())[0], "/name");
    await give({});
  });

  it("documents that a schema refers to are added from files", async () => {
    await form.show({ type: "object", properties: { home: { $ref: "types.json#/$defs/address" } } });
    await page.getByText("1 part must be written as JSON").waitFor();
    await page.getByLabel("Choose documents").setInputFiles({
      name: "types.json",
      mimeType: "application/json",
      buffer: Buffer.from(
        JSON.stringify({ $defs: { address: { type: "object", properties: { city: { type: "string" } } } } }),
      ),
    });
    await page.getByRole("button", { name: "Add Home" }).click();
    await page.getByRole("textbox", { name: "City" }).fill("Bonn");
    await form.becomes({ home: { city: "Bonn" } });
    assert.deepEqual(watched.faults, []);
  });
});
