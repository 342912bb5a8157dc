import { test } from "node:test";
import { formProperties } from "./form-properties.ts";

const RUNS = 2_000;

for (const { name, check } of formProperties) test(name, () => check(RUNS));
