import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ElementHandle, Page } from "playwright-core";
import { type WatchedPage } from "../support/browser.ts";
import { answered } from "../forms/hostile-schemas.ts";
import { startWeb } from "./setup.ts";

/*
 * Schemas that are meant to hurt, brought to the page by hand: the page itself is never held up for longer than 100 ms.
 * Measured is the processor time of each task of the page's main thread, so that a busy machine is no frozen page.
 */

const MOST_MS = 100;
/** The processor time of a task is not free of what else the machine does: the best of a few loads counts. */
const MOST_LOADS = 3;

let watched: WatchedPage;
let page: Page;
let chooser: ElementHandle;
/** What is allowed: 100 ms, or on a machine that is slow twice what an ordinary form takes. */
let most = MOST_MS;

const web = startWeb(async () => {
  watched = await web.open({ width: 1400 });
  ({ page } = watched);
  await page.goto("/connections?add=open");
  chooser = await page.waitForSelector("input[aria-label='Choose a file']", { state: "attached" });
  // Everything that the page loads once is loaded before anything is measured.
  await bring({ type: "object", properties: { a: { type: "string" }, b: {} } }, "First");
  await page.getByRole("textbox", { name: "A", exact: true }).fill("x");
  await page.getByRole("button", { name: "Check it" }).click();
  await page.getByText("Valid: every rule of the schema holds").first().waitFor();
  const ordinary = { type: "object", properties: members(40, (n) => ({ type: "string", minLength: n })) };
  most = Math.max(MOST_MS, 2 * (await longestTask(() => bring(ordinary, "Ordinary"))));
});

/**
 * Brings a schema and waits for its form, or for the sentence that it takes too long. Waiting itself runs on the page's
 * main thread, so it looks at as little as possible.
 */
async function bring(schema: object, title: string): Promise<void> {
  await chooser.setInputFiles({
    name: "schema.json",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify({ ...schema, title })),
  });
  const form = "document.querySelector('form')";
  const text = "document.querySelector('main').textContent";
  await page.evaluate(`new Promise((done) => {
    const look = () => {
      const isDrawn = ${form}?.getAttribute("aria-label") === ${JSON.stringify(title)};
      const isStopped = ${form} === null && ${text}.includes("takes too long to draw");
      if (isDrawn || isStopped) done(); else requestAnimationFrame(look);
    };
    look();
  })`);
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Processor time of a task in microseconds. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** The longest task of the page's main thread while something is done, in ms of processor time. */
async function longestTask(work: () => Promise<void>): Promise<number> {
  await web.browser.startTracing(page, { categories: ["toplevel", "__metadata"] });
  await work().catch(async (error: unknown) => {
    await web.browser.stopTracing();
    throw error;
  });
  const trace: { traceEvents: readonly TraceEvent[] } = JSON.parse(
    (await web.browser.stopTracing()).toString(),
  );
  const mains = new Set(
    trace.traceEvents
      .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = trace.traceEvents.filter(
    ({ name, pid, tid }) => name === "ThreadControllerImpl::RunTask" && mains.has(`${pid} ${tid}`),
  );
  assert.ok(tasks.length > 0, "the trace has no tasks of the page");
  // A task that was cut off by the end of the trace has no times.
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1_000;
}

const members = (count: number, make: (n: number) => unknown): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, make(n)]));

/** Every level refers to the next one twice: 19 levels are half a million ways to the end. */
function diamond(levels: number): object {
  const definitions = Object.fromEntries(
    Array.from({ length: levels }, (_, n) => [
      `d${n}`,
      { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
    ]),
  );
  return {
    type: "object",
    properties: { a: { $ref: "#/$defs/d0" } },
    $defs: { ...definitions, [`d${levels}`]: { type: "string" } },
  };
}

function nested(levels: number): object {
  let schema: object = { type: "string" };
  for (let n = 0; n < levels; n++) schema = { type: "object", required: ["a"], properties: { a: schema } };
  return schema;
}

/** Every definition requires two others, and a constant that a form begins with. */
function requiring(count: number): object {
  const to = (n: number) => ({ $ref: `#/$defs/d${n % count}` });
  const $defs = Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `d${n}`,
      {
        type: "object",
        required: ["x", "y", "z"],
        properties: { x: to(n * 2 + 1), y: to(n * 3 + 1), z: { const: n } },
      },
    ]),
  );
  return { ...to(0), $defs };
}

/** One that the service is tested with. */
function named(name: string): readonly [string, object] {
  const [, schema] = answered.find(([each]) => each === name) ?? [];
  assert.ok(typeof schema === "object" && schema !== null, name);
  return [name, schema];
}

const HOSTILE: readonly (readonly [string, object])[] = [
  ["900 references to itself", { properties: members(900, () => ({ $ref: "#", type: "object" })) }],
  ["900 references almost to itself", { properties: members(900, (n) => ({ $ref: "#", minProperties: n })) }],
  ["an allOf diamond of 19 levels", diamond(19)],
  [
    "250 kB",
    {
      type: "object",
      properties: members(1_500, (n) => ({
        type: "object",
        title: `Part ${n}`,
        properties: { name: { type: "string", minLength: 1 }, size: { type: "integer", minimum: n } },
      })),
    },
  ],
  ["120 levels", nested(120)],
  ["definitions that require each other", requiring(40)],
  [
    "350 alternatives",
    {
      oneOf: Array.from({ length: 350 }, (_, n) => ({
        properties: { kind: { const: `k${n}` } },
        required: ["kind"],
      })),
    },
  ],
  ["a condition on itself", JSON.parse('{"if":{"$ref":"#"},"then":{"$ref":"#"},"else":{"$ref":"#"}}')],
  ...["tuples of tuples", "conditions on everything", "conditions on one another"].map(named),
];

describe("a schema that is meant to hurt", () => {
  for (const [name, schema] of HOSTILE)
    it(`does not hold up the page: ${name}`, async () => {
      let took = Number.POSITIVE_INFINITY;
      for (let load = 1; load <= MOST_LOADS && took >= most; load++)
        took = Math.min(took, await longestTask(() => bring(schema, `${name}, load ${load}`)));
      assert.ok(took < most, `${name}: a task of ${took.toFixed(0)} ms of at most ${most.toFixed(0)} ms`);
    });

  it("does not hold up the page while a value is checked: ^(a+)+$", async () => {
    const took = await longestTask(async () => {
      await bring({ type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } }, "pattern");
      await page.getByRole("textbox", { name: "A", exact: true }).fill(`${"a".repeat(40)}!`);
      await page.getByRole("button", { name: "Check it" }).click();
      await page
        .getByText(/takes too long/)
        .first()
        .waitFor();
    });
    assert.ok(took < most, `a task of ${took.toFixed(0)} ms of at most ${most.toFixed(0)} ms`);
    assert.deepEqual(watched.faults, []);
  });

  it("is stopped when its time is over, with the reason, and the text stays", async () => {
    // A worker that begins and never answers, in place of a schema that takes long on every machine.
    const stuck = await web.open({ width: 1400 });
    await stuck.page.route(/\/form-worker[^/]*\.js$/, (route) =>
      route.fulfill({ contentType: "text/javascript", body: "self.postMessage({ id: 0 });" }),
    );
    const text = JSON.stringify({ type: "object", properties: { a: { type: "string" } } });
    await stuck.page.goto(`/connections?add=open#${new URLSearchParams({ schema: text }).toString()}`);
    await stuck.page.getByText("Reading…").waitFor();
    await stuck.page.getByText(/takes too long to read: it was stopped after 10 s/).waitFor();
    assert.match(await stuck.page.locator(".cm-content").first().innerText(), /"properties"/);
    assert.deepEqual(stuck.faults, []);
    await stuck.close();
  });
});
