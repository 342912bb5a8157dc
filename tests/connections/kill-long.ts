import { describe } from "node:test";
import { record } from "../security/results.ts";
import { KILLS, killAtEveryStep } from "./kill-series.ts";

/* `npm run chaos:connections [-- --record]` */
describe("kill -9 at every step of a workflow over connections, PostgreSQL", () =>
  killAtEveryStep("PostgreSQL", (kills) => {
    const detail = "each write executed once, under one key, and the run ended once";
    record("L12", true, detail, { done: kills, asked: KILLS, unit: "kills" });
  }));
