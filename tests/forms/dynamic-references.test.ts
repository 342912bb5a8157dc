import assert from "node:assert/strict";
import { test } from "node:test";
import {
  checkValue,
  compileForm,
  createFormValidator,
  missingRequired,
  viewValue,
  type FormDocument,
  type FormValue,
} from "../../packages/forms/src/index.ts";
import { createWorkerPool } from "../../src/workers/pool.ts";

/*
 * A schema that extends a recursive one means the extension in every place where the base says "the same again"
 * (the example of the JSON Schema documentation). Form, checker, required fields and both validators must agree.
 */

const tree = {
  $id: "https://example.com/tree",
  $dynamicAnchor: "node",
  type: "object",
  properties: { data: true, children: { type: "array", items: { $dynamicRef: "#node" } } },
};
const strictTree = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: "https://example.com/strict-tree",
  $dynamicAnchor: "node",
  $ref: "tree",
  required: ["label"],
  properties: { label: { type: "string", minLength: 1 } },
  unevaluatedProperties: false,
  $defs: { tree },
};
/** A list of anything, and two lists that say of what. */
const lists = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { numbers: { $ref: "numbers" }, words: { $ref: "words" } },
  $defs: {
    list: {
      $id: "list",
      type: "array",
      items: { $dynamicRef: "#item" },
      $defs: { any: { $dynamicAnchor: "item" } },
    },
    numbers: { $id: "numbers", $ref: "list", $defs: { item: { $dynamicAnchor: "item", type: "number" } } },
    words: { $id: "words", $ref: "list", $defs: { item: { $dynamicAnchor: "item", type: "string" } } },
  },
};
const old = {
  $schema: "https://json-schema.org/draft/2019-09/schema",
  $id: "https://example.com/strict",
  $recursiveAnchor: true,
  $ref: "base",
  required: ["label"],
  properties: { label: { type: "string" } },
  unevaluatedProperties: false,
  $defs: {
    base: {
      $id: "base",
      $recursiveAnchor: true,
      type: "object",
      properties: { children: { type: "array", items: { $recursiveRef: "#" } } },
    },
  },
};

const cases: readonly (readonly [string, unknown, FormValue, boolean])[] = [
  ["strict tree", strictTree, { label: "a", children: [{ label: "b", data: 1 }] }, true],
  ["strict tree", strictTree, { label: "a", children: [{ label: "b", daat: 1 }] }, false],
  ["strict tree", strictTree, { label: "a", children: [{ label: "b", children: [{ label: "" }] }] }, false],
  ["strict tree", strictTree, { label: "a", children: [{}] }, false],
  ["the tree by itself", tree, { children: [{ daat: 1 }] }, true],
  ["the tree by itself", tree, { children: [7] }, false],
  ["two lists", lists, { numbers: [1, 2], words: ["a"] }, true],
  ["two lists", lists, { numbers: ["a"] }, false],
  ["two lists", lists, { words: [1] }, false],
  ["2019-09", old, { label: "a", children: [{ label: "b" }] }, true],
  ["2019-09", old, { label: "a", children: [{ label: "b", more: 1 }] }, false],
  ["2019-09", old, { label: "a", children: [{}] }, false],
];

function formOf(schema: unknown): FormDocument {
  const { form } = compileForm(schema, { formId: "form_test" });
  assert.ok(form);
  return form;
}

test("every validator means the same by a dynamic reference", async () => {
  const pool = createWorkerPool({ queueMs: 60_000 });
  try {
    for (const [name, schema, value, expected] of cases) {
      const label = `${name} ${JSON.stringify(value)}`;
      assert.equal((await pool.validate(schema, value)).valid, expected, `server: ${label}`);
      assert.equal(checkValue(schema, value), expected ? "valid" : "invalid", `checker: ${label}`);
      assert.equal(createFormValidator(formOf(schema))(value).length === 0, expected, `browser: ${label}`);
    }
  } finally {
    await pool.close();
  }
});

test("the form of an extended schema has the extension at every level", () => {
  const form = formOf(strictTree);
  const value = { label: "a", children: [{ label: "b", children: [{ label: "c", data: 1 }] }] };
  const { leaves } = viewValue(form, value);
  const shown = leaves.filter(({ shown: how }) => how === "field").map(({ pointer }) => pointer);
  assert.deepEqual(shown, ["/label", "/children/0/label", "/children/0/children/0/label"]);
  const missing = missingRequired(strictTree, { label: "a", children: [{ children: [{}] }] }).missing;
  assert.deepEqual(missing.map(({ pointer }) => pointer).sort(), [
    "/children/0/children/0/label",
    "/children/0/label",
  ]);
});

test("the same list is a list of numbers here and of words there", () => {
  const { leaves } = viewValue(formOf(lists), { numbers: [1], words: ["a"] });
  assert.deepEqual(
    leaves.map(({ pointer, field }) => [pointer, field.widget]),
    [
      ["/numbers/0", "number"],
      ["/words/0", "text"],
    ],
  );
});
