import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import {
  applyDefaults,
  checkValue,
  compileForm,
  everyField,
  openJson,
  rootField,
  saveJson,
  TRUSTED_BOUNDS,
  viewValue,
  type FormDocument,
  type FormValue,
} from "../../src/forms/index.ts";
import { operationSchema, readApi } from "../../src/sources/openapi.ts";

/*
 * The promises of docs/corpus.md, held on every run where the corpus stands beside the project. `npm run corpus`
 * measures more: verdicts, times and the anchor.
 */

const corpus = new URL("../../../shared/corpus/", import.meta.url);

function read(path: string): string {
  return readFileSync(new URL(path, corpus), "utf8");
}

function list(path: string): string[] {
  const at = fileURLToPath(new URL(path, corpus));
  return existsSync(at) ? readdirSync(at) : [];
}

function formOf(schema: unknown, name: string): FormDocument {
  const { form } = compileForm(schema, { formId: "form_test", bounds: TRUSTED_BOUNDS });
  assert.ok(form, name);
  const every = [rootField(form), ...Object.values(form.definitions)].flatMap((field) => everyField(field));
  for (const field of every) {
    if (field.widget === "json") assert.ok(field.raw, `${name}${field.path} is raw without a reason`);
    if (field.ref !== undefined)
      assert.ok(Object.hasOwn(form.definitions, field.ref), `${name}: ${field.ref}`);
    if (field.widget === "variants") assert.ok((field.variants ?? []).length > 0, `${name}${field.path}`);
  }
  return form;
}

if (existsSync(corpus)) {
  test("every construct has fields for its data", () => {
    const all: Record<string, { s: unknown; d?: FormValue }> = JSON.parse(read("constructs/constructs.json"));
    for (const [name, { s, d }] of Object.entries(all)) {
      const form = formOf(s, name);
      assert.ok(form.fields.length > 0, name);
      if (d === undefined) continue;
      for (const leaf of viewValue(form, d).leaves)
        assert.ok(leaf.shown === "field" || leaf.reason === "free_object", `${name}${leaf.pointer}`);
    }
  });

  test("valid instances: every leaf is shown, open and save changes no byte, defaults do no harm", () => {
    let [shown, all] = [0, 0];
    for (const name of list("schemastore")) {
      const schema: unknown = JSON.parse(read(`schemastore/${name}/schema.json`));
      const form = formOf(schema, name);
      for (const file of list(`schemastore/${name}/positive`)) {
        const text = read(`schemastore/${name}/positive/${file}`);
        const opened = openJson(text);
        const { leaves, value } = viewValue(form, opened.value);
        all += leaves.length;
        shown += leaves.filter((leaf) => leaf.shown !== "blank").length;
        assert.equal(saveJson(opened, value), text, `${name}/${file}`);
        if (checkValue(schema, opened.value) === "valid") {
          assert.equal(checkValue(schema, applyDefaults(form, opened.value)), "valid", `${name}/${file}`);
        }
      }
    }
    assert.ok(shown / all >= 0.99, `${shown} of ${all}`);
  });

  test("every tool and every operation is a form", () => {
    const tools: { name: string; inputSchema: unknown }[] = JSON.parse(read("mcp-tools.json"));
    for (const tool of tools)
      assert.equal(formOf(tool.inputSchema, tool.name).fallback.whole, false, tool.name);
    for (const file of list("openapi")) {
      const api = readApi(JSON.parse(read(`openapi/${file}`)), "https://api.example");
      for (const operation of api.operations)
        formOf(operationSchema(api, operation).schema, `${file} ${operation.path}`);
    }
  });
}
