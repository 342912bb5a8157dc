import assert from "node:assert/strict";
import { test } from "node:test";
import { callsBehind } from "./calls-behind.ts";
import { subworkflowKey } from "./catalog-view.ts";
import { parseDocument } from "./document.ts";
import { compileProgram } from "./interpreter/program.ts";

/** What an approval before `count` calls lists; the last call has this argument. */
function listed(count: number, last = "x") {
  const calls = Array.from({ length: count }, (_, nth) => ({
    id: `c${nth}`,
    type: "tool",
    tool: "wipe",
    with: { id: nth === count - 1 ? last : "x" },
  }));
  const nodes = [{ id: "ask", type: "approval", approval: { title: "Ok?" } }, ...calls];
  const edges = calls.map(({ id }) => ({ id: `e${id}`, from: "ask", to: id, port: "approved" }));
  const { document } = parseDocument({ schemaVersion: "svc.workflow.v1", nodes, edges });
  const { graph } = compileProgram("sha256:x", document);
  const scope = { inputs: {}, steps: {} };
  return callsBehind({ graph, index: 0, scope, given: () => undefined }, new Map());
}

test("an approval lists a hundred calls, and its digest covers those beyond", () => {
  assert.equal(listed(100).length, 100);
  assert.equal(listed(100).at(-1)?.["tool"], "wipe");
  const many = listed(130);
  assert.equal(many.length, 101);
  assert.match(JSON.stringify(many.at(-1)), /"and 30 more".*sha256:/);
  assert.deepEqual(many, listed(130), "the same calls have the same digest");
  assert.notDeepEqual(many, listed(130, "y"), "another argument beyond the list has another one");
});

test("what a subworkflow says of its own run is not known before it begins", () => {
  const program = (nodes: readonly object[], edges: readonly object[] = []) =>
    compileProgram("sha256:x", parseDocument({ schemaVersion: "svc.workflow.v1", nodes, edges }).document);
  const inner = program([
    {
      id: "call",
      type: "tool",
      tool: "wipe",
      with: { id: { $ref: "run.id" }, at: { $expr: '"at " + run.startedAt' } },
    },
  ]);
  const ask = { id: "ask", type: "approval", approval: { title: "Ok?" } };
  const child = { id: "child", type: "subworkflow", subworkflow: { workflowId: "w", version: 1 } };
  const { graph } = program([ask, child], [{ id: "e", from: "ask", to: "child", port: "approved" }]);
  const scope = { inputs: {}, steps: {}, run: { id: "run_1", startedAt: "2026-01-01T00:00:00.000Z" } };
  const others = new Map([[subworkflowKey("w", 1), { program: inner, version: 1 }]]);
  const calls = callsBehind({ graph, index: 0, scope, given: () => undefined }, others);
  assert.deepEqual(calls.at(-1)?.["arguments"], {
    id: { $notKnownYet: "run.id" },
    at: { $notKnownYet: '"at " + run.startedAt' },
  });
});
