import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { json, startApiServer, type ApiServer } from "../connections/api-server.ts";
import { rest } from "../connections/rest.ts";
import { addMember, makeOwner, type Member } from "../people/support.ts";
import { sessionCookie, startWeb } from "./setup.ts";
import { largeWorkflow } from "./support.ts";

let api: ApiServer;
let owner: Member;

const web = startWeb(async () => {
  owner = await makeOwner(web.service);
  api = await startApiServer({ "POST /orders": json({ id: "order-1" }, 201) });
  const added = await rest(web.service, "POST", "", {
    kind: "http",
    url: api.url,
    name: "shop",
    allowPrivateOrigin: true,
    document: { requests: [{ name: "order", method: "POST", path: "/orders", title: "Order" }] },
  });
  assert.equal(added.status, 201, JSON.stringify(added.body));
});
after(() => api?.close());

/** Does something on a page as the owner. */
async function asOwner(
  path: string,
  work: (page: Page) => Promise<void>,
  options: { readonly dark?: boolean; readonly width?: number } = {},
): Promise<void> {
  const { page, context, faults, close } = await web.open({ width: 1440, ...options });
  await context.addCookies([sessionCookie(web.service.url, owner.visitor.cookie)]);
  await page.goto(path);
  await work(page);
  await close();
  assert.deepEqual(faults, []);
}

/** Creates a workflow as the owner, and gives its id. */
async function create(
  name: string,
  nodes: readonly object[],
  edges: readonly object[] = [],
  document: object = {},
): Promise<string> {
  const meta = { "svc/document": document };
  const { data } = await owner.visitor.call("create_workflow", { name, nodes, edges }, meta);
  assert.equal(data.ok, true, JSON.stringify(data));
  return data.data.workflow.id;
}

/** Red, green and blue of a computed colour, whatever notation it has. */
function rgb(of: Locator, property: "color" | "backgroundColor" | "fill"): Promise<readonly number[]> {
  return of.first().evaluate((element, name) => {
    const { ownerDocument: page } = element;
    const pen = page.createElement("canvas").getContext("2d");
    pen.fillStyle = page.defaultView.getComputedStyle(element)[name];
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
  }, property);
}

const isGreen = ([r = 0, g = 0, b = 0]: readonly number[]): boolean => g > r && g > b;

describe("the editor", () => {
  it("offers the saved artifacts where a workflow takes a file, and gathers inputs with clicks", async () => {
    const saved = await owner.visitor.call("save_artifact", {
      artifact: { title: "Price list", type: "note", content: "1 EUR", privacy: "public" },
    });
    assert.equal(saved.data.ok, true, JSON.stringify(saved.data));
    const file = { type: "string", format: "artifact", title: "Prices" };
    const steps = [
      { id: "look", type: "tool", tool: "get_agent_platform", with: { id: "mcp-client" } },
      { id: "gather", type: "transform", value: {} },
    ];
    const id = await create("Order with prices", steps, [{ from: "look", to: "gather" }], {
      inputs: { type: "object", properties: { prices: file, note: { type: "string" } } },
    });
    await asOwner(`/workflows/${id}?node=gather`, async (page) => {
      const fields = page.getByRole("group", { name: /^Fields/ });
      await fields.getByRole("button", { name: "Prices" }).click();
      await fields.getByRole("button", { name: "Prices", pressed: true }).waitFor();
      await page.getByRole("button", { name: "Run draft" }).click();
      const field = page.getByRole("dialog").getByRole("combobox", { name: /Prices/ });
      const list = await field.getAttribute("list");
      const options = page.locator(`[id="${list}"] option`);
      await options.filter({ hasText: "Price list" }).waitFor({ state: "attached" });
    });
  });

  it("draws a dark overview in the dark, and fits 200 steps into view", async () => {
    const { name, nodes, edges } = largeWorkflow(200);
    const id = await create(name, nodes, edges);
    await asOwner(
      `/workflows/${id}`,
      async (page) => {
        const overview = page.locator(".react-flow__minimap");
        await overview.waitFor();
        const ground = await rgb(overview, "backgroundColor");
        assert.ok(Math.max(...ground) < 90, `the ground is ${ground.join()}`);
        const step = await rgb(overview.locator(".react-flow__minimap-node"), "fill");
        assert.ok(
          Math.max(...step) > Math.max(...ground) + 20,
          `a step is ${step.join()} on ${ground.join()}`,
        );
        await page.getByRole("button", { name: "Fit View" }).click();
        await page.waitForFunction(`(() => {
          const view = document.querySelector(".react-flow").getBoundingClientRect();
          const boxes = [...document.querySelectorAll(".react-flow__node")].map((node) => node.getBoundingClientRect());
          return boxes.length === 200 && boxes.every((box) =>
            box.left >= view.left - 1 && box.right <= view.right + 1 && box.top >= view.top - 1 && box.bottom <= view.bottom + 1);
        })()`);
      },
      { dark: true },
    );
  });

  it("counts problems once: header, tab, panel and list agree", async () => {
    const id = await create("Unfinished", [
      { id: "one", type: "tool", title: "One", tool: "get_workflow", with: {} },
      { id: "two", type: "tool", title: "Two", tool: "create_local_artifact", with: {} },
    ]);
    await asOwner(`/workflows/${id}`, async (page) => {
      const tab = page.getByRole("tab", { name: /^Problems/ });
      await tab.getByText(/\d/).waitFor();
      const counted = Number(/\d+/.exec(await tab.innerText())?.[0]);
      assert.ok(counted >= 2, `${counted} problems`);
      await page.getByText(`Problems (${counted})`, { exact: true }).waitFor();
      await page.getByText(`${counted} problems`, { exact: true }).first().waitFor();
      await tab.click();
      const list = page.getByRole("tabpanel", { name: /^Problems/ }).getByRole("listitem");
      await list.first().waitFor();
      assert.equal(await list.count(), counted);
    });
  });
});

const BOOK = { type: "object", properties: { id: { type: "integer" }, title: { type: "string" } } };
const BOOKS = {
  inputs: { type: "object", required: ["books"], properties: { books: { type: "array", items: BOOK } } },
};

describe("a loop", () => {
  it("offers the fields of this item first, warns of a fixed item, and asks before too many", async () => {
    const keep = { id: "keep", type: "transform", title: "Keep", value: { $ref: "inputs.books[0].title" } };
    const id = await create(
      "Loop",
      [
        {
          id: "each",
          type: "map",
          title: "Each book",
          map: { items: { $ref: "inputs.books" }, maxItems: 2, body: { nodes: [keep], edges: [] } },
        },
      ],
      [],
      BOOKS,
    );
    await asOwner(`/workflows/${id}?in=each&node=keep`, async (page) => {
      await page.getByText("1 warning", { exact: true }).first().waitFor();
      await page.getByRole("radio", { name: "Problems (1)" }).click();
      await page.getByText("Each round gets the same item of the list.", { exact: false }).first().waitFor();
      await page.getByRole("radio", { name: "Step" }).click();
      await page.getByRole("button", { name: "Value: reference" }).click();
      const items = page.getByRole("treeitem");
      await items.first().waitFor();
      assert.match((await items.first().innerText()).trim(), /^This item/);
      await page.getByRole("combobox", { name: /Search data/ }).fill("title");
      await page.getByRole("treeitem", { name: /^This item › Title/ }).waitFor();
      assert.match((await items.first().innerText()).trim(), /^This item › Title/);
      await items.first().click();
      await page.getByText("no errors", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Run draft" }).click();
      const form = page.getByRole("dialog", { name: "Run draft" });
      for (let n = 0; n < 3; n++) {
        await form.getByRole("button", { name: /^Add/ }).last().click();
        await form
          .getByRole("textbox", { name: /Title$/ })
          .nth(n)
          .fill("Dune");
      }
      await form.getByRole("button", { name: /^Run/ }).click();
      const asked = page.getByRole("dialog", { name: "More items than allowed" });
      await asked.getByText("“Each book” would get 3 items and takes 2.", { exact: false }).waitFor();
      await asked.getByRole("button", { name: "Allow them and run" }).click();
      await page.waitForURL("**/runs/run_*");
      await page.getByRole("button", { name: /^3 items: 3 done/ }).waitFor();
    });
  });
});

describe("home", () => {
  it("begins with what each role came for", async () => {
    for (const [role, first] of [
      ["approver", "Your approvals"],
      ["operator", "Recent runs"],
      ["editor", "Workflows"],
    ] as const) {
      const member = await addMember(web.service, owner, role);
      const { page, context, close } = await web.open();
      await context.addCookies([sessionCookie(web.service.url, member.visitor.cookie)]);
      await page.goto("/");
      await page.getByRole("heading", { level: 2, name: first }).waitFor();
      const headings = page.getByRole("main").getByRole("heading", { level: 2 });
      assert.equal(await headings.first().innerText(), first, role);
      await close();
    }
  });
});

describe("templates", () => {
  it("have six categories, and the first one is tried without any JSON; its toast covers nothing", async () => {
    await asOwner("/templates", async (page) => {
      const cards = page.getByRole("main").getByRole("listitem");
      await cards.first().waitFor();
      const all = await cards.getByRole("heading").allInnerTexts();
      const select = page.getByLabel("Category");
      const names = (await select.getByRole("option").allInnerTexts()).slice(1);
      assert.equal(names.length, 6, names.join());
      const found = new Set<string>();
      for (const name of names) {
        await select.selectOption(name);
        const some = await cards.getByRole("heading").allInnerTexts();
        assert.ok(some.length > 0, name);
        for (const title of some) found.add(title);
      }
      assert.deepEqual(
        all.filter((title) => !found.has(title)),
        [],
        "each template is in a category",
      );
      await select.selectOption("");
      await cards.first().getByRole("button", { name: "Use it" }).click();
      const toast = page.getByRole("banner").getByText("Workflow created.", { exact: false });
      await toast.waitFor();
      assert.deepEqual(await covered(page), []);
      await page.getByRole("button", { name: "Run draft" }).click();
      const dialog = page.getByRole("dialog", { name: "Run draft" });
      await dialog.getByRole("button", { name: /^Run/ }).waitFor();
      assert.equal(await dialog.locator(".cm-editor").count(), 0);
      const inputs = await dialog.locator("input, textarea").all();
      const fields = await Promise.all(inputs.map((one) => one.inputValue()));
      assert.deepEqual(
        fields.filter((value) => /^\s*[[{]/.test(value)),
        [],
        "no field asks for JSON",
      );
    });
  });
});

/** What a person could press that lies under the message in the top bar. */
function covered(page: Page): Promise<readonly string[]> {
  return page.evaluate(`(() => {
    const toast = document.querySelector("header [role=status] > div");
    const box = toast.getBoundingClientRect();
    return [...document.querySelectorAll("a, button, input, select, textarea, h1, [role=tab]")]
      .filter((one) => !toast.contains(one) && one.checkVisibility())
      .filter((one) => {
        const other = one.getBoundingClientRect();
        return other.width > 0 && other.left < box.right && other.right > box.left && other.top < box.bottom && other.bottom > box.top;
      })
      .map((one) => one.textContent || one.getAttribute("aria-label"));
  })()`);
}

describe("what succeeded", () => {
  it("is green on every page, and its receipt names workflow and decider", async () => {
    const id = await create(
      "Order tea",
      [
        { id: "ask", type: "approval", title: "Release", approval: { title: "Send the order?" } },
        { id: "send", type: "tool", title: "Send order", tool: "shop:order", with: {} },
      ],
      [{ from: "ask", to: "send", port: "approved" }],
    );
    const started = await owner.visitor.call("run_workflow", { id, inputs: {} });
    const { run } = started.data.data;
    const [asked] = run.approvals ?? [];
    assert.ok(asked);
    const decided = await owner.visitor.call(
      "approve_step",
      { id: asked.id },
      { "svc/shownDigest": asked.shownDigest },
    );
    assert.equal(decided.data.ok, true, JSON.stringify(decided.data));
    await asOwner(`/runs/${run.id}`, async (page) => {
      const state = page.getByRole("main").getByText("succeeded", { exact: true });
      await state.first().waitFor();
      for (const badge of await state.all()) assert.ok(isGreen(await rgb(badge, "color")));
      const result = page.getByText("confirmed", { exact: true });
      assert.ok(isGreen(await rgb(result, "color")));
      assert.equal(await page.getByRole("main").locator(".text-warn, .bg-warn-soft").count(), 0);
      await page.getByRole("link", { name: "Receipt", exact: true }).click();
      await page.getByText("This receipt is genuine and unchanged").waitFor();
      await page.getByText("Order tea", { exact: true }).first().waitFor();
      await page
        .getByText(/approved by Olga Owner/)
        .first()
        .waitFor();
    });
    await asOwner("/connections/shop", async (page) => {
      await page.getByRole("button", { name: "Send", exact: true }).click();
      const response = page.getByRole("region", { name: "Response" });
      const banner = response.getByRole("status").filter({ hasText: "HTTP 201" });
      await banner.waitFor();
      assert.ok(isGreen(await rgb(banner, "color")));
      assert.equal(await response.locator(".text-warn").count(), 0);
    });
  });
});

describe("the demo", () => {
  it("has badges above that agree with those of its steps", async () => {
    await asOwner("/demo", async (page) => {
      const steps = page
        .getByRole("main")
        .getByRole("listitem")
        .filter({ has: page.getByRole("heading") });
      await steps.first().waitFor();
      assert.equal(await steps.count(), 6);
      const totals = await page
        .getByRole("main")
        .getByText(/^\d+ [a-z ]+$/)
        .allInnerTexts();
      let sum = 0;
      for (const total of totals) {
        const [, number = "", words = ""] = /^(\d+) (.+)$/.exec(total) ?? [];
        sum += Number(number);
        // What an unopened part of a step has is not read.
        const badge = page.getByText(words, { exact: true }).locator("visible=true");
        assert.equal(await steps.filter({ has: badge }).count(), Number(number), total);
      }
      assert.equal(sum, 6, totals.join());
    });
  });
});
