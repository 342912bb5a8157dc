import process from "node:process";
import { AppError } from "../../src/kernel/errors.ts";
import type { Log } from "../../src/ports/platform.ts";
import { openStore } from "../../src/storage/open.ts";
import { quiet } from "./store.samples.ts";

/* Opens a database in a process of its own and says which migrations begin, and what came of it. */
const [, , target = ""] = process.argv;
const log: Log = {
  ...quiet.log,
  info(event, fields) {
    if (event === "store.migrating") console.log(`schema ${fields?.schema ?? ""}`);
  },
};
try {
  const url = target.startsWith("postgres:") ? target : `sqlite:${target}`;
  const store = await openStore(url, { ...quiet, log });
  const { ready, reason } = await store.status();
  console.log(ready ? "ready true" : `storage_unavailable: ${reason ?? ""}`);
  await store.close();
} catch (error) {
  console.log(error instanceof AppError ? `${error.code}: ${error.message}` : String(error));
}
