import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  applyDefaults,
  buildRequest,
  compileForm,
  curlOf,
  diff,
  ExactNumber,
  JsonTextError,
  merge,
  missingRequired,
  openJson,
  parseExact,
  prune,
  saveJson,
  startValue,
  stringifyExact,
  TRUSTED_BOUNDS,
  validateValue,
  type FormDocument,
  type FormValue,
  type RequestTemplate,
} from "../index.ts";
import { sampleValue } from "../sample.ts";
import { explainByExample } from "../check/by-example.ts";
import { sampleOfPattern } from "./pattern-sample.ts";
import { asDrawn } from "./values.ts";
import { matchesPattern } from "../check/regex.ts";

function formOf(schema: unknown): FormDocument {
  const { form } = compileForm(schema, { formId: "form_test", bounds: TRUSTED_BOUNDS });
  assert.ok(form);
  return form;
}

describe("values", () => {
  test("a form begins with defaults and required constants, and nothing else", () => {
    const form = formOf({
      type: "object",
      required: ["kind", "inner"],
      properties: {
        kind: { const: "a" },
        optional: { const: "b" },
        mode: { enum: ["x", "y"], default: "y" },
        wrong: { type: "integer", default: "seven" },
        inner: { type: "object", required: ["v"], properties: { v: { const: 1 }, w: { type: "string" } } },
        list: { type: "array", items: { type: "string" } },
      },
    });
    assert.deepEqual(form.initialValue, { kind: "a", mode: "y", inner: { v: 1 } });
    const [first] = form.fields;
    assert.ok(first);
    assert.equal(startValue(form, first), "a");
  });

  test("a default that would make valid data invalid is left out, the others stay", () => {
    const form = formOf({
      type: "object",
      properties: {
        a: { type: "string", default: "x" },
        b: { type: "string" },
        c: { type: "number", default: 2 },
      },
      not: { required: ["a", "b"] },
    });
    assert.deepEqual(applyDefaults(form, { b: "y" }), { b: "y", c: 2 });
    assert.deepEqual(applyDefaults(form, {}), { a: "x", c: 2 });
  });

  test("absent, null and empty stay apart", () => {
    const from = { a: null, b: "", c: [], d: {}, e: 1 };
    const to = { b: null, c: [], d: {}, e: "", f: {} };
    const changes = diff(from, to);
    assert.deepEqual(
      changes.map(({ op, path }) => `${op} ${path}`),
      ["remove /a", "replace /b", "replace /e", "add /f"],
    );
    assert.deepEqual(merge(from, changes), to);
    assert.deepEqual(prune({ a: undefined, b: null, c: {}, d: { e: undefined } }), { b: null, c: {}, d: {} });
  });

  test("edits keep the source text of everything else", () => {
    const text = '{\n  "big": 9007199254740993,\n  "same":   [1.0,  2],\n  "x": "old"\n}\n';
    const opened = openJson(text);
    const big = Reflect.get(Object(opened.value), "big");
    assert.ok(big instanceof ExactNumber);
    assert.equal(big.text, "9007199254740993");
    const edited = merge(opened.value, [{ op: "replace", path: "/x", value: "new" }]);
    assert.equal(
      saveJson(opened, edited),
      '{\n  "big": 9007199254740993,\n  "same": [1.0,  2],\n  "x": "new"\n}\n',
    );
    assert.equal(stringifyExact(parseExact("[1e2,-0,0.10]")), "[1e2,-0,0.10]");
    assert.throws(() => parseExact('{"a":01}'), JsonTextError);
  });

  test("samples are valid or not made", () => {
    const form = formOf({
      type: "object",
      required: ["id", "when", "tags", "n"],
      properties: {
        id: { type: "string", pattern: "^[a-z]{3}-\\d{2,}$" },
        when: { type: "string", format: "date-time" },
        tags: { type: "array", minItems: 2, uniqueItems: true, items: { type: "string" } },
        n: { type: "number", exclusiveMinimum: 3, multipleOf: 0.5 },
      },
    });
    assert.deepEqual(sampleValue(form), {
      id: "aaa-11",
      when: "2026-01-31T09:30:00Z",
      tags: ["text", "text2"],
      n: 3.5,
    });
    assert.equal(sampleValue(formOf({ allOf: [{ type: "string" }, { type: "number" }] })), undefined);
    assert.equal(sampleOfPattern("^v(?:\\d+\\.)+x?$"), "v1.");
  });

  test("an example that does not fit is not in the way of a sample", () => {
    const form = formOf({
      type: "object",
      examples: [{ command: "make it" }],
      properties: { code: { type: "string", pattern: "^[A-Z]{3}$", examples: ["euro"] } },
      required: ["code"],
      additionalProperties: false,
    });
    assert.deepEqual(sampleValue(form), { code: "AAA" });
  });

  test("a format that comes with its pattern, as generators write it, has a sample", () => {
    const email = "^(?:[a-z0-9_+-]+\\.)*[a-z0-9_-]*[a-z0-9]@(?:[a-z0-9][a-z0-9-]*\\.)+[A-Za-z]{2,}$";
    const uuid = "^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$";
    const form = formOf({
      type: "object",
      properties: {
        mail: { type: "string", format: "email", pattern: email },
        id: { type: "string", format: "uuid", pattern: uuid },
      },
      required: ["mail", "id"],
    });
    const id = "123e4567-e89b-42d3-a456-426614174000";
    // Trying the first pattern could take long on a longer text: a short one is made from the pattern.
    assert.deepEqual(sampleValue(form), { mail: "a@a.AA", id });
  });
});

describe("checks", () => {
  test("problems have a pointer and words", () => {
    const form = formOf({
      type: "object",
      required: ["a"],
      properties: { b: { type: "array", minItems: 2, items: { type: "string", format: "email" } } },
    });
    assert.deepEqual(
      validateValue(form, { b: ["x"] }),
      [
        { pointer: "/a", keyword: "required", message: "“a” is required." },
        { pointer: "/b", keyword: "minItems", message: "Must have at least 2 items." },
        { pointer: "/b/0", keyword: "format", message: "Must be an e-mail address." },
      ].sort((a, b) => (a.pointer < b.pointer ? -1 : 1)),
    );
  });

  test("the closest alternative says what is missing", () => {
    const schema = {
      oneOf: [
        { required: ["kind", "iban"], properties: { kind: { const: "bank" } } },
        { required: ["kind", "number"], properties: { kind: { const: "card" } } },
      ],
    };
    assert.deepEqual(
      missingRequired(schema, { kind: "card" }).missing.map((field) => field.name),
      ["number"],
    );
    assert.deepEqual(missingRequired(schema, { kind: "bank", iban: "1" }).missing, []);
  });

  test("patterns are tried only where even the worst case is cheap", () => {
    assert.equal(matchesPattern("(a+)+$", `${"a".repeat(60)}!`), null);
    assert.equal(matchesPattern("^[a-z]+$", "a".repeat(5_000)), true);
    // Fixed counts leave nothing to try.
    assert.equal(
      matchesPattern("^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$", "123e4567-e89b-42d3-a456-426614174000"),
      true,
    );
    assert.equal(matchesPattern("[", "x"), null);
    assert.equal(matchesPattern("^(a?){30}a{30}$", "a".repeat(30)), null);
    assert.equal(matchesPattern("^(?:[a-z.]+\\.)+$", "a.".repeat(20)), null);
  });
});

test("requests carry every kind of parameter the way its style says", () => {
  const template: RequestTemplate = {
    method: "post",
    path: "/a/{id}/{list}",
    servers: ["https://{host}/v1"],
    variables: { host: "example.com" },
    parameters: [
      { name: "id", in: "path", style: "simple", explode: false },
      { name: "list", in: "path", style: "matrix", explode: false },
      { name: "filter", in: "query", style: "deepObject", explode: true },
      { name: "tags", in: "query", style: "form", explode: false },
      { name: "X-Trace", in: "header", style: "simple", explode: false },
      { name: "sid", in: "cookie", style: "form", explode: true },
    ],
    security: [{ field: "token", kind: "http", scheme: "bearer" }],
    contentTypes: ["application/json"],
    files: [],
  };
  const value = {
    path: { id: "a/b", list: [1, 2] },
    query: { filter: { age: { gt: 3 } }, tags: ["x y", "z"] },
    header: { "X-Trace": "t" },
    cookie: { sid: "s" },
    body: { quote: "it's", big: new ExactNumber("12345678901234567890") },
    security: { token: "hush" },
  };
  const request = buildRequest(template, value);
  assert.equal(
    request.url,
    "https://example.com/v1/a/a%2Fb/;list=1,2?filter%5Bage%5D%5Bgt%5D=3&tags=x%20y,z",
  );
  assert.equal(request.body, '{"quote":"it\'s","big":12345678901234567890}');
  const curl = curlOf(request);
  assert.match(curl, /-H "Authorization: Bearer \$TOKEN"/);
  assert.ok(!curl.includes("hush"));
  assert.match(curlOf(buildRequest(template, value, true)), /Bearer hush/);
});

test("hundreds of thousands of required names are bounded, and the answer says so", () => {
  const required = Array.from({ length: 300_000 }, (_, n) => `k${n}`);
  const { missing, checked, complete } = missingRequired({ allOf: [{ required }] }, {});
  assert.deepEqual([missing.length, complete], [200, false]);
  assert.ok(checked < 60_000, `${checked} asked`);
  assert.deepEqual(missing[0], {
    pointer: "/k0",
    name: "k0",
    conditional: false,
    label: "K0",
    message: "“K0” is required.",
  });
});

describe("what a form that is drawn lacks", () => {
  const lines = {
    type: "array",
    items: {
      type: "object",
      required: ["book"],
      properties: {
        book: { type: "object", required: ["id"], properties: { id: { type: "integer" } } },
      },
    },
  };
  const form = formOf({
    type: "object",
    required: ["body", "notes"],
    properties: {
      body: { type: "object", required: ["lines"], properties: { lines, gift: { type: "boolean" } } },
      notes: { type: "object", properties: { text: { type: "string" } } },
      customer: { type: "object", required: ["email"], properties: { email: { type: "string" } } },
    },
  });
  const lacks = (value: FormValue) => validateValue(form, asDrawn(form, value)).map(({ pointer }) => pointer);

  test("is named at its own field, not at the group around it", () => {
    assert.deepEqual(lacks({ notes: {} }), ["/body/lines"]);
    assert.deepEqual(lacks({ notes: {}, body: { lines: [{}] } }), ["/body/lines/0/book/id"]);
  });

  test("is the group itself when the group needs nothing, and no group that is optional", () => {
    assert.deepEqual(lacks({ body: { lines: [] } }), ["/notes"]);
    const whole = { notes: {}, body: { lines: [] } };
    assert.equal(asDrawn(form, whole), whole);
  });
});

test("a pattern is explained by an example where there is one", () => {
  assert.equal(
    explainByExample("pattern", "^[A-Z]{2}-[0-9]{4}$"),
    "Must be written like “AA-0000” (pattern ^[A-Z]{2}-[0-9]{4}$).",
  );
  assert.equal(explainByExample("pattern", "(?!a)a"), "Must match the pattern (?!a)a.");
});
