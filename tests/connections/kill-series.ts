import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { fileURLToPath } from "node:url";
import { testPostgres } from "../support/postgres.ts";
import { startServiceProcess, TEST_KEY, type ServiceProcess } from "../support/service.ts";
import { addCredential, masterKey } from "../vault/support.ts";
import { json, startApiServer, type Answer, type ApiServer } from "./api-server.ts";
import { rest } from "./rest.ts";

/*
 * A workflow over a REST API with bearer auth and an MCP server over stdio, with an approval before the write. The
 * service is killed with SIGKILL in the middle of every step; each write is executed once, counted at its server.
 */

const TOKEN = "kill-bearer-0f7a6c";
const REQUESTS = {
  requests: [
    { name: "read", method: "GET", path: "/customer" },
    {
      name: "order",
      method: "POST",
      path: "/orders",
      body: { type: "object", required: ["email"], properties: { email: { type: "string" } } },
    },
  ],
};
const NODES = [
  { id: "customer", type: "tool", tool: "shop:read" },
  { id: "ask", type: "approval", approval: { title: "Order?" } },
  {
    id: "order",
    type: "tool",
    tool: "shop:order",
    with: { body: { email: { $ref: "$steps.customer.outputs#/data/body/email" } } },
  },
  { id: "book", type: "tool", tool: "ledger:book" },
];
const EDGES = [
  { from: "customer", to: "ask" },
  { from: "ask", to: "order", port: "approved" },
  { from: "order", to: "book" },
];

/** The steps that are cut off, one of them before and after its effect. */
export const KILLS = 5;

/** Declares the test for one store. */
export function killAtEveryStep(
  store: "SQLite" | "PostgreSQL",
  onPassed: (kills: number) => void = () => undefined,
): void {
  let kills = 0;
  let api: ApiServer;
  let folder: string;
  let child: ServiceProcess;
  let env: Record<string, string>;
  const received: Record<string, string[]> = { customer: [], order: [] };
  const executed: string[] = [];
  /** What the next request of a step waits for; nothing when it is answered at once. */
  let hold: "customer" | "order before" | "order after" | null = null;

  const guarded =
    (answer: Answer): Answer =>
    (request, response) =>
      request.headers["authorization"] === `Bearer ${TOKEN}`
        ? answer(request, response)
        : json({ error: "who?" }, 401)(request, response);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "connections-kill-"));
    api = await startApiServer({
      "GET /customer": guarded((request, response) => {
        received["customer"]?.push("");
        if (hold !== "customer") void json({ email: "a@example.com" })(request, response);
      }),
      "POST /orders": guarded((request, response) => {
        const key = String(request.headers["idempotency-key"]);
        received["order"]?.push(key);
        if (hold === "order before") return;
        // As an API with idempotency keys does: the first request with a key acts, later ones get its answer.
        if (!executed.includes(key)) executed.push(key);
        if (hold !== "order after") void json({ order: key }, 201)(request, response);
      }),
    });
    const sqlite = `sqlite:${join(folder, "kill.db")}`;
    env = {
      DATABASE_URL: store === "SQLite" ? sqlite : await (await testPostgres()).createDatabase(),
      SVC_MASTER_KEY: masterKey(),
      SVC_ALLOW_STDIO: "true",
    };
    child = await startServiceProcess(env);
  });
  after(async () => {
    await child.stop("SIGKILL");
    await api.close();
    await rm(folder, { recursive: true, force: true });
  });

  const until = async <T>(what: string, look: () => Promise<T | null> | T | null): Promise<T> => {
    for (let waited = 0; waited < 6_000; waited++) {
      const found = await look();
      if (found !== null) return found;
      await new Promise((done) => setTimeout(done, 20));
    }
    return assert.fail(`${what} did not happen`);
  };
  const restart = async (): Promise<void> => {
    await child.stop("SIGKILL");
    kills += 1;
    child = await startServiceProcess(env);
  };
  const ledger = async (): Promise<readonly string[]> =>
    (await readFile(join(folder, "ledger"), "utf8")).split("\n").filter((line) => line !== "");
  const statusOf = async (runId: string): Promise<string> => {
    const run = await child.call("get_workflow_run", { id: runId }, { key: true });
    return run.envelope?.data.run?.status ?? "";
  };

  it("every write is executed once, under one key, and the run ends once", async () => {
    const keyed = { ...child, key: TEST_KEY };
    const hosts = [new URL(api.url).host];
    await addCredential(child, { name: "shop", kind: "bearer", token: TOKEN, hosts, allowHttp: true });
    for (const body of [
      {
        name: "shop",
        kind: "http",
        url: api.url,
        document: REQUESTS,
        credential: "shop",
        allowPrivateOrigin: true,
      },
      {
        name: "ledger",
        kind: "mcp",
        command: process.execPath,
        args: [fileURLToPath(new URL("ledger-server.ts", import.meta.url)), join(folder, "ledger")],
      },
    ]) {
      const added = await rest(keyed, "POST", "", body);
      assert.equal(added.status, 201, JSON.stringify(added.body));
    }
    const edit = { idempotencyHeader: "Idempotency-Key" };
    const edited = await rest(keyed, "PATCH", "/shop/definitions/order", edit);
    assert.equal(edited.status, 200, JSON.stringify(edited.body));
    const meta = { "svc/document": { policy: { requireApproval: "none" } } };
    const graph = { name: "Order", nodes: NODES, edges: EDGES };
    const created = await child.call("create_workflow", graph, { key: true, meta });
    assert.equal(created.envelope?.ok, true, created.text);
    const { id } = created.envelope.data.workflow;

    hold = "customer";
    const started = await until("the start", async () => {
      const answer = await child.call("run_workflow", { id }, { key: true });
      // A machine that is busy starts the validator's threads late.
      return answer.status === 503 ? null : answer;
    });
    assert.equal(started.envelope?.ok, true, started.text);
    const runId: string = started.envelope.data.run.id;
    await until("the read", () => (received["customer"]?.length ? true : null));
    hold = null;
    await restart();

    await until("the approval", async () => ((await statusOf(runId)) === "waiting" ? true : null));
    assert.equal(received["order"]?.length, 0, "nothing was written before the approval");
    await restart();
    const approval = await until("the approval again", async () => {
      const listed = await child.call("list_approvals", {}, { key: true });
      return listed.envelope?.data.approvals?.find((one) => one.runId === runId) ?? null;
    });

    hold = "order before";
    const decided = await child.call(
      "approve_step",
      { id: approval.id },
      {
        key: true,
        meta: { "svc/shownDigest": approval.shownDigest },
      },
    );
    assert.equal(decided.envelope?.ok, true, decided.text);
    await until("the write", () => (received["order"]?.length === 1 ? true : null));
    hold = "order after";
    await restart();
    await until("the write again", () => (received["order"]?.length === 2 ? true : null));
    hold = null;
    await restart();

    await until("the entry", async () => ((await ledger()).length > 0 ? true : null));
    await restart();
    await until("the end", async () => ((await statusOf(runId)) === "succeeded" ? true : null));

    assert.deepEqual(executed, [`${runId}:order`], "the order was executed once");
    assert.deepEqual([...new Set(received["order"])], [`${runId}:order`], "every attempt had the same key");
    assert.equal(received["order"]?.length, 3, "and was cut off twice");
    const key = `${runId}:book`;
    assert.deepEqual(await ledger(), [`received ${key}`, `executed ${key}`, `received ${key}`]);
    const proven = await child.call("get_workflow_run", { id: runId }, { key: true });
    assert.ok(!JSON.stringify(proven.envelope).includes(TOKEN));
    assert.equal(kills, KILLS);
    onPassed(kills);
  });
}
