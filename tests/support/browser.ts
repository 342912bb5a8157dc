import {
  chromium,
  type Browser,
  type BrowserContext,
  type ConsoleMessage,
  type Frame,
  type Page,
} from "playwright-core";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const EXECUTABLES = [
  process.env["CHROMIUM_PATH"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  // Where scripts/bootstrap.mjs unpacks one on a machine without.
  fileURLToPath(new URL("../../node_modules/.cache/chromium/run", import.meta.url)),
];
/** The same engine without the browser around it: it starts with a third of the processor time. */
const HEADLESS_SHELL = "/usr/bin/chromium-headless-shell";

/** A page with the errors and policy violations it met. */
export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Uncaught errors, and messages about the content policy. */
  readonly faults: readonly string[];
  readonly close: () => Promise<void>;
}

/** How a page is opened. */
export interface PageOptions {
  readonly baseUrl?: string;
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  readonly reducedMotion?: boolean;
  readonly hasTouch?: boolean;
}

/** Chromium without a sandbox or any traffic of its own. */
export const CHROMIUM_ARGS: readonly string[] = [
  "--no-sandbox",
  "--disable-dev-shm-usage",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--disable-domain-reliability",
  "--disable-client-side-phishing-detection",
  "--disable-default-apps",
  "--metrics-recording-only",
];

/**
 * Chromium's own editing of a contenteditable sometimes writes a style attribute, which the policy then blocks. It has
 * no place in a script, and none in the document, where a style of ours would have one.
 */
function isOfEditing(message: ConsoleMessage): boolean {
  const { url, lineNumber, columnNumber } = message.location();
  const isPlaceless = lineNumber === 0 && columnNumber === 0 && !url.includes("/assets/");
  return isPlaceless && message.text().startsWith("Applying inline style");
}

/** Starts Chromium, as its headless shell where that is installed. */
export async function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: await findBrowser(), args: [...CHROMIUM_ARGS] });
}

/** What the tests start: the headless shell, or else Chromium. */
export function findBrowser(): Promise<string> {
  const [named = "", ...usual] = EXECUTABLES;
  return firstOf([named, HEADLESS_SHELL, ...usual]);
}

let kept: Promise<Browser> | undefined;
let ending: NodeJS.Timeout | undefined;

/** The Chromium of this process: test files that run one after the other share it. */
export async function takeBrowser(): Promise<Browser> {
  clearTimeout(ending);
  const running = await kept;
  if (running?.isConnected() === true) return running;
  kept = startBrowser();
  return kept;
}

/** Closes all that was opened; Chromium itself ends when no other file takes it at once. */
export async function leaveBrowser(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map((context) => context.close()));
  ending = setTimeout(() => {
    kept = undefined;
    void browser.close();
  }, 500);
}

/** Where Chromium is on this machine. */
export function findChromium(): Promise<string> {
  return firstOf(EXECUTABLES);
}

async function firstOf(paths: readonly string[]): Promise<string> {
  for (const path of paths.filter((path) => path !== "")) {
    const found = await access(path).then(
      () => true,
      () => false,
    );
    if (found) return path;
  }
  throw new Error("No Chromium was found. Install one, or name it in CHROMIUM_PATH.");
}

/** Opens a page in a context of its own and watches it. */
export async function openPage(browser: Browser, options: PageOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: { width: options.width ?? 1280, height: options.height ?? 900 },
    colorScheme: options.dark === true ? "dark" : "light",
    reducedMotion: options.reducedMotion === false ? "no-preference" : "reduce",
    timezoneId: "Europe/Berlin",
    locale: "en-GB",
    hasTouch: options.hasTouch === true,
    ...(options.baseUrl !== undefined && { baseURL: options.baseUrl }),
  });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message: ConsoleMessage) => {
    if (message.type() !== "error" || isOfEditing(message)) return;
    if (/content security policy|uncaught/i.test(message.text())) faults.push(message.text());
  });
  return { page, context, faults, close: () => context.close() };
}

let building: Promise<void> | undefined;

/** Builds the web app when it is missing or older than its sources; test files that start together wait for one build. */
export function ensureBuilt(): Promise<void> {
  building ??= build();
  return building;
}

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

async function build(): Promise<void> {
  await withLock(`${ROOT}node_modules/.web-build-lock`, async () => {
    const made = await Promise.all([newest(`${ROOT}web/dist`), newest(`${ROOT}web/dist-app`)]);
    const sources = [
      "web/src",
      "web/index.html",
      "web/form.html",
      "web/vite.config.ts",
      "packages/forms/src",
      "packages/forms-react/src",
      "packages/forms-react/controls.css",
      "packages/forms-react/theme.css",
      "packages/forms-react/tokens.css",
      "src/sources",
      "src/workflows",
      "src/provenance",
      "src/kernel",
    ];
    const changed = await Promise.all(sources.map((path) => newest(ROOT + path)));
    if (Math.min(...made) > Math.max(...changed)) return;
    const child = spawn("npm", ["run", "build", "-w", "web"], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let printed = "";
    child.stdout.on("data", (data: Buffer) => (printed += data.toString()));
    child.stderr.on("data", (data: Buffer) => (printed += data.toString()));
    await once(child, "close");
    if (child.exitCode !== 0) throw new Error(`The web app did not build:\n${printed}`);
  });
}

/** Making a folder is atomic, so it serves as a lock between processes; one left by a dead process is taken over. */
async function withLock(path: string, work: () => Promise<void>): Promise<void> {
  for (;;) {
    const taken = await mkdir(path).then(
      () => true,
      () => false,
    );
    if (taken) break;
    const age = await stat(path).then(
      (found) => Date.now() - found.mtimeMs,
      () => 0,
    );
    if (age > 120_000) await rm(path, { recursive: true, force: true });
    else await pause(200);
  }
  try {
    await work();
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

/** When the newest file at a path was written; 0 when there is none. */
async function newest(path: string): Promise<number> {
  const own = await stat(path).catch(() => null);
  if (own === null) return 0;
  if (!own.isDirectory()) return own.mtimeMs;
  const names = await readdir(path, { recursive: true });
  const times = await Promise.all(
    names
      .filter((name) => !name.endsWith(".test.ts"))
      .map(async (name) =>
        stat(`${path}/${name}`).then(
          (found) => (found.isFile() ? found.mtimeMs : 0),
          () => 0,
        ),
      ),
  );
  return Math.max(0, ...times);
}

const AXE = readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** One rule of accessibility that a page breaks, and where. */
export interface Violation {
  readonly id: string;
  readonly help: string;
  readonly where: readonly string[];
}

/*
 * Contrast is most of what axe costs, and a list of ninety tools has the contrast of its first two. So axe measures two
 * texts of each look, and no look again that this process has had measured: a look is the colours and the font of a
 * text, and the elements around it with their classes, states and backgrounds, at one width of the page.
 */
const measured = new Set<string>();

/** In the page: marks the texts to measure; gives them with their looks. */
const MARK = `(roots, known) => {
  const STATE = /^(class|role|disabled|open|aria-(current|selected|disabled|expanded|pressed|checked|invalid))$/;
  const paths = new Map();
  const pathOf = (element) => {
    if (element === null) return String(innerWidth);
    const had = paths.get(element);
    if (had !== undefined) return had;
    const { backgroundColor, backgroundImage, opacity } = getComputedStyle(element);
    const states = [...element.attributes].filter(({ name }) => STATE.test(name)).map(({ value }) => value);
    const path = hash([pathOf(element.parentElement), element.localName, ...states, backgroundColor, backgroundImage, opacity].join());
    paths.set(element, path);
    return path;
  };
  const hash = (text) => {
    let [a, b] = [0xdeadbeef, 0x41c6ce57];
    for (let n = 0; n < text.length; n++) {
      a = Math.imul(a ^ text.charCodeAt(n), 2654435761);
      b = Math.imul(b ^ text.charCodeAt(n), 1597334677);
    }
    return (a >>> 0).toString(36) + (b >>> 0).toString(36);
  };
  const counts = new Map();
  const marked = [];
  for (const element of roots.flatMap((root) => [root, ...root.querySelectorAll("*")])) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "");
    if (!hasText && !element.matches("input, select, textarea")) continue;
    if (!element.checkVisibility({ visibilityProperty: true })) continue;
    const { color, fontSize, fontWeight } = getComputedStyle(element);
    const look = hash([pathOf(element), color, fontSize, fontWeight].join());
    const count = counts.get(look) ?? 0;
    counts.set(look, count + 1);
    if (known.has(look) || count > 1) continue;
    marked.push(element);
  }
  // Only now: a mark between two looks would have the styles computed again.
  for (const element of marked) element.setAttribute("data-look", "");
  return { marked, looks: [...counts.keys()] };
}`;

/*
 * Around the content every page has the same menu and the same bar. Their items are examined once for each width and
 * theme, unless one of them has a look that was not measured yet.
 */
const examined = new Set<string>();

/** In the page: the items of the frame that were examined before, and the keys of all of them. */
const FRAME = `(known) => {
  const theme = (document.documentElement.dataset.theme ?? "") + innerWidth + (document.querySelector("dialog[open]") !== null);
  const items = [...document.querySelectorAll("body aside li, body header > *")].filter((item) => item.closest("main, dialog") === null);
  const keyOf = (item) => theme + item.outerHTML.replace(/ (id|data-look|aria-(controls|describedby|labelledby))="[^"]*"/g, "");
  return {
    had: items.filter((item) => known.has(keyOf(item)) && item.querySelector("[data-look]") === null && !item.matches("[data-look]")),
    keys: items.map(keyOf),
  };
}`;

/**
 * Runs all of axe on a page, or on the part that a selector names: WCAG 2.2 AA and the best practices. Of what axe can
 * load beforehand only media are wanted, and only for whole pages: the one rule that reads style sheets is experimental.
 */
export async function runAxe(
  page: Page | Frame,
  selector?: string,
  rules?: readonly string[],
): Promise<readonly Violation[]> {
  const loaded: boolean = await page.evaluate("'axe' in window");
  // The page's policy allows no inline script; evaluating is the debugger's right and not the page's.
  if (!loaded) {
    await page.evaluate(await AXE);
    await page.evaluate(`axe.configure({ rules: [{ id: "color-contrast", selector: "[data-look]" }] })`);
  }
  const only = rules === undefined ? "" : `, runOnly: { type: "rule", values: ${JSON.stringify(rules)} }`;
  const part = selector === undefined ? "document" : JSON.stringify(selector);
  const roots =
    selector === undefined ? "[document.documentElement]" : `[...document.querySelectorAll(${part})]`;
  const isColour = rules === undefined || rules.includes("color-contrast");
  const result: {
    readonly looks: readonly string[];
    readonly keys: readonly string[];
    readonly violations: readonly Violation[];
  } = await page.evaluate(`(async () => {
      const { marked, looks } = (${MARK})(${isColour ? roots : "[]"}, new Set(${JSON.stringify([...measured])}));
      const wanted = ${rules !== COLOUR_RULES} || marked.length > 0;
      const { had, keys } = ${rules === undefined && selector === undefined} ? (${FRAME})(new Set(${JSON.stringify([...examined])})) : { had: [], keys: [] };
      const { violations } = !wanted ? { violations: [] } :
        await axe.run(had.length > 0 ? { exclude: had } : ${part}, { resultTypes: ["violations"], preload: ${selector === undefined ? '{ assets: ["media"] }' : "false"}${only} });
      for (const element of marked) element.removeAttribute("data-look");
      return { looks, keys, violations: violations.map(({ id, help, nodes }) => ({
        id, help, where: nodes.slice(0, 4).map((node) => node.html.slice(0, 240)),
      })) };
    })()`);
  for (const look of result.looks) measured.add(look);
  for (const key of result.keys) examined.add(key);
  return result.violations;
}

/** What can differ in the dark; everything else was looked at in the light. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** What axe finds in the light, and of colours in the dark; one line for each finding. */
export async function runAxeInThemes(page: Page, selector?: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const theme of ["light", "dark"] as const) {
    await setTheme(page, theme);
    for (const { id, help, where } of await runAxe(
      page,
      selector,
      theme === "dark" ? COLOUR_RULES : undefined,
    ))
      found.push(`${theme} ${id}: ${help} ${where.join(" | ")}`);
  }
  await setTheme(page, "");
  return found;
}

const TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";

/** Waits until nothing on the page is still being fetched or drawn. The event stream stays open and does not count. */
export async function settled(page: Page): Promise<void> {
  // A page that was asked for just now says that it is loading one frame later.
  await page.evaluate(TWO_FRAMES);
  await page
    .locator("[role=status][aria-label=Loading], [aria-busy=true]")
    .first()
    .waitFor({ state: "detached" });
  await page.evaluate(TWO_FRAMES);
}

/** Shows the page in a theme, or as the system wants it. */
export async function setTheme(page: Page, theme: "light" | "dark" | ""): Promise<void> {
  const root = "document.documentElement.dataset";
  await page.evaluate(theme === "" ? `delete ${root}.theme` : `${root}.theme = "${theme}"`);
}
