import type { Log } from "../ports/platform.ts";

/** Those who want to know of new events. One that throws is logged and does not keep the others from hearing. */
export class Listeners {
  readonly #log: Log;
  readonly #listeners = new Set<(last: number) => void>();

  constructor(log: Log) {
    this.#log = log;
  }

  add(listener: (last: number) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  tell(last: number): void {
    for (const listener of this.#listeners) {
      try {
        listener(last);
      } catch (error) {
        this.#log.error("events.listener_failed", {}, error);
      }
    }
  }
}
