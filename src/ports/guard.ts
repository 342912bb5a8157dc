import type { Envelope } from "../kernel/envelope.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { CallContext } from "./definitions.ts";

/** A call on its way to a tool, own or connected. */
export interface GuardedCall {
  readonly tool: string;
  /** The connection; empty for our own tools. */
  readonly server: string;
  readonly effect: "read" | "write" | "destructive";
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
