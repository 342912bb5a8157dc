import process from "node:process";
import { createInterface } from "node:readline";
import { AppError } from "../../src/kernel/errors.ts";
import { openStore } from "../../src/storage/open.ts";
import { quiet } from "./store.samples.ts";

/* Writes one record for each line of standard input and says what came of it. */
const store = await openStore(`sqlite:${process.argv[2] ?? ""}`, quiet);
console.log("open");
for await (const name of createInterface({ input: process.stdin })) {
  try {
    await store.transact((tx) =>
      tx.idempotency.insert({ scope: "f", key: name, requestDigest: "", answer: {}, createdAt: "" }),
    );
    console.log(`kept ${name}`);
  } catch (error) {
    console.log(`${error instanceof AppError ? error.code : String(error)} ${name}`);
  }
}
await store.close();
