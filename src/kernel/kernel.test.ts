import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalJson, digestOf } from "./canonical-json.ts";
import { envelopeText, ok, okWithText } from "./envelope.ts";
import { newId, randomHex } from "./ids.ts";
import { maskSecrets } from "./secrets.ts";
import { shellCommand } from "./shell.ts";
import { childOf, traceFrom, traceparentOf } from "./trace.ts";

test("canonical JSON is the text of RFC 8785's own example", () => {
  const given = JSON.parse(
    String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
  );
  assert.equal(
    canonicalJson(given),
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  );
});

test("canonical JSON does not depend on key order and reads back equal", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      assert.equal(canonicalJson(JSON.parse(text)), text);
      assert.equal(digestOf(JSON.parse(text)), digestOf(value));
    }),
  );
  assert.equal(
    canonicalJson({ b: 1, a: undefined, "\u00e9": 2, __proto__x: 3 }),
    '{"__proto__x":3,"b":1,"é":2}',
  );
  assert.equal(canonicalJson(JSON.parse('{"__proto__":{"x":1},"a":2}')), '{"__proto__":{"x":1},"a":2}');
  assert.throws(() => canonicalJson(Number.NaN), TypeError);
});

test("canonical JSON is what sorting every object by hand gives", () => {
  const slow = (value: unknown): string => {
    if (Array.isArray(value)) return `[${value.map(slow).join(",")}]`;
    if (typeof value !== "object" || value === null) return JSON.stringify(value);
    const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return `{${members.map(([key, item]) => `${JSON.stringify(key)}:${slow(item)}`).join(",")}}`;
  };
  const key = fc.oneof(
    fc.constantFrom("__proto__", "10", "9", "a", "b", "Z", "", "é", "\\", '"', '\\"', "\n"),
    fc.string(),
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(
        fc.string(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
      ),
      fc.array(tie("tree"), { maxLength: 4 }),
      fc.array(fc.tuple(key, tie("tree")), { maxLength: 5 }).map((pairs) => {
        const text = pairs.map(([name, item]) => `${JSON.stringify(name)}:${JSON.stringify(item)}`).join(",");
        const object: unknown = JSON.parse(`{${text}}`);
        return object;
      }),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      const text = slow(value);
      assert.equal(canonicalJson(value), text);
    }),
    { numRuns: 2_000 },
  );
});

test("ids sort by the order they were made in and never repeat", () => {
  const ids = Array.from({ length: 50_000 }, () => newId("run"));
  assert.deepEqual(ids.toSorted(), ids);
  assert.equal(new Set(ids).size, ids.length);
  assert.match(ids[0] ?? "", /^run_[0-9a-z]{26}$/);
});

test("random bytes never repeat, however many are drawn at a time", () => {
  for (const bytes of [8, 16, 24]) {
    const drawn = Array.from({ length: 5_000 }, () => randomHex(bytes));
    assert.equal(new Set(drawn).size, drawn.length);
    assert.ok(drawn.every((text) => text.length === 2 * bytes && /^[0-9a-f]+$/.test(text)));
    // Each bit is set in about half of them.
    const ones = drawn.filter((text) => Number.parseInt(text.slice(-1), 16) & 1).length;
    assert.ok(ones > 2_200 && ones < 2_800, String(ones));
  }
});

test("a trace goes on where the caller's ended, and a broken header begins a new one", () => {
  const caller = traceFrom("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  assert.equal(caller.traceId, "0af7651916cd43dd8448eb211c80319c");
  assert.equal(caller.parentSpanId, "b7ad6b7169203331");
  assert.match(traceparentOf(childOf(caller)), /^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/);
  for (const wrong of [undefined, "", "00-0-0-01", `00-${"0".repeat(32)}-b7ad6b7169203331-01`]) {
    assert.equal(traceFrom(wrong).parentSpanId, null);
  }
});

test("secrets are masked by name and by looks, and everything else stays", () => {
  const masked = maskSecrets({
    password: "p",
    dbPassword: "p",
    "x-api-key": "k",
    note: "the key is suite_live_abc_def_0",
    tokens: 12,
    nested: [{ client_secret: "s", name: "n" }],
  });
  assert.deepEqual(masked, {
    password: { $redacted: "secret" },
    dbPassword: { $redacted: "secret" },
    "x-api-key": { $redacted: "secret" },
    note: { $redacted: "secret" },
    tokens: 12,
    nested: [{ client_secret: { $redacted: "secret" }, name: "n" }],
  });
});

test("a command line survives a shell", () => {
  assert.equal(
    shellCommand(["suitectl", "tools", "call", "x", "--args", `{"a":"it's"}`]),
    `suitectl tools call x --args '{"a":"it'\\''s"}'`,
  );
});

test("an envelope around a text is the envelope of its value", () => {
  const form = { title: 'a "quoted" título', fields: [1, null] };
  const rest = { formId: "form_1", left: undefined, stored: { status: "stored" } };
  const written = okWithText("form", JSON.stringify(form), rest);
  const whole = ok({ form, ...rest });
  assert.equal(envelopeText(written), JSON.stringify(whole));
  assert.equal(JSON.stringify(written), JSON.stringify(whole));
  assert.deepEqual(written.data, JSON.parse(JSON.stringify(whole.data)));
  assert.equal(written.ok, true);
  assert.equal(envelopeText(okWithText("form", "{}", {})), '{"ok":true,"data":{"form":{}}}');
});
