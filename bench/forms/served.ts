import { once } from "node:events";
import { performance } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { threadTime } from "../../scripts/thread-time.ts";
import { startService } from "../../tests/support/service.ts";

/** What forms took of the service's main thread, each asked for once over HTTP. */
export interface Served {
  readonly count: number;
  readonly made: number;
  readonly p50: number;
  readonly p95: number;
  readonly slowest: number;
  /** Processor time of the main thread. */
  readonly cpu: { readonly p50: number; readonly p95: number; readonly slowest: number };
  readonly largestBytes: number;
}

/**
 * Asks a service for the form of every schema, one after the other and with a key, and measures how long its event loop
 * was busy with each: reading the request, making the form or waiting for the thread that makes it, and the answer.
 */
export async function measureServed(schemas: readonly unknown[]): Promise<Served> {
  const service = await startService();
  const client = new Worker(new URL("./hostile-client.ts", import.meta.url));
  const busy: number[] = [];
  const used: number[] = [];
  let made = 0;
  let largestBytes = 0;
  for (const schema of schemas) {
    const params = { name: "render_json_schema_form", arguments: { schema } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    // The time in which this thread writes the request is not the service's.
    await setTimeout(0);
    const before = performance.eventLoopUtilization();
    const cpu = threadTime();
    client.postMessage({ url: `${service.url}/api/mcp`, body, key: service.key });
    const [{ ok, bytes }] = await once(client, "message");
    busy.push(performance.eventLoopUtilization(before).active);
    used.push(threadTime() - cpu);
    if (ok === true) made += 1;
    largestBytes = Math.max(largestBytes, bytes);
  }
  await client.terminate();
  await service.close();
  return { count: schemas.length, made, ...percentiles(busy), cpu: percentiles(used), largestBytes };
}

function percentiles(times: readonly number[]): Served["cpu"] {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p95: at(0.95), slowest: at(1) };
}
