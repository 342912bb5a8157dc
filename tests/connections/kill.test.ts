import { describe } from "node:test";
import { killAtEveryStep } from "./kill-series.ts";

/* PostgreSQL takes longer: npm run chaos:connections. */
describe("kill -9 at every step of a workflow over connections, SQLite", () => killAtEveryStep("SQLite"));
