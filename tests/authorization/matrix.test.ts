import assert from "node:assert/strict";
import { after, before, describe, it, type TestContext } from "node:test";
import { EVENT_TYPES } from "../../src/events/catalogue.ts";
import { seesAll } from "../../src/events/cloud-event.ts";
import { isObject, type JsonObject } from "../../src/kernel/json.ts";
import type { Tool } from "../../src/ports/operations.ts";
import { routeOfOperation, scopesFor } from "../../src/ports/operations.ts";
import { operations } from "../../src/registry.ts";
import { at, foundAt } from "../support/json.ts";
import { MISSING, rpc, statusOf } from "./asking.ts";
import { holds, startWorld, type Caller, type World } from "./callers.ts";

/*
 * Every tool, route, resource, prompt and event type × every kind of caller. What is asked comes from the registry, the
 * route table and the event catalogue, so that nothing new can be left out.
 */

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.close());

/** Arguments that satisfy the schema as far as required members go. */
function minimal(tool: Tool): JsonObject {
  const required = tool.input.required ?? [];
  return Object.fromEntries(
    required.map((name) => {
      const schema: unknown = tool.input.properties[name];
      const type = isObject(schema) ? schema["type"] : "string";
      return [name, type === "object" ? { title: "Sample" } : type === "array" ? [] : "sample"];
    }),
  );
}

const REFUSAL = {
  code: "unauthorized",
  message: "A valid API key is required.",
  nextAction: "Send the key as Authorization: Bearer <key> or X-Suite-API-Key: <key>.",
};

const SESSION_REFUSAL = {
  code: "unauthorized",
  message: "The session has ended.",
  nextAction: "Sign in again at /sign-in.",
};

const refusalOf = (caller: Caller) => (caller.headers["cookie"] === undefined ? REFUSAL : SESSION_REFUSAL);

/** The size of a part of the matrix, for docs/security.md. */
function measured(t: TestContext, what: string, count: number, callers: number): void {
  t.diagnostic(`measured: ${count} ${what} × ${callers} callers`);
}

describe("tools × callers", () => {
  it("serve who may, refuse the others, with one answer for each reason", async (t) => {
    const { tools } = world.service.app.services.catalog;
    assert.equal(tools.length, 91);
    for (const tool of tools) {
      for (const caller of world.callers) {
        const where = `${tool.name} × ${caller.name}`;
        const { status, headers, json } = await rpc(
          world,
          "tools/call",
          { name: tool.name, arguments: minimal(tool) },
          caller,
        );
        const { access } = tool;
        if (caller.kind === "refused" || (caller.kind === "none" && access !== "public")) {
          assert.deepEqual([status, foundAt(json, "error", "code")], [401, -32001], where);
          assert.deepEqual(at(json, "error", "data"), refusalOf(caller), where);
          assert.ok(headers.get("www-authenticate")?.startsWith("Bearer"), where);
        } else if (access === "public" || (caller.kind !== "none" && holds(caller, access))) {
          assert.deepEqual([status, at(json, "error")], [200, undefined], where);
        } else {
          assert.deepEqual([status, foundAt(json, "error", "code")], [403, -32003], where);
          assert.equal(at(json, "error", "data", "scope"), access, where);
        }
      }
    }
    measured(t, "tools", tools.length, world.callers.length);
  });
});

describe("resources and prompts × callers", () => {
  it("are public, and a key that does not count is refused all the same", async (t) => {
    const { resources, prompts } = world.service.app.services.catalog;
    const requests = [
      ...resources.map(({ uri }) => ["resources/read", { uri: uri.replace("{id}", MISSING) }] as const),
      ...prompts.map(
        ({ name, arguments: wanted }) =>
          [
            "prompts/get",
            { name, arguments: Object.fromEntries(wanted.map((argument) => [argument.name, "sample"])) },
          ] as const,
      ),
    ];
    assert.equal(requests.length, 29 + 29);
    // Scopes decide nothing here: one caller of each kind, and every one that is refused.
    const kinds = Map.groupBy(world.callers, ({ kind }) => kind);
    const asking = [...kinds].flatMap(([kind, callers]) =>
      kind === "refused" ? callers : callers.slice(0, 1),
    );
    for (const [method, params] of requests) {
      for (const caller of asking) {
        const where = `${method} ${JSON.stringify(params)} × ${caller.name}`;
        const { status, json } = await rpc(world, method, params, caller);
        if (caller.kind === "refused") {
          assert.deepEqual([status, foundAt(json, "error", "data")], [401, refusalOf(caller)], where);
        } else {
          assert.equal(status, 200, `${where} ${JSON.stringify(json)}`);
          const error = at(json, "error");
          assert.ok(error === undefined || at(error, "data", "code") === "not_found", where);
        }
      }
    }
    measured(t, "resources and prompts", requests.length, asking.length);
  });
});

describe("operations × callers", () => {
  it("answer by the declared access: 401 without a key, 403 without the scope, anything else to who may", async (t) => {
    // JSON-RPC answers in its own way; tools × callers covers it.
    const asked = operations.filter(({ name }) => name !== "call_gateway");
    measured(t, "operations", asked.length, world.callers.length);
    for (const operation of asked) {
      const { method, path } = routeOfOperation(operation);
      const { access } = operation;
      const { all, any } = scopesFor(access);
      for (const caller of world.callers) {
        const status = await statusOf(world, method, path.replaceAll(/\{[^}]+\}/g, MISSING), caller);
        const where = `${operation.name} × ${caller.name}: ${status}`;
        if (caller.kind === "refused") assert.ok(status === 401 || access === "public", where);
        else if (caller.kind === "none")
          assert.equal(status === 401, access !== "public" && access !== "mixed", where);
        else if (access === "person") assert.equal(status === 403, caller.kind !== "person", where);
        else if (all.length + any.length > 0) {
          const may =
            all.every((scope) => holds(caller, scope)) &&
            (any.length === 0 || any.some((scope) => holds(caller, scope)));
          assert.equal(status === 403, !may, where);
        } else assert.ok(status !== 401 && status !== 403, where);
      }
    }
  });
});

describe("routes × callers", () => {
  it("those with a key refuse everybody else, and every one is served to an admin", async (t) => {
    const { routes } = world.service.app.services.site;
    const asked = routes.filter(({ path, method }) => !(path === "/api/mcp" && method === "POST"));
    assert.ok(asked.length > 40);
    measured(t, "routes", asked.length, world.callers.length);
    for (const route of asked) {
      const path = route.path.replaceAll(/\{[^}]+\}/g, MISSING);
      const seen = new Map<string, number>();
      for (const caller of world.callers)
        seen.set(caller.name, await statusOf(world, route.method, path, caller));
      const where = `${route.method} ${route.path} ${JSON.stringify(Object.fromEntries(seen))}`;
      const anonymous = seen.get("none");
      const isPersonal = route.access === "person";
      // A key has no account: what is a person's own is served to people only, and to every one of them.
      for (const { name } of world.callers.filter(({ kind, scopes }) =>
        isPersonal ? kind === "person" : kind !== "token" && scopes.includes("admin"),
      )) {
        const status = seen.get(name) ?? 0;
        assert.ok(status !== 401 && status !== 403, `${name}: ${where}`);
      }
      if (route.access === "key" || isPersonal) assert.equal(anonymous, 401, where);
      if (route.access === "public") assert.ok(anonymous !== 401 && anonymous !== 403, where);
      for (const { name, kind } of world.callers) {
        const status = seen.get(name);
        if (isPersonal && (kind === "key" || kind === "token"))
          assert.equal(status, 403, `${name}: ${where}`);
        // Documents for everybody do not ask who reads them; nothing else may be served to a key that does not count.
        if (kind === "refused")
          assert.ok(
            status === 401 || (route.access === "public" && status === anonymous),
            `${name}: ${where}`,
          );
        else if (kind !== "none") assert.notEqual(status, 401, `${name}: ${where}`);
        // A key never gets less than no key.
        if (kind !== "refused" && anonymous !== 401) assert.notEqual(status, 403, `${name}: ${where}`);
      }
    }
  });

  // What is connected, its definitions, and the toolsets are read with any valid key; changing and calling need a scope.
  const anyKey = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
    method === "GET" && /^\/api\/svc\/(network-tools|connections|toolsets)(\/|$)/.test(path);

  it("protected ones are served to no key without a scope for them", async () => {
    const { routes } = world.service.app.services.site;
    const { token } = await world.service.app.keyring.create({
      name: "no scope",
      scopes: [],
      expiresAt: null,
    });
    const caller: Caller = {
      name: "no scope",
      headers: { authorization: `Bearer ${token}` },
      kind: "key",
      scopes: [],
    };
    for (const route of routes.filter(({ access }) => access === "key")) {
      if (anyKey(route)) continue;
      const path = route.path.replaceAll(/\{[^}]+\}/g, MISSING);
      assert.equal(await statusOf(world, route.method, path, caller), 403, `${route.method} ${route.path}`);
    }
  });
});

describe("routes × roles", () => {
  it("a person is served exactly what a key with the scopes of the role is", async () => {
    const { routes } = world.service.app.services.site;
    for (const person of world.callers.filter(({ kind }) => kind === "person")) {
      const { token } = await world.service.app.keyring.create({
        name: person.name,
        scopes: person.scopes,
        expiresAt: null,
      });
      const key: Caller = { ...person, kind: "key", headers: { authorization: `Bearer ${token}` } };
      for (const route of routes.filter(({ access }) => access === "key" || access === "mixed")) {
        if (route.path === "/api/mcp") continue;
        const path = route.path.replaceAll(/\{[^}]+\}/g, MISSING);
        const where = `${route.method} ${route.path} × ${person.name}`;
        assert.equal(
          await statusOf(world, route.method, path, person),
          await statusOf(world, route.method, path, key),
          where,
        );
      }
    }
  });
});

describe("routes × tokens", () => {
  it("a token is served exactly what a key with its scopes is, but for approvals", async () => {
    const { routes } = world.service.app.services.site;
    const served = routes.filter(({ access, path }) => access !== "public" && path !== "/api/mcp");
    for (const token of world.callers.filter(({ kind }) => kind === "token")) {
      const key = world.callers.find(({ name }) => name === token.name.replace(/^(?:OAuth )?token/, "key"));
      assert.ok(key !== undefined);
      for (const route of served) {
        const path = route.path.replaceAll(/\{[^}]+\}/g, MISSING);
        const seen = await statusOf(world, route.method, path, token);
        const expected = await statusOf(world, route.method, path, key);
        const isDecision = route.path.includes("/approvals") && token.scopes.includes("admin");
        if (!(isDecision && seen === 403))
          assert.equal(seen, expected, `${route.method} ${route.path} × ${token.name}`);
      }
    }
  });
});

describe("event types × callers", () => {
  it("show private data to the scopes that may see it, and to nobody else", async (t) => {
    measured(t, "event types", EVENT_TYPES.length, world.callers.length);
    const { store } = world.service.app.services;
    const secret = "only-for-keys-7f3a";
    await store.transact((tx) =>
      tx.events.append(
        EVENT_TYPES.flatMap(({ type }) => [
          {
            type,
            subject: "hidden_1",
            traceparent: null,
            data: { id: "hidden_1", secret },
            publicData: null,
            madeIn: null,
          },
          {
            type,
            subject: "shown_1",
            traceparent: null,
            data: { secret },
            publicData: { id: "shown_1" },
            madeIn: null,
          },
        ]),
      ),
    );
    for (const caller of world.callers) {
      if (caller.kind === "refused") {
        assert.equal(await statusOf(world, "GET", "/api/svc/events?after=0", caller), 401, caller.name);
        continue;
      }
      const events = await streamed(caller, EVENT_TYPES.length);
      const scopes = new Set(caller.scopes);
      const who = { kind: caller.kind === "none" ? "anonymous" : "key", id: "x", scopes } as const;
      for (const { type } of EVENT_TYPES) {
        const ofType = events.filter((event) => event["type"] === type);
        const full = seesAll(who, type);
        const where = `${type} × ${caller.name}`;
        assert.equal(JSON.stringify(ofType).includes(secret), full, where);
        assert.equal(JSON.stringify(ofType).includes("hidden_1"), full, where);
        assert.ok(
          ofType.some((event) => event["subject"] === "shown_1"),
          where,
        );
        if (caller.kind === "none") assert.equal(full, false, where);
        if (holds(caller, "read-private")) assert.equal(full, true, where);
      }
    }
  });
});

/** Reads the stream from its beginning until the last of the shown events has come. */
async function streamed(caller: Caller, shown: number): Promise<readonly Record<string, unknown>[]> {
  const stop = AbortSignal.timeout(20_000);
  const response = await world.service.fetch("/api/svc/events?after=0", {
    headers: caller.headers,
    signal: stop,
  });
  assert.equal(response.status, 200);
  const events: Record<string, unknown>[] = [];
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const parts = text.split("\n\n");
    text = parts.pop() ?? "";
    for (const part of parts) {
      const data = /^data: (.*)$/m.exec(part)?.[1];
      const event: unknown = data === undefined ? undefined : JSON.parse(data);
      if (isObject(event)) events.push(event);
    }
    if (events.filter((event) => event["subject"] === "shown_1").length >= shown) break;
  }
  return events;
}
