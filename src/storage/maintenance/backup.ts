import { createHash, type Hash } from "node:crypto";
import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import { backup, DatabaseSync } from "node:sqlite";
import { AppError } from "../../kernel/errors.ts";
import { isObject } from "../../kernel/json.ts";
import type { Clock } from "../../ports/platform.ts";
import { appendLeaves, EMPTY_FRONTIER } from "../../provenance/merkle.ts";
import { newestOf, pendingMigrations, SCHEMA_VERSION } from "../migrations.ts";
import { databaseTarget } from "../open.ts";
import { BEGIN_HOLD } from "../records/workers.ts";
import { text } from "../rows.ts";
import { insertInto, type SqlValue } from "../sql.ts";
import { openSession, type Session } from "./session.ts";

/** The tables that are copied, in an order in which references find their target, with an order of its rows that does, too. */
export const TABLES: readonly (readonly [table: string, order: string])[] = [
  ["workflows", "id"],
  ["workflow_versions", "workflow_id, version"],
  ["workflow_editors", "workflow_id, version, editor"],
  ["templates", "id"],
  ["documents", "digest"],
  ["runs", "created_at, id"],
  ["steps", "run_id, step_id"],
  ["attempts", "run_id, step_id, attempt"],
  ["run_signals", "id"],
  ["event_waits", "run_id, step_id"],
  ["approvals", "id"],
  ["approval_shown", "approval_id, client"],
  ["artifacts", "id"],
  ["artifact_versions", "id, version"],
  ["rendered_forms", "id"],
  ["handoffs", "direction, id"],
  ["idempotency_keys", "scope, key"],
  ["signing_keys", "id"],
  // What has no number yet comes last, and is numbered where it is restored.
  ["provenance_records", "leaf_index NULLS LAST, id"],
  ["provenance_checkpoints", "tree_size"],
  ["events", "sequence NULLS LAST, id"],
  ["webhooks", "id"],
  ["deliveries", "id"],
  ["triggers", "id"],
  ["trigger_firings", "id"],
  ["saved_forms", "id"],
  ["retention_rules", "workflow_id"],
  ["api_keys", "id"],
  ["connections", "name"],
  ["connection_definitions", "connection, source_name"],
  ["connection_calls", "id"],
  ["connection_revision", "id"],
  ["policy_revisions", "revision"],
  ["guard_revisions", "revision"],
  ["guard_counts", "caller, tool, unit"],
  ["toolset_revisions", "revision"],
  ["credentials", "name, owner"],
  ["oauth_flows", "state_digest"],
  ["people", "id"],
  ["sessions", "id"],
  ["invitations", "digest"],
  ["recovery_codes", "person_id, digest"],
  ["person_groups", "id"],
  ["group_members", "group_id, person_id"],
  ["person_tokens", "id"],
  ["oauth_records", "kind, digest"],
  ["approval_assignees", "approval_id, entry"],
  ["approval_votes", "approval_id, voter"],
  ["approval_comments", "id"],
  ["absences", "person_id"],
  ["sign_in_attempts", "key"],
  ["passkeys", "id"],
  ["passkey_challenges", "digest"],
  ["person_identities", "issuer, subject"],
  ["notification_settings", "person_id"],
  ["notification_targets", "id"],
  ["notifications", "id"],
  ["audit_entries", "id"],
  ["counters", "name"],
];

/** The tables that are not copied, and why. */
export const TABLES_LEFT_OUT: Readonly<Record<string, string>> = {
  schema_migrations: "a restore migrates its target itself",
  provenance_nodes: "subtree hashes follow from the leaves of the log",
  workers: "the processes of a database are not those of its copy",
};

/**
 * The order of insertion is PostgreSQL's own: it counts from the start where rows are restored. The workers of the database are not
 * those of a copy, where every run that has not ended is wanted again.
 */
const NOT_COPIED: ReadonlySet<string> = new Set(["ordinal", "worker", "wanted"]);
const WANT_ALL = "UPDATE runs SET wanted = 1 WHERE finished_at IS NULL";
const LEAF_HASHES =
  "SELECT leaf_hash FROM provenance_records WHERE leaf_index >= ? AND leaf_index < ? ORDER BY leaf_index";
/** Leaves that are read together. */
const LEAVES = 1_024;
/** Pages that are copied together; between two turns others write. */
const PAGES = 1_000;
/** Tables that have rows in an empty database: those of the backup replace them. */
const SEEDED: readonly string[] = ["counters", "connection_revision", "schema_migrations"];
const OUR_TABLES = {
  sqlite: "SELECT name FROM sqlite_master WHERE type = 'table'",
  postgres: "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()",
} as const;
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
  onProgress: (doneShare: number) => void = () => undefined,
): Promise<CopyReport> {
  if (existsSync(file)) throw new AppError("conflict", `${file} exists already; it was left untouched.`);
  await mkdir(dirname(file), { recursive: true });
  const session = await openSession(databaseUrl, "read");
  const partial = `${file}.partial`;
  rmSync(partial, { force: true });
  try {
    if (session.path !== null && form === "native") {
      await copySqlite(session.path, partial, onProgress);
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

/**
 * Copies a SQLite database that is in use, as it was at the beginning. All of it is read in one transaction: without one,
 * SQLite restarts the copy at every commit of another connection.
 */
async function copySqlite(from: string, to: string, onProgress: (doneShare: number) => void): Promise<void> {
  closeSync(openSync(to, "wx", 0o600));
  const source = new DatabaseSync(from, { readOnly: true, timeout: 10_000 });
  try {
    source.exec("BEGIN");
    source.prepare("SELECT count(*) FROM sqlite_master").get();
    await backup(source, to, {
      rate: PAGES,
      progress: ({ totalPages, remainingPages }) => onProgress(1 - remainingPages / totalPages),
    });
  } finally {
    source.close();
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
    const partial = `${target.path}.partial`;
    rmSync(partial, { force: true });
    await pipeline(createReadStream(file), createWriteStream(partial, { flags: "wx", mode: 0o600 }));
    const copy = new DatabaseSync(partial);
    try {
      copy.exec(BEGIN_HOLD);
    } finally {
      copy.close();
    }
    removeLeftOver(partial);
    removeLeftOver(target.path);
    finish(partial, target.path);
    return { form: "sqlite file", file, rows: null };
  }
  const schemaVersion = await verifyRows(file);
  if (target.kind === "sqlite") {
    await mkdir(dirname(target.path), { recursive: true });
    if (!existsSync(target.path)) removeLeftOver(target.path);
  }
  const session = await openSession(databaseUrl, "write");
  try {
    await refuseContent(session, schemaVersion);
    // The rows go into the schema that they come from, and forward with it.
    await session.migrate(clock, schemaVersion);
    await session.begin("write");
    for (const [table] of TABLES) if (SEEDED.includes(table)) await session.run(`DELETE FROM ${table}`, []);
    const rows = await readRows(session, file);
    await writeNodes(session);
    await session.commit();
    await session.migrate(clock);
    await session.begin("write");
    await session.run(WANT_ALL, []);
    await session.run(BEGIN_HOLD, []);
    await session.commit();
    return { form: "rows", file, rows };
  } finally {
    await session.close();
  }
}

/** Refuses a database that has content, or a newer schema than the rows that are to go there. */
async function refuseContent(session: Session, schemaVersion: number): Promise<void> {
  const applied = await session.applied();
  if (applied.length === 0) return;
  if (newestOf(applied) > schemaVersion) {
    throw new AppError(
      "conflict",
      `The backup has schema ${schemaVersion}, the database has schema ${newestOf(applied)} already; it was left untouched.`,
      { nextAction: "Restore into a database that does not exist yet." },
    );
  }
  for (const { name } of await session.all(OUR_TABLES[session.kind])) {
    if (typeof name !== "string" || SEEDED.includes(name)) continue;
    if ((await session.all(`SELECT 1 AS one FROM ${name} LIMIT 1`)).length > 0)
      throw new AppError("conflict", "The database has content already; it was left untouched.");
  }
}

async function writeRows(session: Session, file: string): Promise<number> {
  const newest = newestOf(await session.applied());
  if (newest > SCHEMA_VERSION) {
    throw new AppError(
      "conflict",
      `The database has schema ${newest}; this build knows only ${SCHEMA_VERSION}, and its rows would not fit into it again.`,
      { nextAction: "Back up with the build that has brought the schema." },
    );
  }
  if (newest === 0) throw new AppError("conflict", "The database is empty: it has no schema yet.");
  const handle = openSync(file, "wx", 0o600);
  const digest = createHash("sha256");
  let rows = 0;
  try {
    writeLine(handle, digest, { format: FORMAT, schemaVersion: newest });
    await session.begin("read");
    const there = new Set((await session.all(OUR_TABLES[session.kind])).map((row) => text(row, "name")));
    for (const [table, order] of TABLES) {
      // An older build did not have it.
      if (!there.has(table)) continue;
      for await (const found of session.each(`SELECT * FROM ${table} ORDER BY ${order}`)) {
        const row = Object.fromEntries(Object.entries(found).filter(([column]) => !NOT_COPIED.has(column)));
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

/** Reads the file to its end before a single row is restored: a truncated or changed one is refused whole. Gives its schema. */
async function verifyRows(file: string): Promise<number> {
  const digest = createHash("sha256");
  let head: unknown;
  let end: unknown;
  for await (const line of lines(file)) {
    const value = parseLine(line);
    head ??= value;
    end = value;
    if (!isObject(value) || !("end" in value)) digest.update(`${line}\n`);
  }
  const schemaVersion = isObject(head) && head["format"] === FORMAT ? head["schemaVersion"] : undefined;
  const isComplete = isObject(end) && end["sha256"] === digest.digest("hex");
  if (!isComplete || typeof schemaVersion !== "number") throw damagedBackup();
  // Refuses what no build of this line has written, and what only a newer one knows.
  pendingMigrations([{ version: schemaVersion, compatible: false }]);
  return schemaVersion;
}

async function readRows(session: Session, file: string): Promise<number> {
  const statements = new Map<string, string>();
  let rows = 0;
  let leaves = 0;
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
    // SQLite has no sequencer: what had no place in the log when it was copied follows the rest.
    if (table === "provenance_records") leaves++;
    const isPending = "leaf_index" in row && row["leaf_index"] === null && session.kind === "sqlite";
    const values = Object.values(isPending ? { ...row, leaf_index: leaves - 1 } : row);
    if (!values.every(isSqlValue)) throw damagedBackup();
    await session.run(sql, values);
    rows += 1;
  }
  return rows;
}

/** The subtree hashes of a restored log. */
async function writeNodes(session: Session): Promise<void> {
  const insert = insertInto("provenance_nodes", "level, node_index, hash");
  let { frontier, completed } = appendLeaves(EMPTY_FRONTIER, []);
  for (;;) {
    const rows = await session.all(LEAF_HASHES, [frontier.size, frontier.size + LEAVES]);
    if (rows.length === 0) return;
    const hashes = rows.map((row) => text(row, "leaf_hash"));
    ({ frontier, completed } = appendLeaves(frontier, hashes));
    for (const { level, index, hash } of completed) await session.run(insert, [level, index, hash]);
  }
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

/** What an earlier database left at this place would be taken for a part of the one that comes there. */
function removeLeftOver(databasePath: string): void {
  for (const end of ["-wal", "-shm", "-mark"]) rmSync(databasePath + end, { force: true });
}

/** The file appears under its name only when it is complete and on disk. */
function finish(partial: string, file: string): void {
  for (const path of [partial, dirname(file)]) {
    const handle = openSync(path, "r");
    fsyncSync(handle);
    closeSync(handle);
    if (path === partial) renameSync(partial, file);
  }
}
