import assert from "node:assert/strict";
import {
  closeSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import {
  bookMemory,
  FrameReader,
  FrameWriter,
  HALF_BYTES,
  payloadOf,
  prepareBook,
  SharedFrames,
} from "../../src/logbook/frames.ts";

const folder = mkdtempSync(join(tmpdir(), "logbook-frames-"));
after(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
function newBook(bookId = 7): string {
  const path = join(folder, `${++files}-logbook`);
  prepareBook(path, bookId);
  return path;
}

/** The book begins with a page about itself. */
const START = 4_096;
const LARGE = "x".repeat(1_024 * 1_024);

/** What is in a book from a number on, as far as it can be read. */
function readAll(path: string, from: number): { readonly entries: readonly string[]; readonly at: number }[] {
  const reader = new FrameReader(path);
  const frames = [];
  for (let next = from, frame = reader.next(next); frame !== null; frame = reader.next(++next)) {
    assert.equal(frame.sequence, next);
    frames.push({ entries: frame.entries, at: frame.at });
  }
  reader.close();
  return frames;
}

const entryText = fc.string({ unit: "grapheme", maxLength: 300 }).map((value) => JSON.stringify(value));
const batches = fc.array(fc.array(entryText, { minLength: 1, maxLength: 5 }), {
  minLength: 1,
  maxLength: 30,
});

test("frames come back as they were written, turn after turn in the same file", () => {
  const path = newBook();
  let sequence = 0;
  fc.assert(
    fc.property(batches, (written) => {
      // A writer that is opened anew begins at the front, over what others left there.
      const writer = new FrameWriter(path, sequence);
      const from = sequence + 1;
      for (const [index, entries] of written.entries()) {
        assert.equal(writer.write(payloadOf(index, entries), sequence), true);
      }
      writer.close();
      sequence += written.length;
      assert.deepEqual(
        readAll(path, from),
        written.map((entries, index) => ({ entries, at: index })),
      );
    }),
    { numRuns: 60 },
  );
});

test("damage never makes a wrong frame, and never takes an earlier one", () => {
  const path = newBook();
  const written = fc.sample(batches, { numRuns: 1, seed: 3 })[0] ?? [];
  const older = new FrameWriter(path, 0);
  for (let turn = 0; turn < 40; turn++) older.write(payloadOf(9, [`"left ${"over".repeat(turn)}"`]), 0);
  older.close();
  const file = openSync(path, "r+");
  const size = statSync(path).size;
  const writer = new FrameWriter(path, 100);
  const ends: number[] = [];
  for (const [index, entries] of written.entries()) writer.write(payloadOf(index, entries), 100);
  writer.close();
  const reader = new FrameReader(path);
  for (const index of written.keys()) ends.push((ends.at(-1) ?? 0) + (reader.next(101 + index)?.bytes ?? 0));
  reader.close();
  const total = ends.at(-1) ?? 0;
  const whole = Buffer.alloc(total);
  readSync(file, whole, 0, total, START);
  const expected = written.map((entries, index) => ({ entries, at: index }));
  const check = (damagedFrom: number): void => {
    const read = readAll(path, 101);
    assert.deepEqual(read, expected.slice(0, read.length), "a frame was read that was never written");
    const safe = ends.filter((end) => end <= damagedFrom).length;
    assert.ok(read.length >= safe, `${read.length} frames, ${safe} were whole`);
  };
  fc.assert(
    fc.property(
      fc.nat(total - 1),
      fc.oneof(
        fc.constant("cut" as const),
        fc.uint8Array({ minLength: 1, maxLength: 64 }),
        fc.integer({ min: 1, max: 255 }),
      ),
      (place, damage) => {
        if (damage === "cut") {
          ftruncateSync(file, START + place);
        } else {
          const bytes = typeof damage === "number" ? Uint8Array.of((whole[place] ?? 0) ^ damage) : damage;
          writeSync(file, bytes, 0, Math.min(bytes.length, total - place), START + place);
        }
        check(place);
        ftruncateSync(file, size);
        writeSync(file, whole, 0, total, START);
      },
    ),
    { numRuns: 300 },
  );
  check(total);
  assert.equal(readAll(path, 101).length, written.length);
  closeSync(file);
});

test("a half is used again only when everything in it may be overwritten", () => {
  const path = newBook();
  const writer = new FrameWriter(path, 0);
  const inHalf = Math.floor(HALF_BYTES / (LARGE.length + 32));
  let flushed = 0;
  for (let index = 0; index < 2 * inHalf; index++) {
    assert.equal(writer.write(payloadOf(index, [LARGE]), flushed), true);
  }
  for (flushed = 0; flushed < inHalf; flushed++) {
    assert.equal(writer.write(payloadOf(0, [LARGE]), flushed), false, `with ${flushed} of ${inHalf}`);
  }
  assert.equal(writer.sequence, 2 * inHalf);
  assert.equal(readAll(path, 1).length, 2 * inHalf, "what was refused has overwritten nothing");
  assert.equal(writer.write(payloadOf(1, [LARGE]), inHalf), true);
  assert.equal(writer.write(payloadOf(2, ["after"]), inHalf), true);
  // A reader may begin anywhere: at the newest, in the middle of a half, or before the change of halves.
  for (const from of [inHalf + 1, inHalf + 3, 2 * inHalf, 2 * inHalf + 1, 2 * inHalf + 2]) {
    assert.equal(readAll(path, from).length, 2 * inHalf + 3 - from, `from ${from}`);
  }
  assert.deepEqual(readAll(path, 2), [], "what was there before the half was used again is gone");
  assert.deepEqual(readAll(path, 2 * inHalf + 3), []);
  writer.close();
});

test("a reader in the same process sees what is written after it was opened", () => {
  const memory = bookMemory();
  const writer = new FrameWriter(newBook(), 40, memory);
  const reader = new SharedFrames(memory);
  assert.equal(reader.next(41), null);
  // Through both halves and on.
  const last = 41 + Math.ceil((3 * HALF_BYTES) / LARGE.length);
  for (let sequence = 41; sequence < last; sequence++) {
    const entries = [`"${sequence}"`, LARGE];
    assert.equal(writer.write(payloadOf(sequence, entries), sequence - 1), true);
    assert.deepEqual(reader.next(sequence)?.entries, entries);
    assert.equal(reader.next(sequence + 1), null);
  }
  writer.close();
});

test("frames of another book in the same file are none", () => {
  const path = newBook(1);
  const before = new FrameWriter(path, 0);
  for (let index = 0; index < 10; index++) before.write(payloadOf(index, ['"old"']), 0);
  before.close();
  prepareBook(path, 2);
  const reader = new FrameReader(path);
  assert.equal(reader.bookId, 2);
  reader.close();
  assert.deepEqual(readAll(path, 1), []);
  // The database is a copy from before: its numbers come again.
  const writer = new FrameWriter(path, 0);
  for (let index = 0; index < 3; index++) writer.write(payloadOf(index, ['"new"']), 0);
  writer.close();
  assert.deepEqual(
    readAll(path, 1).flatMap(({ entries }) => entries),
    ['"new"', '"new"', '"new"'],
  );
});
