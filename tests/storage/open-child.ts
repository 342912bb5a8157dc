import process from "node:process";
import { AppError } from "../../src/kernel/errors.ts";
import { openStore } from "../../src/storage/open.ts";
import { quiet } from "../../src/storage/store.samples.ts";

/* Opens a SQLite file in a process of its own and says what came of it. */
try {
  const store = await openStore(`sqlite:${process.argv[2] ?? ""}`, quiet);
  const { ready, reason } = await store.status();
  console.log(ready ? "ready true" : `storage_unavailable: ${reason ?? ""}`);
  await store.close();
} catch (error) {
  console.log(error instanceof AppError ? `${error.code}: ${error.message}` : String(error));
}
