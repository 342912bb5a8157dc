import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { stepFact } from "../../src/engine/journal.ts";
import type { ProvenanceFact } from "../../src/ports/provenance.ts";
import { sampleStep } from "../../tests/storage/store.samples.ts";
import type { Store } from "../../src/ports/store.ts";
import { createProvenance } from "../../src/provenance/provenance.ts";
import { openStore } from "../../src/storage/open.ts";
import { startPostgres } from "../../tests/support/postgres.ts";
import { asking, EMPTY, onPostgres, onSqlite, type Extent, type StepCost } from "./step-cost.ts";

/*
 * The provenance log at a million entries: what appending and proving cost as it grows, in one run, as a ratio to the
 * cost when it was small; and what it adds to the steps of a workflow. `npm run bench:provenance -- --entries 1000000`
 */

const wanted = Number(process.argv[process.argv.indexOf("--entries") + 1]) || 1_000_000;
const BATCH = 1_000;
const folder = mkdtempSync(join(tmpdir(), "bench-provenance-"));
const clock = { now: () => Date.now() };
const log = { debug() {}, info() {}, warn() {}, error() {} };
const store: Store = await openStore(`sqlite:${join(folder, "log.db")}`, { clock, log });
const provenance = createProvenance({ store, clock });

const step = (index: number): ProvenanceFact =>
  stepFact(sampleStep(`run_${Math.floor(index / 10)}`, { stepId: `s${index}`, output: index }));

interface Row {
  readonly entries: number;
  readonly appendMicros: number;
  readonly proveMicros: number;
  readonly pathLength: number;
}

const rows: Row[] = [];
const marks = [1_000, 10_000, 100_000, 300_000, 1_000_000].filter((mark) => mark <= wanted);
let size = 0;
let lastId = "";
for (const mark of marks) {
  while (size < mark - BATCH) await appendBatch();
  const began = performance.now();
  await appendBatch();
  const appendMicros = ((performance.now() - began) * 1000) / BATCH;
  await provenance.prove(lastId);
  const ids = await sampleIds(200);
  const proveBegan = performance.now();
  let pathLength = 0;
  for (const id of ids) {
    const proof = await provenance.prove(id);
    pathLength = Math.max(
      pathLength,
      Array.isArray(proof?.["inclusionPath"]) ? proof["inclusionPath"].length : 0,
    );
  }
  const proveMicros = ((performance.now() - proveBegan) * 1000) / ids.length;
  rows.push({ entries: size, appendMicros, proveMicros, pathLength });
  console.log(
    `${size} entries: append ${appendMicros.toFixed(1)} µs, proof ${proveMicros.toFixed(0)} µs, path ${pathLength}`,
  );
}

async function appendBatch(): Promise<void> {
  await store.transact(async (tx) => {
    const facts = Array.from({ length: BATCH }, (_, offset) => step(size + offset));
    lastId = (await provenance.append(tx, facts)).at(-1) ?? "";
  });
  size += BATCH;
}

async function sampleIds(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const record = await store.read.provenance.atIndex(Math.floor((i / count) * size));
    if (record) ids.push(record.id);
  }
  return ids;
}

const short = wanted < 1_000_000;
const extent = (concurrency: number, runs: number): Extent => ({
  concurrency,
  runs: short ? runs / 10 : runs,
  rounds: short ? 3 : 9,
});
const server = await startPostgres({ fsync: true });
const other = await asking();
const costs: readonly StepCost[] = [
  await onSqlite(EMPTY, extent(1, 1_000)),
  await onSqlite(EMPTY, extent(32, 6_000)),
  await onPostgres(server, EMPTY, extent(1, 200)),
  await onPostgres(server, EMPTY, extent(32, 1_500)),
  await onSqlite(other, extent(1, 500)),
  await onSqlite(other, extent(32, 1_000)),
  await onPostgres(server, other, extent(1, 100)),
  await onPostgres(server, other, extent(32, 500)),
];
other.close();
await server.stop();
const costTable = costs
  .map(
    (cost) =>
      `| ${cost.what} | ${cost.concurrency} | ${cost.without.toFixed(0)} | ${cost.withIt.toFixed(0)} | ${percent(cost.added)} | ${cost.cpuWithout.toFixed(0)} | ${cost.cpuWith.toFixed(0)} | ${percent(cost.cpuAdded)} |`,
  )
  .join("\n");
console.log(costTable);

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

const first = rows[0];
const last = rows.at(-1);
const table = rows
  .map(
    (row) =>
      `| ${row.entries} | ${row.appendMicros.toFixed(1)} | ${row.proveMicros.toFixed(0)} | ${row.pathLength} |`,
  )
  .join("\n");
const growth = first && last ? last.appendMicros / first.appendMicros : Number.NaN;
const proofGrowth = first && last ? last.proveMicros / first.proveMicros : Number.NaN;
mkdirSync("bench/results", { recursive: true });
writeFileSync(
  "bench/results/provenance.md",
  `# Provenance log

\`npm run bench:provenance\` on ${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown"}, Node ${process.version}, SQLite with synchronous FULL, appended ${BATCH} a transaction.

| entries | append, µs an entry | inclusion proof, µs | path length |
|---|---|---|---|
${table}

From ${first?.entries ?? 0} to ${last?.entries ?? 0} entries appending costs ${growth.toFixed(2)}× and a proof ${proofGrowth.toFixed(2)}×; the path grows with log₂ of the size.

## What it adds to a step of a workflow

Runs of ten durable steps, the engine as it is against the same engine whose provenance records nothing, in turns within
one run; medians of the rounds, shares within a round. A run of ten steps has eleven leaves, and every commit with the
end of a run a signed checkpoint. Without, not even digests are made. The time ends when everything is in its tables.
An empty step only gives back its arguments; one that asks another process sends them over HTTP on this machine and reads
the answer. Processor time is that of the service with all its threads; PostgreSQL's own is not in it.

| step | runs at a time | µs a step without | with | added | processor µs without | with | added |
|---|---|---|---|---|---|---|---|
${costTable}
`,
);
await store.close();
rmSync(folder, { recursive: true, force: true });
