import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { explainByExample as explain } from "../../../forms/src/check/by-example.ts";
import { createLanguage } from "./language.ts";
import { ar } from "./ar.ts";
import { de } from "./de.ts";

const FOLDER = fileURLToPath(new URL("../", import.meta.url));

/** The texts that the renderer says: what stands in `t("…")` and `t(`…`)`, with a name for what is filled in. */
function saidTexts(): readonly string[] {
  const found = new Set<string>();
  for (const file of globSync(`${FOLDER}**/*.tsx`)) {
    const source = readFileSync(file, "utf8");
    for (const [, text = ""] of source.matchAll(/\bt\(\s*"([^"]+)"/g)) found.add(text);
    for (const [, text = ""] of source.matchAll(/\bt\(\s*`([^`]+)`/g))
      if (!text.includes("${text")) found.add(text.replaceAll(/\$\{(?:[^{}]|\{[^}]*\})*\}/g, "Xy"));
  }
  return [...found];
}

const LIMITS: readonly (readonly [string, unknown, string?])[] = [
  ["required", true],
  ["required", true, "name"],
  ["dependentRequired", true],
  ["dependentRequired", true, "name"],
  ...["string", "integer", "number", "boolean", "array", "object"].map((type) => ["type", type] as const),
  ["enum", ["a", "b"]],
  ["enum", null],
  ["const", 5],
  ["minLength", 1],
  ["minLength", 3],
  ["maxLength", 1],
  ["maxLength", 12],
  ["pattern", "^a$"],
  ["pattern", "(?!a)a"],
  ...[
    "date",
    "time",
    "date-time",
    "duration",
    "email",
    "uri",
    "uri-reference",
    "uuid",
    "hostname",
    "ipv4",
    "ipv6",
    "regex",
    "json-pointer",
    "x-other",
  ].map((format) => ["format", format] as const),
  ["minimum", 1],
  ["maximum", 1],
  ["exclusiveMinimum", 1],
  ["exclusiveMaximum", 1],
  ["multipleOf", 2],
  ["minItems", 1],
  ["minItems", 2],
  ["maxItems", 1],
  ["maxItems", 5],
  ["uniqueItems", true],
  ["contains", null],
  ["maxContains", 2],
  ["minProperties", 1],
  ["minProperties", 2],
  ["maxProperties", 1],
  ["maxProperties", 2],
  ["propertyNames", null],
  ["propertyNames", null, "name"],
  ["additionalProperties", false],
  ["additionalProperties", false, "name"],
  ["additionalItems", false],
  ["anyOf", null],
  ["oneOf", null],
  ["not", null],
  ["false", false],
  ["other", null],
];

/** The same in both languages. */
const SAME = new Set(["optional"]);

for (const language of [de, ar])
  describe(`the language ${language.code}`, () => {
    it("has every text that the form says", () => {
      const texts = saidTexts();
      assert.ok(texts.length > 60, `${texts.length} texts found`);
      const missing = texts.filter((text) => language.say(text) === text && !SAME.has(text));
      assert.deepEqual(missing, []);
    });

    it("has everything that can be wrong with a value", () => {
      const missing = LIMITS.map(([keyword, wanted, name]) => explain(keyword, wanted, name)).filter(
        (text) => language.say(text) === text || /[A-Za-z]{3,} [a-z]{3,} [a-z]{3,}/.test(ar.say(text)),
      );
      assert.deepEqual(missing, []);
    });
  });

describe("a language", () => {
  it("fills in what stands in a text, and takes the longest phrase", () => {
    assert.equal(de.say("Remove entry a.b"), "Eintrag a.b entfernen");
    assert.equal(de.say("Remove Address"), "Address entfernen");
    assert.equal(de.say("Default (Yes)"), "Vorgabe (Ja)");
    assert.equal(de.say("Must be a whole number or a list."), "Muss eine ganze Zahl / eine Liste sein.");
    assert.equal(de.say("“name” is required."), "„name“ ist ein Pflichtfeld.");
    assert.equal(de.say("“a” is required when “b” is given."), "„a“ wird gebraucht, wenn „b“ angegeben ist.");
    assert.equal(de.say("Something else"), "Something else");
    assert.equal(de.say("Add $& {1}"), "$& {1} hinzufügen");
  });

  it("knows plural forms", () => {
    assert.equal(ar.say("2 items"), "عنصران");
    assert.equal(ar.say("3 items"), "3 عناصر");
    assert.equal(ar.say("11 items"), "11 عنصرًا");
    const fr = createLanguage("fr", "ltr", { "{0} items": { one: "{0} élément", other: "{0} éléments" } });
    assert.equal(fr.say("0 items"), "0 élément");
    assert.equal(fr.say("7 items"), "7 éléments");
  });

  it("is not slowed down by long texts", () => {
    const before = process.cpuUsage();
    for (let turn = 0; turn < 20; turn++) de.say(`${"has a value but applies only when ".repeat(50)}${turn}`);
    assert.ok(process.cpuUsage(before).user < 2_000_000);
  });
});
