import { readFile, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import type { Browser, CDPSession, Page } from "playwright-core";
import { ensureBuilt, openPage, startBrowser } from "../../tests/support/browser.ts";
import { startService } from "../../tests/support/service.ts";
import { enterKey, largeWorkflow, moveTo } from "../../tests/web/support.ts";

/*
 * `npm run bench:editor`: a workflow of 2,000 steps in the editor, in Chromium. How long it takes to open as a picture
 * and as a list, how many frames a second are drawn while a step is dragged (from a trace of the browser), and how much
 * memory the tab takes. Writes bench/results/editor.md and fails when a figure misses its bar.
 */

const STEPS = 2_000;
const ROUNDS = 3;
const DRAG_MS = 3_000;
const [FIRST, MIDDLE] = ["n0", "n1020"];
const stepAt = (step: string) => `.react-flow__node[data-id="${step}"]`;
const BARS = { openMs: 2_000, framesPerSecond: 30, megabytes: 500 } as const;

interface Frames {
  readonly steps: number;
  readonly perSecond: number;
}

interface Figures {
  readonly canvasMs: number;
  readonly outlineMs: number;
  readonly canvasElements: number;
  readonly outlineElements: number;
  readonly near: Frames;
  readonly far: Frames;
  readonly heapMb: number;
  readonly tabMb: number;
}

await ensureBuilt();
const service = await startService();
const made = await service.call("create_workflow", largeWorkflow(STEPS), { key: true });
const id: string = made.envelope.data.workflow.id;
const rounds: Figures[] = [];
try {
  for (let round = 0; round < ROUNDS; round++) {
    // A browser of its own for each round: what an earlier tab left behind is not measured.
    const browser = await startBrowser();
    try {
      rounds.push(await measure(browser));
    } finally {
      await browser.close();
    }
    process.stdout.write(`round ${round + 1}: ${JSON.stringify(rounds.at(-1))}\n`);
  }
} finally {
  await service.close();
}

const middle = (pick: (figures: Figures) => number): number =>
  rounds.map(pick).toSorted((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? 0;
const rows = [
  row(
    "open as a picture",
    middle((one) => one.canvasMs),
    "ms",
    BARS.openMs,
    "most",
  ),
  row(
    "open as a list",
    middle((one) => one.outlineMs),
    "ms",
    BARS.openMs,
    "most",
  ),
  row(
    "frames while a step is dragged, as it opens",
    middle((one) => one.near.perSecond),
    "a second",
    BARS.framesPerSecond,
    "least",
  ),
  row(
    "frames while a step is dragged, zoomed out",
    middle((one) => one.far.perSecond),
    "a second",
    BARS.framesPerSecond,
    "least",
  ),
  row(
    "steps in view when zoomed out",
    middle((one) => one.far.steps),
    "",
    null,
    "most",
  ),
  row(
    "JavaScript heap",
    middle((one) => one.heapMb),
    "MB",
    BARS.megabytes,
    "most",
  ),
  row(
    "memory of the tab's process",
    middle((one) => one.tabMb),
    "MB",
    BARS.megabytes,
    "most",
  ),
  row(
    "elements on the page with the picture",
    middle((one) => one.canvasElements),
    "",
    null,
    "most",
  ),
  row(
    "elements on the page with the list",
    middle((one) => one.outlineElements),
    "",
    null,
    "most",
  ),
];
await writeFile(
  new URL("../results/editor.md", import.meta.url),
  `# The editor with ${STEPS.toLocaleString("en")} steps

\`npm run bench:editor\` on ${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}, headless Chromium at 1400 × 900 without a graphics card; medians of ${ROUNDS} rounds. Opening is from the click in the app until the steps are drawn. Zoomed out, the picture shows hundreds of steps. Frames are those that the browser's trace reports as drawn while a step is dragged for ${DRAG_MS / 1_000} s. The memory of the process is what only it holds.

| what | measured | bar |
|---|--:|---|
${rows.map(({ line }) => line).join("\n")}
`,
);
const missed = rows.filter(({ isMet }) => !isMet);
for (const { line } of missed) process.stderr.write(`Misses its bar: ${line}\n`);
process.exit(missed.length === 0 ? 0 : 1);

function row(what: string, value: number, unit: string, bar: number | null, kind: "most" | "least") {
  const isMet = bar === null || (kind === "most" ? value < bar : value >= bar);
  const bound = bar === null ? "" : `${isMet ? "✓" : "✗"} ${kind === "most" ? "under" : "at least"} ${bar}`;
  return { isMet, line: `| ${what} | ${Math.round(value).toLocaleString("en")} ${unit} | ${bound} |` };
}

async function measure(browser: Browser): Promise<Figures> {
  const { page, context, close } = await openPage(browser, { baseUrl: service.url, width: 1400 });
  page.setDefaultTimeout(120_000);
  await page.goto("/workflows");
  await enterKey(page, service.key);
  const outlineMs = await opening(
    page,
    `/workflows/${id}?view=outline`,
    "[aria-label=Steps] [role=listitem]",
  );
  const outlineElements = await elements(page);
  await moveTo(page, "/workflows");
  await page.getByRole("heading", { level: 1, name: "Workflows" }).waitFor();
  const canvasMs = await opening(page, `/workflows/${id}`, ".react-flow__node");
  const canvasElements = await elements(page);
  const cdp = await context.newCDPSession(page);
  const near = await dragging(page, cdp, FIRST);
  await zoomOut(page);
  const far = await dragging(page, cdp, MIDDLE);
  await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  const tabMb = await memoryOfTab(browser);
  await close();
  return { canvasMs, outlineMs, canvasElements, outlineElements, near, far, heapMb: usedSize / 1e6, tabMb };
}

async function elements(page: Page): Promise<number> {
  return page.evaluate("document.querySelectorAll('*').length");
}

/** From the move to the address until a step is drawn, as the page itself measures it. */
async function opening(page: Page, address: string, step: string): Promise<number> {
  return page.evaluate(`new Promise((done) => {
    const began = performance.now();
    const look = () => {
      if (document.querySelector(${JSON.stringify(step)}) === null) requestAnimationFrame(look);
      // The step is drawn in the frame after the one that holds it.
      else requestAnimationFrame(() => done(performance.now() - began));
    };
    history.pushState({}, "", ${JSON.stringify(address)});
    dispatchEvent(new PopStateEvent("popstate"));
    look();
  })`);
}

/** A step in the middle, as far out as the canvas goes. */
async function zoomOut(page: Page): Promise<void> {
  await moveTo(page, `/workflows/${id}?node=${MIDDLE}`);
  await page.locator(stepAt(MIDDLE)).waitFor();
  const button = page.locator(".react-flow__controls-zoomout");
  while (await button.isEnabled()) await button.click();
  await page.waitForFunction("document.querySelectorAll('.react-flow__node').length > 100");
}

/** Drags a step about and counts the frames that were drawn. */
async function dragging(page: Page, cdp: CDPSession, step: string): Promise<Frames> {
  const steps = await page.locator(".react-flow__node").count();
  const box = await page.locator(stepAt(step)).boundingBox();
  if (box === null) throw new Error("The step is not drawn.");
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 4];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 10, y + 10, { steps: 4 });
  let drawn = 0;
  const collect = ({ value }: { readonly value: readonly Record<string, unknown>[] }) => {
    drawn += value.filter((event) => event["name"] === "DrawFrame").length;
  };
  cdp.on("Tracing.dataCollected", collect);
  const ended = new Promise<void>((done) => cdp.once("Tracing.tracingComplete", () => done()));
  await cdp.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["disabled-by-default-devtools.timeline.frame"] },
  });
  const began = performance.now();
  const moves: Promise<void>[] = [];
  // A hand does not wait for the picture: the moves are sent at their own pace.
  for (let n = 0; performance.now() - began < DRAG_MS; n++) {
    moves.push(page.mouse.move(x + 10 + 120 * Math.sin(n / 12), y + 10 + 80 * (1 - Math.cos(n / 12))));
    await setTimeout(12);
  }
  await Promise.all(moves);
  const took = performance.now() - began;
  await cdp.send("Tracing.end");
  await ended;
  cdp.off("Tracing.dataCollected", collect);
  await page.mouse.up();
  return { steps, perSecond: drawn / (took / 1_000) };
}

/** What the largest tab of a browser holds alone, in megabytes. */
async function memoryOfTab(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const sizes = await Promise.all(
    processInfo
      .filter(({ type }) => type === "renderer")
      .map(async ({ id: pid }) => {
        const text = await readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => "");
        const held = [...text.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB$/gm)];
        return held.reduce((sum, [, kb]) => sum + Number(kb), 0) / 1_000;
      }),
  );
  return Math.max(...sizes);
}
