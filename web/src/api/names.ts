import { useQuery } from "@tanstack/react-query";
import { useExternal } from "../lib/external.ts";
import { bagsAt, textAt } from "../lib/read.ts";
import { getJson } from "./rest.ts";
import { session } from "./session.ts";

/** Gives the name of a person or key by id, as far as this caller may know it; empty otherwise. */
export function useCallerNames(): (id: string) => string {
  const { generation, keyed } = useExternal(session);
  const people = useQuery({
    queryKey: ["people-names", "all", generation],
    enabled: keyed,
    staleTime: 60_000,
    queryFn: async ({ signal }) =>
      bagsAt(await getJson("/api/svc/people/names?limit=100", signal), "data", "people"),
  });
  return (id) => {
    if (id === "operator") return "the operator's key";
    return textAt(
      people.data?.find((person) => textAt(person, "id") === id),
      "name",
    );
  };
}
