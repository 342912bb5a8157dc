import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startPostgres, withClient } from "../../tests/support/postgres.ts";
import { startServiceProcess, type ServiceProcess } from "../../tests/support/service.ts";
import { ask, create, publish } from "../../tests/triggers/support.ts";
import { load } from "../handoffs/load.ts";

/*
 * How many webhooks a second the service accepts over HTTP, each stored with its run before the answer, against bare
 * durable inserts of the same messages in the same run. Then the service is killed under load, again and again, and every
 * message that was answered with success has exactly one run.
 *   npm run bench:triggers [-- --seconds 5 --rounds 3 --connections 64 --kills 5]
 */

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "64" },
    kills: { type: "string", default: "5" },
  },
});
const [seconds, rounds, connections, kills] = [
  Number(values.seconds),
  Number(values.rounds),
  Number(values.connections),
  Number(values.kills),
];
const WANTED = 0.3;
const ACCEPTED = 202;
const SENDERS = 16;

interface Round {
  readonly bare: number;
  readonly accepted: number;
  readonly refused: number;
}
interface Killed {
  readonly answered: number;
  readonly stored: number;
}
interface Result {
  readonly database: string;
  readonly rounds: readonly Round[];
  readonly killed: Killed;
}

const folder = mkdtempSync(join(tmpdir(), "bench-triggers-"));
const server = await startPostgres({ fsync: true });
const masterKey = { SVC_MASTER_KEY: Buffer.alloc(32, 7).toString("base64") };
const results: Result[] = [];
try {
  for (const database of ["SQLite", "PostgreSQL"]) {
    const fresh = async (): Promise<string> =>
      database === "SQLite"
        ? `sqlite:${join(mkdtempSync(join(folder, "db-")), "service.db")}`
        : server.createDatabase();
    const measured: Round[] = [];
    for (let round = 0; round < rounds; round++) {
      const bare = database === "SQLite" ? sqliteInserts() : await postgresInserts(await fresh());
      const service = await acceptances(await fresh());
      measured.push({ bare, ...service });
      console.log(
        `${database} ${round + 1}: ${whole(bare)} bare inserts/s, ${whole(service.accepted)} accepted/s (${(service.accepted / bare).toFixed(2)}), ${service.refused} refused`,
      );
    }
    const killed = await killedUnderLoad(await fresh());
    console.log(`${database}: ${kills} kills, ${killed.answered} answered, ${killed.stored} stored`);
    results.push({ database, rounds: measured, killed });
  }
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
report();

function messages(): () => string {
  let serial = 0;
  const start = Date.now();
  return () => JSON.stringify({ id: `${start}-${++serial}`, item: "x".repeat(200) });
}

/** Bare inserts a second, one commit each: WAL and synchronous FULL, as the service's own store. */
function sqliteInserts(): number {
  const database = new DatabaseSync(join(mkdtempSync(join(folder, "bare-")), "bare.db"));
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
  database.exec("CREATE TABLE messages (id INTEGER PRIMARY KEY, message TEXT NOT NULL)");
  const insert = database.prepare("INSERT INTO messages (message) VALUES (?)");
  const next = messages();
  const began = performance.now();
  let count = 0;
  for (; performance.now() - began < seconds * 1_000; count++) insert.run(next());
  const ms = performance.now() - began;
  database.close();
  return (count / ms) * 1_000;
}

/** Bare inserts a second over one connection, one commit each. */
function postgresInserts(url: string): Promise<number> {
  return withClient(url, async (client) => {
    await client.query("CREATE TABLE messages (id BIGSERIAL PRIMARY KEY, message TEXT NOT NULL)");
    const next = messages();
    const began = performance.now();
    let count = 0;
    for (; performance.now() - began < seconds * 1_000; count++)
      await client.query({
        name: "insert",
        text: "INSERT INTO messages (message) VALUES ($1)",
        values: [next()],
      });
    return (count / (performance.now() - began)) * 1_000;
  });
}

interface Hook {
  readonly id: string;
  readonly workflowId: string;
  readonly secret: string;
}

/** A webhook whose workflow passes on what it gets; each message names itself. */
async function hookOf(service: ServiceProcess): Promise<Hook> {
  const workflowId = await publish(service, { type: "object", properties: { payload: {} } });
  const made = await create(service, { workflowId, kind: "webhook", idHeader: "X-Id", perMinute: 60_000 });
  return { id: made.trigger.id, workflowId, secret: made.secret };
}

async function acceptances(url: string): Promise<Pick<Round, "accepted" | "refused">> {
  const service = await startServiceProcess({ DATABASE_URL: url, ...masterKey });
  const hook = await hookOf(service);
  const to = {
    url: service.url,
    path: `/hooks/${hook.id}`,
    key: hook.secret,
    connections,
    next: messages(),
  };
  const warm = await load(to, ACCEPTED, Math.min(2_000, seconds * 500));
  const { good, bad, ms } = await load(to, ACCEPTED, seconds * 1_000);
  await service.stop("SIGKILL");
  return { accepted: (good / ms) * 1_000, refused: warm.bad + bad };
}

/** Kills the service under load and starts it again. Then each message that was answered has one firing with one run. */
async function killedUnderLoad(url: string): Promise<Killed> {
  const env = { DATABASE_URL: url, ...masterKey };
  let service = await startServiceProcess(env);
  const hook = await hookOf(service);
  const answered = new Map<string, string>();
  let serial = 0;
  for (let kill = 0; kill < kills; kill++) {
    const over = new AbortController();
    const { url: address } = service;
    const senders = Array.from({ length: SENDERS }, async () => {
      while (!over.signal.aborted) {
        const id = `message-${++serial}`;
        try {
          const answer = await fetch(`${address}/hooks/${hook.id}`, {
            method: "POST",
            headers: {
              authorization: `Bearer ${hook.secret}`,
              "x-id": id,
              "content-type": "application/json",
            },
            body: JSON.stringify({ id }),
          });
          const { data }: { data: { runId: string } } = JSON.parse(await answer.text());
          if (answer.ok) answered.set(id, data.runId);
        } catch {
          // The process was killed: what had no answer may or may not be stored.
          return;
        }
      }
    });
    const enough = answered.size + SENDERS;
    for (let waited = 0; answered.size < enough && waited < 60_000; waited += 20) await sleep(20);
    await sleep(Math.random() * 1_000);
    await service.stop("SIGKILL");
    over.abort();
    await Promise.all(senders);
    service = await startServiceProcess(env);
  }
  const firings = await all<{ key: string; runId: string }>(
    service,
    `triggers/${hook.id}/history?`,
    "firings",
  );
  const runs = await all<{ id: string }>(service, `runs?workflowId=${hook.workflowId}&`, "runs");
  await service.stop();
  const byKey = new Map(firings.map(({ key, runId }) => [key, runId]));
  if (byKey.size !== firings.length) throw new Error("a message has two firings");
  for (const [id, runId] of answered)
    if (byKey.get(id) !== runId) throw new Error(`${id} was answered with ${runId} and has ${byKey.get(id)}`);
  const started = new Set(byKey.values());
  if (started.size !== byKey.size) throw new Error("two messages have one run");
  const stored = new Set(runs.map(({ id }) => id));
  if (stored.size !== started.size || [...started].some((id) => !stored.has(id)))
    throw new Error(`${started.size} firings and ${stored.size} runs`);
  return { answered: answered.size, stored: stored.size };
}

async function all<T>(service: ServiceProcess, path: string, member: string): Promise<readonly T[]> {
  const found: T[] = [];
  let cursor = "";
  do {
    const { data } = await ask(service, "GET", `/api/svc/${path}limit=100${cursor}`);
    found.push(...data[member]);
    cursor = data.nextCursor === null ? "" : `&cursor=${encodeURIComponent(data.nextCursor)}`;
  } while (cursor !== "");
  return found;
}

function report(): void {
  const lines = results.map(({ database, rounds: measured, killed }) => {
    const middle = (pick: (round: Round) => number): number =>
      measured.map(pick).toSorted((a, b) => a - b)[Math.floor(measured.length / 2)] ?? 0;
    const ratio = middle(({ accepted, bare }) => accepted / bare);
    const refused = measured.reduce((sum, round) => sum + round.refused, 0);
    return `| ${database} | ${whole(middle(({ bare }) => bare))} | ${whole(middle(({ accepted }) => accepted))} | ${ratio.toFixed(2)} | ${ratio >= WANTED ? "met" : "missed"} | ${refused} | ${killed.answered} answered, ${killed.stored} stored |`;
  });
  const text = `# Webhooks

\`npm run bench:triggers\` on ${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, Node ${process.version}, ${connections} connections, median of ${rounds} rounds of ${seconds} s. An accepted webhook is authenticated, checked and stored with its run before the answer; the runs go on beside it. A bare insert is one row of the same message with a commit of its own over one connection. The load is made on the same machine. Afterwards the service is killed with SIGKILL ${kills} times under load: every message that was answered with success has exactly one firing with exactly one run, and no run is without a message.

| database | bare inserts/s | accepted/s | share | wanted ≥ ${WANTED} | refused | killed under load |
|---|---|---|---|---|---|---|
${lines.join("\n")}
`;
  const target = fileURLToPath(new URL("../results", import.meta.url));
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, "triggers.md"), text);
  console.log(text);
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}
