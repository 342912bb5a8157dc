import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import Form from "@rjsf/core";
import validator from "@rjsf/validator-ajv8";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { compileForm, createFormValidator, sampleValue, TRUSTED_BOUNDS } from "../../src/forms/index.ts";
import { operationSchema, readApi } from "../../src/sources/openapi.ts";
import { createValidatorPool } from "../../src/validation/validator-pool.ts";

/*
 * `npm run bench:forms -- ../shared/corpus`: how long one form takes, warm, and what its parts cost. The anchor renders
 * the same tool schemas with react-jsonschema-form, which is what a browser would do before showing anything.
 */

const [folder = "../shared/corpus"] = process.argv.slice(2);
const read = (path: string): any => JSON.parse(readFileSync(`${folder}/${path}`, "utf8"));

interface Times {
  readonly what: string;
  readonly count: number;
  readonly total: number;
  readonly p50: number;
  readonly p95: number;
  readonly slowest: number;
}

/** Each job twice; the second time counts. */
function measure(what: string, jobs: readonly (() => unknown)[]): Times {
  for (const job of jobs) job();
  const times = jobs.map((job) => {
    const started = performance.now();
    job();
    return performance.now() - started;
  });
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return {
    what,
    count: jobs.length,
    total: times.reduce((a, b) => a + b, 0),
    p50: at(0.5),
    p95: at(0.95),
    slowest: at(1),
  };
}

const compiled = (schema: unknown): any =>
  compileForm(schema, { formId: "bench", bounds: TRUSTED_BOUNDS }).form;
const tools: unknown[] = read("mcp-tools.json").map((tool: any) => tool.inputSchema);
const stripe = readApi(read("openapi/stripe.json"), "https://api.example");
const rows: Times[] = [
  measure(
    "tool schema → form",
    tools.map((schema) => () => compiled(schema)),
  ),
  measure(
    "tool schema → form, with an example that is checked",
    tools.map((schema) => () => sampleValue(compiled(schema))),
  ),
  measure(
    "tool schema → form and browser validator",
    tools.map((schema) => () => createFormValidator(compiled(schema))),
  ),
  measure(
    "react-jsonschema-form: tool schema → markup",
    tools.map((schema) => () => renderToStaticMarkup(createElement(Form, { schema, validator } as any))),
  ),
  measure(
    "Stripe operation → form",
    stripe.operations.map((operation) => () => compiled(operationSchema(stripe, operation).schema)),
  ),
];

const pool = createValidatorPool();
const small = { type: "object", required: ["a"], properties: { a: { type: "string" } } };
await pool.validate(small, { a: "x" });
const started = performance.now();
const verdicts = 2_000;
for (let sent = 0; sent < verdicts; sent += 50)
  await Promise.all(Array.from({ length: 50 }, () => pool.validate(small, { a: "x" })));
const perSecond = Math.round(verdicts / ((performance.now() - started) / 1_000));
await pool.close();

const ms = (time: number): string => `${time.toFixed(2)} ms`;
const page = [
  "# Forms: how long one takes",
  "",
  "Written by `npm run bench:forms -- <corpus>`. Each job runs twice; the second time counts.",
  "",
  "| | forms | total | p50 | p95 | slowest |",
  "|---|---|---|---|---|---|",
  ...rows.map(
    (row) =>
      `| ${row.what} | ${row.count} | ${ms(row.total)} | ${ms(row.p50)} | ${ms(row.p95)} | ${ms(row.slowest)} |`,
  ),
  "",
  `Full validation in the pool of threads, a small schema, 50 at a time: ${perSecond} verdicts a second.`,
  "",
].join("\n");
process.stdout.write(page);
writeFileSync(new URL("../results/forms.md", import.meta.url), page);
