/** Other replicas are told of new events at most this often: a notice wakes every listener of the database. */
const EVERY_MS = 20;

/**
 * When other replicas are told of new events. The first of a while are announced by their own transaction; those that
 * follow at once are announced together, a moment later.
 */
export class Notices {
  readonly #send: (sequence: number) => Promise<void>;
  #toldAt = -EVERY_MS;
  #untold = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (sequence: number) => Promise<void>) {
    this.#send = send;
  }

  /** True when the transaction that asks announces its events itself. */
  take(): boolean {
    const now = performance.now();
    if (now - this.#toldAt < EVERY_MS) return false;
    this.#toldAt = now;
    return true;
  }

  /** Events up to this one were committed. */
  wrote(last: number, announced: boolean): void {
    if (announced) {
      if (last >= this.#untold) this.#untold = 0;
      return;
    }
    this.#untold = Math.max(this.#untold, last);
    this.#timer ??= setTimeout(() => void this.flush(), EVERY_MS).unref();
  }

  /** Tells of what was not told of yet. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const sequence = this.#untold;
    if (sequence === 0) return;
    this.#untold = 0;
    this.#toldAt = performance.now();
    await this.#send(sequence);
  }
}
