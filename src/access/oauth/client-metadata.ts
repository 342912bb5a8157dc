import type { JsonObject } from "../../kernel/json.ts";

const MAX_REDIRECTS = 20;
const MAX_URI = 500;
const MAX_NAME = 100;
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);
/** Schemes that run or read something in the browser instead of opening an app. */
const FORBIDDEN = /^(?:javascript|vbscript|data|blob|file|about|ws|wss|ftp):/i;
/** How clients get tokens. */
export const GRANT_TYPES = [
  "authorization_code",
  "refresh_token",
  "urn:ietf:params:oauth:grant-type:device_code",
] as const;

/** What is wrong with what a client says about itself, in the words of RFC 7591. */
export class ClientProblem extends Error {
  readonly code: "invalid_redirect_uri" | "invalid_client_metadata";

  constructor(code: "invalid_redirect_uri" | "invalid_client_metadata", message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * What is kept of what a client says about itself, when it registers and in its metadata document. No secret is ever
 * given out: a client that does not sign its requests is public and proves itself with PKCE.
 */
export function clientMetadata(given: Readonly<Record<string, unknown>>): JsonObject {
  const redirects = redirectUris(given["redirect_uris"]);
  const signs = given["token_endpoint_auth_method"] === "private_key_jwt";
  const name = nameOf(given["client_name"]);
  const uri = webAddress(given["client_uri"]);
  return {
    redirect_uris: [...redirects],
    application_type: redirects.every((one) => one.startsWith("https:")) ? "web" : "native",
    grant_types: [...grantTypes(given["grant_types"])],
    response_types: ["code"],
    token_endpoint_auth_method: signs ? "private_key_jwt" : "none",
    ...(name !== null && { client_name: name }),
    ...(uri !== null && { client_uri: uri }),
    ...(signs && keysOf(given)),
  };
}

/** The host that a client is sent back to; `this computer` for a program on the person's machine. */
export function hostOfRedirect(uri: string): string {
  const url = URL.parse(uri);
  if (url === null) return "unknown";
  if (LOOPBACK.has(url.hostname)) return "this computer";
  return url.protocol === "https:" ? url.host : `the app for ${url.protocol}//`;
}

function redirectUris(value: unknown): readonly string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_REDIRECTS) {
    throw new ClientProblem(
      "invalid_redirect_uri",
      `redirect_uris must be a list of 1 to ${MAX_REDIRECTS} addresses.`,
    );
  }
  return value.map(redirectUri);
}

function redirectUri(value: unknown): string {
  const text = typeof value === "string" && value.length <= MAX_URI ? value : "";
  const url = URL.parse(text);
  const isSafe =
    url !== null &&
    !text.includes("#") &&
    url.username === "" &&
    url.password === "" &&
    !FORBIDDEN.test(text) &&
    (url.protocol !== "http:" || LOOPBACK.has(url.hostname)) &&
    (url.protocol !== "https:" || !LOOPBACK.has(url.hostname));
  if (isSafe) return text;
  throw new ClientProblem(
    "invalid_redirect_uri",
    "A redirect URI must be https, http on a loopback address, or an app's own scheme, without a fragment and of at most " +
      `${MAX_URI} characters.`,
  );
}

function grantTypes(value: unknown): readonly string[] {
  const named = Array.isArray(value) ? GRANT_TYPES.filter((type) => value.includes(type)) : [];
  return named.includes("authorization_code") ? named : ["authorization_code", ...named, "refresh_token"];
}

/** One line without control and direction characters, so that a name cannot pretend to be more than a name. */
function nameOf(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const name = value
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ")
    .replaceAll(/ +/g, " ")
    .trim();
  return name === "" ? null : name.slice(0, MAX_NAME).toWellFormed();
}

function webAddress(value: unknown): string | null {
  const url = typeof value === "string" && value.length <= MAX_URI ? URL.parse(value) : null;
  return url?.protocol === "https:" ? url.href : null;
}

function keysOf(given: Readonly<Record<string, unknown>>): JsonObject {
  const address = webAddress(given["jwks_uri"]);
  if (address !== null) return { jwks_uri: address };
  throw new ClientProblem("invalid_client_metadata", "private_key_jwt needs a jwks_uri with https.");
}
