import type { JsonObject } from "../kernel/json.ts";
import type { ConnectionRecord, DefinitionRecord } from "../ports/connections.ts";
import type { CallContext } from "../ports/definitions.ts";

/** One checked call of a definition. */
export interface DriverCall {
  readonly connection: ConnectionRecord;
  readonly record: DefinitionRecord;
  readonly args: JsonObject;
  readonly timeoutMs: number;
  /** The same over all attempts of one step or request. */
  readonly idempotencyKey: string;
  readonly context: CallContext;
}

/** What a call came to. */
export interface DriverResult {
  readonly ok: boolean;
  readonly data: JsonObject;
  /** `ok`, or a short code of what went wrong. */
  readonly outcome: string;
  readonly httpStatus: number | null;
}
