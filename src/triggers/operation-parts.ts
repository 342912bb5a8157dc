import { Type } from "typebox";
import type { Loop } from "../kernel/loop.ts";

/* What the declarations of trigger operations share. */

/** What the operations of triggers work with. */
export interface TriggerOperationParts {
  readonly scheduler: Pick<Loop, "wake">;
  /** Counts requests; throws when there were too many. */
  readonly triggerRate: {
    take(client: string, limit: { readonly perSecond: number; readonly burst: number }): void;
  };
}

/** The id of a trigger. */
export const id = Type.String({ description: "The id of the trigger." });
/** Dates of a schedule. */
export const dates = Type.Array(Type.String({ format: "date-time" }));
/** What reading triggers needs. */
export const READS = { any: ["read-private", "run", "write"] } as const;
/** What making and changing triggers needs. */
export const CHANGES = { all: ["write", "run"] } as const;
/** How many dates of a schedule are shown. */
export const SHOWN_DATES = 10;
