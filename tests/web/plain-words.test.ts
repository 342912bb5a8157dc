import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { startApiServer, type ApiServer } from "../connections/api-server.ts";
import { authorizeQuery, pkce, register } from "../oauth/support.ts";
import { settled } from "../support/browser.ts";
import { fillDatabase, SHOP, type Full } from "./full-database.ts";
import { enterKey, moveTo } from "./support.ts";
import { startWeb } from "./setup.ts";

/*
 * Every page of the router, with records of every kind in every state in the database. Pages are read by people: none
 * shows `null`, an object as text, or the name of a state as programs write it, unless "Details" are opened. And every
 * page fits a phone: nothing is wider than the screen, nothing that is pressed is smaller than a finger needs.
 */

let full: Full;
let api: ApiServer;
let toolNames: readonly string[];

const web = startWeb(async () => {
  api = await startApiServer(SHOP);
  full = await fillDatabase(web.service, api);
  const listed = await web.service.rpc("tools/list");
  toolNames = listed.json.result.tools.map(({ name }: { readonly name: string }) => name);
});
after(() => api?.close());

const tabs = (address: string, ...names: readonly string[]) => names.map((name) => `${address}?tab=${name}`);

/** The addresses to look at for each route of the web app. */
const ROUTES: Readonly<Record<string, (ids: Full) => readonly string[]>> = {
  "/": () => ["/"],
  "/welcome": () => ["/welcome"],
  "/tools": () => ["/tools"],
  "/tools/$name": () => ["/tools/create_local_artifact", ...tabs("/tools/get_workflow", "schema", "history")],
  "/own": () => ["/own", "/own?kind=url"],
  "/connections": () => ["/connections", "/connections?add=open"],
  "/connections/$name": ({ connections }) =>
    connections.flatMap((name) => [
      `/connections/${name}`,
      ...tabs(`/connections/${name}`, "schema", "history", "settings"),
    ]),
  "/workflows": () => ["/workflows", "/workflows?import=open"],
  "/workflows/$id": ({ orderWorkflowId: id }) => [
    "/workflows/new",
    `/workflows/${id}`,
    `/workflows/${id}?node=may_order`,
    `/workflows/${id}?view=outline`,
    ...tabs(`/workflows/${id}`, "problems", "plan", "runs", "versions"),
  ],
  "/templates": () => ["/templates", "/templates?id=form-intake-approval"],
  "/runs": () => ["/runs", ...["active", "waiting", "ended"].map((state) => `/runs?state=${state}`)],
  "/runs/$id": ({ runs, orderRunId }) => [orderRunId, ...Object.values(runs)].map((id) => `/runs/${id}`),
  "/approvals": () => ["/approvals"],
  "/artifacts": () => ["/artifacts"],
  "/artifacts/$id": ({ artifacts }) => artifacts.map((id) => `/artifacts/${id}`),
  "/handoffs": () => ["/handoffs", ...["out", "in", "receiver"].map((view) => `/handoffs?view=${view}`)],
  "/provenance": ({ orderRunId }) => ["/provenance", `/provenance?by=runId&value=${orderRunId}`],
  "/receipt": ({ orderRunId }) => ["/receipt", `/receipt?run=${orderRunId}`],
  "/sign-in": () => ["/sign-in"],
  "/join": () => ["/join"],
  "/account": () => ["/account"],
  "/tokens": () => ["/tokens"],
  "/clients": () => ["/clients"],
  // Opened by a client that asks a person; the second test is that person.
  "/oauth/requests/$uid": () => [],
  "/device": () => ["/device"],
  "/people": () => ["/people"],
  "/audit": () => ["/audit"],
  "/demo": () => ["/demo"],
  "/developers": () => tabs("/developers", "endpoints", "clients", "events", "discovery", "status", "policy"),
};

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

/** What does not fit a phone. A link in a sentence is as high as its line, and the canvas is zoomed. */
const MISFITS = `(() => {
  const found = [];
  const over = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (over > 0) found.push("wider than the screen by " + over);
  const top = document.querySelector("dialog[open]") ?? document;
  for (const item of top.querySelectorAll("a, button, input, select, textarea, summary")) {
    const box = item.getBoundingClientRect();
    const inline = getComputedStyle(item).display === "inline";
    if (box.width === 0 || inline || item.closest(".sr-only, .react-flow, label") !== null || !item.checkVisibility({ visibilityProperty: true })) continue;
    if (box.width < 23.5 || box.height < 23.5)
      found.push("a target of " + Math.round(box.width) + " x " + Math.round(box.height) + ": " + (item.ariaLabel ?? item.textContent).slice(0, 40));
  }
  return found;
})()`;

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
    const paths = [...router.matchAll(/\bpath: "([^"]+)"/g)].map(([, path = ""]) => path);
    assert.deepEqual(new Set(paths), new Set(Object.keys(ROUTES)));
  });

  it("shows no null, no object as text, no state in snake_case, and fits a phone", async () => {
    const { page, faults, close } = await web.open(DESK);
    await page.goto("/");
    await enterKey(page, web.service.key);
    const found: string[] = [];
    for (const [route, addresses] of Object.entries(ROUTES)) {
      for (const address of addresses(full)) {
        const look = async () => {
          for (const text of await rawWords(page)) found.push(`${address}: ${text}`);
        };
        await moveTo(page, address);
        await page.getByRole("heading", { level: 1 }).first().waitFor({ state: "attached" });
        await settled(page);
        await look();
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
    // A person who came here by the link hears where they are.
    await page.locator("h1:focus", { hasText: "People" }).waitFor();
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
    await page.getByRole("button", { name: "Make group" }).click();
    await page.getByText("finance").first().waitFor();
    for (const path of [
      "/",
      "/people",
      "/audit",
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
});
