import { Type } from "typebox";
import { defineTool, type Tool } from "../ports/definitions.ts";
import { anyData, jsonObject, params, unavailable } from "./shapes.ts";

export const runWorkflow = defineTool({
  name: "run_workflow",
  title: "Run workflow",
  description: "execute and persist the run (description to be written by the owner of this domain)",
  params: params({ id: Type.String(), inputs: Type.Optional(jsonObject()) }),
  output: anyData,
  access: "run",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("run_workflow"),
});

export const getWorkflowRun = defineTool({
  name: "get_workflow_run",
  title: "Get workflow run",
  description: "read a run (description to be written by the owner of this domain)",
  params: params({ id: Type.String() }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("get_workflow_run"),
});

export const cancelWorkflowRun = defineTool({
  name: "cancel_workflow_run",
  title: "Cancel workflow run",
  description: "cancel a run (description to be written by the owner of this domain)",
  params: params({ id: Type.String() }),
  output: anyData,
  access: "run",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("cancel_workflow_run"),
});

/** The tools of this domain. */
export const runsTools: readonly Tool[] = [runWorkflow, getWorkflowRun, cancelWorkflowRun];
