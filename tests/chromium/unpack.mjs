// Unpacks the Chromium of the npm package into the folder that is named, and writes `run` beside it, which starts it.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

const [folder = ""] = process.argv.slice(2);
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
// The package unpacks where temporary files go, and its libraries only where it takes the machine for a bare one.
process.env.TMPDIR = folder;
process.env.AWS_LAMBDA_JS_RUNTIME = "nodejs24.x";
const { default: chromium } = await import("@sparticuz/chromium");
const program = await chromium.executablePath();
chmodSync(program, 0o755);

// The package's own file names the folders of another kind of machine; without a font Chromium dies at the first input.
writeFileSync(
  join(folder, "fonts", "fonts.conf"),
  `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`,
);
const script = `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
export LD_LIBRARY_PATH="$here/al2023/lib" FONTCONFIG_PATH="$here/fonts"
exec "$here/chromium" "$@"
`;
const written = join(folder, "run.new");
writeFileSync(written, script, { mode: 0o755 });
const { status, error, stderr } = spawnSync(written, ["--version"], { encoding: "utf8" });
if (status !== 0) {
  console.error(`It does not start here: ${error?.message ?? stderr}`);
  process.exit(1);
}
// Appears only when it was seen to start.
renameSync(written, join(folder, "run"));
