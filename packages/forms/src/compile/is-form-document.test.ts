import assert from "node:assert/strict";
import { it } from "node:test";
import { TRUSTED_BOUNDS } from "./bounds.ts";
import { compileForm } from "./compile.ts";
import { isFormDocument } from "./is-form-document.ts";

const node = { type: "object", properties: { name: { type: "string" }, next: { $ref: "#/$defs/node" } } };
const schema = {
  $defs: { node },
  type: "object",
  required: ["kind"],
  properties: {
    kind: { enum: ["a", "b"] },
    tree: { $ref: "#/$defs/node" },
    pair: { prefixItems: [{ type: "string" }, { type: "integer" }], items: false },
    list: { type: "array", items: { anyOf: [{ type: "string" }, { type: "object", properties: {} }] } },
  },
};

it("a form is known by everything that is drawn, not by its version alone", () => {
  const compiled = compileForm(schema, {
    formId: "form_1",
    source: { kind: "json_schema" },
    bounds: TRUSTED_BOUNDS,
  });
  const form: Record<string, unknown> = JSON.parse(JSON.stringify("form" in compiled ? compiled.form : null));
  assert.equal(isFormDocument(form), true);
  const drawn = ["schemaVersion", "formId", "title", "source", "root", "fields", "definitions", "notes"];
  for (const name of drawn) {
    const { [name]: _left, ...rest } = form;
    assert.equal(isFormDocument(rest), false, name);
  }
  const text = JSON.stringify(form);
  for (const member of ["widget", "label", "required"])
    for (let at = text.indexOf(`"${member}":`); at !== -1; at = text.indexOf(`"${member}":`, at + 1)) {
      const broken: unknown = JSON.parse(
        `${text.slice(0, at)}"${member}x":${text.slice(at + member.length + 3)}`,
      );
      const isPreview = member === "required" && text.slice(0, at).includes('"validation":{');
      assert.equal(isFormDocument(broken), isPreview, `${member} at ${at}`);
    }
});
