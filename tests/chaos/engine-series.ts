import assert from "node:assert/strict";
import { fork, type ChildProcess } from "node:child_process";
import { createServer, type Server } from "node:http";
import { fileURLToPath } from "node:url";
import type { FaultPoint } from "../../src/engine/host.ts";
import { isObject } from "../../src/kernel/json.ts";
import type { ChildPlan } from "./engine-child.ts";

/** Every named point at which a process can be ended. */
export const POINTS: readonly FaultPoint[] = [
  "before_claim",
  "after_claim",
  "before_effect",
  "after_effect",
  "before_checkpoint",
  "in_transaction",
  "after_checkpoint",
  "before_reply",
];

/** How often a point is passed before the process ends there: claims come once, the others again and again. */
export function nthOf(point: FaultPoint): number {
  return point === "before_claim" || point === "after_claim" ? 1 : 3;
}

const STEPS = 6;

/** Where effects arrive: each key has one effect, however often it comes. */
export class Receiver {
  readonly effects = new Map<string, number>();
  /** Steps that ran although they were checkpointed. */
  readonly violations: string[] = [];
  readonly #server: Server;
  url = "";
  /** Requests that say `slow` are held until this is called. */
  release: () => void = () => undefined;
  #held = new Promise<void>((resolve) => {
    this.release = resolve;
  });

  constructor() {
    this.#server = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => (body += text));
      request.on("end", () => {
        const { key, done, slow } = JSON.parse(body);
        this.effects.set(key, (this.effects.get(key) ?? 0) + 1);
        if (done === true) this.violations.push(key);
        void (slow === true ? this.#held : Promise.resolve()).then(() => response.end("{}"));
      });
    });
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    this.url = `http://127.0.0.1:${address.port}/`;
    return this;
  }

  close(): void {
    this.release();
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** A child that runs workflows. */
export class Child {
  readonly process: ChildProcess;
  readonly ended: Promise<void>;
  readonly ready: Promise<void>;
  #nextId = 1;
  readonly #asked = new Map<number, PromiseWithResolvers<unknown>>();

  constructor(plan: ChildPlan) {
    this.process = fork(
      fileURLToPath(new URL("./engine-child.ts", import.meta.url)),
      [JSON.stringify(plan)],
      {
        execPath: process.execPath,
        stdio: ["ignore", "ignore", "inherit", "ipc"],
      },
    );
    this.ended = new Promise((resolve) => this.process.once("exit", () => resolve()));
    const ready = Promise.withResolvers<void>();
    this.ready = ready.promise;
    this.process.on("message", (message: unknown) => {
      if (!isObject(message)) return;
      if (message["ready"] === true) ready.resolve();
      const asked = this.#asked.get(Number(message["id"]));
      if (asked === undefined) return;
      this.#asked.delete(Number(message["id"]));
      if ("error" in message) asked.reject(new Error(String(message["error"])));
      else asked.resolve(message["value"]);
    });
    this.process.once("exit", () => {
      ready.resolve();
      for (const { reject } of this.#asked.values()) reject(new Error("the child has ended"));
    });
  }

  ask(what: string, more: Record<string, unknown> = {}): Promise<unknown> {
    const id = this.#nextId++;
    const answer = Promise.withResolvers<unknown>();
    this.#asked.set(id, answer);
    this.process.send({ id, ask: what, ...more }, (error) => {
      if (error !== null) answer.reject(error);
    });
    answer.promise.catch(() => undefined);
    return answer.promise;
  }

  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    this.process.kill(signal);
    await this.ended;
  }
}

/** Six effects in a row, two of them side by side. */
export function effects(slow = false): Record<string, unknown> {
  const ids = Array.from({ length: STEPS }, (_, index) => `e${index + 1}`);
  return {
    nodes: ids.map((id, index) => ({
      id,
      type: "tool",
      tool: "effect",
      with: { n: index, slow: slow && index === 2 },
      retry: { maxAttempts: 5, backoffMs: 20 },
    })),
    edges: [
      ["e1", "e2"],
      ["e1", "e3"],
      ["e2", "e4"],
      ["e3", "e4"],
      ["e4", "e5"],
      ["e5", "e6"],
    ].map(([from, to]) => ({ id: `${from}-${to}`, from, to, port: "success" })),
    outputs: { last: { $ref: "$steps.e6.outputs#/data/n" } },
  };
}

/** How one process of a series ends, and what it uses until then. */
export type Kill = ChildPlan["fault"] | "random";

/** What a series of kills found. */
export interface SeriesReport {
  readonly kills: number;
  readonly runs: number;
  readonly effects: number;
  /** Requests that repeated a key: cut between effect and checkpoint, and harmless. */
  readonly repeats: number;
}

/** Kills one process after another, by chance and at the named points, and then lets everything finish. */
export async function killSeries(
  databaseUrl: string,
  plans: readonly Kill[],
  runsEach: number,
  onKill: (kills: number) => void = () => undefined,
): Promise<SeriesReport> {
  const receiver = await new Receiver().open();
  const started: string[] = [];
  let workflowId = "";
  let kills = 0;
  try {
    for (const fault of [...plans, null]) {
      const child = new Child({
        databaseUrl,
        receiver: receiver.url,
        fault: fault === "random" ? null : fault,
      });
      await child.ready;
      if (workflowId === "") {
        workflowId = String(await child.ask("workflow", { document: JSON.stringify(effects()) }));
      }
      const starts = Array.from({ length: runsEach }, async () => {
        const id = await child.ask("start", { workflowId });
        started.push(String(id));
      });
      // A child that dies early refuses its starts while its end is still awaited.
      const settled = Promise.allSettled(starts);
      if (fault === null) {
        await Promise.all(starts);
        await checkAll(child, started, receiver);
        await child.kill("SIGTERM");
      } else {
        kills++;
        if (fault === "random") await new Promise((resolve) => setTimeout(resolve, Math.random() * 150));
        await endOf(child, fault === "random" ? 0 : 4_000);
        onKill(kills);
      }
      await settled;
    }
  } finally {
    receiver.close();
  }
  const total = [...receiver.effects.values()].reduce((sum, count) => sum + count, 0);
  return {
    kills,
    runs: started.length,
    effects: receiver.effects.size,
    repeats: total - receiver.effects.size,
  };
}

/** Waits until the child ends by itself, and kills it when it does not get to its point. */
async function endOf(child: Child, patienceMs: number): Promise<void> {
  const timer = setTimeout(() => child.process.kill("SIGKILL"), patienceMs);
  await child.ended;
  clearTimeout(timer);
}

async function checkAll(child: Child, runIds: readonly string[], receiver: Receiver): Promise<void> {
  const states = await child.ask("states", { runIds, timeoutMs: 180_000 });
  assert.ok(isObject(states));
  for (const id of runIds) {
    assert.deepEqual(states[id], { state: "succeeded", outputs: { last: STEPS - 1 }, error: null }, id);
    for (let step = 1; step <= STEPS; step++) {
      assert.ok(receiver.effects.has(`${id}:e${step}`), `step ${step} of ${id} had no effect`);
    }
  }
  assert.deepEqual(receiver.violations, [], "checkpointed steps ran again");
}
