import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { startApiServer, type ApiServer } from "../connections/api-server.ts";
import { authorizeQuery, pkce, register } from "../oauth/support.ts";
import { runAxeInThemes, settled } from "../support/browser.ts";
import { fillDatabase, SHOP, type Full } from "./full-database.ts";
import { MISFITS, ROUTES } from "./page-list.ts";
import { enterKey, moveTo, openKeyField } from "./support.ts";
import { startWeb } from "./setup.ts";

/*
 * Every page of the router, with records of every kind in every state in the database, looked at once for all that
 * holds for pages. None breaks a rule of axe, in the light and in the dark. Pages are read by people: none shows
 * `null`, an object as text, or the name of a state as programs write it, unless "Details" are opened. And every page
 * fits a phone: nothing is wider than the screen, nothing that is pressed is smaller than a finger needs.
 * Long on purpose: one walk over every page, because starting the browser costs more than the checks.
 */

let full: Full;
let api: ApiServer;
let toolNames: readonly string[];

const web = startWeb(async () => {
  api = await startApiServer(SHOP);
  full = await fillDatabase(web.service, api);
  const listed = await web.service.rpc("tools/list");
  toolNames = listed.json.result.tools.map(({ name }) => name);
});
after(() => api?.close());

/** What shows that a page has loaded, where that is more than its heading. */
const LOADED: readonly (readonly [address: RegExp, selector: string])[] = [
  [/^\/tools\/create/, "form"],
  [/import=open/, "dialog textarea"],
  [/node=may_order/, ".react-flow__node"],
  [/^\/receipt\?run/, "main ol"],
  [/^\/triggers\/./, "main dl"],
];

/** Kinds of pages that axe has looked at: pages of one kind differ in their records. */
const kinds = new Set<string>();

/**
 * What axe finds on a page, unless it has looked at one of its kind. roles.test.ts looks at the pages of guests and of
 * each role, connection-states.test.ts at connections in all their states.
 */
async function broken(page: Page, route: string): Promise<readonly string[]> {
  const { pathname, search } = new URL(page.url());
  const kind = `${pathname === "/workflows/new" ? pathname : route}${search}`;
  if (route === "/connections/$name" || kinds.has(kind)) return [];
  kinds.add(kind);
  return (await runAxeInThemes(page)).map((line) => `${pathname}${search} ${line}`);
}

/** Moves to a page and waits until it is there. Moving inside the app keeps the key, which lives in memory only. */
async function arrive(page: Page, address: string, heading?: string | RegExp): Promise<void> {
  await moveTo(page, address);
  await page
    .getByRole("heading", { level: 1, ...(heading !== undefined && { name: heading }) })
    .first()
    .waitFor({ state: "attached" });
  const [, selector] = LOADED.find(([pattern]) => pattern.test(address)) ?? [];
  if (selector !== undefined && heading !== undefined) await page.locator(selector).first().waitFor();
  await settled(page);
}

/** Words in the text of a page, outside of details, code and fields, that no person should have to read. */
const RAW = `((tools) => {
  const names = new Set(tools);
  const found = [];
  const walk = document.createTreeWalker(document.querySelector("main") ?? document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node !== null; node = walk.nextNode()) {
    const parent = node.parentElement;
    if (parent === null || parent.closest("details:not([open]), code, pre, .font-mono, [data-code-editor], textarea, select, datalist, script") !== null) continue;
    const text = node.textContent.trim();
    const words = text.match(/\\b[a-z]{2,}(?:_[a-z]{2,})+\\b/g) ?? [];
    if (/^(null|undefined|NaN)$|\\[object /.test(text) || words.some((word) => !names.has(word)))
      found.push(text.slice(0, 80));
  }
  return found;
})`;

/** The raw words on a page; the names of tools are names, and no states. */
async function rawWords(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(`${RAW}(${JSON.stringify(toolNames)})`);
}

const DESK = { width: 1400, height: 900 };
const PHONE = { width: 360, height: 740 };

/** Opens what a page opens when a row of it is pressed, and looks at that too. */
async function openRows(page: Page, route: string, look: () => Promise<void>): Promise<void> {
  // The steps of one run stand for those of the other runs of the same workflow.
  const isLike = [full.runs["rejected"], full.runs["changes"], full.runs["pending"]].some(
    (id) => id !== undefined && page.url().endsWith(id),
  );
  if (route === "/runs/$id" && !isLike) {
    for (const step of await page.locator("main button[aria-pressed]").all()) {
      await step.click();
      await look();
    }
  } else if (route === "/approvals") {
    await page.getByRole("radio", { name: "All" }).click();
    for (const approval of await page.locator("main li a[href*='id=']").all()) {
      await approval.click();
      await settled(page);
      assert.doesNotMatch(await page.getByRole("main").innerText(), /It expires .* ago/);
      await look();
    }
  } else if (route === "/handoffs" && /view=(in|out)/.test(page.url())) {
    for (const packet of await page.locator("main li > button").all()) {
      await packet.click();
      await page.getByRole("dialog", { name: "Handoff" }).waitFor();
      await settled(page);
      await look();
      await page.keyboard.press("Escape");
    }
  } else if (route === "/workflows/$id" && page.url().includes("tab=versions")) {
    await page.getByRole("button", { name: "Compare with the draft" }).click();
    await page.getByText("Another title").first().waitFor();
    await look();
  }
}

describe("every page with a full database", () => {
  it("is a route of the router, and every route is looked at", async () => {
    const router = await readFile(new URL("../../web/src/router.tsx", import.meta.url), "utf8");
    const paths = [...router.matchAll(/\b(?:path: |page\(\s*)"([^"]+)"/g)].map(([, path = ""]) => path);
    assert.deepEqual(new Set(paths), new Set(Object.keys(ROUTES)));
  });

  it("breaks no rule of axe, shows no null, no object as text, no state in snake_case, and fits a phone", async () => {
    const { page, faults, close } = await web.open(DESK);
    await page.goto("/");
    await enterKey(page, web.service.key);
    const found: string[] = [];
    for (const [route, { heading, at }] of Object.entries(ROUTES)) {
      for (const address of at(full)) {
        const look = async () => {
          for (const text of await rawWords(page)) found.push(`${address}: ${text}`);
        };
        await arrive(page, address, heading);
        await look();
        found.push(...(await broken(page, route)));
        await page.setViewportSize(PHONE);
        await settled(page);
        for (const misfit of await page.evaluate<readonly string[]>(MISFITS))
          found.push(`${address} on a phone: ${misfit}`);
        await page.setViewportSize(DESK);
        await openRows(page, route, look);
      }
    }
    await close();
    assert.deepEqual([...new Set(found), ...faults], []);
  });

  it("is for people where a person has signed in, too", async () => {
    const link = await web.service.app.people.ownerLink();
    const { page, close } = await web.open(DESK);
    await page.goto(link?.url ?? "");
    await page.getByLabel("E-mail address", { exact: true }).fill("olga@example.com");
    await page.getByLabel("Your name", { exact: true }).fill("Olga");
    await page.getByLabel("Password", { exact: true }).fill("a few plain words");
    await page.getByLabel("Password again").fill("a few plain words");
    await page.getByRole("button", { name: "Create the owner", exact: true }).click();
    await page.getByRole("button", { name: "Signed in as Olga" }).waitFor();
    // A person who came here by the link sees where they are.
    await page.locator("h1:focus", { hasText: "Home" }).waitFor();
    const raw: string[] = [];
    const registered = await register(web.service, {
      client_name: "A client",
      redirect_uris: [`${web.service.url}/livez`],
    });
    // Any page that answers will do as the address of the client.
    const client = { clientId: registered.json.client_id, redirectUri: `${web.service.url}/livez` };
    const asked = { resource: `${web.service.url}/api/mcp`, scope: "read-private run write" };
    await page.goto(`/oauth/authorize?${authorizeQuery(client, pkce().challenge, asked).toString()}`);
    await page.getByRole("heading", { name: "What may A client do?" }).waitFor();
    raw.push(...(await rawWords(page)).map((text) => `consent: ${text}`));
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await page.waitForURL(`${web.service.url}/livez?**`);
    await page.goto("/people");
    await page.getByLabel("New group").fill("finance");
    await page.getByRole("button", { name: "Create group" }).click();
    await page.getByText("finance").first().waitFor();
    for (const path of [
      "/",
      "/people",
      "/audit",
      "/retention",
      "/account",
      "/device",
      "/tokens",
      "/clients",
      "/approvals",
      "/workflows",
      "/runs",
    ]) {
      await moveTo(page, path);
      await page.getByRole("heading", { level: 1 }).first().waitFor();
      await settled(page);
      raw.push(...(await rawWords(page)).map((text) => `${path}: ${text}`));
    }
    await close();
    assert.deepEqual([...new Set(raw)], []);
  });

  it("breaks no rule of axe in what opens over the pages", async () => {
    const { page, faults, close } = await web.open();
    const broken: string[] = [];
    const openings: readonly (readonly [string, () => Promise<void>])[] = [
      ["palette", () => page.keyboard.press("Control+k")],
      ["keyboard help", () => page.keyboard.press("?")],
      ["key field", () => openKeyField(page)],
      ["activity", () => page.getByRole("button", { name: "Activity" }).click()],
    ];
    await page.goto("/");
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    for (const [name, open] of openings) {
      await open();
      await page.locator("dialog[open]").waitFor();
      await settled(page);
      for (const line of await runAxeInThemes(page)) broken.push(`${name} ${line}`);
      await page.keyboard.press("Escape");
      await page.locator("dialog[open]").waitFor({ state: "detached" });
    }
    await close();
    assert.deepEqual([...broken, ...faults], []);
  });

  it("is reached from the menu of a phone", async () => {
    const { page, faults, close } = await web.open({ width: 360, height: 740 });
    await page.goto("/");
    await page.getByRole("button", { name: "Pages" }).click();
    await page.getByRole("dialog").getByRole("link", { name: "Provenance" }).click();
    await page.locator("h1:focus", { hasText: "Provenance" }).waitFor();
    // The list of tools has a heading too, which a phone hides beside a tool.
    await moveTo(page, "/tools/get_health");
    await page.locator("h1:focus", { hasText: "Health" }).waitFor();
    await close();
    assert.deepEqual(faults, []);
  });

  it("is announced too when it is chosen while the first page still loads", async () => {
    const { page, faults, close } = await web.open({ width: 360, height: 740 });
    const asked: string[] = [];
    // The code of the first page never comes.
    await page.route(/\/assets\/home-[^/]*\.js$/, (route) => void asked.push(route.request().url()));
    await page.goto("/", { waitUntil: "commit" });
    await page.getByRole("button", { name: "Pages" }).click();
    await page.getByRole("dialog").getByRole("link", { name: "Provenance" }).click();
    await page.locator("h1:focus", { hasText: "Provenance" }).waitFor();
    await close();
    assert.ok(asked.length > 0);
    assert.deepEqual(faults, []);
  });

  it("is found with the palette and the keyboard alone", async () => {
    const { page, close } = await web.open();
    await page.goto("/");
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByPlaceholder("Find or do anything").waitFor();
    await page.keyboard.type("validate_form_input");
    await page.getByRole("option", { name: /validate_form_input/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/tools/validate_form_input");
    await page.keyboard.press("Escape");
    await page.locator("h1").first().click();
    await page.keyboard.press("g");
    await page.keyboard.press("d");
    await page.getByRole("heading", { level: 1, name: "Demo suite" }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
    const address = page.url();
    await close();
    assert.match(address, /\/demo$/);
  });

  // What is drawn first of each main page, with at most this many bytes of compressed JavaScript.
  const MAIN_PAGES: readonly (readonly [address: (ids: Full) => string, shown: string, bytes: number])[] = [
    [() => "/tools/test_mcp_tool", "main form", 200_000],
    [() => "/", "main section", 138_000],
    [({ orderWorkflowId }) => `/workflows/${orderWorkflowId}`, ".react-flow__node", 458_000],
    [({ orderRunId }) => `/runs/${orderRunId}`, "main h1", 175_600],
    [() => "/approvals", "main h1", 268_000],
  ];

  it("loads no more JavaScript for a main page than it did", async () => {
    const excess: string[] = [];
    for (const [at, shown, most] of MAIN_PAGES) {
      const { page, close } = await web.open();
      const scripts = new Map<string, number>();
      page.on("response", (response) => {
        const { pathname } = new URL(response.url());
        if (pathname.endsWith(".js"))
          scripts.set(
            `${response.status()} ${pathname}`,
            Number(response.headers()["content-length"] ?? Number.NaN),
          );
      });
      await page.setExtraHTTPHeaders({ authorization: `Bearer ${web.service.key}` });
      await page.goto(at(full));
      await page.locator(shown).first().waitFor();
      await settled(page);
      const loaded = [...scripts];
      await close();
      const bytes = loaded.reduce((sum, [, size]) => sum + size, 0);
      if (!(bytes > 0 && bytes <= most))
        excess.push(
          [`${at(full)}: ${bytes} bytes`, ...loaded.map(([name, size]) => `${size} ${name}`)].join("\n"),
        );
    }
    assert.deepEqual(excess, []);
  });
});
