import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import { crc32 } from "node:zlib";

/*
 * The file of a logbook: a page that says whose it is, then two halves that are filled in turn. A frame is a number, a
 * checksum and the entries of one write. The number grows by one from frame to frame for as long as the database
 * lives, so whatever is older than its neighbour is left over from an earlier turn. The checksum begins with the id of
 * the book: a frame of another book, which somebody's copy of the database may have left in the file, is no frame.
 * Space is taken once: a write that only overwrites is on disk sooner than one that makes the file longer.
 */

const HEAD_BYTES = 4_096;
/** Half of the book: what is in its tables must be flushed there at least this often. */
export const HALF_BYTES = 8 * 1_024 * 1_024;
/** Where the halves begin. */
const STARTS = [HEAD_BYTES, HEAD_BYTES + HALF_BYTES] as const;
/** Length, checksum, number. */
const FRAME_HEAD_BYTES = 16;
const MAGIC = "workflow-ui logbook 1\n";

/** Writes that are on disk when they return; where the system knows no such thing, each is followed by a flush. */
const ON_DISK: number = constants.O_DSYNC ?? 0;

/** The entries of one write. */
export interface Frame {
  readonly sequence: number;
  /** When it was written, in milliseconds. */
  readonly at: number;
  readonly bytes: number;
  /** The entries, each as JSON. */
  readonly entries: readonly string[];
}

/** The payload of a frame: the time, then the entries, each on a line of its own. */
export function payloadOf(at: number, entries: readonly string[]): string {
  return `${at}\n${entries.join("\n")}`;
}

function bookBytes(bookId: number): Buffer {
  const page = Buffer.alloc(HEAD_BYTES);
  page.write(MAGIC, 0, "latin1");
  page.writeDoubleLE(bookId, MAGIC.length);
  return page;
}

/** Whose the file is; null when it is nobody's. */
function bookIdOf(file: number): number | null {
  const page = Buffer.alloc(HEAD_BYTES);
  if (readSync(file, page, 0, HEAD_BYTES, 0) < HEAD_BYTES) return null;
  return page.toString("latin1", 0, MAGIC.length) === MAGIC ? page.readDoubleLE(MAGIC.length) : null;
}

/** What the checksums of a book begin with. */
function seedOf(bookId: number | null): number {
  return (bookId ?? 0) % 2 ** 32;
}

/** Makes the file ready for the book of this id. Frames of an earlier book do no harm: their checksums are others. */
export function prepareBook(path: string, bookId: number): void {
  const file = openSync(path, existsSync(path) ? "r+" : "wx+", 0o600);
  try {
    const isWhole = readSync(file, Buffer.alloc(1), 0, 1, STARTS[1] + HALF_BYTES - 1) === 1;
    const zeros = Buffer.alloc(isWhole ? 0 : HALF_BYTES);
    if (!isWhole) for (const start of STARTS) writeSync(file, zeros, 0, HALF_BYTES, start);
    writeSync(file, bookBytes(bookId), 0, HEAD_BYTES, 0);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Writes frames one after another. */
export class FrameWriter {
  readonly #file: number;
  readonly #seed: number;
  #sequence: number;
  #half: 0 | 1 = 0;
  #offset = 0;
  /** The last frame of each half. */
  readonly #lastOf: [number, number];
  #scratch = Buffer.alloc(65_536);

  /** Goes on after the frame of this number; all before it are in their tables. */
  constructor(path: string, sequence: number) {
    this.#file = openSync(path, constants.O_RDWR | ON_DISK);
    this.#seed = seedOf(bookIdOf(this.#file));
    this.#sequence = sequence;
    this.#lastOf = [sequence, sequence];
  }

  /** The number of the last frame. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Writes a frame to disk; false when there is no room as long as only those up to `flushed` may be overwritten. */
  write(payload: string, flushed: number): boolean {
    const most = FRAME_HEAD_BYTES + payload.length * 3;
    if (this.#scratch.length < most) this.#scratch = Buffer.alloc(most);
    const scratch = this.#scratch;
    const length = scratch.write(payload, FRAME_HEAD_BYTES, "utf8");
    const bytes = FRAME_HEAD_BYTES + length;
    let half = this.#half;
    let offset = this.#offset;
    if (offset + bytes > HALF_BYTES) {
      half = half === 0 ? 1 : 0;
      offset = 0;
      if (this.#lastOf[half] > flushed) return false;
    }
    const sequence = this.#sequence + 1;
    scratch.writeUInt32LE(length, 0);
    scratch.writeDoubleLE(sequence, 8);
    scratch.writeUInt32LE(crc32(scratch.subarray(8, bytes), this.#seed), 4);
    writeSync(this.#file, scratch, 0, bytes, STARTS[half] + offset);
    if (ON_DISK === 0) fdatasyncSync(this.#file);
    this.#sequence = sequence;
    this.#lastOf[half] = sequence;
    this.#half = half;
    this.#offset = offset + bytes;
    return true;
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** Reads frames one after another. */
export class FrameReader {
  /** Whose the file is; null when it is nobody's. */
  readonly bookId: number | null;
  readonly #file: number;
  #position: number = STARTS[0];
  #buffer = Buffer.alloc(256 * 1_024);
  #from = 0;
  #filled = 0;

  constructor(path: string) {
    this.#file = openSync(path, "r");
    this.bookId = bookIdOf(this.#file);
  }

  /** Forgets what was read ahead: frames have been written since. */
  refresh(): void {
    this.#filled = 0;
  }

  /** The frame of this number, or null when there is none: it was never written whole. */
  next(sequence: number): Frame | null {
    const position =
      [this.#position, ...STARTS].find((start) => this.#numberAt(start) === sequence) ??
      this.#search(sequence);
    if (position === null) return null;
    const bytes = this.#frameAt(position);
    if (bytes === null) return null;
    this.#position = position + bytes.length;
    const [at, ...entries] = bytes.toString("utf8", FRAME_HEAD_BYTES, bytes.length).split("\n");
    return { sequence, at: Number(at), bytes: bytes.length, entries };
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Where in the file the frame of this number is: needed once, when a book is opened that was not closed. */
  #search(sequence: number): number | null {
    for (const start of STARTS) {
      let position = start;
      let number = this.#numberAt(position);
      for (let expected = number; number !== null && number === expected; expected++) {
        if (number === sequence) return position;
        position += this.#frameAt(position)?.length ?? 0;
        number = this.#numberAt(position);
      }
    }
    return null;
  }

  /** The number of the frame that begins here, if it is whole. */
  #numberAt(position: number): number | null {
    return this.#frameAt(position)?.readDoubleLE(8) ?? null;
  }

  /** The bytes of the frame that begins here, if it is whole. */
  #frameAt(position: number): Buffer | null {
    const head = this.#bytes(position, FRAME_HEAD_BYTES);
    const length = head?.readUInt32LE(0) ?? 0;
    const sum = head?.readUInt32LE(4);
    if (length === 0 || length > HALF_BYTES) return null;
    const whole = this.#bytes(position, FRAME_HEAD_BYTES + length);
    return whole !== null && crc32(whole.subarray(8), seedOf(this.bookId)) === sum ? whole : null;
  }

  /** Bytes of the file, read ahead. */
  #bytes(position: number, length: number): Buffer | null {
    if (position < this.#from || position + length > this.#from + this.#filled) {
      if (length > this.#buffer.length) this.#buffer = Buffer.alloc(length);
      this.#from = position;
      this.#filled = readSync(this.#file, this.#buffer, 0, this.#buffer.length, position);
      if (this.#filled < length) return null;
    }
    const start = position - this.#from;
    return this.#buffer.subarray(start, start + length);
  }
}
