import { readFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { ask, modern } from "../../tests/agent/support.ts";
import { startPostgres } from "../../tests/support/postgres.ts";
import { startServiceProcess, TEST_KEY, type ServiceProcess } from "../../tests/support/service.ts";

/* What tasks that wait cost: the resident memory of the service with one of them and with many, and reading one. */

const SETTLE_MS = 8_000;
const READS = 300;

/** Runs one statement; each store has its own way to write a number with six digits. */
interface Database {
  readonly url: string;
  readonly six: string;
  columns(table: string): Promise<readonly string[]>;
  execute(sql: string): Promise<void>;
  close(): Promise<void>;
}

/** One row of the table of results. */
export interface Waiting {
  readonly store: string;
  readonly before: number;
  readonly after: number;
  readonly startSeconds: number;
  readonly median: number;
  readonly p99: number;
}

/** Measures with this many waiting tasks, on SQLite and on PostgreSQL. */
export async function waitingTasks(count: number): Promise<readonly Waiting[]> {
  const folder = await mkdtemp(path.join(tmpdir(), "waiting-"));
  const server = await startPostgres();
  try {
    return [
      await measured("SQLite", sqlite(path.join(folder, "waiting.db")), count),
      await measured("PostgreSQL", postgres(server.url), count),
    ];
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measured(store: string, database: Database, count: number): Promise<Waiting> {
  const start = () => startServiceProcess({ DATABASE_URL: database.url });
  let service = await start();
  const written = await ask({ ...service, key: TEST_KEY }, "write_workflow", {
    name: "Waits",
    nodes: [{ id: "ask", type: "approval", approval: { title: "Go on?", show: { amount: 3 } } }],
    edges: [],
    publish: true,
  });
  const task = await modern(service, TEST_KEY, "tools/call", {
    name: "run",
    arguments: { workflow: written.data.id, waitSeconds: 0 },
  });
  const { taskId } = task.result;
  const taskOf = async (id: string) => (await modern(service, TEST_KEY, "tasks/get", { taskId: id })).result;
  for (let n = 0; n < 100 && !(await taskOf(taskId)).statusMessage.includes("approvals?id="); n++)
    await pause(100);
  const link = (await taskOf(taskId)).statusMessage;
  const approvalId = /approvals\?id=([\w-]+)/.exec(link)?.[1] ?? "";
  await service.stop();

  service = await start();
  await taskOf(taskId);
  const before = await residentMb(service);
  await service.stop();
  await multiply(database, { taskId, approvalId }, count);
  const began = performance.now();
  service = await start();
  const startSeconds = (performance.now() - began) / 1_000;
  const times: number[] = [];
  for (let n = 0; n < READS; n++) {
    const id = copyOf(taskId, 1 + Math.floor(Math.random() * (count - 1)));
    const asked = performance.now();
    const found = await taskOf(id);
    times.push(performance.now() - asked);
    if (found?.status !== "working") throw new Error(`${id} does not wait: ${JSON.stringify(found)}`);
  }
  times.sort((a, b) => a - b);
  const after = await residentMb(service);
  // One of many goes on like the only one.
  const decided = await fetch(`${service.url}/api/svc/approvals/${approvalId}/decide`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${TEST_KEY}` },
    body: JSON.stringify({ verdict: "approved", shownDigest: await digestOf(service, approvalId) }),
  });
  if (decided.status !== 200) throw new Error(await decided.text());
  for (let n = 0; n < 100 && (await taskOf(taskId)).status !== "completed"; n++) await pause(100);
  if ((await taskOf(taskId)).status !== "completed") throw new Error("the approved task did not go on");
  await service.stop();
  await database.close();
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
  return { store, before, after, startSeconds, median: at(0.5), p99: at(0.99) };
}

async function digestOf({ url }: ServiceProcess, id: string): Promise<string> {
  const headers = { authorization: `Bearer ${TEST_KEY}` };
  const { data } = JSON.parse(await (await fetch(`${url}/api/svc/approvals/${id}`, { headers })).text());
  return data.approval.shownDigest;
}

async function residentMb({ child }: ServiceProcess): Promise<number> {
  await pause(SETTLE_MS);
  const status = await readFile(`/proc/${child.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
}

const copyOf = (id: string, n: number): string => id.slice(0, -6) + String(n).padStart(6, "0");

/** Copies a run that waits, with its step and its approval, until there are `count` of them. */
async function multiply(
  database: Database,
  ids: { readonly taskId: string; readonly approvalId: string },
  count: number,
): Promise<void> {
  const tables: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    runs: { id: ids.taskId },
    steps: { run_id: ids.taskId },
    approvals: { id: ids.approvalId, run_id: ids.taskId },
    approval_assignees: { approval_id: ids.approvalId },
  };
  for (const [table, keys] of Object.entries(tables)) {
    const columns = await database.columns(table);
    const values = columns.map((name) =>
      keys[name] === undefined ? `one.${name}` : `'${keys[name].slice(0, -6)}' || ${database.six}`,
    );
    const [[key, id] = ["", ""]] = Object.entries(keys);
    await database.execute(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count - 1})
       INSERT INTO ${table} (${columns.join(", ")})
       SELECT ${values.join(", ")} FROM ${table} AS one, numbers WHERE one.${key} = '${id}'`,
    );
  }
}

function sqlite(file: string): Database {
  const open = (): DatabaseSync => new DatabaseSync(file);
  return {
    url: `sqlite:${file}`,
    six: "printf('%06d', n)",
    async columns(table) {
      const database = open();
      const rows = database.prepare(`SELECT name FROM pragma_table_info('${table}')`).all();
      database.close();
      return rows.map(({ name }) => String(name));
    },
    async execute(sql) {
      const database = open();
      database.exec(sql);
      database.close();
    },
    async close() {},
  };
}

function postgres(url: string): Database {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  return {
    url,
    six: "lpad(n::text, 6, '0')",
    async columns(table) {
      const { rows } = await pool.query(
        "SELECT column_name FROM information_schema.columns WHERE table_name = $1 AND table_schema = current_schema()",
        [table],
      );
      return rows.map((row: { column_name: string }) => row.column_name);
    },
    async execute(sql) {
      await pool.query(sql);
    },
    close: () => pool.end(),
  };
}
