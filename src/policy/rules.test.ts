import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ANONYMOUS, type Caller } from "../ports/caller.ts";
import { routeAccess, routeOfOperation } from "../ports/operations.ts";
import { operations, prompts, resources, tools } from "../registry.ts";
import { METHODS } from "./methods.ts";
import { ACCESS_RULES, evaluateAccess, matchesUri, nearestTargets, type AccessSurface } from "./rules.ts";

const surface: AccessSurface = {
  catalog: { tools, resources, prompts, tool: (name) => tools.find((tool) => tool.name === name) },
  routes: operations.map((operation) => ({
    ...routeOfOperation(operation),
    access: routeAccess(operation.access),
    operation,
  })),
  baseUrl: "https://svc.example",
};
const runner: Caller = { kind: "key", id: "k", scopes: new Set(["run"]) };

describe("access verdicts", () => {
  test("every tool's verdict is what the dispatcher enforces, with its scope", () => {
    for (const tool of tools) {
      const verdict = evaluateAccess(surface, tool.name, undefined, ANONYMOUS);
      assert.equal(verdict?.verdict, tool.access === "public" ? "public-safe" : "key-required", tool.name);
      assert.equal(verdict?.requiredScope, tool.access === "public" ? null : tool.access, tool.name);
      assert.equal(verdict?.callerMay, tool.access === "public", tool.name);
      assert.equal(verdict?.rule, ACCESS_RULES[verdict.ruleId], tool.name);
    }
    assert.equal(evaluateAccess(surface, "run_workflow", undefined, runner)?.callerMay, true);
    assert.equal(evaluateAccess(surface, "approve_step", undefined, runner)?.callerMay, false);
  });

  test("resources, prompts and methods are public-safe", () => {
    const names = [
      ...resources.map(({ uri }) => uri),
      ...prompts.map(({ name }) => name),
      ...METHODS.map((m) => m.method),
    ];
    for (const name of names) {
      assert.equal(evaluateAccess(surface, name, undefined, ANONYMOUS)?.verdict, "public-safe", name);
    }
    assert.equal(
      evaluateAccess(surface, "svc://run/run_1", undefined, ANONYMOUS)?.ruleId,
      "resources.public",
    );
    assert.equal(evaluateAccess(surface, "tools/call", undefined, ANONYMOUS)?.ruleId, "methods.tool-call");
  });

  test("a path's verdict depends on what is meant to be done", () => {
    const of = (target: string, action?: string): string | undefined =>
      evaluateAccess(surface, target, action, ANONYMOUS)?.verdict;
    assert.equal(of("/api/svc/receive-handoff"), "public-safe");
    assert.equal(of("/api/svc/receive-handoff", "GET"), "public-safe");
    assert.equal(of("/api/svc/receive-handoff", "POST"), "key-required");
    assert.equal(of("/api/svc/receive-handoff", "send"), "key-required");
    assert.equal(of("/api/svc/handoffs/delegation_x_1"), "key-required");
    assert.equal(of("https://svc.example/llms.txt?x=1"), "public-safe");
    assert.equal(of("/llms.txt", "DELETE"), undefined, "no such route");
    const may = (target: string, action: string): boolean | null | undefined =>
      evaluateAccess(surface, target, action, runner)?.callerMay;
    assert.equal(may("/api/svc/handoffs/x", "GET"), false, "run is not the scope for it");
    // No right is claimed that depends on the record.
    assert.equal(may("/api/svc/receive-handoff", "POST"), null);
  });

  test("what does not exist has no verdict, only near names", () => {
    for (const target of [
      "run_workflo",
      "/nope",
      "svc://nope",
      "https://other.example/llms.txt",
      "",
      "__proto__",
    ]) {
      assert.equal(evaluateAccess(surface, target, undefined, ANONYMOUS), null, target);
    }
    assert.ok(nearestTargets(surface, "run_workflo").includes("run_workflow"));
  });

  test("a template matches ids and nothing deeper", () => {
    assert.ok(matchesUri("svc://run/{id}", "svc://run/abc"));
    assert.ok(!matchesUri("svc://run/{id}", "svc://run/"));
    assert.ok(!matchesUri("svc://run/{id}", "svc://run/a/b"));
    assert.ok(!matchesUri("svc://runs", "svc://runsx"));
  });
});
