import type { Log } from "../ports/platform.ts";

/** Those who want to know of something. One that throws is logged and does not keep the others from hearing. */
export class Listeners<T> {
  readonly #log: Log;
  readonly #listeners = new Set<(change: T) => void>();

  constructor(log: Log) {
    this.#log = log;
  }

  add(listener: (change: T) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  tell(change: T): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        this.#log.error("store.listener_failed", {}, error);
      }
    }
  }
}
