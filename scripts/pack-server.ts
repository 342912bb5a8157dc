import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import process from "node:process";
import { rolldown } from "rolldown";

/*
 * Packs the service, its worker thread and suitectl with every npm package they use into dist/: a start reads a dozen
 * files instead of 1,500, and what is installed from npm needs no other package (docs/adr/0002).
 * `npm start` runs it when a source changed; tests and tools run src/ directly.
 *   node scripts/pack-server.ts [folder]
 */

const root = process.cwd();

/** Packages that others load only where they are installed, which they are not. */
const ABSENT = ["pg-native"];

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
  input: { main: "src/main.ts", worker: "src/workers/worker.ts", suitectl: "src/cli/main.ts" },
  platform: "node",
  // koa's depd evaluates what it wrote itself.
  checks: { eval: false },
  external: [/^node:(?!http$)/, ...ABSENT],
  plugins: [
    {
      name: "node-http-as-it-is",
      resolveId: (id) => (id === HTTP ? `\0${HTTP}` : null),
      load: (id) => (id === `\0${HTTP}` ? httpModule : null),
    },
    {
      name: "keep-module-addresses",
      // The web app and the suite are found relative to the module that names them: it stays where it was.
      transform(code, id) {
        if (!code.includes("import.meta.url")) return null;
        const source = JSON.stringify(`../${relative(root, id)}`);
        const moved = code
          .replaceAll('new URL("./worker.ts", import.meta.url)', 'new URL("./worker.mjs", HERE)')
          .replaceAll("import.meta.url", `new URL(${source}, import.meta.url).href`)
          .replaceAll("HERE", "import.meta.url");
        return { code: moved, map: null };
      },
    },
  ],
});
const folder = process.argv[2] ?? "dist";
const { output } = await bundle.write({
  dir: folder,
  format: "esm",
  entryFileNames: "[name].mjs",
  chunkFileNames: "[name]-[hash].mjs",
});
await bundle.close();
// For the inventory of the npm package.
const modules = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
writeFileSync(
  `${folder}/.modules.json`,
  JSON.stringify(modules.flatMap((id) => /node_modules\/[^?\0]+/.exec(id)?.[0] ?? []).toSorted()),
);
