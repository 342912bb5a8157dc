import { isSecretName } from "../../../kernel/secrets.ts";

/** Headers that say nothing about who is asking. What any other one holds is not taken over. */
const HARMLESS_HEADER =
  /^(?:accept(?:-[a-z]+)?|content-(?:type|language|encoding|disposition)|user-agent|prefer|range|if-match|if-unmodified-since|[a-z-]+-version)$/i;
/** Tokens that can be told from their first letters, and JSON Web Tokens. */
const TOKEN =
  /^(?:eyJ|gh[pousr]_|github_pat_|glpat-|sk[-_]|rk_live_|rk_test_|xox[abeoprs]-|AKIA|AIza|suite_live_|suite_tok_|bot\d|SG\.|npm_|hf_)/;
const SCHEME = /^(?:Bearer|Basic)\s/i;

/** True when what a header of this name holds may stand in a workflow. */
export function isHarmlessHeader(name: string): boolean {
  return HARMLESS_HEADER.test(name);
}

/** True when a query parameter of this name carries a secret. */
export function isSecretParameter(name: string, value: string): boolean {
  if (isSecretName(name) || looksSecret(value)) return true;
  // Also a harmless word: only something long there is a secret.
  return /^code$/i.test(name) && value.length >= 12;
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
