import type { Json } from "../kernel/json.ts";

/** Shorter texts occur by chance. */
const MIN_SECRET = 4;
const MARK = "[credential]";

/** The text with every secret in it replaced. */
export function withoutSecrets(text: string, secrets: ReadonlySet<string>): string {
  let clean = text;
  for (const secret of secrets)
    if (secret.length >= MIN_SECRET && clean.includes(secret)) clean = clean.replaceAll(secret, MARK);
  return clean;
}

/** A copy in which no text repeats a secret; the value itself when none does. */
export function scrubbed(value: Json, secrets: ReadonlySet<string>): Json {
  if (secrets.size === 0) return value;
  if (typeof value === "string") return withoutSecrets(value, secrets);
  if (Array.isArray(value)) return value.map((item: Json) => scrubbed(item, secrets));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      withoutSecrets(key, secrets),
      scrubbed(item ?? null, secrets),
    ]),
  );
}
