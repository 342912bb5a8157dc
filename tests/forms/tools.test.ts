import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { JsonObject } from "../../src/kernel/json.ts";
import { at, listAt, objectsAt, textAt } from "../support/json.ts";
import { startService, type TestService } from "../support/service.ts";

const release = {
  type: "object",
  properties: {
    targetUrl: { type: "string", format: "uri" },
    workflowTitle: { type: "string" },
    releaseGate: { type: "string", enum: ["workflow_contract", "ui_quality"], default: "workflow_contract" },
    dryRun: { type: "boolean", default: true },
  },
  required: ["targetUrl", "workflowTitle", "releaseGate"],
  additionalProperties: false,
};

const namesOf = (form: JsonObject) => objectsAt(form, "fields").map((field) => textAt(field, "name"));
const kindsOf = (form: JsonObject) => objectsAt(form, "examples").map((example) => textAt(example, "kind"));
const exampleOf = (form: JsonObject, kind: string) =>
  objectsAt(form, "examples").find((example) => example["kind"] === kind);

describe("form tools over the wire", () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  test("a JSON Schema becomes a form with fields in order, defaults and valid examples", async () => {
    const { envelope } = await service.call("render_json_schema_form", {
      schema: release,
      title: "Release check",
    });
    assert.equal(envelope.ok, true);
    const { form } = envelope.data;
    assert.equal(form.schemaVersion, "svc.form.v1");
    assert.deepEqual(namesOf(form), ["targetUrl", "workflowTitle", "releaseGate", "dryRun"]);
    assert.deepEqual(form.initialValue, { releaseGate: "workflow_contract", dryRun: true });
    assert.deepEqual(kindsOf(form), ["json", "json-rpc", "curl", "suitectl"]);
    assert.equal(
      new Ajv2020({ strict: false, validateFormats: false }).validate(release, form.exampleValue),
      true,
    );
    assert.equal(envelope.data.stored.status, "stored");
  });

  test("the JSON-RPC example of every tool's form passes that tool's own argument check", async () => {
    const listed = await service.rpc("tools/list");
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    let shown = 0;
    for (const tool of listed.json.result.tools) {
      const { envelope } = await service.call("render_mcp_tool_form", { toolName: tool.name });
      assert.equal(envelope.ok, true, tool.name);
      const { form } = envelope.data;
      const rpc = exampleOf(form, "json-rpc");
      if (!rpc) continue;
      shown += 1;
      const request = JSON.parse(textAt(rpc, "text"));
      assert.equal(request.params.name, tool.name);
      assert.equal(ajv.validate(tool.inputSchema, request.params.arguments), true, tool.name);
      const curl = textAt(exampleOf(form, "curl"), "text");
      assert.equal(curl.includes("Authorization"), at(form, "source", "protected") === true, tool.name);
    }
    assert.equal(shown, listed.json.result.tools.length);
  });

  test("an unknown tool is not_found with the nearest names", async () => {
    const { envelope } = await service.call("render_mcp_tool_form", { toolName: "render_json_schema_from" });
    assert.equal(envelope.ok, false);
    assert.equal(envelope.data.error.code, "not_found");
    assert.ok(listAt(envelope.data.error.details, "nearest").includes("render_json_schema_form"));
  });

  test("operations of our own description are found by id and by method and path", async () => {
    const byPath = await service.call("render_openapi_operation_form", {
      method: "POST",
      path: "/api/svc/receive-handoff",
    });
    assert.equal(byPath.envelope.ok, true);
    const { form } = byPath.envelope.data;
    assert.ok(namesOf(form).includes("body"));
    assert.match(textAt(exampleOf(form, "curl"), "text"), /^curl -X POST '/);
    assert.deepEqual(kindsOf(form).sort(), ["curl", "json", "json-rpc", "suitectl"]);
    const rpc = textAt(exampleOf(form, "json-rpc"), "text");
    const checked = await service.rpc("tools/call", JSON.parse(rpc).params);
    assert.equal(checked.envelope.data["valid"], true, checked.text);
    const missing = await service.call("render_openapi_operation_form", {
      method: "GET",
      path: "/api/svc/receive-handof",
    });
    assert.equal(missing.envelope.data.error.code, "not_found");
    assert.ok(listAt(missing.envelope.data.error.details, "nearest").length > 0);
    const unnamed = await service.call("render_openapi_operation_form", {});
    assert.equal(unnamed.envelope.data.error.code, "invalid_input");
  });

  test("an event of our own AsyncAPI is a form that claims no delivery", async () => {
    const { envelope } = await service.call("render_webhook_schema_form", { eventName: "svc.run.succeeded" });
    assert.equal(envelope.ok, true);
    assert.equal(envelope.data.delivery.claimed, false);
    const names = namesOf(envelope.data.form);
    assert.ok(names.includes("data"), names.join());
    const wrong = await service.call("render_webhook_schema_form", { eventName: "svc.run.suceeded" });
    assert.equal(wrong.envelope.data.error.code, "not_found");
    const given = await service.call("render_webhook_schema_form", { schema: release });
    assert.equal(listAt(given.envelope.data.form, "fields").length, 4);
  });

  test("the conversion form is that of its tool", async () => {
    const { envelope } = await service.call("render_ascii_conversion_form", {});
    const { form } = envelope.data;
    assert.equal(at(form, "source", "kind"), "ascii_conversion");
    assert.deepEqual(namesOf(form), ["image", "resolution", "charset", "grayscale", "inverted"]);
    assert.equal(at(form, "fields", 0, "widget"), "file");
    const converted = await service.call("execute_ascii_conversion", form["exampleValue"]);
    assert.deepEqual(converted.envelope.data.image, { format: "png", width: 1, height: 1 });
  });

  test("validate_form_input asks for required fields only, nested and conditional ones too", async () => {
    const all = await service.call("validate_form_input", {
      schema: release,
      value: { targetUrl: "not a url", workflowTitle: "t", releaseGate: "nope" },
    });
    assert.equal(all.envelope.data.valid, true);
    const schema = {
      type: "object",
      required: ["kind"],
      properties: { kind: {}, address: { type: "object", required: ["city"] } },
      if: { properties: { kind: { const: "company" } }, required: ["kind"] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { required: ["vatId"] },
      dependentRequired: { phone: ["country"] },
    };
    const some = await service.call("validate_form_input", {
      schema,
      value: { kind: "company", address: {}, phone: "1" },
    });
    assert.deepEqual(some.envelope.data.missing.map(({ pointer }) => pointer).sort(), [
      "/address/city",
      "/country",
      "/vatId",
    ]);
  });

  test("a kept form is counted once, comes back the same and is hidden from strangers", async () => {
    const schema = { type: "object", properties: { secretPlan: { type: "string" } } };
    const first = await service.call("render_json_schema_form", { schema, title: "Private plan" });
    const again = await service.call("render_json_schema_form", { schema, title: "Private plan" });
    const id = first.envelope.data.formId;
    assert.equal(again.envelope.data.formId, id);
    const got = await service.call("get_rendered_form", { id });
    assert.deepEqual(got.envelope.data.form, first.envelope.data.form);
    const anonymous = await service.call("list_rendered_forms", {});
    assert.ok(!JSON.stringify(anonymous.envelope).includes("Private plan"));
    assert.ok(anonymous.envelope.data.hidden >= 1);
    const keyed = await service.call("list_rendered_forms", {}, { key: true });
    assert.equal(keyed.envelope.data.forms.filter((form) => form.id === id).length, 1);
    const resource = await service.rpc("resources/read", { uri: `svc://rendered-form/${id}` });
    assert.ok(resource.text.includes("secretPlan"));
    const unknown = await service.call("get_rendered_form", { id: "form_none" });
    assert.equal(unknown.envelope.data.error.code, "not_found");
  });
});

test("what callers without a key can have kept is bounded by the hour and in number, and said", async () => {
  let now = Date.parse("2026-01-31T09:30:00Z");
  const service = await startService({ clock: { now: () => now } });
  try {
    const render = async (index: number, key = false): Promise<string> => {
      const schema = { type: "object", properties: { [`field${index}`]: { type: "string" } } };
      const { envelope } = await service.call("render_json_schema_form", { schema }, { key });
      assert.equal(envelope.ok, true);
      return envelope.data.stored.status;
    };
    for (let index = 0; index < 200; index++) assert.equal(await render(index), "stored", String(index));
    assert.equal(await render(200), "not_stored");
    assert.equal(await render(7), "stored", "a form that is there already");
    assert.equal(await render(200, true), "stored", "with a key");
    const own = await service.call("render_mcp_tool_form", { toolName: "get_health" });
    assert.equal(own.envelope.data.stored.status, "stored", "our own definitions");
    now += 3_600_000;
    assert.equal(await render(201), "stored", "the next hour");

    const { store } = service.app.services;
    await store.transact((tx) => tx.forms.evictAnonymous(3, "2026-01-01T00:00:00.000Z"));
    const { items } = await store.read.forms.list({ limit: 100 });
    const guests = items.filter(({ source }) => source["anonymous"] === true);
    assert.equal(guests.length, 3);
    assert.ok(
      guests.some(({ form }) => JSON.stringify(form).includes("field201")),
      "the newest stays",
    );
    assert.equal(items.length - guests.length, 2, "what had a key or is public stays");
  } finally {
    await service.close();
  }
});

test("without storage forms are rendered and nothing is claimed", async () => {
  const service = await startService({ settings: { databaseUrl: "none" } });
  try {
    const { envelope } = await service.call("render_json_schema_form", { schema: release });
    assert.equal(envelope.ok, true);
    assert.equal(envelope.data.stored.status, "not_configured");
    const list = await service.call("list_rendered_forms", {});
    assert.equal(list.envelope.data.persistence.configured, false);
    const got = await service.call("get_rendered_form", { id: envelope.data.formId });
    assert.equal(got.envelope.data.error.code, "not_found");
  } finally {
    await service.close();
  }
});

describe("another service's description", () => {
  let remote: Server;
  let service: TestService;
  const seen: (string | undefined)[] = [];
  const api = {
    openapi: "3.1.0",
    info: { title: "Pets", version: "1" },
    servers: [
      {
        url: "https://{region}.pets.example/v1",
        variables: { region: { default: "eu", enum: ["eu", "us"] } },
      },
    ],
    security: [{ key: [] }],
    paths: {
      "/pets/{petId}/photo": {
        post: {
          operationId: "uploadPhoto",
          parameters: [
            { name: "petId", in: "path", required: true, schema: { $ref: "#/components/schemas/Id" } },
            {
              name: "tags",
              in: "query",
              schema: { type: "array", items: { type: "string" }, examples: [["a b", "c"]] },
            },
          ],
          requestBody: {
            required: true,
            content: {
              "multipart/form-data": {
                schema: {
                  type: "object",
                  required: ["photo"],
                  properties: { photo: { type: "string", format: "binary" } },
                },
              },
            },
          },
        },
      },
    },
    webhooks: {
      petSold: {
        post: {
          requestBody: { content: { "application/json": { schema: { $ref: "#/components/schemas/Sale" } } } },
        },
      },
    },
    components: {
      securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Pet-Key" } },
      schemas: {
        Id: { type: "integer", format: "int64", minimum: 1 },
        Sale: { type: "object", required: ["id"], properties: { id: { $ref: "#/components/schemas/Id" } } },
      },
    },
  };

  before(async () => {
    remote = createServer((request, response) => {
      seen.push(request.headers["if-none-match"]);
      if (request.url !== "/openapi.json") {
        response.writeHead(404).end();
        return;
      }
      response.setHeader("ETag", '"one"');
      if (request.headers["if-none-match"] === '"one"') response.writeHead(304).end();
      else response.end(JSON.stringify(api));
    });
    await new Promise<void>((resolve) => remote.listen(0, "127.0.0.1", resolve));
    let skew = 0;
    service = await startService({
      settings: { trustedHosts: ["127.0.0.1"] },
      clock: { now: () => Date.now() + (skew += 61_000) },
    });
  });
  after(async () => {
    await service.close();
    await new Promise((resolve) => remote.close(resolve));
  });

  function base(): string {
    const address: AddressInfo | string | null = remote.address();
    assert.ok(address !== null && typeof address === "object");
    return `http://127.0.0.1:${address.port}`;
  }

  test("its operation is a form with the right request, and an unchanged document is not read again", async () => {
    const args = { operationId: "uploadPhoto", serviceBaseUrl: base() };
    const first = await service.call("render_openapi_operation_form", args);
    assert.equal(first.envelope.ok, true, first.text);
    const { form } = first.envelope.data;
    assert.deepEqual(namesOf(form), ["path", "query", "contentType", "body", "security", "server"]);
    const fields = objectsAt(form, "fields");
    const security = fields.find(({ name }) => name === "security");
    assert.equal(at(security, "children", 0, "secret"), true);
    const body = fields.find(({ name }) => name === "body");
    assert.equal(at(body, "children", 0, "widget"), "file");
    const curl = textAt(exampleOf(form, "curl"), "text");
    assert.match(curl, /https:\/\/eu\.pets\.example\/v1\/pets\/1\/photo\?tags=a%20b&tags=c/);
    assert.match(curl, /-F 'photo=@photo'/);
    assert.match(curl, /X-Pet-Key: \$KEY/);
    await service.call("render_openapi_operation_form", args);
    assert.deepEqual(seen, [undefined, '"one"']);
  });

  test("its webhook is a form too", async () => {
    const { envelope } = await service.call("render_webhook_schema_form", {
      eventName: "petSold",
      serviceBaseUrl: base(),
    });
    assert.equal(envelope.ok, true);
    assert.equal(at(envelope.data.form, "fields", 0, "name"), "id");
  });
});

test("an answer carries the form once when the client reads structured content", async (t) => {
  const service = await startService();
  t.after(() => service.close());
  const args = { toolName: "create_workflow" };
  const twice = await service.call("render_mcp_tool_form", args);
  const once = await service.call("render_mcp_tool_form", args, { meta: { "svc/content": "structured" } });
  assert.deepEqual(once.envelope.data.form, twice.envelope.data.form);
  assert.equal(once.text.split("svc.form.v1").length - 1, 1);
  assert.ok(once.text.length < twice.text.length / 2);
});
