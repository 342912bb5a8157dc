import type { CallContext } from "../ports/definitions.ts";
import { actorOfCaller } from "../ports/rights.ts";

const VIA = "via ";

/** The client or token, or the run, through which a workflow is written; null for a browser and for keys. */
export function clientOf({ caller, meta }: Pick<CallContext, "caller" | "meta">): string | null {
  if (caller.kind !== "system") return actorOfCaller(caller).actsVia;
  return typeof meta["svc/runId"] === "string" ? meta["svc/runId"] : null;
}

/** The names under which an author is kept: the caller, and the client. */
export function authorNames(by: string, client: string | null): readonly string[] {
  return client === null ? [by] : [by, VIA + client];
}

/** The client in such a name; null for that of a caller. */
export function clientIn(name: string): string | null {
  return name.startsWith(VIA) ? name.slice(VIA.length) : null;
}
