import assert from "node:assert/strict";
import { test } from "node:test";
import {
  checkValue,
  compileForm,
  findRefusal,
  missingRequired,
  PUBLIC_BOUNDS,
  TRUSTED_BOUNDS,
  type FormExample,
} from "../../packages/forms/src/index.ts";
import { renderExamples } from "./examples.ts";
import { sampleValue } from "../../packages/forms/src/sample.ts";

const KINDS = ["json", "json-rpc", "curl", "suitectl"];

function examplesOf(schema: unknown): { examples: FormExample[]; schema: unknown; value: unknown } {
  const { form } = compileForm(schema, { formId: "form_test", bounds: TRUSTED_BOUNDS });
  assert.ok(form);
  const value = sampleValue(form);
  assert.ok(value !== undefined);
  const examples = renderExamples(form, value, "http://127.0.0.1:8080/api/mcp");
  const call = examples.find(({ kind }) => kind === "json-rpc");
  assert.ok(call);
  const { schema: sent, value: given } = JSON.parse(call.text).params.arguments;
  assert.equal(findRefusal(sent, PUBLIC_BOUNDS), null);
  assert.deepEqual(missingRequired(sent, given).missing, []);
  assert.equal(checkValue(sent, given), "valid");
  return { examples, schema: sent, value: given };
}

test("a large schema goes into a call only as far as it concerns the value", () => {
  const part = (name: string): unknown => ({
    type: "object",
    description: "x".repeat(400),
    properties: {
      kind: { const: name },
      inner: { $ref: "#/$defs/node" },
      list: { type: "array", minItems: 1, items: { oneOf: [{ $ref: "#/$defs/node" }, { type: "string" }] } },
    },
    required: ["kind", "inner", "list"],
  });
  const schema = {
    type: "object",
    properties: {
      choice: { oneOf: Array.from({ length: 100 }, (_, index) => part(`kind${index}`)) },
      map: { type: "object", minProperties: 1, additionalProperties: { $ref: "#/$defs/node" } },
      pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], minItems: 2 },
    },
    required: ["choice", "map", "pair"],
    dependentSchemas: { choice: { required: ["map"] } },
    $defs: {
      node: {
        type: "object",
        properties: { id: { type: "integer" }, next: { $ref: "#/$defs/node" } },
        required: ["id"],
      },
    },
  };
  const { examples, schema: sent } = examplesOf(schema);
  assert.deepEqual(
    examples.map(({ kind }) => kind),
    KINDS,
  );
  assert.ok(JSON.stringify(sent).length < 1_500, JSON.stringify(sent));
  // The part that is sent still asks for what the whole asks for.
  const missing = missingRequired(sent, {
    choice: { kind: "kind0", inner: {}, list: [{}] },
    pair: [],
  }).missing;
  assert.deepEqual(missing.map(({ pointer }) => pointer).sort(), [
    "/choice/inner/id",
    "/choice/list/0/id",
    "/map",
  ]);
});

test("a value that is no object is checked as the member of one", () => {
  const { examples, value } = examplesOf({
    type: "array",
    minItems: 1,
    items: { type: "string", format: "email" },
  });
  assert.deepEqual(
    examples.map(({ kind }) => kind),
    KINDS,
  );
  assert.deepEqual(value, { value: ["person@example.com"] });
});

test("where one of several members is needed, the example has one", () => {
  for (const kind of ["oneOf", "anyOf"]) {
    const { value } = examplesOf({
      type: "object",
      properties: {
        note: { type: "string" },
        file: { type: "string" },
        url: { type: "string", format: "uri" },
      },
      [kind]: [{ required: ["file"] }, { required: ["url"] }],
    });
    assert.equal(Object.keys(Object(value)).filter((name) => name !== "note").length, 1, kind);
  }
});
