import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compileForm, TRUSTED_BOUNDS, validate, withCompanions } from "../../packages/forms/src/index.ts";

const types = {
  definitions: {
    port: { type: "integer", maximum: 65_535 },
    host: { $ref: "#/definitions/name" },
    name: { type: "string" },
  },
};

function main(draft: string, reference: string): Record<string, string | object> {
  return {
    $schema: draft,
    type: "object",
    properties: {
      port: { $ref: `${reference}#/definitions/port` },
      host: { $ref: `${reference}#/definitions/host` },
      other: { $ref: "missing.json" },
    },
  };
}

const CASES = [
  ["http://json-schema.org/draft-04/schema#", "https://example.com/types.json"],
  ["http://json-schema.org/draft-07/schema#", "types.json"],
  ["https://json-schema.org/draft/2020-12/schema", "https://example.com/types.json"],
  ["https://json-schema.org/draft/2020-12/schema", "types.json"],
] as const;

describe("documents that a schema refers to", () => {
  for (const [draft, address] of CASES)
    test(`${address} with ${draft}`, () => {
      const alone = JSON.parse(JSON.stringify(main(draft, address)));
      assert.equal(validate(alone, { port: 70_000 }).verdict, "unknown");
      const whole = withCompanions(alone, { [address]: types });
      assert.equal(validate(whole, { port: 80, host: "a" }).verdict, "valid");
      assert.equal(validate(whole, { port: 70_000 }).verdict, "invalid");
      // What is still missing leaves only those values undecided that reach it, and is named.
      const rest = validate(whole, { other: 1 });
      assert.equal(rest.verdict, "unknown");
      assert.match(rest.reason ?? "", /missing\.json/);
      const { form } = compileForm(whole, { formId: "form_test", bounds: TRUSTED_BOUNDS });
      assert.deepEqual(
        form?.fields.map(({ widget }) => widget),
        ["integer", "text", "json"],
      );
    });

  test("a definition of the same name keeps its place", () => {
    const schema = { $defs: { "a.json": { type: "string" } }, properties: { x: { $ref: "#/$defs/a.json" } } };
    const whole = withCompanions(schema, { "a.json": { type: "integer" } });
    assert.equal(validate(whole, { x: "text" }).verdict, "valid");
  });
});
