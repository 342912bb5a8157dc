import type { Json, JsonObject } from "./json.ts";

/** What stands where a value was taken out. */
export interface Redacted extends JsonObject {
  readonly $redacted: string;
}

const SECRET_KEY =
  /^(?:.*[-_])?(?:pass(?:word|wd|phrase)?|secret|token|api[-_]?key|authorization|cookie|credentials?|private[-_]?key|client[-_]?secret)$/i;
const CAMEL_SECRET = /(?:Password|Secret|Token|ApiKey|PrivateKey|Credential)s?$/;
const SECRET_VALUE =
  /suite_(?:live|tok)_[A-Za-z0-9]+_[A-Za-z0-9]+|-----BEGIN [A-Z ]*PRIVATE KEY-----|^Bearer\s+\S{12,}/;

/** True when a property of this name holds a secret by all custom. */
export function isSecretName(name: string): boolean {
  return SECRET_KEY.test(name) || CAMEL_SECRET.test(name);
}

/** True when a text looks like a credential whatever it is called. */
function looksSecret(text: string): boolean {
  return SECRET_VALUE.test(text);
}

/** A typed marker in the place of a value, saying why it is not there. */
export function redacted(why: string): Redacted {
  return { $redacted: why };
}

/** A copy in which everything that is a secret by its name or looks is a marker. */
export function maskSecrets(value: Json): Json {
  if (typeof value === "string") return looksSecret(value) ? redacted("secret") : value;
  if (Array.isArray(value)) return value.map((item: Json) => maskSecrets(item));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      item !== null && item !== undefined && isSecretName(key)
        ? redacted("secret")
        : maskSecrets(item ?? null),
    ]),
  );
}
