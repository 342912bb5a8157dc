import assert from "node:assert/strict";
import type { Approval, OperationName } from "../../packages/client/client.ts";
import { json, type Answer, type ApiServer } from "../connections/api-server.ts";
import { rest } from "../connections/rest.ts";
import { asOperator } from "../people/support.ts";
import { ask as askTrigger, create as createTrigger } from "../triggers/support.ts";
import type { TestService } from "../support/service.ts";
import { seed, type Seeded } from "./support.ts";

/*
 * A database with records of every kind in every state that a page can show: runs, approvals, handoffs, connections,
 * versions, artifacts of every type, people. What a service goes through in a moment is written as it stores it.
 */

/** Records to open the pages with. */
export interface Full extends Seeded {
  /** A run with a map, an approval that was granted and a request that was sent. */
  readonly orderRunId: string;
  readonly orderWorkflowId: string;
  /** Runs that ended, wait or are in doubt, by the state they show. */
  readonly runs: Readonly<Record<string, string>>;
  readonly artifacts: readonly string[];
  /** One of each kind; the first one is paused, the webhook has received something. */
  readonly triggers: readonly string[];
  /** Connections by short name. */
  readonly connections: readonly string[];
}

/** What the API of the connections answers: one path is never answered. */
export const SHOP: Readonly<Record<string, Answer>> = {
  "POST /orders": json({ id: "order-17", state: "open", note: null }, 201),
  "GET /orders": json([
    { id: "order-1", item: "tea", paid: true, note: null },
    { id: "order-2", item: "bread", paid: false, note: "by noon" },
  ]),
  "GET /busy": json({ error: "busy" }, 503),
  "GET /hang": () => undefined,
  "POST /hang": () => undefined,
};

const order = {
  type: "object",
  required: ["item"],
  properties: { item: { type: "string", title: "Item" }, amount: { type: "integer", title: "Amount" } },
};
const REQUESTS = [
  { name: "place_order", method: "POST", path: "/orders", title: "Place an order", body: order },
  { name: "list_orders", method: "GET", path: "/orders", title: "List orders" },
  { name: "busy_look", method: "GET", path: "/busy", title: "A look that fails" },
  { name: "slow_look", method: "GET", path: "/hang", title: "A slow look" },
  { name: "slow_order", method: "POST", path: "/hang", title: "A slow order", body: order },
];

const ORDERS = {
  name: "Weekly orders",
  description: "Looks at the open orders, asks, and places the next one.",
  inputs: {
    type: "object",
    required: ["item"],
    properties: { item: { type: "string", title: "Item" }, expiresInMs: { type: "integer" } },
  },
  nodes: [
    { id: "open_orders", type: "tool", title: "Look at open orders", tool: "shop:list_orders", with: {} },
    {
      id: "each_line",
      type: "map",
      title: "Check each line",
      map: {
        items: ["1", "2", "artifact_0missing"],
        maxItems: 10,
        onItemError: "continue",
        body: { tool: "get_artifact", with: { id: { $ref: "item" } } },
      },
    },
    {
      id: "lines",
      type: "map",
      title: "Write each line",
      map: {
        items: ["tea", "bread"],
        maxItems: 10,
        body: {
          nodes: [
            { id: "name_it", type: "transform", title: "Name it", value: { name: { $ref: "item" } } },
            { id: "price_it", type: "transform", title: "Price it", value: { price: null } },
          ],
          edges: [{ from: "name_it", to: "price_it" }],
        },
      },
    },
    {
      id: "may_order",
      type: "approval",
      title: "May we order?",
      approval: {
        title: "Order this week's supplies?",
        show: { item: { $ref: "inputs.item" }, remark: null, amount_wanted: 3 },
        form: { type: "object", properties: { limit: { type: "integer", title: "At most" } } },
      },
    },
    {
      id: "place",
      type: "tool",
      title: "Place the order",
      tool: "shop:place_order",
      with: { body: { item: { $ref: "inputs.item" }, amount: 3 } },
    },
    { id: "no_order", type: "transform", title: "Remember that nothing was ordered", value: { why: null } },
  ],
  edges: [
    { from: "open_orders", to: "each_line" },
    { from: "each_line", to: "lines" },
    { from: "lines", to: "may_order" },
    { from: "may_order", to: "place", port: "approved" },
    { from: "may_order", to: "no_order", port: "rejected" },
    { from: "may_order", to: "no_order", port: "changes" },
  ],
  outputs: { order: { $ref: "steps.place.outputs.data", default: null } },
};

interface Document {
  readonly name: string;
  readonly nodes: readonly object[];
  readonly edges: readonly object[];
  readonly inputs?: object;
  readonly outputs?: object;
  readonly policy?: object;
}

const one = (name: string, node: object, more: object = {}): Document => ({
  name,
  nodes: [{ id: "only_step", ...node }],
  edges: [],
  ...more,
});

/** Workflows of one step, and the state that their run or its step shows. */
const ENDS: readonly { readonly state: string; readonly workflow: Document }[] = [
  {
    state: "failed",
    workflow: one("Fails three times", {
      type: "tool",
      title: "Look for it",
      tool: "shop:busy_look",
      with: {},
      retry: { maxAttempts: 3, backoffMs: 1 },
    }),
  },
  {
    state: "timed_out",
    workflow: one(
      "Runs out of time",
      { type: "wait", title: "A long pause", wait: { ms: 600_000 } },
      { policy: { timeoutMs: 200 } },
    ),
  },
  {
    state: "outcome_unknown",
    workflow: one("In doubt", {
      type: "tool",
      title: "Order slowly",
      tool: "shop:slow_order",
      with: { body: { item: "tea" } },
      timeoutMs: 1_000,
    }),
  },
  {
    state: "running",
    workflow: one("Still at it", { type: "tool", title: "A slow look", tool: "shop:slow_look", with: {} }),
  },
  {
    state: "backoff",
    workflow: one("Waits to retry", {
      type: "tool",
      title: "Look for it",
      tool: "shop:busy_look",
      with: {},
      retry: { maxAttempts: 3, backoffMs: 600_000 },
    }),
  },
  {
    state: "waiting",
    workflow: one("Pauses", { type: "wait", title: "A long pause", wait: { ms: 600_000 } }),
  },
  {
    state: "handed",
    workflow: one("Hands over", {
      type: "handoff",
      title: "Ask for a report",
      handoff: { target: "docs", capability: "report", intent: "A report", payload: { rows: null } },
    }),
  },
];

/** Contents of every type that an artifact's page has a view for. */
const ARTIFACTS: readonly object[] = [
  { title: "A note", type: "note", privacy: "public", content: { text: "# Heading\n\nA *plain* text." } },
  { title: "A table", type: "list", content: [{ item: "tea", paid: null }, { item: "bread" }] },
  {
    title: "A picture",
    type: "image",
    content: {
      dataUrl:
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    },
  },
  {
    title: "A form",
    type: "form",
    privacy: "confidential",
    content: { schema: order, values: { item: null } },
  },
  {
    title: "A workflow",
    type: "workflow",
    privacy: "restricted",
    content: { nodes: [{ id: "a", type: "transform", value: 1 }], edges: [] },
  },
  {
    title: "A result",
    type: "tool-result",
    content: { tool: "get_health", result: { ok: true, data: { a_value: null } } },
  },
  { title: "Empty", type: "report", content: {} },
];

/** Fills the database of a service. `api` answers as `SHOP` says. */
export async function fillDatabase(service: TestService, api: ApiServer): Promise<Full> {
  const call = async <N extends OperationName>(name: N, args: object, meta: object = {}) => {
    const { envelope, text } = await service.call(name, args, { key: true, meta });
    assert.ok(envelope?.ok, `${name}: ${text}`);
    return envelope.data;
  };
  const connections = await connect(service, api);
  const seeded = await seed(service);
  const create = async ({ inputs, outputs, policy, ...graph }: Document) => {
    const more = { ...(inputs && { inputs }), ...(outputs && { outputs }), ...(policy && { policy }) };
    return (await call("create_workflow", graph, { "svc/document": more })).workflow;
  };
  const workflow = await create(ORDERS);
  await call("publish_workflow", { id: workflow.id });
  const begin = async (id: string) => (await call("run_workflow", { id, inputs: { item: "tea" } })).run.id;
  const runs: Record<string, string> = {};
  for (const { state, workflow: given } of ENDS) {
    const made = await create(given);
    runs[state] = (await call("run_workflow", { id: made.id, inputs: {} })).run.id;
  }
  await call("dry_run_workflow", { id: workflow.id, inputs: { item: "tea" } });
  const orderRunId = await begin(workflow.id);
  await decide(service, orderRunId, "decide", { verdict: "approved", reason: "Fine", values: { limit: 5 } });
  runs["rejected"] = await begin(workflow.id);
  await decide(service, runs["rejected"] ?? "", "decide", { verdict: "rejected", reason: "Too much" });
  runs["changes"] = await begin(workflow.id);
  await decide(service, runs["changes"] ?? "", "request-changes", { comment: "Ask for less" });
  runs["cancelled"] = await begin(workflow.id);
  await pendingOf(service, runs["cancelled"] ?? "");
  await call("cancel_workflow_run", { id: runs["cancelled"] });
  runs["pending"] = await begin(workflow.id);
  await pendingOf(service, runs["pending"] ?? "");
  await storeStates(service);
  for (const [state, id] of Object.entries(runs)) await reached(service, id, state);
  // A draft that differs from its version.
  await call("update_workflow", {
    id: workflow.id,
    nodes: ORDERS.nodes.map((node, index) => (index === 0 ? { ...node, title: "Another title" } : node)),
    edges: ORDERS.edges,
  });
  const artifacts: string[] = [];
  for (const artifact of ARTIFACTS) artifacts.push((await call("save_artifact", { artifact })).artifact.id);
  await call("update_artifact", { id: artifacts[0], artifact: { ...ARTIFACTS[0], title: "A better note" } });
  await handoffs(service);
  const triggers = await startThemselves(service, workflow.id);
  const people = await asOperator(service, "POST", "/api/svc/people", {
    email: "invited@example.com",
    name: "Ina Invited",
    role: "approver",
  });
  assert.equal(people.status, 201, people.text);
  return { ...seeded, orderRunId, orderWorkflowId: workflow.id, runs, artifacts, triggers, connections };
}

/** Triggers of every kind. None fires while the pages are looked at. */
async function startThemselves(service: TestService, workflowId: string): Promise<readonly string[]> {
  const inputs = { item: "tea" };
  const made: string[] = [];
  for (const settings of [
    { kind: "schedule", cron: "0 7 1 1 *", timeZone: "Europe/Berlin", name: "New year", inputs },
    { kind: "schedule", everySeconds: 86_400, inputs },
    { kind: "schedule", everySeconds: 1_800, name: "Twice an hour", inputs },
    { kind: "webhook", verifier: "github" },
    { kind: "form", slug: "weekly-orders", title: "Order", text: "What do you need?" },
    { kind: "event", type: "svc.run.timed_out", filter: 'event.data.workflowId == "none"' },
  ]) {
    const { trigger } = await createTrigger(service, { workflowId, ...settings });
    made.push(trigger.id);
  }
  const [paused, , , webhook] = made;
  await askTrigger(service, "PATCH", `/api/svc/triggers/${paused}`, { paused: true, note: "Stocktaking" });
  await askTrigger(service, "POST", `/api/svc/triggers/${webhook}/fire`, { payload: { item: 7 } });
  const fired = await askTrigger(service, "POST", `/api/svc/triggers/${webhook}/fire`, { payload: inputs });
  assert.equal(fired.status, 202);
  return made;
}

async function connect(service: TestService, api: ApiServer): Promise<readonly string[]> {
  const source = { kind: "http", url: api.url, allowPrivateOrigin: true };
  for (const name of ["shop", "changed"]) {
    const added = await rest(service, "POST", "", { ...source, name, document: { requests: REQUESTS } });
    assert.equal(added.status, 201, JSON.stringify(added.body));
  }
  await rest(service, "POST", "/shop/call/list_orders", { arguments: {} });
  await rest(service, "POST", "/shop/call/place_order", { arguments: { body: { item: "tea" } } });
  // One operation changed and one is gone: both wait for a person.
  const properties = { ...order.properties, note_to_seller: { type: "string" } };
  const [first, second] = REQUESTS;
  const requests = [{ ...first, body: { ...order, properties } }, second];
  const changed = await rest(service, "PATCH", "/changed", { document: { requests } });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  const gone = { kind: "openapi", name: "gone", url: `${api.url}/openapi.json`, allowPrivateOrigin: true };
  await rest(service, "POST", "", gone);
  return ["shop", "changed"];
}

/** The approval that a run waits for. */
async function pendingOf(service: TestService, runId: string): Promise<Approval> {
  for (;;) {
    const { envelope } = await service.call("list_approvals", { limit: 100 }, { key: true });
    const found = envelope.data.approvals.find((item) => item.runId === runId && item.status === "pending");
    if (found !== undefined) return found;
    const { run } = (await service.call("get_workflow_run", { id: runId }, { key: true })).envelope.data;
    assert.notEqual(run.status, "failed", JSON.stringify(run.error));
  }
}

async function decide(service: TestService, runId: string, how: string, body: object): Promise<void> {
  const { id, shownDigest } = await pendingOf(service, runId);
  const decided = await asOperator(service, "POST", `/api/svc/approvals/${id}/${how}`, {
    ...body,
    shownDigest,
  });
  assert.equal(decided.status, 200, decided.text);
}

/** Waits until a run or one of its steps is in a state; decisions and pauses leave it in another one. */
async function reached(service: TestService, id: string, state: string): Promise<void> {
  for (;;) {
    const { run } = (await service.call("get_workflow_run", { id }, { key: true })).envelope.data;
    const states = [run.status, ...run.steps.map((step: { readonly status: string }) => step.status)];
    if (states.includes(state) || ["rejected", "changes", "pending", "handed"].includes(state)) return;
    assert.ok(!["succeeded", "failed"].includes(run.status), `a run for ${state}: ${JSON.stringify(run)}`);
  }
}

/** States that last a moment, or longer than a test: copies of records that are in another state. */
async function storeStates({ app }: TestService): Promise<void> {
  const { store } = app.services;
  const [approval] = (await store.read.approvals.list({ limit: 1 }, { state: "pending" })).items;
  assert.ok(approval !== undefined);
  await store.transact(async (tx) => {
    for (const state of ["expired", "superseded"] as const)
      await tx.approvals.insert({ ...approval, id: `${approval.id}-${state}`, state });
  });
}

async function handoffs(service: TestService): Promise<void> {
  // A target that is not configured.
  await service.call("delegate_artifact", { targetService: "docs", dryRun: false }, { key: true });
  const preview = await service.call("delegate_artifact", { targetService: "sandbox" });
  const packet = { ...preview.envelope.data.packet, from: "sandbox", to: "svc", dryRun: false };
  const received = await asOperator(service, "POST", "/api/svc/receive-handoff", {
    ...packet,
    status: "accepted",
    intent: "Look at this sign-up",
  });
  assert.equal(received.status, 202, received.text);
  const { store } = service.app.services;
  const [accepted] = (await store.read.handoffs.list({ limit: 1 }, { direction: "in" })).items;
  assert.ok(accepted !== undefined);
  const evidence = {
    reason: "not_confirmed",
    httpStatus: 502,
    address: "http://127.0.0.1/evals",
    body: null,
  };
  await store.transact(async (tx) => {
    for (const state of ["preview_ready", "ready", "sending", "completed", "degraded", "rejected"] as const)
      await tx.handoffs.insert({
        ...accepted,
        id: `${accepted.id}-${state}`,
        direction: "out",
        peer: "evals",
        state,
        evidence,
        nextAttemptAt: null,
        resultRef: state === "completed" ? "scorecard_17" : null,
      });
  });
}
