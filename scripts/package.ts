import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import process from "node:process";
import { partsOf, renderNotices, renderSbom } from "./inventory.ts";

/*
 * Writes the npm package, workflow-ui-<version>.tgz, into release/ or a folder that is named: the two programs, the
 * packed server and the built web app, which need no other package (docs/adr/0002).
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
    // The build leaves notes of what it was built from.
    filter: (file) => !/\/\.(built|modules)\.json/.test(file),
  });
}
execFileSync(process.execPath, ["scripts/pack-server.ts", path.join(stage, "dist")]);
const modules = [path.join(stage, "dist"), "web/dist", "web/dist-app"].flatMap((built): string[] =>
  JSON.parse(readFileSync(path.join(built, ".modules.json"), "utf8")),
);
rmSync(path.join(stage, "dist/.modules.json"));
const parts = partsOf(modules);
writeFileSync(path.join(stage, "sbom.cdx.json"), renderSbom({ name, version, license }, parts));
writeFileSync(path.join(stage, "THIRD-PARTY-LICENSES.txt"), renderNotices(parts));
const manifest = {
  name,
  version,
  description,
  license,
  type,
  // The MCP registry compares it, and npm's provenance the address of the repository.
  mcpName: JSON.parse(readFileSync("server.json", "utf8")).name,
  ...(process.env["REPOSITORY_URL"] !== undefined && { repository: process.env["REPOSITORY_URL"] }),
  keywords: ["mcp", "openapi", "json-schema", "forms", "workflow", "approvals"],
  bin: { "workflow-ui": "bin/workflow-ui.mjs", suitectl: "bin/suitectl.mjs" },
  files: [...COPIED, "dist", "bin/node24/package-lock.json", "sbom.cdx.json", "THIRD-PARTY-LICENSES.txt"],
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
  `${path.join(folder, packed.filename)}: ${packed.entryCount} files, ${(packed.size / 1e6).toFixed(1)} MB, ${parts.length} packages inside`,
);
