import type { Scope } from "../../src/ports/caller.ts";
import { SCOPES } from "../../src/ports/caller.ts";
import { startService, type TestService } from "../support/service.ts";

/** A kind of caller: what it shows, and what it may do. */
export interface Caller {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `none`: anonymous. `refused`: shows a key that does not count. Otherwise the scope of a valid key. */
  readonly kind: "none" | "refused" | Scope;
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
    { name: "none", headers: {}, kind: "none" },
    { name: "malformed key", headers: { "x-suite-api-key": "not a key" }, kind: "refused" },
    { name: "unknown key", headers: bearer(unknown), kind: "refused" },
    { name: "expired key", headers: bearer(expired.token), kind: "refused" },
    { name: "revoked key", headers: { "x-suite-api-key": revoked.token }, kind: "refused" },
  ];
  for (const scope of SCOPES)
    callers.push({ name: `key with ${scope}`, headers: bearer((await create([scope])).token), kind: scope });
  return { service, callers, close: () => service.close() };
}

/** True when a key of this kind holds the scope. */
export function holds(kind: Caller["kind"], scope: Scope): boolean {
  return kind === scope || kind === "admin";
}
