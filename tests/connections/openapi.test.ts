import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isJsonRecord } from "../../src/kernel/json.ts";
import { at, objectsAt, textAt } from "../support/json.ts";
import { startService, type TestService } from "../support/service.ts";
import { json, startApiServer, type ApiServer } from "./api-server.ts";
import { rest } from "./rest.ts";

/*
 * A person's own API: added by address, operated, changed by its owner, and used wherever a tool can be used. The API
 * is a real server on this machine.
 * Long on purpose: the cases share one API server and one service.
 */

const pet = {
  type: "object",
  required: ["id", "name"],
  properties: { id: { type: "integer" }, name: { type: "string" }, tag: { type: "string" } },
};

function description(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    openapi: "3.1.0",
    info: { title: "Pets", version: "1" },
    servers: [{ url: "/v1" }],
    paths: {
      "/pets": {
        get: {
          operationId: "listPets",
          summary: "List pets",
          parameters: [
            {
              name: "tags",
              in: "query",
              style: "pipeDelimited",
              explode: false,
              schema: { type: "array", items: { type: "string" } },
            },
            {
              name: "filter",
              in: "query",
              style: "deepObject",
              explode: true,
              schema: { type: "object", properties: { age: { type: "integer" } } },
            },
          ],
          responses: {
            200: {
              description: "ok",
              content: {
                "application/json": {
                  schema: { type: "array", items: { $ref: "#/components/schemas/Pet" } },
                },
              },
            },
          },
        },
        post: {
          operationId: "createPet",
          summary: "Create a pet",
          parameters: [{ name: "Idempotency-Key", in: "header", schema: { type: "string" } }],
          requestBody: {
            required: true,
            content: { "application/json": { schema: { $ref: "#/components/schemas/NewPet" } } },
          },
          responses: {
            201: {
              description: "made",
              content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } },
            },
          },
        },
      },
      "/pets/{id}": {
        get: {
          operationId: "getPet",
          parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
          responses: {
            200: {
              description: "ok",
              content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } },
            },
          },
        },
        delete: {
          operationId: "deletePet",
          parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
          responses: { 204: { description: "gone" } },
        },
      },
      "/photo": {
        post: {
          operationId: "uploadPhoto",
          requestBody: {
            content: {
              "multipart/form-data": {
                schema: {
                  type: "object",
                  properties: { note: { type: "string" }, file: { type: "string", format: "binary" } },
                },
                encoding: { file: { contentType: "image/png" } },
              },
            },
          },
          responses: { 200: { description: "ok" } },
        },
        get: {
          operationId: "getPhoto",
          responses: { 200: { description: "ok", content: { "image/png": {} } } },
        },
      },
      "/raw": {
        put: {
          operationId: "putRaw",
          requestBody: {
            content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } },
          },
          responses: { 200: { description: "ok" } },
        },
      },
      ...changes,
    },
    components: {
      schemas: {
        Pet: pet,
        NewPet: {
          type: "object",
          required: ["name"],
          properties: { name: { type: "string" } },
          additionalProperties: false,
        },
      },
    },
  };
}

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTj2FAAAAABJRU5ErkJggg==",
  "base64",
);

describe("an API by its description", () => {
  let api: ApiServer;
  let service: TestService;
  let document = description();
  let next = 7;

  before(async () => {
    api = await startApiServer({
      "GET /openapi.json": (_request, response) => json(document)(_request, response),
      "GET /v1/pets": json([
        { id: 1, name: "Rex" },
        { id: "two", name: "Tom" },
      ]),
      "POST /v1/pets": (request, response) => {
        const { name } = JSON.parse(request.body.toString());
        if (name === "taken") return json({ message: "The name is taken.\u202e" }, 409)(request, response);
        return json({ id: next++, name }, 201, { "set-cookie": "session=secret" })(request, response);
      },
      "GET /v1/pets/7": json({ id: 7, name: "Rex" }),
      "DELETE /v1/pets/7": (_request, response) => void response.writeHead(204).end(),
      // Asks for a credential, as APIs do at their base, where the description asks for none.
      "GET /spring": json({ error: "no token" }, 401),
      "GET /spring/v3/api-docs": json({
        openapi: "3.0.3",
        info: { title: "Guarded", version: "1" },
        security: [{ key: [] }],
        components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } } },
        paths: { "/a": { get: { responses: { 200: { description: "" } } } } },
      }),
      "POST /v1/photo": json({ ok: true }),
      "GET /v1/photo": (_request, response) =>
        void response.writeHead(200, { "content-type": "image/png" }).end(PNG),
      "PUT /v1/raw": json({ ok: true }),
    });
    service = await startService();
  });
  after(async () => {
    await service.close();
    await api.close();
  });

  it("says what an address is before it is added", async () => {
    const refused = await rest(service, "POST", "/probe", { url: api.url });
    assert.equal(refused.status, 403);
    assert.match(refused.body.data.error.nextAction, /allowPrivateOrigin/);
    const found = await rest(service, "POST", "/probe", { url: api.url, allowPrivateOrigin: true });
    assert.equal(found.body.data.kind, "openapi");
    assert.equal(found.body.data.definitions, 7);
    assert.equal(found.body.data.credential, undefined);
  });

  it("is found at the usual places with GET alone, and says which credential it asks for", async () => {
    const before = api.seen.length;
    const asked = { url: `${api.url}/spring`, allowPrivateOrigin: true };
    const { data } = (await rest(service, "POST", "/probe", asked)).body;
    assert.deepEqual(
      [data.title, data.url, data.credential],
      ["Guarded", `${api.url}/spring/v3/api-docs`, { kind: "apiKey", in: "header", parameter: "X-Key" }],
    );
    assert.ok(api.seen.slice(before).every(({ method }) => method === "GET"));
  });

  it("is added, with its operations accepted", async () => {
    const refused = await rest(service, "POST", "", {
      name: "pets",
      kind: "openapi",
      url: `${api.url}/openapi.json`,
    });
    assert.equal(refused.status, 403, "a private address needs the admin's word");
    const added = await rest(service, "POST", "", {
      name: "pets",
      kind: "openapi",
      url: `${api.url}/openapi.json`,
      allowPrivateOrigin: true,
    });
    assert.equal(added.status, 201, JSON.stringify(added.body));
    const { connection, definitions } = added.body.data;
    assert.equal(connection.title, "Pets");
    assert.equal(connection.allowPrivateOrigin, new URL(api.url).host);
    assert.deepEqual(
      definitions.map(({ name, effect, state }) => [name, effect, state]),
      [
        ["createPet", "write", "active"],
        ["deletePet", "destructive", "active"],
        ["getPet", "read", "active"],
        ["getPhoto", "read", "active"],
        ["listPets", "read", "active"],
        ["putRaw", "write", "active"],
        ["uploadPhoto", "write", "active"],
      ],
    );
    const again = await rest(service, "POST", "", {
      name: "pets",
      kind: "openapi",
      url: api.url,
      allowPrivateOrigin: true,
    });
    assert.equal(again.status, 409);
  });

  it("is recognised when it is probed again", async () => {
    const asked = { url: `${api.url}/openapi.json`, allowPrivateOrigin: true };
    const probed = (await rest(service, "POST", "/probe", asked)).body.data;
    assert.deepEqual(
      probed.existing.map(({ name }) => name),
      ["pets"],
      JSON.stringify(probed),
    );
  });

  it("is called with every argument in its place", async () => {
    const answer = await rest(service, "POST", "/pets/call/listPets", {
      arguments: { query: { tags: ["a", "b"], filter: { age: 3 } } },
    });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.equal(answer.body.ok, true);
    const { status, body, problems, elapsedMs } = answer.body.data;
    assert.equal(status, 200);
    assert.deepEqual(at(body, 0), { id: 1, name: "Rex" });
    assert.equal(typeof elapsedMs, "number");
    assert.deepEqual(
      objectsAt(problems).map(({ pointer }) => pointer),
      ["/body/1/id"],
      "a deviation from the description is reported",
    );
    assert.equal(api.seen.at(-1)?.url, "/v1/pets?tags=a%7Cb&filter%5Bage%5D=3");
  });

  it("sends an idempotency key where the API has one", async () => {
    const answer = await rest(service, "POST", "/pets/call/createPet", {
      arguments: { body: { name: "Rex" } },
      idempotencyKey: "order-1",
    });
    assert.equal(answer.body.ok, true, JSON.stringify(answer.body));
    assert.equal(answer.body.data.status, 201);
    assert.equal(at(answer.body.data["headers"], "set-cookie"), undefined);
    assert.equal(api.seen.at(-1)?.headers["idempotency-key"], "order-1");
  });

  it("passes the server's own words on, marked as theirs", async () => {
    const answer = await rest(service, "POST", "/pets/call/createPet", {
      arguments: { body: { name: "taken" } },
    });
    assert.equal(answer.status, 200);
    assert.equal(answer.body.ok, false);
    assert.equal(answer.body.data.status, 409);
    const { upstream } = answer.body.data.error;
    assert.equal(upstream.from, "pets");
    assert.match(upstream.text, /The name is taken\./);
    assert.doesNotMatch(upstream.text, /\u202e/);
  });

  it("refuses arguments that do not fit, with every problem", async () => {
    const before = api.seen.length;
    const answer = await rest(service, "POST", "/pets/call/createPet", { arguments: { body: { nam: "x" } } });
    assert.equal(answer.status, 400);
    assert.equal(answer.body.data.error.code, "invalid_arguments");
    const pointers = answer.body.data.error.problems.map(({ pointer }) => pointer);
    assert.deepEqual(pointers.toSorted(), ["/body/nam", "/body/name"]);
    const dots = await rest(service, "POST", "/pets/call/getPet", { arguments: { path: { id: ".." } } });
    assert.equal(dots.status, 400);
    assert.equal(api.seen.length, before, "nothing was sent");
  });

  it("uploads files and keeps what is no text as an artifact", async () => {
    await rest(service, "POST", "/pets/call/uploadPhoto", {
      arguments: { body: { note: "a note", file: PNG.toString("base64") } },
    });
    const sent = api.seen.at(-1);
    assert.match(String(sent?.headers["content-type"]), /^multipart\/form-data; boundary=/);
    assert.ok(sent?.body.includes(PNG));
    assert.match(
      sent?.body.toString("latin1") ?? "",
      /name="file"; filename="file"\r\ncontent-type: image\/png/,
    );
    await rest(service, "POST", "/pets/call/putRaw", {
      arguments: { body: `data:application/octet-stream;base64,${PNG.toString("base64")}` },
    });
    assert.ok(api.seen.at(-1)?.body.equals(PNG));
    const photo = await rest(service, "POST", "/pets/call/getPhoto", { arguments: {} });
    const file = photo.body.data["body"];
    assert.equal(at(file, "mediaType"), "image/png");
    assert.equal(at(file, "bytes"), PNG.length);
    const kept = await service.call("get_artifact", { id: textAt(file, "artifact") }, { key: true });
    assert.equal(kept.envelope.data.artifact.content, PNG.toString("base64"));
  });

  it("shows the request before it is sent, and sends nothing", async () => {
    const before = api.seen.length;
    const preview = await rest(service, "POST", "/pets/call/createPet", {
      preview: true,
      arguments: { body: { name: "A" } },
    });
    assert.equal(preview.body.data.sent, false);
    assert.equal(at(preview.body.data["request"], "url"), `${api.url}/v1/pets`);
    assert.equal(at(preview.body.data["request"], "body"), '{"name":"A"}');
    assert.equal(api.seen.length, before);
  });

  it("is reached by execute_mcp_tool, forms and checks like our own tools", async () => {
    const executed = await service.call(
      "execute_mcp_tool",
      { name: "pets:getPet", arguments: { path: { id: "7" } } },
      { key: true },
    );
    assert.equal(executed.envelope.ok, true, executed.text);
    assert.equal(at(executed.envelope.data.result, "body", "name"), "Rex");
    const wrong = await service.call(
      "execute_mcp_tool",
      { name: "pets:getPet", arguments: {} },
      { key: true },
    );
    assert.equal(wrong.envelope.data.error.code, "invalid_arguments");
    assert.match(wrong.envelope.data.error.problems[0]?.pointer ?? "", /^\/arguments\/path/);
    const form = await service.call("render_mcp_tool_form", { toolName: "pets:createPet" }, { key: true });
    assert.equal(form.envelope.data.renderStatus, "rendered", form.text);
    assert.equal(
      (await service.call("render_mcp_tool_form", { toolName: "pets:createPet" })).envelope.ok,
      false,
      "definitions are for callers with a key",
    );
    const tested = await service.call("test_mcp_tool", { name: "pets:createPet" }, { key: true });
    assert.equal(tested.envelope.data.registered, true);
    assert.equal(tested.envelope.data.tool?.effect, "external");
    const specs = await service.call("generate_tool_specs", { toolchain: ["pets:createPet"] }, { key: true });
    assert.equal(specs.envelope.data.specs[0]?.tool, "pets:createPet");
    assert.deepEqual(specs.envelope.data.specs[0]?.exampleInput["body"], { name: "name" });
  });

  it("quarantines what its owner changes until an admin accepts it", async () => {
    document = description({
      "/pets/{id}": {
        get: {
          operationId: "getPet",
          parameters: [
            { name: "id", in: "path", required: true, schema: { type: "integer" } },
            { name: "deep", in: "query", schema: { type: "boolean" } },
          ],
          responses: { 200: { description: "ok" } },
        },
      },
      "/new": { get: { operationId: "brandNew", responses: { 200: { description: "ok" } } } },
    });
    const synced = await rest(service, "POST", "/pets/sync");
    assert.equal(synced.status, 200, JSON.stringify(synced.body));
    const { added, changed, removed } = synced.body.data;
    assert.deepEqual([added, changed, removed], [["pets:brandNew"], ["pets:getPet"], ["pets:deletePet"]]);
    const listed = (await rest(service, "GET", "/pets/definitions")).body.data.definitions;
    const of = (name: string) => listed.find((item) => item.name === name);
    assert.equal(of("brandNew")?.state, "quarantined");
    assert.equal(of("brandNew")?.pending?.reason, "new");
    assert.equal(of("deletePet")?.state, "removed");
    const getPet = of("getPet");
    assert.ok(getPet?.pending);
    const pointers = getPet.pending.changes.map(({ pointer }) => pointer);
    assert.ok(pointers.includes("/inputSchema/properties/path/properties/id/type"), pointers.join());
    const blocked = await rest(service, "POST", "/pets/call/getPet", { arguments: { path: { id: "7" } } });
    assert.equal(blocked.status, 403);
    assert.equal(blocked.body.data.error.code, "blocked");
    const stale = await rest(service, "POST", "/pets/definitions/getPet/accept", {
      digest: getPet.digest,
    });
    assert.equal(stale.status, 409);
    const accepted = await rest(service, "POST", "/pets/definitions/getPet/accept", {
      digest: getPet.pending.digest,
    });
    assert.equal(accepted.body.data.definition.state, "active");
    assert.equal(
      (await rest(service, "POST", "/pets/call/getPet", { arguments: { path: { id: 7 } } })).body.ok,
      true,
    );
    assert.equal(
      (await rest(service, "POST", "/pets/call/deletePet", { arguments: { path: { id: "7" } } })).status,
      404,
    );
  });

  it("lets an admin rename, fix arguments, correct the effect and hide", async () => {
    const edited = await rest(service, "PATCH", "/pets/definitions/listPets", {
      name: "find_pets",
      title: "Find pets",
      effect: "write",
      fixedArguments: { query: { tags: ["fixed"] } },
    });
    assert.equal(edited.status, 200, JSON.stringify(edited.body));
    assert.equal(edited.body.data.definition.effect, "write");
    const one = await rest(service, "GET", "/pets/definitions/find_pets");
    const fields = at(one.body.data.definition.inputSchema, "properties", "query", "properties");
    assert.ok(isJsonRecord(fields));
    assert.deepEqual(Object.keys(fields), ["filter"]);
    const called = await rest(service, "POST", "/pets/call/listPets", {
      arguments: { query: { filter: { age: 1 } } },
    });
    assert.equal(called.body.ok, true, "the old name still works");
    assert.match(api.seen.at(-1)?.url ?? "", /tags=fixed/);
    await rest(service, "POST", "/pets/definitions/find_pets/hide");
    assert.equal((await rest(service, "POST", "/pets/call/find_pets", { arguments: {} })).status, 403);
    await rest(service, "POST", "/pets/definitions/find_pets/accept");
    await rest(service, "PATCH", "/pets/definitions/find_pets", {
      effect: null,
      name: null,
      fixedArguments: null,
    });
    assert.equal(
      (await rest(service, "GET", "/pets/definitions/listPets")).body.data.definition.effect,
      "read",
    );
  });

  it("remembers calls without secrets and makes a draft workflow of them", async () => {
    await rest(service, "POST", "/pets/call/createPet", { arguments: { body: { name: "Rexona" } } });
    const made = api.seen.length;
    const id = next - 1;
    await rest(service, "POST", "/pets/call/getPet", { arguments: { path: { id } } });
    assert.ok(made > 0);
    const history = await rest(service, "GET", "/pets/definitions/createPet/calls");
    const [last] = history.body.data.calls;
    assert.deepEqual([last?.outcome, last?.httpStatus], ["ok", 201]);
    assert.deepEqual(last?.arguments, { body: { name: "Rexona" } });
    const other = await service.app.keyring.create({ name: "no scope", scopes: [], expiresAt: null });
    const seen = await service.fetch("/api/svc/connections/pets/definitions/createPet/calls", {
      headers: { authorization: `Bearer ${other.token}` },
    });
    assert.equal(seen.status, 200);
    assert.ok(!(await seen.text()).includes("Rexona"), "calls of others are private");
    const draft = await rest(service, "POST", "/record", { limit: 1 });
    assert.equal(draft.status, 200, JSON.stringify(draft.body));
    assert.equal(at(draft.body.data.workflow["nodes"], 0, "tool"), "pets:createPet");
  });

  it("needs the right key", async () => {
    assert.equal((await service.fetch("/api/svc/connections")).status, 401);
    const key = await service.app.keyring.create({
      name: "reader",
      scopes: ["read-private"],
      expiresAt: null,
    });
    const headers = { authorization: `Bearer ${key.token}`, "content-type": "application/json" };
    assert.equal((await service.fetch("/api/svc/connections", { headers })).status, 200);
    const call = { method: "POST", headers, body: "{}" };
    assert.equal((await service.fetch("/api/svc/connections/pets/call/getPet", call)).status, 403);
    assert.equal((await service.fetch("/api/svc/connections", call)).status, 403);
    assert.equal((await service.fetch("/api/svc/connections/pets/sync", call)).status, 403);
  });

  it("is removed with all that belongs to it", async () => {
    assert.equal((await rest(service, "DELETE", "/pets")).body.data.deleted, "pets");
    assert.equal((await rest(service, "GET", "/pets")).status, 404);
    assert.equal((await rest(service, "POST", "/pets/call/getPet", { arguments: {} })).status, 404);
  });
});
