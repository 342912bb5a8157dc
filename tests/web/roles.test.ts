import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { Page, Request } from "playwright-core";
import { lackedFor } from "../../packages/client/client.ts";
import { ROUTES } from "../../packages/client/operations.ts";
import { SESSION_COOKIE } from "../../src/access/people/cookie.ts";
import { scopesOf } from "../../src/access/people/roles.ts";
import { ROLES, type Role } from "../../src/ports/people.ts";
import { startApiServer, type ApiServer } from "../connections/api-server.ts";
import { addMember, makeOwner } from "../people/support.ts";
import { settled } from "../support/browser.ts";
import { fillDatabase, SHOP, type Full } from "./full-database.ts";
import { startWeb } from "./setup.ts";

/*
 * Every page in every role: what is enabled on a page is pressed, and no request may follow that the service would
 * refuse. Requests that change something do not leave the browser: whether they would be refused is read from the scopes
 * of the operations, so that the records stay as they are for the next page.
 */

let full: Full;
let api: ApiServer;
const cookies = new Map<Role, string>();

const web = startWeb(async () => {
  api = await startApiServer(SHOP);
  full = await fillDatabase(web.service, api);
  const owner = await makeOwner(web.service);
  cookies.set("owner", owner.visitor.cookie ?? "");
  for (const role of ROLES)
    if (role !== "owner") cookies.set(role, (await addMember(web.service, owner, role)).visitor.cookie ?? "");
});
after(() => api?.close());

/** The pages that differ by what a person may do. */
function addresses({ orderRunId, runs, orderWorkflowId, artifacts }: Full): readonly string[] {
  return [
    "/",
    "/runs",
    `/runs/${orderRunId}`,
    `/runs/${runs["failed"] ?? ""}`,
    `/runs/${runs["outcome_unknown"] ?? ""}?step=only_step`,
    `/runs/${runs["pending"] ?? ""}?step=may_order`,
    "/approvals",
    "/connections",
    "/connections/shop",
    "/connections/changed",
    "/workflows",
    `/workflows/${orderWorkflowId}`,
    "/templates",
    `/artifacts/${artifacts[0] ?? ""}`,
    "/handoffs",
    "/demo",
    "/people",
    "/audit",
    "/retention",
    "/tools/save_artifact",
    "/account",
  ];
}

const PATTERNS = Object.entries(ROUTES).map(([name, route]) => {
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

/** Buttons that lead elsewhere, or leave nothing to press. */
const NOT_PRESSED = /sign out|download|copy|export|choose a file|theme/i;

/** Presses what is enabled in the page, one after the other; what opens is closed again. */
async function pressAll(page: Page, address: string): Promise<void> {
  const buttons = page.locator("main button:enabled:visible");
  const count = await buttons.count();
  for (let nth = 0; nth < Math.min(count, 12); nth++) {
    const button = buttons.nth(nth);
    const name = await button.innerText({ timeout: 500 }).catch(() => "");
    if (name === "" || NOT_PRESSED.test(name)) continue;
    await button.click({ timeout: 500 }).catch(() => undefined);
    // What a dialog offers first is what the button was for.
    const primary = page.locator("dialog[open] footer button:enabled").last();
    if ((await primary.count()) > 0) await primary.click({ timeout: 500 }).catch(() => undefined);
    await page.keyboard.press("Escape");
    if (new URL(page.url()).pathname !== address.split("?")[0]) {
      await page.goto(address);
      await settled(page);
    }
  }
}

describe("every page in every role", () => {
  const roles: readonly (Role | "guest")[] = ROLES.filter((one) => one !== "owner" && one !== "admin");
  for (const role of roles) {
    it(`offers ${role === "guest" ? "a guest" : `the ${role}`} nothing that the service would refuse`, async () => {
      const { page, context, faults, close } = await web.open();
      if (role !== "guest") {
        const url = web.service.url.replace("http:", "https:");
        const value = cookies.get(role) ?? "";
        await context.addCookies([{ name: SESSION_COOKIE, value, url, secure: true, httpOnly: true }]);
      }
      const scopes: readonly string[] = role === "guest" ? [] : [...scopesOf(role)];
      const rights = { kind: role === "guest" ? "anonymous" : "person", scopes } as const;
      const refused: string[] = [];
      let address = "";
      await page.route("**/api/**", async (route) => {
        const request = route.request();
        const name = operationOf(request);
        const isRead =
          request.method() === "GET" || (name !== "" && !(name in ROUTES) && /^(list|get|dry)_/.test(name));
        const lacked = name === "" ? null : lackedFor(name, rights);
        // A guest is asked to sign in before anything is sent again.
        if (lacked !== null && (role !== "guest" || isRead))
          refused.push(`${address}: ${name} needs ${lacked}`);
        if (isRead || name === "" || request.url().includes("/events")) return route.continue();
        return route.fulfill({
          status: 503,
          json: { ok: false, data: { error: { code: "unavailable", message: "Not now." } } },
        });
      });
      for (address of addresses(full)) {
        await page.goto(address);
        await settled(page);
        await pressAll(page, address);
      }
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await close();
      assert.deepEqual([...new Set(refused), ...faults], []);
    });
  }
});
