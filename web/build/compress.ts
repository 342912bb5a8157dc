import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import type { Plugin } from "vite";

const TEXT = /\.(js|css|html|svg|json|webmanifest|txt)$/;

/**
 * Puts a `.br` in the place of every text file, so that the service sends bytes and compresses nothing. Only that: npm
 * unpacks the whole package at each start of `npx <tarball>`.
 */
export function compress(): Plugin {
  let folder = "";
  return {
    name: "compress",
    apply: "build",
    configResolved(config) {
      folder = join(config.root, config.build.outDir);
    },
    async closeBundle() {
      const names = await readdir(folder, { recursive: true });
      for (const name of names.filter((name) => TEXT.test(name) && !name.startsWith("."))) {
        const path = join(folder, name);
        const bytes = await readFile(path);
        if (bytes.length < 512) continue;
        const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
        await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, { params }));
        await rm(path);
      }
    },
  };
}
