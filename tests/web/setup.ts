import { after, before } from "node:test";
import type { Browser, Page } from "playwright-core";
import { SESSION_COOKIE } from "../../src/access/people/cookie.ts";
import { PASSWORD } from "../people/support.ts";
import {
  ensureBuilt,
  leaveBrowser,
  openPage,
  runAxeInThemes,
  settled,
  takeBrowser,
  type PageOptions,
  type WatchedPage,
} from "../support/browser.ts";
import { startService, type TestService } from "../support/service.ts";

/** A service and a browser that the tests of one file share. */
export interface Web {
  readonly service: TestService;
  readonly browser: Browser;
  /** Opens a page of the service in a context of its own, and watches it. */
  readonly open: (options?: Omit<PageOptions, "baseUrl">) => Promise<WatchedPage>;
}

/** Starts both before the first test of the file, lets it prepare what it needs, and closes them after the last one. */
export function startWeb(prepare?: () => Promise<void>): Web {
  let service: TestService | undefined;
  let browser: Browser | undefined;
  before(async () => {
    await ensureBuilt();
    [service, browser] = await Promise.all([startService(), takeBrowser()]);
    await prepare?.();
  });
  after(async () => {
    if (browser !== undefined) await leaveBrowser(browser);
    await service?.close();
  });
  return {
    get service() {
      return started(service);
    },
    get browser() {
      return started(browser);
    },
    open: (options) => openPage(started(browser), { baseUrl: started(service).url, ...options }),
  };
}

function started<T>(part: T | undefined): T {
  if (part === undefined)
    throw new Error("Only tests and hooks can use it: it starts before the first test.");
  return part;
}

/** What axe finds on a page in light and dark, and how far the page is wider than its screen. */
export async function violations(page: Page, where: string): Promise<readonly string[]> {
  await settled(page);
  const found = (await runAxeInThemes(page)).map((line) => `${where} ${line}`);
  const wide = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
  if (wide > 0) found.push(`${where}: ${wide} pixels too wide`);
  return found;
}

/** The cookie with which a browser has the session of a person. */
export function sessionCookie(url: string, value: string | null) {
  const secure = url.replace("http:", "https:");
  return { name: SESSION_COOKIE, value: value ?? "", url: secure, secure: true, httpOnly: true };
}

/** Signs in with the password of the tests, and goes on to a page. */
export async function signIn(page: Page, to: string, email: string): Promise<void> {
  await page.goto(`/sign-in?to=${encodeURIComponent(to)}`);
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}
