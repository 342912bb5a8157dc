import { AppError } from "../kernel/errors.ts";

/** Lets a number of pieces of work run at once, and a number wait for their turn; the rest is refused. */
export class Slots {
  readonly #waiting: (() => void)[] = [];
  readonly #mostWaiting: number;
  #free: number;

  constructor(most: number, mostWaiting: number) {
    this.#free = most;
    this.#mostWaiting = mostWaiting;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn();
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }

  #turn(): Promise<void> {
    if (this.#waiting.length >= this.#mostWaiting) {
      throw new AppError("unavailable", "Too many requests to other services wait already.", {
        retryAfterSeconds: 5,
      });
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
