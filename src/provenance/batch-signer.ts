import { Worker } from "node:worker_threads";

/*
 * Signatures for many texts at once, made on a thread of its own while the caller goes on. Both sides share memory and
 * wait for each other there: to hand one text to a pool of threads costs half as much as to sign it.
 */

const STATE = 0;
const COUNT = 1;
const IDLE = 0;
const ORDERED = 1;
const DONE = 2;
const CLOSED = 3;
const HEAD_BYTES = 16;
const SIGNATURE_BYTES = 64;
const DATA_BYTES = 1_024 * 1_024;
/** Should the thread have died, the caller signs by itself. */
const PATIENCE_MS = 5_000;

/** What the thread is started with. */
export interface SigningPlan {
  readonly buffer: SharedArrayBuffer;
  /** PKCS 8, in base64. */
  readonly privateKey: string;
}

/** The memory that both sides share: texts one way, signatures the other. */
export class Exchange {
  readonly buffer: SharedArrayBuffer;
  readonly #control: Int32Array;
  readonly #data: Buffer;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(HEAD_BYTES + DATA_BYTES)) {
    this.buffer = buffer;
    this.#control = new Int32Array(buffer, 0, HEAD_BYTES / 4);
    this.#data = Buffer.from(buffer, HEAD_BYTES, DATA_BYTES);
  }

  /** Puts texts in; false when they do not fit, or the thread is not ready for them. */
  order(messages: readonly Uint8Array[]): boolean {
    let bytes = 0;
    for (const message of messages) bytes += 4 + message.byteLength;
    const needed = Math.max(bytes, messages.length * SIGNATURE_BYTES);
    if (needed > DATA_BYTES || Atomics.load(this.#control, STATE) !== IDLE) return false;
    let at = 0;
    for (const message of messages) {
      this.#data.writeUInt32LE(message.byteLength, at);
      this.#data.set(message, at + 4);
      at += 4 + message.byteLength;
    }
    Atomics.store(this.#control, COUNT, messages.length);
    this.#tell(ORDERED);
    return true;
  }

  /** Waits for the signatures; null when the thread does not answer. */
  collect(): readonly string[] | null {
    Atomics.wait(this.#control, STATE, ORDERED, PATIENCE_MS);
    if (Atomics.load(this.#control, STATE) !== DONE) return null;
    const signatures = Array.from({ length: Atomics.load(this.#control, COUNT) }, (_, index) =>
      this.#data.toString("base64", index * SIGNATURE_BYTES, (index + 1) * SIGNATURE_BYTES),
    );
    Atomics.store(this.#control, STATE, IDLE);
    return signatures;
  }

  /** The thread should end. */
  close(): void {
    this.#tell(CLOSED);
  }

  /** Waits in the thread until there is something to sign; false when it should end. */
  awaitOrder(): boolean {
    for (;;) {
      const state = Atomics.load(this.#control, STATE);
      if (state === ORDERED) return true;
      if (state === CLOSED) return false;
      Atomics.wait(this.#control, STATE, state);
    }
  }

  /** Signs what was ordered. */
  answer(sign: (message: Uint8Array) => Uint8Array): void {
    const count = Atomics.load(this.#control, COUNT);
    const signatures: Uint8Array[] = [];
    let at = 0;
    for (let i = 0; i < count; i++) {
      const length = this.#data.readUInt32LE(at);
      signatures.push(sign(Buffer.from(this.#data.subarray(at + 4, at + 4 + length))));
      at += 4 + length;
    }
    for (const [index, signature] of signatures.entries()) this.#data.set(signature, index * SIGNATURE_BYTES);
    // Whoever closed the exchange meanwhile is not overruled.
    if (Atomics.compareExchange(this.#control, STATE, ORDERED, DONE) === ORDERED) {
      Atomics.notify(this.#control, STATE);
    }
  }

  #tell(state: number): void {
    Atomics.store(this.#control, STATE, state);
    Atomics.notify(this.#control, STATE);
  }
}

/** Signs on a thread of its own. Only one order is under way at a time. */
export class BatchSigner {
  readonly #exchange = new Exchange();

  constructor(privateKey: string) {
    const plan: SigningPlan = { buffer: this.#exchange.buffer, privateKey };
    new Worker(new URL("./signing-thread.ts", import.meta.url), { workerData: plan, env: {} }).unref();
  }

  /** Begins to sign; what it gives waits for the signatures, and is null when the caller must sign by itself. */
  begin(messages: readonly Uint8Array[]): () => readonly string[] | null {
    return this.#exchange.order(messages) ? () => this.#exchange.collect() : () => null;
  }

  /** Ends the thread. */
  close(): void {
    this.#exchange.close();
  }
}
