import assert from "node:assert/strict";
import { after, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { testPostgres } from "../support/postgres.ts";
import { startService } from "../support/service.ts";

const server = await testPostgres();
after(() => server.stop());

it("replicas on one PostgreSQL share events and keys", async () => {
  const databaseUrl = await server.createDatabase();
  const [a, b] = await Promise.all([
    startService({ settings: { databaseUrl, role: "gateway" } }),
    startService({ settings: { databaseUrl, role: "gateway" } }),
  ]);
  try {
    const { token, record } = await a.app.keyring.create({
      name: "x",
      scopes: ["read-private"],
      expiresAt: null,
    });
    const headers = { authorization: `Bearer ${token}` };
    const response = await b.fetch("/api/svc/events?types=svc.artifact.*", { headers });
    assert.equal(response.status, 200, "a key made on one replica counts on the other");
    const reader = response.body?.getReader();
    assert.ok(reader);
    const read = async (): Promise<string> => Buffer.from((await reader.read()).value ?? []).toString();
    assert.match(await read(), /^retry: .*event: ready/s);
    const saved = await a.call(
      "save_artifact",
      { artifact: { title: "from the other replica", type: "note" } },
      { key: true },
    );
    assert.equal(saved.envelope.ok, true);
    assert.match(await read(), /svc\.artifact\.saved.*from the other replica/s);
    await reader.cancel();

    await a.app.keyring.revoke(record.id);
    const status = async (): Promise<number> => {
      const leaving = new AbortController();
      const answer = await b.fetch("/api/svc/events", { headers, signal: leaving.signal });
      leaving.abort();
      return answer.status;
    };
    for (let n = 0; n < 2_400 && (await status()) !== 401; n++) await sleep(50);
    assert.equal(await status(), 401);
  } finally {
    await Promise.all([a.close(), b.close()]);
  }
});
