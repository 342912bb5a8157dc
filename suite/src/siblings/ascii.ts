import sharp from "sharp";
import { sha256Hex } from "../../../src/kernel/canonical-json.ts";
import type { JsonObject } from "../../../src/kernel/json.ts";
import { Refusal } from "../http.ts";
import { contentId, subjectOf, textOf } from "../parts.ts";
import { showRoute } from "../show.ts";
import type { SiblingContext, SiblingDefinition } from "../sibling.ts";

const MAX_PIXELS = 16_000_000;
const MAX_BYTES = 5 * 1024 * 1024;
const DEFAULT_CHARSET = "@%#*+=-:. ";
const RASTER = new Set(["png", "jpeg", "gif", "webp"]);
/** A character is about twice as high as it is wide. */
const CELL = 2;

/** Turns raster images into text with sharp. */
export const ascii: SiblingDefinition = {
  name: "ascii",
  routes: (context) => [
    {
      method: "POST",
      path: "/api/ascii/convert",
      isProtected: true,
      handle: async ({ body }) => ({ data: await convert(body, context) }),
    },
    showRoute(context, { path: "/api/ascii/conversions", prefix: "conversion", isProtected: false }),
  ],
  async work(packet, context) {
    const data = await convert(subjectOf(packet.payload ?? {}), context);
    const id = textOf(data, "conversionId");
    return { status: "completed", resultRef: `${context.url}/api/ascii/conversions/${id}`, result: data };
  },
};

async function convert(request: JsonObject, context: SiblingContext): Promise<JsonObject> {
  const image = Buffer.from(textOf(request, "image"), "base64");
  if (image.byteLength === 0 || image.byteLength > MAX_BYTES) {
    throw new Refusal(422, "invalid_input", "Give an image of at most 5 MB as base64.");
  }
  const columns = bounded(request["columns"], 80);
  const charset = textOf(request, "charset", DEFAULT_CHARSET);
  const ramp = request["inverted"] === true ? charset.split("").toReversed().join("") : charset;
  if (!/^[\x20-\x7e]{2,100}$/.test(charset))
    throw new Refusal(422, "invalid_input", "The charset is not usable.");
  const { cells, rows } = await brightness(image, columns, request["grayscale"] !== false);
  const lines = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (__, column) => {
      const value = cells[row * columns + column] ?? 255;
      return ramp.charAt(Math.min(ramp.length - 1, Math.floor((value / 256) * ramp.length)));
    }).join(""),
  );
  const text = lines.join("\n");
  const record = {
    conversionId: contentId("conversion", `${sha256Hex(image)}\n${text}`),
    imageDigest: `sha256:${sha256Hex(image)}`,
    columns,
    rows,
    text,
  };
  await context.results.put(record.conversionId, record);
  return record;
}

/** One value from 0 to 255 a cell: the weighed brightness, or the strongest channel. */
async function brightness(
  image: Buffer,
  columns: number,
  grayscale: boolean,
): Promise<{ readonly cells: readonly number[]; readonly rows: number }> {
  try {
    const source = sharp(image, { limitInputPixels: MAX_PIXELS, pages: 1, failOn: "error" });
    const { format, width, height } = await source.metadata();
    if (format === undefined || !RASTER.has(format)) throw new Error("not a raster format");
    const rows = Math.max(1, Math.min(1_000, Math.round((height / width) * (columns / CELL))));
    const small = source.flatten({ background: "#ffffff" }).resize(columns, rows, { fit: "fill" });
    const pixels = await (grayscale ? small.grayscale() : small.removeAlpha().toColourspace("srgb"))
      .raw()
      .toBuffer();
    const channels = Math.max(1, Math.round(pixels.length / (columns * rows)));
    const cells = Array.from({ length: columns * rows }, (_, cell) =>
      Math.max(...pixels.subarray(cell * channels, (cell + 1) * channels)),
    );
    return { cells, rows };
  } catch {
    throw new Refusal(
      422,
      "invalid_input",
      "The image is not a PNG, JPEG, GIF or WebP of at most 16 megapixels.",
    );
  }
}

function bounded(value: unknown, fallback: number): number {
  return typeof value === "number" && value >= 8 && value <= 400 ? Math.round(value) : fallback;
}
