import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import {
  Client as NextClient,
  StreamableHTTPClientTransport as NextTransport,
  type OAuthClientProvider as NextProvider,
} from "@modelcontextprotocol/client";
import type { OAuthClientProvider } from "@modelcontextprotocol/sdk/client/auth.js";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { isObject } from "../../src/kernel/json.ts";
import { addMember, makeOwner, type Member } from "../people/support.ts";
import { freePort } from "../support/ports.ts";
import { startService, type TestService } from "../support/service.ts";
import {
  authorizeQuery,
  callWith,
  consent,
  exchange,
  newClient,
  pkce,
  post,
  refresh,
  register,
  resourceMetadata,
  serverMetadata,
  signInClient,
} from "./support.ts";

/** Metadata documents as hosted clients publish them; no test leaves this machine. */
const DOCUMENTS: Readonly<Record<string, { readonly status?: number; readonly body: unknown }>> = {
  "https://claude.ai/oauth/mcp-oauth-client-metadata": {
    body: {
      client_id: "https://claude.ai/oauth/mcp-oauth-client-metadata",
      client_name: "Claude",
      client_uri: "https://claude.ai",
      redirect_uris: ["https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback"],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
  },
  "https://chatgpt.com/oauth/client.json": {
    body: {
      client_id: "https://chatgpt.com/oauth/client.json",
      client_name: "ChatGPT",
      redirect_uris: ["https://chatgpt.com/connector/oauth/abc123"],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      logo_uri: "https://chatgpt.com/logo.png",
    },
  },
  "https://liar.example/client.json": {
    body: { client_id: "https://claude.ai/x", redirect_uris: ["https://liar.example/cb"] },
  },
  "https://secret.example/client.json": {
    body: { client_id: "https://secret.example/client.json", redirect_uris: ["http://secret.example/cb"] },
  },
  "https://broken.example/client.json": { status: 500, body: "no" },
};

describe("how hosted and local MCP clients sign in", () => {
  const fetched: string[] = [];
  let service: TestService;
  let owner: Member;
  let editor: Member;

  before(async () => {
    service = await startService({
      fetcher: (guarded) => ({
        ...guarded,
        fetch(request) {
          fetched.push(request.url);
          const known = DOCUMENTS[request.url];
          if (known === undefined) return guarded.fetch(request);
          assert.equal(request.maxRedirects, 0);
          const text = JSON.stringify(known.body);
          const body = Buffer.from(text);
          return Promise.resolve({ status: known.status ?? 200, headers: {}, body, text, url: request.url });
        },
      }),
    });
    owner = await makeOwner(service);
    editor = await addMember(service, owner, "editor");
  });
  after(() => service.close());

  /** What every client does first: a call without a token, then the two documents. */
  async function discover(): Promise<{ readonly authorize: string; readonly resource: string }> {
    const refused = await service.call("create_workflow", { name: "x" });
    const challenge = refused.headers.get("www-authenticate") ?? "";
    const address = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? "";
    const resource = await resourceMetadata(service, address.slice(service.url.length));
    const issuer = resource.authorization_servers[0] ?? "";
    const server = await serverMetadata(
      service,
      `${issuer}/.well-known/oauth-authorization-server`.slice(service.url.length),
    );
    assert.equal(server.issuer, issuer);
    return { authorize: server.authorization_endpoint, resource: resource.resource };
  }

  async function useCode(clientId: string, redirectUri: string, asked?: string): Promise<void> {
    const { authorize, resource } = await discover();
    const { verifier, challenge } = pkce();
    const query = authorizeQuery({ clientId, redirectUri: asked ?? redirectUri }, challenge, {
      resource,
      scope: "read-private run write handoff approve",
    });
    const back = await consent(service, editor, `${authorize}?${query.toString()}`);
    assert.ok(back.href.startsWith(asked ?? redirectUri));
    assert.equal(back.searchParams.get("iss"), service.url);
    const client = { clientId, redirectUri: asked ?? redirectUri };
    const code = back.searchParams.get("code") ?? "";
    const { status, json } = await exchange(service, client, code, verifier, { resource });
    assert.equal(status, 200, JSON.stringify(json));
    const called = await callWith(service, json.access_token);
    assert.equal(called.ok, true, called.text);
    const again = await refresh(service, client, json.refresh_token);
    assert.equal((await callWith(service, again.json.access_token)).ok, true);
  }

  it("Claude: client id metadata document", async () => {
    const clientId = "https://claude.ai/oauth/mcp-oauth-client-metadata";
    await useCode(clientId, "https://claude.ai/api/mcp/auth_callback");
    const answer = await owner.visitor.ask("GET", "/api/svc/audit?action=client.registered");
    const [entry] = answer.data.entries;
    assert.equal(entry?.detail["clientId"], clientId, answer.text);
    assert.deepEqual(
      [entry?.detail["via"], entry?.detail["hosts"]],
      ["metadata document", ["claude.ai", "claude.com"]],
    );
  });

  it("Claude: dynamic registration", async () => {
    const { json } = await register(service, {
      client_name: "Claude",
      redirect_uris: ["https://claude.ai/api/mcp/auth_callback"],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      scope: "read-private run",
    });
    await useCode(json.client_id, "https://claude.ai/api/mcp/auth_callback");
  });

  it("ChatGPT: client id metadata document, and dynamic registration with a secret asked for", async () => {
    await useCode("https://chatgpt.com/oauth/client.json", "https://chatgpt.com/connector/oauth/abc123");
    const { json } = await register(service, {
      client_name: "ChatGPT",
      redirect_uris: ["https://chatgpt.com/connector_platform_oauth_redirect"],
      token_endpoint_auth_method: "client_secret_post",
    });
    await useCode(json.client_id, "https://chatgpt.com/connector_platform_oauth_redirect");
  });

  it("VS Code: dynamic registration with loopback and https redirects, any port of loopback", async () => {
    const { status, json } = await register(service, {
      client_name: "Visual Studio Code",
      client_uri: "https://code.visualstudio.com",
      grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
      response_types: ["code"],
      redirect_uris: [
        "https://insiders.vscode.dev/redirect",
        "https://vscode.dev/redirect",
        "http://127.0.0.1/",
        "http://127.0.0.1:33418/",
      ],
      scope: "run",
      token_endpoint_auth_method: "none",
      application_type: "native",
    });
    assert.equal(status, 201, JSON.stringify(json));
    await useCode(json.client_id, "http://127.0.0.1/", "http://127.0.0.1:54321/");
    await useCode(json.client_id, "https://vscode.dev/redirect");
  });

  it("refuses documents that lie, are unsafe, broken or on private addresses", async () => {
    for (const clientId of [
      "https://liar.example/client.json",
      "https://secret.example/client.json",
      "https://broken.example/client.json",
      "https://127.0.0.1:1/client.json",
      "https://169.254.169.254/latest/meta-data",
      "http://claude.ai/oauth/mcp-oauth-client-metadata",
    ]) {
      const query = authorizeQuery({ clientId, redirectUri: "https://liar.example/cb" }, pkce().challenge);
      const response = await service.fetch(`/oauth/authorize?${query.toString()}`, {
        redirect: "manual",
        headers: { accept: "text/html", cookie: owner.visitor.device ?? "" },
      });
      const text = await response.text();
      assert.equal(response.headers.get("location"), null, clientId);
      assert.ok([400, 401].includes(response.status), `${clientId} ${response.status}`);
      assert.match(text, /cannot be connected/);
    }
  });

  it("fetches nothing for strangers: sign-in comes first, and a client that nobody connected has no keys here", async () => {
    fetched.length = 0;
    const clientId = "https://stranger.example/client.json";
    const query = authorizeQuery({ clientId, redirectUri: "https://stranger.example/cb" }, pkce().challenge);
    const path = `/oauth/authorize?${query.toString()}`;
    const asked = await service.fetch(path, { redirect: "manual" });
    assert.equal(asked.status, 303);
    const next = new URL(asked.headers.get("location") ?? "", service.url);
    assert.deepEqual([next.pathname, next.searchParams.get("to")], ["/sign-in", path]);
    const claims = Buffer.from(JSON.stringify({ sub: clientId })).toString("base64url");
    for (const [at, form] of [
      ["/oauth/token", { grant_type: "authorization_code", client_id: clientId, code: "x" }],
      ["/oauth/token", { grant_type: "refresh_token", client_assertion: `x.${claims}.x` }],
      ["/oauth/revoke", { token: "x", client_id: clientId }],
      ["/oauth/device", { client_id: clientId }],
    ] as const) {
      const refused = await post(service, at, form);
      assert.deepEqual([refused.status, refused.json.error], [401, "invalid_client"], at);
    }
    assert.deepEqual(fetched, []);
  });

  it("strangers are bounded by address, and drop nobody who waits", async () => {
    const crowded = await startService();
    try {
      const person = await makeOwner(crowded);
      const waiting = await newClient(crowded);
      const metadata = { redirect_uris: ["https://stranger.example/cb"] };
      const statuses: number[] = [];
      for (let n = 0; n < 70; n++) statuses.push((await register(crowded, metadata)).status);
      assert.ok(statuses.filter((status) => status === 201).length < 60);
      assert.equal(statuses.at(-1), 429);
      const codes: number[] = [];
      for (let n = 0; n < 70; n++)
        codes.push((await post(crowded, "/oauth/device", { client_id: "suitectl" })).status);
      assert.equal(codes.at(-1), 429);
      await signInClient(crowded, person, waiting);
    } finally {
      await crowded.close();
    }
  });

  it("a stranger with a whole network of IPv6 addresses is one stranger", async () => {
    const crowded = await startService({ settings: { trustedProxies: ["127.0.0.1"] } });
    try {
      const statuses: number[] = [];
      for (let n = 0; n < 62; n++) {
        const { status } = await crowded.fetch("/oauth/register", {
          method: "POST",
          headers: { "content-type": "application/json", "x-forwarded-for": `2001:db8:1:2:${n}::1` },
          body: JSON.stringify({ redirect_uris: ["https://stranger.example/cb"] }),
        });
        statuses.push(status);
      }
      assert.equal(statuses[0], 201);
      assert.equal(statuses.at(-1), 429);
    } finally {
      await crowded.close();
    }
  });

  /** The part of a client's provider that both generations of the SDK share. */
  function memory() {
    const kept = new Map<string, unknown>();
    let code = "";
    return {
      kept,
      code: () => code,
      provider: {
        redirectUrl: "http://127.0.0.1:3999/callback",
        clientMetadata: {
          client_name: "SDK client",
          redirect_uris: ["http://127.0.0.1:3999/callback"],
          grant_types: ["authorization_code", "refresh_token"],
          response_types: ["code"],
        },
        state: () => "state",
        saveCodeVerifier: (verifier: string) => void kept.set("verifier", verifier),
        codeVerifier: () => String(kept.get("verifier")),
        async redirectToAuthorization(url: URL) {
          const back = await consent(service, editor, url.href);
          code = back.searchParams.get("code") ?? "";
        },
      },
    };
  }

  async function callOnce(client: {
    callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  }): Promise<unknown> {
    const result = await client.callTool({ name: "create_workflow", arguments: { name: "by an SDK" } });
    return isObject(result) ? result["structuredContent"] : undefined;
  }

  it("the official SDK v1", async () => {
    const { provider, kept, code } = memory();
    type Info = Awaited<ReturnType<NonNullable<OAuthClientProvider["clientInformation"]>>>;
    type Tokens = Awaited<ReturnType<OAuthClientProvider["tokens"]>>;
    let info: Info;
    let tokens: Tokens;
    const authProvider: OAuthClientProvider = {
      ...provider,
      clientInformation: () => info,
      saveClientInformation: (given) => void (info = given),
      tokens: () => tokens,
      saveTokens: (given) => void (tokens = given),
    };
    const open = () => new StreamableHTTPClientTransport(new URL(`${service.url}/api/mcp`), { authProvider });
    const first = open();
    const before = new Client({ name: "test", version: "1" });
    await before.connect(first);
    await assert.rejects(callOnce(before));
    await first.finishAuth(code());
    const client = new Client({ name: "test", version: "1" });
    await client.connect(open());
    const envelope = await callOnce(client);
    assert.ok(isObject(envelope) && envelope["ok"] === true, JSON.stringify(envelope));
    assert.ok(kept.size > 0);
    await client.close();
    await before.close();
  });

  it("the official SDK v2", async () => {
    const { provider, code } = memory();
    type Info = Awaited<ReturnType<NonNullable<NextProvider["clientInformation"]>>>;
    type Tokens = Awaited<ReturnType<NextProvider["tokens"]>>;
    let info: Info;
    let tokens: Tokens;
    const authProvider: NextProvider = {
      ...provider,
      clientInformation: () => info,
      saveClientInformation: (given) => void (info = given),
      tokens: () => tokens,
      saveTokens: (given) => void (tokens = given),
    };
    const open = () => new NextTransport(new URL(`${service.url}/api/mcp`), { authProvider });
    const first = open();
    const before = new NextClient({ name: "test", version: "1" });
    await before.connect(first);
    await assert.rejects(callOnce(before));
    await first.finishAuth(new URLSearchParams({ code: code(), iss: service.url }));
    const client = new NextClient({ name: "test", version: "1" });
    await client.connect(open());
    const envelope = await callOnce(client);
    assert.ok(isObject(envelope) && envelope["ok"] === true, JSON.stringify(envelope));
    await client.close();
    await before.close();
  });

  it("the official conformance suite's scenarios for authorization servers", async () => {
    const require = createRequire(import.meta.url);
    const folder = dirname(require.resolve("mcp-conformance-next/package.json"));
    const port = await freePort();
    const { json } = await register(service, {
      client_name: "Conformance suite",
      redirect_uris: [`http://127.0.0.1:${port}/callback`],
    });
    const child = spawn(
      process.execPath,
      [
        join(folder, "dist", "index.js"),
        "authorization",
        "--url",
        service.url,
        "--client-id",
        json.client_id,
        "--resource",
        `${service.url}/api/mcp`,
        "--port",
        String(port),
      ],
      { stdio: ["ignore", "pipe", "pipe"] },
    );
    let output = "";
    const link = Promise.withResolvers<string>();
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        const found = /^(http\S*\/oauth\/authorize\?\S+)\s/m.exec(output)?.[1];
        if (found !== undefined) link.resolve(found);
      });
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    void ended.then(() => link.reject(new Error(output)));
    const back = await consent(service, editor, await link.promise);
    await fetch(back);
    assert.equal(await ended, 0, output);
    assert.match(output, /2 passed, 0 failed/, output);
  });
});
