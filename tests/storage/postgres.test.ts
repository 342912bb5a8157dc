import { after } from "node:test";
import type { Store } from "../../src/ports/store.ts";
import { openStore } from "../../src/storage/open.ts";
import { quiet } from "../../src/storage/store.samples.ts";
import { storeSuite } from "../../src/storage/store.testsuite.ts";
import { testPostgres } from "../support/postgres.ts";

const server = await testPostgres();
after(() => server.stop());

storeSuite("PostgreSQL", async () => {
  const url = await server.createDatabase();
  const stores: Store[] = [];
  const open = async (): Promise<Store> => {
    const store = await openStore(url, quiet);
    stores.push(store);
    return store;
  };
  return {
    store: await open(),
    reopen: open,
    async cleanUp() {
      for (const store of stores) await store.close();
    },
  };
});
