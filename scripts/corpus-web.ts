import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Browser, CDPSession, Locator, Page } from "playwright-core";
import { ensureBuilt, openPage, startBrowser } from "../tests/support/browser.ts";
import { startService, type TestService } from "../tests/support/service.ts";
import { corpusFolder } from "./corpus-folder.ts";
import { buildCorpusPage } from "../web/build/corpus-page.ts";

/*
 * `npm run corpus:web -- FOLDER`: shows the corpus's schemas and their valid instances in Chromium and looks for every
 * leaf, times typing into a form of 500 fields beside react-jsonschema-form on the same page, and records how fast the
 * tools page paints and can be used. `--print` writes no page; `--typing` leaves the corpus out and writes none either.
 */

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const flags = process.argv.slice(2);
const folder = flags.includes("--typing") ? "" : corpusFolder(flags);
const KEYS = 40;
const ROUNDS = 3;
const FIELDS = 500;
const FIELD = 250;
/** Four texts, then a whole number, again and again. */
const LARGE = {
  type: "object",
  properties: Object.fromEntries(
    Array.from({ length: FIELDS }, (_, n) => [
      `field${n}`,
      n % 5 === 4 ? { type: "integer" } : { type: "string", description: "A field among many." },
    ]),
  ),
};

if (!existsSync(join(ROOT, "bench/node_modules/@rjsf/core"))) {
  console.error("react-jsonschema-form is not installed. Run: npm ci --prefix bench");
  process.exit(2);
}

interface Shown {
  readonly name: string;
  readonly leaves: number;
  readonly json: number;
  readonly missing: readonly string[];
  readonly refused: string;
}

interface Typing {
  readonly p50: number;
  readonly p95: number;
  readonly keys: number;
  readonly paintMs: number;
  readonly interactiveMs: number;
  /** Processor time of the main thread for one key. */
  readonly busyMs: number;
}

const served = await servePage();
const browser = await startBrowser();
try {
  const { page, close } = await openPage(browser, { width: 1200, height: 900 });
  await page.goto(served.address);
  const shown = flags.includes("--typing") ? [] : await showAll(page);
  const { ours, rjsf } = await measureTyping(page);
  await close();
  const loading = await measureLoading(browser);
  const text = report(shown, ours, rjsf, loading);
  if (flags.includes("--print") || shown.length === 0) console.log(text);
  else writeFileSync(join(ROOT, "docs/corpus-web.md"), text);
  const missing = shown.reduce((sum, item) => sum + item.missing.length, 0);
  console.log(
    `${shown.length} instances, ${missing} leaves missing; typing p95 ${ours.p95.toFixed(1)} ms, react-jsonschema-form ${rjsf.p95.toFixed(1)} ms`,
  );
  process.exitCode = missing > 0 || ours.p95 > 50 ? 1 : 0;
} finally {
  await browser.close();
  await served.close();
}

/** Builds the page into a temporary folder and serves it on a free port. */
async function servePage(): Promise<{ readonly address: string; readonly close: () => Promise<void> }> {
  const out = await mkdtemp(join(tmpdir(), "workflow-ui-corpus-"));
  await buildCorpusPage(out);
  const types: Readonly<Record<string, string>> = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".woff2": "font/woff2",
  };
  const server = createServer((request, response) => {
    const path = request.url === "/" ? "/bench/web/index.html" : (request.url ?? "/");
    const file = join(out, path.split("?")[0] ?? "");
    if (!file.startsWith(out) || !existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response.setHeader("content-type", types[extname(file)] ?? "application/octet-stream");
    response.end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const bound = server.address();
  const port = typeof bound === "object" && bound !== null ? bound.port : 0;
  return {
    address: `http://127.0.0.1:${port}/`,
    close: async () => {
      server.close();
      await rm(out, { recursive: true, force: true });
    },
  };
}

/** Every valid instance of the corpus in its form, and every construct's. */
async function showAll(page: Page): Promise<readonly Shown[]> {
  const shown: Shown[] = [];
  const constructs: Record<string, { s: unknown; d?: unknown }> = JSON.parse(
    readFileSync(join(folder, "constructs/constructs.json"), "utf8"),
  );
  for (const [name, { s, d }] of Object.entries(constructs))
    shown.push(await showOne(page, `construct: ${name}`, s, d === undefined ? "" : JSON.stringify(d)));
  for (const name of readdirSync(join(folder, "schemastore"))) {
    const at = join(folder, "schemastore", name);
    const schema: unknown = JSON.parse(readFileSync(join(at, "schema.json"), "utf8"));
    if (!existsSync(join(at, "positive"))) continue;
    for (const file of readdirSync(join(at, "positive")).filter((item) => item.endsWith(".json"))) {
      shown.push(
        await showOne(page, `${name}/${file}`, schema, readFileSync(join(at, "positive", file), "utf8")),
      );
    }
  }
  return shown;
}

async function showOne(page: Page, name: string, schema: unknown, text: string): Promise<Shown> {
  const refused: string = await page.evaluate(
    `showOurs(${JSON.stringify(schema)}, ${JSON.stringify(text)}).catch((error) => error.message)`,
  );
  if (refused !== "") return { name, leaves: 0, json: 0, missing: [], refused };
  const found: { leaves: number; json: number; missing: string[] } = await page.evaluate("missingLeaves()");
  return { name, ...found, refused: "" };
}

/** Shows a form of 500 fields and types into field 250, both renderers in turn, in short rounds. */
async function measureTyping(page: Page): Promise<{ readonly ours: Typing; readonly rjsf: Typing }> {
  const taken = { ours: noSamples(), rjsf: noSamples() };
  const session = await page.context().newCDPSession(page);
  // Ticks of the thread are processor time: other programs on the machine do not count.
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  for (let round = 0; round < ROUNDS; round++) {
    for (const how of ["ours", "rjsf"] as const) {
      const shown: { paint: number; interactive: number } = await page.evaluate(
        `timeShow("${how}", ${JSON.stringify(LARGE)})`,
      );
      taken[how].paint.push(shown.paint);
      taken[how].interactive.push(shown.interactive);
      const field = page.locator(`#root input[id$="field${FIELD}"]`);
      await scrollTo(page, field);
      await field.click();
      await page.evaluate("timeKeys()");
      const before = await busy(session);
      for (let n = 0; n < KEYS; n++) {
        await page.keyboard.press("abcdefghij".charAt(n % 10));
        await page.waitForTimeout(30);
      }
      await page.waitForTimeout(200);
      taken[how].busy.push(((await busy(session)) - before) / KEYS);
      const times: number[] = await page.evaluate("keyTimes()");
      taken[how].keys.push(...times);
      const { length } = await field.inputValue();
      if (length !== KEYS) throw new Error(`${how} shows ${length} of ${KEYS} typed characters`);
    }
  }
  return { ours: typing(taken.ours), rjsf: typing(taken.rjsf) };
}

/** Milliseconds of processor time that the page's main thread has spent on tasks. */
async function busy(session: CDPSession): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN) * 1000;
}

/** Scrolls as a person does, until the field is drawn and in view. */
async function scrollTo(page: Page, field: Locator): Promise<void> {
  await page.mouse.move(600, 450);
  for (let n = 0; n < 400 && (await field.count()) === 0; n++) {
    await page.mouse.wheel(0, 800);
    await page.waitForTimeout(20);
  }
  await field.scrollIntoViewIfNeeded();
}

interface Samples {
  readonly keys: number[];
  readonly paint: number[];
  readonly interactive: number[];
  readonly busy: number[];
}

function noSamples(): Samples {
  return { keys: [], paint: [], interactive: [], busy: [] };
}

function typing({ keys, paint, interactive, busy: spent }: Samples): Typing {
  return {
    p50: quantile(keys, 0.5),
    p95: quantile(keys, 0.95),
    keys: keys.length,
    paintMs: quantile(paint, 0.5),
    interactiveMs: quantile(interactive, 0.5),
    busyMs: quantile(spent, 0.5),
  };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

interface Loading {
  readonly paintMs: number;
  readonly usableMs: number;
  readonly scriptBytes: number;
}

/** Cold loads of a tool's page from the real service: first paint, and when its form can be used. */
async function measureLoading(on: Browser): Promise<Loading> {
  await ensureBuilt();
  const service = await startService();
  const loads: Loading[] = [];
  for (let round = 0; round < ROUNDS; round++) loads.push(await loadOnce(on, service));
  await service.close();
  return {
    paintMs: quantile(
      loads.map((load) => load.paintMs),
      0.5,
    ),
    usableMs: quantile(
      loads.map((load) => load.usableMs),
      0.5,
    ),
    scriptBytes: Math.max(...loads.map((load) => load.scriptBytes)),
  };
}

async function loadOnce(on: Browser, service: TestService): Promise<Loading> {
  const { page, close } = await openPage(on, { baseUrl: service.url });
  let scriptBytes = 0;
  page.on("response", (response) => {
    if (/\.js(\?|$)/.test(response.url())) scriptBytes += Number(response.headers()["content-length"] ?? 0);
  });
  const began = performance.now();
  await page.goto("/tools/test_mcp_tool");
  await page.getByRole("button", { name: "Run" }).waitFor();
  const usableMs = performance.now() - began;
  const paintMs: number = await page.evaluate(
    "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN",
  );
  await close();
  return { paintMs, usableMs, scriptBytes };
}

function report(shown: readonly Shown[], ours: Typing, theirs: Typing, loading: Loading): string {
  const sum = (pick: (item: Shown) => number): number => shown.reduce((total, item) => total + pick(item), 0);
  const refused = shown.filter((item) => item.refused !== "");
  const holes = shown.filter((item) => item.missing.length > 0);
  return [
    "# The corpus in the browser",
    "",
    "Written by `npm run corpus:web`; do not edit. Chromium, headless, one machine.",
    "",
    "## Leaves",
    "",
    "Every leaf of every shown instance is looked for on the screen: a control that edits it, or a part that is JSON and says so.",
    "",
    "| instances | leaves | as fields | inside a JSON part | not reachable | schemas refused |",
    "|---|---|---|---|---|---|",
    `| ${shown.length} | ${sum((item) => item.leaves)} | ${sum((item) => item.leaves - item.json - item.missing.length)} | ${sum((item) => item.json)} | ${sum((item) => item.missing.length)} | ${refused.length} |`,
    "",
    ...refused.map((item) => `- refused: ${item.name}: ${item.refused}`),
    ...holes.map((item) => `- not reachable in ${item.name}: ${item.missing.slice(0, 5).join(", ")}`),
    "",
    `## A form of ${FIELDS} fields`,
    "",
    `The same schema in both renderers on the same page, in turn, ${ROUNDS} rounds. Shown: from handing over the schema until its first fields are painted, and until the page is idle (medians). Typing: ${KEYS} keys a round into field ${FIELD}, from the key event to the frame that shows it, and the main thread's processor time; the goal is 50 ms at the 95th percentile.`,
    "",
    "| renderer | painted ms | idle ms | key p50 ms | key p95 ms | processor ms a key | keys |",
    "|---|---|---|---|---|---|---|",
    line("this one", ours),
    line("react-jsonschema-form", theirs),
    "",
    "## Loading a tool's page",
    "",
    `Cold, from the service itself; medians of ${ROUNDS}.`,
    "",
    "| first contentful paint ms | form usable ms | compressed JavaScript kB |",
    "|---|---|---|",
    `| ${loading.paintMs.toFixed(0)} | ${loading.usableMs.toFixed(0)} | ${(loading.scriptBytes / 1000).toFixed(1)} |`,
    "",
  ].join("\n");
}

function line(name: string, figures: Typing): string {
  const { paintMs, interactiveMs, p50, p95, busyMs, keys } = figures;
  const shown = [paintMs.toFixed(0), interactiveMs.toFixed(0), p50.toFixed(1), p95.toFixed(1)];
  return `| ${name} | ${shown.join(" | ")} | ${busyMs.toFixed(1)} | ${keys} |`;
}
