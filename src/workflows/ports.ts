import { awaitedBy } from "./awaited.ts";
import type { NodeType, WorkflowNode } from "./schema.ts";

/** The ports a node can be left through. */
export function portsOf(node: WorkflowNode): readonly string[] {
  if (node.type === "approval") return ["approved", "rejected", "changes", "expired", "error"];
  if (node.type === "switch") return [...node.cases.map((item) => `case:${item.name}`), "default", "error"];
  if (node.type === "wait" && awaitedBy(node) !== null) return ["success", "expired", "error"];
  return ["success", "error"];
}

/** The port an edge leaves through when it names none. */
export function defaultPort(type: NodeType | undefined): string {
  if (type === "approval") return "approved";
  return type === "switch" ? "default" : "success";
}
