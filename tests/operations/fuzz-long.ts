import { AppError } from "../../src/kernel/errors.ts";
import { makeOwner } from "../people/support.ts";
import { finish, plainArguments } from "../security/results.ts";
import { startService, TEST_KEY } from "../support/service.ts";
import { fuzzOperations } from "./fuzz.ts";

/*
 * `npm run fuzz:operations [-- COUNT [SEED] --record]`: every REST operation from its own declared schema, 100,000 requests by
 * default, a new seed each time.
 */

const ASKED = 100_000;
const [wanted, from] = plainArguments();
const count = Number(wanted ?? ASKED);
const seed = Number(from ?? Math.floor(Date.now() / 1_000));
const nowhere = (): Promise<never> =>
  Promise.reject(new AppError("blocked", "Nothing outside is reached in this test."));
const service = await startService({ fetcher: () => ({ fetch: nowhere, open: nowhere }) });
const { visitor, email } = await makeOwner(service);
process.stdout.write(`Fuzzing the operations with ${count} requests, seed ${seed}\n`);
const { requests, accepted, refused, deviations } = await fuzzOperations(service, {
  count,
  seed,
  async headersOf({ access }) {
    if (access === "public") return {};
    if (access !== "person") return { authorization: `Bearer ${TEST_KEY}` };
    // An operation before may have ended the session: then this is refused, or names no person.
    if (!(await visitor.ask("GET", "/api/svc/account")).data?.person) await visitor.signIn(email);
    return visitor.headers;
  },
  onProgress: (sent) => {
    const mb = Math.round(process.memoryUsage().rss / 2 ** 20);
    if (sent % 5_000 === 0) process.stdout.write(`${sent} sent, ${mb} MB resident\n`);
  },
});
await service.close();
for (const deviation of deviations) process.stdout.write(`${deviation}\n`);
finish(
  "L10",
  deviations.length === 0,
  `${deviations.length} deviations; ${accepted} accepted, ${refused} refused, seed ${seed}`,
  { done: requests, asked: ASKED, unit: "requests" },
);
