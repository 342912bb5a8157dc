import { isList, type Json } from "../kernel/json.ts";
import type { Services } from "../ports/services.ts";
import type { CallTraits } from "./step-attempt.ts";

/** A handoff is repeated under its packet's id, which its receiver carries out once. */
const HANDOFF: CallTraits = { changes: true, repeatable: true, outside: true, saysEffect: true };

/** What knows the tools that steps call. */
export interface CallServices {
  readonly catalog: Pick<Services["catalog"], "tool">;
  readonly connections: Pick<Services["connections"], "head">;
}

/** What making a step's call again would mean. A key counts only where the target gets it. */
export function traitsOf(
  services: CallServices,
  callee: "handoff" | { readonly tool: string; readonly keyed: boolean },
): CallTraits {
  if (callee === "handoff") return HANDOFF;
  const connected = callee.tool.includes(":") ? services.connections.head(callee.tool) : undefined;
  if (connected !== undefined) {
    const changes = connected.effect !== "read";
    return { changes, repeatable: !changes || connected.idempotent, outside: true, saysEffect: true };
  }
  const tool = services.catalog.tool(callee.tool);
  if (tool === undefined) {
    return { changes: true, repeatable: false, outside: true, saysEffect: callee.tool.includes(":") };
  }
  const changes = tool.effect !== "none";
  const outside = tool.openWorld;
  const repeatable = !changes || tool.idempotent || (callee.keyed && tool.keyed === true);
  return { changes, repeatable, outside, saysEffect: tool.asks !== undefined && tool.idempotent };
}

/** The id of what a waiting step opened. */
export function refOf(output: Json | undefined, name: "approvalId" | "runId"): string | null {
  if (output === null || typeof output !== "object" || !(name in output) || isList(output)) return null;
  const id = output[name];
  return typeof id === "string" ? id : null;
}
