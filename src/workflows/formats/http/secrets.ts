import { isSecretName } from "../../../kernel/secrets.ts";

/** Headers that carry a credential by their definition. */
const SECRET_HEADER =
  /^(?:authorization|proxy-authorization|cookie|x-?(?:api|auth|access|functions|goog-api|amz-security)-?(?:key|token)|apikey|api_key|private-token|x-csrf-?token|x-xsrf-?token)$/i;
/** Query parameters that carry one by custom, beside those whose name says so. */
const SECRET_PARAMETER =
  /^(?:key|sig|signature|access_token|auth|apikey|app_?id_?key|x-amz-signature|code)$/i;
/** Tokens that can be told from their first letters, and JSON Web Tokens. */
const TOKEN =
  /^(?:eyJ|gh[pousr]_|github_pat_|glpat-|sk[-_]|rk_live_|rk_test_|xox[abeoprs]-|AKIA|AIza|suite_live_|suite_tok_|bot\d|SG\.|npm_|hf_)/;
const SCHEME = /^(?:Bearer|Basic)\s/i;

/** True when a header of this name carries a secret. */
export function isSecretHeader(name: string): boolean {
  return SECRET_HEADER.test(name) || isSecretName(name);
}

/** True when a query parameter of this name carries a secret. */
export function isSecretParameter(name: string, value: string): boolean {
  if (isSecretName(name)) return true;
  // `key` and `code` are also harmless words: only something long and random there is a secret.
  return (SECRET_PARAMETER.test(name) && value.length >= 12) || looksSecret(value);
}

/** True when a text looks like a credential whatever it is called. */
export function looksSecret(text: string): boolean {
  if (text.length < 12 || text.length > 8_192) return false;
  const isToken = TOKEN.test(text) && text.length >= 16 && /^[\w.:+/=-]+$/.test(text);
  return isToken || SCHEME.test(text) || isRandom(text);
}

/** Twenty or more letters of both cases mixed with digits are no word and no id of a usual kind. */
function isRandom(text: string): boolean {
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
