import { workerData } from "node:worker_threads";
import { Exchange, type SigningPlan } from "./batch-signer.ts";
import { quickSigner } from "./ed25519.ts";

/* Signs what is put into the exchange, for as long as its process lives. */

const plan: SigningPlan = workerData;
const exchange = new Exchange(plan.buffer);
const sign = await quickSigner(plan.privateKey);
while (exchange.awaitOrder()) exchange.answer(sign);
