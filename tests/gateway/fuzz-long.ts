import { startService } from "../support/service.ts";
import { fuzz } from "./fuzz.ts";

/* `npm run fuzz [-- COUNT [SEED]]`: a million made-up requests by default, a new seed each time. */

const count = Number(process.argv[2] ?? 1_000_000);
const seed = Number(process.argv[3] ?? Math.floor(Date.now() / 1000));
const service = await startService();
process.stdout.write(`Fuzzing with ${count} requests, seed ${seed}\n`);
const findings = await fuzz(service, {
  count,
  seed,
  maxMs: 1_000,
  onProgress: (sent) => {
    const mb = Math.round(process.memoryUsage().rss / 2 ** 20);
    if (sent % 20_000 === 0) process.stdout.write(`${sent} sent, ${mb} MB resident\n`);
  },
});
await service.close();
for (const { seed: from, problem, shot } of findings.slice(0, 20)) {
  process.stdout.write(
    `seed ${from}: ${problem}\n  ${shot.method} ${shot.path} ${String(shot.body).slice(0, 500)}\n`,
  );
}
process.stdout.write(`${findings.length} findings in ${count} requests\n`);
process.exit(findings.length === 0 ? 0 : 1);
