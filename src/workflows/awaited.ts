import type { JsonObject } from "../kernel/json.ts";
import { isGraphBody, type WaitNode, type WorkflowNode } from "./schema.ts";

/** What a wait is for, besides a time. */
export type Awaited =
  | { readonly kind: "signal"; readonly name: string; readonly schema: JsonObject | null }
  | { readonly kind: "event"; readonly type: string; readonly filter: string };

/** What a step waits for; null when it waits for a time only. */
export function awaitedBy({ wait }: Pick<WaitNode, "wait">): Awaited | null {
  const { signal, schema, event, filter } = wait;
  if (signal !== undefined) return { kind: "signal", name: signal, schema: schema ?? null };
  return event === undefined ? null : { kind: "event", type: event, filter: filter ?? "false" };
}

/** All that the steps of a document wait for, those in the bodies of maps too. */
export function allAwaited(nodes: readonly WorkflowNode[]): readonly Awaited[] {
  return nodes.flatMap((node) => {
    if (node.type === "map" && isGraphBody(node.map.body)) return allAwaited(node.map.body.nodes);
    const awaited = node.type === "wait" ? awaitedBy(node) : null;
    return awaited === null ? [] : [awaited];
  });
}

/** The filter with `event` bound to `run.event`; the checks and bounds of all expressions hold for it. */
export function eventCondition(filter: string): string {
  return `[dyn(run).event].exists(event, ${filter})`;
}
