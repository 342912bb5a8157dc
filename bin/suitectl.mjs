#!/usr/bin/env node
// The command line of Workflow-UI: the pack where it was installed, the sources in a clone.
import nodeModule from "node:module";
import process from "node:process";
import { isClone, isNodeNewEnough } from "./run.mjs";

if (isNodeNewEnough(import.meta.url)) {
  nodeModule.enableCompileCache();
  if (!isClone) process.env.SVC_DATA ||= "workflow-ui-data";
  const { main } = isClone ? await import("../src/cli/main.ts") : await import("../dist/suitectl.mjs");
  process.exitCode = await main(process.argv.slice(2), process.env);
}
