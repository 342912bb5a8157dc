/*
 * What the thread and its keeper tell each other without a message: how far the book is written, how far somebody waits
 * for it, and that it is time to stop.
 */

const WRITTEN = 0;
/** How many entries were written since the book was opened. */
const ENTRIES = 1;
/** The number of entries at which the thread wants to be called. */
const ENOUGH = 2;
const WANTED = 3;
const STOP = 4;
/** Changes with each word that the thread should wake up for. */
const CALL = 5;
/** When somebody last waited, in milliseconds. */
const READ_AT = 6;
const SLOTS = 7;

/** How many entries go together. A transaction for many costs little more than one for a few, but takes longer. */
export interface Portions {
  /** So many are worth a transaction at once. */
  readonly enough: number;
  /** The most of one transaction: a reader that comes now has to wait for it. */
  readonly most: number;
  /** The most that is promised and not yet in its tables. */
  readonly pending: number;
}

const WHILE_READ: Portions = { enough: 256, most: 512, pending: 1_024 };
const UNREAD: Portions = { enough: 1_024, most: 2_048, pending: 4_096 };
/** Somebody who read will soon read again. */
const READ_FOR_MS = 1_000;
/** While nobody waits, fewer than enough are gathered for so long. */
const GATHER_MS = 20;

/** The memory that both sides share. */
export class Signals {
  readonly buffer: SharedArrayBuffer;
  readonly #slots: BigInt64Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(SLOTS * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer;
    this.#slots = new BigInt64Array(buffer);
  }

  /** How many entries go together now. */
  get portions(): Portions {
    const readAt = Number(Atomics.load(this.#slots, READ_AT));
    return Date.now() - readAt < READ_FOR_MS ? WHILE_READ : UNREAD;
  }

  /** The newest frame that is on disk. */
  get written(): number {
    return Number(Atomics.load(this.#slots, WRITTEN));
  }

  /** The keeper has written a frame. */
  tellWritten(sequence: number, entries: number): void {
    Atomics.store(this.#slots, WRITTEN, BigInt(sequence));
    Atomics.notify(this.#slots, WRITTEN);
    const count = Atomics.add(this.#slots, ENTRIES, BigInt(entries)) + BigInt(entries);
    const enough = Atomics.load(this.#slots, ENOUGH);
    if (count >= enough && count - BigInt(entries) < enough) this.#call();
  }

  /** Somebody waits until this frame is in its tables. */
  want(sequence: number): void {
    Atomics.store(this.#slots, WANTED, BigInt(sequence));
    Atomics.store(this.#slots, READ_AT, BigInt(Date.now()));
    this.#call();
  }

  /** The thread should end when everything is in its tables. */
  stop(): void {
    Atomics.store(this.#slots, STOP, 1n);
    this.#call();
    Atomics.notify(this.#slots, WRITTEN);
  }

  /** Waits in the thread until there are frames after `done`, up to which it took so many entries; false when it should end. */
  awaitWork(done: number, taken: number): boolean {
    for (;;) {
      const written = this.written;
      if (written > done) {
        this.#gather(done, taken);
        return true;
      }
      if (Atomics.load(this.#slots, STOP) === 1n) return false;
      Atomics.wait(this.#slots, WRITTEN, BigInt(written), 1_000);
    }
  }

  /** True when what comes after `done`, up to which so many entries were taken, is worth a transaction or wanted. */
  #isEnough(done: number, taken: number): boolean {
    return (
      this.written > done &&
      (Number(Atomics.load(this.#slots, ENTRIES)) - taken >= this.portions.enough ||
        Number(Atomics.load(this.#slots, WANTED)) > done ||
        Atomics.load(this.#slots, STOP) === 1n)
    );
  }

  /** Waits in the thread for a while; false when it should end. */
  pause(ms: number): boolean {
    Atomics.wait(this.#slots, STOP, 0n, ms);
    return Atomics.load(this.#slots, STOP) === 0n;
  }

  #gather(done: number, taken: number): void {
    const call = Atomics.load(this.#slots, CALL);
    Atomics.store(this.#slots, ENOUGH, BigInt(taken + this.portions.enough));
    if (!this.#isEnough(done, taken)) Atomics.wait(this.#slots, CALL, call, GATHER_MS);
  }

  #call(): void {
    Atomics.add(this.#slots, CALL, 1n);
    Atomics.notify(this.#slots, CALL);
    Atomics.notify(this.#slots, STOP);
  }
}
