import pg from "pg";
import { newId } from "../../src/kernel/ids.ts";
import { openStore } from "../../src/storage/open.ts";
import { AT, DIGEST, quiet } from "../../tests/storage/store.samples.ts";
import { inParallel, type Case } from "./measure.ts";
import { insertOne, stepWriter } from "./sqlite-cases.ts";

const POOL = 16;

/** The same writes with the bare driver, prepared and pooled, and through the store. */
export async function postgresCases(url: string): Promise<readonly Case[]> {
  const store = await openStore(url, quiet);
  const pool = new pg.Pool({ connectionString: url, max: POOL });
  // The server goes before the pool does.
  pool.on("error", () => {});
  const answer = { id: "run_01", status: "queued", note: "what a short answer looks like" };
  const bare = (): Promise<unknown> =>
    pool.query({
      name: "insert",
      text: "INSERT INTO idempotency_keys (scope, key, request_digest, answer, created_at) VALUES ($1, $2, $3, $4, $5)",
      values: ["bare", newId("k"), DIGEST, JSON.stringify(answer), AT],
    });
  const one = insertOne(store);
  const step = await stepWriter(store);
  return [
    { name: "bare insert, concurrency 1", run: inParallel(1, bare) },
    {
      name: "store insert, concurrency 1",
      against: "bare insert, concurrency 1",
      run: inParallel(1, one),
    },
    { name: "bare insert, concurrency 64", run: inParallel(64, bare) },
    {
      name: "store insert, concurrency 64",
      against: "bare insert, concurrency 64",
      run: inParallel(64, one),
    },
    { name: "store step, concurrency 1", run: inParallel(1, step) },
    { name: "store step, concurrency 32", run: inParallel(32, step) },
  ];
}
