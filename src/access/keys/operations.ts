import { Type } from "typebox";
import type { Problem } from "../../kernel/errors.ts";
import { inputOf, NEXT_CURSOR, PAGE_INPUT } from "../../model/common.ts";
import { ApiKeyView, MeView, ScopeName } from "../../model/keys.ts";
import type { Scope } from "../../model/scopes.ts";
import { requireScope, type Caller } from "../../ports/caller.ts";
import { operationsWith, pageIn } from "../../ports/operations.ts";
import type { ApiKeyRecord } from "../../ports/records.ts";
import type { ManagedKeyring } from "./keyring.ts";

const MAX_GRACE_SECONDS = 30 * 24 * 60 * 60;

/** What the operations of keys work with. */
export interface KeyOperationParts {
  readonly keyring: ManagedKeyring;
}

const { operation, declared } = operationsWith<KeyOperationParts>();

const id = Type.String({ description: "The id of the key, as list_keys shows it." });
const token = Type.String({ description: "The key itself; it is shown this once." });

operation({
  name: "list_keys",
  title: "List API keys",
  description: "API keys without their secrets, newest first.",
  http: "GET /api/svc/keys",
  access: "admin",
  input: inputOf(PAGE_INPUT),
  output: Type.Object({ keys: Type.Array(ApiKeyView), nextCursor: NEXT_CURSOR }),
  async run(input, _call, { keyring }) {
    const { items, nextCursor } = await keyring.list(pageIn(input));
    return { keys: items.map(keyView), nextCursor };
  },
});

operation({
  name: "get_me",
  title: "Who am I",
  description: "Whose key a request carries, what it may do and until when; without a key, that it has none.",
  http: "GET /api/svc/me",
  access: "mixed",
  input: inputOf({}),
  output: Type.Object({ me: MeView }),
  async run(_input, { caller }, { keyring }) {
    const record = caller.kind === "key" ? await keyring.get(caller.id) : null;
    return {
      me: {
        kind: caller.kind,
        name: caller.kind === "anonymous" ? null : (record?.name ?? nameOf(caller)),
        scopes: [...caller.scopes],
        expiresAt: record?.expiresAt ?? caller.token?.expiresAt ?? null,
      },
    };
  },
});

operation({
  name: "create_key",
  title: "Create an API key",
  description: "Creates an API key. The answer shows it this once; afterwards only its digest is stored.",
  http: "POST /api/svc/keys",
  access: "admin",
  effect: "write",
  idempotent: false,
  status: 201,
  input: inputOf({
    name: Type.String({ minLength: 1, maxLength: 200, pattern: "\\S", description: "What the key is for." }),
    scopes: Type.Array(ScopeName, { minItems: 1, description: "What the key may do." }),
    expiresAt: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: "When it stops working, as ISO 8601; never when it is left out.",
      }),
    ),
  }),
  output: Type.Object({ key: ApiKeyView, token }),
  examples: [{ name: "nightly import", scopes: ["run"] }],
  rules: ({ expiresAt }, now) => expiryProblems(expiresAt ?? null, now),
  async run({ name, scopes, expiresAt = null }, { caller }, { keyring }) {
    checkWithin(caller, scopes);
    const wanted = {
      name: name.trim(),
      scopes: [...new Set(scopes)],
      expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    };
    const issued = await keyring.create(wanted, caller.id);
    return { key: keyView(issued.record), token: issued.token };
  },
});

operation({
  name: "rotate_key",
  title: "Rotate an API key",
  description: "Creates a successor with the same rights; the old key works until the grace period ends.",
  http: "POST /api/svc/keys/{id}/rotate",
  access: "admin",
  effect: "write",
  idempotent: false,
  status: 201,
  input: inputOf({
    id,
    graceSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_GRACE_SECONDS,
        description: "How long the old key still works; one day when not given.",
      }),
    ),
  }),
  output: Type.Object({ key: ApiKeyView, token, replaces: Type.String() }),
  async run({ id: replaces, graceSeconds }, { caller }, { keyring }) {
    checkWithin(caller, (await keyring.get(replaces))?.scopes ?? []);
    const issued = await keyring.rotate(replaces, graceSeconds, caller.id);
    return { key: keyView(issued.record), token: issued.token, replaces };
  },
});

operation({
  name: "revoke_key",
  title: "Revoke an API key",
  description: "Revokes a key at once.",
  http: "POST /api/svc/keys/{id}/revoke",
  access: "admin",
  effect: "destructive",
  idempotent: true,
  input: inputOf({ id }),
  output: Type.Object({ key: ApiKeyView }),
  run: async (input, { caller }, { keyring }) => ({
    key: keyView(await keyring.revoke(input.id, caller.id)),
  }),
});

/** What callers do with API keys. */
export const keyOperations = declared;

function nameOf({ id: callerId, token: shown, person }: Caller): string {
  return shown?.name ?? person?.name ?? callerId;
}

/** A key never may do more than who creates it: a token without `approve` creates none with it. */
function checkWithin(caller: Caller, scopes: readonly Scope[]): void {
  for (const scope of scopes) requireScope(caller, scope);
  if (scopes.includes("admin")) requireScope(caller, "approve");
}

/** A key as it may be shown: never its digest. */
export function keyView({
  id: keyId,
  name,
  scopes,
  createdAt,
  expiresAt,
  revokedAt,
  lastUsedAt,
}: ApiKeyRecord): ApiKeyView {
  return { id: keyId, name, scopes: [...scopes], createdAt, expiresAt, revokedAt, lastUsedAt };
}

function expiryProblems(expiresAt: string | null, now: number): readonly Problem[] {
  if (expiresAt === null || Date.parse(expiresAt) > now) return [];
  const expected = "a time in the future, as ISO 8601";
  return [
    {
      pointer: "/expiresAt",
      message: `"expiresAt" must be ${expected}.`,
      expected,
      fix: `Give ${expected}.`,
    },
  ];
}
