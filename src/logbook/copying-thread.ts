import { workerData } from "node:worker_threads";
import { openWriter } from "../storage/sqlite/store.ts";
import { CopyState, type CopyPlan } from "./copier.ts";

/* Copies SQLite's log back into its file whenever it is told to. A copy that fails is made up for by the next one. */

const plan: CopyPlan = workerData;
const state = new CopyState(plan.buffer);
const connection = openWriter(plan.databasePath);
while (state.awaitOrder()) {
  connection.db.exec("PRAGMA wal_checkpoint(PASSIVE)");
  state.done();
}
connection.close();
