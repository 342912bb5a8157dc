import { workerData } from "node:worker_threads";
import { keepFolding } from "../../src/logbook/folding.ts";

/* A thread for a logbook that ends with the first frame that it should put into its tables. */

const gone = (): never => {
  throw new Error("the thread is gone");
};
await keepFolding(workerData, () => ({ append: gone, forgetKeys: gone }));
