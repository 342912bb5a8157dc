import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  checkValue,
  compileForm,
  validate,
  validateForm,
  type Verdict,
} from "../../packages/forms/src/index.ts";
import { matchesFormat } from "../../packages/forms/src/check/formats.ts";
import { checkText } from "../../src/workers/schema-checker.ts";

/*
 * One verdict: valid, invalid or unknown with the reason, the same in the browser and on the server. Each case here
 * was once decided wrongly by one of them, or not at all.
 * Long on purpose: a list of cases.
 */

function decided(schema: unknown, value: unknown): Verdict {
  const server = checkText(JSON.stringify(schema), JSON.stringify(value));
  const { form } = compileForm(schema, { formId: "form_test" });
  // A schema with references to other documents has no form, and still a verdict.
  if (form) {
    const browser = validateForm(form, JSON.parse(JSON.stringify(value)), { hasDeadline: true });
    assert.deepEqual(browser, server, "browser and server say the same");
  }
  return server.verdict;
}

type Case = readonly [name: string, schema: unknown, value: unknown, verdict: Verdict];

function all(cases: readonly Case[]): void {
  for (const [name, schema, value, verdict] of cases)
    test(name, () => assert.equal(decided(schema, value), verdict));
}

const DRAFT_4 = "http://json-schema.org/draft-04/schema#";
const DRAFT_7 = "http://json-schema.org/draft-07/schema#";

describe("keywords that are newer than the draft count as authors mean them", () => {
  const tagged = {
    $schema: DRAFT_4,
    oneOf: [
      { properties: { kind: { const: "a" } }, required: ["kind"] },
      { properties: { kind: { const: "b" } }, required: ["kind"] },
    ],
  };
  const conditional = JSON.parse(
    `{"$schema":"${DRAFT_4}","if":{"required":["a"]},"then":{"required":["b"]},"propertyNames":{"maxLength":1}}`,
  );
  all([
    ["const chooses one alternative", tagged, { kind: "a" }, "valid"],
    ["const refuses another value", tagged, { kind: "c" }, "invalid"],
    ["if and then", conditional, { a: 1 }, "invalid"],
    ["propertyNames", conditional, { long: 1 }, "invalid"],
    ["contains", { $schema: DRAFT_4, contains: { const: 1 } }, [2], "invalid"],
    [
      "what came with 2019-09 stays unknown to draft-07",
      { $schema: DRAFT_7, dependentRequired: { a: ["b"] } },
      { a: 1 },
      "valid",
    ],
    [
      "dependentRequired without a list means nothing",
      { dependentRequired: { a: false } },
      { a: 1 },
      "valid",
    ],
  ]);
});

describe("members and items that nothing has looked at", () => {
  const closed = { unevaluatedProperties: false };
  all([
    [
      "members of the alternative that applies are known",
      {
        anyOf: [
          { properties: { a: { type: "string" } }, required: ["a"] },
          { properties: { b: true }, required: ["b"] },
        ],
        ...closed,
      },
      { a: "x" },
      "valid",
    ],
    [
      "those of one that does not are not",
      {
        anyOf: [
          { properties: { a: { type: "string" } }, required: ["a"] },
          { properties: { b: { type: "string" } }, required: ["b"] },
        ],
        ...closed,
      },
      { a: "x", b: 1 },
      "invalid",
    ],
    [
      "a schema that holds a condition only makes members known where it holds",
      JSON.parse('{"if":{"properties":{"a":{"const":1}},"required":["a"]},"unevaluatedProperties":false}'),
      { a: 2 },
      "invalid",
    ],
    [
      "not makes nothing known",
      { not: { not: { properties: { a: true } } }, ...closed },
      { a: 1 },
      "invalid",
    ],
    [
      "through references",
      { $ref: "#/$defs/a", ...closed, $defs: { a: { properties: { a: true } } } },
      { a: 1 },
      "valid",
    ],
    [
      "dependent schemas",
      { properties: { a: true }, dependentSchemas: { a: { properties: { b: true } } }, ...closed },
      { a: 1, b: 2 },
      "valid",
    ],
    ["cousins do not see each other", { allOf: [{ properties: { a: true } }, closed] }, { a: 1 }, "invalid"],
    [
      "items that contains has found are known",
      { prefixItems: [true], contains: { type: "string" }, unevaluatedItems: false },
      [1, "a"],
      "valid",
    ],
    ["and others are not", { contains: { type: "string" }, unevaluatedItems: false }, [1, "a"], "invalid"],
    [
      "in 2019-09 contains makes nothing known",
      {
        $schema: "https://json-schema.org/draft/2019-09/schema",
        contains: { type: "string" },
        unevaluatedItems: false,
      },
      ["a"],
      "invalid",
    ],
    [
      "a nested list",
      { allOf: [{ prefixItems: [true, true] }], unevaluatedItems: { type: "number" } },
      [1, 2, "x"],
      "invalid",
    ],
    [
      "an alternative that cannot be decided leaves it open",
      { anyOf: [true, { $ref: "#/$defs/x", properties: { a: true } }], ...closed, $defs: {} },
      { a: 1 },
      "unknown",
    ],
  ]);
});

describe("what an address or a reference means", () => {
  const inUnknown = {
    $defs: {
      first: { not: { "x-list": [{ $id: "https://example.com/a.json", type: "null" }] } },
      real: { $id: "https://example.com/a.json", type: "string" },
      last: { not: { "x-map": { one: { $id: "https://example.com/a.json", type: "integer" } } } },
    },
    $ref: "https://example.com/a.json",
  };
  const besideRef = {
    $schema: DRAFT_7,
    $id: "https://example.com/base/",
    definitions: {
      outer: { $id: "https://example.com/foo.json", type: "string" },
      inner: { $id: "foo.json", type: "number" },
    },
    allOf: [{ $id: "https://example.com/", $ref: "foo.json" }],
  };
  const generated = {
    $schema: DRAFT_7,
    $id: "https://example.com/a.json",
    properties: { b: { $ref: "b.json#/definitions/size" } },
    definitions: {
      "b.json": {
        $id: "b.json",
        $ref: "#/definitions/size",
        definitions: { size: { type: "integer" } },
      },
    },
  };
  const byPointer = {
    $id: "https://example.com/words",
    $ref: "list",
    $defs: {
      word: { $dynamicAnchor: "item", type: "string" },
      list: {
        $id: "list",
        type: "array",
        items: { $dynamicRef: "#/$defs/item" },
        $defs: { item: { $dynamicAnchor: "item", type: "number" } },
      },
    },
  };
  const beyond = { $ref: "https://example.com/other.json", unevaluatedProperties: false };
  all([
    ["an $id inside an unknown keyword is none", inUnknown, "a", "valid"],
    ["the first one is not taken for the real one", inUnknown, null, "invalid"],
    ["nor is the last one", inUnknown, 1, "invalid"],
    ["draft-07: an $id beside a $ref does not change where it leads", besideRef, 1, "valid"],
    ["draft-07: and not to the other one", besideRef, "a", "invalid"],
    ["draft-07: a document that refers into itself keeps its address", generated, { b: "x" }, "invalid"],
    ["a dynamic reference by pointer is a plain one", byPointer, [1], "valid"],
    ["and does not lead to the outer anchor", byPointer, ["a"], "invalid"],
    ["what a document out of reach allows is not refused", beyond, { a: 1 }, "unknown"],
    ["nothing there, nothing to refuse: only the reference is open", beyond, {}, "unknown"],
    [
      "items that a document out of reach may know",
      { $ref: "https://example.com/other.json", unevaluatedItems: false },
      [1],
      "unknown",
    ],
    [
      "a mistake beside such a reference stays one",
      { ...beyond, properties: { a: { type: "string" } } },
      { a: 1 },
      "invalid",
    ],
    [
      "draft-07: what stands beside a $ref counts, as authors mean it",
      {
        $schema: DRAFT_7,
        properties: { a: { $ref: "#/definitions/l", maxItems: 2 } },
        definitions: { l: { type: "array" } },
      },
      { a: [1, 2, 3] },
      "invalid",
    ],
  ]);
});

describe("one thing that cannot be read does not stop the rest", () => {
  const dead = { type: "object", properties: { a: { type: "string" }, b: { $ref: "#/$defs/gone" } } };
  const twice = {
    $defs: { a: { $id: "urn:x", type: "string" }, b: { $id: "urn:x", type: "integer" } },
    properties: { c: { $ref: "urn:x" }, d: { type: "string" } },
  };
  all([
    ["a value that does not touch a dead reference", dead, { a: "x" }, "valid"],
    ["a mistake elsewhere", dead, { a: 1, b: 2 }, "invalid"],
    ["a value that does", dead, { b: 2 }, "unknown"],
    [
      "another document",
      { properties: { a: { $ref: "https://example.com/a.json" }, b: { type: "string" } } },
      { b: "x" },
      "valid",
    ],
    ["an address that is there twice", twice, { d: "x" }, "valid"],
    ["an address that is there twice, and a mistake", twice, { d: 1 }, "invalid"],
    [
      "a nested address",
      {
        $id: "https://example.com/root.json",
        properties: {
          a: {
            $id: "sub/a.json",
            $defs: { n: { type: "integer" } },
            properties: { n: { $ref: "#/$defs/n" } },
          },
        },
      },
      { a: { n: "x" } },
      "invalid",
    ],
    ["a pattern that is none says nothing", { type: "string", pattern: "[" }, "x", "valid"],
    [
      "a name that the language knows",
      JSON.parse('{"properties":{"__proto__":{"type":"number"},"toString":{"type":"number"}}}'),
      JSON.parse('{"__proto__":"x"}'),
      "invalid",
    ],
    ["and one that is not there", JSON.parse('{"required":["__proto__","toString"]}'), {}, "invalid"],
  ]);

  test("the reason names what is missing", () => {
    const { reason } = validate(dead, { b: 2 });
    assert.equal(reason, "The reference #/$defs/gone leads nowhere in this schema.");
  });

  test("without a deadline a costly pattern is not tried", () => {
    const schema = { type: "string", pattern: "^(a+)+$" };
    const { verdict, reason } = validate(schema, `${"a".repeat(28)}!`);
    assert.equal(verdict, "unknown");
    assert.match(reason ?? "", /pattern/);
  });

  test("a diamond of 19 levels is decided in a few steps", () => {
    const levels = Object.fromEntries(
      Array.from({ length: 19 }, (_, n) => [
        `d${n}`,
        { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
      ]),
    );
    const schema = { $ref: "#/$defs/d0", $defs: { ...levels, d19: { type: "string" } } };
    assert.equal(checkValue(schema, "x", { steps: 200 }), "valid");
    assert.equal(checkValue(schema, 1, { steps: 200 }), "invalid");
  });
});

describe("formats", () => {
  const right: Readonly<Record<string, readonly string[]>> = {
    email: [
      "noreply@localhost",
      "a.b@example.com",
      '"joe bloggs"@example.com',
      "joe@[127.0.0.1]",
      "te~st@example.com",
    ],
    hostname: ["localhost", "xn--4gbwdl.xn--wgbh1c", "a-b.example"],
    "idn-hostname": [
      "example.com",
      "m\u00fcller.example",
      "\uc2e4\ub840.\ud14c\uc2a4\ud2b8",
      "xn--4gbwdl.xn--wgbh1c",
      "\u00df\u03c2\u0f0b\u3007",
      "l\u00b7l",
      "\u30fb\u4e08",
      "\u0915\u094d\u200d\u0937",
    ],
    ipv4: ["192.168.0.1", "0.0.0.0"],
    ipv6: ["::1", "::", "12::", "1:2:3:4:5:6:7:8", "::ffff:192.168.0.1", "::abef"],
    uri: [
      "http://foo.bar/?baz=qux#quux",
      "urn:oasis:names",
      "mailto:a@b.c",
      "http://[::1]:80/",
      "tel:+1-816-555-1212",
    ],
    "uri-reference": ["/abc", "//foo.bar/?q=a", "abc", "#frag", "", "?q"],
    iri: ["http://\u0192\u00f8\u00f8.\u00df\u00e5r/?q=\u00e9"],
    "date-time": ["1963-06-19T08:30:06.283185Z", "1990-12-31t15:59:60-08:00", "1998-12-31T23:59:60z"],
    time: ["08:30:06Z", "23:20:50.52-12:00"],
    duration: ["P4DT12H30M5S", "P2W", "PT1M"],
    "json-pointer": ["", "/foo/bar~0/baz~1/%a"],
    "relative-json-pointer": ["1", "0/foo/bar", "120#"],
    "uri-template": ["http://example.com/{term:1}/{term}"],
    regex: ["([abc])+\\s+$"],
    uuid: ["2EB8AA08-aa98-11ea-b4aa-73b441d16380"],
  };
  const wrong: Readonly<Record<string, readonly string[]>> = {
    email: [
      "2962",
      ".a@example.com",
      "a.@example.com",
      "a..b@example.com",
      "a@b=c.com",
      "a@b.c, d@e.f",
      "@x",
      "a b@c.d",
    ],
    hostname: ["-a", "a-", "a_b", "", ".", "a..b", "x".repeat(64)],
    "idn-hostname": [
      "",
      "-a",
      "a-",
      "\u0300hello",
      "aa--b\u00fccher",
      "XN--aa---o47jg78q",
      "\u5b9f\u302e\u4f8b",
      "a\u00b7l",
      "\u03b1\u0375S",
      "A\u05f3\u05d1",
      "def\u30fbabc",
      "\u0660\u06f0",
      "\u0915\u200d\u0937",
      "\u00fc".repeat(64),
    ],
    ipv4: ["256.1.1.1", "127.0.0", "087.10.0.1", "1.2.3.4.5"],
    ipv6: ["12345::", "1:2:3:4:5:6:7", "1::2::3", ":2:3:4:5:6:7:8", "::1%eth0", "1:2:3:4:5:6:7:8:9"],
    uri: [
      "//foo.bar",
      "/abc",
      "abc",
      "http:// shouldfail.com",
      ":// should fail",
      "bar,baz:foo",
      "https://[@example.org/",
      "https://a/<>",
    ],
    "uri-reference": ["\\\\WINDOWS\\fileshare", "#frag\\ment"],
    "date-time": [
      "1998-12-31T23:58:60Z",
      "1990-02-31T15:59:59Z",
      "06/19/1963 08:30:06 PST",
      "2013-350T01:01:01",
    ],
    time: ["08:30:06", "24:00:00Z", "22:59:60Z", "08:30:06-08:60", "12:00:00"],
    duration: ["P", "PT", "4DT12H", "P1YT", "PT1D", "P2S", "P1Y2W", "P1"],
    "json-pointer": ["/foo/bar~", "#/a", "a"],
    "relative-json-pointer": ["/foo", "-1/foo", "+1", "0##", "01/a"],
    "uri-template": ["http://example.com/{term:1"],
    regex: ["^(abc]", "^\\S(|(.|\\n)*\\S)\\Z"],
    uuid: ["2eb8aa08-aa98-11ea-b4aa-73b441d1638", "2eb8aa08aa9811eab4aa73b441d16380"],
  };
  for (const [format, texts] of Object.entries(right))
    test(`${format}: right`, () =>
      assert.deepEqual(
        texts.filter((text) => !matchesFormat(format, text)),
        [],
      ));
  for (const [format, texts] of Object.entries(wrong))
    test(`${format}: wrong`, () =>
      assert.deepEqual(
        texts.filter((text) => matchesFormat(format, text)),
        [],
      ));

  test("whole numbers of an API have their size", () => {
    const schema = { type: "integer", format: "int32" };
    assert.equal(decided(schema, 2 ** 31 - 1), "valid");
    assert.equal(decided(schema, 2 ** 31), "invalid");
  });
});
