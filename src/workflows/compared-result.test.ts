import assert from "node:assert/strict";
import { test } from "node:test";
import { comparedResult } from "./compared-result.ts";

test("two answers with the same status and body are the same result", () => {
  const answer = (status: number, body: string, second: number) => ({
    ok: true,
    data: { status, body, headers: { date: `00:0${second}` }, elapsedMs: second },
  });
  assert.deepEqual(comparedResult(answer(200, "tea", 1)), comparedResult(answer(200, "tea", 2)));
  assert.notDeepEqual(comparedResult(answer(200, "tea", 1)), comparedResult(answer(201, "tea", 1)));
  assert.notDeepEqual(comparedResult(answer(200, "tea", 1)), comparedResult(answer(200, "cake", 1)));
  const other = { status: "sent", headers: 3, elapsedMs: 5 };
  assert.deepEqual(comparedResult(other), other);
});
