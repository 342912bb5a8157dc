import assert from "node:assert/strict";
import { request, type IncomingHttpHeaders } from "node:http";
import { after, before, describe, it } from "node:test";
import { SERVICE } from "../../src/kernel/service.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
before(async () => {
  service = await startService({ settings: { trustedHosts: ["gateway.internal.example"] } });
});
after(() => service.close());

/** `fetch` forbids some headers and cleans paths up, so these tests send requests as they are. */
function send(
  method: string,
  path: string,
  headers: Record<string, string | string[]> = {},
  body = "",
): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: "127.0.0.1", port: service.port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

const json = { "content-type": "application/json" };
const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });

describe("Host and Origin", () => {
  it("serves its own names and what the operator trusts", async () => {
    for (const host of [
      `127.0.0.1:${service.port}`,
      "localhost",
      "[::1]:8080",
      "LOCALHOST:1",
      "gateway.internal.example",
    ]) {
      assert.equal((await send("POST", "/api/mcp", { ...json, host }, ping)).status, 200, host);
    }
  });

  it("refuses foreign and malformed hosts on every path", async () => {
    for (const host of [
      "evil.example",
      "127.0.0.1.evil.example",
      "localhost@evil.example",
      "localhost/x",
      "a b",
    ]) {
      for (const path of ["/api/mcp", "/livez", "/", "/nothing"]) {
        const { status, text } = await send("GET", path, { host });
        assert.equal(status, 403, `${host} ${path}`);
        assert.equal(JSON.parse(text).data.error.code, "blocked");
      }
    }
    const post = await send("POST", "/api/mcp", { ...json, host: "evil.example" }, ping);
    assert.deepEqual([post.status, JSON.parse(post.text).error.data.code], [403, "blocked"]);
  });

  it("refuses a foreign Origin on the API and lets public documents be read", async () => {
    for (const origin of [
      "https://evil.example",
      "null",
      "file://",
      "http://localhost.evil.example",
      "http://localhost/x",
    ]) {
      assert.equal((await send("POST", "/api/mcp", { ...json, origin }, ping)).status, 403, origin);
      assert.equal((await send("GET", "/api/mcp", { origin })).status, 403, origin);
      assert.equal((await send("GET", "/llms.txt", { origin })).status, 200, origin);
    }
    for (const origin of [service.url, "http://localhost:3000", "https://gateway.internal.example"]) {
      assert.equal((await send("POST", "/api/mcp", { ...json, origin }, ping)).status, 200, origin);
    }
  });
});

describe("paths and methods", () => {
  it("answers an unknown path with a clear 404", async () => {
    for (const path of [
      "/nope",
      "/api",
      "/api/nope",
      "/api/mcp/",
      "//api/mcp",
      "/api/mcp;x",
      "/api%2Fmcp",
      "/API/MCP",
      "/%2e%2e/package.json",
      "/../package.json",
      "/assets/../../package.json",
      "/.env",
      "/src/main.ts",
    ]) {
      for (const method of ["GET", "POST"]) {
        const { status, text } = await send(method, path, json, method === "POST" ? ping : "");
        assert.equal(status, 404, `${method} ${path}`);
        assert.deepEqual(JSON.parse(text).data.error.code, "not_found");
      }
    }
  });

  it("does not take the absolute form for a path of its own", async () => {
    const { status } = await send("POST", `http://127.0.0.1:${service.port}/api/mcp`, json, ping);
    assert.equal(status, 404);
  });

  it("answers a wrong method with 405 and what is allowed", async () => {
    for (const [method, path, allow] of [
      ["DELETE", "/api/mcp", "GET, POST, HEAD"],
      ["PUT", "/api/mcp", "GET, POST, HEAD"],
      ["OPTIONS", "/api/mcp", "GET, POST, HEAD"],
      ["DELETE", "/api/svc/receive-handoff", "GET, POST, HEAD"],
      ["POST", "/livez", "GET, HEAD"],
      ["POST", "/llms.txt", "GET, HEAD"],
    ] as const) {
      const { status, headers, text } = await send(method, path);
      assert.deepEqual([status, headers.allow], [405, allow], `${method} ${path}`);
      assert.equal(JSON.parse(text).data.error.code, "method_not_allowed");
    }
  });

  it("takes JSON only", async () => {
    for (const type of [
      "text/plain",
      "application/json\ta",
      "application/jsonx",
      "application/json; charset=latin1",
      "multipart/form-data",
    ]) {
      const { status, text } = await send("POST", "/api/mcp", { "content-type": type }, ping);
      assert.deepEqual([status, JSON.parse(text).error.data.code], [415, "unsupported_media_type"], type);
    }
    assert.equal((await send("POST", "/api/mcp", {}, ping)).status, 415);
    assert.equal((await send("POST", "/api/mcp", { ...json, "content-encoding": "gzip" }, ping)).status, 415);
    for (const type of ["application/json; charset=utf-8", "Application/JSON ; charset=UTF-8"]) {
      assert.equal((await send("POST", "/api/mcp", { "content-type": type }, ping)).status, 200, type);
    }
  });

  it("gives every route of the table an answer, and HEAD the same headers", async () => {
    for (const { method, path, access } of service.app.services.site.routes) {
      if (method !== "GET" || path.endsWith("/events") || path.includes("{")) continue;
      const headers = { authorization: `Bearer ${service.key}` };
      const got = await send("GET", path, headers);
      // Without their parameters these have nothing to do, and say so.
      if (/^\/oauth\/(callback|authorize)$|^\/api\/svc\/triggers\/(dates|due)$/.test(path))
        assert.equal(got.status, 400);
      // A key has no account.
      else if (access === "person") assert.equal(got.status, 403);
      else assert.ok(got.status < 400, `${path} ${got.status}`);
      const head = await send("HEAD", path, headers);
      assert.deepEqual([head.status, head.text], [got.status, ""], path);
      assert.equal(head.headers["content-type"], got.headers["content-type"]);
    }
  });
});

describe("GET /api/mcp", () => {
  it("is the info document for a plain Accept", async () => {
    for (const accept of ["application/json", "*/*", "text/html", "application/json, text/event-stream"]) {
      const { status, headers, text } = await send("GET", "/api/mcp", { accept });
      assert.deepEqual([status, headers.vary], [200, "Accept"], accept);
      assert.equal(JSON.parse(text).data.counts.tools, 91);
    }
  });

  it("has no event stream", async () => {
    const { status, headers } = await send("GET", "/api/mcp", { accept: "text/event-stream" });
    assert.deepEqual([status, headers.allow], [405, "GET, POST, HEAD"]);
  });
});

describe("every answer", () => {
  it("carries the caller's request id when it is a plain one, else a new one", async () => {
    assert.equal(
      (await send("POST", "/api/mcp", { ...json, "x-request-id": "abc-1" }, ping)).headers["x-request-id"],
      "abc-1",
    );
    for (const id of ["", "a b", "x".repeat(100), "é"]) {
      const { headers } = await send("GET", "/livez", { "x-request-id": encodeURI(id) === id ? id : "\xe9" });
      assert.match(String(headers["x-request-id"]), /^req_[0-9a-z]+$/);
    }
  });

  it("continues the caller's trace", async () => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    for (const [method, path, body] of [
      ["POST", "/api/mcp", ping],
      ["GET", "/livez", ""],
    ] as const) {
      const { headers } = await send(method, path, { ...json, traceparent }, body);
      assert.match(
        String(headers["traceparent"]),
        /^00-0af7651916cd43dd8448eb211c80319c-(?!b7ad6b7169203331)[0-9a-f]{16}-01$/,
      );
    }
  });

  it("cannot be sniffed, framed or cached by default", async () => {
    const { headers } = await send("GET", "/livez");
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.match(String(headers["content-security-policy"]), /default-src 'none'.*frame-ancestors 'none'/);
    assert.equal(headers["cache-control"], "no-store");
  });
});

describe("for operators", () => {
  it("/livez and /readyz", async () => {
    assert.equal(JSON.parse((await send("GET", "/livez")).text).data.status, "live");
    const { schema, ...ready } = JSON.parse((await send("GET", "/readyz")).text).data;
    assert.deepEqual(ready, {
      status: "ready",
      version: SERVICE.build,
      onHold: false,
      store: { kind: "sqlite", ready: true },
    });
    assert.ok(schema >= 23);
  });

  it("/metrics counts what was served", async () => {
    await service.call("get_health");
    await service.call("delete_artifact", { id: "x" });
    const { headers, text } = await send("GET", "/metrics");
    assert.match(String(headers["content-type"]), /^text\/plain; version=0\.0\.4/);
    assert.match(text, /^svc_requests_total\{operation="tools\/call get_health",code="ok"\} \d+$/m);
    assert.match(
      text,
      /^svc_requests_total\{operation="tools\/call delete_artifact",code="unauthorized"\} \d+$/m,
    );
    assert.match(text, /^svc_request_seconds_bucket\{operation="tools\/call get_health",le="\+Inf"\} \d+$/m);
    assert.match(text, /^svc_store_ready 1$/m);
    assert.match(text, /^process_resident_memory_bytes \d+$/m);
  });

  it("metric labels come from our own names, never from input", async () => {
    await service.call("evil_tool_name_1");
    await service.rpc("evil_method_2");
    await send("GET", "/evil-path-3");
    const { text } = await send("GET", "/metrics");
    assert.doesNotMatch(text, /evil/);
  });
});
