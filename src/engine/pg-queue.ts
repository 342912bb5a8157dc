import { PgBoss, type Db } from "pg-boss";
import { isObject } from "../kernel/json.ts";
import type { Log } from "../ports/platform.ts";
import type { RunRecord } from "../ports/records.ts";
import type { Store, StoreTx } from "../ports/store.ts";
import type { Release, RunQueue, RunTaker } from "./queue.ts";

const QUEUE = "svc-runs";
const CHANNEL = "svc_runs";
/** A worker that is silent for longer has lost its runs; pg-boss allows no less. */
const LEASE_SECONDS = 10;
const HEARTBEAT_MS = 3_000;
/** How often lapsed leases are looked for. */
const SUPERVISE_SECONDS = 2;
/** Jobs are fetched when one is announced; this often they are looked for anyway. */
const POLL_MS = 1_000;
const SWEEP_MS = 1_000;
const SWEEP_SOON_MS = 30_000;
const MAX_FETCH = 512;
/** The jobs of runs that have ended are in nobody's way: they are taken off together, after at most this time. */
const TAKE_OFF_MS = 100;
const SWEEP_PAGE = 200;
/** A notification holds 8,000 bytes. */
const MAX_NAMED = 200;
/** Open runs that no job leads to: those of a restored backup, which has no jobs. */
const WITHOUT_JOB = `SELECT r.id FROM runs r WHERE r.state IN ('queued', 'running', 'cancelling') AND NOT EXISTS
  (SELECT 1 FROM pgboss.job j WHERE j.name = '${QUEUE}' AND j.singleton_key = r.id AND j.state < 'completed')
  ORDER BY r.created_at, r.id`;
const NEVER_GIVE_UP = 1_000_000;
const A_DAY_SECONDS = 86_400;

interface Held {
  readonly id: string;
  readonly retryCount: number;
}

/**
 * Runs over all replicas. A job says that a run wants to be looked at; while a worker holds the job, no other job of
 * the same run is handed out. A dead worker's jobs come back when its heartbeats stop, and the run's epoch keeps what
 * it may still write out of the database.
 */
export class PgQueue implements RunQueue {
  readonly #boss: PgBoss;
  readonly #store: Store;
  readonly #log: Log;
  #taker: RunTaker | null = null;
  /** The job through which each run is worked on here. */
  readonly #held = new Map<string, Held>();
  #settled: Held[] = [];
  #settling = false;
  #fetching = false;
  #fetched: Promise<void> = Promise.resolve();
  #again = false;
  #timers: NodeJS.Timeout[] = [];
  #listener: { close(): Promise<void> } | null = null;
  #closed = false;

  private constructor(boss: PgBoss, store: Store, log: Log) {
    this.#boss = boss;
    this.#store = store;
    this.#log = log;
    boss.on("error", (error) => log.warn("queue trouble", {}, error));
  }

  /** Connects and makes sure that the queue exists. */
  static async open(databaseUrl: string, supervise: boolean, store: Store, log: Log): Promise<PgQueue> {
    const boss = new PgBoss({
      connectionString: databaseUrl,
      application_name: "workflow-ui-queue",
      max: 4,
      schedule: false,
      supervise,
      superviseIntervalSeconds: SUPERVISE_SECONDS,
      monitorIntervalSeconds: SUPERVISE_SECONDS,
      reindex: false,
    });
    const queue = new PgQueue(boss, store, log);
    await boss.start();
    await boss.createQueue(QUEUE, {
      policy: "key_strict_fifo",
      heartbeatSeconds: LEASE_SECONDS,
      expireInSeconds: A_DAY_SECONDS - 1,
      retryLimit: NEVER_GIVE_UP,
      retryDelay: 0,
      deleteAfterSeconds: 60,
    });
    return queue;
  }

  async begin(taker: RunTaker): Promise<void> {
    this.#taker = taker;
    const db = this.#boss.getDb();
    this.#listener =
      (await db.listen?.(
        CHANNEL,
        (runIds) => this.wake(runIds === "" ? [] : runIds.split(",")),
        () => this.wake([...this.#held.keys()]),
      )) ?? null;
    await this.#store.transact(async (tx) => {
      const found = (await tx.sql?.(WITHOUT_JOB, []))?.rows.map(({ id }) => String(id)) ?? [];
      if (found.length > 0) await this.enqueue(tx, found);
    });
    this.#every(HEARTBEAT_MS, () => this.#beat());
    this.#every(SWEEP_MS, () => this.#sweep());
    this.#every(POLL_MS, async () => this.#fetch());
    this.#fetch();
  }

  async enqueue(tx: StoreTx, runIds: readonly string[]): Promise<void> {
    const run = (
      text: string,
      values: readonly unknown[] = [],
    ): Promise<{ rows: Record<string, unknown>[] }> => {
      if (tx.sql === undefined) throw new Error("the queue needs a PostgreSQL transaction");
      return tx.sql(text, values);
    };
    const db: Db = { executeSql: run };
    const jobs = runIds.map((runId) => ({ singletonKey: runId, data: { runId } }));
    // The worker of one of these runs looks at it again; all others look for jobs.
    const payload = runIds.length > MAX_NAMED ? "" : runIds.join(",");
    await Promise.all([
      this.#boss.insert(QUEUE, jobs, { db }),
      run("SELECT pg_notify($1, $2)", [CHANNEL, payload]),
    ]);
  }

  wake(runIds: readonly string[]): void {
    for (const id of runIds) this.#taker?.poke(id);
    this.#fetch();
  }

  released(record: RunRecord, why: Release): void {
    // What is left goes back when this queue closes.
    if (why === "left") return;
    // A run that broke here keeps its job: when the lease lapses, another worker tries.
    if (why === "broken") this.#held.delete(record.id);
    else this.#settle(record.id, why !== "ended");
    if (why === "waiting" && record.wakeAt !== null) this.#sweepAt(Date.parse(record.wakeAt));
    this.#fetch();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    await this.#listener?.close().catch(() => undefined);
    await this.#fetched;
    // What is still held goes back at once, so that another replica need not wait for the lease to lapse.
    const held = [...this.#held.values()];
    this.#held.clear();
    if (held.length > 0) await this.#boss.fail(QUEUE, held).catch(() => undefined);
    const settled = this.#settled;
    this.#settled = [];
    if (settled.length > 0) await this.#boss.deleteJob(QUEUE, settled).catch(() => undefined);
    await this.#boss.stop({ graceful: false }).catch(() => undefined);
  }

  #every(ms: number, work: () => Promise<void>): void {
    let busy = false;
    const timer = setInterval(() => {
      if (busy || this.#closed) return;
      busy = true;
      work()
        .catch((error: unknown) => this.#trouble(error))
        .finally(() => {
          busy = false;
        });
    }, ms);
    timer.unref();
    this.#timers.push(timer);
  }

  /** Runs end together, so their places are filled together: what is asked in one turn is one fetch. */
  #fetch(): void {
    this.#again = true;
    if (this.#fetching || this.#taker === null || this.#closed) return;
    this.#fetching = true;
    const taker = this.#taker;
    this.#fetched = new Promise<void>((resolve) => setImmediate(resolve))
      .then(() => this.#fetchAll(taker))
      .catch((error: unknown) => this.#trouble(error))
      .finally(() => {
        this.#fetching = false;
      });
  }

  async #fetchAll(taker: RunTaker): Promise<void> {
    while (this.#again && !this.#closed) {
      this.#again = false;
      const batchSize = Math.min(taker.room(), MAX_FETCH);
      if (batchSize <= 0) return;
      const jobs = await this.#boss.fetch<{ runId: string }>(QUEUE, { batchSize });
      if (jobs.length === 0) continue;
      if (jobs.length === batchSize) this.#again = true;
      for (const { id, retryCount, data } of jobs) this.#held.set(data.runId, { id, retryCount });
      const ids = jobs.map(({ data }) => data.runId);
      const answers = await taker.take(ids);
      for (const id of ids) {
        const answer = answers.get(id) ?? "refused";
        if (answer === "refused") this.#settle(id, true);
        else if (answer === "failed" && !this.#closed) this.#held.delete(id);
      }
    }
  }

  /** The job has served its purpose. Jobs are taken off together; behind one of them others may wait. */
  #settle(runId: string, soon: boolean): void {
    const job = this.#held.get(runId);
    if (job === undefined) return;
    this.#held.delete(runId);
    this.#settled.push(job);
    if (this.#settling || (!soon && this.#settled.length > 1)) return;
    if (soon) setImmediate(() => void this.#takeOff());
    else setTimeout(() => void this.#takeOff(), TAKE_OFF_MS).unref();
  }

  async #takeOff(): Promise<void> {
    if (this.#settling) return;
    this.#settling = true;
    while (this.#settled.length > 0) {
      const jobs = this.#settled;
      this.#settled = [];
      try {
        await this.#boss.deleteJob(QUEUE, jobs);
      } catch (error) {
        // The lease lapses, the run is looked at once more, and the job goes then.
        this.#trouble(error);
      }
    }
    this.#settling = false;
  }

  async #beat(): Promise<void> {
    const held = [...this.#held];
    if (held.length === 0) return;
    const jobs = held.map(([, job]) => job);
    const alive = settledIds(await this.#boss.touch(QUEUE, jobs));
    for (const [runId, job] of held) {
      if (alive.has(job.id) || this.#held.get(runId) !== job) continue;
      this.#held.delete(runId);
      this.#taker?.lost(runId);
    }
  }

  /** Runs whose time has come get a job. A replica that was faster makes this one's job a short one. */
  async #sweep(): Promise<void> {
    const now = await this.#store.read.runs.wakeable(new Date().toISOString(), SWEEP_PAGE);
    const due = now.filter(({ id }) => !this.#held.has(id)).map(({ id }) => id);
    if (due.length === 0) return;
    await this.#store.transact((tx) => this.enqueue(tx, due));
    this.#fetch();
  }

  /** The regular sweep is rough; what was let go of here and wakes soon is swept in time. */
  #sweepAt(time: number): void {
    const wait = time - Date.now();
    if (wait > SWEEP_SOON_MS || this.#closed) return;
    setTimeout(
      () => {
        if (!this.#closed) this.#sweep().catch((error: unknown) => this.#trouble(error));
      },
      Math.max(wait, 0) + 1,
    ).unref();
  }

  #trouble(error: unknown): void {
    if (this.#closed) return;
    this.#log.warn("the queue is in trouble", {}, error);
  }
}

/** The ids that a command of pg-boss really reached. */
function settledIds(answer: unknown): ReadonlySet<unknown> {
  return new Set(isObject(answer) && Array.isArray(answer["settled"]) ? answer["settled"] : []);
}
