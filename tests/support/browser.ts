import { chromium, type Browser, type BrowserContext, type ConsoleMessage, type Page } from "playwright-core";
import { access, readdir } from "node:fs/promises";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const EXECUTABLES = [
  process.env["CHROMIUM_PATH"] ?? "",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];

/** A page with the errors and policy violations it met. */
export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Uncaught errors, and messages about the content policy. */
  readonly faults: readonly string[];
  close(): Promise<void>;
}

/** How a page is opened. */
export interface PageOptions {
  readonly baseUrl?: string;
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  readonly reducedMotion?: boolean;
}

/** Starts Chromium without a sandbox or any traffic of its own. */
export async function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: await findChromium(),
    args: [
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
    ],
  });
}

async function findChromium(): Promise<string> {
  for (const path of EXECUTABLES.filter((path) => path !== "")) {
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
    ...(options.baseUrl !== undefined && { baseURL: options.baseUrl }),
  });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message: ConsoleMessage) => {
    if (message.type() === "error" && /content security policy|uncaught/i.test(message.text()))
      faults.push(message.text());
  });
  return { page, context, faults, close: () => context.close() };
}

let building: Promise<void> | undefined;

/** Builds the web app once a process, when it is missing or older than its sources. */
export function ensureBuilt(): Promise<void> {
  building ??= build();
  return building;
}

async function build(): Promise<void> {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const [made, made2] = await Promise.all([newest(`${root}web/dist`), newest(`${root}web/dist-app`)]);
  const sources = await Promise.all([newest(`${root}web/src`), newest(`${root}src/forms`)]);
  if (Math.min(made, made2) > Math.max(...sources)) return;
  const child = spawn("npm", ["run", "build", "-w", "web"], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stdout.on("data", (data: Buffer) => (said += data.toString()));
  child.stderr.on("data", (data: Buffer) => (said += data.toString()));
  await once(child, "close");
  if (child.exitCode !== 0) throw new Error(`The web app did not build:\n${said}`);
}

async function newest(folder: string): Promise<number> {
  const { stat } = await import("node:fs/promises");
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const times = await Promise.all(names.map(async (name) => (await stat(`${folder}/${name}`)).mtimeMs));
  return Math.max(0, ...times);
}
