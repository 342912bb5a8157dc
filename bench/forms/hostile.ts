import { once } from "node:events";
import { monitorEventLoopDelay } from "node:perf_hooks";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { answered, refused } from "../../tests/forms/hostile-schemas.ts";
import { startService } from "../../tests/support/service.ts";

/** How one hostile schema was answered: on the caller's clock, and by the service's event loop. */
export interface HostileTimes {
  readonly name: string;
  readonly tool: string;
  readonly ok: boolean;
  /** The first call, in a service that has served other schemas only. */
  readonly firstMs: number;
  /** The slowest of the calls. */
  readonly ms: number;
  /** The longest time for which the event loop served nobody. */
  readonly blockedMs: number;
  readonly cpuMs: number;
  /** The largest answer. */
  readonly bytes: number;
}

interface Answer {
  readonly ms: number;
  readonly ok: boolean;
  readonly bytes: number;
}

const ROUNDS = 5;
const WARM_UP = 40;
const SETTLE_MS = 2_000;
const TOOLS = ["render_json_schema_form", "validate_form_input", "render_webhook_schema_form"];

/** Sends every hostile schema to the tools that take one, over HTTP, and watches the event loop of the service. */
export async function measureHostile(): Promise<HostileTimes[]> {
  const service = await startService();
  const client = new Worker(new URL("./hostile-client.ts", import.meta.url));
  const call = async (tool: string, schema: unknown): Promise<Answer> => {
    const params = { name: tool, arguments: { schema } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    client.postMessage({ url: `${service.url}/api/mcp`, body });
    const [{ ms, ok, bytes }] = await once(client, "message");
    return { ms, ok, bytes };
  };
  const all = [...refused.map(([name, schema]) => [name, schema] as const), ...answered];
  // A service that has been up for a while and has served ordinary schemas.
  for (let round = 0; round < WARM_UP; round++) {
    for (const tool of TOOLS) await call(tool, ordinary(round));
  }
  await setTimeout(SETTLE_MS);
  const times: HostileTimes[] = [];
  const loop = monitorEventLoopDelay({ resolution: 1 });
  for (const [name, schema] of all) {
    for (const tool of TOOLS) {
      const calls: Answer[] = [];
      loop.enable();
      loop.reset();
      const cpu = process.threadCpuUsage();
      for (let round = 0; round < ROUNDS; round++) calls.push(await call(tool, schema));
      const { user, system } = process.threadCpuUsage(cpu);
      loop.disable();
      times.push({
        name,
        tool,
        ok: calls.every(({ ok }) => ok),
        firstMs: calls[0]?.ms ?? 0,
        ms: Math.max(...calls.map(({ ms }) => ms)),
        blockedMs: loop.max / 1e6,
        cpuMs: (user + system) / 1_000 / ROUNDS,
        bytes: Math.max(...calls.map(({ bytes }) => bytes)),
      });
    }
  }
  await client.terminate();
  await service.close();
  return times;
}

function ordinary(round: number): unknown {
  const fields = Array.from({ length: 20 }, (_, index) => [
    `field${round}${index}`,
    index % 3 === 0
      ? { type: "string", format: "uri", description: "An address." }
      : index % 3 === 1
        ? { oneOf: [{ type: "integer", minimum: 1 }, { $ref: "#/$defs/part" }] }
        : { type: "array", items: { $ref: "#/$defs/part" } },
  ]);
  const part = {
    type: "object",
    properties: { kind: { enum: ["a", "b"] }, note: { type: "string" } },
    required: ["kind"],
  };
  return { type: "object", properties: Object.fromEntries(fields), $defs: { part } };
}
