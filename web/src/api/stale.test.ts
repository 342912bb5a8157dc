import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { createRefresher } from "./stale.ts";

const RUN = "run_0123456789";
const HAPPENED = { words: ["run"], run: RUN };

/** A page that shows a run, whose reads end when the test says so. */
function showing() {
  const client = new QueryClient();
  const reads: { readonly answer: (state: string) => void; readonly signal: AbortSignal }[] = [];
  const seen: unknown[] = [];
  const observer = new QueryObserver(client, {
    queryKey: ["get_run", 0, { id: RUN }],
    queryFn: ({ signal }) => new Promise<string>((answer) => reads.push({ answer, signal })),
  });
  const stop = observer.subscribe(({ data }) => {
    if (data !== undefined && seen.at(-1) !== data) seen.push(data);
  });
  return { client, reads, seen, stop };
}

async function until(test: () => boolean): Promise<void> {
  for (let n = 0; n < 6_000 && !test(); n++) await new Promise((done) => setTimeout(done, 5));
  assert.ok(test());
}

describe("what events make stale", () => {
  it("is read again when the event came during the first read", async () => {
    const { client, reads, seen, stop } = showing();
    const refresh = createRefresher(client, 1);
    await until(() => reads.length === 1);
    refresh(HAPPENED);
    await new Promise((done) => setTimeout(done, 20));
    reads[0]?.answer("running");
    await until(() => reads.length === 2);
    reads[1]?.answer("waiting");
    await until(() => seen.at(-1) === "waiting");
    stop();
    client.clear();
  });

  it("is read to the end although events keep coming", async () => {
    const { client, reads, seen, stop } = showing();
    const refresh = createRefresher(client, 1);
    await until(() => reads.length === 1);
    reads[0]?.answer("queued");
    await until(() => seen.includes("queued"));
    for (let n = 0; n < 10; n++) {
      refresh(HAPPENED);
      await new Promise((done) => setTimeout(done, 5));
    }
    assert.equal(reads.length, 2);
    assert.equal(reads[1]?.signal.aborted, false);
    reads[1]?.answer("running");
    // What happened during that read is read once more.
    await until(() => reads.length === 3);
    reads[2]?.answer("waiting");
    await until(() => seen.at(-1) === "waiting");
    stop();
    client.clear();
  });

  it("leaves other runs and documents alone", async () => {
    const client = new QueryClient();
    let reads = 0;
    const observers = [
      ["get_run", 0, { id: "run_another00" }],
      ["get_run_document", 0, { id: RUN }],
      ["verdict", "run"],
    ].map((queryKey) => new QueryObserver(client, { queryKey, queryFn: () => ++reads }));
    const stops = observers.map((observer) => observer.subscribe(() => undefined));
    await until(() => reads === 3);
    createRefresher(client, 1)(HAPPENED);
    await new Promise((done) => setTimeout(done, 30));
    assert.equal(reads, 3);
    for (const stop of stops) stop();
    client.clear();
  });
});
