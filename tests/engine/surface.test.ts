import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { isObject, type Json } from "../../src/kernel/json.ts";
import { json, startApiServer } from "../connections/api-server.ts";
import { rest } from "../connections/rest.ts";
import type { AnswerOf } from "../support/answers.ts";
import { at, textAt } from "../support/json.ts";
import { startService, TEST_KEY, type TestService } from "../support/service.ts";
import { ask, type RestAnswer } from "../triggers/support.ts";

/* Runs, approvals and traces as callers meet them: over HTTP, with and without a key. */

let service: TestService;
interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
}
const spans: CollectedSpan[] = [];
const collector = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (text: string) => (body += text));
  request.on("end", () => {
    for (const { scopeSpans } of JSON.parse(body).resourceSpans)
      for (const scope of scopeSpans) spans.push(...scope.spans);
    response.end("{}");
  });
});

before(async () => {
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const address = collector.address();
  const port = isObject(address) ? Number(address["port"]) : 0;
  service = await startService({ settings: { otlpEndpoint: `http://127.0.0.1:${port}` } });
});

after(async () => {
  await service.close();
  collector.close();
});

const SECRET = "canary-7f3a9c";

async function create(
  nodes: readonly unknown[],
  edges: readonly unknown[],
  more: object = {},
): Promise<string> {
  const answer = await service.call(
    "create_workflow",
    { name: "surface", nodes, edges },
    { key: true, meta: { "svc/document": { inputs: { type: "object" }, ...more } } },
  );
  assert.equal(answer.envelope?.ok, true, answer.text);
  return answer.envelope.data.workflow.id;
}

const asking = [
  { id: "info", type: "tool", tool: "get_svc_info", redact: ["/output"] },
  {
    id: "ask",
    type: "approval",
    approval: { title: { $ref: "$inputs.note" }, show: { note: { $ref: "$inputs.note" } } },
  },
];
const asked = [{ id: "e", from: "info", to: "ask", port: "success" }];

/** Looks with the key. */
const shown = <P extends string>(path: P) => ask(service, "GET", path);

/** Waits until a run has this status: an answer tells the state that was reached until then. */
async function reaches(runId: string, status: string): Promise<void> {
  const late = Date.now() + 120_000;
  for (;;) {
    const { envelope } = await service.call("get_workflow_run", { id: runId }, { key: true });
    if (envelope.data.run.status === status) return;
    assert.ok(Date.now() < late, `the run is ${envelope.data.run.status}, not ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test("run_workflow tells the state truthfully and the same key starts one run", async () => {
  const id = await create([{ id: "info", type: "tool", tool: "get_svc_info" }], []);
  const meta = { "svc/idempotencyKey": "surface-1" };
  const first = await service.call("run_workflow", { id }, { key: true, meta });
  assert.equal(first.envelope.data.run.status, "succeeded", first.text);
  const second = await service.call("run_workflow", { id }, { key: true, meta });
  assert.equal(second.envelope.data.run.id, first.envelope.data.run.id);
  const refused = await service.call("run_workflow", { id });
  assert.equal(refused.status, 401);
});

test("a run and its approval show their values with a key only; notes are typed markers without", async () => {
  const id = await create(asking, asked);
  const started = await service.call("run_workflow", { id, inputs: { note: SECRET } }, { key: true });
  const { run } = started.envelope.data;
  assert.equal(run.status, "waiting", started.text);
  const [approval] = run.approvals ?? [];
  assert.ok(approval);
  assert.equal(approval.title, SECRET);
  const hidden = await service.call("get_workflow_run", { id: run.id });
  assert.equal(hidden.envelope.data.error.code, "not_found");
  const list = await service.call("list_approvals", { limit: 100 });
  assert.ok(!list.text.includes(approval.id), "the approval of a private run");
  for (const text of [list.text, (await service.call("list_approvals")).text])
    assert.ok(!text.includes(SECRET));
  for (const uri of ["svc://runs", "svc://approvals"]) {
    const read = await service.rpc("resources/read", { uri });
    assert.equal(read.status, 200);
    assert.ok(!read.text.includes(SECRET), uri);
  }
  assert.ok(!(await (await service.fetch("/api/svc/approvals")).text()).includes(SECRET));
  const rejected = await service.call("reject_step", { id: approval.id }, { key: true });
  assert.equal(rejected.envelope.data.error.code, "invalid_arguments");
  const done = await service.call("reject_step", { id: approval.id, reason: "no" }, { key: true });
  assert.equal(done.envelope.ok, true, done.text);
  await reaches(run.id, "failed");
  const again = await service.call("approve_step", { id: approval.id }, { key: true });
  assert.equal(again.envelope.data.error.code, "conflict");
  const detail = await shown(`/api/svc/approvals/${approval.id}`);
  assert.equal(detail.data.approval.reason, "no");
});

test("a failed run is retried over REST; lists page with a cursor; wrong words are refused", async () => {
  const id = await create(asking, asked);
  const started = await service.call("run_workflow", { id, inputs: { note: "x" } }, { key: true });
  const { run } = started.envelope.data;
  await service.call("reject_step", { id: run.approvals?.[0]?.id, reason: "no" }, { key: true });
  await reaches(run.id, "failed");
  const retried = await ask(service, "POST", `/api/svc/runs/${run.id}/retry`, {});
  assert.equal(retried.status, 202, JSON.stringify(retried.data));
  await reaches(run.id, "waiting");
  const waiting = await shown(`/api/svc/approvals?status=pending&runId=${run.id}`);
  assert.equal(waiting.data.approvals.length, 1);
  const settle = (body: object) => ask(service, "POST", `/api/svc/runs/${run.id}/settle`, body);
  assert.equal((await settle({ stepId: "ask" })).status, 400);
  assert.equal((await settle({ stepId: "ask", outcome: "failed" })).status, 409);
  const page = await shown("/api/svc/runs?limit=1");
  assert.equal(page.data.runs.length, 1);
  const next = await shown(`/api/svc/runs?limit=1&cursor=${encodeURIComponent(page.data.nextCursor ?? "")}`);
  assert.equal(next.data.runs.length, 1);
  assert.notEqual(next.data.runs[0]?.id, page.data.runs[0]?.id);
  assert.equal((await shown("/api/svc/runs?status=sleeping")).status, 400);
  assert.equal((await shown("/api/svc/runs?stat=failed")).status, 400, "a filter that does not exist");
  const cancelled = await service.call("cancel_workflow_run", { id: run.id }, { key: true });
  assert.match(cancelled.envelope.data.run.status, /^cancell(ing|ed)$/, cancelled.text);
  await reaches(run.id, "cancelled");
});

test("a run continues the caller's trace, shows it at its traceUrl and sends it to the collector", async () => {
  const api = await startApiServer({ "GET /thing": json({ thing: 1 }) });
  const requests = [{ name: "read", method: "GET", path: "/thing" }];
  const body = {
    name: "traced",
    kind: "http",
    url: api.url,
    document: { requests },
    allowPrivateOrigin: true,
  };
  const added = await rest({ ...service, key: TEST_KEY }, "POST", "", body);
  assert.equal(added.status, 201, JSON.stringify(added.body));
  const id = await create([{ id: "read", type: "tool", tool: "traced:read" }], []);
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const response = await service.fetch("/api/mcp", {
    method: "POST",
    headers: {
      authorization: `Bearer ${TEST_KEY}`,
      "content-type": "application/json",
      traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "run_workflow", arguments: { id } },
    }),
  });
  const answer: Json = JSON.parse(await response.text());
  const run = at(answer, "result", "structuredContent", "data", "run");
  assert.equal(at(run, "traceId"), traceId);
  const url = new URL(textAt(run, "traceUrl"));
  assert.equal(url.pathname, `/api/svc/traces/${traceId}`);
  const trace = await shown(`/api/svc/traces/${traceId}`);
  assert.deepEqual(
    trace.data.spans.map((span) => span.name),
    ["workflow run", "step read"],
  );
  const [root, step] = trace.data.spans;
  assert.ok(root && step);
  const sent = api.seen.find(({ url: path }) => path === "/thing")?.headers["traceparent"];
  await api.close();
  assert.equal((await service.fetch(url.pathname)).status, 404);
  const collected = (): CollectedSpan[] => spans.filter((span) => span.traceId === traceId);
  const end = Date.now() + 120_000;
  while (collected().length < 4) {
    assert.ok(Date.now() < end, "no span reached the collector");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const SERVER = 2;
  const CLIENT = 3;
  const [request, call] = [SERVER, CLIENT].map((kind) => collected().find((span) => span.kind === kind));
  assert.match(JSON.stringify(request), /"startTimeUnixNano":"\d{19}"/);
  assert.deepEqual(
    [request?.name, request?.parentSpanId],
    ["tools/call run_workflow", "b7ad6b7169203331"],
    "the request stands below the caller's span",
  );
  assert.equal(root.parentSpanId, request?.spanId, "the run below the request");
  assert.equal(step.parentSpanId, root.spanId);
  assert.deepEqual([call?.name, call?.parentSpanId], ["traced:read", step.spanId], "the call below the step");
  assert.equal(sent, `00-${traceId}-${call?.spanId}-01`, "what is called stands below the call");
  for (const { spanId, kind } of collected())
    if (spanId === root.spanId || spanId === step.spanId) assert.equal(kind, 1);
});

test("a map of 1,000 items is answered by pages, what failed first, and whole over the tool", async () => {
  const id = await create(
    [
      {
        id: "each",
        type: "map",
        map: {
          items: { $ref: "$inputs.list" },
          maxItems: 1_000,
          concurrency: 10,
          onItemError: "continue",
          body: { nodes: [{ id: "part", type: "transform", value: { $expr: "100 / item.n" } }], edges: [] },
        },
      },
    ],
    [],
  );
  // Items 300 and 900 divide by zero.
  const list = Array.from({ length: 1_000 }, (_, i) => ({ n: i % 600 === 300 ? 0 : 1 }));
  const started = await service.call("run_workflow", { id, inputs: { list } }, { key: true });
  const runId: string = started.envelope.data.run.id;
  await reaches(runId, "succeeded");
  const whole = (await service.call("get_workflow_run", { id: runId }, { key: true })).envelope.data.run;
  assert.equal(whole.steps.length, 2_001, "each item, and its one step");
  const { run } = (await shown(`/api/svc/runs/${runId}`)).data;
  assert.deepEqual(run.maps, [{ stepId: "each", items: 1_000, succeeded: 998, failed: 2, shown: 100 }]);
  assert.equal(run.steps.length, 201);
  const failed = run.steps.filter((step) => step.status === "failed");
  assert.deepEqual(
    failed.map((step) => step.id),
    ["each[300]", "each[300].part", "each[900]", "each[900].part"],
  );
  const sizeOf = (value: unknown): number => JSON.stringify(value).length;
  assert.ok(sizeOf(run.steps) < sizeOf(whole.steps) / 3, `${sizeOf(run.steps)} of ${sizeOf(whole.steps)}`);
  const seen: number[] = [];
  let pages = 0;
  for (let cursor: string | null = ""; cursor !== null; pages++) {
    const page: RestAnswer<AnswerOf<"list_run_items">> = await shown(
      `/api/svc/runs/${runId}/items?step=each&limit=100&cursor=${cursor}`,
    );
    assert.equal(page.status, 200, JSON.stringify(page.data));
    seen.push(...page.data.items.map((item) => item.index));
    cursor = page.data.nextCursor;
  }
  assert.equal(pages, 10);
  assert.deepEqual(seen.slice(0, 4), [300, 900, 0, 1]);
  assert.equal(new Set(seen).size, 1_000, "each item is on one page");
  const one = (await shown(`/api/svc/runs/${runId}/items?step=each%5B734%5D`)).data;
  assert.deepEqual(
    one.items.map(({ index, status, steps }) => [index, status, steps.map(({ id: step }) => step)]),
    [[734, "succeeded", ["each[734]", "each[734].part"]]],
  );
  const refused = await shown(`/api/svc/runs/${runId}/items?step=each&cursor=x`);
  assert.equal(refused.status, 400);
  assert.equal(
    (await service.fetch(`/api/svc/runs/${runId}/items?step=each`)).status,
    404,
    "the run is private",
  );
});
