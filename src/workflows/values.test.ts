import assert from "node:assert/strict";
import process from "node:process";
import { describe, test } from "node:test";
import fc from "fast-check";
import { AppError } from "../kernel/errors.ts";
import type { Json } from "../kernel/json.ts";
import { compileExpression, evaluateCondition, evaluateExpression, type Scope } from "./expressions.ts";
import { asWritten, lookUp, parseReference, referenceText, resolveValue } from "./values.ts";

const scope: Scope = {
  inputs: { url: "u", n: 5, list: [1, 2, 3], deep: { "a/b": { "~": "tilde" } }, none: null },
  steps: {
    fetch: {
      status: "succeeded",
      port: "success",
      outputs: { ok: true, data: { id: "x1", rows: [{ k: 1 }] } },
    },
    "b-c": { status: "skipped", port: null },
  },
  item: { name: "it" },
  index: 2,
  run: { id: "run_1", startedAt: "2026-01-01T00:00:00.000Z" },
};

const INJECTION = "{{constructor.constructor('return process')()}}";

describe("references", () => {
  test("lead to inputs, steps, item, index and run", () => {
    assert.equal(lookUp("$inputs.url", scope), "u");
    assert.deepEqual(lookUp("$inputs#/list/1", scope), 2);
    assert.equal(lookUp("$inputs.deep#/a~1b/~0", scope), "tilde");
    assert.equal(lookUp("$steps.fetch.outputs#/data/rows/0/k", scope), 1);
    assert.equal(lookUp("$steps.b-c.status", scope), "skipped");
    assert.equal(lookUp("$steps.b-c.outputs", scope), undefined);
    assert.equal(lookUp("$item#/name", scope), "it");
    assert.equal(lookUp("$index", scope), 2);
    assert.equal(lookUp("$run.id", scope), "run_1");
  });

  test("reach nothing inherited", () => {
    for (const text of [
      "$inputs.constructor",
      "$inputs.__proto__",
      "$inputs#/list/length",
      "$inputs#/url/length",
      "$steps.fetch.outputs#/constructor/name",
    ]) {
      assert.equal(lookUp(text, scope), undefined, text);
    }
  });

  test("are recognised exactly", () => {
    for (const text of [
      "input.url",
      "inputs.",
      "inputs.a-b",
      "inputs[a]",
      "inputs['a']",
      "inputs[01]",
      "inputs.a ",
      "inputs.a + 1",
      "steps.fetch",
      "steps.fetch.secrets",
      'steps["a b"].outputs',
      "run",
      "run.key",
      "env.X",
      "$inputs.",
      "$inputs.a.b",
      "$steps.fetch",
      "$steps.fetch.secrets",
      "$env.X",
      "$inputs.url#x",
      "$inputs.url#/a~2",
      "$run.key",
      "",
    ]) {
      assert.equal(parseReference(text), null, text);
    }
  });

  test("are the paths of expressions, and the earlier spelling reads the same", () => {
    for (const [path, earlier] of [
      ["inputs.url", "$inputs.url"],
      ["inputs.list[1]", "$inputs#/list/1"],
      ['inputs.deep["a/b"]["~"]', "$inputs.deep#/a~1b/~0"],
      ["steps.fetch.outputs.data.rows[0].k", "$steps.fetch.outputs#/data/rows/0/k"],
      ['steps["b-c"].status', "$steps.b-c.status"],
      ["item.name", "$item#/name"],
      ["index", "$index"],
      ["run.id", "$run.id"],
    ] as const) {
      assert.equal(asWritten(earlier), path);
      assert.equal(asWritten(path), path);
      assert.deepEqual(lookUp(path, scope), lookUp(earlier, scope), path);
      assert.deepEqual(evaluateExpression(path, scope), lookUp(path, scope), path);
    }
  });

  test("whatever is referred to is written as a path that leads there, in references and in expressions", () => {
    const name = fc.oneof(fc.constantFrom("in", "a-b", "7", "", "ok", 'q"', "\\", "if"), fc.string());
    fc.assert(
      fc.property(name, name, (first, second) => {
        fc.pre(first !== "__proto__" && second !== "__proto__");
        const inputs = { [first]: { [second]: "here" } };
        const text = referenceText({ root: "inputs", name: first, pointer: [second] });
        const at: Scope = { inputs, steps: {} };
        assert.equal(lookUp(text, at), "here", text);
        // A name of digits is a position in CEL.
        if (!/^\d+$/.test(first) && !/^\d+$/.test(second))
          assert.equal(evaluateExpression(text, at), "here", text);
      }),
    );
  });

  test("fall back to their default, and only then", () => {
    assert.equal(resolveValue({ $ref: "$inputs.missing", default: 7 }, scope), 7);
    assert.equal(resolveValue({ $ref: "$inputs.none", default: 7 }, scope), null);
    assert.throws(() => resolveValue({ $ref: "$inputs.missing" }, scope), AppError);
    assert.equal(resolveValue({ $expr: "steps.nope.outputs", default: "d" }, scope), "d");
  });
});

describe("values", () => {
  test("texts stay texts, whatever they look like, in every place", () => {
    for (const text of [INJECTION, "$inputs.url", "${process.exit()}", "{{inputs.url}}", "=1+1"]) {
      assert.equal(resolveValue(text, scope), text);
      assert.deepEqual(resolveValue({ a: [text, { b: text }] }, scope), { a: [text, { b: text }] });
      assert.deepEqual(resolveValue({ $literal: { $ref: text } }, scope), { $ref: text });
    }
  });

  test("any JSON without tags resolves to itself", () => {
    const hasTag = (value: unknown): boolean => JSON.stringify(value).includes('"$');
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json: Json = JSON.parse(JSON.stringify(value));
        fc.pre(!hasTag(json));
        assert.deepEqual(resolveValue(json, scope), json);
      }),
    );
  });

  test("a key called __proto__ is data", () => {
    const value: Json = JSON.parse('{"__proto__": {"polluted": true}, "a": 1}');
    const resolved = resolveValue(value, scope);
    assert.equal(JSON.stringify(resolved), JSON.stringify(value));
    assert.equal(Object.hasOwn(Object.prototype, "polluted"), false);
  });
});

describe("expressions", () => {
  test("compute over inputs, steps and items with JSON numbers", () => {
    const cases: readonly (readonly [string, Json])[] = [
      ["inputs.n + 1", 6],
      ["inputs.n / 2", 2.5],
      ["inputs.n in [5, 6]", true],
      ["size(inputs.list) == 3", true],
      ['steps["b-c"].status == "skipped"', true],
      ["steps.fetch.outputs.data.rows.map(r, r.k * 2)", [2]],
      ["has(inputs.missing)", false],
      ['item.name + "!"', "it!"],
      ["index + 1", 3],
      ['{"a": inputs.n, "b": [1, "x"]}', { a: 5, b: [1, "x"] }],
      ['timestamp("2026-01-01T00:00:00Z")', "2026-01-01T00:00:00.000Z"],
    ];
    for (const [source, expected] of cases)
      assert.deepEqual(evaluateExpression(source, scope), expected, source);
  });

  test("reach no JavaScript", () => {
    for (const source of [
      INJECTION,
      "inputs.constructor",
      "inputs.__proto__",
      "inputs.url.constructor",
      'inputs["constructor"]["constructor"]("return process")()',
      "inputs.list.constructor",
      "process.exit()",
      "globalThis",
      "this",
    ]) {
      assert.throws(() => evaluateExpression(source, scope), AppError, source);
    }
  });

  test("refuse what can run long", () => {
    const refused = (source: string): string => {
      const compiled = compileExpression(source);
      return compiled.ok ? "" : compiled.fault.code;
    };
    assert.equal(refused('inputs.url.matches("(a+)+$")'), "expr_forbidden");
    assert.equal(refused("cel.bind(x, inputs.url, x + x)"), "expr_forbidden");
    assert.equal(refused(`"${"a".repeat(3_000)}"`), "expr_cost");
    assert.equal(refused("[1].all(a, [1].all(b, [1].all(c, [1].all(d, true))))"), "expr_cost");
    assert.equal(refused(`${"!".repeat(500)}true`), "expr_cost");
  });

  test("bound their loops by what they loop over", () => {
    const long: Scope = { inputs: { list: Array.from({ length: 2_000 }, (_, i) => i) }, steps: {} };
    assert.equal(evaluateExpression("size(inputs.list.filter(x, x > 1000))", long), 999);
    assert.throws(
      () => evaluateExpression("inputs.list.all(a, inputs.list.exists(b, a == b))", long),
      /too long/,
    );
    assert.throws(
      () =>
        evaluateExpression('inputs.text.split("").all(a, inputs.text.split("").all(b, true))', {
          inputs: { text: "x".repeat(5_000) },
          steps: {},
        }),
      /too long/,
    );
  });

  test("stop what takes long although the lists are short enough", () => {
    const list = Array.from({ length: 300 }, (_, i) => [i, i]);
    const inputs = { list, same: list.map((pair) => [...pair]) };
    const long = Array.from({ length: 12 }, () => "inputs.list").join(" + ");
    for (const source of [
      "inputs.list.all(a, inputs.list.all(b, inputs.list == inputs.same))",
      "inputs.list.all(a, inputs.list.all(b, !(5.0 in inputs.list)))",
      `(${long}).all(b, (${long}).all(c, true))`,
    ]) {
      const began = process.cpuUsage();
      assert.throws(() => evaluateExpression(source, { inputs, steps: {} }), /takes longer than/, source);
      assert.ok(process.cpuUsage(began).user < 1_000_000, source);
    }
  });

  test("share what a run may take", () => {
    const inputs = { list: Array.from({ length: 1_000 }, (_, i) => i) };
    const source = "inputs.list.all(a, inputs.list.all(b, a + b >= 0.0))";
    const spent: Scope = { inputs, steps: {}, budget: { leftMs: 0 } };
    assert.throws(() => evaluateExpression(source, spent), /more time together/);
    assert.equal(evaluateExpression("inputs.list.size()", spent), 1_000);
  });

  test("give JSON or fail", () => {
    assert.throws(() => evaluateExpression("9007199254740993 * 3", scope), /exactly/);
    assert.throws(() => evaluateExpression("1.0 / 0.0", scope), /finite/);
    assert.throws(() => evaluateExpression('b"abc"', scope), /not a JSON value/);
    assert.throws(() => evaluateCondition("inputs.n", scope), /no boolean/);
  });

  test("any text is compiled or refused, never thrown", () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 200 }),
        (source) => typeof compileExpression(source).ok === "boolean",
      ),
      { numRuns: 2_000 },
    );
  });
});
