import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deref, follow } from "./schema-types.ts";

const ROOT = {
  $defs: {
    Letter: { type: "object", required: ["subject"], properties: { subject: { type: "string" } } },
    Loop: { allOf: [{ $ref: "#/$defs/Loop" }] },
  },
};

describe("deref", () => {
  it("opens a named type that an API description wraps in allOf, and keeps its title", () => {
    const schema = { title: "Body", allOf: [{ $ref: "#/$defs/Letter" }] };
    assert.deepEqual(deref(schema, ROOT), { ...ROOT.$defs.Letter, title: "Body" });
    assert.equal(follow(schema, ["sbject"], ROOT).kind, "missing");
  });

  it("joins objects that extend each other", () => {
    const copy = { type: "object", required: ["copies"], properties: { copies: { type: "integer" } } };
    const schema = { allOf: [{ $ref: "#/$defs/Letter" }, copy], description: "Copied" };
    assert.deepEqual(deref(schema, ROOT), {
      type: "object",
      description: "Copied",
      required: ["subject", "copies"],
      properties: { subject: { type: "string" }, copies: { type: "integer" } },
    });
  });

  it("leaves an allOf alone that says more, and ends in circles", () => {
    const closed = { allOf: [{ type: "object", additionalProperties: false }, { type: "object" }] };
    assert.equal(deref(closed, ROOT), closed);
    const bound = { allOf: [{ $ref: "#/$defs/Letter" }], minProperties: 2 };
    assert.equal(deref(bound, ROOT), bound);
    assert.notEqual(deref({ $ref: "#/$defs/Loop" }, ROOT), undefined);
  });
});
