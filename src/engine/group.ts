import { AppError } from "../kernel/errors.ts";
import type { Store } from "../ports/store.ts";
import type { Measures } from "./measures.ts";
import { writeCheckpoints, type Checkpoint, type CheckpointWriter, type Writing } from "./checkpoint.ts";

/**
 * A larger set holds the event loop of a process on SQLite for longer: of 1,024 runs at a time, sets of 128 took 19 ms each at
 * 4,100 steps/s; without this bound they had 1,024 checkpoints and took 143 ms each at 4,400 steps/s (medians of three
 * rounds in turns, 19 November 2026, two Xeon cores at a load of 13).
 */
const MOST = 128;

interface Member extends Writing {
  readonly resolve: (isStored: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes checkpoints as sets: while one transaction is under way, the checkpoints of other runs collect, and the next
 * transaction writes all of them. More than one transaction at a time was no faster.
 */
export class CheckpointGroup {
  readonly #store: Pick<Store, "transact">;
  readonly #writer: CheckpointWriter;
  readonly #measures: Measures;
  #waiting: Member[] = [];
  #isWriting = false;

  constructor(store: Pick<Store, "transact">, writer: CheckpointWriter, measures: Measures) {
    this.#store = store;
    this.#measures = measures;
    this.#writer = writer;
  }

  /** Resolves when the checkpoint is on disk, or with false when it was not to be written. */
  write(checkpoint: Checkpoint, isRepeated = false): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ checkpoint, isRepeated, resolve, reject });
      if (!this.#isWriting) void this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) await this.#writeNext();
    this.#isWriting = false;
  }

  async #writeNext(): Promise<void> {
    let set: readonly Member[] | null = null;
    const began = performance.now();
    try {
      const stored = await this.#store.transact((tx) => {
        // A checkpoint that arrives before the transaction begins is part of it. A transaction that runs again has the same set.
        set ??= this.#take();
        return writeCheckpoints(tx, set, this.#writer);
      });
      this.#measures.checkpoints(stored.length, performance.now() - began);
      this.#tell(set ?? [], stored);
    } catch (error) {
      await this.#failed(set ?? this.#take(), error);
    }
  }

  #take(): readonly Member[] {
    return this.#waiting.splice(0, MOST);
  }

  #tell(set: readonly Member[], stored: readonly boolean[]): void {
    for (const [nth, member] of set.entries()) member.resolve(stored[nth] === true);
  }

  /** What is wrong with one checkpoint must not harm the others: each is then written for itself. */
  async #failed(set: readonly Member[], error: unknown): Promise<void> {
    if (set.length === 1 || isTrouble(error)) {
      for (const member of set) member.reject(error);
      return;
    }
    for (const member of set) {
      try {
        this.#tell(
          [member],
          await this.#store.transact((tx) => writeCheckpoints(tx, [member], this.#writer)),
        );
      } catch (own) {
        member.reject(own);
      }
    }
  }
}

/** True when the store cannot write now, whatever it is given. */
export function isTrouble(error: unknown): boolean {
  return error instanceof AppError && error.code === "storage_unavailable";
}
