import { parentPort } from "node:worker_threads";
import { AppError } from "../kernel/errors.ts";
import type { Clock } from "../ports/platform.ts";
import type { SqliteConnection } from "../storage/sqlite/connection.ts";
import { openWriter } from "../storage/sqlite/store.ts";
import { Copier } from "./copier.ts";
import { flush } from "./flush.ts";
import { Folder, type FactWriter, type Folded } from "./folder.ts";
import { HALF_BYTES, prepareBook, SharedFrames, type Frame } from "./frames.ts";
import { Signals } from "./signals.ts";

/*
 * What the logbook's thread does: it puts frames into their tables. It looks at the shared signals instead of an event
 * loop: everything it does is synchronous, and it has nothing else to wait for.
 */

/** What the thread is started with. */
export interface ThreadPlan {
  readonly databasePath: string;
  readonly bookPath: string;
  readonly bookId: number;
  readonly signals: SharedArrayBuffer;
  /** What is in the book, as its writer keeps it. */
  readonly memory: SharedArrayBuffer;
}

/** What the thread says. */
export type ThreadNews =
  /** The book is open after the frame of this number. */
  | { readonly kind: "ready"; readonly sequence: number }
  /** Frames up to `flushed` need not be kept any longer. */
  | ({ readonly kind: "folded"; readonly flushed: number } & Folded)
  | { readonly kind: "trouble"; readonly message: string };

const RETRY_MS = 200;
/** Frames of so many bytes are worth copying what became of them. */
const COPY_BYTES = 2 * 1_024 * 1_024;
/** So are so many folds, however small: each writes the edges of all trees anew, and SQLite's log grows by them. */
const COPY_FOLDS = 200;

/** Folds until it is told to stop. */
export async function keepFolding(plan: ThreadPlan, writer?: (clock: Clock) => FactWriter): Promise<void> {
  const connection = openWriter(plan.databasePath);
  // What is folded need not be flushed at once: until it is, it stays in the book, too. Whoever an entry refers to is
  // there, because the entry says so or was looked up. Pages are copied back by a thread of its own.
  connection.db.exec(
    "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = OFF; PRAGMA wal_autocheckpoint = 0;",
  );
  const folder = new Folder(connection, writer);
  // The book begins anew: nothing may depend on what is in it now.
  folder.adopt(plan.bookId);
  flush(plan.databasePath);
  prepareBook(plan.bookPath, plan.bookId);
  const thread = new FoldingThread(plan, connection, folder);
  await thread.run();
  flush(plan.databasePath);
  thread.close();
  connection.close();
}

function say(news: ThreadNews): void {
  parentPort?.postMessage(news, []);
}

class FoldingThread {
  readonly #databasePath: string;
  readonly #connection: SqliteConnection;
  readonly #folder: Folder;
  readonly #signals: Signals;
  readonly #reader: SharedFrames;
  readonly #copier: Copier;
  #done: number;
  /** How many entries have been folded. */
  #entries = 0;
  #flushed: number;
  #bytesSinceCopy = 0;
  #foldsSinceCopy = 0;

  constructor(plan: ThreadPlan, connection: SqliteConnection, folder: Folder) {
    this.#databasePath = plan.databasePath;
    this.#connection = connection;
    this.#folder = folder;
    this.#signals = new Signals(plan.signals);
    this.#reader = new SharedFrames(plan.memory);
    this.#copier = new Copier(plan.databasePath);
    this.#done = folder.state().sequence;
    this.#flushed = this.#done;
  }

  async run(): Promise<void> {
    say({ kind: "ready", sequence: this.#done });
    while (this.#signals.awaitWork(this.#done, this.#entries)) {
      if (!(await this.#fold(this.#next()))) break;
    }
  }

  close(): void {
    this.#copier.close();
  }

  /** The frames that come after those that are in their tables. */
  #next(): readonly Frame[] {
    const frames: Frame[] = [];
    const { written, portions } = this.#signals;
    for (let last = this.#done, count = 0; last < written && count < portions.most;) {
      const frame = this.#reader.next(last + 1);
      if (frame === null) throw new Error(`frame ${last + 1} of the logbook is missing`);
      frames.push(frame);
      count += frame.entries.length;
      last = frame.sequence;
    }
    return frames;
  }

  /** Puts frames into their tables, however long it takes; false when the thread should end first. */
  async #fold(frames: readonly Frame[]): Promise<boolean> {
    do {
      try {
        const folded = await this.#folder.fold(frames);
        this.#done = folded.sequence;
        for (const { bytes, entries } of frames) {
          this.#bytesSinceCopy += bytes;
          this.#entries += entries.length;
        }
        this.#copy();
        say({ kind: "folded", ...folded, flushed: this.#flushed });
        return true;
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        // What is not in its tables stays in the book.
        say({ kind: "trouble", message: error.message });
      }
    } while (this.#signals.pause(RETRY_MS));
    return false;
  }

  /** Has pages copied when there are enough of them; with the last few copied here, SQLite begins its log anew. */
  #copy(): void {
    const copied = this.#copier.take();
    if (copied !== null) {
      this.#flushed = copied;
      this.#connection.prepare("PRAGMA wal_checkpoint(PASSIVE)").run();
    }
    this.#foldsSinceCopy++;
    const isWorthIt = this.#bytesSinceCopy > COPY_BYTES || this.#foldsSinceCopy > COPY_FOLDS;
    if (isWorthIt && this.#copier.begin(this.#done)) {
      this.#bytesSinceCopy = 0;
      this.#foldsSinceCopy = 0;
    }
    // The book must not fill up while the copying thread is slow, or gone.
    if (this.#bytesSinceCopy > HALF_BYTES / 2) {
      flush(this.#databasePath);
      this.#flushed = this.#done;
    }
  }
}
