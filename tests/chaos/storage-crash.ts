import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Store } from "../../src/ports/store.ts";
import { checkDatabase } from "../../src/storage/maintenance/check.ts";
import { openStore } from "../../src/storage/open.ts";
import { quiet } from "../storage/store.samples.ts";

const CACHE = join(tmpdir(), "workflow-ui-compile-cache");
const WRITER = fileURLToPath(new URL("storage-writer.ts", import.meta.url));

/** What a series of crashes did. */
export interface CrashReport {
  readonly rounds: number;
  readonly acknowledged: number;
  readonly stored: number;
}

/**
 * Kills a writing process with SIGKILL again and again, at a random moment of its life, and then looks for every
 * write that was acknowledged. Throws when one is missing, half there, or the database is damaged.
 */
export async function crashSeries(url: string, rounds: number): Promise<CrashReport> {
  const acknowledged = new Set<string>();
  for (let round = 0; round < rounds; round++) {
    // Some die while they open the database, most while they write.
    const dieEarly = round % 8 === 7;
    for (const name of await oneLife(url, round, dieEarly)) acknowledged.add(name);
    if (round % 50 === 49) await verify(url, acknowledged);
  }
  const stored = await verify(url, acknowledged);
  return { rounds, acknowledged: acknowledged.size, stored };
}

function oneLife(url: string, round: number, dieEarly: boolean): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [WRITER, url, String(round)], {
      stdio: ["ignore", "pipe", "pipe"],
      // Starting is most of such a short life.
      env: { ...process.env, NODE_COMPILE_CACHE: CACHE },
    });
    const names: string[] = [];
    let complaint = "";
    let killed = false;
    const kill = (ms: number): void => {
      setTimeout(() => {
        killed = true;
        child.kill("SIGKILL");
      }, ms);
    };
    if (dieEarly) kill(Math.random() * 250);
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (names.push(line) === 1 && !dieEarly) kill(Math.random() * 40);
    });
    child.stderr.on("data", (data: Buffer) => {
      complaint += data.toString();
    });
    child.once("close", () => {
      if (killed) resolve(names);
      else reject(new Error(`the writer ended by itself: ${complaint}`));
    });
  });
}

async function verify(url: string, acknowledged: ReadonlySet<string>): Promise<number> {
  const store = await openStore(url, quiet);
  try {
    const announced = await subjects(store);
    const lost = [...acknowledged].filter((name) => !announced.has(name));
    assert.deepEqual(lost, [], "acknowledged writes without their event");
    for (const name of announced) {
      const kept = await store.read.idempotency.get("chaos", name);
      assert.equal(kept?.answer["name"], name, "an event without the record it tells of");
    }
    const report = await checkDatabase(url);
    assert.deepEqual(report.problems, []);
    return announced.size;
  } finally {
    await store.close();
  }
}

async function subjects(store: Store): Promise<Set<string>> {
  // What a writer committed right before it was killed is numbered now instead of by the next poll.
  await store.transact((tx) => tx.events.number(1_000_000));
  const found = new Set<string>();
  for (let cursor = 0; ;) {
    const events = await store.read.events.after(cursor, 1_000);
    for (const event of events) found.add(event.subject);
    const last = events.at(-1);
    if (last === undefined) return found;
    assert.equal(last.sequence, cursor + events.length, "a gap in the sequences");
    cursor = last.sequence;
  }
}
