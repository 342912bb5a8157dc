import { Worker } from "node:worker_threads";

/*
 * SQLite appends to a log of its own and copies the pages back into the file now and then. That is mostly waiting for
 * the disk, so a thread of its own does it while the next frames are folded.
 */

const STATE = 0;
const IDLE = 0;
const ORDERED = 1;
const DONE = 2;
const CLOSED = 3;

/** What the copying thread is started with. */
export interface CopyPlan {
  readonly databasePath: string;
  readonly buffer: SharedArrayBuffer;
}

/** The memory that both sides share. */
export class CopyState {
  readonly buffer: SharedArrayBuffer;
  readonly #slots: Int32Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(4)) {
    this.buffer = buffer;
    this.#slots = new Int32Array(buffer);
  }

  /** Changes the state if it is the expected one. */
  change(from: number, to: number): boolean {
    if (Atomics.compareExchange(this.#slots, STATE, from, to) !== from) return false;
    Atomics.notify(this.#slots, STATE);
    return true;
  }

  close(): void {
    Atomics.store(this.#slots, STATE, CLOSED);
    Atomics.notify(this.#slots, STATE);
  }

  /** Waits in the thread for an order; false when it should end. */
  awaitOrder(): boolean {
    for (;;) {
      const state = Atomics.load(this.#slots, STATE);
      if (state === ORDERED) return true;
      if (state === CLOSED) return false;
      Atomics.wait(this.#slots, STATE, state);
    }
  }

  /** The thread has done what was ordered, or could not. */
  answer(done: boolean): void {
    this.change(ORDERED, done ? DONE : IDLE);
  }
}

/** Has the pages copied that were written so far. */
export class Copier {
  readonly #state = new CopyState();
  #upTo = 0;

  constructor(databasePath: string) {
    const plan: CopyPlan = { databasePath, buffer: this.#state.buffer };
    new Worker(new URL("./copying-thread.ts", import.meta.url), { workerData: plan, env: {} }).unref();
  }

  /** Begins to copy what was written up to a frame; false while that of before is not taken. */
  begin(sequence: number): boolean {
    if (!this.#state.change(IDLE, ORDERED)) return false;
    this.#upTo = sequence;
    return true;
  }

  /** The frame up to which everything is copied and on disk, once after each order. */
  take(): number | null {
    return this.#state.change(DONE, IDLE) ? this.#upTo : null;
  }

  /** Ends the thread. */
  close(): void {
    this.#state.close();
  }
}
