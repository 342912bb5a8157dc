import { workerData } from "node:worker_threads";
import type { FactWriter } from "../../src/logbook/folder.ts";
import { keepFolding } from "../../src/logbook/folding.ts";

/* The logbook's thread without provenance: what is left is what everything else costs. */
const nothing: FactWriter = {
  append: () => Promise.resolve([]),
  forgetKeys: () => undefined,
};
await keepFolding(workerData, () => nothing);
