import type { OperationName, OutputOf, Rights } from "@workflow-ui/client";
import { useExternal } from "../lib/external.ts";
import { call, queryClient, useOperation } from "./operations.ts";
import { refusalOf, rightsOf } from "./refusal.ts";
import { session } from "./session.ts";

/** Says why an operation cannot be called, and whom to ask; empty when it can. */
type WhyNot = (name: OperationName | ToolText) => string;
/** The name of any tool, also of one that was synced. */
type ToolText = string & Record<never, never>;

/** What this session may do; null until that is known. */
function useRights(): Rights | null {
  const view = useExternal(session);
  const own = rightsOf(view);
  const { data } = useOperation("get_me", {}, { enabled: own === null });
  return own ?? (data === undefined ? null : { kind: "key", scopes: data.me.scopes });
}

/** The same outside of a view. */
export function rightsNow(): Rights | null {
  const view = session.get();
  const { me } = queryClient.getQueryData<OutputOf<"get_me">>(["get_me", view.generation, {}]) ?? {};
  return rightsOf(view) ?? (me === undefined ? null : { kind: "key", scopes: me.scopes });
}

/** Waits until it is known what this session may do, or cannot be found out. */
export async function rightsKnown(): Promise<void> {
  if (rightsNow() !== null) return;
  await queryClient
    .ensureQueryData({
      queryKey: ["get_me", session.get().generation, {}],
      queryFn: ({ signal }) => call("get_me", {}, { signal, interactive: false }),
    })
    .catch(() => undefined);
}

/** Gives the reason why an operation cannot be called, in one sentence; the service decides by the same table. */
export function useWhyNot(): WhyNot {
  const rights = useRights();
  const { person } = useExternal(session);
  return (name) => (rights === null ? "" : refusalOf(name, rights, person));
}

/** The same for what a guest can try: who is not signed in is asked to when it is pressed, so nothing is refused. */
export function useRefusal(): WhyNot {
  const { keyed } = useExternal(session);
  const whyNot = useWhyNot();
  return keyed ? whyNot : () => "";
}

/** Why this session may not call a tool; empty when it may, or is asked to sign in. */
export function useToolRefusal(name: string): string {
  return useRefusal()(name);
}

/** Whether this session may call an operation. */
export function useMay(name: OperationName): boolean {
  return useWhyNot()(name) === "";
}

/** What protected tools need, in the words of who looks: a program's key, a person's role, or to sign in. */
export function useNeed(): "a key" | "a role" | "sign-in" {
  const { keyed, person } = useExternal(session);
  return person !== null ? "a role" : keyed ? "a key" : "sign-in";
}
