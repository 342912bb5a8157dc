import { describe } from "node:test";
import { killAtEveryStep } from "./kill-series.ts";

describe("kill -9 at every step of a workflow over connections, PostgreSQL", () =>
  killAtEveryStep("PostgreSQL"));
