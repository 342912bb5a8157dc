import { ok } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { isObject, type JsonObject } from "../kernel/json.ts";
import { requireScope, SCOPES, type Caller, type Scope } from "../ports/caller.ts";
import { pageOfQuery, type HttpRequest, type HttpRoute } from "../ports/http.ts";
import type { ApiKeyRecord } from "../ports/records.ts";
import type { ManagedKeyring, NewKey } from "./keyring.ts";

const KEYS = "/api/svc/keys";
const MAX_GRACE_SECONDS = 30 * 24 * 60 * 60;

/** The paths with which an operator manages API keys. */
export function createKeyRoutes(keyring: ManagedKeyring): readonly HttpRoute[] {
  return [
    {
      method: "GET",
      path: KEYS,
      summary: "API keys without their secrets, newest first (limit, cursor).",
      access: "key",
      async handle({ query, context }) {
        requireScope(context.caller, "admin");
        const page = await keyring.list(pageOfQuery(query));
        return { status: 200, body: ok({ keys: page.items.map(keyView), nextCursor: page.nextCursor }) };
      },
    },
    {
      method: "GET",
      path: "/api/svc/me",
      summary: "Whose key a request carries, what it may do and until when; without a key, that it has none.",
      access: "mixed",
      async handle({ context }) {
        const { caller } = context;
        const record = caller.kind === "key" ? await keyring.get(caller.id) : null;
        const me: JsonObject = {
          kind: caller.kind,
          name: caller.kind === "anonymous" ? null : (record?.name ?? nameOf(caller)),
          scopes: [...caller.scopes],
          expiresAt: record?.expiresAt ?? caller.token?.expiresAt ?? null,
        };
        return { status: 200, body: ok({ me }) };
      },
    },
    {
      method: "POST",
      path: KEYS,
      summary: "Makes a key {name, scopes, expiresAt?}; the answer shows it this once.",
      access: "key",
      async handle({ body, context }) {
        requireScope(context.caller, "admin");
        const wanted = newKey(body, context.services.clock.now());
        checkWithin(context.caller, wanted.scopes);
        const { record, token } = await keyring.create(wanted, context.caller.id);
        return { status: 201, body: ok({ key: keyView(record), token }) };
      },
    },
    {
      method: "POST",
      path: `${KEYS}/{id}/rotate`,
      summary: "Makes a successor with the same rights; the old key works for {graceSeconds} more.",
      access: "key",
      async handle(request) {
        requireScope(request.context.caller, "admin");
        checkWithin(request.context.caller, (await keyring.get(idIn(request)))?.scopes ?? []);
        const { record, token } = await keyring.rotate(
          idIn(request),
          graceOf(request.body),
          request.context.caller.id,
        );
        return { status: 201, body: ok({ key: keyView(record), token, replaces: idIn(request) }) };
      },
    },
    {
      method: "POST",
      path: `${KEYS}/{id}/revoke`,
      summary: "Revokes a key at once.",
      access: "key",
      async handle(request) {
        requireScope(request.context.caller, "admin");
        const key = await keyring.revoke(idIn(request), request.context.caller.id);
        return { status: 200, body: ok({ key: keyView(key) }) };
      },
    },
  ];
}

function nameOf({ id, token, person }: Caller): string {
  return token?.name ?? person?.name ?? id;
}

/** Nobody makes a key that may do more than they may: a token without `approve` makes none with it. */
function checkWithin(caller: Caller, scopes: readonly Scope[]): void {
  for (const scope of scopes) requireScope(caller, scope);
  if (scopes.includes("admin")) requireScope(caller, "approve");
}

/** A key as it may be shown: never its digest. */
export function keyView(record: ApiKeyRecord): JsonObject {
  const { digest: _kept, ...shown } = record;
  return { ...shown };
}

function newKey(body: unknown, now: number): NewKey {
  const given = isObject(body) ? body : {};
  const { name, scopes, expiresAt = null } = given;
  if (typeof name !== "string" || name.trim() === "" || name.length > 200) {
    throw new AppError("invalid_input", "name must be a text of 1 to 200 characters.");
  }
  if (!Array.isArray(scopes) || scopes.length === 0 || !scopes.every(isScope)) {
    throw new AppError("invalid_input", `scopes must be a list out of ${SCOPES.join(", ")}.`);
  }
  return { name: name.trim(), scopes: [...new Set(scopes)], expiresAt: expiry(expiresAt, now) };
}

function isScope(value: unknown): value is Scope {
  return SCOPES.some((scope) => scope === value);
}

function expiry(value: unknown, now: number): string | null {
  if (value === null) return null;
  const at = typeof value === "string" ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at) || at <= now) {
    throw new AppError("invalid_input", "expiresAt must be a time in the future, as ISO 8601.");
  }
  return new Date(at).toISOString();
}

function graceOf(body: unknown): number | undefined {
  const grace = isObject(body) ? body["graceSeconds"] : undefined;
  if (grace === undefined) return undefined;
  if (typeof grace === "number" && Number.isInteger(grace) && grace >= 0 && grace <= MAX_GRACE_SECONDS)
    return grace;
  throw new AppError("invalid_input", `graceSeconds must be a whole number from 0 to ${MAX_GRACE_SECONDS}.`);
}

function idIn({ path }: HttpRequest): string {
  return path.slice(KEYS.length + 1).split("/")[0] ?? "";
}
