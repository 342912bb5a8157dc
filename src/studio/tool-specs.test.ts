import assert from "node:assert/strict";
import { it } from "node:test";
import { tools } from "../registry.ts";
import { chooseTools } from "./tool-specs.ts";

it("services named like members of every object are unknown services", () => {
  const services = ["__proto__", "constructor", "valueOf", "toString"];
  const { chosen, unknown } = chooseTools({ services }, tools);
  assert.deepEqual(chosen, []);
  assert.deepEqual(
    unknown.map(({ name }) => name),
    services,
  );
});

it("a service brings its tools, a capability those that name it, each once", () => {
  const { chosen } = chooseTools({ service: "Docs", capability: "docs report" }, tools);
  const names = chosen.map(({ tool }) => tool.name);
  assert.deepEqual(names, [...new Set(names)]);
  assert.ok(names.includes("create_docs_report"));
});
