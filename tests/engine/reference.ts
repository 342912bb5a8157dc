import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { evaluateCondition } from "../../src/workflows/expressions.ts";
import type { WorkflowDocument, WorkflowNode } from "../../src/workflows/schema.ts";
import { resolveObject, resolveValue } from "../../src/workflows/values.ts";

/** How the world answers a tool step: N failures first, then success; or never. */
export interface Script {
  readonly failures: number;
  readonly permanent: boolean;
  readonly safe: boolean;
  readonly verdict: "approved" | "rejected" | "expire";
}

/** What the reference says of a step. */
export interface Expected {
  readonly state: "succeeded" | "failed" | "skipped";
  readonly port: string | null;
  readonly output: Json | null;
}

/** The whole of a run, evaluated in one pass over the nodes in the order of the document (edges lead forward). */
export function reference(
  document: WorkflowDocument,
  inputs: JsonObject,
  scriptOf: (id: string) => Script,
): { steps: Map<string, Expected>; unhandled: Set<string>; outputs: JsonObject | null } {
  const steps = new Map<string, Expected>();
  const scope: Record<string, Json> = {};
  const unhandled = new Set<string>();
  for (const node of document.nodes) {
    const incoming = document.edges.filter((edge) => edge.to === node.id);
    const live = incoming.some(
      (edge) => !unhandled.has(edge.from) && steps.get(edge.from)?.port === edge.port,
    );
    const blocked = incoming.some((edge) => unhandled.has(edge.from) || !steps.has(edge.from));
    // A step after an unhandled failure has no outcome: the run ends first.
    if (blocked && !(node.join === "any" && live)) continue;
    const see = { inputs, steps: scope };
    const outcome: Expected =
      (incoming.length > 0 && !live) || (node.if !== undefined && !evaluateCondition(node.if, see))
        ? { state: "skipped", port: null, output: null }
        : evaluate(node, see, scriptOf);
    const outs = new Set(document.edges.filter((edge) => edge.from === node.id).map((edge) => edge.port));
    let final = outcome;
    if (outcome.state === "failed") final = { ...outcome, port: outs.has("error") ? "error" : null };
    if (outcome.port === "rejected" || outcome.port === "expired") {
      if (!outs.has(outcome.port)) {
        final = { ...outcome, state: "failed", port: outs.has("error") ? "error" : null };
      }
    }
    steps.set(node.id, final);
    if (final.state === "failed" && final.port === null) unhandled.add(node.id);
    scope[node.id] = {
      status: final.state,
      port: final.port,
      ...(final.state === "succeeded" && { outputs: final.output }),
    };
  }
  const outputs = unhandled.size === 0 ? resolveObject(document.outputs, { inputs, steps: scope }) : null;
  return { steps, unhandled, outputs };
}

function evaluate(
  node: WorkflowNode,
  scope: { inputs: JsonObject; steps: JsonObject },
  scriptOf: (id: string) => Script,
): Expected {
  const attempts = node.retry?.maxAttempts ?? 1;
  const works = (id: string): boolean => !scriptOf(id).permanent && scriptOf(id).failures < attempts;
  switch (node.type) {
    case "tool": {
      const output: Json = { ok: true, data: resolveObject(node.with ?? {}, scope) };
      return works(node.id) ? succeeded(output, "success") : { state: "failed", port: null, output: null };
    }
    case "transform":
      return succeeded(resolveValue(node.value, scope), "success");
    case "switch": {
      const found = node.cases.find((item) => evaluateCondition(item.when, scope));
      return found === undefined
        ? succeeded({ case: null }, "default")
        : succeeded({ case: found.name }, `case:${found.name}`);
    }
    case "wait":
      return succeeded("time", "success");
    case "approval": {
      const { verdict } = scriptOf(node.id);
      return succeeded(verdict, verdict === "expire" ? "expired" : verdict);
    }
    case "map": {
      const items = resolveValue(node.map.items, scope);
      if (!Array.isArray(items) || items.length > node.map.maxItems) {
        return { state: "failed", port: null, output: null };
      }
      const results: Json[] = items.map((item: Json, index) =>
        works(`${node.id}[${index}]`) ? { ok: true, data: { item, index } } : "failed",
      );
      const failed = results.filter((result) => result === "failed").length;
      if (failed > 0 && node.map.onItemError !== "continue") {
        return { state: "failed", port: null, output: null };
      }
      return succeeded({ results, count: results.length, failed }, "success");
    }
    case "handoff":
    case "subworkflow":
      return { state: "failed", port: null, output: null };
  }
}

function succeeded(output: Json, port: string): Expected {
  return { state: "succeeded", port, output };
}
