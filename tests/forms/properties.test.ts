import { test } from "node:test";
import { formProperties } from "./form-properties.ts";

const RUNS = 1_000;
/** The same inputs on every run, so that a failure is about the change at hand; `npm run fuzz:forms` looks for new ones. */
const SEED = 20_260_131;

for (const { name, check } of formProperties) test(name, () => check(RUNS, SEED));
