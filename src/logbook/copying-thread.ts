import { workerData } from "node:worker_threads";
import { openWriter } from "../storage/sqlite/store.ts";
import { CopyState, type CopyPlan } from "./copier.ts";
import { flush } from "./flush.ts";

/*
 * Flushes SQLite's log and copies it back into its file whenever it is told to. What it could not copy, because somebody
 * reads it or copies at the same moment, the next one does.
 */

const plan: CopyPlan = workerData;
const state = new CopyState(plan.buffer);
const connection = openWriter(plan.databasePath);
while (state.awaitOrder()) {
  try {
    flush(plan.databasePath);
    connection.db.exec("PRAGMA wal_checkpoint(PASSIVE)");
    state.answer(true);
  } catch {
    state.answer(false);
  }
}
connection.close();
