import { QueryClient, useInfiniteQuery, useQuery, type UseQueryResult } from "@tanstack/react-query";
import {
  createClient,
  OperationError,
  requestOf,
  type CallOptions as ClientCallOptions,
  type InputOf,
  type OperationName,
  type OutputOf,
} from "@workflow-ui/client";
import { useEffect, useState } from "react";
import { useExternal } from "../lib/external.ts";
import { checkMay } from "./refusal.ts";
import { reach } from "./rpc.ts";
import { session } from "./session.ts";

/** The one cache of answers. Errors the service wrote are shown at once; only a lost connection is tried again. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      retry: (count, error) => error instanceof OperationError && error.code === "unreachable" && count < 2,
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});

/** What a call may carry besides its input. */
interface CallOptions extends ClientCallOptions {
  /** Ask for a key on a 401 and send again; by default only what changes something does. */
  readonly interactive?: boolean;
}

const clients = {
  asking: createClient({ fetch: (address, init) => reach(address, init, true) }),
  quiet: createClient({ fetch: (address, init) => reach(address, init, false) }),
};

/**
 * Calls an operation or a tool; an answer that is not ok is thrown with the reason it names. What asks nobody is not
 * sent when it would be refused.
 */
export async function call<N extends OperationName>(
  name: N,
  input: InputOf<N>,
  { interactive = requestOf(name, input).method !== "GET", ...options }: CallOptions = {},
): Promise<OutputOf<N>> {
  if (!interactive) await checkMay(name);
  return clients[interactive ? "asking" : "quiet"].call(name, input, options);
}

/** The answer of an operation or a tool that reads. It is asked again when the person or the key changes. */
export function useOperation<N extends OperationName>(
  name: N,
  input: InputOf<N>,
  options: {
    readonly staleTime?: number;
    readonly enabled?: boolean;
    readonly refetchInterval?: number | false;
    readonly refetchOnWindowFocus?: boolean;
    readonly retry?: false;
  } = {},
): UseQueryResult<OutputOf<N>> {
  const { generation } = useExternal(session);
  return useQuery({
    queryKey: [name, generation, input],
    queryFn: ({ signal }) => call(name, input, { signal, interactive: false }),
    ...options,
  });
}

/** The operations that answer page by page. */
type ListName = {
  [N in OperationName]: OutputOf<N> extends { readonly nextCursor: string | null } ? N : never;
}[OperationName];

/** A list as a page shows it: what is there so far, and the way to more. */
interface Pages<T> {
  readonly data: readonly T[] | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
  readonly isFetching: boolean;
  /** Asks for as many again; null when the list is complete. */
  readonly more: (() => void) | null;
}

/** A list over its pages. A page may be short and have a next one, so it goes on until there is something to show. */
export function usePages<N extends ListName, T>(
  name: N,
  input: InputOf<N>,
  itemsOf: (page: OutputOf<N>) => readonly T[],
  size = 50,
): Pages<T> {
  const { generation } = useExternal(session);
  const [wanted, setWanted] = useState(size);
  const list = useInfiniteQuery({
    queryKey: [name, generation, input, "pages"],
    initialPageParam: "",
    queryFn: ({ signal, pageParam: cursor }) =>
      call(name, { ...input, limit: size, ...(cursor !== "" && { cursor }) }, { signal, interactive: false }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const { data, error, hasNextPage, isFetching, fetchNextPage } = list;
  const items = data?.pages.flatMap(itemsOf);
  const isShort = items !== undefined && items.length < wanted && error === null;
  useEffect(() => {
    if (isShort && hasNextPage && !isFetching) void fetchNextPage();
  }, [isShort, hasNextPage, isFetching, fetchNextPage]);
  return {
    data: items,
    error,
    refetch: list.refetch,
    isFetching: isFetching && isShort && hasNextPage,
    more: hasNextPage ? () => setWanted((items?.length ?? 0) + size) : null,
  };
}

/** Asks again what was read with an operation. */
export function refreshOperation(name: OperationName): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: [name] });
}
