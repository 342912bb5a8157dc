import type { Clock, Log } from "../../ports/platform.ts";
import type { Store } from "../../ports/store.ts";
import { LogWriter } from "../../provenance/log-writer.ts";

/** Commits that come within this time are numbered together. */
const GATHER_MS = 25;
/** What another replica committed before it died is numbered after at most this time. */
const POLL_MS = 500;
const BATCH = 1_000;

/**
 * Gives committed events their sequence and committed records their place in the log, in batches, after the commit: steps
 * do not wait for each other. Every replica does it after its own commits; an advisory lock inside the transaction makes
 * replicas take turns, and the server lets go of the lock of one that died. Rows that are not numbered are shown to no
 * consumer, and numbers are given only to rows that every reader sees, so none is skipped.
 */
export class Sequencer {
  readonly #store: Pick<Store, "transact">;
  readonly #log: Log;
  readonly #writer: LogWriter;
  readonly #numbered: (last: number) => void;
  readonly #poll: NodeJS.Timeout;
  #wanted = false;
  #working: Promise<void> | null = null;
  #closed = false;

  constructor(store: Pick<Store, "transact">, clock: Clock, log: Log, numbered: (last: number) => void) {
    this.#store = store;
    this.#log = log;
    this.#writer = new LogWriter(clock);
    this.#numbered = numbered;
    this.#poll = setInterval(() => this.wake(), POLL_MS);
    this.#poll.unref();
    // What a process that died has left, even when this one is stopped again at once.
    this.wake();
  }

  /** Something was committed that wants a number. */
  wake(): void {
    this.#wanted = true;
    if (this.#working === null && !this.#closed) this.#working = this.#work();
  }

  /** Numbers what this replica has committed, and stops. */
  async close(): Promise<void> {
    clearInterval(this.#poll);
    await this.#working;
    this.#closed = true;
  }

  async #work(): Promise<void> {
    try {
      while (this.#wanted) {
        await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
        this.#wanted = false;
        await this.#number();
      }
    } catch (error) {
      // The poll repeats it.
      if (!this.#closed) {
        this.#log.warn("store.not_numbered", { store: "postgres" }, error);
      }
    } finally {
      this.#working = null;
    }
  }

  async #number(): Promise<void> {
    const { events, leaves } = await this.#store.transact(async (tx) => ({
      events: await tx.events.number(BATCH),
      leaves: await this.#writer.numberPending(tx, BATCH),
    }));
    if (events.last > 0) this.#numbered(events.last);
    if (events.count === BATCH || leaves === BATCH) this.#wanted = true;
  }
}
