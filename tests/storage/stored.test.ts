import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { Page, PageRequest, Records } from "../../src/ports/store.ts";
import { checkDatabase } from "../../src/storage/maintenance/check.ts";
import { openSession } from "../../src/storage/maintenance/session.ts";
import { PASSWORD, Visitor, asOperator } from "../people/support.ts";
import { testPostgres } from "../support/postgres.ts";
import { startService, type TestService } from "../support/service.ts";
import { authorize } from "../vault/support.ts";
import { MADE_AT, MASTER_KEY, storedRows, storedSqlite } from "./stored/load.ts";

/* Databases that released versions left behind open whole in this build: stored/make.ts has made them. */

const folder = mkdtempSync(join(tmpdir(), "workflow-ui-stored-"));
const server = await testPostgres();
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const OPENED: readonly [kind: string, open: () => Promise<string>][] = [
  ["SQLite", async () => storedSqlite("0.10.0", join(folder, "stored.db"))],
  [
    "PostgreSQL",
    async () => {
      const url = await server.createDatabase();
      await storedRows("0.10.0", url, join(folder, "rows"));
      return url;
    },
  ],
  [
    "rows of PostgreSQL in SQLite",
    async () => {
      const url = `sqlite:${join(folder, "from-rows.db")}`;
      await storedRows("0.10.0", url, join(folder, "rows-2"));
      return url;
    },
  ],
];

async function all<T>(list: (page: PageRequest) => Promise<Page<T>>): Promise<readonly T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await list({ limit: 50, ...(cursor !== undefined && { cursor }) });
    items.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}

/** Reads everything through the readers of this build; how many records there are, by table. */
async function readAll(read: Records): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  const count = (table: string, items: readonly unknown[]): void => {
    counts[table] = (counts[table] ?? 0) + items.length;
  };
  for (const { id } of tally("workflows", await all((page) => read.workflows.list(page))))
    count("workflow_versions", await all((page) => read.workflows.versions(id, page)));
  for (const run of tally("runs", await all((page) => read.runs.list(page)))) {
    assert.ok((await read.runs.document(run.documentDigest)) !== null);
    count("steps", await read.runs.steps(run.id));
    count("attempts", await read.runs.attempts(run.id));
  }
  for (const { id } of tally("approvals", await all((page) => read.approvals.list(page)))) {
    count("approval_votes", await read.approvals.votes(id));
    count("approval_comments", await read.approvals.comments(id, 100));
    count("notifications", await read.notifications.ofApproval(id));
  }
  tally("templates", await all((page) => read.templates.list(page)));
  for (const { id } of tally(
    "artifacts",
    await all((page) => read.artifacts.list(page, { includeDeleted: true })),
  ))
    count("artifact_versions", await all((page) => read.artifacts.versions(id, page)));
  tally("rendered_forms", await all((page) => read.forms.list(page)));
  tally("handoffs", await all((page) => read.handoffs.list(page)));
  tally("provenance_records", await all((page) => read.provenance.find({}, page)));
  tally("signing_keys", await read.provenance.keys());
  tally("api_keys", await all((page) => read.keys.list(page)));
  tally("events", await read.events.after(0, 10_000));
  for (const { id } of tally("webhooks", await all((page) => read.webhooks.list(page))))
    count("deliveries", await all((page) => read.webhooks.deliveries(id, page)));
  for (const { name } of tally("connections", await all((page) => read.connections.list(page))))
    count("connection_definitions", await read.connections.definitions(name));
  tally("connection_calls", await all((page) => read.connections.calls({}, page)));
  tally("policy_revisions", await all((page) => read.policies.list(page)));
  tally("credentials", await all((page) => read.credentials.list(page)));
  tally("person_groups", await all((page) => read.groups.list(page)));
  for (const { id } of tally("people", await all((page) => read.people.list(page)))) {
    count("sessions", await read.people.sessions(id));
    count("group_members", await read.groups.ofPerson(id));
    count("person_tokens", await read.tokens.ofPerson(id));
    count("passkeys", await read.passkeys.ofPerson(id));
    const absence = await read.approvals.absence(id);
    count("absences", absence === null ? [] : [absence]);
    const settings = await read.notifications.settings(id);
    count("notification_settings", settings === null ? [] : [settings]);
  }
  tally("notification_targets", await read.notifications.targets());
  tally("audit_entries", await all((page) => read.audit.list(page)));
  return counts;

  function tally<T>(table: string, items: readonly T[]): readonly T[] {
    count(table, items);
    return items;
  }
}

/** How many rows the tables have, by SQL. */
async function countRows(
  databaseUrl: string,
  tables: readonly string[],
): Promise<Readonly<Record<string, number>>> {
  const session = await openSession(databaseUrl, "read");
  try {
    const counts: Record<string, number> = {};
    for (const table of tables) {
      const [row] = await session.all(`SELECT count(*) AS total FROM ${table}`);
      counts[table] = Number(row?.["total"]);
    }
    return counts;
  } finally {
    await session.close();
  }
}

async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await isTrue());) {
    assert.ok(Date.now() < end, `not in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const stateOf = async (service: TestService, id: string): Promise<string> =>
  (await service.call("get_workflow_run", { id }, { key: true })).envelope.data.run.status;

for (const [kind, open] of OPENED) {
  describe(`the database of 0.10.0 (${kind})`, () => {
    it("opens whole: every record is read, and what waits goes on", async () => {
      const databaseUrl = await open();
      const begin = Date.now();
      const clock = { now: () => MADE_AT + Date.now() - begin };
      // A worker changes what it works on: the records are counted without one.
      const reader = await startService({
        settings: { databaseUrl, masterKeys: [MASTER_KEY], role: "gateway" },
        clock,
      });
      try {
        let read = await readAll(reader.app.services.store.read);
        let stored = await countRows(databaseUrl, Object.keys(read));
        // The start records the documents that this build serves: what is counted in between differs.
        for (let round = 0; round < 20 && !isDeepStrictEqual(read, stored); round++) {
          read = await readAll(reader.app.services.store.read);
          stored = await countRows(databaseUrl, Object.keys(read));
        }
        assert.deepEqual(read, stored);
        assert.ok(
          Object.values(read).every((total) => total > 0),
          JSON.stringify(read),
        );
      } finally {
        await reader.close();
      }
      assert.deepEqual((await checkDatabase(databaseUrl)).problems, []);

      const service = await startService({ settings: { databaseUrl, masterKeys: [MASTER_KEY] }, clock });
      try {
        const { store } = service.app.services;
        const [queued] = (await store.read.runs.list({ limit: 100 })).items.filter(({ id }) =>
          id.endsWith("-queued"),
        );
        assert.ok(queued !== undefined);
        const { onHold, runs } = (await asOperator(service, "GET", "/api/svc/hold")).data;
        assert.equal(onHold, kind !== "SQLite", "what was restored is on hold");
        if (onHold) {
          assert.ok(runs.some((run: { id: string }) => run.id === queued.id));
          await new Promise((resolve) => setTimeout(resolve, 300));
          assert.equal(await stateOf(service, queued.id), "queued");
          const ended = await asOperator(service, "POST", "/api/svc/hold", { runs: "continue" });
          assert.equal(ended.status, 200, ended.text);
        }
        await until("the queued run ends", async () => (await stateOf(service, queued.id)) === "succeeded");

        // A run of an older version resolves what it refers to when it is opened, and asks again with what it found.
        let runId = "";
        await until("the approval is decided", async () => {
          const pending = await all((page) => store.read.approvals.list(page, { state: "pending" }));
          const order = pending.find(({ stepId }) => stepId === "may_order");
          if (order === undefined) return false;
          runId = order.runId;
          const decision = { verdict: "rejected", reason: "Not this week", shownDigest: order.shownDigest };
          const path = `/api/svc/approvals/${order.id}/decide`;
          const decided = await asOperator(service, "POST", path, decision);
          assert.ok(decided.status === 200 || decided.status === 409, decided.text);
          return decided.status === 200;
        });
        await until("the run ends", async () => (await stateOf(service, runId)) === "succeeded");

        assert.equal((await new Visitor(service).signIn("owner@example.com", PASSWORD)).status, 201);
        const { headers } = await authorize(service, "shop-key", "https://api.example.com/orders");
        assert.match(JSON.stringify(headers), /stored-secret-token/);
      } finally {
        await service.close();
      }
      assert.deepEqual((await checkDatabase(databaseUrl)).problems, []);
    });
  });
}

it("runs of a restored database are given up when the operator says so, and the hold is over", async () => {
  const databaseUrl = `sqlite:${join(folder, "given-up.db")}`;
  await storedRows("0.10.0", databaseUrl, join(folder, "rows-3"));
  const service = await startService({ settings: { databaseUrl, masterKeys: [MASTER_KEY] } });
  try {
    const { runs } = (await asOperator(service, "GET", "/api/svc/hold")).data;
    assert.ok(runs.length > 1);
    const ended = await asOperator(service, "POST", "/api/svc/hold", { runs: "cancel" });
    assert.ok(ended.data.cancelled > 1, ended.text);
    for (const { id } of runs)
      await until("the run is cancelled", async () => (await stateOf(service, id)) === "cancelled");
    assert.equal((await asOperator(service, "GET", "/api/svc/hold")).data.onHold, false);
    assert.equal((await asOperator(service, "POST", "/api/svc/hold", { runs: "cancel" })).status, 409);
    const [entry] = (await asOperator(service, "GET", "/api/svc/audit?action=hold.ended")).data.entries;
    assert.equal(entry?.detail["runs"], "cancel");
  } finally {
    await service.close();
  }
});

it("stored databases are small", () => {
  const sizes = ["db", "rows"].map(
    (kind) => readFileSync(new URL(`stored/0.10.0.${kind}.gz`, import.meta.url)).length,
  );
  assert.ok(sizes.reduce((sum, size) => sum + size, 0) < 300_000);
});

const MANY = 40_000;
const MANY_RUNS = `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${MANY})
  INSERT INTO runs (id, document_digest, kind, state, visibility, inputs, trace_id, span_id, epoch, started_by, scopes,
    created_at, finished_at)
  SELECT 'run_' || n, 'sha256:x', 'run', 'succeeded', 'public', '{}', 'trace' || n, 'span', 1, 'key_' || n, '[]',
    '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' FROM numbers`;

describe("a migration of a large database", () => {
  for (const kind of ["SQLite", "PostgreSQL"]) {
    it(`is killed in the middle and goes on, ${kind}`, async () => {
      const path = join(folder, "large.db");
      const url = kind === "SQLite" ? `sqlite:${path}` : await server.createDatabase();
      const session = await openSession(url, "write");
      await session.migrate({ now: () => Date.now() }, 22);
      await session.run("INSERT INTO documents (digest, document) VALUES ('sha256:x', '{}')", []);
      await session.run(MANY_RUNS, []);
      await session.close();
      const open = (): ChildProcess =>
        spawn(
          process.execPath,
          [join(import.meta.dirname, "open-child.ts"), kind === "SQLite" ? path : url],
          {
            stdio: ["ignore", "pipe", "inherit"],
          },
        );
      const first = open();
      let printed = "";
      first.stdout?.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
        if (printed.includes("schema 23")) first.kill("SIGKILL");
      });
      await once(first, "close");
      assert.equal(printed, "schema 23\n", "it shows what it does, and was killed while it did it");
      const second = open();
      printed = "";
      second.stdout?.setEncoding("utf8").on("data", (text: string) => (printed += text));
      await once(second, "close");
      assert.match(printed, /^schema 23\n(schema \d+\n)*ready true\n$/);
      const after = await openSession(url, "read");
      const [row] = await after.all("SELECT count(*) AS total FROM runs WHERE visibility = 'public'");
      assert.equal(row?.["total"], MANY);
      await after.close();
    });
  }
});
