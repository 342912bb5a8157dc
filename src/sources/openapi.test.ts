import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  buildRequest,
  compileForm,
  rootField,
  TRUSTED_BOUNDS,
  viewValue,
  visibleChildren,
  type FormDocument,
} from "../../packages/forms/src/index.ts";
import { sampleValue } from "../../packages/forms/src/sample.ts";
import { asyncapiEvent } from "./asyncapi.ts";
import {
  findOperation,
  operationSchema,
  readApi,
  type ApiDescription,
  type OperationSchema,
} from "./openapi.ts";

const swagger = readApi(
  {
    swagger: "2.0",
    info: { title: "Old", version: "1" },
    host: "old.example",
    basePath: "/v2",
    schemes: ["http", "https"],
    securityDefinitions: { basic: { type: "basic" } },
    security: [{ basic: [] }],
    definitions: {
      Pet: {
        type: "object",
        required: ["id", "name"],
        properties: { id: { type: "integer", readOnly: true }, name: { type: "string" } },
      },
    },
    paths: {
      "/pets/{id}": {
        parameters: [{ name: "id", in: "path", required: true, type: "string" }],
        put: {
          operationId: "putPet",
          parameters: [{ name: "body", in: "body", required: true, schema: { $ref: "#/definitions/Pet" } }],
        },
        get: {
          parameters: [
            {
              name: "fields",
              in: "query",
              type: "array",
              items: { type: "string" },
              collectionFormat: "pipes",
            },
          ],
        },
      },
      "/upload": {
        post: {
          operationId: "upload",
          consumes: ["multipart/form-data"],
          parameters: [
            { name: "file", in: "formData", type: "file", required: true },
            { name: "note", in: "formData", type: "string", maxLength: 10 },
          ],
        },
      },
    },
  },
  "https://fallback.example",
);

const modern = readApi(
  {
    openapi: "3.0.3",
    info: { title: "New", version: "1" },
    servers: [{ url: "/api" }, { url: "https://other.example" }],
    paths: {
      "/things": {
        post: {
          operationId: "make",
          requestBody: {
            required: true,
            content: {
              "text/plain": {},
              "application/json": {
                schema: {
                  type: "object",
                  properties: { at: { type: "string", format: "date", nullable: true } },
                },
              },
            },
          },
        },
      },
    },
  },
  "https://new.example/",
);

function operation(api: ApiDescription, query: Parameters<typeof findOperation>[1]): OperationSchema {
  return operationSchema(api, findOperation(api, query));
}

function formOf({ schema }: OperationSchema): FormDocument {
  const { form } = compileForm(schema, { formId: "form_test", bounds: TRUSTED_BOUNDS });
  assert.ok(form);
  return form;
}

describe("operations", () => {
  test("Swagger 2.0: bodies, form fields, files, styles and basic credentials", () => {
    const put = operation(swagger, { operationId: "putPet" });
    const body = formOf(put).fields.find((field) => field.name === "body");
    assert.deepEqual(
      body?.children?.map((field) => [field.name, field.required]),
      [
        ["id", false],
        ["name", true],
      ],
    );
    const upload = operation(swagger, { operationId: "upload" });
    assert.deepEqual(upload.request.files, ["file"]);
    const built = buildRequest(upload.request, {
      body: { file: "a.png", note: "hi" },
      contentType: "multipart/form-data",
    });
    assert.equal(built.url, "https://old.example/v2/upload");
    assert.deepEqual(built.parts, [
      { name: "file", value: "a.png", file: true },
      { name: "note", value: "hi", file: false },
    ]);
    const get = operation(swagger, { method: "GET", path: "/pets/{petId}" });
    assert.equal(
      buildRequest(get.request, { path: { id: "1" }, query: { fields: ["a", "b"] } }).url,
      "https://old.example/v2/pets/1?fields=a%7Cb",
    );
    assert.equal(get.isProtected, true);
  });

  test("a body in several content types follows the one that is chosen", () => {
    const form = formOf(operation(modern, { operationId: "make" }));
    const bodyFor = (contentType: string): string | undefined =>
      visibleChildren(form, rootField(form), { contentType }).find((field) => field.name === "body")?.widget;
    assert.equal(bodyFor("application/json"), "group");
    assert.equal(bodyFor("text/plain"), "multiline");
    assert.deepEqual(form.initialValue, { contentType: "application/json" });
    const server = form.fields.find((field) => field.name === "server");
    assert.deepEqual(
      server?.children?.[0]?.options?.map((option) => option.value),
      ["https://new.example/api", "https://other.example"],
    );
  });

  test("what is no description, and what is not in it, is refused with help", () => {
    assert.throws(() => readApi({ info: {} }, ""), { code: "invalid_input" });
    assert.throws(() => findOperation(swagger, { operationId: "putPets" }), { code: "not_found" });
    assert.throws(
      () => findOperation(swagger, {}, true),
      ({ info: { details } }) => {
        assert.equal(details.total, swagger.operations.length);
        assert.deepEqual(
          details.whole.map(({ method, path }: { method: string; path: string }) => `${method} ${path}`),
          swagger.operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`),
        );
        return true;
      },
    );
    assert.throws(() => findOperation(swagger, { path: "/pets/{x}" }), { code: "invalid_input" });
  });
});

test("events of both generations of AsyncAPI are found by name, channel or title", () => {
  const payload = { type: "object", properties: { id: { $ref: "#/components/schemas/Id" } } };
  const components = {
    schemas: { Id: { type: "integer" } },
    messages: { Sold: { name: "pet.sold", payload } },
  };
  const second = {
    asyncapi: "2.6.0",
    channels: { "pets/sold": { subscribe: { message: { $ref: "#/components/messages/Sold" } } } },
    components,
  };
  const third = {
    asyncapi: "3.0.0",
    channels: { pets: { messages: { sold: { $ref: "#/components/messages/Sold" } } } },
    components,
  };
  for (const [document, name] of [
    [second, "pets/sold"],
    [second, "pet.sold"],
    [third, "sold"],
    [third, "Sold"],
  ] as const) {
    const { schema } = asyncapiEvent(document, name);
    assert.deepEqual(Object.keys(schema["properties"] ?? {}), ["id"]);
  }
  assert.throws(() => asyncapiEvent(third, "pet.bought"), { code: "not_found" });
});

test("a base schema with a discriminator is a choice between its heirs, in every way of naming them", () => {
  const heir = (name: string, own: unknown): unknown => ({
    allOf: [{ $ref: "#/components/schemas/Pet" }, { type: "object", properties: { [name]: own } }],
  });
  const api = readApi(
    {
      openapi: "3.0.3",
      info: { title: "Pets", version: "1" },
      paths: {
        "/pets": {
          post: {
            requestBody: {
              required: true,
              content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } },
            },
          },
        },
      },
      components: {
        schemas: {
          Pet: {
            type: "object",
            required: ["petType"],
            properties: { petType: { type: "string" }, friend: { $ref: "#/components/schemas/Pet" } },
            discriminator: {
              propertyName: "petType",
              mapping: { dog: "#/components/schemas/Dog", cat: "Cat" },
            },
          },
          Dog: heir("bark", { type: "string" }),
          Cat: heir("hunts", { type: "boolean" }),
        },
      },
    },
    "https://pets.example",
  );
  const [operation] = api.operations;
  assert.ok(operation);
  const { form } = compileForm(operationSchema(api, operation).schema, { formId: "form_test" });
  assert.ok(form);
  const value = {
    contentType: "application/json",
    body: { petType: "cat", hunts: true, friend: { petType: "dog", bark: "w" } },
  };
  const { leaves } = viewValue(form, value);
  assert.ok(
    leaves.every(({ shown }) => shown === "field"),
    JSON.stringify(leaves.map(({ pointer, shown }) => [pointer, shown])),
  );
  const sample = sampleValue(form);
  assert.deepEqual(sample, { contentType: "application/json", body: { petType: "dog" } });
});
