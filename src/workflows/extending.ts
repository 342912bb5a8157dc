import { isJsonObject, type JsonObject } from "../kernel/json.ts";

/** The REST API as the caller reaches it: each gives the `data` of the answer. */
interface Api {
  get(path: string): Promise<unknown>;
  send(method: "POST" | "PATCH", path: string, body: JsonObject): Promise<unknown>;
}

/**
 * Gives a connection the requests that an import found lacking (`state: "extend"`), and accepts them for the person who
 * imports. Answers with their names.
 */
export async function extendConnection(proposal: unknown, api: Api): Promise<readonly string[]> {
  const path = `/api/svc/connections/${encodeURIComponent(String(member(proposal, "name")))}`;
  const adds = member(proposal, "adds");
  const names = Array.isArray(adds) ? adds.filter((name) => typeof name === "string") : [];
  const isAdded = ({ name }: JsonObject): boolean => typeof name === "string" && names.includes(name);
  const given = requestsOf(member(proposal, "document")).filter(isAdded);
  const known = requestsOf(member(member(await api.get(path), "connection"), "document"));
  await api.send("PATCH", path, { document: { requests: withRequests(known, given) } });
  for (const added of names)
    await api.send("POST", `${path}/definitions/${encodeURIComponent(added)}/accept`, {});
  return names;
}

/** The requests of a connection with those that are given: one of the same name is replaced. */
export function withRequests<T extends Readonly<Record<string, unknown>>>(
  known: readonly T[],
  given: readonly T[],
): readonly T[] {
  const names = new Set(given.map((request) => request["name"]));
  return [...known.filter((request) => !names.has(request["name"])), ...given];
}

function requestsOf(document: unknown): readonly JsonObject[] {
  const requests = member(document, "requests");
  return Array.isArray(requests) ? requests.filter(isJsonObject) : [];
}

function member(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined;
}
