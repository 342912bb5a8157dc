import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { SETTINGS } from "../../src/config-table.ts";
import { agentRegistry } from "../../src/registry.ts";

/* What a release is made of agrees with the one place that says its version, and with the service. */

const read = (file: string): string =>
  readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), "utf8");
const { version } = JSON.parse(read("package.json"));

test("the version is that of package.json wherever a file repeats it", () => {
  const server = JSON.parse(read("server.json"));
  assert.equal(server.version, version);
  assert.deepEqual(
    server.packages.map((each: { readonly version: string }) => each.version),
    [version],
  );
  assert.equal(JSON.parse(read("plugin/.claude-plugin/plugin.json")).version, version);
  assert.equal(JSON.parse(read("package-lock.json")).version, version);
});

test("server.json is what the MCP registry takes: name, length, known flags and variables", () => {
  const server = JSON.parse(read("server.json"));
  assert.match(server.name, /^[a-z0-9.-]+\/[a-z0-9.-]+$/);
  assert.ok(server.description.length <= 100);
  const [npm] = server.packages;
  assert.equal(npm.identifier, "workflow-ui");
  const flags = new Set(
    SETTINGS.flatMap(({ flag }) => (flag === null ? [] : [flag, flag.replace("--", "--no-")])),
  );
  for (const { name } of npm.packageArguments) assert.ok(flags.has(name), name);
  for (const { name } of npm.environmentVariables)
    assert.ok(
      SETTINGS.some(({ env }) => env === name),
      name,
    );
});

test("the skill names tools that there are, and the plugin their address", () => {
  const words = [...read("plugin/skills/workflow-ui/SKILL.md").matchAll(/`([a-z_]+)`/g)];
  const others = ["code", "succeeded", "completed", "degraded", "preview_ready", "outcome_unknown"];
  const named = new Set(words.map(([, word = ""]) => word).filter((word) => !others.includes(word)));
  const { tools } = agentRegistry;
  assert.deepEqual([...named].toSorted(), tools.map(({ name }) => name).toSorted());
  assert.match(JSON.parse(read("plugin/.mcp.json")).mcpServers["workflow-ui"].url, /:8080\}\/mcp$/);
  assert.match(JSON.parse(read("server.json")).packages[0].transport.url, /:8080\/mcp$/);
});

test("workflow files can publish with provenance and hold no token; the changelog has the form", () => {
  for (const name of readdirSync(fileURLToPath(new URL("../../.github/workflows", import.meta.url)))) {
    const text = read(`.github/workflows/${name}`);
    assert.deepEqual(parse(text).permissions, { contents: "read" }, name);
    assert.doesNotMatch(text, /NODE_AUTH_TOKEN|NPM_TOKEN/);
  }
  const { jobs } = parse(read(".github/workflows/release.yml"));
  assert.equal(jobs.release.permissions["id-token"], "write");
  assert.ok(jobs.release.steps.some((step: { readonly run?: string }) => step.run?.includes("--provenance")));
  const headings = [...read("CHANGELOG.md").matchAll(/^## (.*)$/gm)].map(([, heading]) => heading ?? "");
  assert.equal(headings[0], "[Unreleased]");
  for (const heading of headings.slice(1)) assert.match(heading, /^\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d$/);
});
