import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { startPostgres } from "../../tests/support/postgres.ts";
import { measure } from "./measure.ts";
import { postgresCases } from "./postgres-cases.ts";
import { sqliteCases } from "./sqlite-cases.ts";

/* Measures one database in this process and prints the results as JSON: `run-once.ts sqlite|postgres rounds ms`. */
const [kind, rounds = "15", roundMs = "300"] = process.argv.slice(2);

if (kind === "postgres") {
  const server = await startPostgres({ fsync: true });
  const cases = await postgresCases(await server.createDatabase());
  console.log(JSON.stringify(await measure(cases, Number(rounds), Number(roundMs))));
  await server.stop();
} else {
  const folder = mkdtempSync(join(tmpdir(), "workflow-ui-bench-"));
  console.log(JSON.stringify(await measure(await sqliteCases(folder), Number(rounds), Number(roundMs))));
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
