import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { rolldown } from "rolldown";

/*
 * What the packages add to a page: a bundle of what is imported from their dist/, minified, without React. Budgets are
 * in bytes as a server sends them with Brotli.
 */

const DIST = fileURLToPath(new URL("../packages/", import.meta.url));

/** What is measured, and how large it may be. */
export const BUDGETS = [
  { name: "compile", code: 'export { compileForm } from "@workflow-ui/forms";', most: 25_000 },
  {
    name: "page",
    code: 'export { compileForm, wireText } from "@workflow-ui/forms"; export { Form, useFormStore } from "@workflow-ui/forms-react";',
    most: 52_000,
  },
  {
    name: "all",
    code: 'export * from "@workflow-ui/forms"; export * from "@workflow-ui/forms/check"; export * from "@workflow-ui/forms/sample"; export * from "@workflow-ui/forms-react";',
    // 60,000 until requests were built byte for byte as OpenAPI and WHATWG say.
    most: 62_000,
  },
  // Loaded only where a schema is compiled with its hints.
  { name: "hints", code: 'export * from "@workflow-ui/forms/hints";', most: 9_000 },
] as const;

/** The size of a bundle in bytes. */
export interface PackageSize {
  readonly minified: number;
  readonly gzip: number;
  readonly brotli: number;
  /** The modules inside, for a look at what is large. */
  readonly modules: readonly { readonly id: string; readonly bytes: number }[];
}

/** The built file of what is imported from a package: `@workflow-ui/forms/check` → its dist/…/check.js. */
function builtModule(specifier: string): string | null {
  const [, name, entry = "index"] = /^@workflow-ui\/([a-z-]+)(?:\/(.+))?$/.exec(specifier) ?? [];
  return name === undefined ? null : join(DIST, name, "dist", `${entry}.js`);
}

/** Measures what a module with this code would load. The packages must have been built. */
export async function sizeOf(code: string): Promise<PackageSize> {
  const entry = join(DIST, "entry.js");
  const bundle = await rolldown({
    input: entry,
    platform: "browser",
    external: /^react(\/|$)/,
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === entry ? id : builtModule(id)),
        load: (id) => (id === entry ? code : null),
      },
    ],
    onLog: (_level, log) => {
      if (log.code !== "MODULE_LEVEL_DIRECTIVE") throw new Error(log.message);
    },
  });
  // Vite's build of a page leaves comments out too.
  const { output } = await bundle.generate({
    format: "esm",
    minify: true,
    comments: false,
    codeSplitting: false,
  });
  await bundle.close();
  const [chunk] = output;
  const modules = Object.entries(chunk.modules).map(([id, { renderedLength: bytes }]) => ({ id, bytes }));
  return {
    minified: chunk.code.length,
    gzip: gzipSync(chunk.code, { level: 9 }).length,
    brotli: brotliCompressSync(chunk.code).length,
    modules: modules.toSorted((a, b) => b.bytes - a.bytes),
  };
}
