import process from "node:process";
import { openStore } from "../../src/storage/open.ts";
import { quiet } from "../storage/store.samples.ts";

/*
 * Writes until it is killed: `node storage-writer.ts <database URL> <round>`. Each transaction keeps an answer and
 * an event for it; its name goes to standard output only after the store has confirmed it. A reader that is slow, as on
 * a busy machine, slows the writer down: a synchronous write into the full pipe would fail with EAGAIN.
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
        {
          type: "svc.run.queued",
          subject: name,
          traceparent: null,
          data: { id: name },
          publicData: null,
          madeIn: null,
        },
      ]);
    });
    await new Promise<void>((written) => {
      process.stdout.write(`${name}\n`, () => written());
    });
  }
}

await Promise.all(Array.from({ length: 8 }, writeOn));
