import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { OutputOf } from "@workflow-ui/client";
import { useExternal } from "../lib/external.ts";
import { call } from "./operations.ts";
import { session } from "./session.ts";

/** Entries that a choice offers at most. */
export const MOST_CHOICES = 1_000;

type People = OutputOf<"list_people_names">["people"];
type Workflows = OutputOf<"list_workflows">["workflows"];

/** A list over all its pages. */
interface Whole<T> {
  readonly items: T;
  /** There are more than a choice offers. */
  readonly isCut: boolean;
}

/** Everybody who can be named, for choices and names. */
export function usePeopleNames(enabled: boolean): UseQueryResult<Whole<People>> {
  const { generation } = useExternal(session);
  return useQuery({
    queryKey: ["list_people_names", generation, "all"],
    enabled,
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      upTo(async (cursor) => {
        const input = { limit: 100, ...(cursor !== null && { cursor }) };
        const { people, nextCursor } = await call("list_people_names", input, { signal });
        return { items: people, nextCursor };
      }),
  });
}

/** Every workflow that this session may see. */
export function useWorkflows(): UseQueryResult<Whole<Workflows>> {
  const { generation } = useExternal(session);
  return useQuery({
    queryKey: ["list_workflows", generation, "all"],
    queryFn: ({ signal }) =>
      upTo(async (cursor) => {
        const options = {
          signal,
          interactive: false,
          ...(cursor !== null && { meta: { "svc/cursor": cursor } }),
        };
        const { workflows, nextCursor } = await call("list_workflows", { limit: 100 }, options);
        return { items: workflows, nextCursor };
      }),
  });
}

async function upTo<T>(
  page: (
    cursor: string | null,
  ) => Promise<{ readonly items: readonly T[]; readonly nextCursor: string | null }>,
): Promise<Whole<readonly T[]>> {
  const all: T[] = [];
  let cursor: string | null = null;
  do {
    const { items, nextCursor } = await page(cursor);
    all.push(...items);
    cursor = nextCursor;
  } while (cursor !== null && all.length < MOST_CHOICES);
  return { items: all, isCut: cursor !== null };
}

/** Gives the name of a person or key by id, as far as this caller may know it; empty otherwise. */
export function useCallerNames(): (id: string) => string {
  const { keyed } = useExternal(session);
  const people = usePeopleNames(keyed).data?.items ?? [];
  return (id) =>
    id === "operator" ? "the operator's key" : (people.find((person) => person.id === id)?.name ?? "");
}
