import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import {
  checkValue,
  compileForm,
  createFormValidator,
  everyField,
  openJson,
  PUBLIC_BOUNDS,
  rootField,
  saveJson,
  viewValue,
} from "../../packages/forms/src/index.ts";
import { checkText } from "../../src/workers/schema-checker.ts";
import { referee } from "./referee.ts";
import { CONSTRUCTS } from "./constructs.ts";

/*
 * Every construct becomes the widgets that it should, shows its data, keeps it byte for byte, and is checked alike by
 * the form's own check, the browser's validator and the server's.
 */

for (const { name, schema, fields: wanted, valid, invalid } of CONSTRUCTS) {
  test(name, () => {
    const { form } = compileForm(schema, { formId: "form_test", bounds: PUBLIC_BOUNDS });
    assert.ok(form);
    const fields = [rootField(form), ...Object.values(form.definitions)].flatMap((field) =>
      everyField(field),
    );
    for (const [path, want] of Object.entries(wanted)) {
      const found = fields.filter((field) => field.path === path);
      const expected = typeof want === "string" ? { widget: want } : want;
      assert.ok(
        found.some((field) => isDeepStrictEqual({ ...field, ...expected }, field)),
        `${path} is ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`,
      );
    }
    for (const field of fields)
      if (field.widget === "json") assert.ok(field.raw, `${field.path} is raw without a reason`);

    const text = JSON.stringify(valid);
    const opened = openJson(text);
    const view = viewValue(form, opened.value);
    assert.ok(view.leaves.length > 0);
    for (const { pointer, shown, reason } of view.leaves)
      assert.ok(shown !== "blank" && reason !== "does_not_fit", `${pointer} is ${shown}, ${reason}`);
    assert.equal(saveJson(opened, view.value), text);

    const server = (value: unknown) => checkText(JSON.stringify(schema), JSON.stringify(value)).problems;
    const validators = { server, browser: createFormValidator(form) };
    const other = JSON.stringify(schema).includes("$dynamicRef") ? null : referee(schema);
    assert.equal(other?.(valid) ?? true, true, "another validator accepts the value");
    if (invalid !== undefined)
      assert.equal(other?.(invalid) ?? false, false, "another validator refuses the other");
    assert.equal(checkValue(schema, valid), "valid");
    for (const [where, validate] of Object.entries(validators)) assert.deepEqual(validate(valid), [], where);
    if (invalid === undefined) return;
    assert.equal(checkValue(schema, invalid), "invalid");
    for (const [where, validate] of Object.entries(validators)) {
      const problems = validate(invalid);
      assert.ok(problems.length > 0, `${where} accepts ${JSON.stringify(invalid)}`);
      for (const { message } of problems) assert.ok(message.length > 5, where);
    }
  });
}

test("names are unique, and there are as many constructs as there were", () => {
  assert.equal(new Set(CONSTRUCTS.map(({ name }) => name)).size, CONSTRUCTS.length);
  assert.ok(CONSTRUCTS.length >= 55, String(CONSTRUCTS.length));
});
