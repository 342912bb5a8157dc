import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "pg";
import { AppError } from "../../kernel/errors.ts";
import type { Clock, Log } from "../../ports/platform.ts";
import type { RunChange } from "../../ports/run-changes.ts";
import type { Records, Store, StoreStatus, StoreTx } from "../../ports/store.ts";
import { Listeners } from "../listeners.ts";
import { SCHEMA_VERSION } from "../migrations.ts";
import { ReadinessProbe } from "../readiness.ts";
import { RecordSet } from "../records/record-set.ts";
import { ChangedRun } from "./changed-runs.ts";
import { codeOf, isConnectionLoss, isRefusal, isTransient, translatePgError, unreachable } from "./errors.ts";
import { missOf } from "./gathered.ts";
import { EventListener } from "./listen.ts";
import { LogEnd, type End, TxProvenance } from "./log-end.ts";
import { migratePostgres } from "./migrate.ts";
import { Notices } from "./notices.ts";
import { OwnedRuns, PgRuns } from "./owned-runs.ts";
import { openPool, PoolLines } from "./pool.ts";
import { EVENT_CHANNEL, LOCK_CLASS, LOCKS, PgReadSql, PgTxSql, type Written } from "./sql.ts";

const POOL_SIZE = 16;
const MAX_TRIES = 6;
/** How long the outcome of a transaction is looked for whose connection broke: about twice this. */
const LOOK_FOR_MS = 8_000;
const PROBE = "UPDATE counters SET value = value + 1 WHERE name = 'probe'";
/** A leaf is a row or the last of a page. */
const WITNESS = `SELECT 1 FROM provenance_records WHERE leaf_index = $1 AND leaf_hash = $2 UNION ALL
  SELECT 1 FROM (SELECT last_leaf, hashes FROM run_pages WHERE first_leaf <= $1 ORDER BY first_leaf DESC LIMIT 1) AS page
    WHERE last_leaf = $1 AND right(hashes, 64) = $2`;
const ALREADY_THERE = "23505";
const SIZE = "SELECT pg_database_size(current_database()) AS bytes";

/** How long a start waits for a server that is not there yet. */
export const START_WAIT_MS = 30_000;

/** Opens the store; waits for a server that is still starting, and then brings the schema up to date. */
export async function openPostgres(
  url: string,
  clock: Clock,
  log: Log,
  waitMs: number = START_WAIT_MS,
): Promise<Store> {
  const lost = (): void => log.warn("store.connection_lost", { store: "postgres" });
  const migrator = await openPool({ url, max: 1, patient: true }, lost);
  const deadline = performance.now() + waitMs;
  for (let delay = 100; ; delay = Math.min(2_000, delay * 2)) {
    try {
      await migratePostgres(migrator, clock);
      break;
    } catch (error) {
      if (isRefusal(error) || performance.now() + delay > deadline) {
        await migrator.end();
        throw translatePgError(error);
      }
      log.warn("store.waiting", { store: "postgres" });
      await sleep(delay);
    }
  }
  await migrator.end();
  const pool = await openPool({ url, max: POOL_SIZE }, lost);
  const single = await openPool({ url, max: 1, byKeys: true }, lost);
  const store = new PostgresStore(url, pool, single, clock, log);
  await store.listen();
  return store;
}

class PostgresStore implements Store {
  readonly kind = "postgres";
  readonly read: Records;
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #listeners: Listeners;
  readonly #listener: EventListener;
  readonly #probe: ReadinessProbe;
  readonly #lines: PoolLines;
  readonly #log = new LogEnd();
  readonly #notices: Notices;
  #seenEvent = 0;
  #closed = false;

  constructor(url: string, pool: Pool, single: Pool, clock: Clock, log: Log) {
    this.#pool = pool;
    this.#notices = new Notices((sequence) => this.#announce(sequence));
    this.#lines = new PoolLines(pool, single, () => this.#notices.take());
    this.#clock = clock;
    this.#listeners = new Listeners(log);
    this.#listener = new EventListener(url, log, (sequence) => this.#newEvents(sequence));
    this.read = new RecordSet(new PgReadSql(pool));
    this.#probe = new ReadinessProbe(clock, async () => {
      try {
        await pool.query(PROBE);
      } catch (error) {
        throw translatePgError(error);
      }
    });
  }

  listen(): Promise<void> {
    return this.#listener.start();
  }

  async transact<T>(work: (tx: StoreTx) => Promise<T>): Promise<T> {
    let guessing = true;
    for (let attempt = 1; ; attempt++) {
      if (this.#closed) throw new AppError("storage_unavailable", "The store is closed.");
      try {
        return await this.#once(work, guessing);
      } catch (error) {
        // A leaf may turn out to be there before the end of the log was compared.
        if (guessing && (missOf(codeOf(error)) !== null || codeOf(error) === ALREADY_THERE)) {
          guessing = false;
          continue;
        }
        if (attempt >= MAX_TRIES || !(isTransient(error) || isConnectionLoss(error)))
          throw translatePgError(error);
        await sleep(attempt * attempt * 5 * (0.5 + Math.random()));
      }
    }
  }

  onEvents(listener: (lastSequence: number) => void): () => void {
    return this.#listeners.add(listener);
  }

  async status(): Promise<StoreStatus> {
    const probe = this.#closed
      ? { ready: false, reason: "The store is closed.", lastProbeAt: null, lastProbeMs: null }
      : await this.#probe.look();
    return {
      kind: this.kind,
      ...probe,
      durability:
        "Every write is committed by PostgreSQL before it is confirmed, as durably as the server is set up.",
      schemaVersion: SCHEMA_VERSION,
      sizeBytes: probe.ready ? await this.#size() : null,
    };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#notices.flush();
    await this.#listener.close();
    await this.#lines.close();
    await this.#pool.end();
  }

  async #once<T>(work: (tx: StoreTx) => Promise<T>, guessing: boolean): Promise<T> {
    const sql = new PgTxSql(this.#lines, this.#clock);
    const tx = new PgTx(sql, this.#log, guessing);
    // Once the commit is on its way a broken connection leaves open whether it happened.
    let committing = false;
    let broken = true;
    try {
      let result: T;
      try {
        result = await work(tx);
        tx.provenance.finish();
      } catch (error) {
        await sql.rollBack();
        broken = false;
        throw error;
      }
      try {
        const written = await sql.commit(() => {
          committing = true;
          tx.provenance.sent();
        });
        if (written !== null) this.#wrote(written);
      } catch (error) {
        tx.provenance.sent();
        const { witness } = tx.provenance;
        if (!committing || witness === null || !isConnectionLoss(error)) throw error;
        committing = false;
        if (!(await this.#happened(witness, error))) throw error;
        void this.#readEvents().then(() => this.#notices.wrote(this.#seenEvent, false));
        return result;
      }
      broken = false;
      return result;
    } catch (error) {
      if (isRefusal(error)) broken = false;
      if (tx.provenance.witness !== null) this.#log.forget();
      if (committing && isConnectionLoss(error)) throw outcomeUnknown(error);
      throw error;
    } finally {
      tx.provenance.sent();
      sql.release(broken);
    }
  }

  /**
   * Whether a transaction whose connection broke was committed. What it wrote to the log is looked for under the log's
   * lock: had it not come to an end there, it would no longer find the log as it expects once this one has written.
   */
  async #happened(witness: End, cause: unknown): Promise<boolean> {
    for (let delay = 50; delay < LOOK_FOR_MS; delay *= 2) {
      await sleep(delay);
      if (this.#closed) break;
      const client = await this.#pool.connect().catch(() => null);
      if (client === null) continue;
      let broken = true;
      try {
        await client.query(`BEGIN;SELECT pg_advisory_xact_lock(${LOCK_CLASS}, ${LOCKS.provenance})`);
        const found = await client.query(WITNESS, [witness.size - 1, witness.lastLeafHash]);
        await client.query("COMMIT");
        broken = false;
        return found.rowCount === 1;
      } catch {
        // The server is not back yet.
      } finally {
        client.release(broken);
      }
    }
    throw outcomeUnknown(cause);
  }

  #wrote({ last, announced }: Written): void {
    this.#notices.wrote(last, announced);
    // Those who listen here are told on the way that tells the others: after whoever committed has gone on.
    setImmediate(() => this.#tell(last));
  }

  /** Tells other replicas; one that does not hear of it looks for itself before long. */
  async #announce(sequence: number): Promise<void> {
    try {
      await this.#pool.query("SELECT pg_notify($1, $2)", [EVENT_CHANNEL, String(sequence)]);
    } catch {
      // As when this process dies first.
    }
  }

  /** Notices say how far the outbox goes; after a time without them it is read. */
  #newEvents(sequence: number | null): void {
    if (sequence === null) void this.#readEvents();
    else this.#tell(sequence);
  }

  #tell(last: number): void {
    if (last <= this.#seenEvent) return;
    this.#seenEvent = last;
    this.#listeners.tell(last);
  }

  async #readEvents(): Promise<void> {
    try {
      const { last } = await this.read.events.bounds();
      this.#tell(last);
    } catch {
      // The listener reads again as soon as it is connected again.
    }
  }

  async #size(): Promise<number | null> {
    try {
      return (await this.#pool.query<{ bytes: number }>(SIZE)).rows[0]?.bytes ?? null;
    } catch {
      return null;
    }
  }
}

class PgTx extends RecordSet {
  readonly #sql: PgTxSql;
  readonly #runs: PgRuns;
  readonly #provenance: TxProvenance;
  readonly #changed = new Map<string, ChangedRun>();

  constructor(sql: PgTxSql, log: LogEnd, guessing: boolean) {
    super(sql);
    this.#sql = sql;
    this.#runs = guessing ? new OwnedRuns(sql, this.pages) : new PgRuns(sql, this.pages);
    this.#provenance = new TxProvenance(sql, this.pages, log, this.#changed, guessing);
  }

  override get runs(): PgRuns {
    return this.#runs;
  }

  async writeChanges(changes: readonly RunChange[]): Promise<void> {
    await this.#runs.checkSteps(changes.flatMap(({ steps }) => steps));
    const pages = changes.map((change) => new ChangedRun(change));
    for (const page of pages) this.#changed.set(page.runId, page);
    this.#sql.appendPages(pages);
  }

  override get provenance(): TxProvenance {
    return this.#provenance;
  }

  sql(text: string, values: readonly unknown[]): Promise<{ rows: Record<string, unknown>[] }> {
    return this.#sql.raw(text, values);
  }
}

function outcomeUnknown(cause: unknown): AppError {
  return new AppError(
    "storage_unavailable",
    "The connection was lost while committing: the change may or may not have been stored.",
    { cause: unreachable(cause), retryAfterSeconds: 5, nextAction: "Look before trying again." },
  );
}
