#!/usr/bin/env node
// Starts the service: `npx workflow-ui` and, after its set-up, `npm start`.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { isClone, isNodeNewEnough, root } from "./run.mjs";

const args = process.argv.slice(2);
const asks = (...flags) => args.some((arg) => flags.includes(arg));
if (asks("--help", "-h", "--version", "-v")) {
  const help = readFileSync(join(root, "bin", "help.txt"), "utf8");
  // Its first line is the version.
  process.stdout.write(asks("--help", "-h") ? help : `${help.split("\n", 1)[0]}\n`);
} else if (isNodeNewEnough(import.meta.url)) {
  const main = join(root, "dist", "main.mjs");
  if (!existsSync(main)) {
    process.stderr.write(`workflow-ui: this is a clone that was not built. Run npm start in ${root}.\n`);
    process.exit(1);
  }
  if (!isClone) process.env.SVC_DATA ||= "workflow-ui-data";
  await import("../dist/main.mjs");
}
