import { isSecretName, isToken, tellsSecret } from "../../kernel/secrets.ts";

/** Headers that say nothing about who is asking. What any other one holds is not taken over. */
const HARMLESS_HEADER =
  /^(?:accept(?:-[a-z]+)?|content-(?:type|language|encoding|disposition)|user-agent|prefer|range|if-match|if-unmodified-since|[a-z-]+-version)$/i;
/** True when what a header of this name holds may stand in a workflow. */
export function isHarmlessHeader(name: string): boolean {
  return HARMLESS_HEADER.test(name);
}

/** True when a query parameter of this name carries a secret. */
export function isSecretParameter(name: string, value: string): boolean {
  if (isSecretName(name) || isToken(value)) return true;
  // Also a harmless word: only something long there is a secret.
  return /^code$/i.test(name) && value.length >= 12;
}

/** True when a text is a credential or holds one, as the address of a webhook does in its path. */
export function isSecretText(text: string): boolean {
  if (text === "") return false;
  const isTokenPath = () => URL.parse(text)?.pathname.split("/").some(isToken) === true;
  return isToken(text) || tellsSecret(text) || isTokenPath();
}
