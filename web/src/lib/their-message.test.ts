import assert from "node:assert/strict";
import { it } from "node:test";
import { aliasSources } from "../../build/source-aliases.ts";

aliasSources();
const { theirMessage } = await import("./their-message.ts");

it("shows what a person reads of an error body", () => {
  const cases = [
    ['{"title":"No such book","detail":"There is no book 99."}', "There is no book 99."],
    ['{"errors":[{"field":"email","message":"is taken"}]}', "email: is taken"],
    ['{"code":7}', '{"code":7}'],
    ["plain text", "plain text"],
  ] as const;
  for (const [body, shown] of cases) assert.equal(theirMessage(body), shown);
});
