import { workerData } from "node:worker_threads";
import { threadedLogWriter } from "./folder.ts";
import { keepFolding } from "./folding.ts";

/* The logbook's thread. */
await keepFolding(workerData, threadedLogWriter);
