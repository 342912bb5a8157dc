import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request as httpRequest, type IncomingMessage, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Handoff, HandoffDetail } from "../../packages/client/client.ts";
import { startServiceProcess, TEST_KEY, type ServiceProcess } from "../support/service.ts";
import { eventually } from "../suite/support.ts";
import { freePort } from "../support/ports.ts";

/** What happens to a packet on its way: the test may kill a service before it arrives or after it was answered. */
interface Way {
  readonly before?: () => Promise<void>;
  readonly after?: () => Promise<void>;
}

/** A service, and the way to it: a proxy whose address is the service's base URL. */
interface Instance {
  readonly name: string;
  readonly port: number;
  readonly proxy: Server;
  readonly url: string;
  readonly env: Record<string, string>;
  way: Way;
  process: ServiceProcess | null;
}

const bearer = { authorization: `Bearer ${TEST_KEY}`, "content-type": "application/json" };

describe("two services hand work to each other, and one is killed in between", () => {
  let folder = "";
  let a: Instance;
  let b: Instance;
  const workflows = new Map<Instance, string>();
  const totals = new Map<Instance, number>();

  async function instance(name: string): Promise<Instance> {
    const port = await freePort();
    const made: Instance = {
      name,
      port,
      url: "",
      proxy: createServer(),
      env: {},
      way: {},
      process: null,
    };
    made.proxy.on("request", (incoming, outgoing) => {
      forward(incoming, made).then(
        ({ status, body }) => outgoing.writeHead(status, { "content-type": "application/json" }).end(body),
        () => outgoing.destroy(),
      );
    });
    await new Promise<void>((done) => made.proxy.listen(0, "127.0.0.1", done));
    const address = made.proxy.address();
    assert.ok(address !== null && typeof address === "object");
    const url = `http://127.0.0.1:${address.port}`;
    return Object.assign(made, {
      url,
      env: { PORT: String(port), BASE_URL: url, DATABASE_URL: `sqlite:${join(folder, `${name}.db`)}` },
    });
  }

  /** Passes a request on. `before` and `after` are awaited once, for packets only. */
  async function forward(incoming: IncomingMessage, to: Instance): Promise<{ status: number; body: string }> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
    const isPacket = incoming.method === "POST" && String(incoming.url).endsWith("/receive-handoff");
    const { before, after } = isPacket ? to.way : {};
    if (isPacket) to.way = {};
    await before?.();
    const answer = await new Promise<{ status: number; body: string }>((done, fail) => {
      const outgoing = httpRequest(
        {
          port: to.port,
          host: "127.0.0.1",
          method: incoming.method,
          path: incoming.url,
          headers: incoming.headers,
        },
        (response) => {
          let body = "";
          response.setEncoding("utf8").on("data", (text: string) => (body += text));
          response.on("end", () => done({ status: response.statusCode ?? 500, body }));
          response.on("error", fail);
        },
      );
      outgoing.on("error", fail);
      outgoing.end(Buffer.concat(chunks));
    });
    await after?.();
    return answer;
  }

  const start = async (one: Instance): Promise<void> => {
    const peer = one === a ? b : a;
    one.process = await startServiceProcess({
      ...one.env,
      SUITE_BROWSERCHECK_URL: peer.url,
      SUITE_BROWSERCHECK_KEY: TEST_KEY,
    });
  };
  const kill = async (one: Instance): Promise<void> => {
    await one.process?.stop("SIGKILL");
    one.process = null;
  };
  const killAndStart = async (one: Instance): Promise<void> => {
    await kill(one);
    await start(one);
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "workflow-ui-two-"));
    a = await instance("a");
    b = await instance("b");
    await Promise.all([start(a), start(b)]);
    for (const one of [a, b]) {
      const made = await one.process?.call(
        "create_workflow",
        {
          name: "Received work",
          nodes: [
            { id: "pause", type: "wait", wait: { ms: 400 } },
            { id: "health", type: "tool", tool: "get_health", with: {} },
          ],
          edges: [{ id: "e", from: "pause", to: "health" }],
        },
        { key: true },
      );
      const id = made?.envelope.data.workflow.id;
      assert.ok(id !== undefined);
      workflows.set(one, id);
    }
  });
  after(async () => {
    await Promise.all([kill(a), kill(b)]);
    for (const one of [a, b]) {
      one.proxy.closeAllConnections();
      one.proxy.close();
    }
    await rm(folder, { recursive: true, force: true });
  });

  let serial = 0;
  /** Hands a new artifact over; the call may fail when its own service is killed. Gives the delegation's id. */
  async function handOver(from: Instance): Promise<string> {
    const args = {
      targetService: "browsercheck",
      artifact: { id: `artifact_${++serial}`, title: `Work ${serial}` },
      action: "run",
    };
    const preview = await steady(() => from.process?.call("delegate_artifact", args));
    const sent = from.process?.call("delegate_artifact", { ...args, dryRun: false }, { key: true });
    await sent?.catch(() => undefined);
    const id = preview?.envelope.data.delegationId;
    assert.ok(id !== undefined);
    return id;
  }

  const reached = (
    one: Instance,
    id: string,
    direction: "in" | "out",
    status: string,
  ): Promise<HandoffDetail> =>
    eventually(async () => {
      const found = await one.process?.client.call("get_handoff", { id, direction }).catch(() => undefined);
      return found?.status === status ? found : null;
    });

  /** The receiver's operator runs the work; both sides must see the same outcome. */
  async function finish(
    from: Instance,
    to: Instance,
    id: string,
    between?: () => Promise<void>,
  ): Promise<void> {
    await reached(to, id, "in", "accepted");
    const run = (): Promise<Response> | undefined =>
      to.process?.fetch(`/api/svc/handoffs/${id}/run`, {
        method: "POST",
        headers: bearer,
        body: JSON.stringify({ workflowId: workflows.get(to) }),
      });
    const started = await steady(run);
    assert.equal(started?.status, 202, await started?.text());
    await between?.();
    // Asked again, the same run is meant.
    const again = await steady(run);
    assert.ok(again?.status === 202 || again?.status === 409, await again?.text());
    const received = await reached(to, id, "in", "completed");
    const sent = await reached(from, id, "out", "completed");
    assert.equal(sent.resultRef, received.resultRef);
    assert.ok(received.resultRef?.startsWith(`${to.url}/runs/run_`));
    assert.equal(received.outputArtifactIds.length, 1);
    assert.deepEqual(sent.outputArtifactIds, received.outputArtifactIds);
    // Every handoff that was received is one record and was run once.
    const total = (totals.get(to) ?? 0) + 1;
    totals.set(to, total);
    const client = to.process?.client;
    const all = await steady(() => client?.call("list_handoffs", { direction: "in", limit: 100 }));
    assert.equal(all?.handoffs.length, total);
    assert.equal((await steady(() => client?.call("list_runs", { limit: 100 })))?.runs.length, total);
  }

  async function newest(to: Instance): Promise<Handoff | undefined> {
    const wanted = { direction: "in", state: "accepted", limit: 1 } as const;
    return (await steady(() => to.process?.client.call("list_handoffs", wanted)))?.handoffs[0];
  }

  const points: readonly {
    readonly name: string;
    readonly way?: (from: Instance, to: Instance) => Way;
    readonly afterSend?: (from: Instance, to: Instance) => Promise<void>;
    readonly during?: (from: Instance, to: Instance) => Promise<void>;
  }[] = [
    { name: "nobody" },
    {
      name: "the sender, before its packet arrives",
      way: (from) => ({ before: () => kill(from).then(() => Promise.reject(new Error("gone"))) }),
      afterSend: (from) => start(from),
    },
    {
      name: "the sender, after its packet was accepted and before the answer reached it",
      way: (from) => ({ after: () => kill(from) }),
      afterSend: (from) => start(from),
    },
    {
      name: "the receiver, before the packet arrives",
      way: (_, to) => ({ before: () => kill(to) }),
      afterSend: (_, to) => start(to),
    },
    {
      name: "the receiver, after it accepted and before it could say so",
      way: (_, to) => ({ after: () => kill(to).then(() => Promise.reject(new Error("gone"))) }),
      afterSend: (_, to) => start(to),
    },
    { name: "the receiver, with the packet accepted", afterSend: (_, to) => killAndStart(to) },
    {
      name: "the receiver, while the run is being started",
      async afterSend(_, to) {
        const { id } = await eventually(async () => (await newest(to)) ?? null);
        const body = JSON.stringify({ workflowId: workflows.get(to) });
        const asked = to.process
          ?.fetch(`/api/svc/handoffs/${id}/run`, { method: "POST", headers: bearer, body })
          .catch(() => undefined);
        await kill(to);
        await asked;
        await start(to);
      },
    },
    { name: "the receiver, while the work runs", during: (_, to) => killAndStart(to) },
    { name: "the sender, while the work runs", during: (from) => killAndStart(from) },
    {
      name: "both, while the work runs",
      during: async (from, to) => {
        await Promise.all([kill(from), kill(to)]);
        await Promise.all([start(from), start(to)]);
      },
    },
  ];

  for (const [index, point] of points.entries()) {
    it(`killed: ${point.name}`, async () => {
      // They take turns, so that each hands work to the other.
      const [from, to] = index % 2 === 0 ? [a, b] : [b, a];
      to.way = point.way?.(from, to) ?? {};
      const id = await handOver(from);
      await point.afterSend?.(from, to);
      await finish(from, to, id, point.during && (() => point.during?.(from, to) ?? Promise.resolve()));
    });
  }
});

/** Asks again when the connection was one to a process that is dead by now. */
async function steady<T>(ask: () => Promise<T> | undefined): Promise<T | undefined> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof TypeError) || tries === 20) throw error;
    }
  }
}
