import { Type } from "typebox";
import { defineTool, type Tool } from "../ports/definitions.ts";
import { anyData, params, unavailable } from "./shapes.ts";

export const listApprovals = defineTool({
  name: "list_approvals",
  title: "List approvals",
  description: "approvals with notes redacted (description to be written by the owner of this domain)",
  params: params({ limit: Type.Optional(Type.Number({ minimum: 1, maximum: 100 })) }),
  output: anyData,
  access: "public",
  effect: "none",
  idempotent: true,
  openWorld: false,
  run: () => unavailable("list_approvals"),
});

export const approveStep = defineTool({
  name: "approve_step",
  title: "Approve step",
  description: "approve a pending approval step (description to be written by the owner of this domain)",
  params: params({ id: Type.String(), reason: Type.Optional(Type.String()) }),
  output: anyData,
  access: "approve",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("approve_step"),
});

export const rejectStep = defineTool({
  name: "reject_step",
  title: "Reject step",
  description: "reject a pending approval step (description to be written by the owner of this domain)",
  params: params({ id: Type.String(), reason: Type.Optional(Type.String()) }),
  output: anyData,
  access: "approve",
  effect: "write",
  idempotent: false,
  openWorld: false,
  run: () => unavailable("reject_step"),
});

/** The tools of this domain. */
export const approvalsTools: readonly Tool[] = [listApprovals, approveStep, rejectStep];
