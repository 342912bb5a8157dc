import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError, type ErrorCode } from "../kernel/errors.ts";
import { boundedImage, IMAGE_BOUNDS } from "./image.ts";

function png(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(64);
  bytes.write("\x89PNG\r\n\x1a\n", "latin1");
  bytes.writeUInt32BE(13, 8);
  bytes.write("IHDR", 12, "latin1");
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

function jpeg(width: number, height: number): Buffer {
  const app = Buffer.from([0xff, 0xe0, 0x00, 0x04, 0x00, 0x00]);
  const frame = Buffer.from([
    0xff,
    0xc2,
    0x00,
    0x0b,
    8,
    height >> 8,
    height & 255,
    width >> 8,
    width & 255,
    1,
    0,
    0,
    0,
  ]);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), app, frame]);
}

function webp(kind: "VP8X" | "VP8L" | "VP8 ", width: number, height: number): Buffer {
  const bytes = Buffer.alloc(40);
  bytes.write("RIFF", "latin1");
  bytes.write(`WEBP${kind}`, 8, "latin1");
  if (kind === "VP8X") {
    bytes.writeUIntLE(width - 1, 24, 3);
    bytes.writeUIntLE(height - 1, 27, 3);
  } else if (kind === "VP8L") {
    bytes[20] = 0x2f;
    bytes.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 21);
  } else {
    bytes.writeUIntLE(0x2a019d, 23, 3);
    bytes.writeUInt16LE(width, 26);
    bytes.writeUInt16LE(height, 28);
  }
  return bytes;
}

function bmp(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(60);
  bytes.write("BM", "latin1");
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(-height, 22);
  return bytes;
}

function gif(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(20);
  bytes.write("GIF89a", "latin1");
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return bytes;
}

const refused = (code: ErrorCode) => (error: unknown) => error instanceof AppError && error.code === code;

describe("image bounds", () => {
  const formats = {
    png,
    jpeg,
    gif,
    bmp,
    vp8x: (w: number, h: number) => webp("VP8X", w, h),
    vp8l: (w: number, h: number) => webp("VP8L", w, h),
    vp8: (w: number, h: number) => webp("VP8 ", w, h),
  };
  for (const [name, make] of Object.entries(formats)) {
    it(`reads the size of a ${name} from its header, and refuses too many pixels`, () => {
      const { width, height } = boundedImage(make(640, 480).toString("base64"));
      assert.deepEqual([width, height], [640, 480]);
      if (name === "vp8l") return;
      assert.throws(() => boundedImage(make(16_383, 16_383).toString("base64")), refused("too_large"));
    });
  }
  it("takes a data URL and lines of base64", () => {
    const text = png(2, 2).toString("base64");
    assert.equal(boundedImage(`data:image/png;base64,${text}`).width, 2);
    assert.equal(boundedImage(text.replaceAll(/.{20}/g, "$&\n")).height, 2);
  });
  it("refuses what is not a raster image, or only claims to be one", () => {
    const bad = [
      "",
      "not base64!",
      Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>").toString("base64"),
      png(10, 10).subarray(0, 20).toString("base64"),
      jpeg(10, 10).subarray(0, 12).toString("base64"),
      png(0, 10).toString("base64"),
      Buffer.from([0xff, 0xd8, ...Array.from({ length: 100 }, () => 0xff)]).toString("base64"),
      Buffer.from("GIF89a").toString("base64"),
      "https://example.com/image.png",
    ];
    for (const text of bad)
      assert.throws(() => boundedImage(text), refused("invalid_input"), text.slice(0, 40));
  });
  it("refuses too many bytes before it decodes them", () => {
    assert.throws(() => boundedImage("A".repeat(IMAGE_BOUNDS.maxBytes * 2)), refused("too_large"));
    const large = Buffer.concat([png(2, 2), Buffer.alloc(IMAGE_BOUNDS.maxBytes)]).toString("base64");
    assert.throws(() => boundedImage(large), refused("too_large"));
  });
  it("refuses a bomb of 17,000 by 17,000 by its header alone", () => {
    assert.throws(() => boundedImage(png(17_000, 17_000).toString("base64")), refused("too_large"));
  });
});
