import { addressOf } from "../address.ts";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { RECEIVER_PATH } from "../../src/handoffs/receiver.ts";
import { load } from "./load.ts";
import { openStore } from "../../src/storage/open.ts";
import { packets } from "./packets.ts";

/*
 * How many handoffs a second the service accepts over HTTP, each with its record, event and provenance on disk before
 * the answer, against bare durable inserts of the same packets in the same run. Rounds alternate, so that a machine
 * that slows down slows both.
 *   npm run bench:handoffs [-- --seconds 5 --rounds 5 --connections 64]
 */

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "5" },
    connections: { type: "string", default: "64" },
  },
});
const [seconds, rounds, connections] = [
  Number(values.seconds),
  Number(values.rounds),
  Number(values.connections),
];
const KEY = "bench-key-with-every-right-0123456789";
const WANTED = 0.3;
const ACCEPTED = 202;
const here = fileURLToPath(new URL(".", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "bench-handoffs-"));

interface Round {
  readonly bare: number;
  readonly grouped: number;
  readonly accepted: number;
  readonly refused: number;
}

const measured: Round[] = [];
try {
  for (let round = 0; round < rounds; round++) {
    const place = mkdtempSync(join(folder, "round-"));
    const bare = inserts(place, 1);
    const service = await acceptances(place);
    const grouped = inserts(place, connections);
    measured.push({ bare, grouped, ...service });
    console.log(
      `round ${round + 1}: ${whole(bare)} bare inserts/s, ${whole(service.accepted)} accepted/s (${(service.accepted / bare).toFixed(2)})`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
report(measured);

/** Bare inserts a second, `group` of them sharing a commit. */
function inserts(place: string, group: number): number {
  const args = [join(here, "inserts.ts"), place, String(group), String(seconds * 1_000)];
  const { stdout } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { count, ms }: { count: number; ms: number } = JSON.parse(stdout);
  return (count / ms) * 1_000;
}

/** Handoffs the service accepts a second, asked over as many connections at once. */
async function acceptances(place: string): Promise<Pick<Round, "accepted" | "refused">> {
  const file = join(place, "service.db");
  const child = spawn(process.execPath, [join(here, "../../src/main.ts")], {
    env: {
      ...process.env,
      PORT: "0",
      DATABASE_URL: `sqlite:${file}`,
      SVC_API_KEY: KEY,
      LOG_LEVEL: "error",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const next = packets();
  const to = {
    url: await addressOf(child),
    path: RECEIVER_PATH,
    key: KEY,
    connections,
    next: () => JSON.stringify(next()),
  };
  const warm = await load(to, ACCEPTED, Math.min(2_000, seconds * 500));
  const { good, bad, ms } = await load(to, ACCEPTED, seconds * 1_000);
  child.kill("SIGKILL");
  await new Promise((done) => child.once("exit", done));
  const onDisk = await recordsIn(file);
  if (onDisk !== warm.good + good) {
    throw new Error(`${warm.good + good} were accepted and ${onDisk} are on disk`);
  }
  return { accepted: (good / ms) * 1_000, refused: warm.bad + bad };
}

/** How many packets, with their events and records under a signed checkpoint, a database holds that was left by a killed process and opened again. */
async function recordsIn(file: string): Promise<number> {
  const clock = { now: () => Date.now() };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const store = await openStore(`sqlite:${file}`, { clock, log });
  await store.close();
  const database = new DatabaseSync(file);
  const count = (sql: string): number => Number(database.prepare(sql).get()?.["n"]);
  const records = count("SELECT count(*) AS n FROM handoffs WHERE state = 'accepted'");
  const events = count("SELECT count(*) AS n FROM events WHERE type = 'svc.handoff.accepted'");
  const facts = count(
    `SELECT count(*) AS n FROM provenance_records WHERE kind = 'handoff'
      AND leaf_index < (SELECT max(tree_size) FROM provenance_checkpoints)`,
  );
  database.close();
  if (records !== events || records !== facts) {
    throw new Error(`${records} records, ${events} events and ${facts} records under a checkpoint`);
  }
  return records;
}

function report(results: readonly Round[]): void {
  const middle = (pick: (round: Round) => number): number =>
    results.map(pick).toSorted((a, b) => a - b)[Math.floor(results.length / 2)] ?? 0;
  const ratio = middle(({ accepted, bare }) => accepted / bare);
  const refused = results.reduce((sum, round) => sum + round.refused, 0);
  const text = `# Handoffs

\`npm run bench:handoffs\` on ${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, Node ${process.version}, SQLite with synchronous FULL, ${connections} connections, median of ${results.length} rounds of ${seconds} s. An accepted handoff is parsed, checked, authenticated and answered over HTTP after everything that its record, its event and its provenance are made of is on disk; a bare insert is one row of the same packet. The service is then killed with SIGKILL, and after the next start the records, with their events and their provenance under a signed checkpoint, are counted: as many as were accepted. The load is made on the same machine.

| bar | measured | wanted | |
|---|---|---|---|
| accepted handoffs as a share of bare durable inserts | ${ratio.toFixed(2)} | ≥ ${WANTED} | ${ratio >= WANTED ? "met" : "missed"} |

| what | a second |
|---|---|
| bare inserts, one commit each | ${whole(middle(({ bare }) => bare))} |
| accepted handoffs over HTTP | ${whole(middle(({ accepted }) => accepted))} |
| bare inserts, ${connections} to a commit | ${whole(middle(({ grouped }) => grouped))} |

Refused or failed: ${refused}.
`;
  const target = join(here, "../results");
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, "handoffs.md"), text);
  console.log(text);
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en");
}
