import { crc32 } from "node:zlib";

/* Several PNG pictures of one size as one that moves: APNG, which browsers and code hosts show. */

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

/** One picture that shows each of these for a time, again and again. */
export function animatedPicture(pictures: readonly Buffer[], milliseconds: number): Buffer {
  const frames = pictures.map(chunksOf);
  const head = frames[0]?.find(({ type }) => type === "IHDR")?.data ?? Buffer.alloc(0);
  if (frames.some((chunks) => chunks[0]?.data.equals(head) !== true))
    throw new Error("The pictures must have one size and one kind of colours.");
  let sequence = 0;
  const parts = frames.flatMap((chunks, nth) => {
    const control = Buffer.alloc(26);
    control.writeUInt32BE(sequence++, 0);
    head.copy(control, 4, 0, 8);
    control.writeUInt16BE(milliseconds, 20);
    control.writeUInt16BE(1_000, 22);
    const data = chunks.filter(({ type }) => type === "IDAT");
    // Who cannot show what moves shows the first picture, which is stored as in any PNG.
    const stored = data.map((chunk) =>
      nth === 0 ? chunk : { type: "fdAT", data: numbered(sequence++, chunk.data) },
    );
    return [{ type: "fcTL", data: control }, ...stored];
  });
  const count = Buffer.alloc(8);
  count.writeUInt32BE(frames.length, 0);
  const all = [
    { type: "IHDR", data: head },
    { type: "acTL", data: count },
    ...parts,
    { type: "IEND", data: Buffer.alloc(0) },
  ];
  return Buffer.concat([SIGNATURE, ...all.map(written)]);
}

function numbered(sequence: number, data: Buffer): Buffer {
  const number = Buffer.alloc(4);
  number.writeUInt32BE(sequence);
  return Buffer.concat([number, data]);
}

function chunksOf(png: Buffer): readonly Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    chunks.push({
      type: png.toString("latin1", at + 4, at + 8),
      data: png.subarray(at + 8, at + 8 + length),
    });
    at += length + 12;
  }
  return chunks;
}

function written({ type, data }: Chunk): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}
