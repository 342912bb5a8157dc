import assert from "node:assert/strict";
import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./dist/schema.d.ts";

/* Five whole tasks, written only with what a third-party generator made of our OpenAPI document. */

/** What a task is given. */
export interface Given {
  readonly baseUrl: string;
  readonly key: string;
  /** An API that others run. */
  readonly apiUrl: string;
}

const clientWith = ({ baseUrl }: Given, key: string): Client<paths> =>
  createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });

/** The data of an answer; its problems where there is an error. */
function dataOf<T>(answer: {
  readonly data?: { readonly ok: boolean; readonly data: T };
  readonly error?: components["schemas"]["ErrorEnvelope"];
}): T {
  const { data, error } = answer;
  if (data === undefined) throw new Error(JSON.stringify(error?.data.error));
  assert.equal(data.ok, true);
  return data.data;
}

/** A credential, a connection that uses it, and a call. */
async function connectAnApi(given: Given): Promise<void> {
  const client = clientWith(given, given.key);
  const host = new URL(given.apiUrl).hostname;
  const { credential } = dataOf(
    await client.POST("/api/svc/credentials", {
      body: { name: "orders", kind: "bearer", token: "orders-token-1", hosts: [host], allowHttp: true },
    }),
  );
  assert.equal(credential.kind, "bearer");
  assert.ok(!JSON.stringify(credential).includes("orders-token-1"));
  const { connection, definitions } = dataOf(
    await client.POST("/api/svc/connections", {
      body: { name: "orders", kind: "openapi", url: `${given.apiUrl}/openapi.json`, credential: "orders" },
    }),
  );
  assert.equal(connection.name, "orders");
  const [order] = definitions;
  assert.ok(order !== undefined);
  const path = { connection: "orders", definition: order.name };
  const answer = dataOf(
    await client.POST("/api/svc/connections/{connection}/call/{definition}", {
      params: { path },
      body: { arguments: { path: { id: "7" } } },
    }),
  );
  assert.match(JSON.stringify(answer), /"total":42/);
  const { calls } = dataOf(
    await client.GET("/api/svc/connections/{connection}/definitions/{definition}/calls", {
      params: { path },
    }),
  );
  assert.equal(calls.length, 1);
}

/** Draft, version, run and result. */
async function runAWorkflow(given: Given): Promise<void> {
  const client = clientWith(given, given.key);
  const document = {
    schemaVersion: "suite.workflow.v1",
    name: "Two steps",
    nodes: [{ id: "say", type: "tool", tool: "get_health", with: {} }],
    edges: [],
  };
  const { workflow } = dataOf(
    await client.POST("/api/svc/workflows/import", { body: { document, save: true } }),
  );
  assert.ok(workflow !== undefined && workflow !== null);
  const { id } = workflow;
  const { version } = dataOf(
    await client.POST("/api/svc/workflows/{id}/publish", { params: { path: { id } } }),
  );
  assert.equal(version.version, 1);
  const run = await finished(client, id);
  assert.equal(run.status, "succeeded");
  assert.equal(run.steps[0]?.status, "succeeded");
}

/** A run that waits for a person, and the decision that ends it. */
async function decideAnApproval(given: Given): Promise<void> {
  const client = clientWith(given, given.key);
  const document = {
    schemaVersion: "suite.workflow.v1",
    name: "Asks",
    nodes: [{ id: "ask", type: "approval", approval: { title: "Pay it?", show: { sum: 7 } } }],
    edges: [],
  };
  const { workflow } = dataOf(
    await client.POST("/api/svc/workflows/import", { body: { document, save: true } }),
  );
  assert.ok(workflow !== undefined && workflow !== null);
  const waiting = await finished(client, workflow.id);
  assert.equal(waiting.status, "waiting");
  const { approvals } = dataOf(
    await client.GET("/api/svc/approvals", { params: { query: { status: "pending", runId: waiting.id } } }),
  );
  const [approval] = approvals;
  assert.ok(approval !== undefined);
  const decided = dataOf(
    await client.POST("/api/svc/approvals/{id}/decide", {
      params: { path: { id: approval.id } },
      body: { verdict: "approved", shownDigest: approval.shownDigest ?? "" },
    }),
  );
  assert.equal(decided.approval.status, "approved");
}

/** A key that is used and then revoked. */
async function useAKey(given: Given): Promise<void> {
  const admin = clientWith(given, given.key);
  const { key, token } = dataOf(
    await admin.POST("/api/svc/keys", { body: { name: "reader", scopes: ["read-private"] } }),
  );
  const reader = clientWith(given, token);
  assert.deepEqual(dataOf(await reader.GET("/api/svc/me")).me.scopes, ["read-private"]);
  const refused = await reader.GET("/api/svc/keys");
  assert.equal(refused.response.status, 403);
  assert.equal(refused.error?.data.error.code, "forbidden");
  const revoked = dataOf(await admin.POST("/api/svc/keys/{id}/revoke", { params: { path: { id: key.id } } }));
  assert.ok(revoked.key.revokedAt !== null);
  assert.equal((await reader.GET("/api/svc/runs")).response.status, 401);
}

/** A rule for how long runs are kept, with a preview, and a webhook for events. */
async function operate(given: Given): Promise<void> {
  const client = clientWith(given, given.key);
  const rule = { detailsDays: 30, runsDays: 365 };
  const preview = dataOf(await client.GET("/api/svc/retention/preview", { params: { query: rule } }));
  assert.equal(preview.runs, 0);
  const { rules } = dataOf(await client.POST("/api/svc/retention", { body: rule }));
  assert.equal(rules[0]?.runsDays, 365);
  const { webhook, secret } = dataOf(
    await client.POST("/api/svc/webhooks", {
      body: { url: `${given.apiUrl}/hooks`, types: ["svc.run.*"] },
    }),
  );
  assert.match(secret, /^whsec_/);
  const paused = dataOf(
    await client.POST("/api/svc/webhooks/{id}/pause", { params: { path: { id: webhook.id } } }),
  );
  assert.equal(paused.webhook.state, "paused");
  const wrong = await client.POST("/api/svc/retention", { body: { runsDays: -1 } });
  assert.equal(wrong.error?.data.error.problems?.[0]?.pointer, "/runsDays");
}

/** Starts a run of the newest version or the draft, and waits until it ends or waits for a person. */
async function finished(client: Client<paths>, workflowId: string) {
  const { run } = dataOf(
    await client.POST("/api/svc/workflows/{id}/runs", {
      params: { path: { id: workflowId } },
      body: { version: "draft" },
    }),
  );
  for (let n = 0; n < 600; n++) {
    const shown = dataOf(await client.GET("/api/svc/runs/{id}", { params: { path: { id: run.id } } })).run;
    if (!["queued", "running"].includes(shown.status)) return shown;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the run ${run.id} did not end`);
}

/** The tasks by their names. */
export const TASKS: Readonly<Record<string, (given: Given) => Promise<void>>> = {
  "store a credential, connect an API and call it": connectAnApi,
  "make, publish and run a workflow and read its result": runAWorkflow,
  "decide an approval": decideAnApproval,
  "make a key, use it and revoke it": useAKey,
  "preview and set retention, and subscribe a webhook": operate,
};
