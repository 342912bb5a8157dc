import type { Json, JsonObject } from "./json.ts";

/** What stands where a value was taken out. */
export interface Redacted extends JsonObject {
  readonly $redacted: string;
}

/** Tokens that are recognised by their first letters, and JSON Web Tokens. */
const TOKEN =
  /^(?:eyJ|gh[pousr]_|github_pat_|glpat-|sk[-_]|rk_live_|rk_test_|xox[abeoprs]-|AKIA|AIza|suite_live_|suite_tok_|bot\d|SG\.|npm_|hf_)/;
const SCHEME = /^(?:Bearer|Basic)\s/i;
/** Words that name a secret wherever they stand in a name. */
const STRONG = words(
  "secret secrets pass passwd password passwords passphrase passcode pwd pw mnemonic token apikey authorization cookie cookies",
  "credential credentials creds bearer jwt otp totp verifier assertion",
);
/** Words that also have harmless meanings: of their values only those count that could be a secret. */
const WEAK = words("key auth sig signature session sid pat pin csrf xsrf hmac cvv cvc sas appid");
/** Words before `key` that leave no doubt. */
const KEYS = words(
  "access account api app application auth client consumer dev developer encryption function functions license licence master",
  "private project secret service shared signing storage subscription webhook write",
);
/** Words before `code` that make it one that people type to prove who they are. */
const CODES = words("mfa fa recovery backup verification security sms login auth");
/** Words written as one. Plurals are no match: `tokens` counts, `keys` lists. */
const JOINED =
  /(?:(?:api|access|account|app|auth|client|dev|developer|master|private|secret|shared|signing|subscription)key|(?:api|access|auth|bot|csrf|id|refresh|security|session|user|xsrf)token|(?:app|client|consumer|shared)secret|middlewaretoken|pass(?:word|wd|phrase|code)|sess(?:ion)?id)$/;
/** Two words that name something public. */
const HARMLESS_PAIRS = words(
  "idempotency-key public-key primary-key foreign-key sort-key partition-key cache-key object-key routing-key",
  "deduplication-key translation-key message-key issue-key project-key page-token next-token continuation-token sync-token",
);
/** What a name ends with that says something about a secret and does not hold it. */
const ABOUT = words(
  "type url uri endpoint name names ref method methods mode kind count limit length size ttl expires expiry expiration",
  "expired at in duration timeout policy status state enabled required supported algorithm alg format field header",
  "file path dir folder headers hint version usage description scope scopes",
);
/** Numbers are secrets only where people type them. */
const TYPED = words("pin otp totp cvv cvc pass passcode password passwd pwd");

function words(...lists: readonly string[]): ReadonlySet<string> {
  return new Set(lists.join(" ").split(" "));
}
const SECRET_VALUE =
  /suite_(?:live|tok)_[A-Za-z0-9]+_[A-Za-z0-9]+|-----BEGIN [A-Z ]*PRIVATE KEY-----|^Bearer\s+\S{12,}/;
/** An address with a password, such as that of a database. One that stands for it (`<password>`, `$PASSWORD`) is none. */
const ADDRESS =
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/?#@:"'<>]{0,200}:([^\s/?#@"'<>{}$*][^\s/?#@"'<>]{1,500})@/gi;

type Strength = "strong" | "weak";

/** The lower-case words of a name: camelCase, dashes, underscores, dots, brackets and digits part them. */
function wordsOf(name: string): readonly string[] {
  return name
    .slice(0, 200)
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== "");
}

function strengthOf(name: string): Strength | null {
  const found = wordsOf(name);
  if (found.length > 1 && ABOUT.has(found.at(-1) ?? "")) return null;
  let strength: Strength | null = null;
  for (const [at, word] of found.entries()) {
    const before = found[at - 1] ?? "";
    if (HARMLESS_PAIRS.has(`${before}-${word}`)) continue;
    if (STRONG.has(word) || JOINED.test(word) || (word === "key" && KEYS.has(before))) return "strong";
    if ((word === "code" && CODES.has(before)) || (word === "answer" && before === "security"))
      return "strong";
    if (WEAK.has(word)) strength = "weak";
  }
  return strength;
}

/** True when a header, parameter, variable or member of this name holds a secret by all custom. */
export function isSecretName(name: string): boolean {
  return strengthOf(name) !== null;
}

/** True when a member of this name holds a secret here: a doubtful name counts with a value that could be one. */
export function holdsSecret(name: string, value: Json): boolean {
  const strength = strengthOf(name);
  if (strength === null || value === null || typeof value === "boolean" || value === "") return false;
  if (typeof value === "number") return wordsOf(name).some((word) => TYPED.has(word));
  if (strength === "strong") return true;
  return typeof value === "string" && isRandom(value);
}

/** `name=value`, `name: value` and members of JSON inside of a text; elements of XML. */
const NAMED =
  /(?<![\w.-])([A-Za-z][\w.-]{0,60})["'\\]{0,4}\s{0,3}[:=]\s{0,3}["'\\]{0,4}([^\s"'\\<&,;}={$][^\s"'\\<&,;}]{2,500})/g;
const ELEMENT = /<(?:[\w.-]{1,60}:)?([A-Za-z][\w.-]{0,60})(?:\s[^<>]{0,300})?>([^<\s]{3,500})/g;

/** True when a text holds a value under the name of a secret, whatever it is written in. Words of prose are not `sure`. */
export function tellsSecret(text: string, sure = false): boolean {
  for (const [, value = ""] of text.matchAll(ADDRESS))
    if (!sure || (value.length >= 8 && /\d/.test(value))) return true;
  for (const pattern of [NAMED, ELEMENT]) {
    for (const [, name = "", value = ""] of text.matchAll(pattern))
      if (holdsSecret(name, value) && (!sure || (value.length >= 8 && /\d/.test(value)))) return true;
  }
  return false;
}

/** Twelve or more characters without a space, letters and digits mixed. */
function isRandom(text: string): boolean {
  return text.length >= 12 && !/\s/.test(text) && /\d/.test(text) && /[A-Za-z]/.test(text);
}

/** True when a text looks like a credential whatever it is called. */
function looksSecret(text: string): boolean {
  return SECRET_VALUE.test(text) || text.search(ADDRESS) >= 0;
}

/** True when a text looks like a credential whatever it is called. */
export function isToken(text: string): boolean {
  if (text.length < 12 || text.length > 8_192) return false;
  const isKnown = TOKEN.test(text) && text.length >= 16 && /^[\w.:+/=-]+$/.test(text);
  return isKnown || SCHEME.test(text) || isMixed(text) || looksSecret(text);
}

/** Twenty or more letters of both cases mixed with digits are no word and no id of a usual kind. */
function isMixed(text: string): boolean {
  return (
    text.length >= 20 &&
    text.length <= 512 &&
    /^[A-Za-z0-9_-]+$/.test(text) &&
    /[a-z]/.test(text) &&
    /[A-Z]/.test(text) &&
    (text.match(/\d/g)?.length ?? 0) >= 2 &&
    (text.match(/[A-Z]/g)?.length ?? 0) >= 3
  );
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
      holdsSecret(key, item ?? null) ? redacted("secret") : maskSecrets(item ?? null),
    ]),
  );
}
