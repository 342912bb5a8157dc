import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { json, startApiServer, type ApiServer } from "../connections/api-server.ts";
import { largeDescription } from "../connections/large-document.ts";
import { rest } from "../connections/rest.ts";
import { ensureBuilt, leaveBrowser, openPage, runAxe, settled, takeBrowser } from "../support/browser.ts";
import { startService, type TestService } from "../support/service.ts";
import { enterKey, moveTo } from "./support.ts";

/* Every page and dialog of connections: no accessibility violation, nothing wider than a phone, usable by keyboard. */

let service: TestService;
let browser: Browser;
let api: ApiServer;

const body = (more: object = {}) => ({
  type: "object",
  required: ["item"],
  properties: { item: { type: "string" }, ...more },
});
const requests = (more: object = {}) => [
  { name: "place_order", method: "POST", path: "/orders", title: "Place an order", body: body(more) },
  { name: "list_orders", method: "GET", path: "/orders", title: "List orders" },
];

before(async () => {
  await ensureBuilt();
  [service, browser, api] = await Promise.all([
    startService(),
    takeBrowser(),
    startApiServer({
      "POST /orders": json({ id: "order-17", state: "open" }, 201),
      "GET /orders": json([{ id: "order-17", item: "tea" }]),
      "GET /": json({ fine: true }),
    }),
  ]);
  const source = { kind: "http", url: api.url, allowPrivateOrigin: true };
  for (const name of ["shop", "changed"]) {
    const added = await rest(service, "POST", "", { ...source, name, document: { requests: requests() } });
    assert.equal(added.status, 201, JSON.stringify(added.body));
  }
  await rest(service, "POST", "/shop/call/place_order", { arguments: { body: { item: "tea" } } });
  await rest(service, "POST", "/shop/call/list_orders", { arguments: {} });
  const more = { amount: { type: "integer", description: "How many of them, at least one." } };
  const changed = await rest(service, "PATCH", "/changed", { document: { requests: requests(more) } });
  assert.equal(changed.body.data.sync?.quarantined, 1, JSON.stringify(changed.body));
});
after(async () => {
  if (browser !== undefined) await leaveBrowser(browser);
  await service?.close();
  await api?.close();
});

const DESK = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };

type State = readonly [what: string, open: (page: Page) => Promise<void>];

const way = (label: string, found: (page: Page) => Promise<void>): State => [
  `adding: ${label}`,
  async (page) => {
    await moveTo(page, "/connections?add=open");
    await found(page);
  },
];

const dialog = (page: Page, name: string) => page.getByRole("dialog", { name });

const STATES: readonly State[] = [
  [
    "the list",
    async (page) => {
      await moveTo(page, "/connections");
      await page.getByText("1 to review").waitFor();
    },
  ],
  way("an address", async (page) => {
    await page.getByRole("textbox", { name: "Your API, schema or configuration" }).fill(api.url);
    await page.getByRole("button", { name: "Check address" }).click();
    await page.getByRole("button", { name: "Allow this address" }).click();
    await page.getByRole("form", { name: /^Add / }).waitFor();
  }),
  [
    "a new credential",
    async (page) => {
      await page.getByRole("button", { name: "New credential" }).click();
      await dialog(page, "New credential")
        .getByLabel("Kind of credential")
        .selectOption({ label: "API key" });
    },
  ],
  way("a configuration", async (page) => {
    await page
      .getByRole("textbox", { name: "Your API, schema or configuration" })
      .fill('{"mcpServers": {"Files": {"command": "npx"}, "Far": {"url": "https://mcp.example.com/mcp"}}}');
    await page.getByRole("form", { name: "Add Far" }).waitFor();
  }),
  way("own requests", async (page) => {
    await page.getByRole("button", { name: "Write requests by hand" }).click();
    await page.getByLabel("Paste a curl command to fill it in").fill(`curl ${api.url}/orders -d 'item=tea'`);
    await page.getByRole("button", { name: "Take it over" }).click();
    await page.getByRole("form", { name: /^Add / }).waitFor();
  }),
  way("a program", async (page) => {
    await page
      .getByRole("textbox", { name: "Your API, schema or configuration" })
      .fill("npx server /srv/files");
    await page.getByRole("form", { name: "Add server" }).waitFor();
  }),
  [
    "a review with what differs",
    async (page) => {
      await moveTo(page, "/connections/changed");
      await page.getByRole("group", { name: "Changes" }).waitFor();
    },
  ],
  [
    "an answer",
    async (page) => {
      await moveTo(page, "/connections/shop?pick=list_orders");
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await page
        .getByRole("region", { name: "Response" })
        .getByText(/HTTP 200 · /)
        .waitFor();
    },
  ],
  [
    "a test of the connection",
    async (page) => {
      await page.getByRole("button", { name: "Test", exact: true }).click();
      await page.getByText(/It answered in \d/).waitFor();
    },
  ],
  [
    "the history",
    async (page) => {
      await moveTo(page, "/connections/shop?pick=place_order&tab=history");
      await page.getByText('"item":"tea"').first().waitFor();
    },
  ],
  [
    "recording as a workflow",
    async (page) => {
      await page.getByRole("button", { name: "Record as workflow" }).click();
      await dialog(page, "Record as workflow")
        .getByRole("button", { name: /^Create a draft/ })
        .waitFor();
    },
  ],
  [
    "the settings of a definition",
    async (page) => {
      await moveTo(page, "/connections/shop?pick=place_order&tab=settings");
      await page.getByLabel("Fixed arguments").waitFor();
    },
  ],
  [
    "the schema",
    async (page) => {
      await moveTo(page, "/connections/shop?pick=place_order&tab=schema");
      await page.getByRole("tab", { name: "Schema", selected: true }).waitFor();
    },
  ],
  [
    "the requests of a connection",
    async (page) => {
      await page.getByRole("button", { name: "Edit requests" }).click();
      await dialog(page, "Requests").getByRole("group", { name: "place_order" }).waitFor();
    },
  ],
  [
    "removing a connection",
    async (page) => {
      await page.getByRole("button", { name: "Remove", exact: true }).first().click();
      await dialog(page, "Remove shop?").waitFor();
    },
  ],
];

describe("pages and dialogs of connections", () => {
  it("are accessible on a phone and on a dark desktop, and fit both", async () => {
    const { page, faults, close } = await openPage(browser, { baseUrl: service.url, ...PHONE });
    await page.goto("/");
    await enterKey(page, service.key);
    const broken: string[] = [];
    for (const [index, [what, open]] of STATES.entries()) {
      await open(page);
      for (const size of [PHONE, DESK]) {
        await page.setViewportSize(size);
        await page.emulateMedia({ colorScheme: size === DESK ? "dark" : "light" });
        await settled(page);
        const over: number = await page.evaluate(
          "Math.max(...[document.documentElement, ...document.querySelectorAll('dialog[open]')].map((box) => box.scrollWidth - box.clientWidth), ...[...document.querySelectorAll('dialog[open] :is(fieldset, section, ul)')].map((box) => box.getBoundingClientRect().right - innerWidth))",
        );
        const where = `${what}, ${size.width} px wide`;
        if (over > 0) broken.push(`${where}: wider than the screen by ${over} px`);
        for (const { id, where: places } of await runAxe(page))
          broken.push(`${where}: ${id} ${places.join(" ")}`);
      }
      await page.setViewportSize(PHONE);
      // The next state stands on the page, not in a dialog, unless it belongs to this one.
      if (STATES[index + 1] !== undefined && (await page.locator("dialog[open]").count()) > 0) {
        await page.keyboard.press("Escape");
        await page.locator("dialog[open]").waitFor({ state: "detached" });
      }
    }
    await close();
    assert.deepEqual([...broken, ...faults], []);
  });

  it("work by keyboard alone: add, accept, send, record", async () => {
    const { page, faults, close } = await openPage(browser, { baseUrl: service.url });
    await page.goto("/");
    await enterKey(page, service.key);
    await moveTo(page, "/connections");
    await page.getByText("1 to review").waitFor();
    await press(page, /^Add a connection$/);
    await page.getByRole("textbox", { name: "Your API, schema or configuration" }).waitFor();
    await tabTo(page, /^Your API, schema or configuration/);
    await page.keyboard.type(api.url);
    await page.keyboard.press("Enter");
    await press(page, /^Allow this address$/);
    await page.getByRole("form", { name: /^Add / }).waitFor();
    await tabTo(page, /^Short name/);
    await page.keyboard.press("Control+A");
    await page.keyboard.type("by-keyboard");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/connections/by-keyboard");
    await press(page, /^Send$/);
    const response = page.getByRole("region", { name: "Response" });
    await response.getByText(/HTTP 200 · /).waitFor();
    await moveTo(page, "/connections/changed");
    await page.getByRole("group", { name: "Changes" }).waitFor();
    await press(page, /^Accept$/);
    await page.getByText("Accepted place_order").waitFor();
    await moveTo(page, "/connections/shop?tab=history&pick=place_order");
    await page.getByText('"item":"tea"').first().waitFor();
    await press(page, /^Record as workflow$/);
    await dialog(page, "Record as workflow").waitFor();
    await press(page, /^Create a draft/);
    await page.waitForURL("**/workflows/workflow_*");
    await close();
    assert.deepEqual(faults, []);
  });

  it("a large document is uploaded from a file", async () => {
    const { page, faults, close } = await openPage(browser, { baseUrl: service.url });
    await page.goto("/");
    await enterKey(page, service.key);
    await moveTo(page, "/connections?add=open");
    await page.getByLabel("Choose a file", { exact: true }).setInputFiles({
      name: "large.json",
      mimeType: "application/json",
      buffer: Buffer.from(largeDescription(2_500_000, "https://api.example.com")),
    });
    const form = page.getByRole("form", { name: "Add Large" });
    await form.getByRole("button", { name: "Add", exact: true }).click();
    await page.waitForURL("**/connections/large", { timeout: 60_000 });
    await page.getByRole("heading", { level: 1, name: "Large" }).waitFor();
    await close();
    assert.deepEqual(faults, []);
  });
});

/** Presses Tab until what is named has the focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let count = 0; count < 80; count++) {
    const focused: string = await page.evaluate(
      "(() => { let box = document.activeElement; box = box?.shadowRoot?.activeElement ?? box; return (box?.getAttribute('aria-label') ?? box?.labels?.[0]?.innerText ?? box?.innerText ?? '').trim(); })()",
    );
    if (name.test(focused)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`${name} cannot be reached with Tab`);
}

async function press(page: Page, name: RegExp): Promise<void> {
  await page.getByRole("button", { name }).first().waitFor();
  await tabTo(page, name);
  await page.keyboard.press("Enter");
}
