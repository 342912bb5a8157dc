import process from "node:process";
import { isObject } from "../../src/kernel/json.ts";
import { logbookOf, openBooked } from "../support/logbook.ts";

/* A process that keeps a logbook until it is killed: it enters what it is told, and says when that is on disk. */

const store = await openBooked(process.argv[2] ?? "");
const logbook = logbookOf(store);

process.on("message", (message: unknown) => {
  if (!isObject(message) || typeof message["entry"] !== "string") return;
  const { id, entry } = message;
  void logbook.enter(entry).then((entered) => process.send?.({ id, entered }));
});
process.on("disconnect", () => process.exit(0));
process.send?.({ ready: true });
