import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";

/*
 * Writes the npm package, workflow-ui-<version>.tgz, into release/ or a folder that is named: the two programs, the
 * packed server and the built web app, which need no other package (docs/adr/0004).
 *   npm run package [-- FOLDER]
 */

const COPIED = ["bin", "web/dist", "web/dist-app", "LICENSE", "README.md"];

const { description, engines, license, name, type, version } = JSON.parse(
  readFileSync("package.json", "utf8"),
);
const folder = process.argv[2] ?? "release";

const stage = mkdtempSync(path.join(tmpdir(), "package-"));
for (const part of COPIED) {
  cpSync(part, path.join(stage, part), {
    recursive: true,
    // The build leaves a note of what it was built from, which means nothing elsewhere.
    filter: (file) => !file.endsWith(".built.json"),
  });
}
execFileSync(process.execPath, ["scripts/pack-server.ts", path.join(stage, "dist")]);
const manifest = {
  name,
  version,
  description,
  license,
  type,
  keywords: ["mcp", "openapi", "json-schema", "forms", "workflow", "approvals"],
  bin: { "workflow-ui": "bin/workflow-ui.mjs", suitectl: "bin/suitectl.mjs" },
  files: [...COPIED, "dist", "bin/node24/package-lock.json"],
  engines,
};
writeFileSync(path.join(stage, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
mkdirSync(folder, { recursive: true });
const [packed] = JSON.parse(
  execFileSync("npm", ["pack", "--json", "--pack-destination", path.resolve(folder)], {
    cwd: stage,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  }),
);
rmSync(stage, { recursive: true, force: true });
console.log(
  `${path.join(folder, packed.filename)}: ${packed.entryCount} files, ${(packed.size / 1e6).toFixed(1)} MB`,
);
