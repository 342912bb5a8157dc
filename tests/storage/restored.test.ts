import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  backupDatabase,
  restoreDatabase,
  TABLES,
  TABLES_LEFT_OUT,
} from "../../src/storage/maintenance/backup.ts";
import { checkDatabase } from "../../src/storage/maintenance/check.ts";
import { openSession } from "../../src/storage/maintenance/session.ts";
import { DIGEST, DOCUMENT } from "./store.samples.ts";
import { asOperator } from "../people/support.ts";
import { testPostgres } from "../support/postgres.ts";
import { startService, type TestService } from "../support/service.ts";
import { ask, create, history, publish, until } from "../triggers/support.ts";

/* What a backup in rows leaves out is lost: every table is named, and what people set up and wait for goes on. */

const folder = mkdtempSync(join(tmpdir(), "workflow-ui-restored-"));
const server = await testPostgres();
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

let counter = 0;
const newDatabase = async (kind: string): Promise<string> =>
  kind === "SQLite" ? `sqlite:${join(folder, `${++counter}.db`)}` : server.createDatabase();

const NAMES = {
  SQLite: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  PostgreSQL: "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()",
} as const;

const inState = (service: TestService, id: string, state: string): Promise<unknown> =>
  until(
    async () => (await ask(service, "GET", `/api/svc/runs/${id}`)).data.run.status,
    (status) => status === state,
  );

const MASTER_KEYS = [Buffer.alloc(32, 7).toString("base64")];
const HOUR = 3_600_000;

for (const kind of ["SQLite", "PostgreSQL"] as const) {
  describe(`a backup in rows of ${kind}`, () => {
    it("copies every table, or says why not", async () => {
      const session = await openSession(await newDatabase(kind), "write");
      await session.migrate({ now: () => Date.now() });
      const names = (await session.all(NAMES[kind])).map(({ name }) => String(name));
      await session.close();
      const named = [...TABLES.map(([table]) => table), ...Object.keys(TABLES_LEFT_OUT)];
      assert.deepEqual(names.toSorted(), named.toSorted());
    });

    it("of an earlier schema has that schema's number and fits into it again", async () => {
      const [old, restored] = [await newDatabase(kind), await newDatabase(kind)];
      const session = await openSession(old, "write");
      await session.migrate({ now: () => Date.now() }, 19);
      await session.run("INSERT INTO documents (digest, document) VALUES (?, ?)", [
        DIGEST,
        JSON.stringify(DOCUMENT),
      ]);
      await session.close();
      const file = join(folder, `${++counter}.rows`);
      await backupDatabase(old, file, "rows");
      await restoreDatabase(restored, file, { now: () => Date.now() });
      assert.deepEqual((await checkDatabase(restored)).problems, []);
    });

    it("keeps triggers, waits, signals, saved forms and retention rules, on hold until an operator ends it", async () => {
      let now = Date.now();
      const start = async (databaseUrl: string): Promise<TestService> =>
        startService({
          settings: { databaseUrl, masterKeys: MASTER_KEYS },
          clock: { now: () => now },
          triggers: { pollMs: 20 },
        });
      const run = async (service: TestService, id: string): Promise<string> => {
        const { status, data } = await ask(service, "POST", `/api/svc/workflows/${id}/runs`, { inputs: {} });
        assert.ok(status < 300, JSON.stringify(data));
        return data.run.id;
      };

      const from = await newDatabase(kind);
      const first = await start(from);
      const workflowId = await publish(first, {
        type: "object",
        properties: { subject: { type: "string" } },
      });
      const schedule = await create(first, { workflowId, kind: "schedule", cron: "0 * * * *" });
      const form = await create(first, { workflowId, kind: "form", slug: "kept", perMinute: 60 });
      now += HOUR;
      await until(
        () => history(first, schedule.trigger.id),
        ({ length }) => length === 1,
      );
      const sent = await first.fetch("/f/kept", {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ subject: "half done", _save: "1" }),
      });
      const saved = /href="([^"]+saved=[^"]+)"/.exec(await sent.text())?.[1] ?? "";
      assert.notEqual(saved, "");
      const rule = await asOperator(first, "POST", "/api/svc/retention", { runsDays: 400 });
      assert.equal(rule.status, 200, rule.text);
      const steps = [
        { id: "go", type: "wait", wait: { signal: "go" } },
        { id: "later", type: "wait", wait: { signal: "later" } },
        { id: "seen", type: "wait", wait: { event: "svc.artifact.saved", filter: "true" } },
      ];
      const edges = [
        { from: "go", to: "later" },
        { from: "later", to: "seen" },
      ];
      const made = await first.call(
        "create_workflow",
        { name: "Waits", nodes: steps, edges },
        {
          key: true,
          meta: { "svc/document": { outputs: { later: { $ref: "steps.later.outputs.payload" } } } },
        },
      );
      const onSignals = await run(first, made.envelope.data.workflow.id);
      const onEvent = await run(first, await publish(first, { type: "object" }, [steps[2]]));
      // A signal that came before its wait is nowhere else.
      const early = await ask(first, "POST", `/api/svc/runs/${onSignals}/signals/later`, { payload: 7 });
      assert.equal(early.status, 202, JSON.stringify(early.data));
      for (const id of [onSignals, onEvent]) await inState(first, id, "waiting");
      const before = await history(first, schedule.trigger.id);
      await first.close();

      const file = join(folder, `${++counter}.rows`);
      await backupDatabase(from, file, "rows");
      const to = await newDatabase(kind);
      await restoreDatabase(to, file, { now: () => now });
      assert.deepEqual((await checkDatabase(to)).problems, []);

      now += HOUR;
      const second = await start(to);
      try {
        assert.equal((await asOperator(second, "GET", "/api/svc/hold")).data.onHold, true);
        await sleep(500);
        assert.deepEqual(await history(second, schedule.trigger.id), before, "nothing is started on hold");
        assert.match(await (await second.fetch(saved)).text(), /half done/);
        const { data } = await asOperator(second, "GET", "/api/svc/retention");
        assert.equal(data.rules[0]?.runsDays, 400);
        assert.equal((await asOperator(second, "POST", "/api/svc/hold", { runs: "continue" })).status, 200);
        await until(
          () => history(second, schedule.trigger.id),
          ({ length }) => length === 2,
        );
        assert.equal((await ask(second, "POST", `/api/svc/runs/${onSignals}/signals/go`, {})).status, 202);
        await until(
          () => ask(second, "GET", `/api/svc/runs/${onSignals}`),
          ({ data: found }) => found.run.signals?.every(({ usedBy }) => usedBy !== null) === true,
        );
        const artifact = { title: "Seen", type: "note", content: {} };
        assert.equal((await second.call("save_artifact", { artifact }, { key: true })).envelope.ok, true);
        for (const id of [onSignals, onEvent]) await inState(second, id, "succeeded");
        const page = await ask(second, "GET", `/api/svc/triggers/${form.trigger.id}`);
        assert.equal(page.data.trigger.slug, "kept");
      } finally {
        await second.close();
      }

      const damaged = await openSession(to, "write");
      await damaged.run("DELETE FROM trigger_firings", []);
      await damaged.run("DELETE FROM triggers", []);
      await damaged.run("DELETE FROM retention_rules", []);
      await damaged.close();
      assert.match(
        (await checkDatabase(to)).problems.join("\n"),
        /triggers and retention rules .*: broken 3 times/,
      );
    });
  });
}
