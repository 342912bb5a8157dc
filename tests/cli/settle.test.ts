import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import type { RunDetail } from "../../packages/client/client.ts";
import { createWorkflow, startCliWorld, type CliWorld } from "./support.ts";

/** A step that asks the design sibling to import, which is not idempotent, and one that uses what came of it. */
const IMPORT = {
  nodes: [
    {
      id: "import",
      type: "tool",
      tool: "import_studio_design",
      with: { designId: "design_1" },
      timeoutMs: 1_000,
    },
    {
      id: "look",
      type: "tool",
      tool: "get_artifact",
      with: { id: { $ref: "$steps.import.outputs#/data/artifactId" } },
    },
  ],
  edges: [{ id: "e", from: "import", to: "look" }],
};

describe("a step whose outcome is unknown, settled from the command line", () => {
  /** Takes every request and never answers, so that a step runs out of time with its effect in doubt. */
  let asked = 0;
  const silent = createServer(() => {
    asked += 1;
  });
  let world: CliWorld;
  let workflowId = "";
  before(async () => {
    await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done));
    const address = silent.address();
    assert.ok(address !== null && typeof address === "object");
    const studio = { url: `http://127.0.0.1:${address.port}`, key: "key-of-the-silent-sibling" };
    world = await startCliWorld({ settings: { siblings: { studio } } });
    workflowId = await createWorkflow(world.service, "Import", IMPORT);
  });
  after(async () => {
    await world.close();
    silent.closeAllConnections();
    await new Promise((done) => silent.close(done));
  });

  /** The run that a command shows. */
  const runBy = async (args: readonly string[], status = 0): Promise<RunDetail> => {
    const ended = await world.run([...args, "--json"], { key: true });
    assert.equal(ended.status, status, ended.stderr);
    return JSON.parse(ended.stdout).data.run;
  };

  /** Starts a run and waits until its first step is in doubt. */
  const doubtful = async (): Promise<string> => {
    const run = await runBy(["workflows", "run", workflowId]);
    await inDoubt(run.id);
    return run.id;
  };
  const inDoubt = async (id: string): Promise<void> => {
    for (let tries = 0; ; tries++) {
      const run = await runBy(["runs", "get", id]);
      const step = run.steps.find((one) => one.id === "import");
      if (step?.status === "outcome_unknown") {
        assert.equal(run.status, "waiting");
        return;
      }
      assert.ok(tries < 1_000, JSON.stringify(run));
    }
  };
  const ended = (id: string) => world.service.app.services.engine.waitFor(id, 120_000);

  test("succeeded: the run goes on with the output that was given, and the step is not tried again", async () => {
    const id = await doubtful();
    const saved = await world.service.call(
      "save_artifact",
      { artifact: { title: "By hand" } },
      { key: true },
    );
    const artifactId = saved.envelope.data.artifact.id;
    const before = asked;
    const output = JSON.stringify({ ok: true, data: { status: "imported", artifactId } });
    await runBy(["runs", "settle", id, "import", "--outcome", "succeeded", "--output", output]);
    const run = await ended(id);
    assert.equal(run.state, "succeeded", JSON.stringify(run.error));
    const shown = await runBy(["runs", "get", id]);
    assert.deepEqual(
      shown.steps.map((step) => [step.id, step.status]),
      [
        ["import", "succeeded"],
        ["look", "succeeded"],
      ],
    );
    assert.equal(asked, before);
    await runBy(["runs", "settle", id, "import", "--outcome", "failed"], 5);
  });

  test("failed: the run fails and says that a person said so", async () => {
    const id = await doubtful();
    const before = asked;
    await runBy(["runs", "settle", id, "import", "--outcome", "failed"]);
    const run = await ended(id);
    assert.equal(run.state, "failed");
    const shown = await runBy(["runs", "get", id]);
    const step = shown.steps.find((one) => one.id === "import");
    assert.deepEqual([step?.status, step?.error?.["code"]], ["failed", "settled_failed"]);
    assert.equal(asked, before);
  });

  test("retry: the step is tried once more, and is in doubt again", async () => {
    const id = await doubtful();
    const before = asked;
    const again = once(silent, "request");
    await runBy(["runs", "settle", id, "import", "--outcome", "retry"]);
    await again;
    await inDoubt(id);
    assert.equal(asked, before + 1);
    await runBy(["runs", "settle", id, "import", "--outcome", "failed"]);
    assert.equal((await ended(id)).state, "failed");
  });
});
