import { after } from "node:test";
import type { Store } from "../../src/ports/store.ts";
import { openStore } from "../../src/storage/open.ts";
import { quiet } from "./store.samples.ts";
import { constraintSuite } from "./constraints.testsuite.ts";
import { storeSuite } from "./store.testsuite.ts";
import { migratedDatabase } from "../support/migrated-postgres.ts";
import { testPostgres } from "../support/postgres.ts";

const server = await testPostgres();
after(() => server.stop());

const open = async () => {
  const url = await migratedDatabase();
  const stores: Store[] = [];
  const again = async (): Promise<Store> => {
    const store = await openStore(url, quiet);
    stores.push(store);
    return store;
  };
  return {
    url,
    store: await again(),
    reopen: again,
    async cleanUp() {
      for (const store of stores) await store.close();
    },
  };
};

storeSuite("PostgreSQL", open);
constraintSuite("PostgreSQL", open);
