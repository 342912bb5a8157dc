import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { json, startApiServer, type ApiServer } from "../connections/api-server.ts";
import { startEverything } from "../connections/everything.ts";
import { rest } from "../connections/rest.ts";
import { EXAMPLE } from "../../src/agent/entry.ts";
import { parsedJson, textOr } from "../../src/kernel/json.ts";
import { startService, TEST_KEY, type TestService } from "../support/service.ts";
import { asOperator } from "../people/support.ts";
import { at, foundAt, listAt, objectsAt, textAt } from "../support/json.ts";
import { ask, firstOf, listen, modern, ordersAt } from "./support.ts";

/* Long on purpose: everything at /mcp shares one service with its connections. */

let service: TestService;
let api: ApiServer;
let everything: Awaited<ReturnType<typeof startEverything>>;
before(async () => {
  service = await startService();
  api = await startApiServer({
    "GET /openapi.json": ordersAt(() => api.url),
    "GET /orders": json({ orders: Array.from({ length: 400 }, (_, index) => ({ id: `o${index}` })) }),
    "POST /orders": json({ id: "o1" }, 201),
    "DELETE /orders/o1": (_request, response) => void response.writeHead(204).end(),
  });
  everything = await startEverything();
  for (const [name, kind, url] of [
    ["shop", "openapi", `${api.url}/openapi.json`],
    ["every", "mcp", everything.url],
  ]) {
    const made = await rest(service, "POST", "", { name, kind, url, allowPrivateOrigin: true });
    assert.equal(made.status, 201, JSON.stringify(made.body));
  }
});
after(async () => {
  await service.close();
  await api.close();
  everything.close();
});

describe("/mcp with official clients", () => {
  const endpoint = (): URL => new URL(`${service.url}/mcp`);
  const me = { name: "agent-test", version: "1.0.0" };
  const requestInit = { headers: { authorization: `Bearer ${TEST_KEY}` } };

  it("SDK v1 and both modes of v2 list twelve tools, read the guide and call", async () => {
    const one = new ClientV1(me);
    await one.connect(new TransportV1(endpoint(), { requestInit }));
    assert.equal(one.getInstructions()?.split("\n").length, 6);
    const two = new ClientV2(me, { versionNegotiation: { mode: "legacy" } });
    await two.connect(new TransportV2(endpoint(), { requestInit }));
    const three = new ClientV2(me, { versionNegotiation: { mode: "auto" } });
    await three.connect(new TransportV2(endpoint(), { requestInit }));
    for (const client of [one, two, three]) {
      const { tools } = await client.listTools();
      assert.equal(tools.length, 12);
      const { resources } = await client.listResources();
      assert.equal(resources.length, 3);
      for (const { uri } of resources) assert.ok((await client.readResource({ uri })).contents.length > 0);
      const found = await client.callTool({ name: "find", arguments: { query: "create order" } });
      assert.ok(JSON.stringify(found).includes("shop:createOrder"));
      await client.close();
    }
  });

  it("costs less than 4,000 tokens at first contact", async () => {
    const bodies = await Promise.all(
      [
        ["initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: me }],
        ["tools/list", {}],
      ].map(async ([method, params]) =>
        (
          await service.fetch("/mcp", {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
          })
        ).text(),
      ),
    );
    assert.ok(encode(bodies.join("\n")).length < 4_000);
  });

  it("costs less than 20,000 tokens for the list of /api/mcp", async () => {
    const list = await service.fetch("/api/mcp", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
    });
    const text = await list.text();
    assert.ok(text.includes("publish_workflow"));
    assert.ok(encode(text).length < 20_000);
  });
});

describe("/mcp tools", () => {
  it("finds by name, description and argument name, and says what a word finds nowhere", async () => {
    const named = async (query: string, more = {}): Promise<string[]> =>
      (await ask(service, "find", { query, ...more })).data.hits.map((hit) => hit.name);
    assert.equal((await named("save artifact"))[0], "save_artifact");
    assert.equal((await named("delete an order"))[0], "shop:deleteOrder");
    assert.ok((await named("quantity", { kinds: ["connected"] })).includes("shop:createOrder"));
    const nothing = await ask(service, "find", { query: "zzzzqqqq" });
    assert.match(nothing.text, /Nothing found/);
    const first = await ask(service, "find", { query: "artifact", limit: 2 });
    const second = await ask(service, "find", { query: "artifact", limit: 2, cursor: first.data.nextCursor });
    assert.notEqual(firstOf(first.data.hits).name, firstOf(second.data.hits).name);
  });

  it("shows connected tools to known callers only", async () => {
    const hits = (await ask(service, "find", { query: "create order" }, null)).data.hits;
    assert.ok(!JSON.stringify(hits).includes("shop:"));
    const refused = await ask(service, "describe", { name: "shop:createOrder" }, null);
    assert.equal(refused.data.error.code, "not_found");
  });

  it("describes own and connected tools with a schema and an example", async () => {
    const own = await ask(service, "describe", { name: "get_artifact" });
    assert.deepEqual(own.data.inputSchema.required, ["id"]);
    const connected = await ask(service, "describe", { name: "shop:createOrder" });
    assert.equal(connected.data.effect, "write");
    assert.ok(at(connected.data.example.arguments, "body", "item") !== undefined);
    const wrong = await ask(service, "describe", { name: "shop:createOrdr" });
    assert.equal(wrong.isError, true);
    assert.match(wrong.text, /find/);
  });

  it("calls tools: a summary says what it left out, select gives a part whole", async () => {
    const summary = await ask(service, "call", { name: "shop:listOrders", arguments: {} });
    assert.deepEqual(summary.data.omitted, ["/body/orders: 4 of 400 items"]);
    const part = await ask(service, "call", {
      name: "shop:listOrders",
      arguments: {},
      select: "/body/orders/39/id",
    });
    assert.equal(part.data.result, "o39");
    const wrong = await ask(service, "call", {
      name: "shop:listOrders",
      arguments: {},
      select: "/body/order",
    });
    assert.match(wrong.text, /Use "orders"/);
  });

  it("names every problem and its fix in the text", async () => {
    const wrong = await ask(service, "call", { name: "get_artifact", arguments: { idd: 1 } });
    assert.equal(wrong.isError, true);
    assert.match(wrong.text, /\/idd .*Rename "idd" to "id"/);
    const unknown = await ask(service, "call", { name: "save_artefact" });
    assert.match(unknown.text, /save_artifact/);
    // What the schema says and what only a rule knows come together.
    const both = await ask(service, "call", {
      name: "preview_layout_artifact",
      arguments: { document: 1, viewport: "watch" },
    });
    assert.match(both.text, /\/document[^]*\/viewport .*"mobile"/);
    const own = await ask(service, "list", { kind: "workflow", status: "draft" });
    assert.match(own.text, /Remove "status".* It filters kind .*run/);
  });

  it("says with a problem what would be correct, and where a field exists, at both endpoints", async () => {
    const wrong = [
      [
        "save_artifact",
        { title: "x" },
        /Move "title" to \/artifact\/title/,
        { artifact: { title: "Report" } },
      ],
      ["get_artifact", { id: "x", toolName: "x" }, /Remove "toolName".*render_mcp_tool_form/, { id: "text" }],
      ["export_artifact", { artifact: { title: "x" }, format: "pdf" }, /Give one of "json"/, "json"],
    ] as const;
    for (const [name, args, fix, example] of wrong) {
      const direct = (await service.call(name, args, { key: true })).envelope.data.error;
      const { text, data } = await ask(service, "call", { name, arguments: args });
      for (const { problems } of [direct, data.error]) {
        const found = problems.find((problem) => fix.test(problem.fix ?? ""));
        assert.deepEqual(found?.example, example, JSON.stringify(problems));
      }
      assert.ok(text.includes(`Example: ${JSON.stringify(example)}`), text);
    }
    const { envelope } = await service.call("list_artifacts", { id: "x" }, { key: true });
    assert.equal(envelope.data.error.problems[0]?.takenBy?.[0], "get_artifact");
    const lost = await ask(service, "call", { name: "get_health", artifact: { title: "x" } });
    assert.match(lost.text, /Move "artifact" to \/arguments\/artifact/);
  });

  it("knows what a plausible wrong name was meant to be", async () => {
    const id = "workflow_01m7s1k1b493xkwx2ky0f1nzb1";
    const body = { item: "tea", qty: 2 };
    const guesses: readonly (readonly [string, object, readonly RegExp[]])[] = [
      ["find", { q: "order" }, [/Rename "q" to "query"/]],
      ["describe", { tool: "get_health" }, [/Rename "tool" to "name"/]],
      ["call", { tool: "get_health", args: {} }, [/Rename "tool" to "name"/, /Rename "args" to "arguments"/]],
      ["call", { name: "shop:createOrder", arguments: { body } }, [/Rename "qty" to "quantity"/]],
      ["call", { name: "createOrder" }, [/Did you mean "shop:createOrder"/]],
      ["check_value", { arguments: {}, tool: "get_health" }, [/Rename "arguments" to "value"/]],
      ["check_value", { value: 1, schema: { type: "int" } }, [/\/schema\/type "int" is not/]],
      ["check_value", { value: 1, tool: "get_helth" }, [/\/tool .*"get_health"/]],
      ["run", { id }, [/Rename "id" to "workflow"/]],
      ["try_workflow", { workflow: id }, [/Rename "workflow" to "id"/]],
      ["run", { workflow: "Monthly report" }, [/find \{"query": "Monthly report"\}/]],
      ["decide", { id: "approval_x", decision: "approve" }, [/Remove "id"/, /Remove "decision"/]],
      ["list", { kind: "run", filter: {} }, [/Remove "filter"\. Allowed: kind, status, /]],
      ["get", { kind: "connection", id: "shp" }, [/at \/mcp list \{"kind": "connection"\}/]],
    ];
    for (const [name, args, wanted] of guesses) {
      const { isError, text } = await ask(service, name, args);
      assert.equal(isError, true, name);
      for (const fix of wanted) assert.match(text, fix);
    }
  });

  it("says of its own tools that they are called by themselves, and of the others how", async () => {
    const rpc = async (method: string, params: object) => {
      const headers = { "content-type": "application/json", authorization: `Bearer ${service.key}` };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      return parsedJson(await (await service.fetch("/mcp", { method: "POST", headers, body })).text());
    };
    const tools = objectsAt(await rpc("tools/list", {}), "result", "tools");
    assert.equal(tools.length, 12);
    for (const tool of tools) {
      const name = textAt(tool, "name");
      assert.match((await ask(service, "call", { name })).text, /call it by itself/, name);
    }
    for (const name of ["get_health", "shop:listOrders"]) {
      const answer = await rpc("tools/call", { name, arguments: {} });
      const fix = textAt(answer, "error", "data", "problems", 0, "fix");
      assert.match(fix, new RegExp(`"name": "${name}"`));
    }
  });

  it("describes every tool with an example that it takes", async () => {
    for (const { name } of service.app.services.catalog.tools) {
      const { data, text } = await ask(service, "describe", { name });
      assert.ok(text.includes(JSON.stringify(data.example.arguments)), text);
      const { json } = await service.call(name, data.example.arguments, { key: true });
      const code =
        foundAt(json, "result", "structuredContent", "data", "error", "code") ??
        foundAt(json, "error", "data", "code");
      assert.doesNotMatch(textOr(code, ""), /^invalid/, `${name} ${JSON.stringify(data.example)}`);
    }
  });

  it("goes on with a failed run, and says how", async () => {
    const written = await ask(service, "write_workflow", {
      name: "Fails at first",
      nodes: [{ id: "read", type: "tool", tool: "get_artifact", with: { id: "artifact_none" } }],
      edges: [],
      outputs: { title: { $ref: "steps.read.outputs.data.artifact.title" } },
    });
    const failed = await ask(service, "run", { workflow: written.data.id, waitSeconds: 20 });
    assert.match(failed.text, /Step read: not_found .*\n.*"repair"/);
    const { id: runId } = failed.data.run;
    const neither = await ask(service, "run", {});
    assert.match(neither.text, /Add "workflow" .* or "repair"/);
    const unsaid = await ask(service, "run", { repair: { runId, action: "supply_output", stepId: "read" } });
    assert.equal(unsaid.isError, true, unsaid.text);
    for (const [given, place] of [
      [{ runId, action: "change_input", input: {}, reason: "Wrong." }, "/repair/stepId"],
      [{ runId, action: "retry", reason: "" }, "/repair/reason"],
    ] as const) {
      const wrong = await ask(service, "run", { repair: given });
      const pointers = wrong.data.error.problems.map(({ pointer }) => pointer);
      assert.deepEqual(pointers, [place], wrong.text);
    }
    const output = { ok: true, data: { artifact: { title: "by hand" } } };
    const repair = { runId, action: "supply_output", stepId: "read", output, reason: "It is on paper." };
    const repaired = await ask(service, "run", { repair, waitSeconds: 20 });
    assert.deepEqual(repaired.data.run.outputs, { title: "by hand" }, repaired.text);
  });

  it("gives images of connected tools as content, not as base64 in the structure", async () => {
    const { hits } = (await ask(service, "find", { query: "image", kinds: ["connected"], limit: 20 })).data;
    const name = hits.map((hit) => hit.name).find((id) => /tiny.?image/i.test(id));
    const image = await ask(service, "call", { name, arguments: {} });
    assert.equal(image.isError, false, image.text);
    assert.ok(image.content.some(({ type, mimeType }) => type === "image" && mimeType === "image/png"));
    assert.ok(!JSON.stringify(image.data).includes("iVBOR"));
  });

  it("renders forms and checks values whole", async () => {
    const form = await ask(service, "render_form", { tool: "shop:createOrder" });
    assert.match(form.data.link, /\/connections\/shop\?pick=createOrder$/);
    const checked = await ask(service, "check_value", {
      tool: "shop:createOrder",
      value: { body: { quantity: 0 } },
    });
    assert.equal(checked.data.valid, false);
    assert.equal(checked.data.problems.length, 2);
    for (const { expected, given, fix } of checked.data.problems) assert.ok(expected && given && fix);
    assert.match(checked.text, /Add "item": a string/);
  });

  it("writes, tries and runs a workflow; a person's decision ends it", async () => {
    const bad = await ask(service, "write_workflow", {
      ...EXAMPLE,
      edges: [...EXAMPLE.edges, { from: "keep", to: "nowhere" }],
    });
    assert.equal(bad.data.valid, false);
    assert.match(bad.text, /nowhere/);
    const good = await ask(service, "write_workflow", {
      id: bad.data.id,
      revision: bad.data.revision,
      edges: EXAMPLE.edges,
      publish: true,
    });
    assert.equal(good.data.valid, true);
    assert.equal(good.data.status, "published");
    assert.equal(good.data.plan.approvals.length, 1);
    const tried = await ask(service, "try_workflow", { id: bad.data.id, inputs: { title: "a" } });
    assert.equal(tried.data.dryRun.state, "succeeded");
    const run = await ask(service, "run", { workflow: bad.data.id, inputs: { title: "a" }, waitSeconds: 20 });
    assert.equal(run.data.run.status, "waiting");
    const waiting = firstOf(run.data.run.approvals);
    assert.match(run.text, new RegExp(`/approvals\\?id=${waiting.id}`));
    const shown = await ask(service, "get", { kind: "approval", id: waiting.id });
    const other = await ask(service, "decide", {
      approval: waiting.id,
      verdict: "approved",
      shownDigest: `sha256:${"0".repeat(64)}`,
    });
    assert.equal(other.data.error.code, "conflict");
    assert.ok(!JSON.stringify(other.data).includes(shown.data.approval.shownDigest));
    const decided = await ask(service, "decide", {
      approval: waiting.id,
      verdict: "approved",
      shownDigest: shown.data.approval.shownDigest,
    });
    assert.equal(decided.data.approval.status, "approved");
    const ended = await ask(service, "get", { kind: "run", id: run.data.run.id, waitSeconds: 20 });
    assert.equal(ended.data.run.status, "succeeded");
    const artifact = await ask(service, "get", {
      kind: "artifact",
      id: textAt(ended.data.run.outputs, "id"),
    });
    assert.equal(artifact.data.artifact.title, "a");
    const proofs = await ask(service, "list", { kind: "proof", runId: run.data.run.id });
    const proof = await ask(service, "get", {
      kind: "proof",
      id: textAt(firstOf(proofs.data.items), "recordId"),
    });
    assert.equal(proof.data.proof.verified, true);
  });

  it("takes every kind of step that the guide teaches", async () => {
    const child = await ask(service, "write_workflow", {
      name: "Child",
      nodes: [{ id: "value", type: "transform", value: 1 }],
      edges: [],
      publish: true,
    });
    const made = await ask(service, "write_workflow", {
      name: "Waits",
      nodes: [
        { id: "paid", type: "wait", wait: { signal: "paid", schema: { type: "object" }, timeoutMs: 60_000 } },
        {
          id: "ended",
          type: "wait",
          wait: { event: "svc.run.succeeded", filter: "true", timeoutMs: 60_000 },
        },
        { id: "either", type: "transform", join: "any", value: 1, timeoutMs: 1_000 },
        { id: "late", type: "transform", value: "late" },
        { id: "child", type: "subworkflow", subworkflow: { workflowId: child.data.id } },
        {
          id: "hand",
          type: "handoff",
          handoff: { target: "docs", capability: "create_report", payload: {}, intent: "Try it" },
        },
      ],
      edges: [
        { from: "paid", to: "either" },
        { from: "ended", to: "either" },
        { from: "paid", to: "late", port: "expired" },
        { from: "either", to: "child" },
      ],
    });
    assert.equal(made.data.valid, true, made.text);
  });

  it("lists every kind by pages", async () => {
    for (const kind of ["run", "approval", "workflow", "artifact", "template", "connection", "handoff"]) {
      const { isError, data, text } = await ask(service, "list", { kind, limit: 1 });
      assert.equal(isError, false, text);
      assert.ok(data.items.length <= 1);
    }
    const first = await ask(service, "list", { kind: "template", limit: 1 });
    const next = await ask(service, "list", { kind: "template", limit: 1, cursor: first.data.nextCursor });
    assert.notEqual(textAt(firstOf(first.data.items), "id"), textAt(firstOf(next.data.items), "id"));
  });

  it("says when it searched only the newest records", async () => {
    const artifact = { title: "One of many", type: "note", content: {} };
    for (let nth = 0; nth < 101; nth++) await service.call("save_artifact", { artifact }, { key: true });
    const cut = await ask(service, "find", { query: "many" });
    assert.match(cut.text, /Only the newest 100 artifacts were searched; list gives all\./);
    const other = await ask(service, "find", { query: "many", kinds: ["tool"] });
    assert.doesNotMatch(other.text, /newest/);
  });

  it("answers 401 with the metadata where a key is missing, and a result where a scope is", async () => {
    const missing = await service.fetch("/mcp", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "run", arguments: { workflow: "w" } },
      }),
    });
    assert.equal(missing.status, 401);
    assert.match(
      missing.headers.get("www-authenticate") ?? "",
      /resource_metadata="[^"]+oauth-protected-resource\/mcp"/,
    );
    const made = await service.fetch("/api/svc/keys", {
      method: "POST",
      headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "reader", scopes: ["read-private"] }),
    });
    const { data } = JSON.parse(await made.text());
    const lacking = await ask(service, "run", { workflow: "w" }, data.token);
    assert.equal(lacking.status, 200);
    assert.equal(lacking.data.error.code, "forbidden");
    assert.match(lacking.text, /lacks the scope "run"/);
  });
});

describe("toolsets", () => {
  const set = <M extends string, P extends string>(method: M, path: P, body?: unknown) =>
    asOperator(service, method, `/api/svc/toolsets${path}` as const, body);
  const sales = <M extends string>(
    method: M,
    params: Readonly<Record<string, unknown>> = {},
    key: string = TEST_KEY,
  ) => modern(service, key, method, params, {}, "/mcp/sales");
  const names = async (key?: string): Promise<string[]> =>
    (await sales("tools/list", {}, key)).result.tools.map(({ name }) => name);
  let workflow = "";

  it("serve chosen tools, connected tools and published workflows as typed tools", async () => {
    const written = await ask(service, "write_workflow", {
      name: "Greet somebody",
      inputs: { type: "object", properties: { who: { type: "string" } }, required: ["who"] },
      nodes: [{ id: "hello", type: "transform", value: { $expr: "'Hello ' + inputs.who" } }],
      edges: [],
      outputs: { greeting: { $ref: "steps.hello.outputs" } },
      publish: true,
    });
    workflow = written.data.id;
    const wrong = await set("POST", "", {
      name: "sales",
      title: "Sales",
      tools: ["get_helth", "shop:nothing"],
    });
    assert.equal(wrong.data.error.problems.length, 2, wrong.text);
    assert.match(wrong.text, /Use \\"get_health\\"/);
    const tools = ["get_health", "save_artifact", "shop:listOrders", "shop:createOrder", workflow];
    const made = await set("POST", "", { name: "sales", title: "Sales", tools });
    assert.equal(made.status, 201, made.text);
    assert.equal(made.data.toolset.address, `${service.url}/mcp/sales`);
    const { result } = await sales("tools/list");
    assert.deepEqual(
      result.tools.map(({ name }) => name),
      ["get_health", "save_artifact", "shop_listOrders", "shop_createOrder", "Greet_somebody"],
    );
    const greet = result.tools.at(-1);
    assert.deepEqual(greet?.inputSchema["required"], ["who"]);
    const data = at(greet?.outputSchema, "anyOf", 0, "properties", "data");
    assert.deepEqual(at(data, "properties", "result", "properties"), { greeting: {} });
    assert.equal(greet?.annotations.readOnlyHint, true);
    assert.equal(result.tools[3]?.annotations.readOnlyHint, false);
    assert.equal(result.cacheScope, "private");
  });

  it("show what runs, not what is being edited", async () => {
    const before = (await sales("tools/list")).result.tools.at(-1);
    const edited = await service.call(
      "update_workflow",
      {
        id: workflow,
        name: "Being edited",
        nodes: [{ id: "save", type: "tool", tool: "save_artifact", with: { artifact: { title: "Draft" } } }],
      },
      {
        key: true,
        meta: { "svc/document": { inputs: { type: "object", properties: { other: {} } }, outputs: {} } },
      },
    );
    assert.equal(edited.envelope.ok, true, edited.text);
    assert.deepEqual((await sales("tools/list")).result.tools.at(-1), before);
    const { data, text } = await ask(service, "describe", { name: workflow });
    assert.equal(data.name, "Greet somebody");
    assert.deepEqual(Object.keys(data.inputSchema.properties), ["who"]);
    assert.equal(data.draftDiffers, true);
    assert.match(text, /\(who\) · workflow, version 1/);
    const found = await ask(service, "find", { query: "who", kinds: ["workflow"] });
    assert.equal(found.data.hits[0]?.args, "who");
  });

  it("hide what the caller may not use, and every call passes the guard", async () => {
    const { data } = await asOperator(service, "POST", "/api/svc/keys", {
      name: "reads",
      scopes: ["read-private"],
    });
    assert.deepEqual(await names(data.token), ["get_health"]);
    const refused = await sales("tools/call", { name: "shop_listOrders", arguments: {} }, data.token);
    assert.equal(refused.error.code, -32602);
    const greeted = await sales("tools/call", { name: "Greet_somebody", arguments: { who: "Ada" } });
    assert.deepEqual(at(greeted.result.structuredContent, "data", "result"), { greeting: "Hello Ada" });
    const orders = await sales("tools/call", { name: "shop_listOrders", arguments: {} });
    const body = at(orders.result.structuredContent, "data", "result", "body");
    assert.equal(listAt(body, "orders").length, 400);
    const agent = await asOperator(service, "POST", "/api/svc/keys", { name: "sells", scopes: ["run"] });
    const held = await sales(
      "tools/call",
      { name: "shop_createOrder", arguments: { body: { item: "tea" } } },
      agent.data.token,
    );
    const { structuredContent } = held.result;
    assert.equal(foundAt(structuredContent, "data", "status"), "approval_required", JSON.stringify(held));
  });

  it("work with official clients, say that they change, and end", async () => {
    const client = new ClientV1({ name: "agent-test", version: "1.0.0" });
    await client.connect(
      new TransportV1(new URL(`${service.url}/mcp/sales`), {
        requestInit: { headers: { authorization: `Bearer ${TEST_KEY}` } },
      }),
    );
    assert.equal((await client.listTools()).tools.length, 5);
    await client.close();
    assert.deepEqual((await sales("server/discover")).result.capabilities.tools, { listChanged: true });
    let isChanged = false;
    const isEnough = async (text: string): Promise<boolean> => {
      if (text.includes("acknowledged") && !isChanged) {
        isChanged = true;
        const changed = await set("PATCH", "/sales", { tools: ["get_health"] });
        assert.equal(changed.status, 200, changed.text);
      }
      return text.includes("notifications/tools/list_changed");
    };
    await listen(service, TEST_KEY, { toolsListChanged: true }, isEnough, "/mcp/sales");
    assert.deepEqual(await names(), ["get_health"]);
    assert.equal((await set("DELETE", "/sales")).status, 200);
    assert.equal((await sales("tools/list")).error.data.code, "not_found");
    assert.equal((await set("DELETE", "/sales")).status, 404);
  });
});
