import { queryOptions, useQuery, type UseQueryResult } from "@tanstack/react-query";
import type {
  Connection,
  DefinitionDetail,
  InputOf,
  JsonObject,
  OperationName,
  OutputOf,
} from "@workflow-ui/client";
import { useExternal } from "../lib/external.ts";
import { call, refreshOperation, useOperation } from "./operations.ts";
import { queryClient } from "./operations.ts";
import { session } from "./session.ts";

/** What describes a new connection but its name. */
export type ConnectionBody = Omit<InputOf<"create_connection">, "name">;

/** The path of a call of a definition, whose answer is shown byte for byte. */
export function callPath(connection: string, definition: string): string {
  return `/api/svc/connections/${encodeURIComponent(connection)}/call/${encodeURIComponent(definition)}`;
}

/** Where a connection leads, for people. */
export function addressOf({ command, args = [], baseUrl, url }: Connection): string {
  return command === undefined ? (baseUrl ?? url ?? "pasted document") : [command, ...args].join(" ");
}

/** All connections; not asked for by guests, who may not see them. */
export function useConnections(): UseQueryResult<OutputOf<"list_connections">> {
  const { keyed } = useExternal(session);
  return useOperation("list_connections", {}, { enabled: keyed });
}

/** How one definition with its schemas is read. */
export function definitionQuery(generation: number, connection: string, definition: string) {
  return queryOptions({
    queryKey: ["get_definition", generation, { connection, definition }],
    queryFn: async ({ signal }): Promise<DefinitionDetail> =>
      (await call("get_definition", { connection, definition }, { signal })).definition,
  });
}

/** One definition with its schemas. */
export function useDefinition(connection: string, name: string): UseQueryResult<DefinitionDetail> {
  const { generation } = useExternal(session);
  return useQuery(definitionQuery(generation, connection, name));
}

/** The requests that a person wrote down for a connection of kind `http`. */
export async function writtenRequests(name: string): Promise<readonly JsonObject[]> {
  const { connection } = await call("get_connection", { name });
  const requests = connection.document?.["requests"];
  return Array.isArray(requests) ? requests : [];
}

/** Every credential that the caller may name; empty without the scope to see them. */
export function useCredentials(): UseQueryResult<OutputOf<"list_credentials">> {
  const { keyed } = useExternal(session);
  return useOperation("list_credentials", { limit: 100 }, { enabled: keyed });
}

/** Changes something of connections and reads them again. */
export async function changeConnection<N extends OperationName>(
  name: N,
  input: InputOf<N>,
): Promise<OutputOf<N>> {
  const answer = await call(name, input, { interactive: true });
  await refreshConnections();
  return answer;
}

const READS = [
  "list_connections",
  "get_connection",
  "get_definition",
  "list_definition_calls",
  "list_my_calls",
  "search_connected_tools",
  "list_network_tools",
] as const;

/** Reads connections and tools again. */
export async function refreshConnections(): Promise<void> {
  await Promise.all([
    ...READS.map(refreshOperation),
    // Whether a workflow has problems depends on what its steps can call.
    queryClient.invalidateQueries({ queryKey: ["verdict"] }),
  ]);
}
