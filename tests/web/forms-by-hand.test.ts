import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { type WatchedPage } from "../support/browser.ts";
import { formPage, type FormPage } from "./form-page.ts";
import { startWeb } from "./setup.ts";

/*
 * A person fills in forms of the shapes that real tools have, with clicks and keys, and the JSON is compared with what
 * was meant. The schemas are ours and small; `npm run corpus:web` draws the real ones.
 */

let watched: WatchedPage;
let page: Page;
let form: FormPage;

const web = startWeb(async () => {
  watched = await web.open({ width: 1400 });
  ({ page } = watched);
  await page.goto("/connections?add=open");
  form = formPage(page);
});

const at = (pointer: string): Locator => page.locator(`form [data-pointer="${pointer}"]`);

/** Types into the field at a pointer. */
async function type(pointer: string, text: string): Promise<void> {
  const input = at(pointer).locator("input, textarea").first();
  await input.click();
  await page.keyboard.type(text);
}

/** Presses a button inside a part of the form. */
async function press(pointer: string, name: RegExp): Promise<void> {
  await at(pointer).getByRole("button", { name }).first().click();
}

/** Adds an entry to a map: its name, and Enter. */
async function entry(pointer: string, name: string): Promise<void> {
  await at(pointer)
    .getByRole("combobox", { name: /^Name of a new entry/ })
    .or(at(pointer).getByRole("textbox", { name: /^Name of a new entry/ }))
    .first()
    .click();
  await page.keyboard.type(name);
  await page.keyboard.press("Enter");
}

async function pick(pointer: string, name: string): Promise<void> {
  await at(pointer).getByRole("radio", { name, exact: true }).first().click();
}

describe("filled in by hand", () => {
  it("a web app manifest", async () => {
    await form.show({
      type: "object",
      properties: {
        name: { type: "string" },
        display: { enum: ["fullscreen", "standalone", "minimal-ui", "browser"], default: "browser" },
        icons: { type: "array", items: { $ref: "#/definitions/icon" } },
      },
      definitions: {
        icon: {
          type: "object",
          required: ["src"],
          properties: {
            src: { type: "string" },
            sizes: { oneOf: [{ type: "string", pattern: "^[0-9x ]+$" }, { enum: ["any"] }] },
            purpose: { type: "array", uniqueItems: true, items: { enum: ["any", "maskable", "monochrome"] } },
          },
        },
      },
    });
    await type("/name", "Orders");
    await at("/display").getByRole("combobox").selectOption("standalone");
    await press("/icons", /^Add icons/i);
    await press("/icons", /^Add (icon|item)$/i);
    await type("/icons/0/src", "/a.png");
    await type("/icons/0/sizes", "48x48");
    await form.becomes({
      name: "Orders",
      display: "standalone",
      icons: [{ src: "/a.png", sizes: "48x48" }],
    });
  });

  it("a call of an actor with free input", async () => {
    await form.show({
      type: "object",
      required: ["actor", "input"],
      properties: {
        actor: { type: "string" },
        input: { type: "object", properties: {}, additionalProperties: {} },
        callOptions: {
          type: "object",
          properties: { memory: { type: "integer", minimum: 128 }, timeout: { type: "integer", minimum: 0 } },
        },
      },
    });
    await type("/actor", "example/scraper");
    await press("/callOptions", /^Add call options/i);
    await type("/callOptions/memory", "512");
    await at("/input").locator(".cm-content, textarea").first().click();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText('{"maxItems": 5}');
    await form.becomes({ actor: "example/scraper", input: { maxItems: 5 }, callOptions: { memory: 512 } });
  });

  it("an else-if chain", async () => {
    const kinds = ["card", "bank", "wallet", "cash", "crypto"];
    const chain = kinds.toReversed().reduce<object | undefined>(
      (rest, kind) => ({
        if: { properties: { method: { const: kind } }, required: ["method"] },
        // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
        then: { properties: { [`${kind}Ref`]: { type: "string" } }, required: [`${kind}Ref`] },
        ...(rest !== undefined && { else: rest }),
      }),
      undefined,
    );
    await form.show({
      type: "object",
      required: ["method"],
      properties: { method: { enum: kinds } },
      ...chain,
    });
    await at("/method").getByRole("combobox").selectOption("cash");
    await type("/cashRef", "drawer 7");
    await form.becomes({ method: "cash", cashRef: "drawer 7" });
    assert.equal(await at("/cardRef").count(), 0);
  });

  it("a tsconfig", async () => {
    await form.show({
      type: "object",
      properties: {
        extends: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
        compilerOptions: {
          type: "object",
          properties: {
            strict: { type: "boolean", default: false },
            target: { anyOf: [{ enum: ["es2022", "esnext"] }, { pattern: "^[Ee][Ss].*$", type: "string" }] },
            lib: { type: "array", uniqueItems: true, items: { type: "string" } },
          },
        },
      },
      anyOf: [
        { properties: { include: { type: "array", items: { type: "string" } } } },
        { properties: { exclude: { type: "array", items: { type: "string" } } } },
      ],
    });
    await press("/compilerOptions", /^Add compiler options/i);
    await pick("/compilerOptions/strict", "Yes");
    await type("/compilerOptions/target", "es2022");
    for (const [name, text] of [
      ["include", "src"],
      ["exclude", "dist"],
    ] as const) {
      await press(`/${name}`, new RegExp(`^Add ${name}`, "i"));
      await press(`/${name}`, /^Add item$/i);
      await type(`/${name}/0`, text);
    }
    await form.becomes({
      compilerOptions: { strict: true, target: "es2022" },
      include: ["src"],
      exclude: ["dist"],
    });
  });

  it("a GitHub Action", async () => {
    await form.show({
      type: "object",
      required: ["name", "runs"],
      properties: {
        name: { type: "string" },
        runs: {
          oneOf: [
            {
              title: "JavaScript",
              type: "object",
              required: ["using", "main"],
              properties: { using: { enum: ["node20", "node24"] }, main: { type: "string" } },
            },
            {
              title: "Docker",
              type: "object",
              required: ["using", "image"],
              properties: { using: { const: "docker" }, image: { type: "string" } },
            },
          ],
        },
      },
    });
    await type("/name", "Greet");
    await pick("/runs", "Docker");
    await type("/runs/image", "Dockerfile");
    await form.becomes({ name: "Greet", runs: { using: "docker", image: "Dockerfile" } });
  });

  it("a Kubernetes resource", async () => {
    await form.show({
      type: "object",
      required: ["apiVersion", "kind", "spec"],
      properties: {
        apiVersion: { const: "example.dev/v1" },
        kind: { const: "Backup" },
        spec: {
          type: "object",
          required: ["schedule"],
          properties: {
            schedule: { type: "string" },
            replicas: { type: "integer", format: "int32", minimum: 0, default: 1 },
            port: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
            labels: { type: "object", additionalProperties: { type: "string" } },
          },
        },
      },
    });
    await type("/spec/schedule", "@daily");
    await type("/spec/replicas", "3");
    await press("/spec/labels", /^Add labels/i);
    await entry("/spec/labels", "app");
    await type("/spec/labels/app", "db");
    await form.becomes({
      apiVersion: "example.dev/v1",
      kind: "Backup",
      spec: { schedule: "@daily", replicas: 3, labels: { app: "db" } },
    });
    assert.deepEqual(watched.faults, []);
  });
});
