import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compileForm } from "../compile/compile.ts";
import type { Field, FormDocument } from "../compile/document.ts";
import { formDocumentSchema } from "../compile/document-schema.ts";
import { rootField } from "../values/fields.ts";
import { uiHints, withHints } from "./hints.ts";
import type { JsonObject } from "../values/json.ts";
import { translateForm } from "./translate.ts";
import { validate } from "../check/validate.ts";
import { evaluate } from "../check/check.ts";

/* Long on purpose: a list of cases, one for each hint. */

function formOf(schema: JsonObject, document?: unknown): FormDocument {
  const whole = document === undefined ? schema : withHints(schema, document);
  const { form, refusal } = compileForm(whole, { formId: "t", hints: uiHints });
  assert.ok(form, refusal?.message);
  // What hints add stays within svc.form.v1.
  const { verdict, problems } = validate(formDocumentSchema, JSON.parse(JSON.stringify(form)));
  assert.equal(verdict, "valid", JSON.stringify(problems));
  return form;
}

function at(form: FormDocument, ...names: readonly string[]): Field {
  let field = rootField(form);
  for (const name of names) {
    const next = name === "*" ? field.items : field.children?.find((child) => child.name === name);
    assert.ok(next, `no field ${name} in ${field.children?.map((child) => child.name).join()}`);
    field = next;
  }
  return field;
}

const names = (field: Field) => field.children?.map(({ name }) => name);
const notes = (form: FormDocument) =>
  form.notes.filter(({ code }) => code === "hint").map(({ message }) => message);

const PERSON: JsonObject = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string" },
    kind: { enum: ["private", "company"] },
    vat: { type: "string" },
    bio: { type: "string", description: "About you" },
    address: { $ref: "#/$defs/address" },
    other: { $ref: "#/$defs/address" },
    tags: {
      type: "array",
      items: { type: "object", properties: { text: { type: "string" }, weight: { type: "number" } } },
    },
  },
  $defs: {
    address: {
      type: "object",
      properties: { street: { type: "string" }, zip: { type: "string" }, city: { type: "string" } },
    },
  },
};

describe("hints in the schema", () => {
  it("orders, names, explains and groups fields", () => {
    const form = formOf({
      type: "object",
      "x-ui": {
        order: ["b", "*", "a"],
        sections: [{ title: "First", fields: ["b", "c"], columns: 2 }],
      },
      properties: {
        a: {
          type: "string",
          "x-ui": { title: "Alpha", help: "The first letter", placeholder: "a…", widget: "multiline" },
        },
        b: { type: "string", "x-ui": { span: 2, readOnly: true } },
        c: { enum: [1, 2], "x-ui": { labels: { 1: "One" }, widget: "radio" } },
      },
    });
    assert.deepEqual(names(at(form)), ["b", "c", "a"]);
    const a = at(form, "a");
    assert.deepEqual(
      [a.label, a.help, a.widget, a.ui],
      ["Alpha", "The first letter", "multiline", { placeholder: "a…" }],
    );
    assert.equal(at(form, "b").readOnly, true);
    assert.deepEqual(at(form, "b").ui, { span: 2 });
    assert.deepEqual(
      at(form, "c").options?.map(({ label }) => label),
      ["One", "2"],
    );
    assert.deepEqual(at(form, "c").ui, { widget: "radio" });
    assert.deepEqual(form.root.ui, { sections: [{ title: "First", fields: ["b", "c"], columns: 2 }] });
    assert.deepEqual(notes(form), []);
  });

  it("shows and unlocks fields by what others hold", () => {
    const form = formOf({
      type: "object",
      properties: {
        kind: { enum: ["a", "b"] },
        more: { type: "string", "x-ui": { visible: { field: "kind", is: "b" } } },
        deep: {
          type: "object",
          properties: {
            x: { type: "string", "x-ui": { enabled: { not: { field: "/kind", present: true } } } },
          },
        },
      },
    });
    const visible = at(form, "more").ui?.visible;
    assert.equal(visible?.on, "holder");
    assert.ok(
      visible &&
        evaluate(visible.when, { kind: "b" }) &&
        !evaluate(visible.when, { kind: "a" }) &&
        !evaluate(visible.when, {}),
    );
    assert.equal(visible.text, "`kind` is b");
    const enabled = at(form, "deep", "x").ui?.enabled;
    assert.equal(enabled?.on, "root");
    assert.ok(enabled && evaluate(enabled.when, {}) && !evaluate(enabled.when, { kind: "a" }));
  });

  it("are read beside a reference, and at a definition", () => {
    const form = formOf({
      type: "object",
      properties: {
        home: { $ref: "#/$defs/place", "x-ui": { title: "Home" } },
        work: { $ref: "#/$defs/place" },
      },
      $defs: {
        place: {
          type: "object",
          "x-ui": { columns: 2 },
          properties: { a: { type: "string", "x-ui": { title: "Ä" } } },
        },
      },
    });
    assert.equal(at(form, "home").label, "Home");
    assert.equal(at(form, "home", "a").label, "Ä");
    assert.deepEqual(at(form, "work").ui, { columns: 2 });
  });

  it("have no effect without the reader, and change no verdict", () => {
    const schema: JsonObject = {
      type: "object",
      properties: { a: { type: "string", "x-ui": { hidden: true } } },
    };
    assert.equal(compileForm(schema, { formId: "t" }).form?.fields[0]?.ui, undefined);
    assert.equal(formOf(schema).fields[0]?.ui?.hidden, true);
    assert.equal(validate(schema, { a: 1 }).verdict, "invalid");
  });

  it("report what is not known and never throw", () => {
    const form = formOf({
      type: "object",
      "x-ui": {
        colour: "red",
        order: ["nope"],
        sections: [{ title: 7, fields: ["a", "nope"] }, "x"],
        columns: 99,
      },
      properties: {
        a: {
          type: "string",
          "x-ui": {
            widget: "stars",
            visible: { field: 3 },
            enabled: {
              all: [
                { field: "b", is: 1 },
                { field: "/b", is: 1 },
              ],
            },
            i18n: { "!": {} },
          },
        },
        b: { type: "number", "x-ui": "no object" },
      },
    });
    const text = notes(form).join("\n");
    for (const part of [
      "“colour”",
      "“order” names nope",
      "a section names nope",
      "“columns”",
      "“stars”",
      "`field` names no field",
      "siblings and pointers",
      "“i18n”",
    ])
      assert.ok(text.includes(part), `${part} in ${text}`);
    assert.deepEqual(names(at(form)), ["a", "b"]);
  });
});

describe("hints of react-jsonschema-form", () => {
  it("are read at every depth", () => {
    const form = formOf(PERSON, {
      "ui:order": ["kind", "*"],
      name: { "ui:placeholder": "Ada", "ui:help": "As in the passport" },
      kind: { "ui:widget": "radio", "ui:enumNames": ["Private person", "Company"] },
      vat: { "ui:widget": "hidden" },
      bio: { "ui:widget": "textarea", "ui:options": { rows: 7 }, "ui:description": "Freely" },
      address: { zip: { "ui:title": "Postcode", "ui:readonly": true } },
      tags: { items: { "ui:order": ["weight", "text"], text: { "ui:widget": "password" } } },
    });
    assert.deepEqual(notes(form), []);
    assert.equal(names(at(form))?.[0], "kind");
    assert.equal(at(form, "name").help, "As in the passport");
    assert.deepEqual(
      at(form, "kind").options?.map(({ label }) => label),
      ["Private person", "Company"],
    );
    assert.equal(at(form, "vat").ui?.hidden, true);
    assert.deepEqual(
      [at(form, "bio").widget, at(form, "bio").help, at(form, "bio").ui],
      ["multiline", "Freely", { options: { rows: 7 } }],
    );
    const zip = at(form, "address", "zip");
    assert.deepEqual([zip.label, zip.readOnly, zip.path], ["Postcode", true, "/address/zip"]);
    assert.deepEqual(names(at(form, "tags", "*")), ["weight", "text"]);
    assert.deepEqual(
      [at(form, "tags", "*", "text").widget, at(form, "tags", "*", "text").secret],
      ["password", true],
    );
  });

  it("give one place of a shared definition hints of its own", () => {
    const shared: JsonObject = {
      type: "object",
      properties: { left: { $ref: "#/$defs/node" }, right: { $ref: "#/$defs/node" } },
      $defs: {
        node: { type: "object", properties: { label: { type: "string" }, next: { $ref: "#/$defs/node" } } },
      },
    };
    const form = formOf(shared, { left: { next: { label: { "ui:title": "Second" } } } });
    const left = at(form, "left", "next");
    assert.equal(left.children?.find(({ name }) => name === "label")?.label, "Second");
    assert.equal(left.children?.find(({ name }) => name === "label")?.path, "/left/next/label");
    assert.equal(left.children?.find(({ name }) => name === "next")?.widget, "reference");
    assert.deepEqual(notes(form), []);
  });

  it("report what has no effect", () => {
    const text = notes(
      formOf(PERSON, {
        "ui:classNames": "wide",
        name: { "ui:widget": { a: 1 }, "ui:field": "geo" },
        nobody: { "ui:title": "x" },
      }),
    ).join("\n");
    for (const part of ["“ui:classNames”", "“ui:widget” is no name", "“geo”", "no field /nobody"])
      assert.ok(text.includes(part), text);
  });
});

describe("UI schemas of JSON Forms", () => {
  it("name the whole form and fields of a branch as JSON Forms does", () => {
    const schema = {
      type: "object",
      properties: { kind: { enum: ["a", "b"] }, tags: { type: "array", items: { type: "string" } } },
      anyOf: JSON.parse(
        '[{"if":{"properties":{"kind":{"const":"a"}}},"then":{"properties":{"more":{"type":"string"}}}}]',
      ),
    };
    const form = formOf(schema, {
      type: "VerticalLayout",
      elements: [
        { type: "Control", scope: "#/anyOf/0/then/properties/more", label: "More of it" },
        { type: "Control", scope: "/properties/tags", options: { showSortButtons: true } },
      ],
    });
    assert.deepEqual(notes(form), []);
    assert.equal(at(form, "more").label, "More of it");
    assert.deepEqual(notes(formOf(PERSON, { type: "Control", scope: "#/" })), []);
    assert.match(notes(formOf(PERSON, { type: "Control", scope: "#/$defs/x" })).join(), /names no property/);
  });

  it("become sections, columns and conditions", () => {
    const form = formOf(PERSON, {
      type: "VerticalLayout",
      elements: [
        {
          type: "HorizontalLayout",
          elements: [
            { type: "Control", scope: "#/properties/name", label: "Full name" },
            { type: "Control", scope: "#/properties/kind" },
          ],
        },
        {
          type: "Group",
          label: "Company",
          rule: { effect: "SHOW", condition: { scope: "#/properties/kind", schema: { const: "company" } } },
          elements: [
            {
              type: "Control",
              scope: "#/properties/vat",
              rule: {
                effect: "DISABLE",
                condition: { scope: "#/properties/name", schema: { not: { minLength: 1, type: "string" } } },
              },
            },
          ],
        },
        { type: "Control", scope: "#/properties/bio", options: { multi: true } },
        { type: "Control", scope: "#/properties/address/properties/city" },
        {
          type: "Control",
          scope: "#/properties/tags",
          options: {
            detail: { type: "VerticalLayout", elements: [{ type: "Control", scope: "#/properties/weight" }] },
          },
        },
      ],
    });
    assert.deepEqual(notes(form), []);
    const { sections = [] } = form.root.ui ?? {};
    assert.deepEqual(
      sections.map(({ title, fields, columns }) => [title, fields, columns]),
      [
        [undefined, ["name", "kind"], 12],
        ["Company", ["vat"], undefined],
        [undefined, ["bio", "address", "tags"], undefined],
      ],
    );
    assert.deepEqual([at(form, "name").label, at(form, "name").ui?.span], ["Full name", 6]);
    const visible = sections[1]?.visible;
    assert.ok(visible && evaluate(visible.when, { kind: "company" }) && !evaluate(visible.when, {}));
    const enabled = at(form, "vat").ui?.enabled;
    assert.ok(enabled && evaluate(enabled.when, { name: "Ada" }) && !evaluate(enabled.when, {}));
    assert.equal(at(form, "bio").widget, "multiline");
    assert.deepEqual(names(at(form, "address")), ["city", "street", "zip"]);
    assert.deepEqual(names(at(form, "tags", "*")), ["weight", "text"]);
  });

  it("report elements and rules that are not known", () => {
    const text = notes(
      formOf(PERSON, {
        type: "Categorization",
        elements: [
          {
            type: "Category",
            label: "One",
            elements: [{ type: "Control", scope: "#/definitions/x" }, { type: "Star" }, 5],
          },
          {
            type: "Category",
            label: "Two",
            elements: [
              {
                type: "Control",
                scope: "#/properties/name",
                rule: { effect: "EXPLODE", condition: { scope: "#/properties/kind", schema: {} } },
              },
            ],
          },
        ],
      }),
    ).join("\n");
    for (const part of ["names no property", "“Star”", "no element", "SHOW, HIDE"])
      assert.ok(text.includes(part), text);
  });
});

describe("hints by JSON Pointer", () => {
  it("are a third document", () => {
    const form = formOf(PERSON, {
      "": { columns: 2 },
      "/bio": { title: "Life" },
      "/tags/*/text": { title: "Tag" },
    });
    assert.equal(form.root.ui?.columns, 2);
    assert.equal(at(form, "bio").label, "Life");
    assert.equal(at(form, "tags", "*", "text").label, "Tag");
    assert.deepEqual(notes(form), []);
  });

  it("translate labels, help and options", () => {
    const form = formOf(PERSON, {
      "": { sections: [{ title: "All", fields: ["name", "kind"] }], i18n: { de: { sections: ["Alles"] } } },
      "/kind": {
        i18n: { de: { title: "Art", help: "Bitte wählen", labels: { private: "privat", company: "Firma" } } },
      },
    });
    assert.deepEqual(at(form, "kind").ui?.i18n?.["de"], {
      label: "Art",
      help: "Bitte wählen",
      options: ["privat", "Firma"],
    });
    assert.deepEqual(form.root.ui?.i18n?.["de"], { sections: ["Alles"] });
  });
});

describe("translated forms", () => {
  it("take texts from hints, then from the page, and keep values", () => {
    const form = formOf(PERSON, {
      "": { i18n: { de: { title: "Person (deutsch)" } } },
      "/kind": { i18n: { de: { title: "Art", labels: { company: "Firma" } } } },
    });
    const german = translateForm(form, "de-AT", (text, { kind, path }) =>
      kind === "label" && path === "/name" ? `${text} auf Deutsch` : undefined,
    );
    assert.equal(german.title, "Person (deutsch)");
    assert.equal(at(german, "name").label, "Name auf Deutsch");
    assert.equal(at(german, "kind").label, "Art");
    assert.deepEqual(at(german, "kind").options, [
      { value: "private", label: "private" },
      { value: "company", label: "Firma" },
    ]);
    assert.equal(at(german, "vat").label, at(form, "vat").label);
    assert.deepEqual(german.validation, form.validation);
    assert.equal(translateForm(form, "fr").fields[1]?.label, form.fields[1]?.label);
  });
});

describe("hostile hints", () => {
  const deep = (levels: number, wrap: (inner: unknown) => unknown, inner: unknown) => {
    let made = inner;
    for (let level = 0; level < levels; level++) made = wrap(made);
    return made;
  };
  const cases: readonly (readonly [string, unknown])[] = [
    [
      "deep layouts",
      deep(11, (inner) => ({ type: "Group", elements: [inner] }), {
        type: "Control",
        scope: "#/properties/name",
      }),
    ],
    ["deep uiSchema", deep(25, (inner) => ({ address: inner }), { "ui:title": "x" })],
    [
      "deep conditions",
      { "/name": { visible: deep(20, (inner) => ({ not: inner }), { field: "kind", is: 1 }) } },
    ],
    ["wide order", { "ui:order": Array.from({ length: 5_000 }, (_, index) => `n${index}`) }],
    ["wide sections", { "": { sections: Array.from({ length: 500 }, () => ({ fields: ["name"] })) } }],
    [
      "a scope that leads round",
      {
        type: "VerticalLayout",
        elements: [{ type: "Control", scope: `#${"/properties/address".repeat(400)}` }],
      },
    ],
    [
      "names of the prototype",
      { __proto__x: {}, constructor: { "ui:widget": "constructor" }, toString: { "ui:title": "x" } },
    ],
    ["no object", [1, 2]],
    ["a text", "x"],
  ];
  for (const [name, document] of cases)
    it(`${name}: bounded, with every field`, () => {
      const form = formOf(PERSON, document);
      assert.equal(at(form).children?.length, 7);
      assert.ok(JSON.stringify(form).length < 60_000);
      assert.ok(form.notes.length <= 60);
    });

  it("copies of a shared part end at a bound", () => {
    const wide = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`f${index}`, { type: "string" }]),
    );
    const schema: JsonObject = {
      type: "object",
      properties: Object.fromEntries(
        Array.from({ length: 80 }, (_, index) => [`p${index}`, { $ref: "#/$defs/wide" }]),
      ),
      $defs: { wide: { type: "object", properties: wide } },
    };
    const document = Object.fromEntries(
      Array.from({ length: 80 }, (_, index) => [`p${index}`, { f1: { "ui:title": "x" } }]),
    );
    const form = formOf(schema, document);
    assert.ok(JSON.stringify(form).length < 120_000);
    assert.ok(
      form.fields.every(({ widget }) => widget !== "json"),
      "no field is given up for a hint",
    );
    assert.ok(notes(form).some((text) => text.includes("too large")));
  });
});
