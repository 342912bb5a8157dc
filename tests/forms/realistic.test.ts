import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  applyDefaults,
  checkValue,
  compileForm,
  everyField,
  missingRequired,
  openJson,
  PUBLIC_BOUNDS,
  rootField,
  saveJson,
  validateForm,
  viewValue,
  type FormValue,
} from "../../packages/forms/src/index.ts";
import { explainByExample } from "../../packages/forms/src/check/by-example.ts";
import { sampleValue } from "../../packages/forms/src/sample.ts";
import { checkText } from "../../src/workers/schema-checker.ts";
import { referee } from "./referee.ts";

/*
 * Schemas in the manner of those that people meet (custom resources, pipelines, compose files, events, generated tool
 * parameters, polymorphic records, awkward names): each is a form without blanks, keeps its data, has an example, and
 * every validator says the same, in words at the place where it is wrong.
 */

interface Case {
  readonly schema: unknown;
  readonly valid: readonly FormValue[];
  readonly invalid: readonly {
    readonly value: FormValue;
    /** Pointer and message of every problem. */
    readonly problems: Readonly<Record<string, string>>;
  }[];
}

const cases: Record<string, Case> = JSON.parse(
  readFileSync(new URL("realistic.json", import.meta.url), "utf8"),
);

for (const [name, { schema, valid, invalid }] of Object.entries(cases)) {
  test(name, () => {
    const { form } = compileForm(schema, { formId: "form_test", bounds: PUBLIC_BOUNDS });
    assert.ok(form);
    for (const field of everyField(rootField(form)))
      if (field.widget === "json") assert.ok(field.raw, field.path);
    const server = (value: unknown) => checkText(JSON.stringify(schema), JSON.stringify(value)).problems;
    const other = referee(schema);
    assert.ok(other);
    // As the worker of the page does it.
    const browser = (value: FormValue) => validateForm(form, value, { explain: explainByExample }).problems;
    const sample = sampleValue(form);
    assert.ok(sample !== undefined, "there is an example");
    for (const value of [sample, ...valid]) {
      const text = JSON.stringify(value);
      const { leaves } = viewValue(form, value);
      for (const { pointer, shown, reason } of leaves)
        assert.ok(shown !== "blank" && reason !== "does_not_fit", `${pointer} of ${text}`);
      const opened = openJson(text);
      assert.equal(saveJson(opened, viewValue(form, opened.value).value), text);
      assert.equal(checkValue(schema, value), "valid", text);
      assert.deepEqual(browser(value), [], text);
      assert.deepEqual(server(value), [], text);
      assert.equal(other(value), true, text);
      assert.deepEqual(missingRequired(schema, value).missing, [], text);
      assert.deepEqual(server(applyDefaults(form, value)), [], text);
    }
    for (const { value, problems } of invalid) {
      const text = JSON.stringify(value);
      assert.equal(checkValue(schema, value), "invalid", text);
      assert.equal(other(value), false, text);
      for (const validator of [server, browser])
        assert.deepEqual(
          Object.fromEntries(validator(value).map(({ pointer, message }) => [pointer, message])),
          problems,
          text,
        );
    }
  });
}

test("labels say what a value is for: the property's name, the definition's title only where there is none", () => {
  const schema = cases["pydantic"]?.schema;
  const { form } = compileForm(schema, { formId: "form_test" });
  const labels = new Map(form?.fields.map((field) => [field.name, field]));
  assert.equal(labels.get("ship")?.label, "Ship");
  assert.equal(labels.get("items")?.items?.label, "Item");
  assert.deepEqual(
    labels.get("pair")?.tuple?.map(({ label }) => label),
    ["Item 1", "Item 2"],
  );
  assert.deepEqual(
    labels.get("pay")?.variants?.map(({ label }) => label),
    ["Card", "Cash"],
  );
});
