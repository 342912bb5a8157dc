import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  compileForm,
  effectiveField,
  everyField,
  PUBLIC_BOUNDS,
  requiredValue,
  rootField,
  startValue,
  TRUSTED_BOUNDS,
  viewValue,
  visibleChildren,
  type Bounds,
  type Field,
  type FormDocument,
  type FormValue,
} from "../../packages/forms/src/index.ts";
import { sampleValue } from "../../packages/forms/src/sample.ts";
import { operationSchema, readApi } from "../../src/sources/openapi.ts";

/*
 * Defects that were found on schemas of others, each with the smallest schema that shows it. A case here once failed.
 * Long on purpose: a list of cases.
 */

function formOf(schema: unknown, bounds: Bounds = TRUSTED_BOUNDS): FormDocument {
  const { form, refusal } = compileForm(schema, { formId: "form_test", bounds });
  assert.ok(form, refusal?.message);
  return form;
}

function fieldsOf(form: FormDocument): readonly Field[] {
  return [rootField(form), ...Object.values(form.definitions)].flatMap((field) => everyField(field));
}

function child(form: FormDocument, name: string, value: FormValue = {}): Field {
  const root = effectiveField(form, rootField(form), value, undefined);
  const found = visibleChildren(form, root, value).find((field) => field.name === name);
  assert.ok(found, `there is no field for ${name}`);
  return found;
}

function many(count: number, make: (index: number) => unknown): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, make(index)]));
}

function text(value: unknown): string {
  return JSON.stringify(value);
}

describe("a schema of a few kilobytes stays a document of a few", () => {
  const list = (count: number, make: (index: number) => unknown): unknown[] =>
    Object.values(many(count, make));
  const cases: Readonly<Record<string, unknown>> = {
    "members that refer to the root": { properties: many(900, () => ({ $ref: "#", type: "object" })) },
    "each with a limit of its own": {
      properties: many(900, (index) => ({ $ref: "#", minProperties: index })),
    },
    "tuples of tuples": {
      type: "array",
      prefixItems: list(500, (index) => ({ $ref: "#", minItems: index })),
    },
    "patterns that lead back": {
      type: "object",
      patternProperties: many(500, (index) => ({ $ref: "#", minProperties: index })),
    },
    "a long description used again and again": {
      type: "object",
      $defs: {
        a: { type: "object", description: "x".repeat(20_000), properties: { b: { type: "string" } } },
      },
      properties: many(600, (index) => ({ $ref: "#/$defs/a", maxProperties: index })),
    },
    "a long name above many members": {
      properties: {
        ["n".repeat(30_000)]: { type: "object", properties: many(500, () => ({ type: "string" })) },
      },
    },
    "hundreds of conditions on all members": {
      type: "object",
      properties: many(100, () => ({ type: "string" })),
      allOf: list(300, (index) => ({
        if: { properties: { p1: { const: index } } },
        // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
        then: { $ref: "#", required: [`p${index}`] },
      })),
    },
  };
  for (const [name, schema] of Object.entries(cases)) {
    test(name, () => {
      const form = formOf(schema, PUBLIC_BOUNDS);
      assert.ok(fieldsOf(form).length <= PUBLIC_BOUNDS.fields + 1, `${fieldsOf(form).length} fields`);
      assert.ok(text(form).length < PUBLIC_BOUNDS.output, `${text(form).length} characters`);
      for (const field of fieldsOf(form)) if (field.widget === "json") assert.ok(field.raw);
    });
  }

  test("what is the same is written once: a definition that many members share", () => {
    const part = { type: "object", properties: many(8, () => ({ type: "string", description: "A text." })) };
    const schema = {
      type: "object",
      // The same schema written out again and again, not a reference to one.
      properties: many(100, (index) => ({
        type: "object",
        properties: { [`q${index}`]: { type: "string" }, part, parts: { type: "array", items: part } },
      })),
    };
    const form = formOf(schema);
    assert.equal(form.fallback.parts.length, 0);
    assert.ok(text(form).length < 3 * text(schema).length, `${text(form).length} of ${text(schema).length}`);
  });

  test("copies are given up before parts become raw JSON", () => {
    const help = "A text about this member of the part, of some length.";
    const part = { type: "object", properties: many(4, () => ({ type: "string", description: help })) };
    const schema = {
      $defs: many(4, () => part),
      oneOf: list(30, (index) => ({
        type: "object",
        properties: { kind: { const: index }, ...many(4, (at) => ({ $ref: `#/$defs/p${at}` })) },
      })),
    };
    const output = 0.9 * text(formOf(schema)).length;
    const { form, isCut } = compileForm(schema, { formId: "test", bounds: { ...TRUSTED_BOUNDS, output } });
    assert.equal(isCut, false);
    assert.ok(text(form).length <= output);
    assert.equal(form?.fallback.parts.length, 0);
  });

  test("a long text about many values stands with none of them, a short one with each", () => {
    const schema = (description: string): unknown => ({
      type: "object",
      properties: {
        icon: {
          anyOf: [
            { enum: list(40, (index) => `icon-${index}`), description },
            { type: "string", format: "uri" },
          ],
        },
      },
    });
    const long = schema("x".repeat(5_000));
    assert.ok(text(formOf(long)).length < 3 * text(long).length);
    assert.equal(child(formOf(schema("An icon")), "icon").options?.[39]?.help, "An icon");
  });
});

describe("no part is without a way to fill it in", () => {
  const open: readonly unknown[] = [
    { type: "object", properties: {}, additionalProperties: {} },
    { type: "object", properties: {}, additionalProperties: true },
    { type: "object", properties: {} },
  ];
  for (const inputs of open) {
    test(`${text(inputs)} below the root`, () => {
      const form = formOf({ type: "object", properties: { inputs } });
      assert.equal(child(form, "inputs").widget, "json");
      assert.equal(child(form, "inputs").raw?.code, "free_object");
      const [leaf] = viewValue(form, { inputs: { a: 1 } }).leaves;
      assert.notEqual(leaf?.shown, "blank");
    });
  }

  test("as an item, as an alternative and inside a definition", () => {
    const inputs = open[0];
    const form = formOf({
      $defs: { tree: { type: "object", properties: { extra: inputs, next: { $ref: "#/$defs/tree" } } } },
      type: "object",
      properties: {
        list: { type: "array", items: inputs },
        either: { oneOf: [inputs, { type: "string" }] },
        tree: { $ref: "#/$defs/tree" },
      },
    });
    const blank = fieldsOf(form).filter(
      (field) => field.widget === "group" && (field.children ?? []).length === 0 && !field.map,
    );
    assert.deepEqual(blank, []);
  });

  test("a tool without parameters has nothing to fill in, and that is no fault", () => {
    const form = formOf({ type: "object", properties: {} });
    assert.deepEqual(form.fields, []);
    assert.equal(form.fallback.whole, false);
  });

  test("the map of one part stays when another part says that nothing else is allowed", () => {
    const form = formOf({
      type: "object",
      allOf: [{ properties: { a: { type: "string" } }, additionalProperties: { type: "integer" } }],
      unevaluatedProperties: false,
    });
    assert.equal(rootField(form).map?.additional?.type, "integer");
  });

  test("values listed for a list as a whole are offered for its items, and the mistake is reported", () => {
    const form = formOf({
      type: "object",
      properties: { tags: { type: "array", enum: ["a", "b"], items: { type: "string" } } },
    });
    const tags = child(form, "tags");
    assert.equal(tags.widget, "list");
    assert.deepEqual(
      tags.items?.options?.map((option) => option.value),
      ["a", "b"],
    );
    assert.match(tags.rules?.join(" ") ?? "", /no list is valid/);
    const wrong = child(formOf({ properties: { n: { type: "string", enum: [1, 2] } } }), "n");
    assert.equal(wrong.raw?.code, "contradiction");
  });
});

describe("conditions", () => {
  const chain = (links: number): Record<string, unknown> =>
    Array.from({ length: links }, (_, index) => links - 1 - index).reduce<Record<string, unknown>>(
      (rest, index) => ({
        if: { properties: { kind: { const: `k${index}` } }, required: ["kind"] },
        // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
        then: { properties: { [`m${index}`]: { type: "string" } }, required: [`m${index}`] },
        ...(Object.keys(rest).length > 0 && { else: rest }),
      }),
      {},
    );

  test("an else-if chain of 40 links shows the member of each", () => {
    const form = formOf({ type: "object", properties: { kind: { type: "string" } }, ...chain(40) });
    for (const index of [0, 1, 9, 10, 25, 39]) {
      const value = { kind: `k${index}` };
      assert.equal(child(form, `m${index}`, value).required, true);
      const shown = visibleChildren(form, rootField(form), value).map((field) => field.name);
      assert.deepEqual(shown, ["kind", `m${index}`]);
    }
    assert.ok(text(form).length < 60_000, "a link does not repeat all the links before it");
  });

  test("alternatives and maps deep in a chain are drawn too", () => {
    const form = formOf({
      type: "object",
      properties: { kind: { type: "string" } },
      if: { properties: { kind: { const: "a" } }, required: ["kind"] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: { properties: { a: { type: "string" } } },
      else: {
        if: { properties: { kind: { const: "b" } }, required: ["kind"] },
        // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
        then: { patternProperties: { "^x-": { type: "integer" } } },
      },
    });
    const root = effectiveField(form, rootField(form), { kind: "b" }, undefined);
    assert.equal(root.map?.patterns[0]?.pattern, "^x-");
  });

  test("the items of a list follow a condition", () => {
    const form = formOf({
      type: "object",
      properties: {
        pair: {
          type: "array",
          minItems: 1,
          if: { prefixItems: [{ const: "n" }] },
          // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
          then: { prefixItems: [{ type: "string" }, { type: "integer" }] },
          else: { prefixItems: [{ type: "string" }, { type: "boolean" }] },
        },
      },
    });
    const second = (value: FormValue): string | undefined =>
      child(form, "pair", { pair: value }).tuple?.[1]?.type;
    assert.equal(second(["n"]), "integer");
    assert.equal(second(["b"]), "boolean");
  });
});

describe("alternatives", () => {
  test("members of which several may be given are offered together", () => {
    const form = formOf({
      type: "object",
      properties: { compilerOptions: { type: "object", properties: { strict: { type: "boolean" } } } },
      anyOf: ["include", "exclude", "files"].map((name) => ({
        properties: { [name]: { type: "array", items: { type: "string" } } },
      })),
    });
    const names = visibleChildren(form, rootField(form), {}).map((field) => field.name);
    assert.deepEqual(names, ["compilerOptions", "include", "exclude", "files"]);
    assert.deepEqual(form.initialValue, {});
  });

  test("alternatives that give a member another meaning stay a choice", () => {
    const form = formOf({
      type: "object",
      properties: { name: { type: "string" } },
      anyOf: [{ properties: { at: { type: "string" } } }, { properties: { at: { type: "integer" } } }],
    });
    assert.equal(rootField(form).widget, "variants");
  });

  test("alternatives have names that tell them apart", () => {
    const labels = (anyOf: readonly unknown[]): readonly string[] | undefined =>
      rootField(formOf({ anyOf })).variants?.map((variant) => variant.label);
    assert.deepEqual(
      labels([
        { type: "array", items: [{ enum: ["always", "never"] }] },
        { type: "array", items: { required: ["path"], properties: { path: { type: "string" } } } },
        { type: "array", items: { type: "string" } },
        { type: "array", items: { type: "array", items: { type: "array" } } },
      ]),
      ["A list: always, never", "A list: With path", "A list: Text", "A list: A list"],
    );
    assert.deepEqual(labels([{ type: ["string", "null"] }, { type: "number" }]), ["Text", "A number"]);
    const elsewhere = [
      { $ref: "https://a.example/lineItem.json" },
      { $ref: "https://a.example/parcel.json" },
    ];
    assert.deepEqual(labels(elsewhere), ["Line item", "Parcel"]);
  });

  test("300 alternatives are a choice, not one box of JSON", () => {
    const schema = {
      type: "object",
      properties: {
        block: {
          oneOf: Object.values(
            many(300, (index) => ({
              title: `Block ${index}`,
              type: "object",
              properties: { kind: { const: `b${index}` }, size: { type: "integer" } },
              required: ["kind"],
            })),
          ),
        },
      },
    };
    const block = child(formOf(schema), "block");
    assert.equal(block.variants?.length, 300);
    assert.equal(block.discriminator?.property, "kind");
  });

  test("a long pattern and a long enum are no reason to refuse a schema", () => {
    const form = formOf(
      {
        type: "object",
        properties: {
          shape: { type: "string", pattern: `^(${"abc|".repeat(150)}z)$` },
          city: { enum: Object.keys(many(1_500, () => 0)) },
        },
      },
      PUBLIC_BOUNDS,
    );
    assert.equal(child(form, "shape").widget, "text");
    assert.equal(child(form, "city").options?.length, 1_500);
  });
});

describe("start values", () => {
  test("a root of alternatives that are objects begins as an object", () => {
    const schema = {
      type: "object",
      anyOf: [
        { properties: { a: { type: "string" } } },
        { properties: { b: { type: "integer" }, a: false } },
      ],
    };
    assert.deepEqual(formOf(schema).initialValue, {});
    assert.deepEqual(
      formOf({ oneOf: [{ type: "string" }, { type: "object", title: "B" }] }).initialValue,
      {},
    );
    assert.deepEqual(formOf({ $ref: "#/$defs/a", $defs: { a: schema } }).initialValue, {});
  });

  test("a default that the schema does not allow is kept as a remark, not as a value", () => {
    const form = formOf({
      type: "object",
      properties: {
        size: { type: "integer", default: "large" },
        mode: { anyOf: [{ const: "a" }, { type: "integer" }], default: "z" },
        list: { type: "array", items: { type: "string" }, default: [1] },
        good: { type: "string", default: "yes" },
        nested: { type: "object", properties: { a: { type: "string" } }, default: { a: 5 } },
      },
    });
    assert.deepEqual(form.initialValue, { good: "yes" });
    assert.equal(child(form, "size").default, "large");
    const noted = form.notes.filter(({ code }) => code === "default_not_used").map((note) => note.schemaPath);
    assert.ok(
      noted.includes("/size") && noted.includes("/mode") && noted.some((path) => path.startsWith("/nested")),
      noted.join(),
    );
  });

  test("a person's form begins without the defaults of optional members", () => {
    const form = formOf({
      type: "object",
      required: ["mode", "kind"],
      properties: {
        mode: { enum: ["fast", "safe"], default: "safe" },
        kind: { const: "job" },
        retries: { type: "integer", default: 3 },
        options: { type: "object", properties: { dryRun: { type: "boolean", default: true } } },
      },
    });
    assert.deepEqual(requiredValue(form), { mode: "safe", kind: "job" });
    assert.deepEqual(startValue(form, child(form, "options"), "required"), undefined);
    assert.equal(form.initialValue !== null && Object.hasOwn(Object(form.initialValue), "retries"), true);
  });

  test("a definition that requires itself begins once", () => {
    const form = formOf({
      $defs: {
        node: {
          type: "object",
          properties: { kind: { const: "node" }, next: { $ref: "#/$defs/node" } },
          required: ["kind", "next"],
        },
      },
      $ref: "#/$defs/node",
    });
    assert.ok(text(form.initialValue).length < 80, text(form.initialValue));
  });
});

test("siblings that would be called the same are called by their names", () => {
  const form = formOf({
    type: "object",
    properties: { "dev-dependencies": { type: "string" }, dev_dependencies: { type: "string" }, name: {} },
  });
  assert.deepEqual(
    form.fields.map((field) => field.label),
    ["Dev dependencies (dev-dependencies)", "Dev dependencies (dev_dependencies)", "Name"],
  );
});

test("what stands inside a shared definition has a name in words", () => {
  const line = { type: "object", properties: many(14, () => ({ type: "string" })) };
  const form = formOf({
    type: "object",
    $defs: { line_items: { type: "array", items: line } },
    properties: { first: { $ref: "#/$defs/line_items" }, second: { $ref: "#/$defs/line_items" } },
  });
  assert.equal(child(form, "second").items?.label, "Line item");
  for (const { label } of Object.values(form.definitions))
    assert.ok(["Line items", "Line item"].includes(label));
});

test("members of an API's schemas may be called like keywords", () => {
  const names = ["default", "enum", "const", "example", "examples", "mapping", "required", "$ref"];
  const api = readApi(
    {
      openapi: "3.0.3",
      info: { title: "T", version: "1" },
      components: {
        schemas: {
          Text: { type: "string", maxLength: 7 },
          Thing: {
            type: "object",
            properties: Object.fromEntries(
              names.map((name) => [name, { $ref: "#/components/schemas/Text" }]),
            ),
          },
        },
      },
      paths: {
        "/things": {
          post: {
            operationId: "make",
            requestBody: {
              content: { "application/json": { schema: { $ref: "#/components/schemas/Thing" } } },
            },
          },
        },
      },
    },
    "https://api.example",
  );
  const [operation] = api.operations;
  assert.ok(operation);
  const { schema } = operationSchema(api, operation);
  assert.doesNotMatch(text(schema), /#\/components/);
  const form = formOf(schema);
  assert.equal(form.fallback.parts.length, 0);
  const limited = fieldsOf(form).filter((field) => field.constraints?.maxLength === 7);
  assert.ok(limited.length >= names.length || Object.keys(form.definitions).length > 0);
  assert.notEqual(sampleValue(form), undefined);
});
