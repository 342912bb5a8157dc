import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../ports/store.ts";
import { migratedSqlite } from "../../../tests/support/sqlite.ts";
import { openStore } from "../open.ts";
import { constraintSuite } from "../../../tests/storage/constraints.testsuite.ts";
import { storeSuite } from "../../../tests/storage/store.testsuite.ts";
import { quiet } from "../../../tests/storage/store.samples.ts";

const open = async () => {
  const folder = mkdtempSync(join(tmpdir(), "workflow-ui-sqlite-"));
  const stores: Store[] = [];
  const url = await migratedSqlite(join(folder, "test.db"));
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
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

storeSuite("SQLite", open);
constraintSuite("SQLite", open);
