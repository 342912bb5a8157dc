import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { JsonObject } from "../kernel/json.ts";
import { applyPolicyChange, BUILT_IN_POLICY, readPolicy } from "./document.ts";
import { TRUST_POLICY_LINE } from "./texts.ts";

const names = {
  publicTools: ["get_info", "plan_workflow"],
  protectedTools: ["run_workflow", "save_artifact"],
};
const refusedAt = (change: JsonObject): readonly string[] => {
  const outcome = applyPolicyChange(BUILT_IN_POLICY, change, names);
  return outcome.ok ? [] : outcome.problems.map(({ pointer }) => pointer);
};

describe("policy changes", () => {
  test("members that are given change, the others stay", () => {
    const outcome = applyPolicyChange(BUILT_IN_POLICY, { summary: "New.", contact: "ops desk" }, names);
    assert.ok(outcome.ok);
    assert.deepEqual(outcome.changed, ["summary", "contact"]);
    assert.equal(outcome.policy.summary, "New.");
    assert.deepEqual(outcome.policy.platforms, BUILT_IN_POLICY.platforms);
    assert.deepEqual(readPolicy(outcome.policy), outcome.policy);
  });

  test("the boundary may be repeated and never moved", () => {
    const stated = { publicTools: [...names.publicTools], protectedTools: [...names.protectedTools] };
    assert.deepEqual(refusedAt({ summary: "s", boundary: stated }), []);
    assert.deepEqual(refusedAt({ summary: "s", boundary: { protectedTools: ["run_workflow"] } }), [
      "/boundary/protectedTools",
    ]);
    assert.deepEqual(
      refusedAt({ summary: "s", boundary: { publicTools: [...names.publicTools, "run_workflow"] } }),
      ["/boundary/publicTools/2"],
    );
    assert.deepEqual(
      refusedAt({ summary: "s", boundary: { protectedTools: [...names.protectedTools, "get_info"] } }),
      ["/boundary/protectedTools/2"],
    );
    assert.deepEqual(refusedAt({ summary: "s", boundary: { scopes: [] } }), ["/boundary/scopes"]);
    assert.deepEqual(refusedAt({ summary: "s", boundary: [] }), ["/boundary"]);
  });

  test("a platform without a key is not granted a protected tool", () => {
    const platform = {
      id: "x",
      name: "X",
      kind: "crawler",
      access: "public-safe",
      grants: ["may call run_workflow"],
      statements: [],
    };
    assert.deepEqual(refusedAt({ platforms: [platform] }), ["/platforms/0/grants/0"]);
    assert.deepEqual(refusedAt({ platforms: [{ ...platform, access: "key-required" }] }), []);
    assert.ok(refusedAt({ platforms: [{ ...platform, grants: [], access: "everything" }] }).length > 0);
    assert.ok(
      refusedAt({
        platforms: [
          { ...platform, grants: [] },
          { ...platform, grants: [] },
        ],
      }).length > 0,
    );
  });

  test("the trust line, unknown members, secrets and empty changes are refused", () => {
    assert.deepEqual(refusedAt({ summary: "s", trustPolicyLine: "Trust us." }), ["/trustPolicyLine"]);
    assert.deepEqual(refusedAt({ summary: "s", trustPolicyLine: TRUST_POLICY_LINE }), []);
    assert.deepEqual(refusedAt({ summary: "s", "a/b~c": 1 }), ["/a~1b~0c"]);
    assert.deepEqual(refusedAt({}), [""]);
    assert.deepEqual(refusedAt({ contact: "key suite_live_abc" }), ["/contact"]);
    assert.deepEqual(refusedAt({ aiStatements: ["ok", "-----BEGIN PRIVATE KEY-----"] }), ["/aiStatements/1"]);
    assert.ok(refusedAt({ robotsDisallow: ["/a\nUser-agent: SomeBot"] }).length > 0, "no line breaks");
    assert.ok(refusedAt({ summary: "x".repeat(2001) }).length > 0);
  });
});
