import process from "node:process";
import {
  accepts,
  applyDefaults,
  compileForm,
  everyField,
  openJson,
  rootField,
  saveJson,
  TRUSTED_BOUNDS,
  validateForm,
  viewValue,
  type Field,
  type FormDocument,
} from "../packages/forms/src/index.ts";
import { isForm } from "../packages/forms/src/values/values.ts";
import { openapiWebhook } from "../src/sources/asyncapi.ts";
import { operationSchema, readApi } from "../src/sources/openapi.ts";
import { createWorkerPool } from "../src/workers/pool.ts";
import { LIMIT_MS } from "./corpus-anchor.ts";
import { blankParts } from "./corpus-blanks.ts";
import { threadTime } from "./thread-time.ts";

/** A schema of the corpus with the instances that come with it. */
export interface NamedSchema {
  readonly set: string;
  readonly name: string;
  readonly schema: unknown;
  readonly positive: readonly { readonly name: string; readonly text: string }[];
  readonly negative: readonly { readonly name: string; readonly text: string }[];
}

/** What was measured of one schema. */
export interface SchemaReport {
  readonly set: string;
  readonly name: string;
  readonly outcome: "answered" | "refused" | "threw" | "timed_out";
  /** The first compilation of the schema: on the clock, and of the processor. */
  readonly ms: number;
  readonly cpuMs: number;
  /** A full validator compiles on the server. */
  readonly compiled: boolean;
  readonly controls: number;
  /** Places where the schema takes a value and the form offers no way to enter one. */
  readonly blanks: readonly string[];
  /** Characters of the schema and of the form document. */
  readonly schemaSize: number;
  readonly formSize: number;
  /** The start value is wrong by what it is, not by what is missing from it. */
  readonly badStart: boolean;
  readonly raw: Readonly<Record<string, number>>;
  readonly leaves: { field: number; raw: number; blank: number };
  readonly misfits: string[];
  readonly unchanged: number;
  readonly changed: number;
  readonly turnedInvalid: string[];
  readonly instances: number;
  readonly server: { right: number; wrong: string[]; unknown: string[] };
  readonly browser: { same: number; other: number };
}

/** The operations of every API description. */
export interface OperationsReport {
  readonly documents: readonly {
    readonly name: string;
    readonly operations: number;
    readonly rendered: number;
    readonly totalMs: number;
    readonly p95Ms: number;
    readonly slowestMs: number;
  }[];
  readonly bodies: readonly NamedSchema[];
}

/** What a person is still to fill in. */
const MISSING = new Set(["required", "dependentRequired", "minItems", "minProperties", "anyOf", "oneOf"]);
const CONTAINERS = new Set(["group", "map", "list", "tuple", "variants", "reference", "json", "never"]);

/** Compiles and measures every schema. */
export async function measureSchemas(schemas: readonly NamedSchema[]): Promise<SchemaReport[]> {
  const pool = createWorkerPool({
    jobMs: { validate_value: 20_000 },
    wallMs: 60_000,
    queueMs: 60_000,
    memoryMb: 512,
  });
  for (const { schema } of schemas.slice(0, 40))
    compileForm(schema, { formId: "warm", bounds: TRUSTED_BOUNDS });
  const reports: SchemaReport[] = [];
  const started = Date.now();
  const progress = setInterval(() => {
    const seconds = Math.round((Date.now() - started) / 1_000);
    process.stderr.write(`this compiler: ${reports.length} of ${schemas.length}, ${seconds} s\n`);
  }, 5_000);
  for (const entry of schemas) reports.push(await measureOne(entry, pool));
  clearInterval(progress);
  await pool.close();
  return reports;
}

async function measureOne(
  entry: NamedSchema,
  pool: ReturnType<typeof createWorkerPool>,
): Promise<SchemaReport> {
  const { form, outcome, ms, cpuMs } = timedCompile(entry.schema);
  const { set, name } = entry;
  const report = {
    set,
    name,
    outcome,
    ms,
    cpuMs,
    compiled: await compiles(entry.schema, pool),
    controls: 0,
    blanks: new Array<string>(),
    schemaSize: JSON.stringify(entry.schema).length,
    formSize: 0,
    badStart: false,
    raw: form ? countBy(form.fallback.parts.map((part) => part.code)) : {},
    leaves: { field: 0, raw: 0, blank: 0 },
    misfits: new Array<string>(),
    unchanged: 0,
    changed: 0,
    turnedInvalid: new Array<string>(),
    instances: entry.positive.length + entry.negative.length,
    server: { right: 0, wrong: new Array<string>(), unknown: new Array<string>() },
    browser: { same: 0, other: 0 },
  };
  if (!form) return report;
  const every = [
    ...everyField(rootField(form)),
    ...Object.values(form.definitions).flatMap((field) => everyField(field)),
  ];
  report.controls = every.filter((field) => !CONTAINERS.has(field.widget)).length;
  report.blanks = [
    ...every.filter((field) => drawsNothing(form, field)).map((field) => `${name}: ${field.path}`),
    ...blankParts(entry.schema, form).map((path) => `${name}: ${path}`),
  ];
  report.formSize = JSON.stringify(form).length;
  report.badStart = validateForm(form, form.initialValue, { hasDeadline: true }).problems.some(
    ({ keyword, pointer }) => !MISSING.has(keyword) && pointer !== "",
  );
  for (const { text } of entry.positive) openAndSave(form, text, report);
  await verdicts(entry, form, pool, report);
  return report;
}

/** One compilation, as the anchor is measured: once, in a process that has compiled others before. */
function timedCompile(schema: unknown): {
  form: FormDocument | undefined;
  outcome: SchemaReport["outcome"];
  ms: number;
  cpuMs: number;
} {
  const started = performance.now();
  const cpu = threadTime();
  let form: FormDocument | undefined;
  let outcome: SchemaReport["outcome"] = "answered";
  try {
    ({ form } = compileForm(schema, { formId: "corpus", bounds: TRUSTED_BOUNDS }));
    if (!form) outcome = "refused";
  } catch {
    outcome = "threw";
  }
  const ms = performance.now() - started;
  const cpuMs = threadTime() - cpu;
  if (ms > LIMIT_MS) outcome = "timed_out";
  return { form, outcome, ms, cpuMs };
}

function compiles(schema: unknown, pool: ReturnType<typeof createWorkerPool>): Promise<boolean> {
  return pool.validate(schema, {}).then(
    () => true,
    () => false,
  );
}

/** A field that asks for a value and offers no way to give one. */
function drawsNothing(form: FormDocument, field: Field): boolean {
  const widget: string = field.widget;
  switch (widget) {
    case "group":
      return (
        (field.children ?? []).length === 0 && !field.map && !field.overrides && !accepts(form, field, {})
      );
    case "map":
      return !field.map;
    case "list":
      return !field.items && field.constraints?.maxItems !== 0;
    case "tuple":
      return !field.tuple;
    case "variants":
      return (field.variants ?? []).length === 0;
    case "select":
    case "multiselect":
      return (field.options ?? []).length === 0;
    case "reference":
      return field.ref === undefined || !Object.hasOwn(form.definitions, field.ref);
    case "json":
      return !field.raw;
    default:
      return false;
  }
}

function openAndSave(
  form: FormDocument,
  text: string,
  report: { leaves: SchemaReport["leaves"]; misfits: string[]; unchanged: number; changed: number },
): void {
  const opened = openJson(text);
  const seen = viewValue(form, opened.value);
  for (const { shown, reason, pointer } of seen.leaves) {
    report.leaves[shown] += 1;
    if (reason === "does_not_fit" && report.misfits.length < 5) report.misfits.push(pointer);
  }
  if (saveJson(opened, seen.value) === text) report.unchanged += 1;
  else report.changed += 1;
}

async function verdicts(
  entry: NamedSchema,
  form: FormDocument,
  pool: ReturnType<typeof createWorkerPool>,
  report: { server: SchemaReport["server"]; browser: SchemaReport["browser"]; turnedInvalid: string[] },
): Promise<void> {
  const all = [
    ...entry.positive.map((one) => ({ ...one, expected: true })),
    ...entry.negative.map((one) => ({ ...one, expected: false })),
  ];
  for (const { name, text, expected } of all) {
    const value: unknown = JSON.parse(text);
    const { verdict } = await pool.decide(entry.schema, value);
    const wanted = expected ? "valid" : "invalid";
    if (verdict === wanted) report.server.right += 1;
    else if (verdict === "unknown") report.server.unknown.push(`${entry.name}/${name}`);
    else report.server.wrong.push(`${entry.name}/${name}`);
    if (!isForm(value)) continue;
    const inBrowser = validateForm(form, value, { hasDeadline: true }).verdict;
    report.browser[inBrowser === verdict ? "same" : "other"] += 1;
    if (!expected || verdict !== "valid") continue;
    const filled = applyDefaults(form, value);
    if (filled !== value && (await pool.decide(entry.schema, filled)).verdict !== "valid")
      report.turnedInvalid.push(name);
  }
}

/** Renders every operation and webhook, twice: the second time is measured. */
export function measureOperations(
  documents: readonly { readonly name: string; readonly document: unknown }[],
): OperationsReport {
  const bodies: NamedSchema[] = [];
  const measured = documents.map(({ name, document }) => {
    const api = readApi(document, "https://corpus.invalid");
    const jobs = [
      ...api.operations.map((operation) => ({
        label: `${operation.method} ${operation.path}`,
        schema: () => operationSchema(api, operation).schema,
      })),
      ...api.webhooks.map((operation) => ({
        label: `webhook ${operation.path}`,
        schema: () => openapiWebhook(api, operation.path)?.schema ?? {},
      })),
    ];
    for (const job of jobs) compileForm(job.schema(), { formId: "warm", bounds: TRUSTED_BOUNDS });
    const times: number[] = [];
    let rendered = 0;
    for (const { label, schema } of jobs) {
      const started = performance.now();
      const bundled = schema();
      const { form } = compileForm(bundled, { formId: "corpus", bounds: TRUSTED_BOUNDS });
      times.push(performance.now() - started);
      if (form) rendered += 1;
      bodies.push({
        set: "API operations",
        name: `${name}: ${label}`,
        // A copy: what the compiler remembers of an object that it has seen would make its first time shorter.
        schema: structuredClone(bundled),
        positive: [],
        negative: [],
      });
    }
    const sorted = times.toSorted((a, b) => a - b);
    return {
      name,
      operations: jobs.length,
      rendered,
      totalMs: times.reduce((sum, time) => sum + time, 0),
      p95Ms: sorted[Math.floor(sorted.length * 0.95)] ?? 0,
      slowestMs: sorted.at(-1) ?? 0,
    };
  });
  return { documents: measured, bodies };
}

/** How each construct came out: handled when its data shows up in fields, or when what it asks for is in the form. */
export function measureConstructs(
  constructs: Readonly<Record<string, unknown>>,
): readonly { readonly name: string; readonly handled: boolean; readonly widgets: string }[] {
  return Object.entries(constructs).map(([name, given]) => {
    const entry: { s?: unknown; d?: unknown } = typeof given === "object" && given !== null ? given : {};
    const { form } = compileForm(entry.s, { formId: "construct" });
    if (!form) return { name, handled: false, widgets: "refused" };
    const every = [...everyField(rootField(form))].slice(1);
    const widgets = [...new Set(every.map((field) => field.widget))].join(", ");
    const leaves = isForm(entry.d) ? viewValue(form, entry.d).leaves : [];
    const freely = form.fallback.parts.every(
      (part) => part.code === "free_object" || part.code === "anything_allowed",
    );
    return {
      name,
      handled:
        every.length > 0 &&
        freely &&
        leaves.every((leaf) => leaf.shown !== "blank" && leaf.reason !== "does_not_fit"),
      widgets,
    };
  });
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
