import assert from "node:assert/strict";
import { it } from "node:test";
import { aliasSources } from "../../build/source-aliases.ts";

aliasSources();
const { stepTitle } = await import("./titles.ts");

it("names an item of a map and the steps inside it apart", () => {
  const nameOf = (id: string) => id.toUpperCase();
  assert.deepEqual(
    ["send", "map[0]", "map[0].fields", "map[1].fields"].map((id) => stepTitle(id, nameOf)),
    ["SEND", "MAP, item 1", "MAP, item 1: FIELDS", "MAP, item 2: FIELDS"],
  );
});
