import { useOperation } from "../../api/operations.ts";
import { session } from "../../api/session.ts";
import { useExternal } from "../../lib/external.ts";

/** Why a caller may not change triggers; empty for one who may. */
export function useRefusal(): string {
  const { keyed, person } = useExternal(session);
  const { data } = useOperation("get_me", {}, { enabled: keyed && person === null });
  if (!keyed) return "Sign in, or use a key, to create and change triggers.";
  const scopes = person?.scopes ?? data?.me.scopes ?? [];
  const may = scopes.includes("admin") || (scopes.includes("write") && scopes.includes("run"));
  return may ? "" : "Creating and changing triggers needs the rights to save workflows and to run them.";
}
