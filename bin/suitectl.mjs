#!/usr/bin/env node
// The command line of Workflow-UI. Plain JavaScript: it runs on whatever Node (20 or newer) the machine has, and hands
// over to the Node that came with the packages when that one cannot run TypeScript.
import { existsSync } from "node:fs";
import nodeModule from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

if (process.features.typescript) {
  nodeModule.enableCompileCache?.();
  const { main } = await import("../src/cli/main.ts");
  process.exitCode = await main(process.argv.slice(2), process.env);
} else {
  const bundled = join(root, "node_modules", ".bin", "node");
  if (!existsSync(bundled)) {
    process.stderr.write(`suitectl: needs Node 22.18 or newer; this is ${process.version}.\n`);
    process.stderr.write(`Next: run npm install in ${root}, which brings the right Node along.\n`);
    process.exit(1);
  }
  const { spawn } = await import("node:child_process");
  const child = spawn(bundled, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: "inherit",
  });
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  // A terminal sends Ctrl-C to both of us; only what comes from elsewhere is passed on.
  process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"));
  child.on("exit", (code, signal) => process.exit(code ?? (signal === "SIGINT" ? 130 : 143)));
}
