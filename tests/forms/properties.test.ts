import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import {
  applyDefaults,
  checkValue,
  compileForm,
  diff,
  formDocumentSchema,
  merge,
  missingRequired,
  openJson,
  parseExact,
  prune,
  PUBLIC_BOUNDS,
  renderExamples,
  sampleValue,
  saveJson,
  stringifyExact,
  TRUSTED_BOUNDS,
  validateValue,
  viewValue,
  type FormValue,
} from "../../src/forms/index.ts";
import { arbitrarySchema } from "./arbitrary-schema.ts";

const accepts = new Ajv2020({ strict: false, allErrors: false }).compile(formDocumentSchema);
const SLOWEST_MS = 1_000;

/** Compiles twice over: what came out is a form that our own schema accepts, or a clear refusal. */
function compiled(
  schema: unknown,
  bounds = PUBLIC_BOUNDS,
): NonNullable<ReturnType<typeof compileForm>["form"]> | null {
  const started = performance.now();
  const { form, refusal } = compileForm(schema, { formId: "form_test", bounds });
  assert.ok(performance.now() - started < SLOWEST_MS, "compiled in time");
  if (!form) {
    assert.ok(refusal.message.length > 10);
    return null;
  }
  const plain: unknown = JSON.parse(JSON.stringify(form));
  assert.ok(accepts(plain), JSON.stringify(accepts.errors?.[0]));
  return form;
}

test("any JSON at all as a schema: a valid form document or a clear refusal", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (schema) => {
      compiled(schema);
    }),
    { numRuns: 1_500, endOnFailure: true },
  );
});

test("any schema it can make: a valid form document, in time, whose helpers never throw", () => {
  fc.assert(
    fc.property(arbitrarySchema, fc.jsonValue({ maxDepth: 3 }), (schema, value) => {
      const form = compiled(schema, TRUSTED_BOUNDS);
      if (!form || !isValue(value)) return;
      const seen = viewValue(form, value);
      assert.ok(seen.leaves.every((leaf) => leaf.shown !== "blank"));
      const text = stringifyExact(value);
      assert.equal(saveJson(openJson(text), seen.value), text);
      const sample = sampleValue(form);
      if (sample !== undefined) {
        assert.equal(checkValue(schema, sample, { formats: true }), "valid");
        assert.ok(renderExamples(form, sample, "http://127.0.0.1/api/mcp").length > 0);
      }
      missingRequired(schema, value);
    }),
    { numRuns: 1_200, endOnFailure: true },
  );
});

test("defaults never turn what is valid into what is not", () => {
  fc.assert(
    fc.property(arbitrarySchema, fc.jsonValue({ maxDepth: 3 }), (schema, value) => {
      const form = compiled(schema, TRUSTED_BOUNDS);
      if (!form || !isValue(value) || checkValue(schema, value) !== "valid") return;
      assert.equal(checkValue(schema, applyDefaults(form, value)), "valid");
    }),
    { numRuns: 1_200, endOnFailure: true },
  );
});

test("the browser's validator answers for whatever compiles, or says that it cannot", () => {
  fc.assert(
    fc.property(arbitrarySchema, (schema) => {
      const form = compiled(schema, TRUSTED_BOUNDS);
      if (form) assert.ok(Array.isArray(validateValue(form, {})));
    }),
    { numRuns: 400, endOnFailure: true },
  );
});

test("any JSON text, opened and saved untouched, keeps every byte", () => {
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
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), spaces, numbers, (value, space, number) => {
      const body = JSON.stringify(value, null, space.includes("\n") ? 2 : 0);
      const text = `${space}{${space}"n":${space}${number},"v"${space}:${body},"2":1,"1":2}${space}`;
      const opened = openJson(text);
      assert.equal(saveJson(opened, opened.value), text);
      const copy = parseExact(stringifyExact(opened.value));
      assert.equal(saveJson(opened, copy), text);
    }),
  );
});

test("merging the difference gives the other value, absent, null and empty kept apart", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (from, to) => {
      if (!isValue(from) || !isValue(to)) return;
      assert.equal(sorted(merge(from, diff(from, to))), sorted(to));
      assert.deepEqual(diff(from, from), []);
      assert.equal(sorted(prune(from)), sorted(from));
    }),
    { numRuns: 1_000, endOnFailure: true },
  );
});

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
