import type { Scope } from "../../src/ports/caller.ts";
import { SCOPES } from "../../src/ports/caller.ts";
import { ROLE_TABLE } from "../../src/access/people/roles.ts";
import { ROLES } from "../../src/ports/people.ts";
import { newClient, signInClient } from "../oauth/support.ts";
import { addMember, makeOwner, type Visitor } from "../people/support.ts";
import { startService, type TestService } from "../support/service.ts";

/** A kind of caller: what it shows, and what it may do. */
export interface Caller {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `none`: anonymous. `refused`: shows a key or a session that does not count. */
  readonly kind: "none" | "refused" | "key" | "token" | "person";
  /** What the key or the role holds. */
  readonly scopes: readonly Scope[];
}

/** A service with one caller of every kind. */
export interface World {
  readonly service: TestService;
  readonly callers: readonly Caller[];
  close(): Promise<void>;
}

/** Starts a service and makes the keys: malformed, unknown, expired, revoked, and one for each scope. */
export async function startWorld(): Promise<World> {
  let ahead = 0;
  const service = await startService({ clock: { now: () => Date.now() + ahead } });
  const { keyring } = service.app;
  const create = (scopes: readonly Scope[], expiresAt: string | null = null) =>
    keyring.create({ name: "authorization", scopes, expiresAt });
  const expired = await create(["admin"], new Date(Date.now() + 60_000).toISOString());
  ahead = 120_000;
  const revoked = await create(["admin"]);
  await keyring.revoke(revoked.record.id);
  const unknown = (await create(["admin"])).token.replace(/_[^_]+_[^_]+$/, "_0000000000000000_00000000");
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const callers: Caller[] = [
    { name: "none", headers: {}, kind: "none", scopes: [] },
    { name: "malformed key", headers: { "x-suite-api-key": "not a key" }, kind: "refused", scopes: [] },
    { name: "unknown key", headers: bearer(unknown), kind: "refused", scopes: [] },
    { name: "expired key", headers: bearer(expired.token), kind: "refused", scopes: [] },
    { name: "revoked key", headers: { "x-suite-api-key": revoked.token }, kind: "refused", scopes: [] },
  ];
  for (const scope of SCOPES) {
    const { token } = await create([scope]);
    callers.push({ name: `key with ${scope}`, headers: bearer(token), kind: "key", scopes: [scope] });
  }
  const owner = await makeOwner(service);
  for (const role of ROLES) {
    const { visitor } = role === "owner" ? owner : await addMember(service, owner, role);
    callers.push({ name: role, headers: visitor.headers, kind: "person", scopes: ROLE_TABLE[role].scopes });
  }
  const tokenOf = async (visitor: Visitor, scopes: readonly Scope[]): Promise<string> =>
    (await visitor.ask("POST", "/api/svc/tokens", { name: "authorization", scopes })).data.token;
  for (const scope of SCOPES) {
    const token = await tokenOf(owner.visitor, [scope]);
    callers.push({ name: `token with ${scope}`, headers: bearer(token), kind: "token", scopes: [scope] });
  }
  const stopped = await tokenOf(owner.visitor, ["admin"]);
  const own = (await owner.visitor.ask("GET", "/api/svc/tokens")).data.tokens;
  await owner.visitor.ask("DELETE", `/api/svc/tokens/${own[0]?.id}`);
  callers.push({ name: "revoked token", headers: bearer(stopped), kind: "refused", scopes: [] });
  const client = await newClient(service);
  const accessToken = async (scope: Scope, resource: string): Promise<string> => {
    const asked = { scope, resource };
    return (await signInClient(service, owner, client, { scopes: [scope], asked })).access_token;
  };
  for (const scope of SCOPES) {
    const token = await accessToken(scope, service.url);
    callers.push({
      name: `OAuth token with ${scope}`,
      headers: bearer(token),
      kind: "token",
      scopes: [scope],
    });
  }
  // A toolset that no route serves: to every path this is another resource's token.
  const elsewhere = await accessToken("admin", `${service.url}/mcp/another`);
  callers.push({ name: "another resource's token", headers: bearer(elsewhere), kind: "refused", scopes: [] });
  const disabled = await addMember(service, owner, "admin", "disabled@example.com");
  const { headers } = disabled.visitor;
  const orphan = await tokenOf(disabled.visitor, ["admin", "approve"]);
  callers.push({ name: "disabled person's token", headers: bearer(orphan), kind: "refused", scopes: [] });
  await owner.visitor.ask("PATCH", `/api/svc/people/${disabled.id}`, { state: "disabled" });
  callers.push({ name: "disabled person", headers, kind: "refused", scopes: [] });
  const forged = { ...headers, cookie: headers["cookie"]?.replace(/.{8}$/, "00000000") ?? "" };
  callers.push({ name: "forged session", headers: forged, kind: "refused", scopes: [] });
  return { service, callers, close: () => service.close() };
}

/** True when the caller holds the scope. */
export function holds({ scopes, kind }: Caller, scope: Scope): boolean {
  // A token holds `approve` only where it was granted by name.
  return scopes.includes(scope) || (scopes.includes("admin") && (scope !== "approve" || kind !== "token"));
}
