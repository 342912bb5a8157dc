import { createHash, type Hash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { copyFile, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { backup, DatabaseSync } from "node:sqlite";
import { AppError } from "../../kernel/errors.ts";
import { isObject } from "../../kernel/json.ts";
import type { Clock } from "../../ports/platform.ts";
import { SCHEMA_VERSION } from "../migrations.ts";
import { databaseTarget } from "../open.ts";
import { insertInto, type SqlValue } from "../sql.ts";
import { translateSqliteError } from "../sqlite/errors.ts";
import { expandedRows } from "./expand-pages.ts";
import { openSession, type Session } from "./session.ts";

/**
 * Every table in an order in which references find their target, with an order of its rows that does, too. The pages of
 * runs are not among them: what is in them goes with the tables of steps, events and leaves.
 */
const TABLES: readonly (readonly [table: string, order: string])[] = [
  ["workflows", "id"],
  ["workflow_versions", "workflow_id, version"],
  ["templates", "id"],
  ["documents", "digest"],
  ["runs", "created_at, id"],
  ["steps", "run_id, step_id"],
  ["attempts", "run_id, step_id, attempt"],
  ["approvals", "id"],
  ["artifacts", "id"],
  ["artifact_versions", "id, version"],
  ["rendered_forms", "id"],
  ["handoffs", "direction, id"],
  ["idempotency_keys", "scope, key"],
  ["provenance_records", "leaf_index"],
  ["provenance_nodes", "level, node_index"],
  ["provenance_checkpoints", "tree_size"],
  ["signing_keys", "id"],
  ["events", "sequence"],
  ["webhooks", "id"],
  ["deliveries", "id"],
  ["api_keys", "id"],
  ["connections", "name"],
  ["connection_definitions", "connection, source_name"],
  ["connection_calls", "id"],
  ["connection_revision", "id"],
  ["policy_revisions", "revision"],
  ["credentials", "name, owner"],
  ["oauth_flows", "state_digest"],
  ["counters", "name"],
];

/** SQLite counts events by their table, PostgreSQL by a counter: it goes on where the table ends. */
const CONTINUE_SEQUENCE = `UPDATE counters SET value = (SELECT coalesce(max(sequence), 0) FROM events)
  WHERE name = 'events'`;
/** Where PostgreSQL has the end of the log; a backup by rows has every leaf as a row. */
const CONTINUE_LOG = `INSERT INTO counters (name, value, witness) SELECT 'log', coalesce(max(leaf_index) + 1, 0), coalesce(
  (SELECT leaf_hash FROM provenance_records ORDER BY leaf_index DESC LIMIT 1), '') FROM provenance_records`;
const WITHOUT_END = "DELETE FROM counters WHERE name = 'log'";
/** How far its logbook is in its tables concerns the database that it goes with, and no copy of it. */
const WITHOUT_BOOK = "DELETE FROM counters WHERE name LIKE 'logbook%'";
const FORMAT = "workflow-ui.backup.v1";
const SQLITE_MAGIC = "SQLite format 3\u0000";

/** What a backup or a restore did. */
export interface CopyReport {
  readonly form: "sqlite file" | "rows";
  readonly file: string;
  readonly rows: number | null;
}

/**
 * Copies a database while it is in use. A SQLite database becomes a SQLite file (unless rows are asked for), a
 * PostgreSQL one a file of rows from one snapshot, which can be restored into either kind.
 */
export async function backupDatabase(
  databaseUrl: string,
  file: string,
  form: "native" | "rows" = "native",
): Promise<CopyReport> {
  if (existsSync(file)) throw new AppError("conflict", `${file} exists already; it was left untouched.`);
  await mkdir(dirname(file), { recursive: true });
  const session = await openSession(databaseUrl, "read");
  const partial = `${file}.partial`;
  rmSync(partial, { force: true });
  try {
    if (session.path !== null && form === "native") {
      const source = new DatabaseSync(session.path, { readOnly: true, timeout: 10_000 });
      try {
        await backup(source, partial, { rate: 1_000 });
      } finally {
        source.close();
      }
      finish(partial, file);
      return { form: "sqlite file", file, rows: null };
    }
    const rows = await writeRows(session, partial);
    finish(partial, file);
    return { form: "rows", file, rows };
  } finally {
    rmSync(partial, { force: true });
    await session.close();
  }
}

/** Fills a database that does not exist yet, or is empty, from a backup. Anything else is refused. */
export async function restoreDatabase(databaseUrl: string, file: string, clock: Clock): Promise<CopyReport> {
  if (!existsSync(file)) throw new AppError("not_found", `There is no file ${file}.`);
  const target = databaseTarget(databaseUrl);
  if (isSqliteFile(file)) {
    if (target.kind !== "sqlite") {
      throw new AppError(
        "conflict",
        "This is a SQLite file; a backup in the form of rows fits into PostgreSQL.",
      );
    }
    if (existsSync(target.path)) {
      throw new AppError("conflict", `${target.path} exists already; it was left untouched.`);
    }
    await mkdir(dirname(target.path), { recursive: true });
    await copyFile(file, `${target.path}.partial`);
    partFromBook(`${target.path}.partial`);
    removeLeftOver(target.path);
    finish(`${target.path}.partial`, target.path);
    return { form: "sqlite file", file, rows: null };
  }
  await verifyRows(file);
  if (target.kind === "sqlite") {
    await mkdir(dirname(target.path), { recursive: true });
    if (!existsSync(target.path)) removeLeftOver(target.path);
  }
  const session = await openSession(databaseUrl, "write");
  try {
    await session.migrate(clock);
    for (const [table] of TABLES) {
      if (table !== "counters" && (await session.all(`SELECT 1 AS one FROM ${table} LIMIT 1`)).length > 0) {
        throw new AppError("conflict", "The database has content already; it was left untouched.");
      }
    }
    if (session.path !== null) removeBook(session.path);
    await session.begin("write");
    await session.run("DELETE FROM counters", []);
    const rows = await readRows(session, file);
    await session.run(WITHOUT_BOOK, []);
    await session.run(CONTINUE_SEQUENCE, []);
    await session.run(WITHOUT_END, []);
    if (target.kind === "postgres") await session.run(CONTINUE_LOG, []);
    await session.commit();
    return { form: "rows", file, rows };
  } finally {
    await session.close();
  }
}

async function writeRows(session: Session, file: string): Promise<number> {
  const handle = openSync(file, "wx", 0o600);
  const digest = createHash("sha256");
  let rows = 0;
  try {
    writeLine(handle, digest, { format: FORMAT, schemaVersion: SCHEMA_VERSION });
    await session.begin("read");
    for (const [table, order] of TABLES) {
      const plain = session.each(`SELECT * FROM ${table} ORDER BY ${order}`);
      for await (const row of (await expandedRows(session, table)) ?? plain) {
        writeLine(handle, digest, { table, row });
        rows += 1;
      }
    }
    await session.commit();
    writeSync(handle, `${JSON.stringify({ end: FORMAT, rows, sha256: digest.digest("hex") })}\n`);
    return rows;
  } finally {
    closeSync(handle);
  }
}

function writeLine(handle: number, digest: Hash, value: unknown): void {
  const line = `${JSON.stringify(value)}\n`;
  digest.update(line);
  writeSync(handle, line);
}

async function* lines(file: string): AsyncGenerator<string> {
  yield* createInterface({ input: createReadStream(file, "utf8"), crlfDelay: Number.POSITIVE_INFINITY });
}

/** Reads the file to its end before a single row is restored: a truncated or changed one is refused whole. */
async function verifyRows(file: string): Promise<void> {
  const digest = createHash("sha256");
  let head: unknown;
  let end: unknown;
  for await (const line of lines(file)) {
    const value = parseLine(line);
    head ??= value;
    end = value;
    if (!isObject(value) || !("end" in value)) digest.update(`${line}\n`);
  }
  const complete =
    isObject(head) && head["format"] === FORMAT && isObject(end) && end["sha256"] === digest.digest("hex");
  if (!complete) throw damagedBackup();
  if (isObject(head) && head["schemaVersion"] !== SCHEMA_VERSION) {
    throw new AppError(
      "conflict",
      "The backup has another schema than this build; use the build that made it.",
    );
  }
}

async function readRows(session: Session, file: string): Promise<number> {
  const statements = new Map<string, string>();
  let rows = 0;
  for await (const line of lines(file)) {
    const value = parseLine(line);
    if (!isObject(value)) throw damagedBackup();
    const { table, row } = value;
    if (typeof table !== "string" || !isObject(row)) continue;
    if (!TABLES.some(([name]) => name === table)) throw damagedBackup();
    const columns = Object.keys(row).join(", ");
    if (!/^[a-z_]+(, [a-z_]+)*$/.test(columns)) throw damagedBackup();
    const key = `${table}:${columns}`;
    const sql = statements.get(key) ?? insertInto(table, columns);
    statements.set(key, sql);
    const values = Object.values(row);
    if (!values.every(isSqlValue)) throw damagedBackup();
    await session.run(sql, values);
    rows += 1;
  }
  return rows;
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw damagedBackup();
  }
}

function isSqlValue(value: unknown): value is SqlValue {
  return value === null || typeof value === "string" || typeof value === "number";
}

function damagedBackup(): AppError {
  return new AppError(
    "invalid_input",
    "The file is not a complete backup of this service. Nothing was restored.",
  );
}

function isSqliteFile(file: string): boolean {
  const handle = openSync(file, "r");
  try {
    const start = Buffer.alloc(SQLITE_MAGIC.length);
    readSync(handle, start, 0, start.length, 0);
    return start.toString("latin1") === SQLITE_MAGIC;
  } finally {
    closeSync(handle);
  }
}

/** A copy goes with no logbook: what it promised went into the database that was copied. */
function partFromBook(path: string): void {
  const copy = new DatabaseSync(path);
  try {
    const counters = copy.prepare("SELECT 1 FROM sqlite_master WHERE name = 'counters'").get();
    if (counters !== undefined) copy.exec(WITHOUT_BOOK);
  } catch (error) {
    throw translateSqliteError(error);
  } finally {
    copy.close();
  }
}

/** What an earlier database left at this place would be taken for a part of the one that comes there. */
function removeLeftOver(databasePath: string): void {
  for (const end of ["-wal", "-shm"]) rmSync(databasePath + end, { force: true });
  removeBook(databasePath);
}

function removeBook(databasePath: string): void {
  rmSync(`${databasePath}-logbook`, { force: true });
}

/** The file appears under its name only when it is complete and on disk. */
function finish(partial: string, file: string): void {
  // Keys are in it.
  chmodSync(partial, 0o600);
  for (const path of [partial, dirname(file)]) {
    const handle = openSync(path, "r");
    fsyncSync(handle);
    closeSync(handle);
    if (path === partial) renameSync(partial, file);
  }
}
