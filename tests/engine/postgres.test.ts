import { after } from "node:test";
import { testPostgres } from "../support/postgres.ts";
import { engineTests } from "./engine.testsuite.ts";

after(async () => (await testPostgres()).stop());

engineTests("postgres", async () => (await testPostgres()).createDatabase());
