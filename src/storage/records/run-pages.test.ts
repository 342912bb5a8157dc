import assert from "node:assert/strict";
import { test } from "node:test";
import { leavesOfPage } from "./run-pages.ts";

const row = {
  run_id: "run_1",
  at: "2026-11-16T00:00:00.000Z",
  changes: '[[0,null,[["a","succeeded",1,"success",null,1,null,1,null,null,null]]]]',
  first_event: null,
  last_event: null,
  event_stem: null,
  first_leaf: 7,
  last_leaf: 7,
  leaf_stem: "prov_0000000000000000",
  digests: "0".repeat(64),
  hashes: "1".repeat(64),
};
const rest =
  '"kind":"step","lookup":"digest","predicate":{"attempt":1,"port":"success","state":"succeeded"},';
const end = '"privacy":"internal","runId":"run_1","subjectId":"run_1/a"';

test("a page that does not say how its digests begin has leaves of the first form, to the last character", () => {
  const [leaf] = leavesOfPage({ ...row, digest_form: null });
  assert.equal(leaf?.digest, `hmac-sha256:${row.digests}`);
  assert.equal(
    leaf.body,
    `{"at":"${row.at}","digest":"${leaf.digest}","envelope":null,"id":"${row.leaf_stem}0000000007",${rest}${end},"v":1}`,
  );
});

test("one that does has leaves of the second", () => {
  const [leaf] = leavesOfPage({ ...row, digest_form: "salted-sha256:" });
  assert.equal(leaf?.digest, `salted-sha256:${row.digests}`);
  assert.equal(
    leaf.body,
    `{"at":"${row.at}","digest":"${leaf.digest}","id":"${row.leaf_stem}0000000007",${rest}${end},"v":2}`,
  );
});
