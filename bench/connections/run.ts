import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { Agent } from "undici";
import { startApp } from "../../src/app.ts";
import { loadSettings } from "../../src/config.ts";
import { newId } from "../../src/kernel/ids.ts";
import { traceFrom } from "../../src/kernel/trace.ts";
import type { Caller } from "../../src/ports/caller.ts";
import type { CallContext } from "../../src/ports/definitions.ts";

/*
 * What a connected call costs over a bare undici request to the same server, and what 200 connections with 10,000
 * definitions cost: start, search, idle memory.
 *   npm run bench:connections
 */

const KEY = "bench-key-with-every-right-0123456789";
const CALLS = 3_000;
const PARALLEL = 32;
const CONNECTIONS = 200;
const DEFINITIONS = 50;
const folder = mkdtempSync(join(tmpdir(), "bench-connections-"));
const caller: Caller = { kind: "key", id: "bench", scopes: new Set(["admin"]) };

const server = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "application/json" }).end('{"id":1,"name":"Rex"}');
});
await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
const address = server.address();
const port = typeof address === "object" && address !== null ? address.port : 0;
const origin = `http://127.0.0.1:${port}`;

const requests = Array.from({ length: DEFINITIONS }, (_, index) => ({
  name: `getThing${index}`,
  title: `Get thing ${index}`,
  method: "GET",
  path: `/things${index}/{id}`,
  response: {
    type: "object",
    required: ["id"],
    properties: { id: { type: "integer" }, name: { type: "string" } },
  },
}));

function settings(file: string): Exclude<ReturnType<typeof loadSettings>, string> {
  const loaded = loadSettings([], {
    PORT: "0",
    DATABASE_URL: `sqlite:${join(folder, file)}`,
    SVC_API_KEY: KEY,
    LOG_LEVEL: "error",
  });
  if (typeof loaded === "string") throw new TypeError("settings expected");
  return loaded;
}

async function started(file: string): Promise<{ app: Awaited<ReturnType<typeof startApp>>; ms: number }> {
  const begun = performance.now();
  const app = await startApp(settings(file));
  return { app, ms: performance.now() - begun };
}

try {
  const first = await started("one.db");
  const { services } = first.app;
  const context: CallContext = {
    caller,
    services,
    trace: traceFrom(undefined),
    requestId: newId("req"),
    signal: new AbortController().signal,
    meta: {},
  };
  const add = (name: string): Promise<unknown> =>
    services.site.request(
      "POST",
      "/api/svc/connections",
      { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
      JSON.stringify({ name, kind: "http", url: origin, allowPrivateOrigin: true, document: { requests } }),
    );
  await add("bench");
  const agent = new Agent({ connections: 64, pipelining: 1 });
  const bare = async (): Promise<void> => {
    const answer = await agent.request({ origin, path: "/things0/7", method: "GET" });
    JSON.parse(await answer.body.text());
  };
  const connected = async (): Promise<void> => {
    const { ok } = await services.catalog.call("bench:getThing0", { path: { id: "7" } }, context);
    if (!ok) throw new Error("a call failed");
  };
  for (let warm = 0; warm < 500; warm++) {
    await bare();
    await connected();
  }
  const one = { bare: await oneByOne(bare), connected: await oneByOne(connected) };
  const many = { bare: await atOnce(bare), connected: await atOnce(connected) };
  const overhead = one.connected - one.bare;
  console.log(
    `one at a time: bare p50 ${one.bare.toFixed(3)} ms, connected p50 ${one.connected.toFixed(3)} ms, overhead ${overhead.toFixed(3)} ms (wanted under 1)`,
  );
  console.log(
    `${PARALLEL} at once: bare ${Math.round(many.bare)}/s, connected ${Math.round(many.connected)}/s, ${(many.connected / many.bare).toFixed(2)} of bare (wanted 0.5)`,
  );

  for (let index = 0; index < CONNECTIONS; index++) await add(`many${index}`);
  const searches: number[] = [];
  for (let index = 0; index < 500; index++) {
    const begun = performance.now();
    await services.connections.search(`thing ${index % DEFINITIONS}`, 25);
    searches.push(performance.now() - begun);
  }
  searches.sort((a, b) => a - b);
  console.log(
    `search over ${CONNECTIONS * DEFINITIONS} definitions: p95 ${at(searches, 0.95).toFixed(2)} ms (wanted under 20)`,
  );
  await first.app.close(1_000);
  await agent.close();

  const empty = await started("empty.db");
  await empty.app.close(1_000);
  const again = await started("one.db");
  console.log(
    `start: empty ${Math.round(empty.ms)} ms, with ${CONNECTIONS * DEFINITIONS} definitions ${Math.round(again.ms)} ms (wanted under 1000 more)`,
  );
  await again.app.close(1_000);
  console.log(`idle memory of a process of its own: ${await idleMemory("one.db")} MiB (wanted under 200)`);
} finally {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
}

/** Resident memory of a service that has started and been left alone for a moment. */
async function idleMemory(file: string): Promise<number> {
  const child = spawn(process.execPath, [fileURLToPath(new URL("../../src/main.ts", import.meta.url))], {
    env: {
      ...process.env,
      PORT: "0",
      DATABASE_URL: `sqlite:${join(folder, file)}`,
      SVC_API_KEY: KEY,
      LOG_LEVEL: "error",
    },
    stdio: "ignore",
  });
  try {
    await new Promise((done) => setTimeout(done, 10_000));
    const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024);
  } finally {
    child.kill("SIGKILL");
  }
}

async function oneByOne(work: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < CALLS; index++) {
    const begun = performance.now();
    await work();
    times.push(performance.now() - begun);
  }
  times.sort((a, b) => a - b);
  return at(times, 0.5);
}

async function atOnce(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  let left = CALLS;
  await Promise.all(
    Array.from({ length: PARALLEL }, async () => {
      while (left-- > 0) await work();
    }),
  );
  return CALLS / ((performance.now() - begun) / 1_000);
}

function at(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
