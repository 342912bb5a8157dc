import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import { it } from "node:test";

const FOLDER = "bench/generated-client";
/** Generated, checked, and five tasks. */
const STEPS = 7;

it("a client that a third-party generator makes of openapi.yaml carries out five tasks", (t) => {
  if (!existsSync(`${FOLDER}/node_modules/openapi-fetch`))
    return t.skip(`the packages of ${FOLDER} are not installed`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [`${FOLDER}/run.ts`], {
    encoding: "utf8",
    timeout: 300_000,
  });
  assert.equal(status, 0, `${stdout}\n${stderr}`);
  assert.equal(stdout.match(/^ok {3}/gm)?.length, STEPS, stdout);
});
