import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "pg";
import { AppError } from "../../kernel/errors.ts";
import type { Clock, Log } from "../../ports/platform.ts";
import type { Records, Store, StoreStatus, StoreTx } from "../../ports/store.ts";
import { Listeners } from "../listeners.ts";
import { logMigrations, SCHEMA_VERSION } from "../migrations.ts";
import { ReadinessProbe } from "../readiness.ts";
import { RecordSet } from "../records/record-set.ts";
import { codeOf, isConnectionLoss, isRefusal, isTransient, translatePgError, unreachable } from "./errors.ts";
import { EVENT_CHANNEL } from "../channels.ts";
import { NoticeListener } from "./listen.ts";
import { migratePostgres } from "./migrate.ts";
import { openPool, Statements } from "./pool.ts";
import { Sequencer } from "./sequencer.ts";
import { Servers } from "./servers.ts";
import { OUTCOME, PgReadSql, PgTxSql, PROBE, type XactId } from "./sql.ts";

const POOL_SIZE = 16;
const MAX_ATTEMPTS = 6;
/** How long the outcome of a transaction is looked for whose connection broke, and how often at least. */
const LOOK_FOR_MS = 15_000;
const LOOK_EVERY_MS = 500;
/** What `pg_xact_status` says of an id that was not given to a transaction yet. */
const INVALID_PARAMETER = "22023";
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
  const servers = await Servers.of(url, log);
  const migrator = await openPool({ servers, max: 1, patient: true }, lost);
  const deadline = performance.now() + waitMs;
  for (let delay = 100; ; delay = Math.min(2_000, delay * 2)) {
    try {
      await migratePostgres(migrator, clock, logMigrations(log));
      break;
    } catch (error) {
      // Processes of an older build may be about to end.
      const mayPass = error instanceof AppError && error.info.retryAfterSeconds !== undefined;
      if ((isRefusal(error) && !mayPass) || performance.now() + delay > deadline) {
        await migrator.end();
        servers.close();
        throw translatePgError(error);
      }
      log.warn("store.waiting", { store: "postgres" });
      await sleep(delay);
    }
  }
  await migrator.end();
  const store = new PostgresStore(servers, await openPool({ servers, max: POOL_SIZE }, lost), clock, log);
  await store.listen();
  return store;
}

class PostgresStore implements Store {
  readonly kind = "postgres";
  readonly read: Records;
  readonly #servers: Servers;
  readonly #pool: Pool;
  readonly #statements = new Statements();
  readonly #clock: Clock;
  readonly #listeners: Listeners<number>;
  readonly #wanted: Listeners<readonly string[] | null>;
  readonly #listener: NoticeListener;
  readonly #sequencer: Sequencer;
  readonly #probe: ReadinessProbe;
  #seenEvent = 0;
  #closed = false;

  constructor(servers: Servers, pool: Pool, clock: Clock, log: Log) {
    this.#servers = servers;
    this.#pool = pool;
    this.#clock = clock;
    this.#listeners = new Listeners(log);
    this.#wanted = new Listeners(log);
    this.#listener = new NoticeListener(servers, log, {
      events: (sequence) => this.#newEvents(sequence),
      wanted: (runIds) => this.#wanted.tell(runIds),
    });
    this.#sequencer = new Sequencer(this, clock, log, (last) => void this.#announce(last));
    this.read = new RecordSet(new PgReadSql(pool, this.#statements), clock);
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
    for (let attempt = 1; ; attempt++) {
      if (this.#closed) throw new AppError("storage_unavailable", "The store is closed.");
      try {
        return await this.#once(work);
      } catch (error) {
        if (attempt >= MAX_ATTEMPTS || !(isTransient(error) || isConnectionLoss(error))) {
          throw translatePgError(error);
        }
        await sleep(attempt * attempt * 5 * (0.5 + Math.random()));
      }
    }
  }

  onEvents(listener: (lastSequence: number) => void): () => void {
    return this.#listeners.add(listener);
  }

  onWanted(listener: (runIds: readonly string[] | null) => void): () => void {
    return this.#wanted.add(listener);
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

  get pool(): NonNullable<Store["pool"]> {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { open: totalCount, idle: idleCount, waiting: waitingCount };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    await this.#sequencer.close();
    this.#closed = true;
    await this.#listener.close();
    await this.#pool.end();
    this.#servers.close();
  }

  async #once<T>(work: (tx: StoreTx) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    const sql = new PgTxSql(client, this.#statements);
    const tx = new PgTx(sql, this.#clock);
    let broken = true;
    try {
      let result: T;
      let xactId: XactId;
      try {
        result = await work(tx);
        xactId = await sql.finish();
      } catch (error) {
        await sql.rollBack();
        broken = false;
        throw error;
      }
      try {
        await sql.commit();
        broken = false;
      } catch (error) {
        if (!isConnectionLoss(error)) throw error;
        // The connection broke while the commit was on its way: whether it happened is asked on another one.
        if (!(await this.#happened(xactId, error))) throw error;
      }
      if (tx.written.appended) this.#sequencer.wake();
      return result;
    } catch (error) {
      if (isRefusal(error)) broken = false;
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** Whether a transaction was committed whose connection broke. */
  async #happened({ id, life }: XactId, cause: unknown): Promise<boolean> {
    const deadline = performance.now() + LOOK_FOR_MS;
    for (let delay = 50; performance.now() < deadline && !this.#closed; delay *= 2) {
      await sleep(Math.min(delay, LOOK_EVERY_MS));
      try {
        const { rows } = await this.#pool.query<{ status: string | null; life: string }>(OUTCOME, [id]);
        const [found] = rows;
        if (found?.status === "aborted") return false;
        if (found?.status !== "committed") continue;
        // After a crash the id may belong to another transaction.
        if (found.life !== life) break;
        // A connection that is cut while it waits for a standby leaves a commit that the standby may lack. A later commit is
        // acknowledged when the standby has both.
        const { rows: later } = await this.#pool.query<{ life: string }>(PROBE);
        if (later[0]?.life === life) return true;
        break;
      } catch (error) {
        // The server does not know the id yet: it crashed, and forgot the transaction.
        if (codeOf(error) === INVALID_PARAMETER) return false;
      }
    }
    throw outcomeUnknown(cause);
  }

  /** Events were numbered here: listeners here are notified at once, other replicas by NOTIFY. */
  async #announce(last: number): Promise<void> {
    this.#tell(last);
    try {
      await this.#pool.query("SELECT pg_notify($1, $2)", [EVENT_CHANNEL, String(last)]);
    } catch {
      // Other replicas look for themselves before long.
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

  constructor(sql: PgTxSql, clock: Clock) {
    super(sql, clock);
    this.#sql = sql;
  }

  sql(text: string, values: readonly unknown[]): Promise<{ rows: Record<string, unknown>[] }> {
    return this.#sql.raw(text, values);
  }
}

function outcomeUnknown(cause: unknown): AppError {
  return new AppError(
    "storage_unavailable",
    "The connection was lost while committing: the change may or may not have been stored.",
    {
      cause: unreachable(cause),
      retryAfterSeconds: 5,
      effect: "unknown",
      nextAction: "Look before trying again.",
    },
  );
}
