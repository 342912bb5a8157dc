import assert from "node:assert/strict";
import { it } from "node:test";
import { ERRORS } from "../../../../src/kernel/errors.ts";
import { titleOf } from "./call-title.ts";

it("a call is called not sent where the service says so, whatever its code", () => {
  for (const code of Object.keys(ERRORS)) {
    assert.equal(titleOf({ code, effect: "not_sent" }), "Not sent", code);
    for (const effect of ["unknown", null] as const)
      assert.equal(titleOf({ code, effect }), "No answer that can be used", code);
  }
  assert.equal(titleOf({ code: "unreachable", effect: null }), "Not sent or not answered");
});
