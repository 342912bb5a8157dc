import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { testPostgres } from "../support/postgres.ts";
import { startService, TEST_KEY, type TestService } from "../support/service.ts";

/* Two replicas on PostgreSQL behind a balancer that asks `/readyz` and repeats nothing are replaced one after the other. */

after(async () => (await testPostgres()).stop());

/** Sends each request to a replica that says it is ready, in turn. */
class Balancer {
  readonly #ready = new Map<string, boolean>();
  readonly #server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const target = this.#next();
      const headers = { "content-type": "application/json", authorization: `Bearer ${TEST_KEY}` };
      fetch(`${target}${request.url ?? ""}`, { method: "POST", headers, body: Buffer.concat(chunks) })
        .then(async (answer) => response.writeHead(answer.status).end(await answer.text()))
        .catch((error: unknown) => response.writeHead(502).end(`${target}: ${String(error)}`));
    });
  });
  #turn = 0;
  #closed = false;

  async open(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  }

  async add(url: string): Promise<void> {
    this.#ready.set(url, false);
    void this.#watch(url);
    while (this.#ready.get(url) !== true) await sleep(10);
  }

  remove(url: string): void {
    this.#ready.delete(url);
  }

  close(): void {
    this.#closed = true;
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #next(): string {
    const ready = [...this.#ready].filter(([, isReady]) => isReady);
    return ready[this.#turn++ % ready.length]?.[0] ?? "http://127.0.0.1:1";
  }

  async #watch(url: string): Promise<void> {
    while (!this.#closed && this.#ready.has(url)) {
      const isReady = await fetch(`${url}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      );
      if (this.#ready.has(url)) this.#ready.set(url, isReady);
      await sleep(20);
    }
  }
}

test("a rolling restart of two replicas behind a balancer loses no request", async () => {
  const databaseUrl = await (await testPostgres()).createDatabase();
  const open = (): Promise<TestService> => startService({ settings: { databaseUrl } });
  const balancer = new Balancer();
  const url = await balancer.open();
  let replicas = [await open(), await open()];
  const stop = new AbortController();
  const saved: string[] = [];
  try {
    for (const replica of replicas) await balancer.add(replica.url);
    const clients = Array.from({ length: 4 }, async (_, nth) => {
      for (let n = 0; !stop.signal.aborted; n++) {
        const artifact = { title: `${nth}-${n}`, type: "note" };
        const params = { name: "save_artifact", arguments: { artifact } };
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
        const answer = await fetch(`${url}/api/mcp`, { method: "POST", body });
        const text = await answer.text();
        assert.equal(answer.status, 200, text);
        saved.push(JSON.parse(text).result.structuredContent.data.artifact.id);
        await sleep(5);
      }
    });
    for (const old of replicas) {
      await sleep(200);
      await old.app.close(5_000);
      balancer.remove(old.url);
      const replacement = await open();
      replicas = [...replicas.filter((one) => one !== old), replacement];
      await balancer.add(replacement.url);
    }
    stop.abort();
    await Promise.all(clients);
    assert.ok(saved.length > 20, `${saved.length} requests`);
    const { artifacts } = replicas[0]?.app.services.store.read ?? assert.fail("no replica");
    for (const id of saved) assert.notEqual(await artifacts.get(id), null, id);
  } finally {
    stop.abort();
    balancer.close();
    for (const replica of replicas) await replica.close();
  }
});
