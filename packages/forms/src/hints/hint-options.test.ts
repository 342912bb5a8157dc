import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { evaluate } from "../check/check.ts";
import { compileForm } from "../compile/compile.ts";
import type { Field, FormDocument } from "../compile/document.ts";
import { uiHints, withHints } from "./hints.ts";
import type { JsonObject } from "../values/json.ts";
import { translateForm } from "./translate.ts";

/** Widgets and options of other vocabularies, as this one has them. */

function formOf(schema: JsonObject, document: unknown): FormDocument {
  const { form } = compileForm(withHints(schema, document), { formId: "t", hints: uiHints });
  assert.ok(form);
  return form;
}
const at = (form: FormDocument, name: string): Field => {
  const field = form.fields.find((each) => each.name === name);
  assert.ok(field, name);
  return field;
};
const notes = (form: FormDocument): readonly string[] =>
  form.notes.filter(({ code }) => code === "hint").map(({ message }) => message);

const SCHEMA: JsonObject = {
  type: "object",
  properties: {
    size: { type: "integer", minimum: 1, maximum: 9 },
    open: { type: "number" },
    on: { type: "boolean" },
    city: { type: "string", maxLength: 12 },
    level: { type: "string", enum: ["low", "middle", "high"] },
    people: {
      type: "array",
      items: { type: "object", properties: { name: { type: "string" }, home: { type: "object" } } },
    },
  },
};
const control = (name: string, more: object = {}) => ({
  type: "Control",
  scope: `#/properties/${name}`,
  ...more,
});
const layout = (...elements: unknown[]) => ({ type: "VerticalLayout", elements });

describe("options of JSON Forms", () => {
  it("become widgets and options of ours", () => {
    const form = formOf(
      SCHEMA,
      layout(
        control("size", { options: { slider: true, step: 2 } }),
        control("on", { options: { toggle: true }, label: false }),
        control("city", { options: { suggestion: ["Oslo", "Rome"], restrict: true }, i18n: "town" }),
        control("level", { options: { autocomplete: true } }),
        control("people", {
          options: { elementLabelProp: "home.street", showSortButtons: false, detail: "GENERATED" },
        }),
      ),
    );
    assert.deepEqual(notes(form), []);
    assert.deepEqual(at(form, "size").ui, { widget: "slider", options: { step: 2 } });
    assert.deepEqual(at(form, "on").ui, { widget: "toggle", options: { label: false } });
    const city = at(form, "city");
    assert.deepEqual(
      [city.widget, city.options?.map(({ value }) => value), city.ui],
      ["combobox", ["Oslo", "Rome"], { options: { restrict: true }, key: "town" }],
    );
    assert.equal(at(form, "level").ui?.widget, "search");
    assert.deepEqual(at(form, "people").ui?.options, { itemLabel: "/home/street", orderable: false });
    const list = formOf(SCHEMA, {
      type: "ListWithDetail",
      scope: "#/properties/people",
      options: { labelRef: "#/items/properties/name" },
    });
    assert.deepEqual(at(list, "people").ui?.options, { itemLabel: "/name" });
  });

  it("are reported where nothing can come of them", () => {
    const form = formOf(
      SCHEMA,
      layout(
        { type: "Categorization", elements: [], options: { variant: "stepper" } },
        control("open", { options: { slider: true } }),
        control("size", { options: { suggestion: ["1"], ampm: true } }),
      ),
    );
    const text = notes(form).join("\n");
    for (const part of ["“variant”", "a minimum and a maximum", "“suggestions” are for texts", "“ampm”"])
      assert.ok(text.includes(part), text);
    assert.equal(at(form, "open").ui, undefined);
  });

  it("have the rules of every layout around them", () => {
    const when = (name: string, value: unknown) => ({
      scope: `#/properties/${name}`,
      schema: { const: value },
    });
    const form = formOf(SCHEMA, {
      type: "Group",
      label: "Place",
      rule: { effect: "SHOW", condition: when("on", true) },
      elements: [
        {
          type: "Group",
          label: { text: "Town" },
          i18n: "town",
          rule: { effect: "SHOW", condition: when("level", "high") },
          elements: [control("city")],
        },
        { ...layout(control("size")), rule: { effect: "ENABLE", condition: when("level", "low") } },
      ],
    });
    assert.deepEqual(notes(form), []);
    const [town, after] = form.root.ui?.sections ?? [];
    assert.deepEqual([town?.title, town?.key, town?.fields], ["Place – Town", "town", ["city"]]);
    assert.deepEqual([after?.title, after?.fields], [undefined, ["size"]]);
    const holds = (field: Field, value: JsonObject) =>
      evaluate(field.ui?.visible?.when ?? assert.fail(), value);
    assert.ok(holds(at(form, "city"), { on: true, level: "high" }));
    assert.ok(!holds(at(form, "city"), { on: false, level: "high" }));
    assert.ok(!holds(at(form, "city"), { on: true, level: "low" }));
    assert.ok(holds(at(form, "size"), { on: true }) && !holds(at(form, "size"), {}));
    const enabled = at(form, "size").ui?.enabled;
    assert.ok(enabled && evaluate(enabled.when, { level: "low" }) && !evaluate(enabled.when, {}));
  });
});

describe("options of react-jsonschema-form", () => {
  it("become widgets and options of ours", () => {
    const form = formOf(SCHEMA, {
      "ui:submitButtonOptions": { submitText: "Confirm" },
      size: { "ui:widget": "range" },
      on: { "ui:widget": "radio" },
      city: { "ui:autocomplete": "address-level2", "ui:emptyValue": "", "ui:options": { inputType: "tel" } },
      level: {
        "ui:enumOrder": ["high", "*"],
        "ui:enumNames": ["L", "M", "H"],
        "ui:enumDisabled": ["middle"],
      },
      people: { "ui:options": { addable: false, copyable: true } },
    });
    assert.deepEqual(notes(form), []);
    assert.equal(form.root.ui?.options?.["submit"], "Confirm");
    assert.equal(at(form, "size").ui?.widget, "slider");
    assert.equal(at(form, "on").ui, undefined);
    assert.deepEqual(at(form, "city").ui?.options, {
      autocomplete: "address-level2",
      keepEmpty: true,
      inputMode: "tel",
    });
    assert.deepEqual(
      at(form, "level").options?.map(({ label }) => label),
      ["H", "L", "M"],
    );
    assert.deepEqual(at(form, "level").ui?.options, { disabled: ["middle"] });
    assert.deepEqual(at(form, "people").ui?.options, { addable: false });
  });

  it("go to a widget of the page unread", () => {
    const form = formOf(SCHEMA, {
      size: { "ui:widget": "Rating", "ui:options": { stars: 3 }, "ui:classNames": "wide" },
    });
    assert.deepEqual(at(form, "size").ui, { widget: "Rating", options: { stars: 3 } });
    assert.match(notes(form).join("\n"), /“ui:classNames” has no effect/);
  });
});

describe("keys of translations", () => {
  it("are given to the page with each text", () => {
    const form = formOf(SCHEMA, {
      "": { sections: [{ title: "All", fields: ["level"], key: "all" }] },
      "/level": { key: "lvl", help: "How high" },
    });
    const keys: Record<string, string> = {
      "lvl.label": "Stufe",
      "lvl.help": "Wie hoch",
      "lvl.low": "niedrig",
      "all.label": "Alles",
    };
    const german = translateForm(form, "de", (_text, { key }) => keys[key ?? ""]);
    const level = at(german, "level");
    assert.deepEqual([level.label, level.help, level.options?.[0]?.label], ["Stufe", "Wie hoch", "niedrig"]);
    assert.equal(german.root.ui?.sections?.[0]?.title, "Alles");
  });

  it("keep labels with their options when these are ordered", () => {
    const form = formOf(SCHEMA, {
      "/level": { order: ["high", "*"], i18n: { de: { labels: ["niedrig", "mittel", "hoch"] } } },
    });
    assert.deepEqual(
      at(translateForm(form, "de"), "level").options?.map(({ value, label }) => [value, label]),
      [
        ["high", "hoch"],
        ["low", "niedrig"],
        ["middle", "mittel"],
      ],
    );
  });
});
