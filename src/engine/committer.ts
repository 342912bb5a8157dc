import { AppError } from "../kernel/errors.ts";
import type { Log } from "../ports/platform.ts";
import type { Store } from "../ports/store.ts";
import { writeCheckpoints, type Checkpoint, type CheckpointWriter } from "./checkpoint.ts";

/** Runs that end up in one transaction at most. */
const MAX_BATCH = 128;
/**
 * Commits under way at a time. PostgreSQL works on one while the steps of the other are carried out here; SQLite is
 * in this process and gains nothing.
 */
const POSTGRES_LANES = 2;
/** Beside commits under way another is begun when it has at least this part, a half, of what they have. */
const LEAST_SHARE = 2;
/** Fewer checkpoints than this are not worth a commit beside another. */
const MIN_BATCH = 8;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;

interface Waiting {
  readonly checkpoint: Checkpoint;
  readonly resolve: (written: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects the checkpoints of runs that go on at the same time and commits them together. While the store cannot
 * write, checkpoints wait: the effect of their steps has happened, so they are not given up.
 */
export class Committer {
  readonly #store: Store;
  readonly #writer: CheckpointWriter;
  readonly #log: Log;
  #queue: Waiting[] = [];
  readonly #lanes: number;
  #busy = 0;
  #underWay = 0;
  #scheduled = false;
  #closed = false;

  constructor(store: Store, writer: CheckpointWriter, log: Log) {
    this.#store = store;
    this.#writer = writer;
    this.#log = log;
    this.#lanes = store.kind === "postgres" ? POSTGRES_LANES : 1;
  }

  /** Resolves when the checkpoint is on disk: true, or false when another worker owns the run. */
  commit(checkpoint: Checkpoint): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ checkpoint, resolve, reject });
      this.#schedule();
    });
  }

  /** Checkpoints that cannot be written are given up from here on; the next start finds the runs as they were. */
  close(): void {
    this.#closed = true;
  }

  /** After the microtasks at hand: whatever else finishes in this turn joins the commit. */
  #schedule(): void {
    if (this.#scheduled || this.#busy >= this.#lanes) return;
    this.#scheduled = true;
    process.nextTick(() => {
      this.#scheduled = false;
      while (this.#queue.length > 0 && this.#busy < this.#lanes && this.#isWorthIt()) void this.#flush();
    });
  }

  /** A few checkpoints beside many that are under way wait for these, and are then divided evenly with what follows. */
  #isWorthIt(): boolean {
    const waiting = this.#queue.length;
    return this.#busy === 0 || (waiting >= MIN_BATCH && waiting * LEAST_SHARE >= this.#underWay);
  }

  async #flush(): Promise<void> {
    // What waits is divided over the commits that can begin now.
    const share = Math.ceil(this.#queue.length / (this.#lanes - this.#busy));
    this.#busy++;
    const batch = this.#queue.splice(0, Math.min(Math.max(share, MIN_BATCH), MAX_BATCH));
    this.#underWay += batch.length;
    try {
      await this.#writeAll(batch);
    } finally {
      this.#busy--;
      this.#underWay -= batch.length;
      if (this.#queue.length > 0) this.#schedule();
    }
  }

  async #writeAll(batch: readonly Waiting[]): Promise<void> {
    const checkpoints = batch.map((waiting) => waiting.checkpoint);
    let retryMs = FIRST_RETRY_MS;
    for (;;) {
      try {
        const saved = await this.#store.transact((tx) => writeCheckpoints(tx, checkpoints, this.#writer));
        for (const { checkpoint, resolve } of batch) resolve(saved.has(checkpoint.head.id));
        return;
      } catch (error) {
        if (!isStorageTrouble(error) || this.#closed) {
          await this.#writeEach(batch, error);
          return;
        }
        this.#log.warn("checkpoint delayed", { runs: batch.length, retryMs });
        await new Promise((resolve) => setTimeout(resolve, retryMs));
        retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
      }
    }
  }

  /** One bad checkpoint must not take the others with it. */
  async #writeEach(batch: readonly Waiting[], error: unknown): Promise<void> {
    const [first] = batch;
    if (batch.length === 1 && first !== undefined) {
      first.reject(error);
      return;
    }
    for (const waiting of batch) await this.#writeAll([waiting]);
  }
}

function isStorageTrouble(error: unknown): boolean {
  return error instanceof AppError && error.code === "storage_unavailable";
}
