import process from "node:process";
import { formProperties } from "./form-properties.ts";

/*
 * `npm run fuzz:forms -- [runs]`: every property of the forms on 100,000 made-up inputs, or as many as asked for. Ends
 * with 1 and the smallest input that breaks one.
 */

const runs = Number(process.argv[2] ?? 100_000);
if (!Number.isInteger(runs) || runs < 1) {
  process.stderr.write("Give the number of runs, such as 100000.\n");
  process.exit(2);
}
for (const { name, check } of formProperties) {
  const started = Date.now();
  process.stdout.write(`${name} … `);
  check(runs);
  process.stdout.write(`${runs} runs in ${Math.round((Date.now() - started) / 1_000)} s\n`);
}
