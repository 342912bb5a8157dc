import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { aliasSources } from "../../../build/source-aliases.ts";
import { fromCel, OPERATORS, toCel } from "./condition.ts";

aliasSources();
const { compileExpression } = await import("#workflows/expressions.ts");

describe("conditions", () => {
  it("come back from CEL as they went in, and compile", () => {
    for (const { op, takes } of OPERATORS) {
      for (const right of ["a && b", 'say "x"', 3, 2.5]) {
        const text = op === "contains" || op === "starts";
        const row = {
          left: 'steps["a-b"].outputs.data.list[0].x',
          op,
          right: takes ? (text ? String(right) : right) : "",
        };
        for (const join of ["all", "any"] as const) {
          const cel = toCel({ join, rows: [row, { left: "inputs.n", op: "above", right: 1 }] });
          assert.deepEqual(fromCel(cel), { join, rows: [row, { left: "inputs.n", op: "above", right: 1 }] });
          assert.equal(compileExpression(cel).ok, true, cel);
        }
      }
    }
  });

  it("read a path alone as the question whether it is yes", () => {
    const rows = [
      { left: "inputs.kind", op: "is", right: "a" },
      { left: "inputs.isNew", op: "yes", right: "" },
    ];
    assert.deepEqual(fromCel('inputs.kind == "a" && inputs.isNew'), { join: "all", rows });
    assert.equal(fromCel("true"), null);
  });

  it("leave what says more to the expression editor", () => {
    for (const cel of ["size(inputs.a) + 1 > 2", "inputs.a == inputs.b", "a == 1 && b == 2 || c == 3"])
      assert.equal(fromCel(cel), null, cel);
  });
});
