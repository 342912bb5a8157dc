import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ToolName } from "../../packages/client/client.ts";
import { createLog } from "../../src/gateway/log.ts";
import { backupDatabase } from "../../src/storage/maintenance/backup.ts";
import { startService, TEST_KEY, type TestService, type ToolAnswer } from "../support/service.ts";
import { ACCESS_PATHS, openIdentity, type AccessWorld } from "./canary-access.ts";
import { MACHINE, startAuthorizationServer, type AuthorizationServer } from "./authorization-server.ts";
import { ask, openSignIn } from "./support.ts";

/*
 * After every path on which a credential goes was used, no place that people or other programs can read holds its
 * secret in clear. A new path is a row of PATHS (or of canary-access.ts), a new place a row of PLACES.
 * Long on purpose: one list of paths and one of places, because every path is checked against every place.
 */

/** Occurs in names that are not secret: a place in which it is not found was not really read. */
const CONTROL = `control${randomBytes(4).toString("hex")}`;
const canary = (): string => `canary${randomBytes(12).toString("hex")}`;

interface Kind {
  readonly name: string;
  readonly secret: string;
  readonly body: Readonly<Record<string, unknown>>;
}

const KINDS: readonly Kind[] = [
  kind("bearer", { kind: "bearer" }),
  kind("header", { kind: "apiKey" }),
  kind("query", { kind: "apiKey", in: "query", parameter: "appid" }),
  kind("cookie", { kind: "apiKey", in: "cookie", parameter: "sid" }),
  kind("basic", { kind: "basic", username: "jane" }),
];
/** Every secret that was ever given to the service. */
const secrets = new Set(KINDS.map(({ secret }) => secret));
const received = new Set<string>();

function kind(name: string, body: Readonly<Record<string, unknown>>): Kind {
  return { name: `${CONTROL}-${name}`, secret: canary(), body };
}

interface World extends AccessWorld {
  readonly folder: string;
  readonly authorization: AuthorizationServer;
  /** A server that repeats everything it is sent, in every way that it can. */
  readonly echo: Server;
  readonly echoUrl: string;
  readonly collected: string[];
  readonly logLines: string[];
}

/** Sends a request as the operator and keeps the answer. */
async function send(world: World, method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await ask(world.service, method, path, body);
  world.answers.push(answer.text);
  return answer.data;
}

async function call<N extends ToolName>(
  world: World,
  tool: N,
  args: unknown,
  meta?: unknown,
): Promise<ToolAnswer<N>["envelope"]> {
  const answer = await world.service.call(tool, args, { key: true, ...(meta !== undefined && { meta }) });
  world.answers.push(answer.text);
  return answer.envelope;
}

const OPERATIONS = ["echo", "refuse", "fail", "redirect", "cut", "binary"];

/** Every path on which a credential goes. */
const PATHS: readonly (readonly [title: string, run: (world: World) => Promise<void>])[] = [
  [
    "credentials are created over REST",
    async (world) => {
      for (const { name, secret, body } of KINDS) {
        const hosts = [new URL(world.echoUrl).host];
        await send(world, "POST", "/api/svc/credentials", { name, hosts, secret, ...body });
      }
    },
  ],
  [
    "credentials that are refused",
    async (world) => {
      for (const { name, secret, body } of KINDS) {
        await send(world, "POST", "/api/svc/credentials", { name, secret, ...body, hosts: [secret, ""] });
        await send(world, "POST", "/api/svc/credentials", {
          ...body,
          name: `${secret}_`,
          secret,
          hosts: ["x"],
        });
        await send(world, "POST", "/api/svc/credentials", {
          ...body,
          name,
          secret,
          hosts: ["x"],
          [`x${secret}`.slice(0, 3)]: secret,
        });
        await send(world, "PATCH", `/api/svc/credentials/${name}`, { secret: `${secret}\u0000\n` });
      }
    },
  ],
  [
    "suitectl adds and replaces from the environment and from standard input",
    async (world) => {
      const [first, second] = [canary(), canary()];
      secrets.add(first).add(second);
      const add = ["vault", "add", `${CONTROL}-cli`, "--host", "api.example.com", "--from-env", "CANARY"];
      await suitectl(world, add, "", { CANARY: first });
      await suitectl(world, ["vault", "replace", `${CONTROL}-cli`], second);
      await suitectl(world, ["vault", "replace", "missing", "--json"], second);
      await suitectl(world, ["vault", "list"], "");
    },
  ],
  [
    "an API is called with each kind, and answers in every bad way",
    async (world) => {
      for (const { name } of KINDS) {
        const connection = name.slice(CONTROL.length + 1);
        await send(world, "POST", "/api/svc/connections", {
          name: connection,
          kind: "openapi",
          document: description(world.echoUrl),
          credential: name,
        });
        for (const operation of OPERATIONS) {
          await send(world, "POST", `/api/svc/connections/${connection}/call/${operation}`, {
            arguments: {},
          });
          await call(world, "execute_mcp_tool", { name: `${connection}:${operation}`, arguments: {} });
        }
        await call(world, "test_mcp_tool", { name: `${connection}:echo` });
        await call(world, "render_mcp_tool_form", { toolName: `${connection}:echo` });
        await call(world, "generate_tool_specs", { toolchain: [`${connection}:echo`] });
      }
    },
  ],
  [
    "a workflow calls the API; its run, trace, plan and dry run are kept",
    async (world) => {
      const nodes = [
        ...KINDS.map(({ name }) => name.slice(CONTROL.length + 1)).map((connection) => ({
          id: connection,
          type: "tool",
          tool: `${connection}:echo`,
          with: {},
        })),
        { id: "broken", type: "tool", tool: "bearer:fail", with: {} },
      ];
      const workflow = { name: CONTROL, nodes, edges: [] };
      const made = await call(world, "create_workflow", workflow);
      const { id } = made.data.workflow;
      for (const tool of ["validate_workflow", "plan_workflow", "dry_run_workflow"] as const) {
        await call(world, tool, { id });
      }
      await send(world, "GET", `/api/svc/workflows/${id}/export`);
      const run = await call(world, "run_workflow", { id });
      const { id: runId, traceId } = run.data.run;
      for (let i = 0; i < 2_400; i++) {
        const state = JSON.stringify(await send(world, "GET", `/api/svc/runs/${runId}`));
        if (/"(?:succeeded|failed|timed_out)"/.test(state)) break;
        await sleep(100);
      }
      await call(world, "get_workflow_run", { id: runId });
      await send(world, "GET", `/api/svc/traces/${traceId}`);
    },
  ],
  [
    "artifacts are kept and exported",
    async (world) => {
      const { data } = await call(world, "execute_mcp_tool", { name: "bearer:echo", arguments: {} });
      const saved = await call(world, "save_artifact", { artifact: { title: CONTROL, type: "note", data } });
      await call(world, "export_artifact", { artifact: saved.data.artifact, format: "markdown" });
      await call(world, "create_share_packet", { artifact: { title: CONTROL, type: "note", data } });
    },
  ],
  [
    "OAuth tokens: fetched, used, refused",
    async (world) => {
      const { issuer, resource } = world.authorization;
      const wrong = canary();
      secrets.add(wrong).add(MACHINE.secret);
      const base = {
        kind: "oauth2",
        grant: "client_credentials",
        issuer,
        resource,
        clientId: MACHINE.clientId,
      };
      for (const [name, secret] of [
        ["oauth", MACHINE.secret],
        ["wrong", wrong],
      ] as const) {
        await send(world, "POST", "/api/svc/credentials", {
          ...base,
          name: `${CONTROL}-${name}`,
          hosts: [new URL(issuer).host, new URL(world.echoUrl).host],
          secret,
          scope: "api:read",
        });
        await send(world, "POST", "/api/svc/connections", {
          name,
          kind: "openapi",
          document: description(world.echoUrl),
          credential: `${CONTROL}-${name}`,
        });
        for (const operation of OPERATIONS) {
          await send(world, "POST", `/api/svc/connections/${name}/call/${operation}`, { arguments: {} });
        }
      }
      for (const token of world.authorization.tokens()) secrets.add(token);
    },
  ],
  [
    "a sign-in is begun and comes back wrong",
    async (world) => {
      const { resource } = world.authorization;
      const name = `${CONTROL}-person`;
      await send(world, "POST", "/api/svc/credentials", { name, kind: "oauth2", resource });
      const code = canary();
      secrets.add(code);
      const begun = await ask(world.service, "POST", `/api/svc/credentials/${name}/authorize`, {});
      const { url, cookie } = await openSignIn(begun.data.authorizationUrl);
      const state = url.searchParams.get("state") ?? "";
      const page = await world.service.fetch(
        `/oauth/callback?state=${state}&code=${code}&iss=${world.authorization.issuer}`,
        { headers: { cookie } },
      );
      world.answers.push(await page.text());
      secrets.add(state);
    },
  ],
  [
    "a person signs in; the tokens are used, refused and refreshed",
    async (world) => {
      const { authorization, service } = world;
      const { resource, issuer } = authorization;
      const name = `${CONTROL}-signed`;
      const hosts = [new URL(issuer).host, new URL(world.echoUrl).host];
      await send(world, "POST", "/api/svc/credentials", { name, kind: "oauth2", resource, hosts });
      const begun = await ask(service, "POST", `/api/svc/credentials/${name}/authorize`, {});
      world.answers.push(await signInAt(begun.data.authorizationUrl, service.url));
      await send(world, "POST", "/api/svc/connections", {
        name: "signed",
        kind: "openapi",
        document: description(world.echoUrl),
        credential: name,
      });
      for (const operation of [...OPERATIONS, "echo"])
        await send(world, "POST", `/api/svc/connections/signed/call/${operation}`, { arguments: {} });
      await send(world, "GET", `/api/svc/credentials/${name}`);
      for (const kind of ["code", "code_verifier", "registration_access_token"] as const) {
        const seen = authorization.clientSecrets(kind);
        assert.ok(seen.length > 0, `no ${kind} was used`);
        for (const secret of seen) secrets.add(secret);
      }
      assert.ok((authorization.granted["refresh_token"] ?? 0) > 0, "nothing was refreshed");
      for (const token of authorization.tokens()) secrets.add(token);
    },
  ],
  [
    "an MCP server over HTTP repeats the credential in tools, answers, errors, questions, progress and resources",
    async (world) => {
      await send(world, "POST", "/api/svc/connections", {
        name: "mcp-http",
        kind: "mcp",
        url: `${world.echoUrl}/mcp`,
        credential: `${CONTROL}-bearer`,
      });
      const below = "/api/svc/connections/mcp-http";
      for (const tool of ["say", "throw", "ask"]) {
        await send(world, "POST", `${below}/call/${tool}`, { arguments: {} });
        await send(world, "POST", `${below}/call/${tool}`, { arguments: {}, elicitation: true });
        const params = { name: "execute_mcp_tool", arguments: { name: `mcp-http:${tool}` } };
        const streamed = await world.service.fetch("/api/mcp", {
          method: "POST",
          headers: {
            ...bearer,
            accept: "application/json, text/event-stream",
            "content-type": "application/json",
          },
          body: JSON.stringify({
            jsonrpc: "2.0",
            id: 1,
            method: "tools/call",
            params: { ...params, _meta: { progressToken: 1 } },
          }),
        });
        const text = await streamed.text();
        assert.ok(tool === "throw" || text.includes("notifications/progress"), text);
        world.answers.push(text);
      }
      await send(world, "POST", `${below}/resource`, { uri: "echo://resource" });
      await send(world, "POST", `${below}/resource`, { uri: "echo://missing" });
      for (const path of ["/test", "/sync", ""])
        await send(world, path === "" ? "GET" : "POST", below + path);
    },
  ],
  [
    "a program is given a secret in its environment or arguments",
    async (world) => {
      const given = canary();
      secrets.add(given);
      const program = { kind: "mcp", command: process.execPath };
      const env = { API_TOKEN: given };
      await send(world, "POST", "/api/svc/connections", { ...program, name: "stdio", args: [], env });
    },
  ],
  [
    "requests are previewed, recorded as a workflow and called from a terminal",
    async (world) => {
      for (const connection of ["bearer", "cookie", "basic"])
        await send(world, "POST", `/api/svc/connections/${connection}/call/echo`, {
          arguments: {},
          preview: true,
        });
      await send(world, "POST", "/api/svc/connections/record", { limit: 10 });
      await send(world, "GET", "/api/svc/connections/calls");
      await suitectl(world, ["call", "bearer:echo"], "");
      await suitectl(world, ["call", "bearer:refuse", "--json"], "");
      await suitectl(world, ["call", "mcp-http:say", "--json"], "");
      await suitectl(world, ["connections", "list", "--json"], "");
    },
  ],
  [
    "an address is probed with a credential, and a connection to it is added, tested, changed and synced",
    async (world) => {
      for (const { name } of KINDS) {
        for (const below of ["/echo", "/refuse", "/redirect", "/mcp"])
          await send(world, "POST", "/api/svc/connections/probe", {
            url: `${world.echoUrl}${below}`,
            credential: name,
          });
        const connection = `/api/svc/connections/${name.slice(CONTROL.length + 1)}`;
        await send(world, "POST", `${connection}/test`);
        await send(world, "PATCH", connection, { document: description(world.echoUrl, "Changed") });
        await send(world, "GET", `${connection}/definitions`);
        await send(world, "GET", `${connection}/definitions/echo`);
        await send(world, "POST", `${connection}/accept`);
      }
    },
  ],
  [
    "files of other tools that hold secrets are imported, saved as workflows, and their connections added",
    async (world) => {
      const host = "https://imported.example";
      for (const text of importsWithSecrets(host)) {
        const read = await send(world, "POST", "/api/svc/workflows/import", { text });
        await send(world, "POST", "/api/svc/workflows/import", { text, save: true, name: CONTROL });
        const file = join(world.folder, "import.txt");
        writeFileSync(file, text);
        await suitectl(world, ["workflows", "import", file, "--connect"], "");
        rmSync(file);
        const proposed: unknown = Reflect.get(Object(read), "connections");
        assert.ok(Array.isArray(proposed) && proposed.length > 0, `no connection in ${text.slice(0, 200)}`);
      }
    },
  ],
  [
    "a call waits for an approval, which is looked at, decided and proved",
    async (world) => {
      const made = await call(world, "create_workflow", {
        name: `${CONTROL} approved`,
        nodes: [
          { id: "ask", type: "approval", approval: { title: CONTROL, show: CONTROL } },
          { id: "call", type: "tool", tool: "basic:echo", with: {} },
        ],
        edges: [{ from: "ask", to: "call" }],
      });
      const { id } = made.data.workflow;
      const run = await call(world, "run_workflow", { id });
      const runId = run.data.run.id;
      let approval: unknown;
      for (let i = 0; i < 2_400 && approval === undefined; i++) {
        const { approvals } = Object(await send(world, "GET", "/api/svc/approvals?inbox=all"));
        approval = Array.isArray(approvals) ? approvals.find((one) => one.runId === runId) : undefined;
        if (approval === undefined) await sleep(50);
      }
      const waiting: unknown = Reflect.get(Object(approval), "id");
      assert.equal(typeof waiting, "string", "no approval waits");
      await send(world, "GET", `/api/svc/approvals/${String(waiting)}`);
      await call(world, "approve_step", { id: waiting, reason: CONTROL });
      for (let i = 0; i < 2_400; i++) {
        const state = JSON.stringify(await send(world, "GET", `/api/svc/runs/${runId}`));
        if (/"status":"(?:succeeded|failed|timed_out)"/.test(state)) break;
        await sleep(50);
      }
      await send(world, "GET", `/api/svc/runs/${runId}/receipt`);
      await send(world, "GET", "/api/svc/audit?limit=100");
    },
  ],
  [
    "secrets are replaced, the master key is rotated, a credential is removed",
    async (world) => {
      const next = canary();
      secrets.add(next);
      await send(world, "PATCH", `/api/svc/credentials/${CONTROL}-header`, { secret: next });
      await send(world, "POST", "/api/svc/connections/header/call/echo", { arguments: {} });
      await send(world, "POST", "/api/svc/vault/rotate", {});
      await send(world, "DELETE", `/api/svc/credentials/${CONTROL}-query`);
      await send(world, "POST", "/api/svc/connections/query/call/echo", { arguments: {} });
    },
  ],
];

/** A request with secrets in every place that such files have, as curl commands, Postman, HAR and n8n write it. */
function importsWithSecrets(host: string): readonly string[] {
  const secret = (): string => {
    const made = canary();
    secrets.add(made);
    return made;
  };
  const headers = (): { name: string; value: string }[] => [
    { name: "Authorization", value: `Bearer ${secret()}` },
    { name: "X-Api-Key", value: secret() },
    { name: "Cookie", value: `session=${secret()}` },
  ];
  const url = (): string => `${host}/things?api_key=${secret()}`;
  const posted = headers();
  const recorded = headers();
  const wired = headers();
  return [
    [
      `curl '${url()}' -H 'Authorization: Bearer ${secret()}' -H 'X-Api-Key: ${secret()}' -b 'session=${secret()}'`,
      `curl -u jane:${secret()} ${host}/login -d 'password=${secret()}'`,
      `curl https://jane:${secret()}@imported.example/other`,
    ].join("\n"),
    JSON.stringify({
      info: { name: CONTROL, schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" },
      auth: { type: "basic", basic: [{ key: "password", value: secret() }] },
      variable: [{ key: "token", value: secret() }],
      item: [
        {
          name: "Things",
          request: {
            method: "POST",
            url: url(),
            header: posted.map(({ name, value }) => ({ key: name, value })),
            auth: { type: "bearer", bearer: [{ key: "token", value: secret() }] },
            body: { mode: "raw", raw: JSON.stringify({ client_secret: secret(), item: "tea" }) },
          },
        },
      ],
    }),
    JSON.stringify({
      log: {
        version: "1.2",
        entries: [
          {
            request: {
              method: "POST",
              url: url(),
              headers: recorded,
              cookies: [{ name: "session", value: secret() }],
              postData: {
                mimeType: "application/json",
                text: JSON.stringify({ password: secret(), item: "tea" }),
              },
            },
            response: {
              status: 200,
              headers: [{ name: "Set-Cookie", value: `session=${secret()}` }],
              content: { mimeType: "application/json", text: JSON.stringify({ access_token: secret() }) },
            },
          },
        ],
      },
    }),
    JSON.stringify({
      name: CONTROL,
      nodes: [
        {
          id: "1",
          name: "Things",
          type: "n8n-nodes-base.httpRequest",
          typeVersion: 4,
          position: [0, 0],
          parameters: {
            method: "POST",
            url: url(),
            sendHeaders: true,
            headerParameters: { parameters: wired },
            sendBody: true,
            bodyParameters: { parameters: [{ name: "password", value: secret() }] },
          },
        },
      ],
      connections: {},
    }),
  ];
}

/** Every place where a secret could turn up. `control` says that the place must hold the control word. */
const PLACES: readonly {
  readonly title: string;
  readonly control?: false;
  read(world: World): Promise<string> | string;
}[] = [
  { title: "answers to every request of the paths above", read: ({ answers }) => answers.join("\n") },
  { title: "log lines at level debug", control: false, read: ({ logLines }) => logLines.join("\n") },
  {
    title: "every document, page and list of the service",
    async read({ service }) {
      const texts: string[] = [];
      for (const { method, path } of service.app.services.site.routes) {
        if (method !== "GET" || path.includes("{") || path.endsWith("/events")) continue;
        texts.push((await asText(service, path)).slice(0, 2_000_000));
      }
      texts.push(await asText(service, "/"));
      return texts.join("\n");
    },
  },
  {
    title: "records by name and id",
    async read({ service }) {
      const texts: string[] = [];
      for (const name of ["bearer", "header", "cookie", "basic", "oauth"]) {
        for (const path of [
          `/api/svc/credentials/${CONTROL}-${name}`,
          `/api/svc/connections/${name}`,
          `/api/svc/connections/${name}/definitions`,
          `/api/svc/connections/${name}/definitions/echo/calls`,
        ]) {
          texts.push(await asText(service, path));
        }
      }
      return texts.join("\n");
    },
  },
  {
    title: "resources, tools and prompts",
    control: false,
    async read({ service }) {
      const texts: string[] = [];
      for (const method of ["tools/list", "resources/list", "prompts/list"]) {
        texts.push((await service.rpc(method, {}, bearer)).text);
      }
      for (const { uri } of service.app.services.catalog.resources) {
        texts.push((await service.rpc("resources/read", { uri }, bearer)).text);
      }
      return texts.join("\n");
    },
  },
  {
    title: "events",
    read: async ({ service }) =>
      JSON.stringify(await service.app.services.store.read.events.after(0, 10_000)),
  },
  {
    title: "the stream of events",
    control: false,
    async read({ service }) {
      const stop = AbortSignal.timeout(1_500);
      const stream = await service.fetch("/api/svc/events?after=0", {
        headers: { ...bearer, accept: "text/event-stream" },
        signal: stop,
      });
      const parts: string[] = [`${stream.status} `];
      try {
        for await (const part of stream.body ?? []) parts.push(Buffer.from(part).toString("utf8"));
      } catch {
        // It has no end.
      }
      return parts.join("");
    },
  },
  {
    title: "provenance records with their proofs",
    async read({ service }) {
      const { provenance } = service.app.services;
      const { items } = await provenance.lookup({}, { limit: 500 }, true);
      const proofs = await Promise.all(items.slice(0, 50).map(({ id }) => provenance.prove(id)));
      return JSON.stringify([items, proofs]);
    },
  },
  {
    title: "spans and webhook deliveries sent to others",
    control: false,
    read: ({ collected }) => collected.join("\n"),
  },
  {
    title: "a backup as a file and as rows",
    async read({ folder, service }) {
      const { databaseUrl } = service.app.services.settings;
      await backupDatabase(databaseUrl, join(folder, "backup", "native.db"));
      await backupDatabase(databaseUrl, join(folder, "backup", "rows.jsonl"), "rows");
      return readAll(join(folder, "backup"));
    },
  },
  {
    title: "the files of the database, its log and its key",
    read: ({ folder }) => readAll(join(folder, "data")),
  },
];

const bearer = { authorization: `Bearer ${TEST_KEY}` };

describe("no secret is anywhere in clear", () => {
  let world: World;
  before(async () => {
    world = await startWorld();
    for (const [title, run] of [...PATHS, ...ACCESS_PATHS]) {
      await run(world).catch((error: unknown) => {
        throw new Error(`the path "${title}" could not be used`, { cause: error });
      });
    }
    await sleep(500);
  });
  after(() => closeWorld(world));

  it("the paths were really used: the API received every secret, and repeated it", () => {
    for (const { name, secret } of KINDS) {
      const forms = [secret, Buffer.from(`jane:${secret}`).toString("base64")];
      assert.ok(
        forms.some((form) => [...received].some((text) => text.includes(form))),
        name,
      );
    }
    assert.ok([...received].some((text) => text.includes(world.identity.settings.clientSecret)));
    assert.ok(
      world.authorization.tokens().some((token) => [...received].some((text) => text.includes(token))),
    );
  });

  it("the sweep finds what it looks for, however it is written", () => {
    const secret = canary();
    for (const text of [
      secret,
      JSON.stringify({ a: `x${secret}` }),
      Buffer.from(secret).toString("base64"),
      Buffer.from(`Bearer ${secret}`).toString("base64"),
      Buffer.from(`jane:${secret}`).toString("base64url"),
      Buffer.from(secret).toString("hex"),
    ]) {
      assert.notEqual(found(`before ${text} after`, secret), null, text);
    }
    assert.equal(found("nothing here", secret), null);
  });

  for (const place of PLACES) {
    const { title, control = true } = place;
    it(title, async () => {
      const text = await place.read(world);
      assert.ok(text.length > 0, "nothing was read");
      if (control) assert.ok(text.includes(CONTROL), "the place does not hold the control word");
      for (const secret of secrets) {
        assert.equal(found(text, secret), null);
      }
    });
  }
});

/** Where a text holds a secret in clear, or encoded as anybody can read it; null when it does not. */
function found(text: string, secret: string): string | null {
  for (const form of formsOf(secret)) {
    const at = text.indexOf(form);
    if (at !== -1) return text.slice(Math.max(0, at - 300), at + form.length);
  }
  return null;
}

function formsOf(secret: string): readonly string[] {
  // In base64 the same bytes look different at each of three offsets; the middle is the same whatever stands around it.
  const encoded = [0, 1, 2].map((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]).toString("base64");
    return padded.slice(offset === 0 ? 0 : 4, Math.floor(((offset + secret.length) * 8) / 6) - 1);
  });
  const urlSafe = encoded.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"));
  return [secret, Buffer.from(secret).toString("hex"), ...encoded, ...urlSafe];
}

async function startWorld(): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "workflow-ui-canary-"));
  const collected: string[] = [];
  const echo = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const seen = JSON.stringify({
        url: request.url,
        headers: request.headers,
        body: Buffer.concat(parts).toString(),
      });
      if (request.url?.startsWith("/collect") === true) {
        collected.push(seen);
        response.writeHead(200).end("{}");
        return;
      }
      received.add(seen);
      const { pathname } = new URL(request.url ?? "/", "http://echo");
      if (pathname.startsWith("/identity")) return identity.answer(request, seen, response);
      if (pathname === "/mcp") return speakMcp(JSON.parse(seen), request.method, response);
      if (pathname === "/cut") return void request.socket.destroy();
      const status = { "/refuse": 401, "/fail": 500, "/redirect": 302 }[pathname] ?? 200;
      const type = pathname === "/binary" ? "application/octet-stream" : "application/json";
      const repeated = Buffer.from(seen)
        .toString("utf8")
        .replaceAll(/[^\x20-\x7e]/g, "?");
      response.writeHead(status, {
        "content-type": type,
        "x-echo": repeated.slice(0, 4_000),
        "www-authenticate": `Bearer realm="${request.headers.authorization ?? ""}"`,
        location: `http://localhost:1/?${encodeURIComponent(repeated)}`,
      });
      response.end(seen);
    });
  });
  await new Promise<void>((done) => echo.listen(0, "127.0.0.1", done));
  const address = echo.address();
  const echoUrl = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  const newSecret = (): string => {
    const made = canary();
    secrets.add(made);
    return made;
  };
  const identity = await openIdentity(`${echoUrl}/identity`, CONTROL, newSecret);
  const logLines: string[] = [];
  const service = await startService({
    log: createLog("debug", (line) => logLines.push(line)),
    settings: {
      databaseUrl: `sqlite:${join(folder, "data", "canary.db")}`,
      trustedHosts: ["127.0.0.1"],
      otlpEndpoint: `${echoUrl}/collect`,
      oidc: identity.settings,
    },
  });
  const authorization = await startAuthorizationServer();
  const world: World = {
    folder,
    service,
    authorization,
    identity,
    echo,
    echoUrl,
    collected,
    answers: [],
    logLines,
    control: CONTROL,
    newSecret,
    hide: (secret) => void secrets.add(secret),
  };
  await send(world, "POST", "/api/svc/webhooks", { url: `${echoUrl}/collect/hook`, types: ["*"] });
  return world;
}

/** An MCP server, revision 2025-11-25, that repeats what it was sent wherever a server can say something. */
function speakMcp(
  seen: { readonly headers: { readonly authorization?: string }; readonly body: string },
  method: string | undefined,
  response: ServerResponse,
): void {
  const { id, method: asked, params } = JSON.parse(seen.body || "{}");
  const text = `${CONTROL} ${seen.headers.authorization ?? ""}`;
  if (method !== "POST" || id === undefined || asked === undefined) return void response.writeHead(202).end();
  const contents: Readonly<Record<string, unknown>> = {
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {}, resources: {} },
      serverInfo: { name: text, version: "1" },
      instructions: text,
    },
    "tools/list": {
      tools: ["say", "throw", "ask"].map((name) => ({
        name,
        description: text,
        inputSchema: { type: "object", description: text },
      })),
    },
    "resources/read": { contents: [{ uri: "echo://resource", text: text }] },
  };
  const error = { code: -32_000, message: text, data: { text } };
  const isThrown = (asked === "tools/call" && params.name === "throw") || params?.uri === "echo://missing";
  const result = contents[asked] ?? { content: [{ type: "text", text: text }], structuredContent: { text } };
  const last = { jsonrpc: "2.0", id, ...(isThrown ? { error } : { result }) };
  if (asked !== "tools/call" || isThrown) {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(last));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const event = (message: object): void => void response.write(`data: ${JSON.stringify(message)}\n\n`);
  const { progressToken } = params._meta ?? {};
  event({
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken, progress: 1, message: text },
  });
  const requestedSchema = { type: "object", properties: { a: { type: "string", title: text } } };
  if (params.name === "ask") {
    event({
      jsonrpc: "2.0",
      id: "q1",
      method: "elicitation/create",
      params: { message: text, requestedSchema },
    });
  }
  // Time for the question to be passed on.
  setTimeout(() => {
    event(last);
    response.end();
  }, 300);
}

async function closeWorld(world: World): Promise<void> {
  await world.service.close();
  await world.authorization.close();
  world.echo.closeAllConnections();
  world.echo.close();
  rmSync(world.folder, { recursive: true, force: true });
}

function description(server: string, about = ""): unknown {
  const operation = (name: string): unknown => ({
    get: {
      operationId: name,
      summary: `${CONTROL}${about}`,
      responses: { "200": { description: "All of it." } },
    },
  });
  return {
    openapi: "3.1.0",
    info: { title: CONTROL, version: "1" },
    servers: [{ url: server }],
    paths: Object.fromEntries(OPERATIONS.map((name) => [`/${name}`, operation(name)])),
  };
}

/** Signs in at the authorization server as a browser does, without one; gives the page that the service answers with. */
async function signInAt(authorizationUrl: string, home: string): Promise<string> {
  const begun = await openSignIn(authorizationUrl);
  const [name = "", value = ""] = begun.cookie.split("=");
  const cookies = new Map([[name, value]]);
  let url = begun.url.href;
  let body: string | null = null;
  for (let step = 0; step < 20; step++) {
    const response: Response = await fetch(url, {
      redirect: "manual",
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        ...(body !== null && { "content-type": "application/x-www-form-urlencoded" }),
      },
      ...(body !== null && { method: "POST", body }),
    });
    body = null;
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      const cut = pair.indexOf("=");
      cookies.set(pair.slice(0, cut), pair.slice(cut + 1));
    }
    const text = await response.text();
    if (url.startsWith(home)) return text;
    const next = response.headers.get("location");
    if (next !== null) url = new URL(next, url).href;
    else {
      const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1];
      assert.ok(prompt !== undefined, text.slice(0, 500));
      body = new URLSearchParams({ prompt, login: "jane", password: "any" }).toString();
    }
  }
  throw new Error("the sign-in did not end");
}

async function asText(service: TestService, path: string): Promise<string> {
  return (await service.fetch(path, { headers: bearer })).text();
}

function readAll(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString("latin1")).join("\n");
}

/** Runs suitectl and keeps everything that it printed. */
function suitectl(
  world: World,
  args: readonly string[],
  input: string,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const program = fileURLToPath(new URL("../../bin/suitectl.mjs", import.meta.url));
  assert.ok(existsSync(program));
  return new Promise((done) => {
    const child = execFile(
      process.execPath,
      [program, ...args, "--url", world.service.url],
      { env: { ...process.env, SUITE_API_KEY: TEST_KEY, XDG_CONFIG_HOME: world.folder, ...env } },
      (_error, stdout, stderr) => {
        world.answers.push(stdout, stderr);
        done();
      },
    );
    child.stdin?.end(input);
  });
}
