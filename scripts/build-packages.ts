import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { rolldown, type Plugin } from "rolldown";
import { packageStyles } from "../web/build/package-styles.ts";
import { BUDGETS, sizeOf } from "./package-sizes.ts";

/*
 * Builds packages/forms and packages/forms-react into their dist/ (docs/adr/0013): modules, declarations, the style
 * sheet and the licences of what is inside. Modules stay modules, so that a bundler leaves out what is not used.
 *   npm run build:packages
 */

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const ICON = /lucide-react\/dist\/esm\/icons\//;
const CORE = /^@workflow-ui\/forms(\/|$)/;

/** Builds both packages. */
export async function buildPackages(): Promise<void> {
  for (const name of ["forms", "forms-react"])
    await rm(join(ROOT, "packages", name, "dist"), { recursive: true, force: true });
  await Promise.all([
    writeModules("forms", [
      "index.ts",
      "check.ts",
      "sample.ts",
      "hints.ts",
      "schema.ts",
      "state/check-worker.ts",
    ]),
    writeModules("forms-react", ["index.ts", "languages/ar.ts", "languages/de.ts", "languages/language.ts"]),
    writeStyles(),
    // The declarations of the renderer name those of the compiler.
    writeTypes("forms").then(() => writeTypes("forms-react")),
  ]);
}

async function writeModules(name: string, entries: readonly string[]): Promise<void> {
  const folder = join(ROOT, "packages", name);
  const sources = `packages/${name}/src/`;
  const bundle = await rolldown({
    cwd: ROOT,
    input: entries.map((entry) => join(ROOT, sources, entry)),
    platform: "browser",
    external: [CORE, /^react(\/|$)/, /^react-dom(\/|$)/],
    plugins: [pointAtBuiltWorker, plainIcons],
    onLog: (_level, log) => {
      // lucide-react marks its modules for React servers; ours are marked as a whole.
      if (log.code !== "MODULE_LEVEL_DIRECTIVE") throw new Error(log.message);
    },
  });
  const { output } = await bundle.write({
    dir: join(folder, "dist"),
    format: "esm",
    preserveModules: true,
    preserveModulesRoot: ROOT,
    entryFileNames: ({ name }) => `${name.replace(sources, "").replace("node_modules/", "vendor/")}.js`,
    ...(name === "forms-react" && { banner: '"use client";' }),
  });
  await bundle.close();
  const modules = output.flatMap((file) => (file.type === "chunk" ? Object.keys(file.modules) : []));
  await cp(join(ROOT, "LICENSE"), join(folder, "dist/LICENSE"));
  await writeNotices(join(folder, "dist"), modules);
}

/** Bundlers find the worker by the address beside the module that opens it. */
const pointAtBuiltWorker: Plugin = {
  name: "point-at-built-worker",
  transform: (code, id) =>
    id.endsWith("open-worker.ts") ? code.replace("./check-worker.ts", "./check-worker.js") : null,
};

/** Every icon of the renderer is a decoration of one look; lucide's own runtime for all looks has 3 kB. */
const plainIcons: Plugin = {
  name: "plain-icons",
  load: (id) =>
    id.endsWith("lucide-react/dist/esm/createLucideIcon.mjs")
      ? `import { createElement } from "react";
const look = { xmlns: "http://www.w3.org/2000/svg", width: 24, height: 24, viewBox: "0 0 24 24", fill: "none", stroke: "currentColor", strokeWidth: 2, strokeLinecap: "round", strokeLinejoin: "round", "aria-hidden": true };
const create = (icon) => {
  const parts = icon.node.map(([tag, attributes]) => createElement(tag, attributes));
  return (props) => createElement("svg", { ...look, ...props }, ...parts);
};
export default create;`
      : null,
  // Parts of an icon never change places: they need no keys.
  transform: (code, id) => (ICON.test(id) ? code.replaceAll(/, key: "[^"]*"/g, "") : null),
};

/** The licences of the packages whose code is inside. */
async function writeNotices(dist: string, modules: readonly string[]): Promise<void> {
  const homes = new Set(modules.flatMap((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? []));
  if (homes.size === 0) return;
  const texts = await Promise.all(
    [...homes].sort().map(async (home) => {
      const [licence = ""] = globSync(`${home}/LICENSE*`);
      return `${relative(join(ROOT, "node_modules"), home)}\n\n${await readFile(licence, "utf8")}`;
    }),
  );
  await writeFile(join(dist, "THIRD-PARTY-NOTICES.txt"), texts.join("\n\n"));
}

async function writeStyles(): Promise<void> {
  const dist = join(ROOT, "packages/forms-react/dist");
  const css = await packageStyles();
  await mkdir(dist, { recursive: true });
  await writeFile(join(dist, "styles.css"), css);
}

async function writeTypes(name: string): Promise<void> {
  const folder = join(ROOT, "packages", name);
  const child = spawn(join(ROOT, "node_modules/.bin/tsc"), ["-p", join(folder, "tsconfig.build.json")], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  child.stdout.on("data", (data: Buffer) => (printed += data.toString()));
  child.stderr.on("data", (data: Buffer) => (printed += data.toString()));
  await once(child, "close");
  if (child.exitCode !== 0) throw new Error(`The declarations of ${name} were not made:\n${printed}`);
  // The modules beside them have another extension.
  for (const file of globSync(join(folder, "dist/**/*.d.ts"))) {
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replaceAll(/(["']\.{1,2}\/[^"']+)\.tsx?(["'])/g, "$1.js$2"));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildPackages();
  for (const { name, code, most } of BUDGETS) {
    const { minified, gzip, brotli } = await sizeOf(code);
    console.log(
      `${name}: ${brotli} bytes with Brotli of at most ${most} (gzip ${gzip}, minified ${minified})`,
    );
  }
}
