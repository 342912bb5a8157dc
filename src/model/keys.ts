import { Type, type Static } from "typebox";
import { TextOrNull, Time, TimeOrNull, viewOf } from "./common.ts";
import { SCOPES } from "./scopes.ts";

/** One right of a key or a role. */
export const ScopeName = Type.Enum([...SCOPES], {
  title: "Scope",
  description: "A right that a key or a role holds.",
});

/** An API key as it is shown: never its secret and never its digest. */
export const ApiKeyView = viewOf("ApiKey", "An API key without its secret.", {
  id: Type.String(),
  name: Type.String(),
  scopes: Type.Array(ScopeName),
  createdAt: Time,
  expiresAt: TimeOrNull,
  revokedAt: TimeOrNull,
  lastUsedAt: TimeOrNull,
});
export type ApiKeyView = Static<typeof ApiKeyView>;

/** Who a request comes from. */
export const MeView = viewOf("Me", "Who a request comes from, and what it may do.", {
  kind: Type.Enum(["anonymous", "key", "person", "token", "oauth", "system"]),
  name: TextOrNull,
  scopes: Type.Array(ScopeName),
  expiresAt: TimeOrNull,
});
