import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
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

/** What `npm start` needs for its settings, `--help` and `--version`; the service is loaded after it. */
const BASE = ["src/config.ts", "src/config-table.ts", "src/kernel/service.ts"];
const folder = process.argv[2] ?? "dist";
const packed: string[] = [];

// Packed apart, a thread and the command line load what they use. Packed together, every part that two of them share
// would be a file of its own, and a start would read 84 files instead of three.
await pack({ main: "src/main.ts" }, true);
await pack({ worker: "src/workers/worker.ts" }, false);
await pack({ suitectl: "src/cli/main.ts" }, false);
// For the inventory of the npm package.
writeFileSync(`${folder}/.modules.json`, JSON.stringify([...new Set(packed)].toSorted()));

async function pack(input: Record<string, string>, isService: boolean): Promise<void> {
  const base = new Set<string>();
  const service = new Set<string>();
  const bundle = await rolldown({
    input,
    platform: "node",
    // koa's depd evaluates what it wrote itself; what is loaded late by a thread may be loaded anyway.
    checks: { eval: false, ineffectiveDynamicImport: false },
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
      {
        name: "what-the-service-loads",
        buildEnd() {
          const add = (id: string, to: Set<string>): void => {
            if (to.has(id)) return;
            to.add(id);
            for (const next of this.getModuleInfo(id)?.importedIds ?? []) add(next, to);
          };
          for (const file of BASE) add(join(root, file), base);
          if (isService) add(join(root, "src/app.ts"), service);
        },
      },
    ],
  });
  const { output } = await bundle.write({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].mjs",
    chunkFileNames: "[name]-[hash].mjs",
    comments: { legal: true, annotation: false, jsdoc: false },
    codeSplitting: {
      groups: [
        { name: "base", test: (id) => base.has(id), priority: 2 },
        { name: "service", test: (id) => service.has(id), priority: 1 },
      ],
    },
  });
  await bundle.close();
  for (const file of output) {
    if (file.type !== "chunk") continue;
    // Node keeps each source, with two bytes for every character as soon as one of them is not ASCII.
    writeFileSync(join(folder, file.fileName), escaped(file.code));
    packed.push(...file.moduleIds.flatMap((id) => /node_modules\/[^?\0]+/.exec(id)?.[0] ?? []));
  }
}

function escaped(code: string): string {
  return code.replaceAll(
    /[^\u0000-\u007f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
