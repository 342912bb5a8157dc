import type { Log } from "../ports/platform.ts";
import type { Store } from "../ports/store.ts";

/** How often a process asks whether an operator has ended the hold. */
const LOOK_MS = 1_000;

/**
 * A restored database is on hold: what was under way in it may have gone on elsewhere since the backup, so nothing goes
 * on or is sent before an operator decides. The database says so, for all replicas.
 */
export class Hold {
  readonly #store: Store;
  #isOn = false;
  #timer: NodeJS.Timeout | undefined;
  #waiting: (() => void)[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** Looks whether the database is on hold. */
  async open(log: Log): Promise<this> {
    if (this.#store.kind === "none" || !(await this.#store.read.workers.onHold())) return this;
    this.#isOn = true;
    log.warn("the database was restored: nothing goes on or is sent before an operator ends the hold", {});
    this.#timer = setInterval(() => void this.look(), LOOK_MS);
    this.#timer.unref();
    return this;
  }

  /** Asks again; what waits for the end begins when it has come. */
  async look(): Promise<void> {
    if (!this.#isOn || (await this.#store.read.workers.onHold().catch(() => true))) return;
    this.#isOn = false;
    this.close();
    for (const begin of this.#waiting.splice(0)) begin();
  }

  /** Begins at once, or when the hold is over. Gives what is running. */
  whenOver<T>(begin: () => T): () => T | null {
    let running: T | null = null;
    const start = (): void => {
      running = begin();
    };
    if (this.#isOn) this.#waiting.push(start);
    else start();
    return () => running;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
