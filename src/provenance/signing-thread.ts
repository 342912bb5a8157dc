import { createPrivateKey, sign } from "node:crypto";
import { workerData } from "node:worker_threads";
import { Exchange, type SigningPlan } from "./batch-signer.ts";

/* Signs what is put into the exchange, for as long as its process lives. */

const plan: SigningPlan = workerData;
const exchange = new Exchange(plan.buffer);
const key = createPrivateKey({
  key: Buffer.from(plan.privateKey, "base64"),
  format: "der",
  type: "pkcs8",
});
while (exchange.awaitOrder()) exchange.answer((message) => sign(null, message, key));
