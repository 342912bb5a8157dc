import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../kernel/json.ts";
import { fit, fitText } from "./schema-fit.ts";
import { inlined } from "./schema-types.ts";

const text = { type: "string" };
const whole = { type: "integer" };
const record = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...more,
});
const list = (items: JsonObject): JsonObject => ({ type: "array", items });
const book = record({ id: whole, title: text, note: text }, { required: ["id", "title"] });

const CASES: readonly (readonly [string, JsonObject, JsonObject, string, string])[] = [
  ["the same type", text, text, "fits", ""],
  ["a whole number for a number", whole, { type: "number" }, "fits", ""],
  ["a number for a whole one", { type: "number" }, whole, "maybe", "number is given, integer is needed."],
  ["a list for a text", list(text), text, "misfit", "array is given, string is needed."],
  [
    "a text that may be empty",
    { type: ["string", "null"] },
    text,
    "maybe",
    "string or null is given, string is needed.",
  ],
  ["a text for one with a limit", text, { type: "string", minLength: 1 }, "limits", ""],
  ["one of two words for one of three", { enum: ["a", "b"] }, { enum: ["a", "b", "c"] }, "fits", ""],
  ["another word", { const: "x" }, { enum: ["a"] }, "misfit", 'only "a" is taken.'],
  ["nothing is known", {}, text, "unknown", ""],
  ["anything is taken", book, {}, "fits", ""],
  ["a record with more than is needed", book, record({ id: whole }, { required: ["id"] }), "fits", ""],
  [
    "a record with more than is taken",
    book,
    record({ id: whole, title: text }, { additionalProperties: false }),
    "maybe",
    "“note” is not taken.",
  ],
  [
    "items that lack a member",
    list(record({ id: whole })),
    list(record({ id: whole, title: text }, { required: ["title"] })),
    "misfit",
    "“title” is missing in each item.",
  ],
  [
    "items that may lack a member",
    list(book),
    list(record({ note: text }, { required: ["note"] })),
    "maybe",
    "“note” may be missing in each item.",
  ],
  [
    "items of another type, deep inside",
    list(record({ owner: record({ id: text }) })),
    list(record({ owner: record({ id: whole }) })),
    "misfit",
    "“id” in each item: string is given, integer is needed.",
  ],
  ["one of two that fit", { anyOf: [text, whole] }, { anyOf: [whole, text] }, "fits", ""],
  [
    "one of two that does not",
    { anyOf: [text, whole] },
    text,
    "maybe",
    "integer is given, string is needed.",
  ],
];

for (const [name, given, wanted, verdict, expected] of CASES) {
  test(`${name}: ${verdict}`, () => {
    const found = fit(given, wanted);
    assert.equal(found.verdict, verdict);
    assert.equal(found.reason === "" ? "" : fitText(found), expected);
  });
}

test("local references are written out, and circles end", () => {
  const schema = {
    type: "object",
    properties: { books: { type: "array", items: { $ref: "#/$defs/book" } } },
    $defs: { book: { type: "object", properties: { id: whole, next: { $ref: "#/$defs/book" } } } },
  };
  assert.deepEqual(inlined(schema), record({ books: list(record({ id: whole, next: {} })) }));
});
