import { finish, plainArguments } from "../security/results.ts";
import { startService } from "../support/service.ts";
import { fuzz } from "./fuzz.ts";

/*
 * `npm run fuzz [-- COUNT [SEED] --max-ms=1000 --minutes=N --record]`: a million made-up requests by default, a new seed each
 * time. A run with another bound than one second is recorded with it; after the minutes it ends with what it has sent.
 */

const ASKED = 1_000_000;
const ASKED_MS = 1_000;
const [wanted, from] = plainArguments();
const count = Number(wanted ?? ASKED);
const seed = Number(from ?? Math.floor(Date.now() / 1000));
const maxMs = Number(
  process.argv.find((text) => text.startsWith("--max-ms="))?.slice("--max-ms=".length) ?? ASKED_MS,
);
const minutes = Number(
  process.argv.find((text) => text.startsWith("--minutes="))?.slice("--minutes=".length) ?? Infinity,
);
const end = Date.now() + minutes * 60_000;
let done = 0;
const service = await startService();
process.stdout.write(`Fuzzing with ${count} requests, seed ${seed}\n`);
const findings = await fuzz(service, {
  count,
  seed,
  maxMs,
  onProgress: (sent) => {
    done = sent;
    const mb = Math.round(process.memoryUsage().rss / 2 ** 20);
    if (sent % 20_000 === 0) process.stdout.write(`${sent} sent, ${mb} MB resident\n`);
    return Date.now() < end;
  },
});
await service.close();
for (const { seed: chunkSeed, problem, shot } of findings.slice(0, 20)) {
  process.stdout.write(
    `seed ${chunkSeed}: ${problem}\n  ${shot.method} ${shot.path} ${String(shot.body).slice(0, 500)}\n`,
  );
}
finish("L4", findings.length === 0, `${findings.length} findings, seed ${seed}`, {
  done,
  asked: ASKED,
  unit: "requests",
  ...(maxMs > ASKED_MS && { but: `answers up to ${maxMs / 1_000} s were let pass` }),
});
