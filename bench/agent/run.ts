/*
 * What a model pays at both MCP endpoints: tokens of first contact, bytes of answers, and whether errors can be repaired.
 * Long on purpose: a table of tasks for both endpoints, and what is measured of them.
 */
import { writeFile } from "node:fs/promises";
import { arch, cpus } from "node:os";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { createServer } from "node:http";
import { createGuard } from "../../src/guard/guard.ts";
import { exampleOf } from "../../src/kernel/example.ts";
import { follow, mistakesWith, ORDERS_PATHS, repaired } from "./mistakes.ts";
import { brokenFrom } from "../../tests/support/schema-values.ts";
import { waitingTasks } from "./waiting.ts";
import { startService } from "../../tests/support/service.ts";

type Json = Record<string, unknown>;
type Step = readonly [tool: string, args: Json];

const service = await startService();
const headers = { "content-type": "application/json", authorization: `Bearer ${service.key}` };

async function rpc(path: string, method: string, params: Json): Promise<string> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return (await fetch(service.url + path, { method: "POST", headers, body })).text();
}

async function call(path: string, [name, args]: Step): Promise<{ bytes: number; data: any; ok: boolean }> {
  const text = name.startsWith("svc://")
    ? await rpc(path, "resources/read", { uri: name })
    : await rpc(path, "tools/call", { name, arguments: args });
  const { result } = JSON.parse(text);
  return {
    bytes: text.length,
    data: result?.structuredContent?.data,
    ok: result !== undefined && result.isError !== true,
  };
}

async function firstContact(path: string): Promise<number> {
  const clientInfo = { name: "bench", version: "1" };
  const hello = await rpc(path, "initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo,
  });
  return encode(hello).length + encode(await rpc(path, "tools/list", {})).length;
}

const schema = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer", minimum: 0 } },
  required: ["name"],
};
const nodes = [
  { id: "health", type: "tool", tool: "get_health" },
  {
    id: "ask",
    type: "approval",
    approval: { title: "Save?", show: { $ref: "steps.health.outputs.data.status" } },
  },
  { id: "keep", type: "tool", tool: "save_artifact", with: { artifact: { title: "Report" } } },
];
const edges = [
  { from: "health", to: "ask" },
  { from: "ask", to: "keep", port: "approved" },
];

/** What both sides need to know of the records they made. */
const known = { api: {} as Json, mcp: {} as Json };
interface Task {
  readonly name: string;
  readonly api: (ids: Json) => readonly Step[];
  readonly mcp: (ids: Json) => readonly Step[];
}
const own = (name: string, args: Json = {}): Step => ["call", { name, arguments: args }];
const task = (name: string, api: Task["api"], mcp: Task["mcp"]): Task => ({ name, api, mcp });
const TASKS: readonly Task[] = [
  task(
    "find a tool",
    () => [["list_mcp_tools", {}]],
    () => [["find", { query: "save artifact" }]],
  ),
  task(
    "understand a tool",
    () => [["test_mcp_tool", { name: "save_artifact" }]],
    () => [["describe", { name: "save_artifact" }]],
  ),
  task(
    "what is here",
    () => [["get_svc_info", {}]],
    () => [["find", { query: "workflow approval form" }]],
  ),
  task(
    "health",
    () => [["get_health", {}]],
    () => [own("get_health")],
  ),
  task(
    "storage",
    () => [["get_storage_status", {}]],
    () => [own("get_storage_status")],
  ),
  task(
    "integrations",
    () => [["list_integrations", {}]],
    () => [own("list_integrations")],
  ),
  task(
    "form of a tool",
    () => [["render_mcp_tool_form", { toolName: "save_artifact" }]],
    () => [["render_form", { tool: "save_artifact" }]],
  ),
  task(
    "form of a schema",
    () => [["render_json_schema_form", { schema }]],
    () => [["render_form", { schema }]],
  ),
  task(
    "check a value",
    () => [["validate_form_input", { schema, value: {} }]],
    () => [["check_value", { schema, value: {} }]],
  ),
  task(
    "save an artifact",
    () => [["save_artifact", { artifact: { title: "x" } }]],
    () => [own("save_artifact", { artifact: { title: "x" } })],
  ),
  task(
    "read it",
    ({ artifact }) => [["get_artifact", { id: artifact }]],
    ({ artifact }) => [["get", { kind: "artifact", id: artifact }]],
  ),
  task(
    "list artifacts",
    () => [["list_artifacts", {}]],
    () => [["list", { kind: "artifact" }]],
  ),
  task(
    "list templates",
    () => [["list_templates", {}]],
    () => [["list", { kind: "template" }]],
  ),
  task(
    "read a template",
    () => [["get_template", { id: "form-intake-approval" }]],
    () => [["get", { kind: "template", id: "form-intake-approval" }]],
  ),
  task(
    "write a workflow",
    () => [["create_workflow", { name: "w", nodes, edges }]],
    () => [["write_workflow", { name: "w", nodes, edges }]],
  ),
  task(
    "plan it",
    ({ workflow }) => [
      ["validate_workflow", { id: workflow }],
      ["plan_workflow", { id: workflow }],
    ],
    ({ workflow }) => [["write_workflow", { id: workflow, description: "Planned" }]],
  ),
  task(
    "dry run",
    ({ workflow }) => [["dry_run_workflow", { id: workflow }]],
    ({ workflow }) => [["try_workflow", { id: workflow }]],
  ),
  task(
    "publish",
    ({ workflow }) => [["publish_workflow", { id: workflow }]],
    ({ workflow }) => [["write_workflow", { id: workflow, publish: true }]],
  ),
  task(
    "run it",
    ({ workflow }) => [["run_workflow", { id: workflow }]],
    ({ workflow }) => [["run", { workflow }]],
  ),
  task(
    "what waits",
    () => [["list_approvals", {}]],
    () => [["list", { kind: "approval", status: "pending" }]],
  ),
  task(
    "approve",
    ({ approval }) => [["approve_step", { id: approval }]],
    ({ approval, digest }) => [
      ["get", { kind: "approval", id: approval }],
      ["decide", { approval, verdict: "approved", shownDigest: digest }],
    ],
  ),
  task(
    "follow the run",
    ({ run }) => [["get_workflow_run", { id: run }]],
    ({ run }) => [["get", { kind: "run", id: run, waitSeconds: 10 }]],
  ),
  task(
    "list runs",
    () => [["svc://runs", {}]],
    () => [["list", { kind: "run" }]],
  ),
  task(
    "prove it",
    ({ run }) => [["lookup_svc_provenance", { runId: run }]],
    ({ run }) => [["list", { kind: "proof", runId: run }]],
  ),
];

function learn(ids: Json, data: any): void {
  const run = data?.run ?? {};
  const [approval] = run.approvals ?? [];
  Object.assign(ids, {
    artifact: ids["artifact"] ?? data?.artifact?.id ?? data?.result?.artifact?.id,
    workflow:
      ids["workflow"] ??
      data?.workflow?.id ??
      (String(data?.id).startsWith("workflow_") ? data.id : undefined),
    run: ids["run"] ?? (String(run.id).startsWith("run_") ? run.id : undefined),
    approval: ids["approval"] ?? approval?.id,
    digest: ids["digest"] ?? approval?.shownDigest,
  });
}

async function side(path: string, ids: Json, steps: readonly Step[]): Promise<number> {
  let bytes = 0;
  for (const step of steps) {
    const answer = await call(path, step);
    if (!answer.ok)
      throw new Error(`${path} ${step[0]} failed: ${JSON.stringify(answer.data).slice(0, 300)}`);
    learn(ids, answer.data);
    bytes += answer.bytes;
  }
  return bytes;
}

const rows: string[] = [];
const total = { api: 0, mcp: 0 };
/** At /api/mcp the answer is a list of all tools. */
const LARGE = ["find a tool", "what is here"];
const large = { api: 0, mcp: 0 };
for (const { name, api, mcp } of TASKS) {
  const bytes = {
    api: await side("/api/mcp", known.api, api(known.api)),
    mcp: await side("/mcp", known.mcp, mcp(known.mcp)),
  };
  total.api += bytes.api;
  total.mcp += bytes.mcp;
  if (LARGE.includes(name)) {
    large.api += bytes.api;
    large.mcp += bytes.mcp;
  }
  rows.push(`| ${name} | ${bytes.api} | ${bytes.mcp} |`);
}

/* The API of a connected shop. */
const shop = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "application/json" }).end('{"id":"o1"}');
});
await new Promise<void>((done) => shop.listen(0, "127.0.0.1", done));
const { port } = shop.address() as { port: number };
const document = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Orders", version: "1" },
  servers: [{ url: `http://127.0.0.1:${port}` }],
  paths: ORDERS_PATHS,
});
const send = (method: "POST" | "PATCH", path: string, body: Json) =>
  fetch(service.url + path, { method, headers, body: JSON.stringify(body) });
const url = `http://127.0.0.1:${port}`;
const connected = await send("POST", "/api/svc/connections", {
  name: "shop",
  kind: "openapi",
  url,
  document,
  allowPrivateOrigin: true,
});
if (connected.status !== 201) throw new Error(`no connection: ${await connected.text()}`);
await send("PATCH", "/api/svc/guard", {
  rules: [{ id: "shop", when: 'server == "shop"', decision: "allow" }],
});

/* Invalid calls of every tool at both endpoints, mutated from valid ones; the repair does what each fix says, once. */
const toolsAt = async (path: string): Promise<readonly any[]> =>
  JSON.parse(await rpc(path, "tools/list", {})).result.tools;
interface Ways {
  readonly what: string;
  readonly path: string;
  readonly step: (name: string, args: Json) => Step;
  readonly tools: readonly any[];
}
const described = async (name: string): Promise<any> => (await call("/mcp", ["describe", { name }])).data;
const CONNECTED = await Promise.all(["shop:createOrder", "shop:getOrder"].map(described));
const ownTools = await toolsAt("/api/mcp");
const direct = (name: string, args: Json): Step => [name, args];
const WAYS: readonly Ways[] = [
  { what: "the tools of /api/mcp", path: "/api/mcp", step: direct, tools: ownTools },
  { what: "connected tools at /api/mcp", path: "/api/mcp", step: direct, tools: CONNECTED },
  { what: "the tools of /mcp", path: "/mcp", step: direct, tools: await toolsAt("/mcp") },
  { what: "every tool through `call` at /mcp", path: "/mcp", step: own, tools: [...ownTools, ...CONNECTED] },
];
/** What describe cannot show: what is connected here, and what it is about. */
const VALID: Readonly<Record<string, Json>> = {
  connect: { url, name: "other" },
  call: { name: "get_health", arguments: {} },
  describe: { name: "get_health" },
  find: { query: "order" },
  run: { workflow: "workflow_1" },
  render_form: { tool: "save_artifact" },
  check_value: { value: 1, schema: { type: "integer" } },
  write_workflow: { name: "w", nodes: [], edges: [] },
};
const isInvalid = (data: any): boolean => ["invalid_arguments", "invalid_input"].includes(data?.error?.code);
const repairRows: string[] = [];
let invalid = 0;
let fixed = 0;
for (const { what, path, step, tools } of WAYS) {
  let [broken, repairedOnes] = [0, 0];
  for (const { name, inputSchema } of tools) {
    const valid = VALID[name] ?? (await described(name))?.example?.arguments ?? exampleOf(inputSchema);
    for (const { value } of brokenFrom(inputSchema, valid)) {
      const first = await call(path, step(name, value));
      if (first.data?.error?.code !== "invalid_arguments") continue;
      broken += 1;
      const { problems = [] } = first.data.error;
      const again = await call(path, step(name, repaired(value, problems)));
      if (!isInvalid(again.data)) repairedOnes += 1;
      else
        process.stderr.write(
          `not repaired: ${name} ${JSON.stringify(value).slice(0, 200)}: ${JSON.stringify(again.data.error).slice(0, 300)}\n`,
        );
    }
  }
  repairRows.push(`| ${what} (${tools.length}) | ${broken} | ${repairedOnes} |`);
  invalid += broken;
  fixed += repairedOnes;
}

/* Mistakes about records, states and connected tools. */
const MISTAKES = mistakesWith(known.mcp as Record<string, string>);
const listOf = async (kind: string) => {
  const { data } = await call("/mcp", ["list", { kind, limit: 100 }]);
  return Object.values<any>(data).find((value) => Array.isArray(value)) ?? [];
};
const failures: string[] = [];
for (const step of MISTAKES) {
  const first = await call("/mcp", step);
  if (first.ok) throw new Error(`no mistake: ${JSON.stringify(step)}`);
  const second = await call("/mcp", await follow(step, first.data?.error ?? {}, listOf));
  if (!second.ok)
    failures.push(`${JSON.stringify(step)}: ${JSON.stringify(first.data?.error).slice(0, 300)}`);
}
shop.closeAllConnections();
shop.close();
const repairs = MISTAKES.length - failures.length;
for (const failure of failures) process.stderr.write(`not repaired: ${failure}\n`);

/* What a decision adds to a call that it allows: 20 rules, none of which holds. */
const guard = createGuard(() => service.app.services);
const rules = Array.from({ length: 20 }, (_, at) => ({
  id: `r${at}`,
  when: `tool == "shop:refund" && args.amount > ${at}.0`,
  decision: "deny" as const,
}));
const caller = { kind: "person", id: "person_bench", scopes: new Set(["admin"]) } as const;
await guard.change({ rules }, null, {}, caller);
const context: any = { caller, meta: {}, services: service.app.services };
const times: number[] = [];
for (let at = 0; at < 22_000; at++) {
  const begin = performance.now();
  await guard.check({
    tool: "shop:createOrder",
    server: "shop",
    effect: "write",
    leaves: true,
    args: { amount: at },
    context,
  });
  if (at >= 2_000) times.push(performance.now() - begin);
}
times.sort((a, b) => a - b);
const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(3);

/* The same over HTTP: a call with and without these rules, in turns. */
const overHttp = { without: [] as number[], with: [] as number[] };
const READ = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "get_health", arguments: {} },
});
for (let turn = 0; turn < 84; turn++) {
  const kind = turn % 2 === 0 ? "without" : "with";
  const changed = await send("PATCH", "/api/svc/guard", {
    rules: kind === "without" ? [] : rules,
  });
  if (changed.status !== 200) throw new Error(`no rules: ${await changed.text()}`);
  for (let n = 0; n < 110; n++) {
    const begin = performance.now();
    await (await fetch(`${service.url}/api/mcp`, { method: "POST", headers, body: READ })).text();
    // The first turns and the first calls of each warm up.
    if (turn >= 4 && n >= 10) overHttp[kind].push(performance.now() - begin);
  }
}
const shareOf = (list: number[], share: number): number =>
  list.sort((a, b) => a - b)[Math.floor(list.length * share)] ?? 0;
const added = (share: number): number => shareOf(overHttp.with, share) - shareOf(overHttp.without, share);
const httpRow = ([0.5, 0.99] as const)
  .map((share) => {
    const [without, withRules] = [shareOf(overHttp.without, share), shareOf(overHttp.with, share)];
    return `${share === 0.5 ? "median" : "p99"} ${without.toFixed(3)} ms → ${withRules.toFixed(3)} ms (${added(share).toFixed(3)} ms)`;
  })
  .join(", ");
const verdict = (isMet: boolean): string => (isMet ? "met" : "missed");

const TASKS_WAITING = 100_000;
const waiting = await waitingTasks(TASKS_WAITING);
const waitingRows = waiting.map(
  ({ store, before, after, startSeconds, median, p99 }) =>
    `| ${store} | ${before.toFixed(0)} MB | ${after.toFixed(0)} MB | ${startSeconds.toFixed(1)} s | ${median.toFixed(1)} ms | ${p99.toFixed(1)} ms |`,
);

const withoutLarge = (total.api - large.api) / (total.mcp - large.mcp);
const tokens = { mcp: await firstContact("/mcp"), api: await firstContact("/api/mcp") };
const result = `# Agents

${new Date().toISOString().slice(0, 10)}, ${arch()}, ${cpus().length} cores (shared), Node ${process.version}. Command: \`npm run bench:agent\`.

| figure | measured | wanted | |
|---|---|---|---|
| tokens of first contact at /mcp (o200k) | ${tokens.mcp} | < 4,000 | ${verdict(tokens.mcp < 4_000)} |
| tokens of first contact at /api/mcp | ${tokens.api} | < 20,000 | ${verdict(tokens.api < 20_000)} |
| bytes of the answers to ${TASKS.length} tasks at /api/mcp | ${total.api} | | |
| the same at /mcp | ${total.mcp}, ${(total.api / total.mcp).toFixed(1)}× smaller | ≥ 5× | ${verdict(total.api >= 5 * total.mcp)} |
| without ${LARGE.length} tasks that list all tools, ${((100 * large.api) / total.api).toFixed(0)} % of the bytes of /api/mcp | ${total.api - large.api} → ${total.mcp - large.mcp}, ${withoutLarge.toFixed(1)}× smaller | ≥ 5× | ${verdict(withoutLarge >= 5)} |
| invalid calls repaired by following the named fix once | ${fixed} of ${invalid} (${((100 * fixed) / invalid).toFixed(1)} %) | ≥ 95 % | ${verdict(fixed >= 0.95 * invalid)} |
| ${MISTAKES.length} mistakes about records, states and connected tools, repaired the same way | ${repairs} (${((100 * repairs) / MISTAKES.length).toFixed(1)} %) | ≥ 95 % | ${verdict(repairs >= 0.95 * MISTAKES.length)} |
| what a decision of the guard adds to an allowed call, with 20 rules | median ${at(0.5)} ms, p99 ${at(0.99)} ms | p99 < 1 ms | ${verdict(Number(at(0.99)) < 1)} |
| the same over HTTP: \`get_health\` at /api/mcp without and with 20 rules, ${overHttp.with.length} calls each, in turns | ${httpRow} | p99 < 1 ms more | ${verdict(added(0.99) < 1)} |

## Invalid calls

| of | invalid | repaired |
|---|---|---|
${repairRows.join("\n")}

## ${TASKS_WAITING.toLocaleString("en")} waiting tasks

Resident memory of the service when idle, with one task that waits and with all of them; then \`tasks/get\` of any of them.

| store | one | all | start | \`tasks/get\`, median | p99 |
|---|---|---|---|---|---|
${waitingRows.join("\n")}

## Bytes by task

| task | bytes at /api/mcp | bytes at /mcp |
|---|---|---|
${rows.join("\n")}
`;
await writeFile(new URL("../results/agent.md", import.meta.url), result);
process.stdout.write(result);
await service.close();
