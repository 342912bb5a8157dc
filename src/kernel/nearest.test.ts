import assert from "node:assert/strict";
import { it } from "node:test";
import { nearestNames } from "./nearest.ts";

it("finds the names that were meant, best first, and none when nothing is close", () => {
  const known = ["get_artifact", "save_artifact", "list_artifacts", "get_workflow", "run_workflow"];
  assert.deepEqual(nearestNames("get_artefact", known, 1), ["get_artifact"]);
  assert.deepEqual(nearestNames("GET_WORKFLOW", known, 1), ["get_workflow"]);
  assert.deepEqual(nearestNames("artifact", known), ["get_artifact", "list_artifacts", "save_artifact"]);
  assert.deepEqual(nearestNames("zzzzzzzz", known), []);
  assert.deepEqual(nearestNames("", known), []);
});
