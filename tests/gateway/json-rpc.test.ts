import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { at, objectsAt, textAt } from "../support/json.ts";
import type { Envelope } from "../support/json-rpc.ts";
import { startService, TEST_KEY, type TestService } from "../support/service.ts";

let service: TestService;
before(async () => {
  service = await startService();
});
after(() => service.close());

async function post(body: string | Uint8Array, headers: Record<string, string> = {}) {
  const response = await service.fetch("/api/mcp", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text === "" ? undefined : JSON.parse(text),
  };
}
const send = (message: unknown, headers?: Record<string, string>) => post(JSON.stringify(message), headers);
const ping = (id: unknown) => ({ jsonrpc: "2.0", id, method: "ping" });

describe("JSON-RPC messages", () => {
  it("keeps ids exactly", async () => {
    for (const id of ["", "abc-Ω", 'quote"\\', "0", 0, -7, 1.5, Number.MAX_SAFE_INTEGER]) {
      const { status, json } = await send(ping(id));
      assert.equal(status, 200);
      assert.deepEqual(json, { jsonrpc: "2.0", id, result: {} });
    }
  });

  it("refuses an id that could not be kept exactly, and a null one", async () => {
    const { status, json } = await post('{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}');
    assert.deepEqual([status, json.error.code, json.id], [400, -32600, null]);
    for (const id of [null, true, {}, [1]]) {
      const answer = await send(ping(id));
      assert.deepEqual([answer.status, answer.json.error.code, answer.json.id], [400, -32600, null]);
    }
  });

  it("says what is not a request, with the id when there is one", async () => {
    for (const [message, id] of [
      [{ hello: "world" }, null],
      [{ jsonrpc: "1.0", id: 5, method: "ping" }, 5],
      [{ jsonrpc: "2.0", id: 6 }, 6],
      [{ jsonrpc: "2.0", id: 7, method: 3 }, 7],
      [{ jsonrpc: "2.0", id: 8, method: "ping", params: [1] }, 8],
      [{ jsonrpc: "2.0", id: 9, result: {} }, 9],
      ["hello", null],
      [42, null],
      [null, null],
    ] as const) {
      const { status, json } = await send(message);
      assert.deepEqual(
        [status, json.error.code, json.error.data.code, json.id],
        [400, -32600, "invalid_request", id],
      );
    }
  });

  it("answers an unknown method with -32601 and the nearest names", async () => {
    const { status, json } = await send({ jsonrpc: "2.0", id: 1, method: "tools/lst" });
    assert.deepEqual([status, json.error.code], [200, -32601]);
    assert.match(json.error.data.nextAction, /tools\/list/);
  });

  it("answers a notification with 202, no body, and does not act on it", async () => {
    const { status, text, headers } = await send({ jsonrpc: "2.0", method: "notifications/initialized" });
    assert.deepEqual([status, text, headers.get("content-type")], [202, "", null]);
    const call = {
      jsonrpc: "2.0",
      method: "tools/call",
      params: { name: "save_artifact", arguments: { artifact: { title: "ghost" } } },
    };
    assert.equal((await send(call, { authorization: `Bearer ${TEST_KEY}` })).status, 202);
    const { envelope } = await service.call("list_artifacts", {}, { key: true });
    assert.doesNotMatch(JSON.stringify(envelope), /ghost/);
  });
});

describe("batches", () => {
  it("answers each request in order and leaves notifications out", async () => {
    const { status, json } = await send([
      ping(1),
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: "two", method: "nope" },
      "rubbish",
      { jsonrpc: "2.0", id: 3, method: "tools/list" },
    ]);
    assert.equal(status, 200);
    assert.deepEqual(
      json.map((item: { id: unknown }) => item.id),
      [1, "two", null, 3],
    );
    assert.deepEqual(json[0].result, {});
    assert.equal(json[1].error.code, -32601);
    assert.equal(json[2].error.code, -32600);
    assert.equal(json[3].result.tools.length, 91);
  });

  it("defines the empty batch, the batch of notifications and the batch that is too long", async () => {
    const empty = await post("[]");
    assert.deepEqual([empty.status, empty.json.error.code, empty.json.id], [400, -32600, null]);
    const quiet = await send([
      { jsonrpc: "2.0", method: "notifications/a" },
      { jsonrpc: "2.0", method: "notifications/b" },
    ]);
    assert.deepEqual([quiet.status, quiet.text], [202, ""]);
    assert.equal((await send(Array.from({ length: 50 }, (_, i) => ping(i)))).json.length, 50);
    const long = await send(Array.from({ length: 51 }, (_, i) => ping(i)));
    assert.deepEqual([long.status, long.json.error.code], [400, -32600]);
    const abuse = await send(Array.from({ length: 10_000 }, (_, i) => ping(i)));
    assert.deepEqual([abuse.status, abuse.json.error.code], [400, -32600]);
  });

  it("checks the rights of every item on its own", async () => {
    const item = (id: number, name: string, args: object) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name, arguments: args },
    });
    const { status, json } = await send([
      item(1, "get_svc_info", {}),
      item(2, "delete_artifact", { id: "artifact_1" }),
      item(3, "get_health", {}),
    ]);
    assert.equal(status, 200);
    assert.equal(json[0].result.isError, false);
    assert.equal(json[1].error.code, -32001);
    assert.ok(json[2].result);
  });

  it("takes no newer request in a batch", async () => {
    const params = {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    };
    const { status, json } = await send([{ jsonrpc: "2.0", id: 1, method: "tools/list", params }]);
    assert.deepEqual([status, json.error.code], [400, -32600]);
  });
});

describe("bodies that are not good JSON", () => {
  const bodies: Record<string, string | Uint8Array> = {
    "not JSON": "{not json",
    empty: "",
    "cut off": '{"jsonrpc":"2.0"',
    "a byte order mark": `\uFEFF${JSON.stringify(ping(1))}`,
    NaN: '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}',
    "a number beyond doubles": '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1e999}}',
    "a NUL": '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\u0000"}}',
    "a lone high surrogate": '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\ud800"}}',
    "a lone low surrogate": '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\udc00x"}}',
    "a duplicate member": '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1,"a":2}}',
    "a duplicate method": '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}',
    "invalid UTF-8": Uint8Array.from([0x22, 0xff, 0xfe, 0x22]),
    "an overlong encoding": Uint8Array.from([0x22, 0xc0, 0xaf, 0x22]),
    "65 levels": `${"[".repeat(65)}${"]".repeat(65)}`,
    "500,000 levels": "[".repeat(500_000),
    "500,000 objects": '{"a":'.repeat(200_000),
  };
  for (const [name, body] of Object.entries(bodies)) {
    it(name, async () => {
      const { status, json } = await post(body);
      assert.deepEqual(
        [status, json.error.code, json.id, json.error.data.code],
        [400, -32700, null, "parse_error"],
      );
    });
  }

  it("costs no more to refuse than good JSON of the same length costs to read", async () => {
    const deep = "[".repeat(500_000);
    const good = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "ping",
      params: { a: "x".repeat(499_000) },
    });
    const timed = async (body: string): Promise<number> => {
      const began = performance.now();
      await post(body);
      return performance.now() - began;
    };
    // The quickest of several, in turns: what else the machine does slows both.
    let [quickest, reference] = [Infinity, Infinity];
    for (let round = 0; round < 8; round++) {
      quickest = Math.min(quickest, await timed(deep));
      reference = Math.min(reference, await timed(good));
    }
    assert.ok(quickest < reference * 20, `${quickest.toFixed(1)} ms against ${reference.toFixed(1)} ms`);
  });

  it("names the member that occurs twice", async () => {
    const { json } = await post(
      '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":[{"b/c":1,"b/c":2}]}}',
    );
    assert.match(json.error.message, /\/params\/a\/0\/b~1c/);
  });

  it("takes 64 levels, escaped pairs and every other character", async () => {
    assert.equal((await post(`${"[".repeat(64)}${"]".repeat(64)}`)).json[0].error.code, -32600);
    const { json } = await post('{"jsonrpc":"2.0","id":"\\ud83d\\ude00 \\u0001","method":"ping"}');
    assert.equal(json.id, "😀 \u0001");
  });

  it("refuses 10 MB with 413, declared and undeclared", async () => {
    const big = "x".repeat(10_000_000);
    const declared = await post(big);
    assert.deepEqual([declared.status, declared.json.error.data.code], [413, "too_large"]);
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let i = 0; i < 40; i++) controller.enqueue(new Uint8Array(65_536).fill(0x20));
        controller.close();
      },
    });
    const init: RequestInit & { duplex: "half" } = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: stream,
      duplex: "half",
    };
    const chunked = await service.fetch("/api/mcp", init);
    assert.equal(chunked.status, 413);
  });
});

describe("parameters", () => {
  it("reports every problem with its place, what was expected, what was given and a fix", async () => {
    const { status, json, envelope } = await service.call("export_artifact", {
      artifcat: {},
      format: "xml",
      artifact: 7,
    });
    assert.deepEqual([status, json.error, json.result.isError, envelope.ok], [200, undefined, true, false]);
    assert.equal(envelope.data.error.code, "invalid_arguments");
    // Many hosts show a model the text only: it must name every problem.
    assert.deepEqual(JSON.parse(json.result.content[0]?.text ?? ""), envelope);
    const problems = new Map(envelope.data.error.problems.map((problem) => [problem.pointer, problem]));
    assert.deepEqual(new Set(problems.keys()), new Set(["/artifact", "/artifcat", "/format"]));
    assert.partialDeepStrictEqual(problems.get("/artifcat"), {
      given: "artifcat",
      fix: 'Rename "artifcat" to "artifact".',
    });
    assert.partialDeepStrictEqual(problems.get("/artifact"), { expected: "an object", given: "number 7" });
    assert.partialDeepStrictEqual(problems.get("/format"), {
      expected: 'one of "json", "yaml", "markdown"',
      given: '"xml"',
    });
  });

  it("names no member that does not take what was given, and the members that are in one that nobody knows", async () => {
    const fixOf = async (name: string, args: object): Promise<string | undefined> => {
      const { envelope } = await service.call(name, args, { key: true });
      const { problems } = envelope.data.error;
      return problems.find(({ message }) => message.includes("is not a parameter"))?.fix;
    };
    const graph = { nodes: [{ id: "a", type: "transform", value: 1 }], edges: [] };
    assert.equal(
      await fixOf("create_workflow", { name: "W", definition: graph }),
      'Give nodes, edges without "definition" around them.',
    );
    assert.equal(
      await fixOf("create_workflow", { name: "W", definition: JSON.stringify(graph) }),
      'Give nodes, edges without "definition" around them.',
    );
    assert.equal(
      await fixOf("create_workflow", { name: "W", definition: "What it does", ...graph }),
      'Rename "definition" to "description".',
    );
  });

  it("names missing parameters and bounds", async () => {
    const missing = await service.call("get_artifact");
    assert.partialDeepStrictEqual(missing.envelope.data.error.problems[0], {
      pointer: "/id",
      given: "nothing",
    });
    const range = await service.call("list_workflows", { limit: 101 });
    assert.equal(range.envelope.data.error.problems[0]?.expected, "a number from 1 to 100");
  });

  it("answers the same in a batch, through execute_mcp_tool and in the newer revision", async () => {
    const call = { name: "get_artifact", arguments: { idd: "x" } };
    const [item] = (
      await post(JSON.stringify([{ jsonrpc: "2.0", id: 1, method: "tools/call", params: call }]))
    ).json;
    const pointers = (envelope: Envelope) => [
      at(envelope.data, "error", "code"),
      ...objectsAt(envelope.data, "error", "problems")
        .map((problem) => textAt(problem, "pointer"))
        .sort(),
    ];
    assert.deepEqual(pointers(item.result.structuredContent), ["invalid_arguments", "/id", "/idd"]);
    const nested = (await service.call("execute_mcp_tool", call, { key: true })).json.result;
    assert.equal(nested.isError, true);
    assert.deepEqual(pointers(nested.structuredContent), [
      "invalid_arguments",
      "/arguments/id",
      "/arguments/idd",
    ]);
    const modern = await service.rpc(
      "tools/call",
      {
        ...call,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
      { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "get_artifact" },
    );
    const { structuredContent, resultType } = modern.json.result;
    assert.deepEqual([modern.status, resultType], [200, "complete"]);
    assert.deepEqual(pointers(structuredContent), ["invalid_arguments", "/id", "/idd"]);
  });

  it("suggests tools and prompts for mistyped names", async () => {
    const tool = await service.call("render_json_schema_from");
    assert.equal(tool.json.error.code, -32602);
    assert.match(tool.json.error.data.problems[0]?.fix ?? "", /render_json_schema_form/);
    const prompt = await service.rpc("prompts/get", { name: "definitely_not_a_prompt" });
    assert.equal(prompt.json.error.code, -32602);
  });

  it("refuses params of the wrong shape", async () => {
    for (const [method, params] of [
      ["tools/call", {}],
      ["tools/call", { name: 5 }],
      ["tools/call", { name: "get_info", arguments: [] }],
      ["tools/call", { name: "get_info", arguments: "x" }],
      ["resources/read", {}],
      ["prompts/get", { name: 1 }],
      ["tools/list", { cursor: "x" }],
      ["initialize", { protocolVersion: 3 }],
      ["completion/complete", {}],
    ] as const) {
      assert.equal((await service.rpc(method, params)).json.error.code, -32602, method);
    }
  });

  it("keeps prototype names away", async () => {
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      assert.equal((await service.call(name)).json.error.code, -32602);
      assert.equal((await service.rpc(name)).json.error.code, -32601);
      assert.equal((await service.rpc("prompts/get", { name })).json.error.code, -32602);
    }
    const { json } = await post(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_info","arguments":{"__proto__":{"a":1}}}}',
    );
    assert.equal(json.result.structuredContent.data.error.code, "invalid_arguments");
    assert.equal(Reflect.get({}, "a"), undefined);
  });

  it("every listed resource can be read, the templates as they are written too", async () => {
    const { json } = await service.rpc("resources/list");
    assert.equal(json.result.resources.length, 29);
    for (const { uri } of json.result.resources) {
      const read = await service.rpc("resources/read", { uri });
      assert.equal(read.json.error, undefined, `${uri}: ${read.text.slice(0, 300)}`);
      const document = JSON.parse(read.json.result.contents[0]?.text ?? "");
      if (!uri.includes("{id}")) continue;
      assert.equal(document.uriTemplate, uri);
      assert.match(document.nextAction, /Put an id in place of \{id\}/);
      const list = await service.rpc("resources/read", { uri: document.idsFrom.resource });
      assert.equal(list.json.error, undefined, document.idsFrom.resource);
    }
  });
});
