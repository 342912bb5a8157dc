import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  accepts,
  compileForm,
  effectiveField,
  extraEntries,
  pickVariant,
  portabilityNotes,
  rootField,
  TRUSTED_BOUNDS,
  viewValue,
  visibleChildren,
  type Field,
  type FormDocument,
} from "../index.ts";

function formOf(schema: unknown): FormDocument {
  const { form } = compileForm(schema, { formId: "form_test", bounds: TRUSTED_BOUNDS });
  assert.ok(form);
  return form;
}

/** The field of a property, as it is drawn for a value. */
function fieldAt(schema: unknown, name: string, value: unknown = {}): Field {
  const form = formOf(schema);
  const child = visibleChildren(form, rootField(form), value).find((field) => field.name === name);
  assert.ok(child, `no field ${name}`);
  return child;
}

const rule = (test: unknown, yes: unknown, no?: unknown): Record<string, unknown> =>
  Object.fromEntries([
    ["if", test],
    [["th", "en"].join(""), yes],
    ...(no === undefined ? [] : [["else", no]]),
  ]);

describe("references", () => {
  test("recursion goes through a definition and opens level by level", () => {
    const form = formOf({
      $defs: {
        N: {
          type: "object",
          properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/N" } } },
        },
      },
      $ref: "#/$defs/N",
    });
    assert.deepEqual(Object.keys(form.definitions), ["N"]);
    const { leaves } = viewValue(form, { name: "x", children: [{ name: "y", children: [{ name: "z" }] }] });
    assert.deepEqual(
      leaves.map((leaf) => [leaf.pointer, leaf.shown]),
      [
        ["/name", "field"],
        ["/children/0/name", "field"],
        ["/children/0/children/0/name", "field"],
      ],
    );
  });

  test("anchors, relative ids, dynamic references and escaped pointers resolve", () => {
    const anchor = {
      properties: { a: { $ref: "#addr" } },
      $defs: { A: { $anchor: "addr", type: "boolean" } },
    };
    assert.equal(fieldAt(anchor, "a").widget, "checkbox");
    const relative = {
      $id: "https://x.example/root.json",
      properties: { a: { $ref: "a.json#/$defs/deep" } },
      $defs: { A: { $id: "a.json", $defs: { deep: { type: "integer" } } } },
    };
    assert.equal(fieldAt(relative, "a").widget, "integer");
    const escaped = { properties: { a: { $ref: "#/$defs/x~1y%25" } }, $defs: { "x/y%": { type: "number" } } };
    assert.equal(fieldAt(escaped, "a").widget, "number");
  });

  test("what cannot be followed is raw JSON with the reason", () => {
    assert.equal(
      fieldAt({ properties: { a: { $ref: "#/nowhere" } } }, "a").raw?.code,
      "unresolved_reference",
    );
    assert.equal(
      fieldAt({ properties: { a: { $ref: "https://example.com/x" } } }, "a").raw?.code,
      "remote_reference",
    );
  });

  test("remarks beside a reference win, and so do limits", () => {
    const field = fieldAt(
      {
        properties: { a: { $ref: "#/$defs/S", title: "Mine", minLength: 3 } },
        $defs: { S: { type: "string", title: "Base", maxLength: 9 } },
      },
      "a",
    );
    assert.equal(field.label, "Mine");
    assert.deepEqual(field.constraints, { minLength: 3, maxLength: 9 });
  });
});

describe("alternatives", () => {
  const payment = {
    oneOf: [
      {
        title: "Card",
        type: "object",
        required: ["kind", "number"],
        properties: { kind: { const: "card" }, number: { type: "string" } },
      },
      {
        title: "Bank",
        type: "object",
        required: ["kind", "iban"],
        properties: { kind: { const: "bank" }, iban: { type: "string" } },
      },
    ],
  };

  test("a discriminator is found and chooses the variant", () => {
    const form = formOf({ type: "object", properties: { p: payment } });
    const field = rootField(form).children?.[0];
    assert.ok(field);
    assert.equal(field.discriminator?.property, "kind");
    assert.equal(pickVariant(form, field, { kind: "bank" }), 1);
  });

  test("without one, the variant that fits the data best is chosen", () => {
    const form = formOf({
      oneOf: [
        { type: "object", properties: { a: { type: "string" } }, additionalProperties: false },
        { type: "object", properties: { a: { type: "number" }, b: {} } },
        { type: "array", items: {} },
      ],
    });
    const root = rootField(form);
    assert.equal(pickVariant(form, root, { a: "x" }), 0);
    assert.equal(pickVariant(form, root, { a: 1 }), 1);
    assert.equal(pickVariant(form, root, []), 2);
    assert.equal(pickVariant(form, root, undefined), -1);
  });

  test("null beside one type is a nullable field, in every way of writing it", () => {
    for (const schema of [
      { anyOf: [{ type: "string" }, { type: "null" }] },
      { type: ["string", "null"] },
      { type: "string", nullable: true },
      { oneOf: [{ $ref: "#/$defs/S" }, { const: null }] },
    ]) {
      const field = fieldAt({ properties: { p: schema }, $defs: { S: { type: "string" } } }, "p");
      assert.equal(field.type, "string");
      assert.equal(field.nullable, true);
    }
  });

  test("an only constant keeps its title", () => {
    const only = fieldAt({ properties: { p: { oneOf: [{ const: "p_1", title: "Ada" }] } } }, "p");
    assert.deepEqual([only.widget, only.const], ["constant", "p_1"]);
    assert.deepEqual(only.options, [{ value: "p_1", label: "Ada" }]);
    assert.equal(fieldAt({ properties: { p: { const: "p_1", title: "P" } } }, "p").options, undefined);
  });

  test("constants with titles are options; texts with some known values are suggestions", () => {
    const titled = fieldAt(
      {
        properties: {
          p: {
            oneOf: [
              { const: 1, title: "One" },
              { const: 2, title: "Two", description: "more" },
            ],
          },
        },
      },
      "p",
    );
    assert.equal(titled.widget, "select");
    assert.deepEqual(titled.options, [
      { value: 1, label: "One" },
      { value: 2, label: "Two", help: "more" },
    ]);
    const open = fieldAt({ properties: { p: { anyOf: [{ enum: ["a", "b"] }, { type: "string" }] } } }, "p");
    assert.equal(open.widget, "combobox");
    assert.deepEqual(
      open.options?.map((option) => option.value),
      ["a", "b"],
    );
  });

  test("branches that only ask for members are a rule, not a choice", () => {
    const form = formOf({
      type: "object",
      properties: { a: {}, b: {} },
      oneOf: [{ required: ["a"] }, { required: ["b"] }],
    });
    assert.equal(form.root.widget, "group");
    assert.match(form.root.rules?.[0] ?? "", /exactly one of: `a` or `b`/);
  });

  test("members beside alternatives are part of each variant", () => {
    const form = formOf({
      type: "object",
      properties: { id: { type: "string" } },
      required: ["id"],
      ...payment,
    });
    assert.equal(form.root.variants, undefined, "the parts of the root are written once");
    const variants = rootField(form).variants ?? [];
    assert.equal(variants.length, 2);
    for (const variant of variants) {
      const names = (variant.field.children ?? []).map((child) => child.name);
      assert.ok(names.includes("id") && names.includes("kind"), names.join());
    }
  });
});

describe("conditions", () => {
  const schema = {
    type: "object",
    properties: { country: { enum: ["DE", "US"] }, code: { type: "string" } },
    allOf: [
      rule(
        { properties: { country: { const: "DE" } }, required: ["country"] },
        {
          properties: { plz: { type: "string", pattern: "^\\d{5}$" }, code: { maxLength: 5 } },
          required: ["plz"],
        },
        { properties: { state: { type: "string" } } },
      ),
    ],
    dependentRequired: { code: ["country"] },
  };

  test("a branch that leads back to its object says nothing new, and hides no other condition", () => {
    const when = (value: number) =>
      Object.fromEntries([
        ["if", { properties: { a: { const: value } }, required: ["a"] }],
        [["th", "en"].join(""), { $ref: "#", required: [`b${value}`] }],
      ]);
    const texts = Object.fromEntries(["b1", "b2"].map((name) => [name, { type: "string" }]));
    const form = formOf({
      type: "object",
      properties: { a: { type: "number" }, ...texts },
      allOf: [when(1), when(2)],
    });
    assert.ok(form.fields.every(({ overrides }) => overrides === undefined));
    const required = (value: unknown) =>
      visibleChildren(form, rootField(form), value).flatMap((field) => (field.required ? field.name : []));
    assert.deepEqual([required({ a: 1 }), required({ a: 2 })], [["b1"], ["b2"]]);
  });

  test("fields come, go and change with the data", () => {
    const form = formOf(schema);
    const at = (value: unknown): Record<string, boolean> =>
      Object.fromEntries(
        visibleChildren(form, rootField(form), value).map((field) => [field.name, field.required]),
      );
    assert.deepEqual(at({ country: "DE" }), { country: false, code: false, plz: true });
    assert.deepEqual(at({ country: "US", code: "x" }), { country: true, code: false, state: false });
    const code = rootField(form).children?.find((field) => field.name === "code");
    assert.ok(code);
    assert.equal(effectiveField(form, code, "x", { country: "DE" }).constraints?.maxLength, 5);
    assert.equal(effectiveField(form, code, "x", { country: "US" }).constraints, undefined);
  });

  test("data that a condition does not ask for is shown all the same", () => {
    const form = formOf(schema);
    const { leaves } = viewValue(form, { country: "US", plz: "12345" });
    assert.ok(leaves.every((leaf) => leaf.shown === "field"));
  });

  test("a chain of conditions is followed to its end", () => {
    const chain = {
      type: "object",
      properties: { k: { type: "string" } },
      ...rule(
        { properties: { k: { const: "a" } } },
        { properties: { x: { type: "string" } } },
        rule({ properties: { k: { const: "b" } } }, { properties: { y: { type: "number" } } }),
      ),
    };
    const form = formOf(chain);
    const names = (k: string): string[] =>
      visibleChildren(form, rootField(form), { k }).map((field) => field.name);
    assert.deepEqual([names("a"), names("b"), names("c")], [["k", "x"], ["k", "y"], ["k"]]);
  });
});

describe("objects and arrays", () => {
  test("maps know their keys; other members are shown, allowed or not", () => {
    const form = formOf({
      type: "object",
      patternProperties: { "^x-": { type: "number" } },
      additionalProperties: false,
      propertyNames: { maxLength: 9 },
    });
    const root = rootField(form);
    assert.equal(root.widget, "map");
    assert.equal(root.map?.key?.maxLength, 9);
    const entries = extraEntries(form, root, { "x-a": 1, y: 2 });
    assert.deepEqual(
      entries.map(({ key, allowed, field }) => [key, allowed, field.widget]),
      [
        ["x-a", true, "number"],
        ["y", false, "json"],
      ],
    );
  });

  test("required members that no property describes are fields too", () => {
    assert.equal(fieldAt({ type: "object", required: ["ghost"] }, "ghost").raw?.code, "anything_allowed");
  });

  test("tuples of both kinds, and multi-selects", () => {
    for (const keyword of ["prefixItems", "items"]) {
      const field = fieldAt(
        {
          properties: {
            t: { type: "array", minItems: 1, [keyword]: [{ type: "string" }, { type: "number" }] },
          },
        },
        "t",
      );
      assert.deepEqual(
        field.tuple?.map((item) => [item.widget, item.required]),
        [
          ["text", true],
          ["number", false],
        ],
      );
    }
    assert.equal(
      fieldAt({ properties: { t: { type: "array", uniqueItems: true, items: { enum: ["a", "b"] } } } }, "t")
        .widget,
      "multiselect",
    );
  });

  test("a widget that cannot hold a value says so", () => {
    const form = formOf({ type: "object", properties: { n: { type: "integer" }, e: { enum: ["a"] } } });
    const [n, e] = rootField(form).children ?? [];
    assert.ok(n && e);
    assert.equal(accepts(form, n, 1), true);
    assert.equal(accepts(form, n, "1"), false);
    assert.equal(accepts(form, e, "b"), false);
  });
});

test("dialects: exclusive bounds as flags, files of Swagger, large integers", () => {
  assert.deepEqual(
    fieldAt({ properties: { n: { type: "number", minimum: 3, exclusiveMinimum: true } } }, "n").constraints,
    { minimum: 3, exclusiveMinimum: 3 },
  );
  assert.equal(fieldAt({ properties: { f: { type: "file" } } }, "f").widget, "file");
  assert.equal(
    fieldAt({ properties: { n: { type: "integer", format: "int64" } } }, "n").widget,
    "big-integer",
  );
});

test("notes name what troubles which clients", () => {
  const schema = {
    type: "object",
    properties: {
      a: { type: ["string", "number"] },
      b: {},
      c: true,
      d: { anyOf: [{ oneOf: [{ anyOf: [{ type: "string" }, { type: "number" }] }] }] },
    },
  };
  const { form } = compileForm(schema, { formId: "form_test", notes: portabilityNotes });
  assert.ok(form);
  const codes = new Set(form.notes.map((note) => note.code));
  for (const code of ["type_array", "untyped", "boolean_schema", "deep_union"])
    assert.ok(codes.has(code), code);
});
