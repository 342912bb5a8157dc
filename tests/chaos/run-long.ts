import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/* Every long crash test of this folder in turn: `npm run chaos [-- rounds]`. The first that fails ends it. */
const here = dirname(fileURLToPath(import.meta.url));

for (const file of globSync("*-long.ts", { cwd: here }).toSorted()) {
  if (file === "run-long.ts") continue;
  console.log(`\n== ${file} ==`);
  const { status } = spawnSync(process.execPath, [`${here}/${file}`, ...process.argv.slice(2)], {
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
}
