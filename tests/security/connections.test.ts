import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, it } from "node:test";
import { startService } from "../support/service.ts";
import { gather } from "./crowd.ts";

describe("connections that say nothing or little", () => {
  it("do not keep out those who ask, and do not pile up", async () => {
    for (const [headersTimeoutMs, closed, why] of [
      [3_600_000, 150, "to make room"],
      [500, 180, "to make room, or ran out of time"],
    ] as const) {
      const sockets = {
        headersTimeoutMs,
        requestTimeoutMs: 3_600_000,
        keepAliveMs: 500,
        checkEveryMs: 100,
        maxConnections: 60,
        maxSilent: 20,
      };
      const service = await startService({ sockets });
      const crowd = gather(service.port, 150, 30, 20);
      try {
        for (let n = 0; n < 2_400 && crowd.closed < closed; n++) await sleep(50);
        assert.ok(crowd.closed >= closed, `${crowd.closed} of 180 were closed ${why}`);
        for (let i = 0; i < 20; i++) assert.equal((await service.fetch("/livez")).status, 200);
      } finally {
        crowd.leave();
        await service.close();
      }
    }
  });

  it("idle ones make room when all are taken", async () => {
    const service = await startService({ sockets: { maxConnections: 30, maxSilent: 20 } });
    const agents = Array.from({ length: 50 }, () => fetch(`${service.url}/livez`, { keepalive: true }));
    for (const { status } of await Promise.all(agents)) assert.equal(status, 200);
    assert.equal((await service.fetch("/livez")).status, 200);
    await service.close();
  });
});

describe("event streams", () => {
  it("are bounded for each caller, and a closed one makes room", async () => {
    const service = await startService({ limits: { streams: { perLocal: 3 } } });
    const open = async (): Promise<{ status: number; close: () => void }> => {
      const controller = new AbortController();
      const { status } = await service.fetch("/api/svc/events", { signal: controller.signal });
      return { status, close: () => controller.abort() };
    };
    const streams = [await open(), await open(), await open()];
    assert.deepEqual(
      streams.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.equal((await open()).status, 429);
    streams[0]?.close();
    let status = 429;
    for (let i = 0; i < 1_000 && status === 429; i++) {
      await sleep(20);
      const next = await open();
      status = next.status;
      next.close();
    }
    assert.equal(status, 200);
    for (const { close } of streams) close();
    await service.close();
  });
});
