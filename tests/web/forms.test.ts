import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { runAxeInThemes, type WatchedPage } from "../support/browser.ts";
import { CONSTRUCTS } from "../forms/constructs.ts";
import { isObject } from "../../src/kernel/json.ts";
import { moveTo } from "./support.ts";
import { startWeb } from "./setup.ts";

let watched: WatchedPage;
let page: Page;

const web = startWeb(async () => {
  watched = await web.open({ width: 1400 });
  ({ page } = watched);
  await page.goto("/connections?add=open");
});

let shown = 0;

/** Shows a schema as a form, as a link with the schema in it does; the title tells one form from the one before. */
async function show(schema: unknown): Promise<void> {
  const title = `Form ${++shown}`;
  const named =
    typeof schema === "object" && schema !== null ? { ...schema, title } : { title, allOf: [schema] };
  await moveTo(
    page,
    `/connections?add=open#${new URLSearchParams({ schema: JSON.stringify(named) }).toString()}`,
  );
  await page.locator(`form[aria-label="${title}"]`).waitFor();
}

/** Every construct in as few forms as possible: those that are one property share forms. */
function constructForms(): readonly { readonly names: readonly string[]; readonly schema: unknown }[] {
  const own: { names: string[]; schema: unknown }[] = [];
  const shared: (readonly [string, unknown])[] = [];
  for (const { name, schema } of CONSTRUCTS) {
    const { properties, ...rest } = isObject(schema) ? schema : {};
    const item =
      isObject(properties) && Object.keys(properties).length === 1 ? properties["item"] : undefined;
    if (!isObject(item) || Object.keys(rest).join() !== "type") own.push({ names: [name], schema });
    else shared.push([name, { ...item, title: name }]);
  }
  const size = 12;
  return [
    ...own,
    ...Array.from({ length: Math.ceil(shared.length / size) }, (_, n) => {
      const part = shared.slice(n * size, (n + 1) * size);
      const schema = { type: "object", properties: Object.fromEntries(part) };
      return { names: part.map(([name]) => name), schema };
    }),
  ];
}

/** The form's value as the page would send it. */
async function value(): Promise<unknown> {
  const text = await page.getByRole("group", { name: "The value as JSON" }).textContent();
  return JSON.parse(text ?? "");
}

describe("forms", () => {
  it("for every construct break no rule of axe, in light and dark", async () => {
    const broken: string[] = [];
    for (const { names, schema } of constructForms()) {
      await show(schema);
      // What is optional and absent is one line; opened, its fields are checked too.
      const add = page.locator("form").getByRole("button", { name: /^Add /, disabled: false });
      for (let pass = 0; pass < 3; pass++)
        for (let n = (await add.count()) - 1; n >= 0; n--) await add.nth(n).click();
      if (names.length > 1)
        for (const name of names)
          assert.ok((await page.locator("form").getByText(name, { exact: true }).count()) > 0, name);
      for (const line of await runAxeInThemes(page, "form")) broken.push(`${names.join(", ")} ${line}`);
    }
    assert.deepEqual(broken, []);
    assert.deepEqual(watched.faults, []);
  });

  it("are operated by keyboard alone: nested arrays, variants, errors that take the focus", async () => {
    await show({
      title: "Team",
      type: "object",
      required: ["name", "contact"],
      properties: {
        name: { type: "string", minLength: 2 },
        contact: {
          title: "Contact",
          oneOf: [
            {
              title: "Mail",
              type: "object",
              required: ["kind", "address"],
              properties: { kind: { const: "mail" }, address: { type: "string", format: "email" } },
            },
            {
              title: "Phone",
              type: "object",
              required: ["kind", "number"],
              properties: { kind: { const: "phone" }, number: { type: "string" } },
            },
          ],
        },
        groups: {
          type: "array",
          title: "Groups",
          items: {
            type: "object",
            title: "Group",
            properties: {
              label: { type: "string" },
              members: { type: "array", title: "Members", items: { type: "string" } },
            },
          },
        },
      },
    });
    const { keyboard } = page;
    const press = async (key: string, times = 1): Promise<void> => {
      for (let n = 0; n < times; n++) await keyboard.press(key);
    };
    const focused = (): Promise<string> => page.evaluate("document.activeElement?.id ?? ''");
    // Nothing but keys from here on: past the navigation, through the sources and the fields to the button.
    await press("Tab");
    await press("Enter");
    await tabTo(page, /^button Check it$/, 60);
    await press("Enter");
    await page.getByRole("alert").filter({ hasText: "problem" }).waitFor();
    assert.equal(await page.evaluate("document.activeElement?.getAttribute('role')"), "alert");
    await press("Tab");
    await press("Enter");
    assert.match(await until(focused, (id) => id.endsWith("/name")), /\/name$/);
    await keyboard.type("Night shift");
    // A field's menu opens, is walked with the arrows, and gives the focus back on Escape.
    await press("Shift+Tab");
    await until(focusedName, (name) => name === "button Actions for Name");
    await press("Enter");
    await until(focusedName, (name) => name.startsWith("menu"));
    await press("ArrowDown");
    await until(focusedName, (name) => name.startsWith("menuitem "));
    await press("Escape");
    await until(focusedName, (name) => name === "button Actions for Name");
    // The variant: radio buttons take the arrow keys.
    await tabTo(page, /^radio Mail$/);
    await press("ArrowRight");
    assert.ok(await page.getByRole("radio", { name: "Phone" }).isChecked());
    await tabTo(page, /\/contact\/number$/);
    await keyboard.type("112");
    // Arrays in arrays.
    await tabTo(page, /^button Add Groups/);
    await press("Enter");
    await tabTo(page, /^button Add group$/);
    await press("Enter");
    await until(focused, (id) => id.endsWith("/groups/0/label"));
    await keyboard.type("First");
    await tabTo(page, /^button Add Members/);
    await press("Enter");
    await tabTo(page, /^button Add (item|member)$/);
    await press("Enter");
    await until(focused, (id) => id.endsWith("/members/0"));
    await keyboard.type("Ada");
    await tabTo(page, /^button Add (item|member)$/);
    await press("Enter");
    await until(focused, (id) => id.endsWith("/members/1"));
    await keyboard.type("Grace");
    await press("Alt+ArrowUp");
    assert.match(
      (await page.locator("form [aria-live=polite]").textContent()) ?? "",
      /moved to position 1 of 2/,
    );
    await until(focused, (id) => id.endsWith("/members/0"));
    await press("Control+Enter");
    await page.getByText("Valid: every rule of the schema holds").waitFor();
    assert.deepEqual(await value(), {
      name: "Night shift",
      contact: { kind: "phone", number: "112" },
      groups: [{ label: "First", members: ["Grace", "Ada"] }],
    });
    await press("Control+z");
    await until(value, (now) => JSON.stringify(now).includes('["Ada","Grace"]'));
    await press("Control+Shift+z");
    await until(value, (now) => JSON.stringify(now).includes('["Grace","Ada"]'));
  });

  it("keep text that is not JSON yet, big integers exactly, and dates with their zone", async () => {
    await show({
      type: "object",
      properties: {
        big: { type: "integer", title: "Big", minimum: 0, maximum: 1e30 },
        when: { type: "string", format: "date-time", title: "When" },
        free: { title: "Free", type: "object" },
      },
    });
    await page.getByRole("textbox", { name: "Big" }).fill("12345678901234567890");
    await page.getByRole("textbox", { name: "When", exact: true }).fill("2026-11-15T10:30:00");
    await page.getByLabel("When: time zone").selectOption("+05:30");
    await until(
      () => page.getByRole("group", { name: "The value as JSON" }).textContent(),
      (text) => text?.includes("12345678901234567890") === true && text.includes("2026-11-15T10:30:00+05:30"),
    );
    const editor = page.locator("form [data-code-editor] .cm-content").first();
    await editor.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText('{"a": ');
    await page.getByText("The text is kept").waitFor();
    await page.getByRole("radio", { name: "JSON" }).first().click();
    await page.getByRole("radio", { name: "Form" }).first().click();
    await page.getByText("The text is kept").waitFor();
    await page.locator("form [data-code-editor] .cm-content").first().click();
    await page.keyboard.press("Control+End");
    await page.keyboard.insertText("1}");
    await until(value, (now) => JSON.stringify(now).includes('"free":{"a":1}'));
  });

  it("draw an enum of hundreds and a form of hundreds of fields without drawing them all", async () => {
    await show({
      type: "object",
      properties: {
        country: { title: "Country", enum: Array.from({ length: 400 }, (_, n) => `Country number ${n}`) },
      },
    });
    await page
      .getByRole("button", { name: /^Country/ })
      .first()
      .click();
    await page.getByRole("combobox", { name: "Search Country" }).fill("number 399");
    await page.keyboard.press("Enter");
    await until(value, (now) => JSON.stringify(now) === '{"country":"Country number 399"}');
    const properties = Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => [`field${n}`, { type: "string" }]),
    );
    await show({ type: "object", required: ["field199"], properties });
    const drawn = await page.locator("form input").count();
    assert.ok(drawn < 150, `${drawn} fields are drawn`);
    // Drawing the rest moves nothing that stands below, or a press on the button there would be lost.
    const height = "document.querySelector('form').offsetHeight";
    const before = await page.evaluate<number>(height);
    await page.getByRole("button", { name: "Check it" }).scrollIntoViewIfNeeded();
    await until(
      () => page.locator("form input").count(),
      (count) => count > drawn,
    );
    const moved = Math.abs((await page.evaluate<number>(height)) - before);
    assert.ok(moved < 4, `the form is ${moved} pixels higher or lower`);
    // The error of a field that is not drawn yet leads to it.
    await page.getByRole("button", { name: "Check it" }).click();
    await page.getByRole("alert").getByRole("button").first().click();
    await until(
      () => page.evaluate("document.activeElement?.id ?? ''"),
      (id) => String(id).endsWith("/field199"),
    );
  });

  it("go on while a value is checked that takes forever, and say that it is not decided", async () => {
    await show({ type: "object", properties: { word: { type: "string", pattern: "^(a+)+$" } } });
    const check = page.getByRole("button", { name: "Check it" });
    await check.click();
    const valid = page.getByText("Valid: every rule of the schema holds");
    await valid.waitFor();
    await page.getByRole("textbox", { name: "Word" }).fill(`${"a".repeat(40)}!`);
    assert.equal(await valid.count(), 0, "a notice about another value is gone");
    await page.evaluate(() => {
      let last = performance.now();
      Object.assign(globalThis, { longest: 0 });
      setInterval(() => {
        const now = performance.now();
        const longest = Math.max(Number(Reflect.get(globalThis, "longest")), now - last);
        Object.assign(globalThis, { longest });
        last = now;
      }, 10);
    });
    await check.click();
    await page.locator("form").getByText("Checking…").first().waitFor();
    assert.equal(await check.getAttribute("aria-busy"), "true");
    await page.getByText("Not decided: no problem was found").waitFor();
    assert.equal(await page.getByText("Checking…").count(), 0);
    assert.equal(await check.getAttribute("aria-busy"), null);
    await page.getByText("Not checked completely").waitFor();
    const longest = Number(await page.evaluate(() => Reflect.get(globalThis, "longest")));
    // In the page the pattern would take hours.
    assert.ok(longest < 2_000, `the page stood still for ${longest} ms`);
    await page.getByRole("textbox", { name: "Word" }).fill("aaa");
    await page.getByText("Not checked completely").waitFor({ state: "detached" });
    await page.getByRole("textbox", { name: "Word" }).fill("b");
    await page.getByText("Must be written like “").first().waitFor();
  });

  it("keep secrets out of previews, links, drafts and copies", async () => {
    await show({
      type: "object",
      properties: {
        user: { type: "string", title: "User" },
        token: { type: "string", format: "password", title: "Token" },
      },
    });
    await page.getByRole("textbox", { name: "User" }).fill("ada");
    await page.locator("input[data-secret]").fill("s3cret-canary");
    await page.getByRole("button", { name: "Keep", exact: true }).click();
    await page.getByText("Kept as a draft").waitFor();
    assert.deepEqual(await value(), { user: "ada" });
    const kept: string = await page.evaluate(`new Promise((resolve) => {
      const open = indexedDB.open("workflow-ui");
      open.onsuccess = () => { const all = open.result.transaction("drafts").objectStore("drafts").getAll(); all.onsuccess = () => resolve(JSON.stringify(all.result)); };
    })`);
    assert.match(kept, /ada/);
    assert.doesNotMatch(kept, /s3cret-canary/);
    assert.equal(await page.locator("input[data-secret]").getAttribute("type"), "password");
  });
});

/** Waits until a reading is as wanted, and gives it. */
async function until<T>(read: () => Promise<T>, wanted: (value: T) => boolean): Promise<T> {
  const end = Date.now() + 120_000;
  for (;;) {
    const now = await read();
    if (wanted(now)) return now;
    if (Date.now() > end) assert.fail(`still ${JSON.stringify(now)}`);
    await page.waitForTimeout(50);
  }
}

/** What has the focus, as a screen reader would name it; its id where it is a field. */
function focusedName(): Promise<string> {
  return page.evaluate(`(() => {
    const element = document.activeElement;
    if (element === null) return "";
    const role = element.getAttribute("role") ?? (element.type === "radio" ? "radio" : element.tagName.toLowerCase());
    if (["input", "select", "textarea"].includes(role)) return element.id;
    return role + " " + (element.getAttribute("aria-label") ?? (element.labels?.[0] ?? element).textContent.trim());
  })()`);
}

/** Presses Tab until the focus is where it is wanted. */
async function tabTo(on: Page, wanted: RegExp, most = 25): Promise<void> {
  const passed: string[] = [];
  for (let n = 0; n < most; n++) {
    await on.keyboard.press("Tab");
    const name = await focusedName();
    if (wanted.test(name)) return;
    passed.push(name);
  }
  assert.fail(`Tab does not lead to ${wanted}, but past ${passed.join(", ")}`);
}
