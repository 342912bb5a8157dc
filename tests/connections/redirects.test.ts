import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { after, before, describe, it } from "node:test";
import { startService, type TestService } from "../support/service.ts";
import { addCredential, authorize } from "../vault/support.ts";
import { json, startApiServer, type ApiServer } from "./api-server.ts";
import { rest } from "./rest.ts";

/*
 * A credential never follows a redirect to another origin. Two servers on one host: the credential is bound to the host
 * and so may go to every port of it, but one server does not choose what another one is sent.
 */

const CANARY = "canary-5f1c+a/b=c d";

const CREDENTIALS = [
  { name: "in-header", kind: "apiKey", in: "header", parameter: "X-Api-Key", secret: CANARY },
  { name: "in-query", kind: "apiKey", in: "query", parameter: "api_key", secret: CANARY },
  { name: "in-cookie", kind: "apiKey", in: "cookie", parameter: "sid", secret: "canary-5f1c" },
  { name: "as-bearer", kind: "bearer", secret: "canary-5f1c" },
  { name: "as-basic", kind: "basic", username: "canary-5f1c", secret: CANARY },
] as const;

const DESCRIPTION = {
  openapi: "3.1.0",
  info: { title: "Home", version: "1" },
  paths: {
    "/read": { get: { operationId: "read", responses: { 200: { description: "ok" } } } },
    "/write": {
      post: {
        operationId: "write",
        requestBody: { content: { "application/json": { schema: {} } } },
        responses: { 200: { description: "ok" } },
      },
    },
    "/within": { get: { operationId: "within", responses: { 200: { description: "ok" } } } },
  },
};

/** What the MCP server says, by the method that is asked. */
const SPOKEN: Readonly<Record<string, unknown>> = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: "tools", version: "1" },
  },
  "tools/list": {
    tools: [
      { name: "read", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } },
      { name: "write", inputSchema: { type: "object" } },
    ],
  },
};

describe("a redirect to another origin", () => {
  let service: TestService;
  let home: ApiServer;
  let away: ApiServer;
  let status = 302;
  let leadsAway = false;
  before(async () => {
    away = await startApiServer({ "GET *": json(DESCRIPTION), "POST *": json({ access_token: "x" }) });
    const outward = (request: { readonly url: string }): Record<string, string> => ({
      // As a server does that moves to another port: path and query stay.
      location: `${away.url}/landed${request.url}`,
    });
    const answer: Parameters<typeof startApiServer>[0][string] = (request, response) => {
      if (leadsAway) void response.writeHead(status, outward(request)).end();
      else void json(DESCRIPTION)(request, response);
    };
    home = await startApiServer({
      "GET *": answer,
      "POST *": answer,
      "GET /tools": (_request, response) => void response.writeHead(405).end(),
      "POST /tools": (request, response) => {
        const { id, method } = JSON.parse(request.body.toString());
        if (leadsAway) void response.writeHead(status, outward(request)).end();
        else if (id === undefined) void response.writeHead(202).end();
        else void json({ jsonrpc: "2.0", id, result: SPOKEN[method] ?? {} })(request, response);
      },
      "GET /within": (_request, response) => void response.writeHead(302, { location: "/arrived?x=1" }).end(),
      "GET /arrived": json({ ok: true }),
    });
    service = await startService({ settings: { trustedHosts: ["127.0.0.1"] } });
    for (const credential of CREDENTIALS)
      await addCredential(service, { ...credential, hosts: ["127.0.0.1"] });
  });
  after(async () => {
    await service.close();
    await home.close();
    await away.close();
  });

  const call = (id: string, args: unknown): Promise<unknown> =>
    rest(service, "POST", `/${id.replace(":", "/call/")}`, { arguments: args });

  type Send = (credential: string) => Promise<unknown>;
  const add = (name: string, kind: string, path: string): Send => {
    return (credential) =>
      rest(service, "POST", "", {
        name: `${name}-${credential}${leadsAway ? status : ""}`,
        kind,
        url: `${home.url}${path}`,
        credential,
      });
  };
  const write = { contentType: "application/json", body: { a: 1 } };
  const resource = { uri: "memo://one" };
  const probe = (path: string): Send => {
    return (credential) => rest(service, "POST", "/probe", { url: `${home.url}${path}`, credential });
  };

  /** Everything that sends a request with the credential of a connection, by the module that makes it. */
  const callers: Readonly<Record<string, Readonly<Record<string, Send>>>> = {
    "reading.ts": {
      probe: probe("/description"),
      add: add("new", "openapi", "/description"),
      "test by description": (credential) => rest(service, "POST", `/${credential}/test`),
      sync: (credential) => rest(service, "POST", `/${credential}/sync`),
    },
    "testing.ts": {
      "test by address": (credential) => rest(service, "POST", `/pasted-${credential}/test`),
    },
    "http-call.ts": {
      "call a read": (credential) => call(`pasted-${credential}:read`, {}),
      "call a write": (credential) => call(`pasted-${credential}:write`, write),
    },
    "mcp-fetch.ts": {
      "probe an MCP server": probe("/mcp"),
      "add an MCP server": add("mcp", "mcp", "/mcp"),
      "call a read of an MCP server": (credential) => call(`tools-${credential}:read`, {}),
      "call a write of an MCP server": (credential) => call(`tools-${credential}:write`, {}),
      "read a resource of an MCP server": (credential) =>
        rest(service, "POST", `/tools-${credential}/resource`, resource),
      "test an MCP server": (credential) => rest(service, "POST", `/tools-${credential}/test`),
      "sync an MCP server": (credential) => rest(service, "POST", `/tools-${credential}/sync`),
    },
  };

  it("is tried with every module that gives a request a credential", () => {
    const modules = globSync("src/**/*.ts")
      .filter((file) =>
        /\bnew RequestCredential\(|\bcredentials\.authorize\(/.test(readFileSync(file, "utf8")),
      )
      .map((file) => basename(file));
    // The one that all of them ask.
    const asked = modules.filter((name) => name !== "request-credential.ts");
    assert.deepEqual(asked.toSorted(), Object.keys(callers).toSorted());
  });

  it("carries nothing of a credential, for every caller and every place it is written", async () => {
    leadsAway = false;
    for (const { name: credential } of CREDENTIALS) {
      const common = { kind: "openapi", credential };
      const url = `${home.url}/description`;
      const added = await rest(service, "POST", "", { ...common, name: credential, url });
      assert.equal(added.status, 201, JSON.stringify(added.body));
      const document = { ...DESCRIPTION, servers: [{ url: home.url }] };
      const pasted = await rest(service, "POST", "", { ...common, name: `pasted-${credential}`, document });
      assert.equal(pasted.status, 201, JSON.stringify(pasted.body));
      const tools = JSON.stringify(await add("tools", "mcp", "/tools")(credential));
      assert.match(tools, /"status":201/, tools);
      for (const name of ["read", "write"])
        assert.match(JSON.stringify(await call(`tools-${credential}:${name}`, {})), /"ok":true/);
    }
    leadsAway = true;
    away.seen.length = 0;
    const paths = new Set<string>();
    for (status of [301, 302, 307, 308]) {
      for (const { name: credential } of CREDENTIALS) {
        for (const [caller, send] of Object.values(callers).flatMap(Object.entries<Send>)) {
          home.seen.length = 0;
          const answer = JSON.stringify(await send(credential));
          assert.ok(home.seen.length > 0, `${caller} asked nothing: ${answer}`);
          for (const { method, url } of home.seen) paths.add(`${method} ${url.split("?")[0] ?? ""}`);
          assert.doesNotMatch(answer, /canary-5f1c/, `${caller} shows ${credential}`);
          for (const request of away.seen.splice(0)) {
            const text = decodeURIComponent(`${request.url} ${JSON.stringify(request.headers)}`);
            assert.doesNotMatch(text, /canary-5f1c|Basic/, `${caller} sent ${credential} along`);
            assert.equal(request.body.length, 0, `${caller} sent its body along`);
          }
        }
      }
    }
    for (const path of ["GET /", "GET /read", "POST /write", "POST /mcp", "POST /tools"])
      assert.ok(paths.has(path), `${path} was asked`);
  });

  it("is followed without the credential where it leads to a public description", async () => {
    status = 302;
    leadsAway = true;
    away.seen.length = 0;
    const found = await rest(service, "POST", "/probe", {
      url: `${home.url}/description`,
      credential: "in-header",
    });
    assert.equal(found.body.data.kind, "openapi");
    assert.equal(away.seen.length, 1);
  });

  it("a redirect within the origin carries the credential on, once, and other queries as they were", async () => {
    for (const { name: credential } of CREDENTIALS) {
      home.seen.length = 0;
      await call(`pasted-${credential}:within`, {});
      const [first, second] = home.seen;
      assert.equal(second?.url.startsWith("/arrived?x=1"), true, credential);
      const sent = (request: typeof first): unknown => [
        request?.headers["x-api-key"],
        request?.headers.cookie,
        request?.headers.authorization,
        new URL(request?.url ?? "", home.url).searchParams.getAll("api_key"),
      ];
      assert.deepEqual(sent(second), sent(first), credential);
      assert.match(JSON.stringify([first?.url, first?.headers]), /canary|Basic/, credential);
    }
  });

  it("the client secret of an OAuth token request stays at its origin", async () => {
    leadsAway = true;
    for (status of [302, 307, 308]) {
      away.seen.length = 0;
      await addCredential(service, {
        name: `oauth-${status}`,
        kind: "oauth2",
        grant: "client_credentials",
        tokenUrl: `${home.url}/token`,
        resource: home.url,
        clientId: "me",
        secret: "canary-5f1c",
      });
      await assert.rejects(authorize(service, `oauth-${status}`, home.url));
      assert.deepEqual(away.seen, []);
    }
  });
});
