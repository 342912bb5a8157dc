import { closeSync, fdatasyncSync, openSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { AppError } from "../kernel/errors.ts";
import { openWriter } from "../storage/sqlite/store.ts";
import { Copier } from "./copier.ts";
import { Folder, threadedLogWriter, type Folded, type Prepared } from "./folder.ts";
import { FrameReader, HALF_BYTES, prepareBook, type Frame } from "./frames.ts";
import { Signals } from "./signals.ts";

/*
 * Runs in a thread of its own and puts the frames of a logbook into their tables. It looks at the shared signals instead
 * of an event loop: everything it does is synchronous, and it has nothing else to wait for.
 */

/** What the thread is started with. */
export interface ThreadPlan {
  readonly databasePath: string;
  readonly bookPath: string;
  readonly bookId: number;
  readonly signals: SharedArrayBuffer;
}

/** What the thread says. */
export type ThreadNews =
  /** The book is open after the frame of this number. */
  | { readonly kind: "ready"; readonly sequence: number }
  /** Frames up to `flushed` need not be kept any longer. */
  | ({ readonly kind: "folded"; readonly flushed: number } & Folded)
  | { readonly kind: "trouble"; readonly message: string };

/** The most entries of one transaction: a reader that waits for it should not wait long. */
const MAX_ENTRIES = 512;
const RETRY_MS = 200;
/** Frames of so many bytes are worth copying what became of them. */
const COPY_BYTES = 2 * 1_024 * 1_024;

const plan: ThreadPlan = workerData;
const signals = new Signals(plan.signals);
const connection = openWriter(plan.databasePath);
// What is folded need not be flushed at once: until it is, it stays in the book, too. Whoever an entry refers to is
// there, because the entry says so or was looked up. Pages are copied back by a thread of its own.
connection.db.exec("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = OFF; PRAGMA wal_autocheckpoint = 0;");
const folder = new Folder(connection, threadedLogWriter);
const copier = new Copier(plan.databasePath);
let done = folder.state().sequence;
let preparedTo = done;
let flushed = done;
let bytesSinceCopy = 0;

/** Everything that is in the tables is on disk from here on, whatever happens to the machine. */
function flush(): void {
  const file = openSync(`${plan.databasePath}-wal`, "r");
  fdatasyncSync(file);
  closeSync(file);
  flushed = done;
}

/** Has pages copied when there are enough of them; with the last few copied here, SQLite begins its log anew. */
function copy(): void {
  const copied = copier.take();
  if (copied !== null) {
    flushed = copied;
    connection.prepare("PRAGMA wal_checkpoint(PASSIVE)").run();
  }
  if (bytesSinceCopy > COPY_BYTES && copier.begin(done)) bytesSinceCopy = 0;
  // The book must not fill up while the copying thread is slow, or gone.
  if (bytesSinceCopy > HALF_BYTES / 2) flush();
}

function say(news: ThreadNews): void {
  parentPort?.postMessage(news, []);
}

/** The frames that come after what was prepared last, prepared. */
async function prepareNext(): Promise<Prepared | null> {
  reader.refresh();
  const frames: Frame[] = [];
  const { written } = signals;
  for (let count = 0; preparedTo < written && count < MAX_ENTRIES;) {
    const frame = reader.next(preparedTo + 1);
    if (frame === null) throw new Error(`frame ${preparedTo + 1} of the logbook is missing`);
    frames.push(frame);
    count += frame.entries.length;
    bytesSinceCopy += frame.bytes;
    preparedTo = frame.sequence;
  }
  return frames.length === 0 ? null : folder.prepare(frames);
}

/** Puts frames into their tables, however long it takes; gives those that were prepared meanwhile. */
async function fold(prepared: Prepared): Promise<Prepared | null> {
  let next: Prepared | null = null;
  const whenSigned = async (): Promise<void> => {
    next ??= await prepareNext();
  };
  do {
    try {
      const folded = await folder.fold(prepared, whenSigned);
      done = folded.sequence;
      copy();
      say({ kind: "folded", ...folded, flushed });
      return next;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      say({ kind: "trouble", message: error.message });
      // What is not in its tables stays in the book.
    }
  } while (signals.pause(RETRY_MS));
  return null;
}

// The book begins anew: nothing may depend on what is in it now.
folder.adopt(plan.bookId);
flush();
prepareBook(plan.bookPath, plan.bookId);
const reader = new FrameReader(plan.bookPath);
say({ kind: "ready", sequence: done });
let next: Prepared | null = null;
while (next !== null || signals.awaitWork(done)) {
  const prepared: Prepared | null = next ?? (await prepareNext());
  if (prepared === null) break;
  next = await fold(prepared);
}
flush();
copier.close();
folder.close();
reader.close();
connection.close();
