import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CLIENT_AUTH } from "./baseline.ts";
import { authScenarios, runClientScenario, type ClientSuite } from "./run-client-suite.ts";

/**
 * Declares the official suite's `auth` scenarios against this service as a client: the vault signs in and keeps the
 * tokens, a connection uses them.
 */
export function testClientAuth(suite: ClientSuite): void {
  describe(`client auth scenarios of ${suite.suite}`, { concurrency: 2 }, () => {
    for (const scenario of authScenarios(suite)) {
      const exception = CLIENT_AUTH.find(
        ({ name, only }) => name === scenario && (only === undefined || suite.revision === undefined),
      );
      it(`${scenario}${exception === undefined ? "" : " (expected to fail)"}`, async () => {
        const { passed, output } = await runClientScenario(suite, scenario);
        assert.equal(passed, exception === undefined, `${scenario}\n${output.slice(-5_000)}`);
      });
    }
  });
}
