import { Type } from "typebox";
import { defineTool, type Tool } from "../ports/definitions.ts";
import { anyData, jsonArray, jsonObject, params, unavailable } from "./shapes.ts";

export const listWorkflows = defineTool({
  name: "list_workflows",
  title: "List workflows",
  description: "persisted workflows (description to be written by the owner of this domain)",
  params: params({ limit: Type.Optional(Type.Number({ minimum: 1, maximum: 100 })) }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("list_workflows"),
});

export const getWorkflow = defineTool({
  name: "get_workflow",
  title: "Get workflow",
  description: "one workflow (description to be written by the owner of this domain)",
  params: params({ id: Type.String() }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("get_workflow"),
});

export const createWorkflow = defineTool({
  name: "create_workflow",
  title: "Create workflow",
  description: "create server-persisted workflow (description to be written by the owner of this domain)",
  params: params({
    name: Type.String(),
    description: Type.Optional(Type.String()),
    nodes: Type.Optional(jsonArray()),
    edges: Type.Optional(jsonArray()),
    tags: Type.Optional(Type.Array(Type.String())),
  }),
  output: anyData,
  access: "write",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("create_workflow"),
});

export const updateWorkflow = defineTool({
  name: "update_workflow",
  title: "Update workflow",
  description: "update workflow (description to be written by the owner of this domain)",
  params: params({
    id: Type.String(),
    name: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    nodes: Type.Optional(jsonArray()),
    edges: Type.Optional(jsonArray()),
    tags: Type.Optional(Type.Array(Type.String())),
    status: Type.Optional(Type.String()),
    visibility: Type.Optional(Type.String()),
  }),
  output: anyData,
  access: "write",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("update_workflow"),
});

export const validateWorkflow = defineTool({
  name: "validate_workflow",
  title: "Validate workflow",
  description: "validate by id or supplied graph (description to be written by the owner of this domain)",
  params: params({
    id: Type.Optional(Type.String()),
    nodes: Type.Optional(jsonArray()),
    edges: Type.Optional(jsonArray()),
  }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("validate_workflow"),
});

export const planWorkflow = defineTool({
  name: "plan_workflow",
  title: "Plan workflow",
  description:
    "public-safe plan; executes no protected tool (description to be written by the owner of this domain)",
  params: params({
    id: Type.Optional(Type.String()),
    nodes: Type.Optional(jsonArray()),
    edges: Type.Optional(jsonArray()),
  }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("plan_workflow"),
});

export const dryRunWorkflow = defineTool({
  name: "dry_run_workflow",
  title: "Dry run workflow",
  description:
    "local dry-run; persists a trace-linked dry-run record when authorized (description to be written by the owner of this domain)",
  params: params({
    id: Type.Optional(Type.String()),
    nodes: Type.Optional(jsonArray()),
    edges: Type.Optional(jsonArray()),
    inputs: Type.Optional(jsonObject()),
  }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("dry_run_workflow"),
});

export const publishWorkflow = defineTool({
  name: "publish_workflow",
  title: "Publish workflow",
  description: "marks workflow public and published (description to be written by the owner of this domain)",
  params: params({ id: Type.String() }),
  output: anyData,
  access: "write",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("publish_workflow"),
});

/** The tools of this domain. */
export const workflowsTools: readonly Tool[] = [
  listWorkflows,
  getWorkflow,
  createWorkflow,
  updateWorkflow,
  validateWorkflow,
  planWorkflow,
  dryRunWorkflow,
  publishWorkflow,
];
