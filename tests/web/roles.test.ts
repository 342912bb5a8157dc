import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { Page, Request } from "playwright-core";
import { lackedFor } from "../../packages/client/client.ts";
import { ROUTES as OPERATIONS } from "../../packages/client/operations.ts";
import { scopesOf } from "../../src/access/people/roles.ts";
import { ROLES, type Role } from "../../src/ports/people.ts";
import { startApiServer, type ApiServer } from "../connections/api-server.ts";
import { addMember, makeOwner } from "../people/support.ts";
import { runAxe, runAxeInThemes, settled } from "../support/browser.ts";
import { fillDatabase, SHOP, type Full } from "./full-database.ts";
import { CONTENT, MISFITS, ROUTES } from "./page-list.ts";
import { sessionCookie, startWeb } from "./setup.ts";
import { moveTo } from "./support.ts";

/*
 * Every page in every role. None breaks a rule of axe, in the light, in the dark and on a phone. What is enabled is
 * pressed, and no request may follow that the service would refuse. Requests that change something do not leave the
 * browser: whether they would be refused is read from the needs of the operations, so that the records stay as they are.
 */

let full: Full;
let api: ApiServer;
const cookies = new Map<Role | "guest", string | null>();

const web = startWeb(async () => {
  api = await startApiServer(SHOP);
  full = await fillDatabase(web.service, api);
  const owner = await makeOwner(web.service);
  cookies.set("owner", owner.visitor.cookie);
  for (const role of ROLES)
    if (role !== "owner") cookies.set(role, (await addMember(web.service, owner, role)).visitor.cookie);
});
after(() => api?.close());

/** Pages of one kind differ in their records, not in what a role may do with them: some of each. */
const MOST = 3;
/** Pages whose tabs each have controls of their own. */
const WHOLE = ["/workflows/$id", "/connections/$name"];

function addresses(): readonly (readonly [route: string, address: string])[] {
  const { runs } = full;
  const at = (route: string) => ROUTES[route]?.at(full) ?? [];
  const more: Readonly<Record<string, readonly string[]>> = {
    "/connections/$name": [
      ...at("/connections/$name").slice(0, 4),
      `/connections/${full.connections.at(-1) ?? ""}?tab=settings`,
    ],
    "/runs/$id": [
      `/runs/${runs["failed"] ?? ""}`,
      `/runs/${runs["outcome_unknown"] ?? ""}?step=only_step`,
      `/runs/${runs["pending"] ?? ""}?step=may_order`,
    ],
  };
  return Object.keys(ROUTES).flatMap((route) => {
    const all = more[route] ?? at(route);
    const isOne = route.includes("$") && !WHOLE.includes(route);
    const some = isOne ? all.slice(0, MOST) : all.slice(0, 12);
    return some.map((address) => [route, address] as const);
  });
}

const PATTERNS = Object.entries(OPERATIONS).map(([name, route]) => {
  const [method = "", path = ""] = route.split(/[ ?]/);
  return { name, method, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`) };
});

/** The operation or tool that a request calls; empty for what is none. */
function operationOf(request: Request): string {
  const { pathname } = new URL(request.url());
  if (pathname === "/api/mcp") {
    const { method, params } = JSON.parse(request.postData() ?? "{}");
    return method === "tools/call" ? String(params?.name) : "";
  }
  return (
    PATTERNS.find(({ method, pattern }) => method === request.method() && pattern.test(pathname))?.name ?? ""
  );
}

/** What leads elsewhere, or leaves nothing to press. */
const NOT_PRESSED = "/sign out|sign in|download|copy|export|choose a file|theme|API key/i";

/**
 * In the page: presses the next control that was not pressed yet, and waits until nothing is loaded or busy, such as the
 * code of a dialog. Gives its name, or null; whether something is open; and the address. Forms are sent as they are.
 */
const PRESS = `(async (inside, had) => {
  for (const form of document.forms) form.noValidate = true;
  const isActive = (item) => !item.disabled && item.ariaDisabled !== "true" && item.checkVisibility({ visibilityProperty: true });
  const nameOf = (item) => (item.ariaLabel ?? (item.innerText || item.labels?.[0]?.innerText) ?? "").trim().slice(0, 80);
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const pressed = [...document.querySelectorAll(inside)].find((item) => {
    const name = nameOf(item);
    return isActive(item) && name !== "" && !had.includes(name) && !${NOT_PRESSED}.test(name);
  });
  const name = pressed === undefined ? null : nameOf(pressed);
  pressed?.click();
  for (let calm = 0, count = 0; name !== null && calm < 3 && count < 600; count++) {
    await frame();
    calm = document.querySelector("[aria-busy=true], [role=status][aria-label=Loading]") === null ? calm + 1 : 0;
  }
  return { name, isOpen: document.querySelector("dialog[open], :popover-open") !== null, at: location.pathname + location.search };
})`;
const CONTROLS = "main :is(button, [role=switch], input[type=checkbox])";
const OPENED =
  "dialog[open] :is([data-actions] button:not(:first-child), form button[type=submit]), [role=menu] [role=menuitem]";

/** Closes what a control opened. */
async function closeOpened(page: Page): Promise<void> {
  for (let count = 0; count < 100; count++) {
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    if (!(await page.evaluate<boolean>('document.querySelector("dialog[open], :popover-open") !== null')))
      break;
  }
}

/** Presses what is active on a page, and what opens after that; what is open is closed again. */
async function pressAll(page: Page, address: string, had: string[]): Promise<void> {
  const press = (inside: string, names: readonly string[]) =>
    page.evaluate<{ readonly name: string | null; readonly isOpen: boolean; readonly at: string }>(
      `${PRESS}(${JSON.stringify(inside)}, ${JSON.stringify(names)})`,
    );
  for (let count = 0; count < 40; count++) {
    const outer = await press(CONTROLS, had);
    if (outer.name === null) break;
    const start = `${outer.name}: `;
    const inner = outer.isOpen
      ? await press(
          OPENED,
          had.filter((one) => one.startsWith(start)).map((one) => one.slice(start.length)),
        )
      : outer;
    // A menu is opened again until each of its entries was pressed.
    had.push(inner === outer || inner.name === null ? outer.name : `${start}${inner.name}`);
    if (inner.isOpen) await closeOpened(page);
    if (inner.at === address) continue;
    await moveTo(page, address);
    await settled(page);
  }
  await settled(page);
}

/** The content of a page without times and numbers: many pages are equal in several roles. */
async function contentOf(page: Page): Promise<string> {
  return ((await page.evaluate<string | undefined>(CONTENT)) ?? "").replaceAll(/\d+|\w+ ago|just now/g, "");
}

const DESK = { width: 1280, height: 900 };

async function broken(page: Page): Promise<readonly string[]> {
  const found = [...(await runAxeInThemes(page))];
  await page.setViewportSize({ width: 360, height: 740 });
  await settled(page);
  found.push(...(await page.evaluate<readonly string[]>(MISFITS)));
  for (const { id, where } of await runAxe(page)) found.push(`360 px ${id}: ${where.join(" | ")}`);
  await page.setViewportSize(DESK);
  return found;
}

/** What the controls of a content change, once it was looked at and pressed in one role. */
const known = new Map<string, ReadonlySet<string>>();

describe("every page in every role", { concurrency: 2 }, () => {
  for (const role of ["guest", ...ROLES] as const) {
    it(`offers ${role === "guest" ? "a guest" : `the ${role}`} nothing that the service would refuse`, async () => {
      const { page, context, faults, close } = await web.open(DESK);
      if (role !== "guest")
        await context.addCookies([sessionCookie(web.service.url, cookies.get(role) ?? null)]);
      const rights =
        role === "guest"
          ? ({ kind: "anonymous", scopes: [] } as const)
          : ({ kind: "person", scopes: [...scopesOf(role)] } as const);
      const found: string[] = [];
      let called = new Set<string>();
      const isRead = (name: string, method: string) =>
        method === "GET" || (!(name in OPERATIONS) && /^(list|get|dry)_/.test(name));
      await page.route("**/api/**", async (route) => {
        const request = route.request();
        const name = operationOf(request);
        if (name !== "") called.add(`${isRead(name, request.method()) ? "read" : "change"} ${name}`);
        if (name === "" || isRead(name, request.method())) return route.continue();
        // Refused as it is, so that nothing sends it again from the next page.
        return route.fulfill({
          status: 400,
          json: { ok: false, data: { error: { code: "invalid_input", message: "Not this." } } },
        });
      });
      await page.goto("/");
      const pressed = new Map<string, string[]>();
      for (const [route, address] of addresses()) {
        called = new Set();
        await moveTo(page, address);
        await page.getByRole("heading", { level: 1 }).first().waitFor({ state: "attached" });
        await settled(page);
        const content = await contentOf(page);
        const before = known.get(content);
        if (before === undefined) {
          found.push(...(await broken(page)).map((line) => `${address} ${line}`));
          await settled(page);
          const isWhole = (await contentOf(page)) === content;
          const had = pressed.get(route) ?? [];
          pressed.set(route, had);
          await pressAll(page, address, had);
          // What a page offers is not what it offered before a part of it came. What is read after a control was pressed
          // depends on the role, and is no control.
          if (isWhole) known.set(content, new Set([...called].filter((one) => one.startsWith("change "))));
        }
        for (const one of new Set([...called, ...(before ?? [])])) {
          const [kind, name = ""] = one.split(" ");
          const lacked = lackedFor(name, rights);
          // A guest is asked to sign in before anything is sent again.
          if (lacked !== null && (role !== "guest" || kind === "read"))
            found.push(`${address}: ${name} needs ${lacked}`);
        }
      }
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await close();
      assert.deepEqual([...new Set(found), ...faults], []);
    });
  }
});
