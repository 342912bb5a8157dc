import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { readAnswer, unreachable } from "@workflow-ui/client";
import { useExternal } from "../lib/external.ts";
import { reach } from "./rpc.ts";
import { session } from "./session.ts";

/** What a REST request may carry. */
interface RestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Sent as JSON, with POST unless a method is named. */
  readonly body?: unknown;
  readonly method?: "GET" | "POST" | "PATCH" | "DELETE";
  readonly interactive?: boolean;
}

/** Asks a route that is no operation yet; an answer that is not ok is thrown with the reason it names. */
export async function rest(path: string, { signal, body, ...options }: RestOptions = {}): Promise<unknown> {
  const method = options.method ?? (body === undefined ? "GET" : "POST");
  const init = {
    method,
    headers: { "Content-Type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  };
  const response = await reach(path, init, options.interactive ?? method !== "GET").catch(
    (cause: unknown) => {
      throw signal?.aborted === true ? cause : unreachable();
    },
  );
  const { refusal, data } = readAnswer<unknown>(await response.text(), response.status);
  if (refusal !== null) throw refusal;
  return { data };
}

/** Reads a route that is no operation yet. */
export function getJson(path: string, signal?: AbortSignal): Promise<unknown> {
  return rest(path, { signal });
}

/** A document of the service's own site. */
export function useDocument(path: string): UseQueryResult {
  const { generation } = useExternal(session);
  return useQuery({
    queryKey: ["document", path, generation],
    queryFn: ({ signal }) => getJson(path, signal),
  });
}
