import { NotDone, type Envelope } from "../kernel/envelope.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { ConnectedEffect } from "./connections.ts";
import type { CallContext } from "./definitions.ts";

/** A call on its way to a tool, own or connected. */
export interface GuardedCall {
  readonly tool: string;
  /** The connection; empty for our own tools. */
  readonly server: string;
  readonly effect: ConnectedEffect;
  /** Whether it reaches systems outside. */
  readonly leaves: boolean;
  /** It cannot become a run that waits: where a person is to be asked, it is refused. */
  readonly neverWaits?: true;
  readonly args: JsonObject;
  readonly context: CallContext;
}

/** Decides about every call that leaves this service or changes something, whichever way it comes. */
export interface Guard {
  /** Null: the call goes on. An envelope: it does not, and this is the answer. Throws AppError for a denial. */
  check(call: GuardedCall): Promise<Envelope | null> | null;
}

/** Decides about an operation as about our own tool that does the same: REST is no way around a rule or a stop. */
export async function heldAs(name: string, args: JsonObject, context: CallContext): Promise<NotDone | null> {
  const { catalog, guard } = context.services;
  const tool = catalog.tool(name);
  if (tool === undefined) throw new TypeError(`${name} is no tool`);
  const effect = tool.effect === "destructive" ? "destructive" : "write";
  const call = { tool: name, server: "", effect, leaves: tool.openWorld, neverWaits: true } as const;
  const held = await guard.check({ ...call, args, context });
  return held === null ? null : new NotDone(held.data);
}
