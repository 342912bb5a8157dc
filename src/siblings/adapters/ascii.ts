import { sha256Hex } from "../../kernel/canonical-json.ts";
import type { Adapter } from "../adapter.ts";
import { idOf } from "../confirm.ts";

/** Turns images into text. */
export const asciiAdapter: Adapter = {
  name: "ascii",
  title: "ASCII converter",
  purpose: "Converts a raster image into ASCII text.",
  timeoutMs: 10_000,
  calls: {
    convert: {
      method: "POST",
      path: () => "/api/ascii/convert",
      safe: true,
      confirm(data, { payload }) {
        const id = idOf(data["conversionId"], "conversion");
        if (id === null) return { problem: "The conversion has no id." };
        const image =
          typeof payload["image"] === "string" ? Buffer.from(payload["image"], "base64") : Buffer.alloc(0);
        if (data["imageDigest"] !== `sha256:${sha256Hex(image)}`) {
          return { problem: "The conversion is of another image." };
        }
        const { text, columns, rows } = data;
        if (typeof text !== "string" || text === "") return { problem: "The conversion has no text." };
        const lines = text.split("\n");
        if (lines.length !== rows || lines.some((line) => line.length !== columns)) {
          return { problem: "The text does not have the size the answer names." };
        }
        return { resultRef: id, kind: "artifact", data };
      },
    },
  },
};
