import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { isObject, type JsonObject } from "../../src/kernel/json.ts";
import type { StepRecord } from "../../src/ports/records.ts";
import { ADMIN, openRig, type Rig } from "./harness.ts";

/* Steps of type `handoff` against a sibling over real HTTP: what is believed, what is tried again, what is kept. */

const PATH = "/api/docs/receive-handoff";

/** What the sibling does with a packet. */
type Answer = (id: string, sibling: Sibling) => { status: number; body: unknown } | "hang" | "drop" | "half";

/** A sibling that publishes reports, and answers as the test sets it. */
class Sibling {
  readonly received: {
    readonly id: string;
    readonly headers: IncomingMessage["headers"];
  }[] = [];
  readonly #server: Server;
  #answers: Answer[] = [];
  #arrived = Promise.withResolvers<void>();
  url = "";
  /** Requests whose sender did not wait for the answer. */
  hungUp = 0;

  constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    this.url = `http://127.0.0.1:${address.port}`;
    return this;
  }

  /** What it answers to the next packets; the last answer stays. */
  will(...answers: Answer[]): void {
    this.#answers = answers;
  }

  /** Resolves when the next packet has arrived. */
  next(): Promise<void> {
    this.#arrived = Promise.withResolvers<void>();
    return this.#arrived.promise;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    request.setEncoding("utf8");
    for await (const part of request) text += String(part);
    assert.equal(request.url, PATH);
    const packet: unknown = JSON.parse(text);
    assert.ok(isObject(packet) && typeof packet["id"] === "string");
    const { id } = packet;
    this.received.push({ id, headers: request.headers });
    response.on("close", () => {
      if (!response.writableFinished) this.hungUp++;
    });
    const answer = (this.#answers.length > 1 ? this.#answers.shift() : this.#answers[0]) ?? completed;
    const reply = answer(id, this);
    this.#arrived.resolve();
    if (reply === "drop") request.socket.destroy();
    else if (reply === "half") {
      response.writeHead(200, { "content-length": "400" });
      response.write("{", () => request.socket.destroy());
    } else if (reply !== "hang") response.writeHead(reply.status).end(JSON.stringify(reply.body));
  }
}

/** An answer that proves what it says. */
function completed(id: string, sibling: Sibling): { status: number; body: JsonObject } {
  return {
    status: 200,
    body: {
      ok: true,
      data: {
        id,
        status: "completed",
        resultRef: `${sibling.url}/reports/report_abc123.html`,
        result: { report: { id: "report_abc123", contentDigest: `sha256:${"a".repeat(64)}` } },
      },
    },
  };
}

const accepted: Answer = (id, { url }) => ({
  status: 202,
  body: {
    ok: true,
    data: { id, status: "accepted", statusUrl: `${url}/handoffs/${id}` },
  },
});
const unproven: Answer = (id, sibling) => ({
  status: 200,
  body: {
    ok: true,
    data: { id, status: "completed", resultRef: `${sibling.url}/reports/x`, result: {} },
  },
});
const refused: Answer = () => ({ status: 422, body: { ok: false, data: {} } });
const broken: Answer = () => ({ status: 503, body: { ok: false, data: {} } });

/** Hands a report over, and goes on by what became of it. */
function publish(handoff: JsonObject = {}, node: JsonObject = {}): JsonObject {
  return {
    nodes: [
      {
        id: "publish",
        type: "handoff",
        handoff: { target: "docs", capability: "report", payload: { title: "Q1" }, ...handoff },
        retry: { maxAttempts: 3, backoffMs: 10 },
        ...node,
      },
      {
        id: "done",
        type: "tool",
        tool: "echo",
        with: {
          status: { $ref: "$steps.publish.outputs#/data/status" },
          ref: { $ref: "$steps.publish.outputs#/data/resultRef" },
        },
      },
      { id: "sorry", type: "tool", tool: "echo", with: { sorry: true } },
    ],
    edges: [
      { id: "e1", from: "publish", to: "done", port: "success" },
      { id: "e2", from: "publish", to: "sorry", port: "error" },
    ],
    outputs: { n: 1 },
  };
}

describe("handoff steps", () => {
  let sibling: Sibling;
  let folder: string;
  let rig: Rig;
  const open = (): Promise<Rig> =>
    openRig({
      databaseUrl: `sqlite:${join(folder, "test.db")}`,
      settings: { siblings: { docs: { url: sibling.url, key: "secret" } } },
    });
  const step = async (runId: string, id: string): Promise<StepRecord | undefined> =>
    (await rig.services.store.read.runs.steps(runId)).find(({ stepId }) => stepId === id);
  /** The step when it is no longer tried. */
  const lost = async (runId: string): Promise<StepRecord | undefined> => {
    for (let looked = 0; ; looked++) {
      const found = await step(runId, "publish");
      const isTried = found === undefined || ["ready", "running", "backoff"].includes(found.state);
      if (!isTried || looked > 1_000) return found;
      await new Promise((done) => setTimeout(done, 20));
    }
  };

  beforeEach(async () => {
    sibling = await new Sibling().open();
    folder = await mkdtemp(join(tmpdir(), "handoff-step-"));
    rig = await open();
  });
  afterEach(async () => {
    await rig.close();
    sibling.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("give on what the sibling confirmed, and leave a record of it", async () => {
    const run = await rig.run(await rig.workflow(publish()));
    assert.equal(run.state, "succeeded");
    const done = await step(run.id, "done");
    const ref = `${sibling.url}/reports/report_abc123.html`;
    assert.deepEqual(done?.output, { ok: true, data: { status: "completed", ref } });
    assert.equal(sibling.received.length, 1);
    const [{ id, headers } = { id: "", headers: {} }] = sibling.received;
    assert.equal(headers["authorization"], "Bearer secret");
    assert.match(String(headers["traceparent"]), new RegExp(`^00-${run.traceId}-`));
    const record = await rig.services.store.read.handoffs.get(id, "out");
    assert.deepEqual([record?.state, record?.resultRef], ["completed", ref]);
  });

  it("do not call it completed when it was only accepted", async () => {
    sibling.will(accepted);
    const run = await rig.run(await rig.workflow(publish()));
    assert.equal(run.state, "succeeded");
    assert.deepEqual((await step(run.id, "done"))?.output, {
      ok: true,
      data: { status: "accepted", ref: null },
    });
    const record = await rig.services.store.read.handoffs.get(sibling.received[0]?.id ?? "", "out");
    assert.equal(record?.state, "accepted");
    assert.notEqual(record?.nextAttemptAt, null, "it is asked later what became of it");
  });

  it("are tried again while the sibling is down, with the same packet", async () => {
    sibling.will(broken, broken, broken, broken, completed);
    const run = await rig.run(await rig.workflow(publish()));
    assert.equal(run.state, "succeeded");
    assert.equal((await step(run.id, "publish"))?.attempt, 2);
    const ids = new Set(sibling.received.map(({ id }) => id));
    assert.equal(ids.size, 1, "the sibling can tell a repetition by its id");
    const [first, ...others] = await rig.services.store.read.runs.attempts(run.id);
    assert.deepEqual([first?.state, first?.error?.["code"], others.length], ["failed", "degraded", 0]);
  });

  it("fail with what was observed when the sibling refuses, or cannot be reached at all", async () => {
    const ends = [refused, null];
    for (const end of ends) {
      if (end === null) sibling.close();
      else sibling.will(end);
      const run = await rig.run(await rig.workflow(publish({}, { retry: { maxAttempts: 1 } })));
      assert.equal(run.state, "succeeded", "the error port leads on");
      const failed = await step(run.id, "publish");
      const code = end === null ? "degraded" : "not_confirmed";
      assert.deepEqual([failed?.state, failed?.port, failed?.error?.["code"]], ["failed", "error", code]);
      assert.equal((await step(run.id, "sorry"))?.state, "succeeded");
      assert.equal((await step(run.id, "done"))?.state, "skipped");
    }
  });

  const OPEN_ENDS: Readonly<Record<string, Answer>> = {
    "cuts its answer off": () => "drop",
    "answers half": () => "half",
    "is silent": () => "hang",
    "answers with an error of its own": broken,
    "answers with the error of a proxy": () => ({ status: 502, body: "bad gateway" }),
    "answers what proves nothing": unproven,
    "answers no envelope": () => ({ status: 200, body: [] }),
    redirects: () => ({ status: 303, body: {} }),
  };
  for (const [name, answer] of Object.entries(OPEN_ENDS)) {
    it(`are outcome_unknown when the sibling may have done it and ${name}`, async () => {
      sibling.will(answer);
      const { id } = await rig.start(
        await rig.workflow(publish({}, { retry: { maxAttempts: 2, backoffMs: 10 }, timeoutMs: 1_000 })),
      );
      const doubtful = await lost(id);
      assert.deepEqual([doubtful?.state, doubtful?.error?.["code"]], ["outcome_unknown", "outcome_unknown"]);
      assert.equal(await step(id, "sorry"), undefined, "the error edge does not act on it");
      assert.equal(new Set(sibling.received.map((one) => one.id)).size, 1);
      await rig.engine.settle(id, "publish", "failed", null, ADMIN);
      assert.equal((await rig.engine.waitFor(id, 120_000)).state, "succeeded");
      assert.equal((await step(id, "sorry"))?.state, "succeeded");
    });
  }

  it("stay in doubt when a sibling that may have done it refuses the repetition", async () => {
    sibling.will(
      () => "drop",
      () => "drop",
      () => "drop",
      refused,
    );
    const { id } = await rig.start(await rig.workflow(publish()));
    assert.equal((await lost(id))?.state, "outcome_unknown");
    assert.equal(await step(id, "sorry"), undefined);
  });

  it("send nothing in a preview", async () => {
    const run = await rig.run(await rig.workflow(publish({ dryRun: true })));
    assert.equal(run.state, "succeeded");
    assert.equal(sibling.received.length, 0);
    assert.deepEqual((await step(run.id, "done"))?.output, {
      ok: true,
      data: { status: "preview_ready", ref: null },
    });
    assert.deepEqual((await rig.services.store.read.handoffs.list({ limit: 10 })).items, []);
  });

  it("are asked to stop when the run is cancelled while the sibling works", async () => {
    sibling.will(() => "hang");
    const arrived = sibling.next();
    const { id } = await rig.start(await rig.workflow(publish()));
    await arrived;
    await rig.engine.cancel(id, ADMIN);
    const run = await rig.engine.waitFor(id, 120_000);
    assert.equal(run.state, "cancelled");
    assert.equal((await step(id, "publish"))?.state, "outcome_unknown", "the sibling has the packet");
    assert.equal(await step(id, "done"), undefined);
    assert.equal(sibling.hungUp, 1, "the request does not go on");
  });

  it("are sent again with the same packet after a restart in between", async () => {
    sibling.will(() => "hang", completed);
    const arrived = sibling.next();
    const { id } = await rig.start(await rig.workflow(publish()));
    await arrived;
    rig = await rig.restart();
    const run = await rig.engine.waitFor(id, 120_000);
    assert.equal(run.state, "succeeded", JSON.stringify(run.error));
    const ids = sibling.received.map(({ id }) => id);
    assert.deepEqual([ids.length, new Set(ids).size], [2, 1]);
    const leaves = await rig.services.store.read.provenance.find({ runId: id }, { limit: 20 });
    const kinds = leaves.items.map(({ kind }) => kind).toSorted();
    assert.deepEqual(kinds.filter((kind) => kind === "step").length, 3, kinds.join());
  });
});
