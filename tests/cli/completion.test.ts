import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { it } from "node:test";
import { completionScript } from "../../src/cli/completion.ts";
import { loadTable } from "../../src/cli/table.ts";

const table = await loadTable();
const COMPLETE = `
suitectl() {
  case "$1 $2" in
    "connections tools") printf '%s\\n' pets:addPet pets:getPet files:read ;;
    "connections fields") [ "$3" = pets:addPet ] && printf '%s\\n' --body.name --body.tag ;;
  esac
}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _suitectl; printf '%s\\n' "\${COMPREPLY[@]}"
`;

/** What bash offers after these words; a colon is a word of its own there. */
function offered(...words: readonly string[]): readonly string[] {
  const script = `${completionScript("bash", table)}\n${COMPLETE}`;
  return execFileSync("bash", ["-c", script, "bash", "suitectl", ...words], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line !== "");
}

it("names and fields of connected tools are completed in bash", (t) => {
  if (spawnSync("bash", ["-c", "true"]).status !== 0) return t.skip("no bash");
  assert.deepEqual(offered("call", "pe"), ["pets:addPet", "pets:getPet"]);
  assert.deepEqual(offered("call", "pets", ":"), ["addPet", "getPet"]);
  assert.deepEqual(offered("call", "pets", ":", "ad"), ["addPet"]);
  assert.deepEqual(offered("call", "pets", ":", "addPet", "--bo"), ["--body.name", "--body.tag"]);
  assert.ok(offered("call", "pets", ":", "addPet", "--").includes("--preview"));
  assert.deepEqual(offered("connections", "fields", "fi"), ["files:read"]);
  return undefined;
});
