import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import type { OutputOf } from "../../packages/client/client.ts";
import type { AnswerOf } from "../support/answers.ts";
import type { TestService } from "../support/service.ts";
import { ask, type RestAnswer } from "../triggers/support.ts";

type Asks = Pick<TestService, "fetch" | "call">;

/** A server that counts what it is asked to do; the steps in `failing` are refused. */
export interface Oracle {
  readonly url: string;
  readonly failing: Set<string>;
  /** Steps that have their effect at once and their answer later. */
  readonly slow: Set<string>;
  /** Every effect in order: the step, its value and its idempotency key. A key that was seen has no second effect. */
  readonly effects: { readonly step: string; readonly value: unknown; readonly key: string }[];
  close(): void;
}

/** Starts an oracle on a free port. */
export async function startOracle(): Promise<Oracle> {
  const failing = new Set<string>();
  const slow = new Set<string>();
  const effects: { step: string; value: unknown; key: string }[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += String(chunk)));
    request.on("end", () => {
      const step = request.url?.split("/").pop() ?? "";
      const key = String(request.headers["idempotency-key"]);
      const { value } = JSON.parse(text === "" ? "{}" : text);
      response.setHeader("content-type", "application/json");
      response.statusCode = failing.has(step) ? 422 : 200;
      if (!failing.has(step) && !effects.some((one) => one.key === key)) effects.push({ step, value, key });
      setTimeout(() => response.end(JSON.stringify({ did: value })), slow.has(step) ? 400 : 0);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return { url: `http://127.0.0.1:${address.port}`, failing, slow, effects, close: () => server.close() };
}

/** Connects a service with the oracle: `oracle:work`. */
export async function connectOracle(service: Asks, { url }: Oracle): Promise<void> {
  const request = {
    name: "work",
    method: "POST",
    path: "/tasks/{step}",
    body: {
      type: "object",
      properties: { value: { type: ["string", "number", "object", "array", "null"] } },
    },
    headers: { "Idempotency-Key": { type: "string" } },
  };
  const answer = await ask(service, "POST", "/api/svc/connections", {
    name: "oracle",
    kind: "http",
    url,
    document: { requests: [request] },
    allowPrivateOrigin: true,
  });
  assert.equal(answer.status, 201, JSON.stringify(answer.data));
}

/** A step that asks the oracle to do something. */
export function work(id: string, value: unknown = id): Record<string, unknown> {
  return { id, type: "tool", tool: "oracle:work", with: { path: { step: id }, body: { value } } };
}

/** Makes a workflow, or a newer version of it, and publishes it; gives its id. */
export async function published(
  service: Asks,
  nodes: readonly Record<string, unknown>[],
  edges: readonly unknown[],
  more: Record<string, unknown> = {},
  known?: string,
): Promise<string> {
  const meta = {
    "svc/document": { inputs: { type: "object" }, policy: { requireApproval: "none" }, ...more },
  };
  const made = await service.call(
    known === undefined ? "create_workflow" : "update_workflow",
    known === undefined ? { name: "Repaired", nodes, edges } : { id: known, nodes, edges },
    { key: true, meta },
  );
  assert.equal(made.envelope?.ok, true, made.text);
  const { id } = made.envelope.data.workflow;
  const answer = await service.call("publish_workflow", { id }, { key: true });
  assert.equal(answer.envelope.ok, true, answer.text);
  return id;
}

/** One step after the other. */
export function inARow(nodes: readonly Record<string, unknown>[]): readonly unknown[] {
  return nodes.slice(1).map((node, at) => ({ from: nodes[at]?.["id"], to: node["id"] }));
}

/** Starts a run and gives its id. */
export async function start(service: Asks, id: string): Promise<string> {
  const { status, data } = await ask(service, "POST", `/api/svc/workflows/${id}/runs`, { inputs: {} });
  assert.ok(status < 300, JSON.stringify(data));
  return data.run.id;
}

/** Repairs a run after a look at the report, as the web app and `suitectl` do. */
export async function repair(
  service: Asks,
  runId: string,
  body: Record<string, unknown>,
): Promise<{
  readonly report: OutputOf<"preview_repair">["report"];
  readonly answer: RestAnswer<AnswerOf<"repair_run">>;
}> {
  const { status, data } = await ask(service, "POST", `/api/svc/runs/${runId}/repair/preview`, body);
  assert.equal(status, 200, JSON.stringify(data));
  const { report } = data;
  const answer = await ask(service, "POST", `/api/svc/runs/${runId}/repair`, {
    ...body,
    reportDigest: report.digest,
  });
  return { report, answer };
}
