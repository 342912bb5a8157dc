import { relative } from "node:path";
import process from "node:process";
import { rolldown } from "rolldown";

/*
 * Packs src/main.ts and the packages it needs at start into dist/, so that a start reads a dozen files instead of
 * 1,500 (docs/adr/0011). `npm start` runs it when a source changed and then runs dist/main.mjs; everything else, tests
 * and tools included, runs src/ directly.
 */

const root = process.cwd();

/**
 * An ES import of node:http reads every property of the module, and `WebSocket` among them loads Node's own undici: a
 * tenth of the start for nothing. The pack takes the module as it is and exports what needs no such work.
 */
const HTTP = "node:http";
const properties = Object.entries(Object.getOwnPropertyDescriptors(process.getBuiltinModule(HTTP)));
const ready = properties.flatMap(([name, property]) => ("value" in property ? [name] : []));
const httpModule = `const http = process.getBuiltinModule("${HTTP}");
export default http;
export const { ${ready.join(", ")} } = http;
`;

const bundle = await rolldown({
  input: "src/main.ts",
  platform: "node",
  // Loaded only when they are needed, and found in node_modules as ever.
  external: [/^node:(?!http$)/, "pg", "pg-boss", /^@modelcontextprotocol\//],
  plugins: [
    {
      name: "node-http-as-it-is",
      resolveId: (id) => (id === HTTP ? `\0${HTTP}` : null),
      load: (id) => (id === `\0${HTTP}` ? httpModule : null),
    },
    {
      name: "keep-module-addresses",
      // Workers, the web app and the suite are found relative to the module that names them: it stays where it was.
      transform(code, id) {
        if (!code.includes("import.meta.url")) return null;
        const source = JSON.stringify(`../${relative(root, id)}`);
        return {
          code: code.replaceAll("import.meta.url", `new URL(${source}, import.meta.url).href`),
          map: null,
        };
      },
    },
  ],
});
await bundle.write({
  dir: "dist",
  format: "esm",
  entryFileNames: "main.mjs",
  chunkFileNames: "[name]-[hash].mjs",
});
await bundle.close();
