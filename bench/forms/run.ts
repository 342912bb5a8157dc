import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import process from "node:process";
import Form from "@rjsf/core";
import validator from "@rjsf/validator-ajv8";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { compileForm, createFormValidator, TRUSTED_BOUNDS } from "../../packages/forms/src/index.ts";
import { sampleValue } from "../../packages/forms/src/sample.ts";
import { operationSchema, readApi } from "../../src/sources/openapi.ts";
import { corpusFolder } from "../../scripts/corpus-folder.ts";
import { createWorkerPool } from "../../src/workers/pool.ts";
import { measureHostile } from "./hostile.ts";
import { measureServed } from "./served.ts";

/*
 * `npm run bench:forms -- FOLDER`: how long one form takes, warm, and what its parts cost; what hostile
 * schemas do to the event loop. The anchor renders the same tool schemas with react-jsonschema-form, which is what a
 * browser would do before showing anything. `--print` writes no page.
 */

const folder = corpusFolder(process.argv.slice(2));
const read = (path: string): any => JSON.parse(readFileSync(`${folder}/${path}`, "utf8"));

// What the anchor thinks of the schemas is not part of the measurement.
console.warn = () => {};
console.error = () => {};

interface Times {
  readonly what: string;
  readonly count: number;
  readonly made: number;
  readonly total: number;
  readonly cpu: number;
  readonly p50: number;
  readonly p95: number;
  readonly slowest: number;
}

/** Each job twice; the second time counts. */
function measure(what: string, jobs: readonly (() => unknown)[]): Times {
  process.stderr.write(`${what} …\n`);
  for (const job of jobs) job();
  const cpu = process.threadCpuUsage();
  let made = 0;
  const times = jobs.map((job) => {
    const started = performance.now();
    if (job() !== undefined) made += 1;
    return performance.now() - started;
  });
  const { user, system } = process.threadCpuUsage(cpu);
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return {
    what,
    count: jobs.length,
    made,
    total: times.reduce((a, b) => a + b, 0),
    cpu: (user + system) / 1_000,
    p50: at(0.5),
    p95: at(0.95),
    slowest: at(1),
  };
}

const compiled = (schema: unknown): any =>
  compileForm(schema, { formId: "bench", bounds: TRUSTED_BOUNDS }).form;
const tools: unknown[] = read("mcp-tools.json").map((tool: any) => tool.inputSchema);
const apis = readdirSync(`${folder}/openapi`).map((name) => ({
  name: name.replace(/\.json$/, ""),
  api: readApi(read(`openapi/${name}`), "https://api.example"),
}));
const operationsOf = (api: (typeof apis)[number]["api"]): (() => unknown)[] =>
  api.operations.map((operation) => () => compiled(operationSchema(api, operation).schema));
const stripe = measure(
  "the whole Stripe document, operation by operation",
  apis.filter(({ name }) => name === "stripe").flatMap(({ api }) => operationsOf(api)),
);
const every = measure(
  `operations of all ${apis.length} documents`,
  apis.flatMap(({ api }) => operationsOf(api)),
);
const rows: Times[] = [
  stripe,
  every,
  measure(
    "tool schema → form",
    tools.map((schema) => () => compiled(schema)),
  ),
  measure(
    "tool schema → form, with an example that is checked",
    tools.map((schema) => () => {
      const form = compiled(schema);
      return { form, value: sampleValue(form) };
    }),
  ),
  measure(
    "tool schema → form and browser validator",
    tools.map((schema) => () => createFormValidator(compiled(schema))),
  ),
  measure(
    "react-jsonschema-form: tool schema → markup",
    tools.map((schema) => () => renderToStaticMarkup(createElement(Form, { schema, validator } as any))),
  ),
];

process.stderr.write("verdicts …\n");
const pool = createWorkerPool();
const small = { type: "object", required: ["a"], properties: { a: { type: "string" } } };
await pool.validate(small, { a: "x" });
const started = performance.now();
const verdicts = 2_000;
for (let sent = 0; sent < verdicts; sent += 50)
  await Promise.all(Array.from({ length: 50 }, () => pool.validate(small, { a: "x" })));
const perSecond = Math.round(verdicts / ((performance.now() - started) / 1_000));
await pool.close();

process.stderr.write("hostile schemas …\n");
const hostile = await measureHostile();

process.stderr.write("the corpus over HTTP …\n");
const stored: unknown[] = readdirSync(`${folder}/schemastore`).map((name) =>
  read(`schemastore/${name}/schema.json`),
);
const served = await measureServed([...stored, ...tools]);

const ms = (time: number): string => `${time.toFixed(time < 10 ? 2 : 0)} ms`;
const worst = (pick: (one: (typeof hostile)[number]) => number): number => Math.max(...hostile.map(pick));
const bars: readonly (readonly [string, string, string, boolean])[] = [
  ["the whole Stripe document", ms(stripe.total), "< 1,500 ms", stripe.total < 1_500],
  ["one Stripe operation, p95, warm", ms(stripe.p95), "< 5 ms", stripe.p95 < 5],
  ["one operation of any document, p95, warm", ms(every.p95), "< 5 ms", every.p95 < 5],
  ["operations that render", `${every.made} of ${every.count}`, "all", every.made === every.count],
  ["hostile schema, slowest answer", ms(worst((one) => one.ms)), "< 100 ms", worst((one) => one.ms) < 100],
  [
    "hostile schema, longest block of the event loop",
    ms(worst((one) => one.blockedMs)),
    "< 50 ms",
    worst((one) => one.blockedMs) < 50,
  ],
  [
    "hostile schema, largest answer",
    `${Math.round(worst((one) => one.bytes) / 1_000)} kB`,
    "< 2,000 kB",
    worst((one) => one.bytes) < 2_000_000,
  ],
  ["form over HTTP, main thread, p95", ms(served.p95), "< 5 ms", served.p95 < 5],
  ["form over HTTP, main thread, slowest", ms(served.slowest), "< 250 ms", served.slowest < 250],
];
const day = new Date().toISOString().slice(0, 10);
const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}`;
const page = [
  "# Forms: how long one takes",
  "",
  `Measured ${day} with \`npm run bench:forms -- <corpus>\` on ${machine}. Each job runs twice; the second time counts. Time is on the clock, with whatever else the machine did; processor time is the thread's own.`,
  "",
  "| bar | measured | wanted | |",
  "|---|---|---|---|",
  ...bars.map(
    ([what, measured, wanted, met]) => `| ${what} | ${measured} | ${wanted} | ${met ? "met" : "missed"} |`,
  ),
  "",
  "| | forms | total | processor time | p50 | p95 | slowest |",
  "|---|---|---|---|---|---|---|",
  ...rows.map(
    (row) =>
      `| ${row.what} | ${row.made} of ${row.count} | ${ms(row.total)} | ${ms(row.cpu)} | ${ms(row.p50)} | ${ms(row.p95)} | ${ms(row.slowest)} |`,
  ),
  "",
  `Full validation in the pool of threads, a small schema, 50 at a time: ${perSecond} verdicts a second.`,
  "",
  "## The corpus over HTTP",
  "",
  `${served.made} of ${served.count} schemas (SchemaStore and MCP tools) gave a form, each asked for once, with a key, over HTTP from another thread, by a service that had just started. Busy time of the service's main thread for one request, all of it, from the request's bytes to the answer's: p50 ${ms(served.p50)}, p95 ${ms(served.p95)}, slowest ${ms(served.slowest)}; of these on the processor, the disk's time left out: p50 ${ms(served.cpu.p50)}, p95 ${ms(served.cpu.p95)}, slowest ${ms(served.cpu.slowest)}. Large schemas are compiled in a thread of their own, and what is left is JSON. The largest answer had ${Math.round(served.largestBytes / 1_000)} kB.`,
  "",
  "## Hostile schemas",
  "",
  "Each schema of `tests/forms/hostile-schemas.ts`, five times to each tool that takes a schema, over HTTP from another thread. The slowest of five on the caller's clock, the longest delay of the service's event loop (`monitorEventLoopDelay`), and the processor time of one call; the worst of the three tools.",
  "",
  "| schema | answer | first | slowest | event loop blocked | processor time |",
  "|---|---|---|---|---|---|",
  ...[...Map.groupBy(hostile, ({ name }) => name)].map(([name, group]) => {
    const most = (pick: (one: (typeof hostile)[number]) => number): string =>
      ms(Math.max(...group.map(pick)));
    return `| ${name} | ${group.every(({ ok }) => ok) ? "form" : "refused"} | ${most((one) => one.firstMs)} | ${most((one) => one.ms)} | ${most((one) => one.blockedMs)} | ${most((one) => one.cpuMs)} |`;
  }),
  "",
].join("\n");
process.stdout.write(page);
if (!process.argv.includes("--print")) writeFileSync(new URL("../results/forms.md", import.meta.url), page);
