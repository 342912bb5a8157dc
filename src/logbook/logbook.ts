import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { AppError } from "../kernel/errors.ts";
import type { Clock, Log } from "../ports/platform.ts";
import type { StoreLogbook } from "../storage/sqlite/logbook.ts";
import { openWriter } from "../storage/sqlite/store.ts";
import { Folder, type Folded } from "./folder.ts";
import { bookMemory, FrameReader, FrameWriter, payloadOf } from "./frames.ts";
import { Signals } from "./signals.ts";
import type { ThreadNews, ThreadPlan } from "./folding.ts";

/** What a logbook needs, and what may be set from outside. */
export interface LogbookOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Changes within a second from which on the book is worth a thread; 0 opens it with the first. */
  readonly busyFrom?: number;
  /** What its thread runs. */
  readonly thread?: URL;
}

const BUSY_FROM = 40;
/** Longer entries are transactions of their own. */
const MAX_ENTRY_CHARS = 128 * 1_024;
const MAX_FRAME_CHARS = 256 * 1_024;
/** So often in one turn of the event loop a frame is written at once; then others have their turn. */
const FRAMES_A_TURN = 8;
/** After so long without an entry the thread ends. */
const IDLE_MS = 60_000;
const RETRY_MS = 1_000;

interface Waiting {
  readonly text: string;
  readonly entered: (taken: boolean) => void;
}

/** Those who wait until a frame is in its tables. */
interface Reader {
  readonly sequence: number;
  readonly promise: PromiseWithResolvers<void>;
}

/** The book while its thread lives. */
interface OpenBook {
  readonly worker: Worker;
  /** Resolves when the thread is gone. */
  readonly ended: Promise<void>;
  readonly signals: Signals;
  readonly memory: SharedArrayBuffer;
  /** Set from when the thread is ready until it is told to stop. */
  writer: FrameWriter | null;
}

/** Opens the logbook of a database; what an earlier process left in it is put into its tables first. */
export async function openLogbook(
  databasePath: string,
  options: LogbookOptions,
): Promise<StoreLogbook | null> {
  const lock = lockOf(databasePath);
  if (lock === null) return null;
  try {
    await settleLeftOver(databasePath);
  } catch (error) {
    lock.close();
    throw error;
  }
  return new LogbookKeeper(databasePath, lock, options);
}

/** Puts what a service that is gone left in the logbook into its tables; while somebody keeps the book, nothing. */
export async function settleLogbook(databasePath: string): Promise<void> {
  if (!existsSync(databasePath) || !existsSync(bookPath(databasePath))) return;
  const lock = lockOf(databasePath);
  if (lock === null) return;
  try {
    await settleLeftOver(databasePath);
  } finally {
    lock.close();
  }
}

/** Puts what is left in the logbook of a database into its tables, and says what became of it. */
async function settleLeftOver(databasePath: string): Promise<readonly Folded[]> {
  const path = bookPath(databasePath);
  const all: Folded[] = [];
  if (!existsSync(path)) return all;
  const connection = openWriter(databasePath);
  const reader = new FrameReader(path);
  try {
    const folder = new Folder(connection);
    const { bookId, sequence } = folder.state();
    if (bookId === 0 || reader.bookId !== bookId) return all;
    let next = sequence + 1;
    for (let frame = reader.next(next); frame !== null; frame = reader.next(next)) {
      all.push(await folder.fold([frame]));
      next++;
    }
    if (reader.isFollowed(next)) throw damaged(path, next);
    return all;
  } finally {
    reader.close();
    connection.close();
  }
}

/** The last frame may be half there: nobody was told of it. One in the middle was promised. */
function damaged(path: string, sequence: number): AppError {
  return new AppError(
    "storage_unavailable",
    `The logbook ${path} is damaged at frame ${sequence}: what was promised from there on is not in the database. The file was left as it is.`,
    {
      nextAction:
        "Put the file back as it was if you can. To go on without what it holds from there on, move it away.",
    },
  );
}

function bookPath(databasePath: string): string {
  return `${databasePath}-logbook`;
}

/** One process at a time keeps the book: a lock that the system takes back when the process is gone. */
function lockOf(databasePath: string): DatabaseSync | null {
  const lock = new DatabaseSync(`${bookPath(databasePath)}-lock`, { timeout: 0 });
  try {
    lock.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    return lock;
  } catch {
    lock.close();
    return null;
  }
}

class LogbookKeeper implements StoreLogbook {
  readonly #databasePath: string;
  readonly #lock: DatabaseSync;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #busyFrom: number;
  readonly #thread: URL;
  #book: OpenBook | null = null;
  #queue: Waiting[] = [];
  #scheduled = false;
  #framesThisTurn = 0;
  #paused = false;
  /** The newest frame that is on disk. */
  #written = 0;
  /** The newest frame that is in its tables. */
  #folded = 0;
  /** The newest frame that may be overwritten. */
  #flushed = 0;
  /** Entries of frames that are not in their tables yet, by frame. */
  readonly #pending: { readonly sequence: number; readonly entries: number }[] = [];
  #pendingEntries = 0;
  #readers: Reader[] = [];
  #trouble: string | null = null;
  #lostListeners: ((runIds: readonly string[]) => void)[] = [];
  #eventListener: (last: number) => void = () => undefined;
  #lately = 0;
  #countedAt = 0;
  #lastFrameAt = 0;
  readonly #idle: NodeJS.Timeout;
  #closed = false;
  readonly #flushSoon = (): void => {
    this.#scheduled = false;
    this.#flush();
  };
  readonly #onTurn = (): void => {
    this.#framesThisTurn = 0;
  };

  constructor(databasePath: string, lock: DatabaseSync, options: LogbookOptions) {
    this.#databasePath = databasePath;
    this.#lock = lock;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#busyFrom = options.busyFrom ?? BUSY_FROM;
    this.#thread = options.thread ?? new URL("./thread.ts", import.meta.url);
    this.#idle = setInterval(() => this.#restIfIdle(), IDLE_MS / 2);
    this.#idle.unref();
  }

  takes(text: string): boolean {
    return this.#isOpen() && text.length <= MAX_ENTRY_CHARS;
  }

  enter(text: string): Promise<boolean> {
    if (!this.#isOpen()) this.#count();
    if (!this.takes(text)) return Promise.resolve(false);
    return new Promise((entered) => {
      this.#queue.push({ text, entered });
      this.#schedule();
    });
  }

  onLost(listener: (runIds: readonly string[]) => void): void {
    this.#lostListeners.push(listener);
  }

  onEvents(listener: (last: number) => void): void {
    this.#eventListener = listener;
  }

  settled(): Promise<void> | null {
    const sequence = this.#written;
    if (sequence === this.#folded) return null;
    if (this.#trouble !== null) return Promise.reject(troubled(this.#trouble));
    const last = this.#readers.at(-1);
    if (last?.sequence === sequence) return last.promise.promise;
    const promise = Promise.withResolvers<void>();
    promise.promise.catch(() => undefined);
    this.#readers.push({ sequence, promise });
    this.#book?.signals.want(sequence);
    return promise.promise;
  }

  pause(): Promise<void> | null {
    this.#paused = true;
    return this.settled();
  }

  resume(): void {
    this.#paused = false;
    this.#flush();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#idle);
    await this.settled()?.catch(() => undefined);
    const book = this.#book;
    if (book !== null) {
      book.worker.ref();
      book.signals.stop();
      await book.ended;
    }
    this.#lock.close();
  }

  #isOpen(): boolean {
    return this.#book !== null && this.#book.writer !== null && this.#trouble === null && !this.#closed;
  }

  /** After the microtasks at hand: whatever else is entered in this turn joins the frame. */
  #schedule(): void {
    if (this.#scheduled || this.#paused) return;
    this.#scheduled = true;
    if (this.#framesThisTurn >= FRAMES_A_TURN) {
      setImmediate(this.#flushSoon);
      return;
    }
    if (this.#framesThisTurn === 0) setImmediate(this.#onTurn);
    this.#framesThisTurn++;
    process.nextTick(this.#flushSoon);
  }

  /** Writes what waits, as long as there is room. */
  #flush(): void {
    while (this.#queue.length > 0 && !this.#paused && this.#hasRoom()) {
      const writer = this.#book?.writer;
      if (!writer) {
        tell(this.#queue.splice(0), false);
        return;
      }
      const batch = this.#takeFrame();
      const payload = payloadOf(
        this.#clock.now(),
        batch.map(({ text }) => text),
      );
      try {
        if (!writer.write(payload, this.#flushed)) {
          this.#queue.unshift(...batch);
          return;
        }
      } catch (error) {
        this.#log.warn("the logbook cannot be written", {}, error);
        tell(batch, false);
        continue;
      }
      this.#note(writer.sequence, batch.length);
      tell(batch, true);
    }
  }

  #hasRoom(): boolean {
    return this.#book === null || this.#pendingEntries < this.#book.signals.portions.pending;
  }

  /** A frame is on disk. */
  #note(sequence: number, entries: number): void {
    this.#written = sequence;
    this.#lastFrameAt = performance.now();
    this.#pending.push({ sequence, entries });
    this.#pendingEntries += entries;
    this.#book?.signals.tellWritten(sequence, entries);
  }

  #takeFrame(): readonly Waiting[] {
    let chars = 0;
    let count = 0;
    for (const { text } of this.#queue) {
      chars += text.length;
      if (count > 0 && chars > MAX_FRAME_CHARS) break;
      count++;
    }
    if (count < this.#queue.length) return this.#queue.splice(0, count);
    const all = this.#queue;
    this.#queue = [];
    return all;
  }

  /** Opens the book when changes come so fast that transactions of their own are a waste. */
  #count(): void {
    const now = performance.now();
    if (now - this.#countedAt > 1_000) {
      this.#countedAt = now;
      this.#lately = 0;
    }
    this.#lately++;
    if (this.#lately >= this.#busyFrom && this.#book === null && !this.#closed) this.#open();
  }

  #open(): void {
    const path = bookPath(this.#databasePath);
    const signals = new Signals();
    const memory = bookMemory();
    const plan: ThreadPlan = {
      databasePath: this.#databasePath,
      bookPath: path,
      bookId: Math.floor(Math.random() * Number.MAX_SAFE_INTEGER) + 1,
      signals: signals.buffer,
      memory,
    };
    const worker = new Worker(this.#thread, { workerData: plan, env: {} });
    worker.unref();
    const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
    const book: OpenBook = { worker, ended, signals, memory, writer: null };
    this.#book = book;
    worker.on("message", (news: ThreadNews) => this.#hear(book, news));
    worker.on("error", (error) => this.#log.error("the logbook's thread failed", {}, error));
    worker.on("exit", () => void this.#threadEnded(book));
  }

  #hear(book: OpenBook, news: ThreadNews): void {
    if (news.kind === "ready") {
      this.#folded = news.sequence;
      this.#written = news.sequence;
      this.#flushed = news.sequence;
      book.writer = new FrameWriter(bookPath(this.#databasePath), news.sequence, book.memory);
      return;
    }
    if (news.kind === "trouble") {
      this.#fail(news.message);
      return;
    }
    this.#trouble = null;
    this.#flushed = news.flushed;
    this.#advance(news.sequence);
    this.#report(news);
    this.#flush();
  }

  /** Tells whoever wants to know what became of frames. */
  #report({ lastEvent, lost, refused }: Folded): void {
    if (lastEvent > 0) this.#eventListener(lastEvent);
    for (const { id } of refused) this.#log.error("an entry was refused by its table", { reference: id });
    const gone = [...lost, ...refused.map(({ id }) => id)];
    if (gone.length > 0) for (const listener of this.#lostListeners) listener(gone);
  }

  #advance(sequence: number): void {
    this.#folded = sequence;
    let done = 0;
    for (const frame of this.#pending) {
      if (frame.sequence > sequence) break;
      this.#pendingEntries -= frame.entries;
      done++;
    }
    this.#pending.splice(0, done);
    while ((this.#readers[0]?.sequence ?? Number.POSITIVE_INFINITY) <= sequence) {
      this.#readers.shift()?.promise.resolve();
    }
  }

  /** Whatever the thread left is put into its tables here; the next entries open the book again. */
  async #threadEnded(book: OpenBook): Promise<void> {
    book.writer?.close();
    book.writer = null;
    try {
      if (this.#written > this.#folded && !this.#closed) {
        const left = await settleLeftOver(this.#databasePath);
        this.#advance(this.#written);
        for (const folded of left) this.#report(folded);
      }
    } catch (error) {
      this.#fail(messageOf(error));
      setTimeout(() => void this.#threadEnded(book), RETRY_MS).unref();
      return;
    }
    this.#trouble = null;
    this.#book = null;
    this.#flush();
  }

  #restIfIdle(): void {
    const book = this.#book;
    if (!book?.writer || this.#written > this.#folded || performance.now() - this.#lastFrameAt < IDLE_MS)
      return;
    book.writer.close();
    book.writer = null;
    book.signals.stop();
  }

  #fail(message: string): void {
    this.#trouble = message;
    for (const { promise } of this.#readers.splice(0)) promise.reject(troubled(message));
    tell(this.#queue.splice(0), false);
  }
}

function tell(batch: readonly Waiting[], taken: boolean): void {
  for (const { entered } of batch) entered(taken);
}

function troubled(message: string): AppError {
  return new AppError("storage_unavailable", message, { retryAfterSeconds: 5 });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : "";
}
