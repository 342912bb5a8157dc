import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { AppError } from "../kernel/errors.ts";
import { MAX_BODY_BYTES, MAX_CONTAINERS, MAX_MEMBERS, parseJsonBody } from "./json-body.ts";

const parse = (text: string) => parseJsonBody(Buffer.from(text));
const refused = { code: "parse_error" };

describe("parseJsonBody", () => {
  it("gives what JSON.parse gives for everything it accepts", () => {
    // Without NUL and lone surrogates, which are refused on purpose.
    const text = fc.string({ unit: "grapheme" }).filter((value) => !value.includes("\0"));
    const value = fc
      .jsonValue({ maxDepth: 6 })
      .map((item) => JSON.stringify(item))
      .filter((item) => !/\\u(?:0000|d[89a-f])/i.test(item));
    fc.assert(
      fc.property(value, (json) => assert.deepEqual(parse(json), JSON.parse(json))),
      { numRuns: 2_000 },
    );
    fc.assert(
      fc.property(text, (item) => assert.equal(parse(JSON.stringify(item)), item)),
      { numRuns: 1_000 },
    );
  });

  it("never throws anything but our own refusal, whatever the bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          parseJsonBody(Buffer.from(bytes));
        } catch (error) {
          assert.ok(error instanceof AppError);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it("refuses a duplicate member wherever it is", () => {
    const members = fc.uniqueArray(fc.stringMatching(/^[a-z"\\/{}:,[\]]{1,6}$/), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(members, fc.nat(), fc.nat(4), (names, pick, depth) => {
        const twice = [...names, names[pick % names.length]]
          .map((name) => `${JSON.stringify(name)}:1`)
          .join(",");
        assert.throws(() => parse(`${'{"o":['.repeat(depth)}{${twice}}${"]}".repeat(depth)}`), refused);
      }),
    );
  });

  it("refuses names that are written differently but mean the same", () => {
    assert.throws(() => parse('{"a":1,"\\u0061":2}'), /\/a occurs more than once/);
    assert.deepEqual(parse('{"a":1,"A":2}'), { a: 1, A: 2 });
  });

  it("takes colons, braces and quotes inside strings for what they are", () => {
    const tricky = { 'a":"b': "{[:,]}", "\\": '\\"', "": ["::", '"'] };
    assert.deepEqual(parse(JSON.stringify(tricky)), tricky);
  });

  it("knows the size and depth limits to the byte and the level", () => {
    assert.equal(parse(`"${"x".repeat(MAX_BODY_BYTES - 2)}"`), "x".repeat(MAX_BODY_BYTES - 2));
    assert.throws(() => parse(`"${"x".repeat(MAX_BODY_BYTES - 1)}"`), { code: "too_large" });
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
    assert.ok(parse(nested(64)));
    assert.throws(() => parse(nested(65)), refused);
  });

  it("knows how many members and containers a body may have", () => {
    const members = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join()}}`;
    assert.ok(parse(members(MAX_MEMBERS)));
    assert.throws(() => parse(members(MAX_MEMBERS + 1)), {
      code: "too_large",
      message: /20000 members .* this one has 20001 and 1\.$/,
    });
    // What looks like a container inside a text does not count.
    const arrays = (count: number) =>
      `{"a":["[[{{::",${Array.from({ length: count - 2 }, () => "[]").join()}]}`;
    assert.ok(parse(arrays(MAX_CONTAINERS)));
    assert.throws(() => parse(arrays(MAX_CONTAINERS + 1)), { code: "too_large" });
    const batch = `[${Array.from({ length: MAX_CONTAINERS }, () => "{}").join()}]`;
    assert.throws(() => parse(batch), { code: "invalid_request", message: /this one has 20000\.$/ });
  });

  it("says where JSON ends being JSON, without quoting the input", () => {
    const own = (text: string, expected: RegExp) =>
      assert.throws(
        () => parse(text),
        (error) =>
          error instanceof AppError && expected.test(error.message) && !error.message.includes("canary"),
      );
    own('{"canary": tru}', /^The body is not JSON\.$/);
    own('{"canary": 1', /see character 12|ends too early/);
    own("", /empty/);
  });
});
