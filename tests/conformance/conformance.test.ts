import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { startService, type TestService } from "../support/service.ts";
import {
  ALWAYS,
  AT_FIXED_INTERFACE,
  conformanceMarkdown,
  WITHOUT_FIXTURES,
  type Exception,
} from "./baseline.ts";
import { fixtureRegistry } from "./fixture-registry.ts";
import { newClient, signInClient } from "../oauth/support.ts";
import { makeOwner } from "../people/support.ts";
import { runScenario, runSuite, type SuiteRun } from "./run-suite.ts";
import { startSigningProxy, type SigningProxy } from "./signing-proxy.ts";

/** Those with status notifications are informative in the suite: it has no client that listens. */
const TASK_SCENARIOS = [
  "tasks-lifecycle",
  "tasks-capability-negotiation",
  "tasks-wire-fields",
  "tasks-request-state-removal",
  "tasks-mrtr-input",
  "tasks-request-headers",
  "tasks-dispatch-and-envelope",
  "tasks-status-notifications",
  "tasks-required-task-error",
  "tasks-mrtr-composition",
];

const runs: readonly Pick<SuiteRun, "suite" | "revision">[] = [
  { suite: "@modelcontextprotocol/conformance" },
  { suite: "mcp-conformance-next", revision: "2025-11-25" },
  { suite: "mcp-conformance-next", revision: "2026-07-28" },
];

/** This release of the suite skips what it checks about notifications itself, and says so. */
const PASSED_OR_SKIPPED = /Passed: [1-9]\d*\/\d+, 0 failed|SKIPPED[\s\S]*Passed: 0\/0, 0 failed/;

describe("official conformance suite against the service", () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());
  testRuns(() => `${service.url}/api/mcp`, [...ALWAYS, ...AT_FIXED_INTERFACE, ...WITHOUT_FIXTURES]);
});

describe("official conformance suite against the endpoint for agents with the suite's fixtures", () => {
  let service: TestService;
  let proxy: SigningProxy;
  before(async () => {
    service = await startService({ registry: fixtureRegistry });
    // The suite has no account, and what waits for input waits for a signed-in person.
    const owner = await makeOwner(service);
    const scopes = ["run", "write", "read-private", "approve"];
    const { access_token: token } = await signInClient(service, owner, await newClient(service), { scopes });
    proxy = await startSigningProxy(service.url, token);
  });
  after(async () => {
    await proxy.close();
    await service.close();
  });
  testRuns(() => `${proxy.url}/mcp`, ALWAYS);

  it("passes every scenario of the Tasks extension", async () => {
    for (const scenario of TASK_SCENARIOS) {
      const { status, output } = await runScenario(scenario, `${proxy.url}/mcp`);
      assert.equal(status, 0, `${scenario}: ${output.slice(-3_000)}`);
      assert.match(output, PASSED_OR_SKIPPED, scenario);
    }
  });
});

function testRuns(url: () => string, expected: readonly Exception[]): void {
  for (const run of runs) {
    it(`${run.suite} ${run.revision ?? ""}`, async () => {
      const result = await runSuite({ ...run, url: url(), expected: expectedAt(run.revision, expected) });
      assert.equal(result.status, 0, result.output.slice(-6_000));
      assert.match(result.summary, /✓ (?:server-initialize|server-stateless|tools-list)/);
    });
  }
}

/** The released suite runs the scenarios of 2025-11-25 and has no entries for single checks. */
function expectedAt(revision: SuiteRun["revision"], rows: readonly Exception[]): readonly string[] {
  return rows
    .filter(({ only = revision }) => only === (revision ?? "2025-11-25") || only === revision)
    .map(({ name }) => name)
    .filter((name) => revision !== undefined || !name.includes(":"));
}

it("docs/conformance.md says what the baseline says", async () => {
  const page = await readFile(new URL("../../docs/conformance.md", import.meta.url), "utf8");
  assert.equal(page, conformanceMarkdown());
});
