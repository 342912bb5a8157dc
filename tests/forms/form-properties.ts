import assert from "node:assert/strict";
import process from "node:process";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import {
  applyDefaults,
  checkValue,
  compileForm,
  createFormValidator,
  diff,
  merge,
  missingRequired,
  openJson,
  parseExact,
  prune,
  PUBLIC_BOUNDS,
  saveJson,
  stringifyExact,
  TRUSTED_BOUNDS,
  viewValue,
  type FormDocument,
  type FormValue,
} from "../../packages/forms/src/index.ts";
import { formDocumentSchema } from "../../packages/forms/src/schema.ts";
import { renderExamples } from "../../src/rendering/examples.ts";
import { sampleValue } from "../../packages/forms/src/sample.ts";
import { checkText } from "../../src/workers/schema-checker.ts";
import { referee } from "./referee.ts";
import { arbitrarySchema } from "./arbitrary-schema.ts";

const accepts = new Ajv2020({ strict: false, allErrors: false }).compile(formDocumentSchema);
/** Processor time: what else the machine does is not the compiler's. */
const SLOWEST_MS = 1_000;

/** One promise, held to as many made-up inputs as asked for. Throws with the smallest input that breaks it. */
export interface FormProperty {
  readonly name: string;
  readonly check: (runs: number, seed?: number) => void;
}

/** The result is a form that our own schema accepts, or a clear refusal. */
function compiled(
  schema: unknown,
  bounds = PUBLIC_BOUNDS,
): NonNullable<ReturnType<typeof compileForm>["form"]> | null {
  const before = process.threadCpuUsage();
  const { form, refusal } = compileForm(schema, { formId: "form_test", bounds });
  const { user, system } = process.threadCpuUsage(before);
  assert.ok((user + system) / 1_000 < SLOWEST_MS, "compiled in time");
  if (!form) {
    assert.ok(refusal.message.length > 10);
    return null;
  }
  const plain: unknown = JSON.parse(JSON.stringify(form));
  assert.ok(accepts(plain), JSON.stringify(accepts.errors?.[0]));
  return form;
}

const values = fc.jsonValue({ maxDepth: 3 });

/** The values of a schema to try: whatever was made up, and one that is valid, when there is one. */
function withSample(schema: unknown, made: unknown): { form: FormDocument; values: FormValue[] } | null {
  const form = compiled(schema, TRUSTED_BOUNDS);
  if (!form) return null;
  const sample = sampleValue(form);
  return { form, values: [...(isValue(made) ? [made] : []), ...(sample === undefined ? [] : [sample])] };
}

/** What must hold for every input: run a few thousand times by the tests, as often as wanted by fuzz-long.ts. */
export const formProperties: readonly FormProperty[] = [
  {
    name: "any JSON at all as a schema: a valid form document or a clear refusal",
    check: (runs, seed) =>
      fc.assert(
        fc.property(fc.jsonValue({ maxDepth: 6 }), (schema) => {
          compiled(schema);
          compiled(schema, TRUSTED_BOUNDS);
        }),
        { numRuns: runs, ...(seed !== undefined && { seed }) },
      ),
  },
  {
    name: "any schema it can make: a valid form document, in time, whose helpers never throw",
    check: (runs, seed) =>
      fc.assert(
        fc.property(arbitrarySchema, values, (schema, made) => {
          compiled(schema);
          const tried = withSample(schema, made);
          if (!tried) return;
          const { form } = tried;
          for (const value of tried.values) {
            const seen = viewValue(form, value);
            assert.ok(seen.leaves.every((leaf) => leaf.shown !== "blank"));
            const text = stringifyExact(value);
            assert.equal(saveJson(openJson(text), seen.value), text);
            missingRequired(schema, value);
            const kinds = renderExamples(form, value, "http://127.0.0.1/api/mcp").map(({ kind }) => kind);
            assert.ok(kinds.includes("json"));
          }
          const sample = sampleValue(form);
          if (sample === undefined) return;
          assert.equal(checkValue(schema, sample, { formats: true }), "valid");
          // A property that calls itself required, as draft-03 had it, is asked for, though no validator counts it.
          if (!JSON.stringify(schema).includes('"required":true'))
            assert.deepEqual(missingRequired(schema, sample).missing, []);
        }),
        { numRuns: runs, ...(seed !== undefined && { seed }) },
      ),
  },
  {
    name: "defaults never turn what is valid into what is not",
    check: (runs, seed) =>
      fc.assert(
        fc.property(arbitrarySchema, values, (schema, made) => {
          const tried = withSample(schema, made);
          for (const value of tried?.values ?? []) {
            if (!tried || checkValue(schema, value) !== "valid") continue;
            assert.equal(checkValue(schema, applyDefaults(tried.form, value)), "valid");
          }
        }),
        { numRuns: runs, ...(seed !== undefined && { seed }) },
      ),
  },
  {
    name: "the checker, the server, the browser and another validator come to one verdict",
    check: (runs, seed) =>
      fc.assert(
        fc.property(arbitrarySchema, values, (given, made) => {
          const schema = comparable(given);
          const tried = withSample(schema, made);
          if (!tried) return;
          const inBrowser = createFormValidator(tried.form);
          const other = comparator(schema);
          for (const value of tried.values) {
            const verdict = checkValue(schema, value);
            const shown = inBrowser(value);
            const server = checkText(JSON.stringify(schema), JSON.stringify(value));
            // In a thread that can be ended more can be decided, never anything else.
            if (verdict !== "unknown") assert.equal(server.verdict, verdict);
            if (verdict !== "unknown") assert.equal(shown.length === 0, verdict === "valid");
            // An anchor that is there twice, or a reference that leads nowhere, is read in different ways.
            const theirs = verdict === "unknown" ? null : other?.(value);
            if (theirs != null) assert.equal(theirs, verdict === "valid", "another validator");
          }
        }),
        { numRuns: runs, ...(seed !== undefined && { seed }) },
      ),
  },
  {
    name: "any JSON text, opened and saved untouched, keeps every byte",
    check: (runs, seed) =>
      fc.assert(
        fc.property(fc.jsonValue({ maxDepth: 4 }), spaces, numbers, (value, space, number) => {
          const body = JSON.stringify(value, null, space.includes("\n") ? 2 : 0);
          const text = `${space}{${space}"n":${space}${number},"v"${space}:${body},"2":1,"1":2}${space}`;
          const opened = openJson(text);
          assert.equal(saveJson(opened, opened.value), text);
          const copy = parseExact(stringifyExact(opened.value));
          assert.equal(saveJson(opened, copy), text);
        }),
        { numRuns: runs, ...(seed !== undefined && { seed }) },
      ),
  },
  {
    name: "merging the difference gives the other value, absent, null and empty kept apart",
    check: (runs, seed) =>
      fc.assert(
        fc.property(values, values, (from, to) => {
          if (!isValue(from) || !isValue(to)) return;
          assert.equal(sorted(merge(from, diff(from, to))), sorted(to));
          assert.deepEqual(diff(from, from), []);
          assert.equal(sorted(prune(from)), sorted(from));
        }),
        { numRuns: runs, ...(seed !== undefined && { seed }) },
      ),
  },
];

const spaces = fc.constantFrom("", " ", "\n  ", "\t", "\r\n");
const numbers = fc.constantFrom(
  "1.0",
  "1e2",
  "-0",
  "9007199254740993",
  "0.1000",
  "1E+400",
  "123456789012345678901234567890",
);

/**
 * Without what validators differ in: formats are annotations to the checker unless it is asked for them, and ajv counts
 * items as evaluated that `contains` did not contain or that only an object's `dependentSchemas` would look at. Inside
 * `not` it finds a required member whose name is empty where there is none.
 */
function comparable(schema: unknown): unknown {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => {
      if (key === "format" || key === "unevaluatedItems") return undefined;
      return key === "required" && Array.isArray(value) ? value.filter((name) => name !== "") : value;
    }),
  );
}

/** Another validator; null where it cannot read the schema or asks itself about the same value without end. */
function comparator(schema: unknown): ((value: unknown) => boolean | null) | null {
  if (/"\$(?:dynamic|recursive)Ref"/.test(JSON.stringify(schema))) return null;
  const check = referee(schema);
  return (value) => {
    try {
      return check?.(JSON.parse(JSON.stringify(value))) ?? null;
    } catch (error) {
      assert.ok(error instanceof RangeError || error instanceof TypeError);
      return null;
    }
  };
}

function isValue(value: unknown): value is FormValue {
  return value !== undefined;
}

/** Text that does not depend on the order of members; -0 is 0 in JSON. */
function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "";
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${sorted(item)}`).join()}}`;
}
