import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { JsonObject } from "../../src/kernel/json.ts";
import { runToApproval } from "../support/service.ts";
import { holds, startWorld, type Caller, type World } from "./callers.ts";

/*
 * Private records × callers who may not see them: the answer for a record that exists is the answer for one that does
 * not, byte for byte but for the id that was asked for.
 */

const SECRET = "private-content-5b1d";

let world: World;
const ids: Record<string, string> = {};

before(async () => {
  world = await startWorld();
  const { service } = world;
  const call = async (name: string, args: unknown) => {
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
const DOORS: Readonly<Record<string, readonly ((id: string) => Request)[]>> = {
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

async function answer({ path, body }: Request, caller: Caller): Promise<{ status: number; text: string }> {
  const response = await world.service.fetch(path, {
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...caller.headers },
  });
  return { status: response.status, text: await response.text() };
}

describe("private records × an anonymous caller", () => {
  for (const [kind, doors] of Object.entries(DOORS)) {
    it(`a private ${kind} answers like one that does not exist, through ${doors.length} doors`, async () => {
      const [anonymous] = world.callers;
      assert.ok(anonymous?.kind === "none");
      const id = ids[kind] ?? "";
      const missing = missingLike(id);
      for (const door of doors) {
        const there = await answer(door(id), anonymous);
        const gone = await answer(door(missing), anonymous);
        const where = JSON.stringify(door(id));
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

describe("private records × keys without read-private", () => {
  it("no key without the scope gets the content of a private artifact", async () => {
    for (const caller of world.callers) {
      if (holds(caller, "read-private")) continue;
      for (const door of DOORS["artifact"] ?? []) {
        const { text } = await answer(door(ids["artifact"] ?? ""), caller);
        assert.ok(!text.includes(SECRET), caller.name);
      }
    }
  });

  it("such a key learns that a private artifact is there and how it is kept, and nothing of what it holds", async () => {
    const shown = [
      "createdAt",
      "id",
      "privacy",
      "redacted",
      "schemaVersion",
      "storage",
      "updatedAt",
      "version",
    ];
    let keys = 0;
    for (const caller of world.callers) {
      if (caller.kind !== "key" || holds(caller, "read-private")) continue;
      const { text } = await answer(tool("get_artifact", { id: ids["artifact"] ?? "" }), caller);
      const { artifact } = JSON.parse(text).result.structuredContent.data;
      assert.deepEqual(
        Object.keys(artifact).toSorted((a, b) => a.localeCompare(b)),
        shown,
        caller.name,
      );
      keys += 1;
    }
    assert.ok(keys >= 4, `${keys} keys`);
  });
});
