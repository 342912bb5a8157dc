import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { AppError } from "../../src/kernel/errors.ts";
import { createProvenance } from "../../src/provenance/provenance.ts";
import { checkDatabase } from "../../src/storage/maintenance/check.ts";
import { openStore } from "../../src/storage/open.ts";
import { quiet, sampleHandoff } from "./store.samples.ts";
import { chain, openRig } from "../engine/harness.ts";

/* Bits that flip and pages that are wiped: nothing acknowledged may be missing without a word. */

const folder = mkdtempSync(join(tmpdir(), "workflow-ui-damage-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const WRITER = fileURLToPath(new URL("../chaos/storage-writer.ts", import.meta.url));

/** A database whose writer was killed, with acknowledged commits in its write-ahead log. */
async function killed(name: string): Promise<{ path: string; acknowledged: number }> {
  const path = join(folder, name);
  const child = spawn(process.execPath, [WRITER, `sqlite:${path}`, "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let acknowledged = 0;
  createInterface({ input: child.stdout }).on("line", () => {
    acknowledged++;
    if (acknowledged === 60) child.kill("SIGKILL");
  });
  await once(child, "close");
  return { path, acknowledged };
}

function copyOf(path: string, name: string): string {
  const copy = join(folder, name);
  for (const end of ["", "-wal"]) if (existsSync(path + end)) copyFileSync(path + end, copy + end);
  return copy;
}

function change(file: string, at: number, length: number, flip: boolean): void {
  const bytes = readFileSync(file);
  for (let i = at; i < at + length; i++) bytes[i] = flip ? (bytes[i] ?? 0) ^ 4 : 0;
  writeFileSync(file, bytes);
}

test("a damaged write-ahead log is refused and reported, and left as it is", async () => {
  const { path, acknowledged } = await killed("wal.db");
  const size = statSync(`${path}-wal`).size;
  const damages: readonly (readonly [what: string, at: number, length: number, flip: boolean])[] = [
    ["one bit of the page size", 10, 1, true],
    ["one bit of the header's salt", 18, 1, true],
    ["one bit of a frame's header in the middle", 32 + Math.floor(size / 2 / 4120) * 4120 + 2, 1, true],
    ["one bit of a page in the middle", Math.floor(size / 2), 1, true],
    ["4,096 bytes in the middle", Math.floor(size / 2), 4_096, false],
  ];
  for (const [nth, [what, at, length, flip]] of damages.entries()) {
    const copy = copyOf(path, `wal-${nth}.db`);
    change(`${copy}-wal`, at, length, flip);
    const before = readFileSync(`${copy}-wal`);
    await assert.rejects(
      openStore(`sqlite:${copy}`, quiet),
      (error) =>
        error instanceof AppError && error.code === "storage_unavailable" && /-wal/.test(error.message),
      what,
    );
    const { ok, problems } = await checkDatabase(`sqlite:${copy}`);
    assert.equal(ok, false, what);
    assert.match(problems.join("\n"), /-wal/, what);
    assert.deepEqual(readFileSync(`${copy}-wal`), before, `${what}: the file was changed`);
  }
  const store = await openStore(`sqlite:${path}`, quiet);
  assert.ok((await store.read.events.bounds()).last >= acknowledged);
  await store.close();
  assert.deepEqual((await checkDatabase(`sqlite:${path}`)).problems, []);
});

test("what an unfinished commit left is no damage", async () => {
  const { path } = await killed("torn.db");
  const wal = `${path}-wal`;
  // The begin of one more frame, as a power failure leaves it.
  appendFileSync(wal, readFileSync(wal).subarray(32, 2_032));
  assert.deepEqual((await checkDatabase(`sqlite:${path}`)).problems, []);
  const store = await openStore(`sqlite:${path}`, quiet);
  assert.ok((await store.read.events.bounds()).last > 0);
  await store.close();
});

test("a kill between the header of a new write-ahead log and its first frame is no damage", async () => {
  const path = join(folder, "generation.db");
  const store = await openStore(`sqlite:${path}`, quiet);
  const commit = (nth: number): Promise<void> =>
    store.transact(async (tx) => {
      const subject = `run_${nth}`;
      const more = { traceparent: null, data: {}, publicData: null, madeIn: null };
      await tx.events.append([{ type: "svc.run.queued", subject, ...more }]);
    });
  for (let nth = 0; nth < 20; nth++) await commit(nth);
  // Everything is in the database, so the next commit begins the log again over the old frames.
  const other = new DatabaseSync(path);
  other.exec("PRAGMA wal_checkpoint(FULL)");
  other.close();
  const copy = copyOf(path, "generation-copy.db");
  copyFileSync(`${path}-mark`, `${copy}-mark`);
  await commit(20);
  const old = readFileSync(`${copy}-wal`);
  const header = readFileSync(`${path}-wal`).subarray(0, 32);
  await store.close();
  assert.notDeepEqual(header, old.subarray(0, 32), "the log has begun again");
  writeFileSync(`${copy}-wal`, Buffer.concat([header, old.subarray(32)]));
  assert.deepEqual((await checkDatabase(`sqlite:${copy}`)).problems, []);
  const again = await openStore(`sqlite:${copy}`, quiet);
  assert.equal((await again.read.events.bounds()).last, 20);
  await again.close();
});

test("a missing write-ahead log and a damaged last commit are refused and reported", async () => {
  const path = join(folder, "missing.db");
  const store = await openStore(`sqlite:${path}`, quiet);
  for (let nth = 0; nth < 20; nth++) {
    const event = {
      type: "svc.run.queued",
      subject: `run_${nth}`,
      traceparent: null,
      data: {},
      publicData: null,
      madeIn: null,
    };
    await store.transact((tx) => tx.events.append([event]));
  }
  const losses: readonly (readonly [what: string, lose: (wal: string) => void])[] = [
    ["the file is deleted", (wal) => rmSync(wal)],
    ["the file is empty", (wal) => truncateSync(wal)],
    ["the last commit is cut off", (wal) => truncateSync(wal, statSync(wal).size - 2_000)],
    ["one bit of the last commit", (wal) => change(wal, statSync(wal).size - 2_000, 1, true)],
  ];
  for (const [nth, [what, lose]] of losses.entries()) {
    // What is on disk at this moment is what a process leaves that is killed.
    const copy = copyOf(path, `missing-${nth}.db`);
    copyFileSync(`${path}-mark`, `${copy}-mark`);
    lose(`${copy}-wal`);
    const { problems } = await checkDatabase(`sqlite:${copy}`);
    assert.match(problems.join("\n"), /was committed to it/, what);
    await assert.rejects(
      openStore(`sqlite:${copy}`, quiet),
      (error) => error instanceof AppError && /was committed to it/.test(error.message),
      what,
    );
    // What the message says helps.
    rmSync(`${copy}-mark`);
    await (await openStore(`sqlite:${copy}`, quiet)).close();
  }
  await store.close();
  for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
  await (await openStore(`sqlite:${path}`, quiet)).close();
});

/** Sets a hash to one that differs in its last digit. */
const otherEnd = (column: string): string =>
  `${column} = substr(${column}, 1, length(${column}) - 1) || iif(${column} LIKE '%0', '1', '0')`;

test("db check finds changed content and wiped pages in the file", async () => {
  const path = join(folder, "content.db");
  const rig = await openRig({ databaseUrl: `sqlite:${path}` });
  const { store } = rig.services;
  const workflowId = await rig.workflow(chain(6));
  for (let nth = 0; nth < 5; nth++) await rig.run(workflowId);
  const log = createProvenance({ store, clock: quiet.clock });
  const packet = sampleHandoff();
  await store.transact(async (tx) => {
    await tx.handoffs.insert(packet);
    await log.append(tx, [
      {
        kind: "handoff",
        subjectId: packet.id,
        digest: packet.packetDigest,
        privacy: "internal",
        predicate: {},
      },
    ]);
  });
  await rig.close();
  assert.deepEqual((await checkDatabase(`sqlite:${path}`)).problems, []);
  const changes: readonly (readonly [what: string, sql: string])[] = [
    ["the result of a step", "UPDATE steps SET output = replace(output, '3', '4') WHERE step_id = 's4'"],
    ["the inputs of a run", "UPDATE runs SET inputs = '{\"a\":1}'"],
    ["a document", "UPDATE documents SET document = replace(document, 's2', 's3')"],
    ["a packet", 'UPDATE handoffs SET packet = \'{"schemaVersion":"suite.handoff.v2"}\''],
    [
      "the body of a leaf",
      "UPDATE provenance_records SET body = replace(body, 'digest', 'Digest') WHERE leaf_index = 3",
    ],
    ["the hash of a leaf", `UPDATE provenance_records SET ${otherEnd("leaf_hash")} WHERE leaf_index = 4`],
    ["a checkpoint", `UPDATE provenance_checkpoints SET ${otherEnd("root_hash")}`],
  ];
  for (const [nth, [what, sql]] of changes.entries()) {
    const copy = copyOf(path, `content-${nth}.db`);
    const db = new DatabaseSync(copy);
    db.exec(sql);
    db.close();
    assert.equal(
      (await checkDatabase(`sqlite:${copy}`)).ok,
      false,
      `${what} was changed and nothing was said`,
    );
  }
  // Every page in turn: one that is used cannot be wiped without a word.
  const pages = statSync(path).size / 4_096;
  for (let page = 1; page < pages; page++) {
    const copy = copyOf(path, "wiped.db");
    change(copy, page * 4_096, 4_096, false);
    const verdict = await checkDatabase(`sqlite:${copy}`).then(
      ({ ok }) => ok,
      (error: unknown) => {
        assert.ok(error instanceof AppError, String(error));
        return false;
      },
    );
    assert.equal(verdict, false, `page ${page + 1} of ${pages} was wiped and nothing was said`);
  }
});
