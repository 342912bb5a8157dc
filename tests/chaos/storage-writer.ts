import { writeSync } from "node:fs";
import process from "node:process";
import { openStore } from "../../src/storage/open.ts";
import { quiet } from "../../src/storage/store.samples.ts";

/*
 * Writes until it is killed: `node storage-writer.ts <database URL> <round>`. Each transaction keeps an answer and
 * an event for it; its name goes to standard output only after the store has confirmed it.
 */
const [url = "", round = "0"] = process.argv.slice(2);
const store = await openStore(url, quiet);
let next = 0;

async function writeOn(): Promise<void> {
  for (;;) {
    const name = `${round}/${next++}`;
    await store.transact(async (tx) => {
      await tx.idempotency.insert({
        scope: "chaos",
        key: name,
        requestDigest: name,
        answer: { name, padding: "x".repeat(200) },
        createdAt: new Date().toISOString(),
      });
      await tx.events.append([
        { type: "svc.run.queued", subject: name, traceparent: null, data: { id: name }, publicData: null },
      ]);
    });
    writeSync(1, `${name}\n`);
  }
}

await Promise.all(Array.from({ length: 8 }, writeOn));
