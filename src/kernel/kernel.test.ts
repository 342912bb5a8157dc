import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalJson, digestOf } from "./canonical-json.ts";
import { newId } from "./ids.ts";
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

test("ids sort by the order they were made in and never repeat", () => {
  const ids = Array.from({ length: 50_000 }, () => newId("run"));
  assert.deepEqual(ids.toSorted(), ids);
  assert.equal(new Set(ids).size, ids.length);
  assert.match(ids[0] ?? "", /^run_[0-9a-z]{26}$/);
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
