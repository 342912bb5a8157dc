import { queryOptions, useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { OutputOf } from "@workflow-ui/client";
import { useExternal } from "../lib/external.ts";
import { at, bagAt, bagsAt, isBag, numberAt, textAt, textsAt, type Bag } from "../lib/read.ts";
import { useOperation } from "./operations.ts";
import { queryClient } from "./queries.ts";
import { getJson, rest } from "./rpc.ts";
import { session } from "./session.ts";

const ROOT = "/api/svc/connections";

/** Somebody's own MCP server, API or HTTP requests. */
export interface Connection {
  readonly name: string;
  readonly kind: string;
  readonly title: string;
  readonly address: string;
  /** Where it is read from; empty for a pasted document and a program. */
  readonly url: string;
  /** Where its requests go, when that was given. */
  readonly baseUrl: string;
  readonly state: string;
  readonly problem: string;
  readonly credential: string;
  readonly credentialState: string;
  readonly syncedAt: string;
  readonly checkedAt: string;
  /** How many definitions are in each state. */
  readonly counts: Readonly<Record<string, number>>;
}

/** What changed in a definition since it was accepted. */
interface DefinitionChange {
  readonly pointer: string;
  readonly change: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** A tool or operation of a connection. */
export interface Definition {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: string;
  readonly idempotent: boolean;
  readonly state: string;
  readonly digest: string;
  readonly pending: {
    readonly digest: string;
    readonly reason: string;
    readonly renamedFrom: string;
    readonly changes: readonly DefinitionChange[];
    /** Changes that a list leaves out. */
    readonly moreChanges: number;
  } | null;
}

/** A definition with its schemas. */
export interface WholeDefinition extends Definition {
  readonly inputSchema: Bag;
  readonly outputSchema: Bag | null;
  /** Its name at the server. */
  readonly sourceName: string;
  /** What an admin has changed about it. */
  readonly overrides: Bag;
  readonly syncedAt: string;
}

/** The path of a connection, or of something below it. */
export function connectionPath(name: string, ...below: readonly string[]): string {
  return [ROOT, name, ...below]
    .map((part, index) => (index === 0 ? part : encodeURIComponent(part)))
    .join("/");
}

/** All connections. */
export function useConnections(): UseQueryResult<readonly Connection[]> {
  const { generation } = useExternal(session);
  return useQuery({
    queryKey: ["connections", generation],
    queryFn: async ({ signal }) =>
      bagsAt(await getJson(ROOT, signal), "data", "connections").map(toConnection),
  });
}

/** One connection with its definitions. */
export function useConnection(
  name: string,
): UseQueryResult<{ readonly connection: Connection; readonly definitions: readonly Definition[] }> {
  const { generation } = useExternal(session);
  return useQuery({
    queryKey: ["connections", generation, name],
    queryFn: async ({ signal }) => {
      const data = bagAt(await getJson(connectionPath(name), signal), "data");
      return {
        connection: toConnection(bagAt(data, "connection")),
        definitions: bagsAt(data, "definitions").map(toDefinition),
      };
    },
  });
}

/** How one definition with its schemas is read. */
export function definitionQuery(generation: number, connection: string, name: string) {
  return queryOptions({
    queryKey: ["connections", generation, connection, "definition", name],
    queryFn: async ({ signal }): Promise<WholeDefinition> => {
      const path = connectionPath(connection, "definitions", name);
      const found = bagAt(await getJson(path, signal), "data", "definition");
      const output = at(found, "outputSchema");
      return {
        ...toDefinition(found),
        inputSchema: bagAt(found, "inputSchema"),
        outputSchema: isBag(output) ? output : null,
        sourceName: textAt(found, "sourceName", textAt(found, "name")),
        overrides: bagAt(found, "overrides"),
        syncedAt: textAt(found, "syncedAt"),
      };
    },
  });
}

/** One definition with its schemas. */
export function useDefinition(connection: string, name: string): UseQueryResult<WholeDefinition> {
  const { generation } = useExternal(session);
  return useQuery(definitionQuery(generation, connection, name));
}

/** The last calls of a definition, newest first. */
export function useCalls(connection: string, definition: string): UseQueryResult<readonly Bag[]> {
  const { generation } = useExternal(session);
  return useQuery({
    queryKey: ["connections", generation, connection, "calls", definition],
    queryFn: async ({ signal }) =>
      bagsAt(
        await getJson(connectionPath(connection, "definitions", definition, "calls"), signal),
        "data",
        "calls",
      ),
  });
}

/** The caller's own last calls of all connections, newest first. */
export function useMyCalls(): UseQueryResult<readonly Bag[]> {
  const { generation } = useExternal(session);
  return useQuery({
    queryKey: ["connections", generation, "my-calls"],
    queryFn: async ({ signal }) => bagsAt(await getJson(`${ROOT}/calls?limit=50`, signal), "data", "calls"),
  });
}

/** The requests that a person wrote down for a connection of kind `http`. */
export async function writtenRequests(name: string): Promise<readonly Bag[]> {
  return bagsAt(await getJson(connectionPath(name)), "data", "connection", "document", "requests");
}

/** Every credential that the caller may name; empty without the scope to see them. */
export function useCredentials(): UseQueryResult<OutputOf<"list_credentials">> {
  const { keyed } = useExternal(session);
  return useOperation("list_credentials", { limit: 100 }, { enabled: keyed });
}

/** Changes something of a connection and reads it again. */
export async function changeConnection(
  path: string,
  method: "POST" | "PATCH" | "DELETE",
  body?: Bag,
): Promise<Bag> {
  const answer = await rest(path, { method, ...(body !== undefined && { body }), interactive: true });
  await refreshConnections();
  return bagAt(answer, "data");
}

/** Adds a connection; its definitions are accepted with it. */
export function addConnection(body: Bag): Promise<Bag> {
  return changeConnection(ROOT, "POST", body);
}

/** What is at an address. */
export async function probeAddress(body: Bag): Promise<Bag> {
  return bagAt(await rest(`${ROOT}/probe`, { body }), "data");
}

/** Reads connections, credentials and tools again. */
export async function refreshConnections(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ["connections"] }),
    queryClient.invalidateQueries({ queryKey: ["synced-tools"] }),
    // Whether a workflow has problems depends on what its steps can call.
    queryClient.invalidateQueries({ queryKey: ["verdict"] }),
  ]);
}

function toConnection(record: Bag): Connection {
  const args = textsAt(record, "args");
  const command = textAt(record, "command");
  const counts = bagAt(record, "definitions");
  return {
    name: textAt(record, "name"),
    kind: textAt(record, "kind"),
    title: textAt(record, "title", textAt(record, "name")),
    address:
      command === ""
        ? textAt(record, "baseUrl", textAt(record, "url", "pasted document"))
        : [command, ...args].join(" "),
    url: textAt(record, "url"),
    baseUrl: textAt(record, "baseUrl"),
    state: textAt(record, "state", "unknown"),
    problem: textAt(record, "problem"),
    credential: textAt(record, "credential"),
    credentialState: textAt(record, "credentialState"),
    syncedAt: textAt(record, "syncedAt"),
    checkedAt: textAt(record, "checkedAt"),
    counts: Object.fromEntries(Object.keys(counts).map((state) => [state, numberAt(counts, state) ?? 0])),
  };
}

/** A definition in a list. */
export function toDefinition(record: Bag): Definition {
  const pending = at(record, "pending");
  return {
    id: textAt(record, "id"),
    name: textAt(record, "name"),
    title: textAt(record, "title", textAt(record, "name")),
    description: textAt(record, "description"),
    effect: textAt(record, "effect", "write"),
    idempotent: at(record, "idempotent") === true,
    state: textAt(record, "state"),
    digest: textAt(record, "digest"),
    pending: isBag(pending)
      ? {
          digest: textAt(pending, "digest"),
          reason: textAt(pending, "reason"),
          renamedFrom: textAt(pending, "renamedFrom"),
          changes: bagsAt(pending, "changes").map((change) => ({
            pointer: textAt(change, "pointer"),
            change: textAt(change, "change"),
            before: at(change, "before"),
            after: at(change, "after"),
          })),
          moreChanges: numberAt(pending, "moreChanges") ?? 0,
        }
      : null,
  };
}
