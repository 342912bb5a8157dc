import { useExternal } from "../lib/external.ts";
import { session } from "./session.ts";
import { useOperation } from "./operations.ts";

/** Gives the name of a person or key by id, as far as this caller may know it; empty otherwise. */
export function useCallerNames(): (id: string) => string {
  const { keyed } = useExternal(session);
  const options = { enabled: keyed, staleTime: 60_000 };
  const { people = [] } = useOperation("list_people_names", { limit: 100 }, options).data ?? {};
  return (id) =>
    id === "operator" ? "the operator's key" : (people.find((person) => person.id === id)?.name ?? "");
}
