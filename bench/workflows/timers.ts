import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openRig, type Rig } from "../../tests/engine/harness.ts";
import { startPostgres } from "../../tests/support/postgres.ts";

/*
 * `npm run bench:timers [-- RUNS ROUNDS]`: runs that wait until the same moment, and how long after it the last one has
 * called its next step. Settings are the defaults. Writes bench/results/timers.md.
 */
const runs = Number(process.argv[2] ?? "2000");
const rounds = Number(process.argv[3] ?? "5");
const WANTED_MS = 1_000;
const DOCUMENT = {
  inputs: { type: "object", properties: { at: { type: "string" } } },
  nodes: [
    { id: "nap", type: "wait", wait: { until: { $ref: "$inputs.at" } } },
    { id: "next", type: "tool", tool: "put", with: { n: 1 } },
  ],
  edges: [{ from: "nap", to: "next" }],
};

async function measure(rig: Rig, leadMs: number): Promise<readonly number[]> {
  const id = await rig.workflow(DOCUMENT);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    rig.bench.calls.length = 0;
    const due = Date.now() + leadMs;
    const inputs = { at: new Date(due).toISOString() };
    let left = runs;
    await Promise.all(
      Array.from({ length: 32 }, async () => {
        while (left-- > 0) await rig.start(id, inputs);
      }),
    );
    const early = Date.now() - due;
    if (early > 0) throw new Error(`the runs were started ${early} ms too late`);
    await sleep(due - Date.now());
    while (rig.bench.calls.length < runs) await sleep(2);
    times.push(Date.now() - due);
    // The ends of these runs are not part of the next round.
    await sleep(leadMs / 4);
  }
  return times;
}

const folder = mkdtempSync(join(tmpdir(), "bench-timers-"));
const server = await startPostgres({ fsync: true });
const rows: string[] = [];
for (const [store, databaseUrl] of [
  ["SQLite", `sqlite:${join(folder, "bench.db")}`],
  ["PostgreSQL", await server.createDatabase()],
] as const) {
  const rig = await openRig({ databaseUrl });
  const times = (await measure(rig, runs * 4)).toSorted((a, b) => a - b);
  await rig.close();
  const median = times[Math.floor(times.length / 2)] ?? Number.NaN;
  rows.push(`| ${store} | ${median} | ${times.join(", ")} | ${median <= WANTED_MS ? "met" : "missed"} |`);
  console.log(rows.at(-1));
}
await server.stop();
rmSync(folder, { recursive: true });
const report = `# Timers that are due together

\`npm run bench:timers\` on ${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores (${cpus()[0]?.model.trim() ?? "unknown"}), Node ${process.version}. ${runs} runs wait until the same moment, then each calls a tool. Time from that moment until the last one has called it, with default settings.

| store | median, ms | rounds | at most ${WANTED_MS} |
|---|---:|---|---|
${rows.join("\n")}
`;
mkdirSync(fileURLToPath(new URL("../results", import.meta.url)), { recursive: true });
writeFileSync(new URL("../results/timers.md", import.meta.url), report);
