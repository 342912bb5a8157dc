import { AppError } from "../kernel/errors.ts";

/** The bounds of an image that is sent to be converted. */
export const IMAGE_BOUNDS = { maxBytes: 5 * 1024 * 1024, maxPixels: 16_000_000 } as const;

/** What the header of an image says. */
export interface ImageFacts {
  readonly format: "png" | "jpeg" | "gif" | "webp" | "bmp";
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * An image from a parameter (base64, or a data URL), bounded by what its header says before anything decodes it.
 * Only raster formats pass; SVG is a program and is refused.
 */
export function boundedImage(text: string): ImageFacts {
  const encoded = text.replace(/^data:[^,]*;base64,/i, "").replaceAll(/\s+/g, "");
  if (encoded.length > Math.ceil((IMAGE_BOUNDS.maxBytes * 4) / 3) + 4) throw tooLarge();
  if (encoded === "" || !BASE64.test(encoded)) {
    throw invalid("The image is not base64 text or a base64 data URL.");
  }
  const bytes = Buffer.from(encoded, "base64");
  if (bytes.byteLength > IMAGE_BOUNDS.maxBytes) throw tooLarge();
  const facts = pngOf(bytes) ?? jpegOf(bytes) ?? gifOf(bytes) ?? webpOf(bytes) ?? bmpOf(bytes);
  if (facts === null) {
    throw invalid("The image is not a PNG, JPEG, GIF, WebP or BMP file, or its header is cut off.");
  }
  if (facts.width < 1 || facts.height < 1) throw invalid("The image's header names no size.");
  if (facts.width * facts.height > IMAGE_BOUNDS.maxPixels) {
    throw new AppError("too_large", `The image has more than ${IMAGE_BOUNDS.maxPixels} pixels.`, {
      details: { width: facts.width, height: facts.height, maxPixels: IMAGE_BOUNDS.maxPixels },
    });
  }
  return { ...facts, bytes };
}

type Header = Omit<ImageFacts, "bytes">;

function pngOf(bytes: Buffer): Header | null {
  if (bytes.length < 33 || bytes.toString("latin1", 0, 8) !== "\x89PNG\r\n\x1a\n") return null;
  if (bytes.toString("latin1", 12, 16) !== "IHDR") return null;
  return { format: "png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gifOf(bytes: Buffer): Header | null {
  if (bytes.length < 13 || !/^GIF8[79]a$/.test(bytes.toString("latin1", 0, 6))) return null;
  return { format: "gif", width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function bmpOf(bytes: Buffer): Header | null {
  if (bytes.length < 54 || bytes.toString("latin1", 0, 2) !== "BM" || bytes.readUInt32LE(14) < 40)
    return null;
  return { format: "bmp", width: Math.abs(bytes.readInt32LE(18)), height: Math.abs(bytes.readInt32LE(22)) };
}

function webpOf(bytes: Buffer): Header | null {
  if (bytes.length < 30 || bytes.toString("latin1", 0, 4) !== "RIFF") return null;
  const kind = bytes.toString("latin1", 8, 16);
  if (kind === "WEBPVP8X") {
    return { format: "webp", width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) };
  }
  if (kind === "WEBPVP8L" && bytes[20] === 0x2f) {
    const bits = bytes.readUInt32LE(21);
    return { format: "webp", width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
  }
  if (kind === "WEBPVP8 " && bytes.readUIntLE(23, 3) === 0x2a019d) {
    return {
      format: "webp",
      width: bytes.readUInt16LE(26) & 0x3fff,
      height: bytes.readUInt16LE(28) & 0x3fff,
    };
  }
  return null;
}

/** Walks the segments up to the first frame header; everything before it has a length of its own. */
function jpegOf(bytes: Buffer): Header | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
  let at = 2;
  while (at + 9 < bytes.length) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame)
      return { format: "jpeg", width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    const standsAlone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    at += standsAlone ? 2 : 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

function invalid(message: string): AppError {
  return new AppError("invalid_input", message, { problems: [{ pointer: "/image", message }] });
}

function tooLarge(): AppError {
  return new AppError("too_large", `The image is larger than ${IMAGE_BOUNDS.maxBytes} bytes.`);
}
