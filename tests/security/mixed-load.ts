import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { testPacket } from "../siblings/packets.ts";
import { TEST_KEY, type ServiceProcess } from "../support/service.ts";

/* Everything that callers do with the service, well-behaved and not, at a steady rate. */

/** What a load did so far. */
interface LoadCounts {
  requests: number;
  /** Answers that nobody should get: 5xx other than a refusal with Retry-After, and lost connections. */
  readonly wrong: string[];
}

/** A load that runs until it is stopped. */
export interface MixedLoad {
  readonly counts: LoadCounts;
  stop(): Promise<void>;
}

/** The service turned a call away, as it may. */
class Refused extends Error {}

type Work = (n: number) => Promise<void>;

const KEYED = { authorization: `Bearer ${TEST_KEY}` };
const JSON_TYPE = { "content-type": "application/json" };
const STREAM_MS = 3_000;
const MAX_WRONG = 20;

/** Begins `perSecond` operations a second, each of another kind in turn. */
export async function startMixedLoad(service: ServiceProcess, perSecond: number): Promise<MixedLoad> {
  const counts: LoadCounts = { requests: 0, wrong: [] };
  const kinds = await kindsOf(service, counts);
  const running = new Set<Promise<void>>();
  let n = 0;
  let stopped = false;
  const began = performance.now();
  const timer = setInterval(() => {
    const due = ((performance.now() - began) / 1_000) * perSecond;
    // A service that stands still is not asked for ever more.
    for (; n < due && running.size < 200; n++) {
      const [name, work] = kinds[n % kinds.length] ?? ["none", () => Promise.resolve()];
      const one: Promise<void> = work(n)
        .catch((error: unknown) => {
          if (!stopped && !(error instanceof Refused) && counts.wrong.length < MAX_WRONG)
            counts.wrong.push(`${name}: ${String(error)}`);
        })
        .finally(() => running.delete(one));
      running.add(one);
    }
    n = Math.max(n, Math.floor(due) - perSecond);
  }, 20);
  return {
    counts,
    async stop() {
      stopped = true;
      clearInterval(timer);
      await Promise.all(running);
    },
  };
}

async function kindsOf(
  service: ServiceProcess,
  counts: LoadCounts,
): Promise<readonly (readonly [string, Work])[]> {
  const send = async (path: string, init?: RequestInit, expected?: number): Promise<Response> => {
    const response = await service.fetch(path, init);
    counts.requests += 1;
    const refused = response.status === 503 && response.headers.has("retry-after");
    if (response.status >= 500 && !refused) throw new Error(`${path}: status ${response.status}`);
    if (expected !== undefined && response.status !== expected && !refused)
      throw new Error(`${path}: status ${response.status} instead of ${expected}`);
    return response;
  };
  const read = async (path: string, init?: RequestInit, expected?: number): Promise<string> =>
    (await send(path, init, expected)).text();
  const rpc = async (method: string, params: unknown, headers: Record<string, string> = KEYED) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const text = await read("/api/mcp", { method: "POST", headers: { ...JSON_TYPE, ...headers }, body });
    return JSON.parse(text);
  };
  const call = async (name: string, args: unknown, headers?: Record<string, string>) => {
    const { result, error } = await rpc("tools/call", { name, arguments: args }, headers);
    if (result?.structuredContent?.ok === true) return result.structuredContent.data;
    if (error?.data?.code === "overloaded") throw new Refused();
    throw new Error(`${name}: ${JSON.stringify(error ?? result).slice(0, 300)}`);
  };
  const workflow = async (name: string, nodes: readonly unknown[]): Promise<string> => {
    const edges = nodes.slice(1).map((_, at) => ({
      from: `s${at}`,
      to: `s${at + 1}`,
      port: nodes[at] === question ? "approved" : "success",
    }));
    return (await call("create_workflow", { name, nodes, edges })).workflow.id;
  };
  const step = (at: number) => ({
    id: `s${at}`,
    type: "tool",
    tool: "get_agent_platform",
    with: { id: "mcp-client" },
  });
  const question = { id: "s1", type: "approval", approval: { title: "Go on?", show: "soak" } };
  const chain = await workflow("soak: three steps", [step(0), step(1), step(2)]);
  const asking = await workflow("soak: an approval", [step(0), question, step(2)]);
  const ended = async (id: string): Promise<void> => {
    for (let at = 0; at < 2_400; at++) {
      const run = (await call("get_workflow_run", { id }))?.run;
      if (run?.status === "succeeded" || run?.state === "succeeded") return;
      if (run?.status === "failed" || run?.state === "failed") throw new Error(`run ${id} failed`);
      await sleep(50);
    }
    throw new Error(`run ${id} did not end`);
  };
  const schema = (n: number) => ({
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: 12 }, (_, at) => [`member${at}`, { type: "string", maxLength: 1 + (n % 50_000) }]),
    ),
  });
  const packets: Record<string, unknown>[] = [];
  return [
    ["form of a schema", (n) => call("render_json_schema_form", { schema: schema(n) }, {})],
    ["form of a tool", () => call("render_mcp_tool_form", { toolName: "create_workflow" }, {})],
    ["check of a value", (n) => call("validate_form_input", { schema: schema(n), value: { member0: "x" } })],
    ["run", async () => ended((await call("run_workflow", { id: chain })).run.id)],
    [
      "approval",
      async () => {
        const { run } = await call("run_workflow", { id: asking });
        let [approval] = run.approvals ?? [];
        for (let at = 0; at < 2_400 && approval === undefined; at++) {
          await sleep(50);
          approval = (await call("get_workflow_run", { id: run.id })).run.approvals?.[0];
        }
        await call("approve_step", { id: approval.id });
        await ended(run.id);
      },
    ],
    [
      "handoff received",
      async () => {
        // Every second one is a repetition, as after a lost answer.
        const packet = packets.pop() ?? testPacket();
        const fresh = packets.length === 0;
        const init = { method: "POST", headers: { ...JSON_TYPE, ...KEYED }, body: JSON.stringify(packet) };
        await read("/api/svc/receive-handoff", init, 202);
        if (fresh && Math.random() < 0.5) packets.push(packet);
      },
    ],
    [
      "handoff prepared",
      () => call("delegate_artifact", { targetService: "docs", artifact: { title: "x" } }),
    ],
    [
      "event stream",
      async (n) => {
        const stop = new AbortController();
        const response = await send("/api/svc/events", { signal: stop.signal, headers: n % 2 ? KEYED : {} });
        const reading = response.text().catch(() => undefined);
        await sleep(Math.random() * STREAM_MS);
        stop.abort();
        await reading;
      },
    ],
    ["list of tools", () => rpc("tools/list", {}, {})],
    ["list of runs", () => read("/api/svc/runs?limit=20", { headers: KEYED }, 200).then(() => undefined)],
    ["list of workflows", () => call("list_workflows", {})],
    ["one workflow", () => call("get_workflow", { id: chain })],
    ["document", () => read("/openapi.yaml", undefined, 200).then(() => undefined)],
    ["metrics", () => read("/metrics", undefined, 200).then(() => undefined)],
    [
      "import",
      (n) =>
        read("/api/svc/workflows/import", {
          method: "POST",
          headers: JSON_TYPE,
          body: JSON.stringify({ text: `nodes:\n- {id: a${n}, type: transform, value: ${n}}\nedges: []` }),
        }).then(() => undefined),
    ],
    ["no JSON", () => bad(read, "{", 400)],
    ["deep JSON", () => bad(read, `${"[".repeat(5_000)}${"]".repeat(5_000)}`, 400)],
    ["too large", () => bad(read, `"${"x".repeat(1_100_000)}"`, 413)],
    ["unknown tool", () => rpc("tools/call", { name: "no_such_tool", arguments: {} })],
    ["wrong key", () => rpc("tools/list", {}, { authorization: "Bearer not-a-key" })],
    ["unknown path", () => read("/no/such/path", undefined, 404).then(() => undefined)],
    ["hang-up", () => hangUp(service)],
  ];
}

async function bad(
  read: (path: string, init?: RequestInit, expected?: number) => Promise<string>,
  body: string,
  expected: number,
): Promise<void> {
  // The answer to what is too large may come before all of it was sent, and the connection ends with it.
  await read("/api/mcp", { method: "POST", headers: JSON_TYPE, body }, expected).catch((error: unknown) => {
    if (expected !== 413 || !(error instanceof TypeError)) throw error;
  });
}

/** Sends half a request and goes away. */
function hangUp(service: ServiceProcess): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
    socket.on("error", () => resolve());
    socket.on("close", () => resolve());
    socket.write("POST /api/mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{", () =>
      socket.destroy(),
    );
  });
}
