import { existsSync, readFileSync } from "node:fs";
import { AppError } from "../../kernel/errors.ts";

/*
 * SQLite reads its write-ahead log up to the first frame that does not fit its checksum and takes the rest for remains of
 * an unfinished commit. That is right after a power failure, when at most one commit is unfinished, and wrong when
 * something has damaged the file: then every commit behind the damage would be lost without a word. The format is
 * described in https://sqlite.org/fileformat2.html#walformat.
 */

const HEADER = 32;
const FRAME_HEADER = 24;
const MAGIC = 0x377f0682;

/** What is wrong with the write-ahead log of a database, or null when nothing is. */
export function walDamage(databasePath: string): string | null {
  const path = `${databasePath}-wal`;
  if (!existsSync(path) || !existsSync(databasePath)) return null;
  const wal = readFileSync(path);
  if (wal.length <= HEADER) return null;
  const pageSize = pageSizeOf(wal);
  if (pageSize === null) return `${path} does not begin as a write-ahead log does.`;
  const frames = Math.floor((wal.length - HEADER) / (FRAME_HEADER + pageSize));
  const isBigEndian = (wal.readUInt32BE(0) & 1) === 1;
  const sum = checksum(wal, 0, 24, [0, 0], isBigEndian);
  const hasHeader = (wal.readUInt32BE(0) & ~1) >>> 0 === MAGIC && isSum(wal, 24, sum);
  const readable = hasHeader ? readableFrames(wal, pageSize, frames, sum, isBigEndian) : 0;
  // A header that is whole may have been written for the next generation by a process that was killed before its first
  // frame: what stands behind it is in the database already. A damaged one says nothing: then the first frame counts.
  const lost = commitsFrom(wal, pageSize, readable, frames, hasHeader ? 16 : HEADER + 8);
  // One commit may be unfinished; a second one behind it was begun after the first had been on disk.
  if (lost < 2) return null;
  return `${path} is damaged at frame ${readable + 1} of ${frames}: ${lost} commits after it cannot be read.`;
}

/** Refuses a database whose write-ahead log is damaged, before SQLite drops what is behind the damage. */
export function refuseDamagedWal(databasePath: string): void {
  const damage = walDamage(databasePath);
  if (damage === null) return;
  throw new AppError("storage_unavailable", `${damage} The files were left untouched.`, {
    nextAction: "Restore a backup. To go on without those commits, move the -wal file away and start again.",
  });
}

/** The page size is a power of two from 512 to 65,536; it stands in the header, whose checksum may be broken. */
function pageSizeOf(wal: Buffer): number | null {
  const size = wal.readUInt32BE(8);
  return size >= 512 && size <= 65_536 && Number.isInteger(Math.log2(size)) ? size : null;
}

/** How many frames SQLite would read behind a header that is whole. */
function readableFrames(
  wal: Buffer,
  pageSize: number,
  frames: number,
  header: readonly [number, number],
  isBigEndian: boolean,
): number {
  let sum = header;
  for (let nth = 0; nth < frames; nth++) {
    const at = HEADER + nth * (FRAME_HEADER + pageSize);
    if (!hasSalts(wal, at, 16)) return nth;
    sum = checksum(wal, at, 8, sum, isBigEndian);
    sum = checksum(wal, at + FRAME_HEADER, pageSize, sum, isBigEndian);
    if (!isSum(wal, at + 16, sum)) return nth;
  }
  return frames;
}

/** How many commits of the generation with these salts there are from a frame on. */
function commitsFrom(wal: Buffer, pageSize: number, from: number, frames: number, salts: number): number {
  let commits = 0;
  for (let nth = from; nth < frames; nth++) {
    const at = HEADER + nth * (FRAME_HEADER + pageSize);
    if (hasSalts(wal, at, salts) && wal.readUInt32BE(at + 4) !== 0) commits++;
  }
  return commits;
}

function hasSalts(wal: Buffer, frame: number, salts: number): boolean {
  return (
    wal.readUInt32BE(frame + 8) === wal.readUInt32BE(salts) &&
    wal.readUInt32BE(frame + 12) === wal.readUInt32BE(salts + 4)
  );
}

function isSum(wal: Buffer, at: number, [first, second]: readonly [number, number]): boolean {
  return wal.readUInt32BE(at) === first && wal.readUInt32BE(at + 4) === second;
}

function checksum(
  wal: Buffer,
  from: number,
  length: number,
  [first, second]: readonly [number, number],
  isBigEndian: boolean,
): readonly [number, number] {
  let a = first;
  let b = second;
  for (let at = from; at < from + length; at += 8) {
    a = (a + (isBigEndian ? wal.readUInt32BE(at) : wal.readUInt32LE(at)) + b) >>> 0;
    b = (b + (isBigEndian ? wal.readUInt32BE(at + 4) : wal.readUInt32LE(at + 4)) + a) >>> 0;
  }
  return [a, b];
}
