import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { settled, type WatchedPage } from "../support/browser.ts";
import { enterKey, moveTo } from "./support.ts";
import { startWeb } from "./setup.ts";

/*
 * What strangers write is text wherever it is shown. A tag that came alive would set the mark, load the picture, or be
 * reported as a violation of the content policy.
 */

const EVIL = `<img src=/x onerror="window.__pwned=1"><script>window.__pwned=1</script><a href="javascript:window.__pwned=1">go</a>`;
const BIG = "A very long title ".repeat(58_000);

let watched: WatchedPage;
let page: Page;

const web = startWeb(async () => {
  watched = await web.open({ width: 1440 });
  ({ page } = watched);
  await page.goto("/connections?add=open");
  await enterKey(page, web.service.key);
});

/** Nothing that was written became part of the page's own working. */
async function inert(where: string): Promise<void> {
  await settled(page);
  assert.equal(await page.evaluate("window.__pwned"), undefined, where);
  const alive = await page
    .locator(
      "main :is(img:not(.cm-widgetBuffer), script, iframe, object, a[href^='javascript' i]), dialog img",
    )
    .count();
  assert.equal(alive, 0, where);
  assert.deepEqual(watched.faults, [], where);
}

/** Opens an address, waits for the text there, and looks. */
async function inertAt(address: string, shown = "<img"): Promise<void> {
  await moveTo(page, address);
  await page.getByText(shown).filter({ visible: true }).first().waitFor();
  await inert(address);
}

const own = (schema: unknown): string =>
  `/connections?add=open#${new URLSearchParams({ schema: JSON.stringify(schema) }).toString()}`;

describe("text of strangers", () => {
  it("stays text in every part of a form", async () => {
    await moveTo(
      page,
      own({
        title: EVIL,
        description: EVIL,
        type: "object",
        required: [EVIL, "file"],
        properties: {
          [EVIL]: { type: "string", title: EVIL, description: EVIL, examples: [EVIL] },
          pick: { title: "Pick", enum: [EVIL, "javascript:alert(1)", "\u202Eltr"] },
          labelled: { title: EVIL, oneOf: [{ const: 1, title: EVIL, description: EVIL }, { const: 2 }] },
          one: {
            oneOf: [
              { title: EVIL, type: "string" },
              { title: "b", type: "object", required: ["x"] },
            ],
          },
          link: { type: "string", format: "uri", default: "javascript:window.__pwned=1" },
          file: { type: "string", title: "File", contentEncoding: "base64", contentMediaType: "image/png" },
          [`${EVIL}s`]: {
            type: "array",
            title: EVIL,
            items: { type: "string", title: EVIL },
            default: [EVIL],
          },
        },
      }),
    );
    await page.locator("form", { hasText: "Pick" }).waitFor();
    await page.locator("form input[type=file]").setInputFiles({
      name: `${EVIL.replaceAll("/", "")}.png`,
      mimeType: "image/png",
      buffer: Buffer.from(EVIL),
    });
    await page.getByText(/onerror.*\.png/).waitFor();
    await page.getByRole("button", { name: "Check it" }).click();
    await inert("form");
    await page.getByRole("radio", { name: "Changes" }).click();
    await inert("changes");
    assert.ok((await page.title()).length < 500);
  });

  it("stays text in results, refusals, histories and records", async () => {
    const artifact = { title: EVIL, type: "note", content: { [EVIL]: [{ [EVIL]: EVIL }] } };
    await moveTo(
      page,
      `/tools/create_local_artifact#${new URLSearchParams({ v: JSON.stringify({ title: EVIL, description: EVIL }) }).toString()}`,
    );
    await page.getByRole("button", { name: "Run" }).click();
    const result = page.getByRole("region", { name: "Result" });
    await result.getByText("<img").first().waitFor();
    for (const view of ["Table", "JSON", "Raw", "View"]) {
      const radio = result.getByRole("radio", { name: view });
      if ((await radio.count()) > 0) await radio.click();
      await inert(`result as ${view}`);
    }
    await page.getByRole("tab", { name: "History" }).click();
    await inert("history");
    await inertAt(`/tools/${encodeURIComponent(EVIL)}`);
    await moveTo(
      page,
      `/tools/get_workflow#${new URLSearchParams({ v: JSON.stringify({ id: EVIL }) }).toString()}`,
    );
    await page.getByRole("button", { name: "Run" }).click();
    await result.getByText(/Not done|Refused/).waitFor();
    await inert("refusal");
    const saved = await web.service.call("save_artifact", { artifact }, { key: true });
    const made = await web.service.call(
      "create_workflow",
      {
        name: EVIL.slice(0, 120),
        description: EVIL,
        tags: ["<img src=x>"],
        nodes: [
          { id: "ask", type: "approval", title: EVIL, approval: { title: EVIL, show: { [EVIL]: EVIL } } },
        ],
        edges: [],
      },
      { key: true },
    );
    const id: string = made.envelope.data.workflow.id;
    const run = await web.service.call("run_workflow", { id }, { key: true });
    assert.ok(saved.envelope.ok && run.envelope.ok, saved.text + run.text);
    for (const address of [
      "/artifacts?view=saved",
      `/artifacts/${saved.envelope.data.artifact.id}`,
      "/workflows",
      `/workflows/${id}`,
      `/workflows/${id}?view=outline`,
      `/workflows/${id}?tab=plan`,
      `/runs/${run.envelope.data.run.id}?step=ask`,
      "/approvals",
      "/",
    ])
      await inertAt(address);
  });

  it("of a megabyte does not freeze the page", async () => {
    await moveTo(page, "/connections?add=open");
    const session = await watched.context.newCDPSession(page);
    // Processor time of the page's main thread: a busy machine must not look like a frozen page.
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const spent = async (): Promise<number> => {
      const { metrics } = await session.send("Performance.getMetrics");
      return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
    };
    const before = await spent();
    await page.getByLabel("Choose a file", { exact: true }).setInputFiles({
      name: "big.json",
      mimeType: "application/json",
      buffer: Buffer.from(
        JSON.stringify({
          title: BIG,
          description: BIG,
          type: "object",
          properties: { name: { type: "string", title: "Name", description: BIG } },
        }),
      ),
    });
    const field = page.locator("form input[type=text]").first();
    await field.waitFor();
    await field.fill("still here");
    await page.getByRole("group", { name: /JSON/ }).getByText("still here").waitFor();
    const took = (await spent()) - before;
    assert.ok(took < 6, `${took.toFixed(1)} s`);
    const { length }: { length: number } = await page.locator("main").innerText();
    assert.ok(length < 50_000, `${length} characters are drawn`);
    assert.ok((await page.title()).length < 500);
    await inert("a megabyte");
  });
});
