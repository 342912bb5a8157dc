import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import type { StepRecord } from "../../src/ports/records.ts";
import { checkDatabase } from "../../src/storage/maintenance/check.ts";
import { testPostgres } from "../support/postgres.ts";
import { runToApproval, startService, startServiceProcess, type TestService } from "../support/service.ts";

const DAY_MS = 24 * 3_600_000;
const KEYED = { key: true } as const;

after(async () => (await testPostgres()).stop());

/** Asks again and again; a machine that is busy takes longer, a service that does not recover never gets there. */
async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 120_000;
  while (!(await holds())) {
    assert.ok(Date.now() < end, `${what}: not within 30 s`);
    await sleep(50);
  }
}

type Client = Pick<TestService, "call" | "fetch">;

const ready = (service: Client, status: number) => async (): Promise<boolean> =>
  (await service.fetch("/readyz")).status === status;

/** Saves an artifact; its id when that was acknowledged, otherwise null and the message said why. */
async function save(service: Client): Promise<string | null> {
  const artifact = { title: "t", type: "note", content: { text: "x" } };
  const { envelope, text } = await service.call("save_artifact", { artifact }, KEYED);
  if (envelope?.ok) return envelope.data.artifact.id;
  assert.match(text, /database|storage/i);
  assert.doesNotMatch(text, /SQLITE|ECONN|node:|at \w+ \(/, "a message that we wrote");
  return null;
}

async function allThere(service: Client, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const { envelope } = await service.call("get_artifact", { id }, KEYED);
    assert.equal(envelope.ok, true, id);
  }
}

describe("a file system that becomes read-only", () => {
  it("refuses writes, serves reads, loses nothing, and is used again when it can be written", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "read-only-"));
    const [library, marker, data] = ["read-only.so", "marker", "data"].map((name) => join(folder, name));
    assert.ok(library !== undefined && marker !== undefined && data !== undefined);
    const source = fileURLToPath(new URL("read-only.c", import.meta.url));
    if (spawnSync("cc", ["-shared", "-fPIC", "-o", library, source, "-ldl"]).status !== 0) {
      rmSync(folder, { recursive: true });
      t.skip("no C compiler (cc) to build a read-only disk with");
      return;
    }
    mkdirSync(data);
    const databaseUrl = `sqlite:${join(data, "test.db")}`;
    const service = await startServiceProcess({
      DATABASE_URL: databaseUrl,
      LD_PRELOAD: library,
      READ_ONLY_MARKER: marker,
      READ_ONLY_FOLDER: data,
    });
    try {
      const kept = [await save(service), await save(service)].filter((id) => id !== null);
      assert.equal(kept.length, 2);
      writeFileSync(marker, "");
      assert.equal(await save(service), null);
      await until("not ready", ready(service, 503));
      assert.equal((await service.fetch("/livez")).status, 200);
      await allThere(service, kept);
      rmSync(marker);
      await until("ready again", ready(service, 200));
      const again = await save(service);
      assert.ok(again !== null);
      await allThere(service, [...kept, again]);
      assert.equal(await service.stop(), 0);
      assert.deepEqual((await checkDatabase(databaseUrl)).problems, []);
    } finally {
      service.child.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe("a clock that is moved by a day", () => {
  const steps = [
    { id: "a", type: "tool", tool: "get_agent_platform", with: { id: "mcp-client" } },
    { id: "b", type: "tool", tool: "get_agent_platform", with: { id: "mcp-client" } },
  ];
  const edges = [{ from: "a", to: "b", port: "success" }];
  const start = async (service: TestService, id: string): Promise<string> => {
    const { envelope, text } = await service.call("run_workflow", { id }, KEYED);
    assert.equal(envelope?.ok, true, text);
    return envelope.data.run.id;
  };
  const succeeded = (service: TestService, id: string) => async (): Promise<boolean> =>
    (await service.call("get_workflow_run", { id }, KEYED)).envelope.data.run.status === "succeeded";

  for (const [name, byMs] of [
    ["forwards", DAY_MS],
    ["backwards", -DAY_MS],
  ] as const)
    it(`${name}: keys, limits, runs, waits and approvals go on`, async () => {
      let offset = 0;
      const clock = { now: () => Date.now() + offset };
      const service = await startService({ clock });
      try {
        const made = await service.call("create_workflow", { name: "c", nodes: steps, edges }, KEYED);
        const asking = await service.call(
          "create_workflow",
          {
            name: "ask",
            nodes: [{ id: "ask", type: "approval", approval: { title: "?", show: "?" } }],
            edges: [],
          },
          KEYED,
        );
        const waiting = await service.call(
          "create_workflow",
          { name: "w", nodes: [{ id: "w", type: "wait", wait: { ms: 1_000 } }], edges: [] },
          KEYED,
        );
        const id: string = made.envelope.data.workflow.id;
        const asked = await runToApproval(service, asking.envelope.data.workflow.id);
        const before = await start(service, id);
        const waits = await start(service, waiting.envelope.data.workflow.id);
        const kept = await save(service);
        assert.ok(kept !== null);
        offset = byMs;
        await until("a run from before", succeeded(service, before));
        const after = await start(service, id);
        await until("a run from after", succeeded(service, after));
        const [approval] = asked.approvals;
        const decided = await service.call("approve_step", { id: approval.id }, KEYED);
        assert.equal(decided.envelope.ok, true, decided.text);
        await until("an approval from before", succeeded(service, asked.id));
        await allThere(service, [kept]);
        assert.ok((await save(service)) !== null);
        assert.equal((await service.fetch("/readyz")).status, 200);
        // The wait's own time passes while the clock is wrong.
        await sleep(1_200);
        offset = 0;
        const back = await start(service, id);
        await until("a run after the clock was put right", succeeded(service, back));
        // A wait is until a time: it takes longer by what the clock was put back, and no longer than that.
        await until("a wait from before", succeeded(service, waits));
      } finally {
        await service.close();
      }
    });

  it("on one of two replicas: leases go by the database's clock, each step runs once", async () => {
    const databaseUrl = await (await testPostgres()).createDatabase();
    const replicas: TestService[] = [];
    try {
      for (const offset of [-DAY_MS, DAY_MS])
        replicas.push(
          await startService({
            clock: { now: () => Date.now() + offset },
            settings: { databaseUrl, masterKeys: ["A".repeat(43) + "="] },
          }),
        );
      const [first, second] = replicas;
      assert.ok(first && second);
      const made = await first.call("create_workflow", { name: "c", nodes: steps, edges }, KEYED);
      const id: string = made.envelope.data.workflow.id;
      const runs = await Promise.all(
        Array.from({ length: 20 }, (_, n) => start(n % 2 === 0 ? first : second, id)),
      );
      for (const run of runs) {
        await until(run, succeeded(first, run));
        const records: readonly StepRecord[] = await second.app.services.store.read.runs.steps(run);
        assert.deepEqual(
          new Set(records.map(({ stepId, attempt }) => `${stepId} ${attempt}`)),
          new Set(["a 1", "b 1"]),
          run,
        );
      }
    } finally {
      for (const replica of replicas) await replica.close();
    }
  });
});

describe("PostgreSQL without a free connection", () => {
  it("is answered with 503 and a clear message, loses nothing, and is used again when one is free", async () => {
    const server = await testPostgres();
    const admin = await server.createDatabase();
    const query = async (sql: string): Promise<void> => {
      const client = new pg.Client({ connectionString: admin });
      await client.connect();
      try {
        await client.query(sql);
      } finally {
        await client.end();
      }
    };
    // Limits do not hold for a superuser, so the service runs as another user.
    const role = `app_${Math.random().toString(36).slice(2, 10)}`;
    await query(`CREATE ROLE ${role} LOGIN`);
    await query(`GRANT ALL ON SCHEMA public TO ${role}`);
    await query(`GRANT CREATE ON DATABASE ${new URL(admin).pathname.slice(1)} TO ${role}`);
    const url = new URL(admin);
    url.username = role;
    const service = await startService({ settings: { databaseUrl: url.href, role: "gateway" } });
    try {
      const kept = [await save(service)].filter((id) => id !== null);
      assert.equal(kept.length, 1);
      // No connection is left for it: the same error as when others hold all of them.
      await query(`ALTER ROLE ${role} CONNECTION LIMIT 0`);
      await server.dropConnections(admin);
      await until("not ready", ready(service, 503));
      assert.equal(await save(service), null);
      assert.equal((await service.fetch("/livez")).status, 200);
      await query(`ALTER ROLE ${role} CONNECTION LIMIT -1`);
      await until("ready again", ready(service, 200));
      await until("a write", async () => {
        const id = await save(service);
        if (id !== null) kept.push(id);
        return id !== null;
      });
      await allThere(service, kept);
      assert.deepEqual((await checkDatabase(admin)).problems, []);
    } finally {
      await service.close();
    }
  });
});
