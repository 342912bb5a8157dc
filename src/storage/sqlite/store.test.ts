import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../ports/store.ts";
import { openStore } from "../open.ts";
import { storeSuite } from "../store.testsuite.ts";
import { quiet } from "../store.samples.ts";

storeSuite("SQLite", async () => {
  const folder = mkdtempSync(join(tmpdir(), "workflow-ui-sqlite-"));
  const stores: Store[] = [];
  const open = async (): Promise<Store> => {
    const store = await openStore(`sqlite:${join(folder, "test.db")}`, quiet);
    stores.push(store);
    return store;
  };
  return {
    store: await open(),
    reopen: open,
    async cleanUp() {
      for (const store of stores) await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
