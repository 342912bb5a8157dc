import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import type { Registry } from "../../src/gateway/catalog.ts";
import { startService, type TestService } from "../support/service.ts";
import { ALWAYS, conformanceMarkdown, WITHOUT_FIXTURES, type Exception } from "./baseline.ts";
import { fixtureRegistry } from "./fixture-registry.ts";
import { runSuite, type SuiteRun } from "./run-suite.ts";

const runs: readonly Pick<SuiteRun, "suite" | "revision">[] = [
  { suite: "@modelcontextprotocol/conformance" },
  { suite: "mcp-conformance-next", revision: "2025-11-25" },
  { suite: "mcp-conformance-next", revision: "2026-07-28" },
];

for (const { title, registry, expected } of [
  { title: "the service", registry: undefined, expected: [...ALWAYS, ...WITHOUT_FIXTURES] },
  { title: "the same stack with the suite's fixtures", registry: fixtureRegistry, expected: ALWAYS },
] satisfies readonly { title: string; registry: Registry | undefined; expected: readonly Exception[] }[]) {
  describe(`official conformance suite against ${title}`, () => {
    let service: TestService;
    before(async () => {
      service = await startService(registry === undefined ? {} : { registry });
    });
    after(() => service.close());

    for (const run of runs) {
      it(`${run.suite} ${run.revision ?? ""}`, async () => {
        const result = await runSuite({
          ...run,
          url: `${service.url}/api/mcp`,
          expected: expectedAt(run.revision, expected),
        });
        assert.equal(result.status, 0, result.output.slice(-6_000));
        assert.match(result.summary, /✓ (?:server-initialize|server-stateless|tools-list)/);
      });
    }
  });
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
