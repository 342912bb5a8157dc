import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import {
  applyDefaults,
  checkValue,
  compileForm,
  createFormValidator,
  everyField,
  openJson,
  rootField,
  saveJson,
  TRUSTED_BOUNDS,
  viewValue,
  type FormDocument,
} from "../../packages/forms/src/index.ts";
import { sampleValue } from "../../packages/forms/src/sample.ts";
import { isObject } from "../../src/kernel/json.ts";
import { openapiWebhook } from "../../src/sources/asyncapi.ts";
import { operationSchema, readApi } from "../../src/sources/openapi.ts";

/*
 * A small corpus in the manner of real ones (tests/forms/corpus): schemas of every draft with data that fits and data
 * that does not, tools as MCP servers declare them, API descriptions of three generations. `npm run corpus -- FOLDER`
 * measures more, on a corpus of any size.
 */

const corpus = new URL("corpus/", import.meta.url);

function read(path: string): string {
  return readFileSync(new URL(path, corpus), "utf8");
}

/** The files of a folder; a folder without any would make a test that checks nothing. */
function list(path: string): readonly string[] {
  const names = readdirSync(new URL(path, corpus)).toSorted();
  assert.ok(names.length > 0, path);
  return names;
}

function formOf(schema: unknown): FormDocument {
  const { form } = compileForm(schema, { formId: "form_test", bounds: TRUSTED_BOUNDS });
  assert.ok(form);
  const every = [rootField(form), ...Object.values(form.definitions)].flatMap((field) => everyField(field));
  for (const field of every) {
    if (field.widget === "json") assert.ok(field.raw, `${field.path} is raw without a reason`);
    if (field.ref !== undefined) assert.ok(Object.hasOwn(form.definitions, field.ref), field.ref);
    if (field.widget === "variants") assert.ok((field.variants ?? []).length > 0, field.path);
  }
  assert.equal(form.fallback.whole, false, "not one JSON field for everything");
  return form;
}

for (const name of list("schemas/")) {
  const text = read(`schemas/${name}/schema.json`);
  const schema: unknown = JSON.parse(text);

  for (const file of list(`schemas/${name}/valid/`)) {
    test(`${name}: ${file} is shown whole, saved byte for byte, and valid with the defaults too`, () => {
      const form = formOf(schema);
      const written = read(`schemas/${name}/valid/${file}`);
      const opened = openJson(written);
      const { leaves, value } = viewValue(form, opened.value);
      assert.ok(leaves.length > 0);
      for (const { pointer, shown, reason } of leaves)
        assert.ok(shown !== "blank" && reason !== "does_not_fit", `${pointer} is ${shown}, ${reason}`);
      assert.equal(saveJson(opened, value), written);
      assert.equal(checkValue(schema, opened.value), "valid");
      assert.deepEqual(createFormValidator(form)(opened.value), []);
      assert.equal(checkValue(schema, applyDefaults(form, opened.value)), "valid");
    });
  }

  for (const file of list(`schemas/${name}/invalid/`)) {
    test(`${name}: ${file} is refused, and can still be opened and saved`, () => {
      const form = formOf(schema);
      const written = read(`schemas/${name}/invalid/${file}`);
      const opened = openJson(written);
      assert.equal(checkValue(schema, opened.value), "invalid");
      const problems = createFormValidator(form)(opened.value);
      assert.ok(problems.length > 0);
      for (const { message } of problems) assert.ok(message.length > 5);
      assert.equal(saveJson(opened, viewValue(form, opened.value).value), written);
    });
  }
}

const tools: unknown = JSON.parse(read("mcp-tools.json"));
assert.ok(Array.isArray(tools) && tools.length >= 10);
for (const tool of tools.filter(isObject)) {
  test(`the tool ${String(tool["server"])}:${String(tool["name"])} is a form with an example that fits`, () => {
    const form = formOf(tool["inputSchema"]);
    const sample = sampleValue(form);
    assert.ok(sample !== undefined);
    assert.equal(checkValue(tool["inputSchema"], sample), "valid", JSON.stringify(sample));
  });
}

for (const file of list("openapi/")) {
  const api = readApi(JSON.parse(read(`openapi/${file}`)), "https://api.example");
  assert.ok(api.operations.length > 2, file);
  for (const operation of api.operations) {
    test(`${file}: ${operation.method} ${operation.path} is a form with an example that fits`, () => {
      const { schema } = operationSchema(api, operation);
      const form = formOf(schema);
      const sample = sampleValue(form);
      assert.ok(sample !== undefined);
      assert.equal(checkValue(schema, sample), "valid", JSON.stringify(sample));
    });
  }
}

test("lending.json: the webhook itemReturned is a form with an example that fits", () => {
  const api = readApi(JSON.parse(read("openapi/lending.json")), "https://api.example");
  const event = openapiWebhook(api, "itemReturned");
  assert.ok(event);
  const form = formOf(event.schema);
  assert.deepEqual(
    form.fields.map(({ name, required }) => [name, required]),
    [
      ["item", true],
      ["at", true],
    ],
  );
  assert.equal(checkValue(event.schema, sampleValue(form) ?? null), "valid");
});
