import { openStore } from "../../src/storage/open.ts";
import { quiet } from "../storage/store.samples.ts";
import { testPostgres } from "./postgres.ts";

let template: Promise<string> | undefined;

/** A database with the schema of this build, migrated once for a process and then copied: the migrations have tests of their own. */
export async function migratedDatabase(): Promise<string> {
  const server = await testPostgres();
  template ??= server.createDatabase().then(async (url) => {
    await (await openStore(url, quiet)).close();
    return url;
  });
  return server.createDatabase(await template);
}
