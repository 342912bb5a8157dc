import { parentPort, workerData } from "node:worker_threads";
import { AppError } from "../kernel/errors.ts";
import { openWriter } from "../storage/sqlite/store.ts";
import { Folder, type Folded } from "./folder.ts";
import { FrameReader, prepareBook, type Frame } from "./frames.ts";
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
  | ({ readonly kind: "folded" } & Folded)
  | { readonly kind: "trouble"; readonly message: string };

/** The most entries of one transaction: a reader that waits for it should not wait long. */
const MAX_ENTRIES = 512;
const RETRY_MS = 200;

const plan: ThreadPlan = workerData;
const signals = new Signals(plan.signals);
const connection = openWriter(plan.databasePath);
const folder = new Folder(connection);
folder.adopt(plan.bookId);
prepareBook(plan.bookPath, plan.bookId);
const reader = new FrameReader(plan.bookPath);
let done = folder.state().sequence;

function say(news: ThreadNews): void {
  parentPort?.postMessage(news, []);
}

function nextFrames(written: number): readonly Frame[] {
  reader.refresh();
  const frames: Frame[] = [];
  for (let count = 0, sequence = done + 1; sequence <= written && count < MAX_ENTRIES; sequence++) {
    const frame = reader.next(sequence);
    if (frame === null) throw new Error(`frame ${sequence} of the logbook is missing`);
    frames.push(frame);
    count += frame.entries.length;
  }
  return frames;
}

/** Puts frames into their tables, however long it takes; false when the thread should end first. */
async function fold(frames: readonly Frame[]): Promise<boolean> {
  for (;;) {
    try {
      const folded = await folder.fold(frames);
      done = folded.sequence;
      say({ kind: "folded", ...folded });
      return true;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      say({ kind: "trouble", message: error.message });
      // What is not in its tables stays in the book.
      if (!signals.pause(RETRY_MS)) return false;
    }
  }
}

say({ kind: "ready", sequence: done });
while (signals.awaitWork(done) && (await fold(nextFrames(signals.written))));
reader.close();
connection.close();
