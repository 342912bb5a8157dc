import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startServiceProcess, TEST_KEY, type ServiceProcess } from "../support/service.ts";

describe("the service started with its reference siblings", () => {
  let service: ServiceProcess;
  before(async () => {
    service = await startServiceProcess({ DATABASE_URL: "none" }, ["--with-suite"]);
  });
  after(() => service.stop("SIGKILL"));

  const urls = async (): Promise<readonly (string | null)[]> => {
    const { envelope } = await service.call("list_integrations");
    return envelope.data.integrations.map(({ url }) => url);
  };

  it("has all of them configured, and the demo flow runs through, also without a store", async () => {
    assert.equal((await urls()).filter((url) => url !== null).length, 14);
    const answer = await service.fetch("/api/svc/demo-suite/run", {
      method: "POST",
      headers: { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" },
      body: "{}",
    });
    const text = await answer.text();
    assert.equal(JSON.parse(text).data.summary.probePass, 6, text.slice(0, 500));
  });

  it("hands work over without a store, and says that nothing was recorded", async () => {
    const sent = await service.call(
      "create_docs_report",
      { artifact: { title: "Unrecorded" } },
      { key: true },
    );
    assert.deepEqual([sent.envelope.ok, sent.envelope.data.recorded], [true, false], sent.text);
    const args = {
      targetService: "docs",
      artifact: { title: "x", markdown: "# x" },
      action: "report",
      dryRun: false,
    };
    const delegated = await service.call("delegate_artifact", args, { key: true });
    assert.equal(delegated.envelope.data.status, "completed", delegated.text);
    for (const [tool, given] of [
      ["publish_artifact", { artifactId: "artifact_1" }],
      ["trigger_eval", { workflowId: "workflow_1" }],
      ["sync_network_tools", {}],
    ] as const) {
      const { envelope } = await service.call(tool, given, { key: true });
      assert.deepEqual([envelope.ok, envelope.data.adapter], [false, "storage"], tool);
    }
  });

  it("takes them along when it is killed", async () => {
    const [url] = await urls();
    assert.ok(url);
    assert.equal((await fetch(`${url}/api/network/graph`)).status, 200);
    await service.stop("SIGKILL");
    const deadline = performance.now() + 120_000;
    for (;;) {
      const gone = await fetch(url).then(
        () => false,
        () => true,
      );
      if (gone) break;
      assert.ok(performance.now() < deadline, "the siblings outlived the service");
      await new Promise((done) => setTimeout(done, 50));
    }
  });
});
