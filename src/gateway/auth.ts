import type { IncomingHttpHeaders } from "node:http";
import { AppError } from "../kernel/errors.ts";
import type { Keyring, PrefixedKeyring } from "../ports/keyring.ts";

/**
 * The key a request shows, or null. Two that differ are refused: either could be the one that was meant. The
 * listener joins repeated headers with a comma and a space, which no key contains.
 */
export function presentedKey(headers: IncomingHttpHeaders): string | null {
  const { authorization } = headers;
  const suiteKey = headers["x-suite-api-key"];
  if (authorization === undefined && suiteKey === undefined) return null;
  if (authorization?.includes(", ") === true || (suiteKey !== undefined && suiteKey.includes(", ")))
    throw conflict();
  const bearer = authorization === undefined ? undefined : /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  const plain = typeof suiteKey === "string" ? suiteKey.trim() : undefined;
  if (bearer !== undefined && plain !== undefined && bearer !== plain) throw conflict();
  return bearer ?? plain ?? null;
}

function conflict(): AppError {
  return new AppError("invalid_request", "The request carries two different API keys; send one.");
}

/** A keyring that asks the one whose prefix the key has; what has none of them is an API key. */
export function withTokens(keys: Keyring, tokens: readonly PrefixedKeyring[]): Keyring {
  return {
    authenticate: (key) => (tokens.find(({ prefix }) => key.startsWith(prefix)) ?? keys).authenticate(key),
  };
}
