import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { OperationName } from "../../packages/client/client.ts";
import type { JsonObject } from "../../src/kernel/json.ts";
import type { Scope } from "../../src/ports/caller.ts";
import { testPacket } from "../siblings/packets.ts";
import { textAt } from "../support/json.ts";
import { runToApproval } from "../support/service.ts";
import { holds, startWorld, type Caller, type World } from "./callers.ts";

/*
 * Private records × callers who may not see them: the answer for a record that exists is the answer for one that does
 * not, byte for byte but for the id that was asked for.
 * Long on purpose: all kinds of records and callers share one service and its records.
 */

const SECRET = "private-content-5b1d";

let world: World;
const ids: Record<string, string> = {};

before(async () => {
  world = await startWorld();
  const { service } = world;
  const call = async <N extends OperationName>(name: N, args: unknown) => {
    const { envelope, text } = await service.call(name, args, { key: true });
    assert.equal(envelope?.ok, true, `${name}: ${text}`);
    return envelope.data;
  };
  const made = await call("create_workflow", {
    name: `Private ${SECRET}`,
    nodes: [{ id: "ask", type: "approval", approval: { title: SECRET, show: SECRET } }],
    edges: [],
  });
  ids["workflow"] = made.workflow.id;
  const run = await runToApproval(service, made.workflow.id);
  ids["run"] = run.id;
  ids["trace"] = run.traceId;
  ids["approval"] = run.approvals[0].id;
  const artifact = { title: SECRET, privacy: "confidential", content: SECRET };
  ids["artifact"] = (await call("save_artifact", { artifact })).artifact.id;
  ids["deleted artifact"] = (await call("save_artifact", { artifact })).artifact.id;
  await call("delete_artifact", { id: ids["deleted artifact"] });
});
after(() => world.close());

/** An id of the same shape under which nothing is kept. */
function missingLike(id: string): string {
  const end = id.slice(-6).replaceAll(/./g, (char) => (char === "0" ? "1" : "0"));
  return `${id.slice(0, -6)}${end}`;
}

/** What each kind of record can be asked for with. */
const REQUESTS: Readonly<Record<string, readonly ((id: string) => Request)[]>> = {
  workflow: [
    (id) => tool("get_workflow", { id }),
    (id) => tool("validate_workflow", { id }),
    (id) => tool("plan_workflow", { id }),
    (id) => tool("dry_run_workflow", { id }),
    (id) =>
      tool("validate_workflow", {
        nodes: [{ id: "sub", type: "subworkflow", subworkflow: { workflowId: id } }],
        edges: [],
      }),
    (id) => resource(`svc://workflow/${id}`),
    (id) => get(`/api/svc/workflows/${id}/export`),
    (id) => get(`/api/svc/workflows/${id}/versions`),
    (id) => get(`/api/svc/workflows/${id}/versions/1`),
    (id) => get(`/api/svc/workflows/${id}/diff?from=1&to=1`),
    (id) => get(`/api/svc/runs?workflowId=${id}`),
    (id) => tool("lookup_svc_provenance", { workflowId: id }),
  ],
  run: [
    (id) => tool("get_workflow_run", { id }),
    (id) => resource(`svc://run/${id}`),
    (id) => get(`/api/svc/runs/${id}`),
    (id) => get(`/api/svc/approvals?runId=${id}`),
    (id) => tool("lookup_svc_provenance", { runId: id }),
  ],
  trace: [(id) => get(`/api/svc/traces/${id}`)],
  approval: [(id) => get(`/api/svc/approvals/${id}`)],
  artifact: [
    (id) => tool("get_artifact", { id }),
    (id) => resource(`svc://artifact/${id}`),
    (id) => tool("lookup_svc_provenance", { artifactId: id }),
  ],
  "deleted artifact": [
    (id) => tool("get_artifact", { id }),
    (id) => resource(`svc://artifact/${id}`),
    (id) => tool("lookup_svc_provenance", { artifactId: id }),
  ],
};

interface Request {
  readonly path: string;
  readonly method?: string;
  readonly body?: JsonObject;
}

function tool(name: string, args: JsonObject): Request {
  return rpc("tools/call", { name, arguments: args });
}

function resource(uri: string): Request {
  return rpc("resources/read", { uri });
}

function rpc(method: string, params: JsonObject): Request {
  return { path: "/api/mcp", body: { jsonrpc: "2.0", id: 1, method, params } };
}

function get(path: string): Request {
  return { path };
}

async function answer(
  { path, body, method = body === undefined ? "GET" : "POST" }: Request,
  caller: Caller,
): Promise<{ status: number; text: string }> {
  const response = await world.service.fetch(path, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...caller.headers },
  });
  return { status: response.status, text: await response.text() };
}

describe("private records × an anonymous caller", () => {
  for (const [kind, requests] of Object.entries(REQUESTS)) {
    it(`a private ${kind} answers like one that does not exist, through ${requests.length} requests`, async () => {
      const [anonymous] = world.callers;
      assert.ok(anonymous?.kind === "none");
      const id = ids[kind] ?? "";
      const missing = missingLike(id);
      for (const request of requests) {
        const there = await answer(request(id), anonymous);
        const gone = await answer(request(missing), anonymous);
        const where = JSON.stringify(request(id));
        assert.equal(there.status, gone.status, where);
        assert.equal(there.text.replaceAll(id, "ID"), gone.text.replaceAll(missing, "ID"), where);
        assert.ok(!there.text.includes(SECRET), where);
      }
    });
  }

  it("appears in no list and in no event", async () => {
    const [anonymous] = world.callers;
    assert.ok(anonymous !== undefined);
    for (const request of [
      ...["list_workflows", "list_artifacts", "list_approvals", "list_templates", "list_rendered_forms"].map(
        (name) => tool(name, {}),
      ),
      ...world.service.app.services.catalog.resources
        .filter(({ uri }) => !uri.includes("{id}"))
        .map(({ uri }) => resource(uri)),
      get("/api/svc/runs"),
      get("/api/svc/approvals"),
    ]) {
      const { text } = await answer(request, anonymous);
      for (const id of Object.values(ids)) assert.ok(!text.includes(id), `${JSON.stringify(request)} ${id}`);
      assert.ok(!text.includes(SECRET), JSON.stringify(request));
    }
    const events = await world.service.app.services.store.read.events.after(0, 1_000);
    const shown = events.filter(({ publicData }) => publicData !== null);
    const text = JSON.stringify(shown.map(({ subject, publicData }) => ({ subject, publicData })));
    for (const id of Object.values(ids)) assert.ok(!text.includes(id), `${id} in ${text}`);
  });
});

/** Where each kind of record is named by the arguments of tools. */
const NAMED_BY: Readonly<Record<string, readonly string[]>> = {
  workflow: ["id", "workflowId"],
  run: ["id", "runId"],
  approval: ["id"],
};

/** Every tool and every route that takes an id, read from the registry and the route table. */
function everyRequest(kind: string): readonly ((id: string) => Request)[] {
  const { catalog, site } = world.service.app.services;
  const names = NAMED_BY[kind] ?? [];
  const tools = catalog.tools.flatMap(({ name, input }) =>
    names
      .filter((argument) => Object.hasOwn(input.properties, argument))
      .map((argument) => (id: string) => tool(name, { [argument]: id, ...EXTRA[name] })),
  );
  const root = `/api/svc/${kind}s/{id}`;
  const routes = site.routes.flatMap(({ method, path }) =>
    path === root || path.startsWith(`${root}/`)
      ? [(id: string) => ({ method, path: filled(path, id), ...(method === "POST" && { body: {} }) })]
      : [],
  );
  const resources = catalog.resources
    .filter(({ uri }) => uri === `svc://${kind}/{id}`)
    .map(
      ({ uri }) =>
        (id: string) =>
          resource(uri.replace("{id}", id)),
    );
  return [...tools, ...routes, ...resources];
}

function filled(path: string, id: string): string {
  return path.replace("{id}", id).replaceAll(/\{[^}]+\}/g, "1");
}

/** Other arguments that a tool needs before it looks at the id. */
const EXTRA: Readonly<Record<string, JsonObject>> = {
  update_workflow: { name: "Renamed" },
  reject_step: { reason: "no" },
};

describe("private records × every tool, route and resource with an id × keys without read-private", () => {
  for (const kind of Object.keys(NAMED_BY)) {
    it(`a private ${kind} answers like one that does not exist`, async () => {
      const requests = everyRequest(kind);
      assert.ok(requests.length >= 8, `${requests.length}`);
      const id = ids[kind] ?? "";
      const missing = missingLike(id);
      let compared = 0;
      for (const caller of world.callers) {
        if (caller.kind === "refused" || caller.kind === "person" || holds(caller, "read-private")) continue;
        // Who may decide an approval sees what is decided.
        if (kind === "approval" && holds(caller, "approve")) continue;
        for (const request of requests) {
          const there = await answer(request(id), caller);
          const gone = await answer(request(missing), caller);
          const where = `${caller.name}: ${JSON.stringify(request(id))} ${there.text}`;
          assert.equal(there.status, gone.status, where);
          assert.equal(hidden(there.text, id), hidden(gone.text, missing), where);
          assert.ok(!there.text.includes(SECRET), where);
          compared += 1;
        }
      }
      assert.ok(compared > 50, `${compared} answers`);
    });
  }

  it("who may decide sees what is decided and changes nothing else", async () => {
    for (const caller of world.callers.filter(
      (one) => one.kind === "key" && one.scopes.includes("approve"),
    )) {
      const { status, text } = await answer(get(`/api/svc/approvals/${ids["approval"]}`), caller);
      assert.equal(status, 200);
      assert.ok(text.includes(SECRET));
    }
  });

  it("left everything as it was", async () => {
    const { envelope } = await world.service.call("get_workflow", { id: ids["workflow"] }, { key: true });
    assert.equal(envelope.data.workflow.name, `Private ${SECRET}`);
    const run = await world.service.call("get_workflow_run", { id: ids["run"] }, { key: true });
    assert.equal(run.envelope.data.run.status, "waiting");
  });

  it("a key sees the values of its own run, and no other key does", async () => {
    const { keyring } = world.service.app;
    const { token } = await keyring.create({ name: "own", scopes: ["write", "run"], expiresAt: null });
    const own: Caller = {
      name: "own",
      headers: { authorization: `Bearer ${token}` },
      kind: "key",
      scopes: [],
    };
    const made = await answer(
      tool("create_workflow", {
        name: "Own",
        nodes: [{ id: "make", type: "transform", value: { note: SECRET } }],
        edges: [],
      }),
      own,
    );
    const { id } = JSON.parse(made.text).result.structuredContent.data.workflow;
    const ran = await answer(tool("run_workflow", { id }), own);
    const { run } = JSON.parse(ran.text).result.structuredContent.data;
    assert.ok((await answer(get(`/api/svc/runs/${run.id}`), own)).text.includes(SECRET));
    const listed = JSON.parse((await answer(get("/api/svc/runs"), own)).text).data.runs;
    assert.deepEqual(
      listed.map((item: { id: string }) => item.id),
      [run.id],
    );
    for (const caller of world.callers.filter(({ kind }) => kind === "key")) {
      if (holds(caller, "read-private")) continue;
      assert.equal((await answer(get(`/api/svc/runs/${run.id}`), caller)).status, 404, caller.name);
      assert.equal((await answer(get(`/api/svc/runs/${run.id}/document`), caller)).status, 404, caller.name);
    }
  });
});

describe("public workflows × strangers", () => {
  const HIDDEN = "canary-5b1d";
  const call = async <N extends OperationName>(name: N, args: unknown) => {
    const { envelope, text } = await world.service.call(name, args, { key: true });
    assert.equal(envelope?.ok, true, `${name}: ${text}`);
    return envelope.data;
  };
  const rest = async (method: string, path: string, body?: unknown) => {
    const response = await world.service.fetch(path, {
      method,
      headers: { "content-type": "application/json", authorization: `Bearer ${world.service.key}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, data: JSON.parse(await response.text()).data };
  };
  const draft = {
    name: "Shown to strangers",
    description: "What it is for",
    nodes: [
      {
        id: "make",
        type: "tool",
        title: "Make a note",
        description: `${HIDDEN} note`,
        tool: "create_local_artifact",
        with: { title: `${HIDDEN} literal` },
      },
      {
        id: "ask",
        type: "approval",
        approval: {
          title: `${HIDDEN} question`,
          show: { fixed: HIDDEN },
          approvers: [`person:${HIDDEN}@example.com`, "role:admin"],
        },
      },
      { id: "after", type: "transform", if: `'${HIDDEN}' != ''`, value: { fixed: HIDDEN } },
    ],
    edges: [
      { from: "make", to: "ask" },
      { from: "ask", to: "after", port: "approved" },
    ],
  };
  const inputs = {
    type: "object",
    properties: { size: { type: "string", default: HIDDEN, examples: [HIDDEN], $comment: HIDDEN } },
  };

  it("publishing keeps a workflow private; made public, nobody sees people, fixed values, notes or run values", async () => {
    const [anonymous] = world.callers;
    assert.ok(anonymous?.kind === "none");
    const made = await world.service.call("create_workflow", draft, {
      key: true,
      meta: { "svc/document": { inputs, outputs: { note: HIDDEN } } },
    });
    const { id } = made.envelope.data.workflow;
    const path = `/api/svc/workflows/${id}`;
    assert.equal((await rest("POST", `${path}/publish`)).data.workflow.visibility, "private");
    assert.equal((await answer(tool("get_workflow", { id }), anonymous)).text.includes("not_found"), true);
    const { strangersSee, secrets } = (await rest("GET", `${path}/visibility`)).data;
    assert.deepEqual(secrets, []);
    const opened = await rest("PATCH", `${path}/visibility`, { visibility: "public" });
    assert.equal(opened.data.workflow.visibility, "public");
    const seen = JSON.parse((await answer(tool("get_workflow", { id }), anonymous)).text);
    const { workflow } = seen.result.structuredContent.data;
    assert.deepEqual({ ...workflow, updatedAt: "" }, { ...strangersSee, updatedAt: "" });
    assert.deepEqual(
      workflow.document.nodes.map((node: { title?: string }) => node.title),
      ["Make a note", undefined, undefined],
    );
    assert.deepEqual(workflow.document.inputs, { type: "object", properties: { size: { type: "string" } } });
    const run = await runToApproval(world.service, id);
    // What is changed afterwards is a draft: nobody else sees its texts, and what ran keeps the name that it had.
    const texts = { name: `${HIDDEN} name`, description: HIDDEN, tags: [HIDDEN] };
    const retitled = draft.nodes.map((node) => ({ ...node, title: `${HIDDEN} title` }));
    assert.equal(
      (await call("update_workflow", { id, ...texts, nodes: retitled })).workflow.hasNewTexts,
      true,
    );
    assert.equal((await rest("GET", `/api/svc/runs/${run.id}`)).data.run.workflowName, draft.name);
    const admin = (await call("list_workflows", {})).workflows.find((item) => item.id === id);
    assert.ok(admin?.digest !== undefined && admin.createdBy !== undefined);
    const requests = [
      ...everyRequest("workflow").map((request) => request(id)),
      ...everyRequest("run").map((request) => request(run.id)),
      ...everyRequest("approval").map((request) => request(run.approvals[0].id)),
      ...["json", "yaml", "mermaid", "serverless"].map((format) => get(`${path}/export?format=${format}`)),
      ...["prompts/get"].flatMap((method) =>
        world.service.app.services.catalog.prompts
          .filter(({ arguments: wanted }) => wanted.some(({ name }) => name === "workflowId"))
          .map(({ name }) => rpc(method, { name, arguments: { workflowId: id } })),
      ),
      get(`${path}/diff?from=1&to=1`),
      get(`/api/svc/traces/${run.traceId}`),
      get("/api/svc/events?after=0&limit=1"),
      tool("list_workflows", {}),
      tool("list_approvals", {}),
      tool("list_svc_fingerprints", {}),
      tool("lookup_svc_provenance", { workflowId: id }),
      tool("lookup_svc_provenance", { runId: run.id }),
    ].filter(({ path: asked }) => !asked.startsWith("/api/svc/events"));
    let shown = 0;
    for (const request of requests) {
      const { text, status } = await answer(request, anonymous);
      const where = `${JSON.stringify(request)} ${text}`;
      assert.ok(!text.includes(HIDDEN), where);
      for (const person of [`"${admin.createdBy}"`, '"publishedBy"', '"startedBy"'])
        assert.ok(!text.replaceAll("\\\\", "").replaceAll('\\"', '"').includes(person), where);
      assert.ok(!text.includes(admin.digest), where);
      if (status === 200 && !text.includes('"error"')) shown += 1;
    }
    assert.ok(shown > 20, `${shown} answers`);
    const events = await world.service.app.services.store.read.events.after(0, 1_000);
    const hidden = JSON.stringify(events.map(({ publicData }) => publicData));
    assert.ok(!hidden.includes(HIDDEN) && !hidden.includes(`"${admin.createdBy}"`), hidden);
    const last = events.at(-1)?.sequence ?? 0;
    await rest("PATCH", `${path}/visibility`, { visibility: "private" });
    assert.equal((await answer(get(`/api/svc/runs/${run.id}`), anonymous)).status, 404);
    // From now on the run emits no public events.
    await call("cancel_workflow_run", { id: run.id });
    await world.service.app.services.engine.waitFor(run.id, 120_000);
    const later = await world.service.app.services.store.read.events.after(last, 1_000);
    const ofRun = later.filter(({ subject }) => subject === run.id);
    assert.ok(ofRun.some(({ type }) => type === "svc.run.cancelled"));
    assert.deepEqual(
      ofRun.filter(({ publicData }) => publicData !== null),
      [],
    );
  });

  it("what looks like a credential keeps a workflow from being public, by every way", async () => {
    const secret = `sk-${"a1B2".repeat(8)}`;
    const { workflow } = await call("create_workflow", {
      name: "Titles",
      description: `Uses ${secret}`,
      nodes: [{ id: "make", type: "transform", value: 1 }],
      edges: [],
    });
    const path = `/api/svc/workflows/${workflow.id}`;
    assert.equal((await rest("POST", `${path}/publish`)).status, 200);
    assert.deepEqual((await rest("GET", `${path}/visibility`)).data.secrets, ["/description"]);
    const password = "hunter2hunter2";
    for (const value of [
      "sk_live_abcdefghij0123456789",
      { passwords: [password] },
      { headers: [{ name: "Authorization", value: password }] },
      { payload: JSON.stringify({ password }) },
      `password=${password}`,
    ]) {
      const nodes = [{ id: "make", type: "transform", value: { $literal: value } }];
      const made = await call("create_workflow", { name: "Literal", nodes, edges: [] });
      const publishing = world.service.call("publish_workflow", { id: made.workflow.id }, { key: true });
      assert.equal((await publishing).envelope.ok, false, JSON.stringify(value));
    }
    const refused = await rest("PATCH", `${path}/visibility`, { visibility: "public" });
    assert.equal(refused.status, 400);
    assert.equal(refused.data.error.problems[0].pointer, "/description");
    for (const [name, more] of [
      ["publish_workflow", {}],
      ["update_workflow", { visibility: "public" }],
    ] as const) {
      const { envelope } = await world.service.call(name, { id: workflow.id, ...more }, { key: true });
      assert.equal(envelope.data.error.problems[0]?.code, "secret_literal", name);
    }
  });
});

describe("records × callers who claim a run", () => {
  it("no request puts its records under a run", async () => {
    for (const member of ["svc/runId", "svc/stepId"]) {
      const { json } = await world.service.call(
        "get_health",
        {},
        { key: true, meta: { [member]: ids["run"] } },
      );
      assert.match(textAt(json, "error", "message"), /is set by runs only/);
    }
  });
});

describe("rendered forms × callers", () => {
  it("a form of a person is not read without a credential; one's own stays readable", async () => {
    const [anonymous] = world.callers;
    const person = world.callers.find(({ kind }) => kind === "person");
    assert.ok(anonymous !== undefined && person !== undefined);
    const schema = (title: string) => ({
      type: "object",
      title,
      properties: { [SECRET]: { type: "string" } },
    });
    const render = async (title: string, caller: Caller): Promise<string> => {
      const { text } = await answer(tool("render_json_schema_form", { schema: schema(title) }), caller);
      return JSON.parse(text).result.structuredContent.data.formId;
    };
    const read = async (id: string, caller: Caller): Promise<boolean> => {
      const found = await answer(tool("get_rendered_form", { id }), caller);
      const resourced = await answer(resource(`svc://rendered-form/${id}`), caller);
      assert.equal(found.text.includes(SECRET), resourced.text.includes(SECRET));
      return found.text.includes(SECRET);
    };
    const id = await render("private", person);
    assert.deepEqual([await read(id, person), await read(id, anonymous)], [true, false]);
    const guests = await render("of a guest", anonymous);
    assert.equal(await read(guests, anonymous), true);
    await render("of a guest", person);
    assert.equal(await read(guests, anonymous), true, "who rendered it has its input");
    const events = await world.service.app.services.store.read.events.after(0, 1_000);
    const ofForm = events.filter(({ subject }) => subject === id);
    assert.deepEqual(
      ofForm.map(({ publicData }) => publicData),
      [null],
    );
  });
});

/** An answer without the id that was asked for. */
function hidden(text: string, id: string): string {
  // The guard asks a person about each call of an agent, in a run of its own.
  return text.includes("approval_required")
    ? text.replaceAll(id, "ID").replaceAll(/\b(run|approval)_[0-9a-z]{26}/g, "$1")
    : text.replaceAll(id, "ID");
}

describe("private records × keys without read-private", () => {
  it("no key without the scope gets the content of a private artifact", async () => {
    for (const caller of world.callers) {
      if (holds(caller, "read-private")) continue;
      for (const request of REQUESTS["artifact"] ?? []) {
        const { text } = await answer(request(ids["artifact"] ?? ""), caller);
        assert.ok(!text.includes(SECRET), caller.name);
      }
    }
  });

  const keyWith = async (...scopes: Scope[]): Promise<Caller> => {
    const { token } = await world.service.app.keyring.create({ name: "own", scopes, expiresAt: null });
    return { name: "own", headers: { authorization: `Bearer ${token}` }, kind: "key", scopes };
  };
  const dataOf = (text: string) => JSON.parse(text).result.structuredContent.data;

  it("a key reads and changes the artifacts that it saved; those of others do not exist for it", async () => {
    const own = await keyWith("write", "handoff");
    const made = await answer(tool("save_artifact", { artifact: { title: "Own", content: SECRET } }), own);
    const { id } = dataOf(made.text).artifact;
    const requests = (one: string): readonly Request[] => [
      tool("get_artifact", { id: one }),
      resource(`svc://artifact/${one}`),
      tool("update_artifact", { id: one, artifact: { title: "Changed" } }),
      tool("publish_artifact", { artifactId: one }),
      tool("delete_artifact", { id: one }),
    ];
    const other = await keyWith("write", "handoff");
    const missing = missingLike(id);
    for (const [nth, request] of requests(id).entries()) {
      const gone = await answer(requests(missing)[nth] ?? request, other);
      assert.equal(hidden((await answer(request, other)).text, id), hidden(gone.text, missing));
    }
    const listed = async (caller: Caller): Promise<string> =>
      (await answer(tool("list_artifacts", {}), caller)).text;
    assert.deepEqual([(await listed(own)).includes(id), (await listed(other)).includes(id)], [true, false]);
    for (const request of requests(id).slice(0, 3))
      assert.match((await answer(request, own)).text, /Own|Changed/);
    const shared = await answer(
      tool("update_artifact", { id, artifact: { title: "Shared", privacy: "public" } }),
      own,
    );
    assert.equal(dataOf(shared.text).artifact.version, 3);
    assert.match((await answer(tool("get_artifact", { id }), other)).text, /Shared/);
    const refused = await answer(tool("delete_artifact", { id }), other);
    assert.match(refused.text, /changing the artifact of another caller/);
    const earlier = rpc("tools/call", {
      name: "get_artifact",
      arguments: { id },
      _meta: { "svc/version": 1 },
    });
    assert.match((await answer(earlier, other)).text, /has no version 1/);
  });

  it("a key with handoff sees the handoffs that it sent in, and nobody else's", async () => {
    const own = await keyWith("handoff", "run");
    const id = "delegation_svc_5b1d5b1d5b1d5b1d";
    const body = JSON.parse(JSON.stringify(testPacket({ id, intent: SECRET })));
    const sent = await answer({ path: "/api/svc/receive-handoff", body }, own);
    assert.equal(sent.status, 202, sent.text);
    const other = await keyWith("handoff", "run");
    const path = `/api/svc/handoffs/${id}`;
    const seen = async (caller: Caller) => [
      (await answer(get(path), caller)).status,
      (await answer(get("/api/svc/handoffs"), caller)).text.includes(id),
      (await answer(resource("svc://delegations"), caller)).text.includes(id),
      (
        await answer({ path: `${path}/run`, body: { workflowId: ids["workflow"] ?? "" } }, caller)
      ).text.includes("No handoff with this id"),
    ];
    assert.deepEqual(await seen(own), [200, true, true, false]);
    assert.deepEqual(await seen(other), [404, false, false, true]);
  });

  it("a key with run starts public workflows and its own; a private one of another does not exist for it", async () => {
    const { service } = world;
    const nodes = [{ id: "make", type: "transform", value: 1 }];
    const { envelope } = await service.call(
      "create_workflow",
      { name: "Runs", nodes, edges: [] },
      { key: true },
    );
    const { id } = envelope.data.workflow;
    const publish = `/api/svc/workflows/${id}/publish`;
    const admin = {
      name: "",
      headers: { authorization: `Bearer ${service.key}` },
      kind: "key",
      scopes: [],
    } as const;
    assert.equal((await answer({ path: publish, body: {} }, admin)).status, 200);
    const runner = await keyWith("run");
    const start = (caller: Caller) => answer(tool("run_workflow", { id }), caller);
    assert.match((await start(runner)).text, /not_found/);
    assert.ok(dataOf((await start(await keyWith("run", "read-private"))).text).run.id);
    await service.call("publish_workflow", { id }, { key: true });
    assert.ok(dataOf((await start(runner)).text).run.id);
  });
});
