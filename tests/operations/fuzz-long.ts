import { AppError } from "../../src/kernel/errors.ts";
import { asOperator, makeOwner, PASSWORD, tokenIn, Visitor, type Member } from "../people/support.ts";
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
let person: Pick<Member, "email" | "visitor"> = await makeOwner(service);
let people = 0;

/** Another person: a request that fits may have changed the password of the person before, or disabled the account. */
async function nextPerson(): Promise<typeof person> {
  const email = `person${++people}@example.com`;
  const invited = await asOperator(service, "POST", "/api/svc/people", {
    email,
    name: "Fuzz",
    role: "admin",
  });
  if (invited.status !== 201) throw new Error(`Nobody can be invited: ${invited.text}`);
  const visitor = new Visitor(service);
  const invitation = { token: tokenIn(invited.data.invitation.url), password: PASSWORD };
  await visitor.ask("POST", "/api/svc/invitations/follow", invitation);
  return { email, visitor };
}

process.stdout.write(`Fuzzing the operations with ${count} requests, seed ${seed}\n`);
const { requests, accepted, refused, deviations } = await fuzzOperations(service, {
  count,
  seed,
  async headersOf({ access }) {
    if (access === "public") return {};
    if (access !== "person") return { authorization: `Bearer ${TEST_KEY}` };
    // An operation before may have ended the session: then this is refused, or names no person.
    const isIn = async (): Promise<boolean> =>
      Boolean((await person.visitor.ask("GET", "/api/svc/account")).data?.person);
    if (!(await isIn())) await person.visitor.signIn(person.email);
    if (!(await isIn())) person = await nextPerson();
    return person.visitor.headers;
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
