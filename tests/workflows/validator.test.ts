import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { parseDocument } from "../../src/workflows/document.ts";
import { planDocument } from "../../src/workflows/plan.ts";
import { PROBLEM_CODES } from "../../src/workflows/problems.ts";
import { validateDocument } from "../../src/workflows/validate.ts";
import { BROKEN, OWN_ID, view } from "./broken.ts";

describe("the validator finds every fault", () => {
  for (const { name, code, pointer, document } of BROKEN) {
    test(`${code}: ${name}`, () => {
      const { problems, valid } = validateDocument(parseDocument(document), view, OWN_ID);
      const found = problems.filter((item) => item.code === code);
      assert.ok(found.length > 0, `expected ${code}, found ${JSON.stringify(problems)}`);
      assert.ok(
        found.some((item) => item.pointer === pointer),
        `expected it at ${pointer}, found ${JSON.stringify(found)}`,
      );
      for (const item of problems) assert.ok(item.message.length > 5 && item.fix.length > 5);
      assert.equal(valid, PROBLEM_CODES[code].severity === "warning");
    });
  }

  test("each code at least twice, in at least sixty documents", () => {
    const counts = new Map<string, number>();
    for (const { code } of BROKEN) counts.set(code, (counts.get(code) ?? 0) + 1);
    const rare = Object.keys(PROBLEM_CODES).filter((code) => (counts.get(code) ?? 0) < 2);
    assert.deepEqual(rare, []);
    assert.ok(BROKEN.length >= 60, String(BROKEN.length));
  });

  test("all faults of one document at once", () => {
    const all = {
      nodes: [
        { id: "a", type: "tool", tool: "reed", with: { id: "x" } },
        { id: "b", type: "tool", tool: "wipe", with: { id: 3 } },
        { id: "c", type: "transform", value: { $ref: "$inputs.nope" } },
      ],
      edges: [{ from: "a", to: "z" }],
    };
    const codes = validateDocument(parseDocument(all), view).problems.map((item) => item.code);
    for (const code of [
      "tool_unknown",
      "argument_invalid",
      "destructive_without_approval",
      "ref_unknown_input",
      "edge_dangling",
    ] as const) {
      assert.ok(codes.includes(code), `${code} in ${codes.join()}`);
    }
  });
});

describe("a problem names what is allowed", () => {
  const messagesOf = (document: unknown, code: string): string => {
    const found = validateDocument(parseDocument(document), view).problems.filter(
      (item) => item.code === code,
    );
    return found.map(({ message, fix }) => `${message} ${fix}`).join("\n");
  };
  const node = (fields: object) => ({ nodes: [{ id: "a", ...fields }], edges: [] });

  test("unknown fields: those that are allowed, and the nearest", () => {
    const step = messagesOf(node({ type: "tool", tool: "read", wiht: { id: "x" } }), "unknown_field");
    assert.match(step, /allowed: id, .*tool, with, idempotencyKey/);
    assert.match(step, /Rename "wiht" to `with`/);
    const nested = messagesOf(
      node({ type: "handoff", handoff: { target: "docs", capability: "x", pyload: {} } }),
      "unknown_field",
    );
    assert.match(nested, /allowed: target, capability, intent, payload, inputArtifactIds, dryRun/);
    assert.match(nested, /`payload`/);
    assert.match(
      messagesOf({ nodes: [], egdes: [] }, "unknown_field"),
      /allowed: schemaVersion, .*edges.* `edges`/,
    );
    const edge = {
      nodes: [{ id: "a", type: "transform", value: 1 }],
      edges: [{ from: "a", to: "a", prt: "x" }],
    };
    assert.match(messagesOf(edge, "unknown_field"), /allowed: id, from, to, port\. Rename "prt" to `port`/);
    const body = { type: "map", map: { items: [], maxItems: 1, body: { nodes: [], outptus: 1 } } };
    assert.match(messagesOf(node(body), "unknown_field"), /allowed: nodes, edges, outputs\. .*`outputs`/);
    assert.match(
      messagesOf(node({ type: "start", input: {} }), "unknown_field"),
      /allowed: id, type, title, inputs/,
    );
  });

  test("missing fields: their shape", () => {
    assert.match(
      messagesOf(node({ type: "tool" }), "missing_field"),
      /Add `tool`: a string \(The tool's name/,
    );
    assert.match(
      messagesOf(node({ type: "approval" }), "missing_field"),
      /Add `approval`: an object \{title, show\?, form\?, approvers\?/,
    );
    assert.match(
      messagesOf(node({ type: "handoff", handoff: { capability: "x" } }), "missing_field"),
      /one of .*"docs"/,
    );
    assert.match(
      messagesOf({ nodes: [], edges: [{ from: "a" }] }, "missing_field"),
      /\{from, to, port\?, id\?\}/,
    );
  });

  test("unknown types, tools and arguments: the nearest and the rest", () => {
    assert.match(
      messagesOf(node({ type: "aproval" }), "node_type_unknown"),
      /Did you mean `approval`\? Use tool, /,
    );
    assert.match(
      messagesOf(node({ type: "tool", tool: "reed" }), "tool_unknown"),
      /the nearest: "read".*Use "read"/,
    );
    assert.match(messagesOf(node({ type: "tool", tool: "zzzzzzzz" }), "tool_unknown"), /list_mcp_tools/);
    const unknown = node({ type: "tool", tool: "read", with: { id: "x", cuont: 1 } });
    assert.match(messagesOf(unknown, "argument_unknown"), /did you mean "count"; allowed: id, count, mode/);
    assert.match(
      messagesOf(node({ type: "tool", tool: "read" }), "argument_missing"),
      /"id" is required: a string/,
    );
  });
});

describe("anything may be given", () => {
  test("any JSON is parsed, validated and planned without throwing", () => {
    const node = fc.record(
      {
        id: fc.oneof(fc.constantFrom("a", "b", "c", "__proto__"), fc.string()),
        type: fc.oneof(
          fc.constantFrom(
            "tool",
            "approval",
            "switch",
            "map",
            "transform",
            "wait",
            "handoff",
            "subworkflow",
            "start",
            "end",
          ),
          fc.string(),
        ),
        tool: fc.constantFrom("read", "send", "wipe", "none"),
        with: fc.jsonValue(),
        value: fc.oneof(
          fc.jsonValue(),
          fc.record({ $ref: fc.constantFrom("$inputs.x", "$steps.a.outputs#/b", "$item", "x") }),
          fc.record({ $expr: fc.string() }),
        ),
        map: fc.jsonValue(),
        approval: fc.jsonValue(),
        wait: fc.jsonValue(),
        cases: fc.jsonValue(),
        data: fc.jsonValue(),
        if: fc.string(),
      },
      { requiredKeys: [] },
    );
    const edge = fc.record(
      {
        from: fc.constantFrom("a", "b", "c"),
        to: fc.constantFrom("a", "b", "c", "d"),
        port: fc.constantFrom("success", "error", "default", "x"),
      },
      { requiredKeys: [] },
    );
    const document = fc.oneof(
      fc.jsonValue({ maxDepth: 6 }),
      fc.record(
        {
          nodes: fc.oneof(fc.array(fc.oneof(node, fc.jsonValue())), fc.jsonValue()),
          edges: fc.oneof(fc.array(fc.oneof(edge, fc.jsonValue())), fc.jsonValue()),
          inputs: fc.jsonValue(),
          outputs: fc.jsonValue(),
          policy: fc.jsonValue(),
          ui: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(document, (given) => {
        const parsed = parseDocument(given);
        const verdict = validateDocument(parsed, view);
        const plan = planDocument(parsed, view, verdict);
        assert.equal(plan.executable, verdict.valid);
        assert.match(plan.planDigest, /^sha256:[0-9a-f]{64}$/);
      }),
      { numRuns: 2_000 },
    );
  });

  test("what is not JSON is refused, not followed", () => {
    const loop: Record<string, unknown> = {};
    loop["nodes"] = [loop];
    assert.equal(parseDocument(loop).problems[0]?.code, "document_too_large");
    assert.ok(parseDocument(undefined).problems.length > 0);
    assert.ok(parseDocument({ nodes: [() => 1] }).problems.length > 0);
  });
});
