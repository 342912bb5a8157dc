import { workerData } from "node:worker_threads";
import { keepFolding } from "./folding.ts";

/* The logbook's thread. */
await keepFolding(workerData);
