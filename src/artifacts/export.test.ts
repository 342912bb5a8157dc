import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalJson } from "../kernel/canonical-json.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { readYaml } from "../kernel/yaml.ts";
import { exportArtifact, type ExportFormat } from "./export.ts";

const FORMATS: readonly ExportFormat[] = ["json", "yaml", "markdown"];

const hostile = fc.constantFrom(
  "---",
  "...",
  "```\n# Title",
  "`````json",
  "!!js/function 'function(){}'",
  "&anchor *alias",
  "\u202Egnp.exe",
  "a\u2028b\u0007",
  "null",
  "1e3",
  "0x10",
  "yes",
  " leading",
  "trailing ",
  "a: b # c",
  "%TAG ! x",
  "\t",
  "line\nline\r\nline",
  "<script>alert(1)</script>",
);
const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }).filter((s) => s.isWellFormed()),
  hostile,
);
const leaf = fc.oneof(
  text,
  fc.boolean(),
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
  fc.integer(),
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(text, tie("value"), { maxKeys: 4 }),
  ),
})).value;

const artifact = fc.record({ title: text, type: fc.constant("note"), content: json, description: text });

function asArtifact(value: unknown): JsonObject {
  const plain: unknown = JSON.parse(JSON.stringify(value));
  assert.ok(isJsonObject(plain));
  return plain;
}

function readBack(text: string, format: ExportFormat): JsonObject {
  if (format === "json") return asArtifact(JSON.parse(text));
  if (format === "yaml") return asArtifact(readYaml(text, { maxAliasCount: 0 }));
  const fence = /(`+)\n$/.exec(text)?.[1] ?? "";
  const [, block = ""] = text.split(`\n${fence}json\n`);
  return asArtifact(JSON.parse(block.slice(0, -fence.length - 1)));
}

for (const format of FORMATS) {
  test(`1,000 generated artifacts come back equal from ${format}, and the text is the same whatever the key order`, () => {
    fc.assert(
      fc.property(artifact, (value) => {
        const original = asArtifact(value);
        const { text: exported } = exportArtifact(original, format);
        assert.equal(canonicalJson(readBack(exported, format)), canonicalJson(original));
        const reversed = Object.fromEntries(Object.entries(original).reverse());
        assert.equal(exportArtifact(reversed, format).text, exported);
      }),
      { numRuns: 1000 },
    );
  });

  test(`no bidi control, zero-width or control character stands raw in ${format}`, () => {
    const { text: exported } = exportArtifact(
      { title: "a\u202Eb\u200Bc\u0007", "k\u2066": "\u2028" },
      format,
    );
    assert.doesNotMatch(exported, /[\u202E\u200B\u0007\u2066\u2028]/);
  });
}

test("a Markdown export of hostile text has one heading, one table and one block", () => {
  const title = "x\n# y <script>alert(1)</script> [a](javascript:alert(1)) ```";
  const { text: exported } = exportArtifact(
    { title, type: "note", description: "```\n---\n| a | b |" },
    "markdown",
  );
  const outside = exported.slice(0, exported.indexOf("## Content"));
  assert.equal(outside.match(/^# /gm)?.length, 1);
  assert.doesNotMatch(outside, /(?<!\\)[<[`]/);
});
