import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { replaceBraces } from "../../packages/forms/src/values/text.ts";
import { beginningOf, withoutSurrounding, withoutTrailing } from "./text.ts";

describe("text operations", () => {
  it("cut runs at the ends and leave the rest", () => {
    assert.equal(withoutTrailing("http://a///", "/"), "http://a");
    assert.equal(withoutTrailing("///", "/"), "");
    assert.equal(withoutTrailing("a/b", "/"), "a/b");
    assert.equal(withoutSurrounding("--a-b--", "-"), "a-b");
    assert.equal(withoutSurrounding("---", "-"), "");
  });

  it("replace what stands in braces, as a pattern of braces would", () => {
    const name = (text: string): string => replaceBraces(text, (inner) => `<${inner}>`);
    assert.equal(name("/a/{id}/b/{x}"), "/a/<id>/b/<x>");
    assert.equal(name("/{{a}/{"), "/<{a>/{");
    assert.equal(name("}{"), "}{");
    assert.equal(name("{}"), "<>");
  });

  it("take time in proportion to the text", () => {
    const times = [100_000, 800_000].map((length) => {
      const text = "/{".repeat(length / 2);
      const began = process.threadCpuUsage();
      replaceBraces(text, () => "");
      withoutTrailing(`${"/".repeat(length)}x`, "/");
      withoutSurrounding(`x${"-".repeat(length)}x`, "-");
      const { user, system } = process.threadCpuUsage(began);
      return (user + system) / 1_000;
    });
    // Quadratic work would take minutes at this length.
    assert.ok((times[1] ?? 0) < 200, `${times.join(", ")} ms`);
  });

  it("shortens a long text at the end of a word, and one without words anywhere", () => {
    assert.equal(beginningOf("short", 10), "short");
    assert.equal(beginningOf("several words here", 14), "several words…");
    assert.equal(beginningOf("x".repeat(20), 10), `${"x".repeat(9)}…`);
  });
});
