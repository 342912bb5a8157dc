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

describe("details of forms", () => {
  it("a choice of hundreds is searched by typing and operated by keys", async () => {
    const kinds = Array.from({ length: 300 }, (_, n) => ({
      title: `Block ${n}`,
      type: "object",
      required: ["kind"],
      properties: { kind: { const: `b${n}` }, size: { type: "integer" } },
    }));
    await form.show({ type: "object", properties: { block: { title: "Block", oneOf: kinds } } });
    const chooser = page.getByRole("button", { name: "Kind of Block: Not set" });
    await chooser.focus();
    await page.keyboard.press("Enter");
    const search = page.getByRole("combobox", { name: "Search Kind of Block" });
    await search.waitFor();
    await page.keyboard.type("block 29");
    await page.keyboard.press("ArrowDown");
    assert.deepEqual(await runAxe(page, "[role=dialog]"), []);
    await page.keyboard.press("Enter");
    await form.becomes({ block: { kind: "b290" } });
    await page.getByRole("textbox", { name: "Size" }).fill("4");
    await form.becomes({ block: { kind: "b290", size: 4 } });
    assert.deepEqual(await runAxe(page, "form"), []);
  });

  it("a required choice shows its input at once, and typing makes the choice", async () => {
    await form.show({
      type: "object",
      required: ["contact", "amount"],
      properties: {
        amount: { title: "Amount", oneOf: [{ type: "integer" }, { type: "string", pattern: "%$" }] },
        contact: {
          title: "Contact",
          oneOf: ["mail", "phone"].map((kind) => ({
            title: kind,
            type: "object",
            required: ["kind", "address"],
            properties: { kind: { const: kind }, address: { type: "string" } },
          })),
        },
      },
    });
    assert.deepEqual(await form.value(), {});
    const mail = page.getByRole("radio", { name: "mail" });
    assert.equal(await mail.isChecked(), false, "what is not chosen is not shown as chosen");
    const constant = page.locator('[data-pointer="/contact/kind"]');
    assert.equal(await constant.count(), 0, "nor is its constant");
    await page.getByRole("button", { name: "Check it" }).click();
    await page.getByText("“Contact” is required.").nth(1).waitFor();
    assert.equal(
      await page.getByText("“Contact” is required.").count(),
      2,
      "in the summary and at the field",
    );
    await mail.click();
    await form.becomes({ contact: { kind: "mail" } });
    assert.match(await constant.innerText(), /mail/);
    await page.getByRole("button", { name: "Undo" }).click();
    await form.becomes({});
    await page.getByRole("textbox", { name: "Address" }).fill("a@b.example");
    await form.becomes({ contact: { kind: "mail", address: "a@b.example" } });
    assert.equal(await mail.isChecked(), true);
    await page.locator('input[id$="/amount"]').fill("7");
    await form.becomes({ contact: { kind: "mail", address: "a@b.example" }, amount: 7 });
  });

  it("shows no alternative of the whole value as chosen before its constant is there", async () => {
    await form.show({
      title: "Payment",
      oneOf: ["card", "bank"].map((kind) => ({
        title: kind,
        type: "object",
        required: ["kind", "number"],
        properties: { kind: { const: kind }, number: { type: "string" } },
      })),
    });
    const card = page.getByRole("radio", { name: "card" });
    const constant = page.locator('[data-pointer="/kind"]');
    assert.deepEqual(await form.value(), {});
    assert.equal(await card.isChecked(), false);
    assert.equal(await constant.count(), 0);
    await page.getByRole("textbox", { name: "Number" }).fill("1234");
    await form.becomes({ kind: "card", number: "1234" });
    assert.equal(await card.isChecked(), true);
    assert.match(await constant.innerText(), /card/);
    await page.getByRole("radio", { name: "bank" }).click();
    await form.becomes({ kind: "bank", number: "1234" });
  });

  it("the help of an alternative is shown once", async () => {
    // Enough fields that the second use refers to the first.
    const names = Array.from({ length: 14 }, (_, n) => [`f${n}`, { type: "string" }]);
    const job = { type: "object", description: "What a job is.", properties: Object.fromEntries(names) };
    await form.show({
      type: "object",
      required: ["b"],
      properties: {
        a: { $ref: "#/$defs/job", description: "Another job." },
        b: { oneOf: [{ $ref: "#/$defs/job" }, { type: "string" }] },
      },
      $defs: { job },
    });
    assert.equal(await page.locator("form").getByText("What a job is.").count(), 1);
  });

  it("nothing is added twice, and what is required is not called optional", async () => {
    const node = { type: "object", required: ["next"], properties: { next: { $ref: "#/$defs/node" } } };
    await form.show({
      type: "object",
      required: ["body"],
      $defs: { body: { type: "object", properties: { text: { type: "string" } } }, node },
      properties: {
        addLabels: { type: "object", properties: { a: { type: "string" } } },
        body: { $ref: "#/$defs/body" },
        copy: { $ref: "#/$defs/body" },
        urls: { type: "array", items: { title: "URL", type: "string" }, default: ["https://example.com"] },
      },
    });
    await page.getByRole("button", { name: "Add labels optional" }).waitFor();
    assert.equal(await page.getByRole("button", { name: /Add Add/ }).count(), 0);
    assert.equal(await page.getByRole("button", { name: /Add Body/ }).count(), 0);
    await page.getByRole("textbox", { name: "Text" }).fill("hello");
    await form.becomes({ body: { text: "hello" } });
    await page.getByRole("button", { name: /^Add URLs/ }).click();
    await page.getByRole("button", { name: "Add URL", exact: true }).waitFor();
  });

  it("defaults are shown and not written until they are touched", async () => {
    await form.show({
      type: "object",
      properties: {
        retries: { type: "integer", default: 3 },
        notify: { type: "boolean", default: true },
        mode: { enum: ["a", "b", "c", "d", "e"], default: "c" },
        size: { type: "integer", default: "large" },
      },
    });
    assert.deepEqual(await form.value(), {});
    await page.getByText("The default large is invalid and is not used").waitFor();
    assert.equal(await page.getByRole("textbox", { name: "Size" }).getAttribute("placeholder"), null);
    assert.equal(
      await page.getByRole("textbox", { name: "Retries" }).getAttribute("placeholder"),
      "3 (default)",
    );
    await page.getByRole("radio", { name: "Default (Yes)" }).waitFor();
    await page.getByRole("combobox", { name: "Mode" }).selectOption("c");
    await form.becomes({ mode: "c" });
  });

  it("Markdown of a description is drawn as elements, and hostile links stay text", async () => {
    await form.show({
      type: "object",
      properties: {
        text: {
          type: "string",
          description:
            "Takes **bold** and `code`:\n\n- first\n- [second](https://example.com/x)\n- [evil](javascript:alert(1))",
        },
      },
    });
    const field = page.locator('[data-pointer="/text"]');
    assert.equal(await field.locator("strong").textContent(), "bold");
    assert.equal(await field.locator("code").first().textContent(), "code");
    assert.equal(await field.locator("li").count(), 3);
    const links = field.locator("a");
    assert.equal(await links.count(), 1);
    assert.equal(await links.getAttribute("href"), "https://example.com/x");
    assert.match((await links.getAttribute("rel")) ?? "", /noopener/);
    await field.getByText("[evil](javascript:alert(1))").waitFor();
    assert.deepEqual(await runAxe(page, "form"), []);
    assert.deepEqual(watched.faults, []);
  });

  it("a count that was stopped says so", async () => {
    const names = Array.from({ length: 80 }, (_, n) => `f${n}`);
    await form.show({
      type: "object",
      required: names,
      properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
    });
    await page.getByRole("button", { name: "Check it" }).click();
    await page.getByRole("alert").getByText("60+ problems").waitFor();
    await page.getByRole("alert").getByText("and more").waitFor();
  });
});
