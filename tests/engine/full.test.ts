import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { testPostgres } from "../support/postgres.ts";
import { openRig } from "./harness.ts";

const CHILD = fileURLToPath(new URL("./full-child.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "workflow-ui-full-"));
const server = await testPostgres();
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server.stop();
});

for (const store of ["sqlite", "postgres"] as const) {
  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    test(`${store}: a decision acknowledged while 256 runs are active survives ${signal}`, async () => {
      const databaseUrl =
        store === "sqlite" ? `sqlite:${join(folder, `${signal}.db`)}` : await server.createDatabase();
      const child = spawn(process.execPath, [CHILD, databaseUrl], { stdio: ["ignore", "pipe", "inherit"] });
      const failed = once(child, "close").then(() => assert.fail("the child ended before it was full"));
      const [line]: unknown[] = await Promise.race([once(child.stdout, "data"), failed]);
      failed.catch(() => undefined);
      const { runId, active }: { runId: string; active: number } = JSON.parse(String(line));
      assert.equal(active, 256, "the engine was not full");
      const ended = once(child, "close");
      child.kill(signal);
      await ended;
      const rig = await openRig({ databaseUrl });
      try {
        const run = await rig.engine.waitFor(runId, 120_000);
        assert.equal(run.state, "succeeded", JSON.stringify(run));
        assert.equal(rig.bench.count("after"), 1);
      } finally {
        await rig.close();
      }
    });
  }
}
