/*
 * What the thread and its keeper tell each other without a message: how far the book is written, how far somebody waits
 * for it, and that it is time to stop.
 */

const WRITTEN = 0;
const WANTED = 1;
const STOP = 2;
/** Changes with each word that the thread should wake up for. */
const CALL = 3;
const SLOTS = 4;

/** While nobody waits, frames are gathered for so long: a transaction for many costs little more than for one. */
const GATHER_MS = 4;

/** The memory that both sides share. */
export class Signals {
  readonly buffer: SharedArrayBuffer;
  readonly #slots: BigInt64Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(SLOTS * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#slots = new BigInt64Array(buffer);
  }

  /** The newest frame that is on disk. */
  get written(): number {
    return Number(Atomics.load(this.#slots, WRITTEN));
  }

  /** The keeper has written a frame. */
  tellWritten(sequence: number): void {
    Atomics.store(this.#slots, WRITTEN, BigInt(sequence));
    Atomics.notify(this.#slots, WRITTEN);
  }

  /** Somebody waits until this frame is in its tables. */
  want(sequence: number): void {
    Atomics.store(this.#slots, WANTED, BigInt(sequence));
    this.#call();
  }

  /** The thread should end when everything is in its tables. */
  stop(): void {
    Atomics.store(this.#slots, STOP, 1n);
    this.#call();
    Atomics.notify(this.#slots, WRITTEN);
  }

  /** Waits in the thread until there are frames after this one; false when it should end instead. */
  awaitWork(done: number): boolean {
    for (;;) {
      const written = this.written;
      if (written > done) {
        this.#gather(done);
        return true;
      }
      if (Atomics.load(this.#slots, STOP) === 1n) return false;
      Atomics.wait(this.#slots, WRITTEN, BigInt(written), 1_000);
    }
  }

  /** Waits in the thread for a while; false when it should end. */
  pause(ms: number): boolean {
    Atomics.wait(this.#slots, STOP, 0n, ms);
    return Atomics.load(this.#slots, STOP) === 0n;
  }

  #gather(done: number): void {
    const call = Atomics.load(this.#slots, CALL);
    const wanted = Number(Atomics.load(this.#slots, WANTED));
    const stopping = Atomics.load(this.#slots, STOP) === 1n;
    if (wanted > done || stopping) return;
    Atomics.wait(this.#slots, CALL, call, GATHER_MS);
  }

  #call(): void {
    Atomics.add(this.#slots, CALL, 1n);
    Atomics.notify(this.#slots, CALL);
    Atomics.notify(this.#slots, STOP);
  }
}
