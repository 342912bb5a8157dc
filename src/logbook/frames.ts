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

/** Room for what is in both halves, for a reader in the same process: it need not ask the file. */
export function bookMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(STARTS.length * HALF_BYTES);
}

/** Writes frames one after another, into memory and from there to the file. */
export class FrameWriter {
  readonly #file: number;
  readonly #seed: number;
  readonly #memory: Buffer;
  #sequence: number;
  #half: 0 | 1 = 0;
  #offset = 0;
  /** The last frame of each half. */
  readonly #lastOf: [number, number];

  /** Goes on after the frame of this number; all before it are in their tables. */
  constructor(path: string, sequence: number, memory: SharedArrayBuffer = bookMemory()) {
    this.#memory = Buffer.from(memory);
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
    let half = this.#half;
    let offset = this.#offset;
    if (offset + FRAME_HEAD_BYTES + mostBytes(payload, HALF_BYTES - offset) > HALF_BYTES) {
      half = half === 0 ? 1 : 0;
      offset = 0;
      if (this.#lastOf[half] > flushed) return false;
    }
    const start = half * HALF_BYTES + offset;
    const frame = this.#memory.subarray(start, (half + 1) * HALF_BYTES);
    const length = frame.write(payload, FRAME_HEAD_BYTES, "utf8");
    const bytes = FRAME_HEAD_BYTES + length;
    const sequence = this.#sequence + 1;
    frame.writeUInt32LE(length, 0);
    frame.writeDoubleLE(sequence, 8);
    frame.writeUInt32LE(crc32(frame.subarray(8, bytes), this.#seed), 4);
    writeSync(this.#file, frame, 0, bytes, HEAD_BYTES + start);
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

/** No more bytes than this has a text; counted only where the quick estimate is too much. */
function mostBytes(text: string, room: number): number {
  const most = text.length * 3;
  return most + FRAME_HEAD_BYTES <= room ? most : Buffer.byteLength(text, "utf8");
}

/** Reads frames one after another from the memory that their writer shares. */
export class SharedFrames {
  readonly #memory: Buffer;
  #offset = 0;

  constructor(memory: SharedArrayBuffer) {
    this.#memory = Buffer.from(memory);
  }

  /** The frame of this number, which comes after the one that was read last. */
  next(sequence: number): Frame | null {
    const offset = [this.#offset, 0, HALF_BYTES].find((start) => this.#isAt(start, sequence));
    if (offset === undefined) return null;
    const bytes = FRAME_HEAD_BYTES + this.#memory.readUInt32LE(offset);
    this.#offset = offset + bytes;
    return frameOf(sequence, this.#memory.subarray(offset, this.#offset));
  }

  #isAt(offset: number, sequence: number): boolean {
    return (
      offset + FRAME_HEAD_BYTES <= this.#memory.length && this.#memory.readDoubleLE(offset + 8) === sequence
    );
  }
}

function frameOf(sequence: number, bytes: Buffer): Frame {
  const [at, ...entries] = bytes.toString("utf8", FRAME_HEAD_BYTES, bytes.length).split("\n");
  return { sequence, at: Number(at), bytes: bytes.length, entries };
}

/** Reads frames one after another from a file that nobody writes. */
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

  /** The frame of this number, or null when there is none: it was never written whole. */
  next(sequence: number): Frame | null {
    const position =
      [this.#position, ...STARTS].find((start) => this.#numberAt(start) === sequence) ??
      this.#search(sequence);
    if (position === null) return null;
    const bytes = this.#frameAt(position);
    if (bytes === null) return null;
    this.#position = position + bytes.length;
    return frameOf(sequence, bytes);
  }

  /** True when a later frame than this one is whole: then this one was whole as well, and something has damaged it. */
  isFollowed(sequence: number): boolean {
    return STARTS.some((start) => {
      let position = start;
      for (let frame = this.#frameAt(position); frame !== null; frame = this.#frameAt(position)) {
        if (frame.readDoubleLE(8) > sequence) return true;
        position += frame.length;
      }
      // The one that is not whole may still say how long it was.
      const length = this.#bytes(position, FRAME_HEAD_BYTES)?.readUInt32LE(0) ?? 0;
      return (this.#numberAt(position + FRAME_HEAD_BYTES + length) ?? 0) > sequence;
    });
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
