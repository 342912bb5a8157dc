import type { JsonObject } from "../kernel/json.ts";
import type { Reader } from "./reader.ts";

/** How tokens of a credential are obtained; nothing in it is secret. */
export interface OAuthSettings {
  readonly grant: "authorization_code" | "client_credentials";
  /** The MCP server or API that the tokens are for. */
  readonly resource: string | null;
  /** The authorization server, where the resource does not name it. */
  readonly issuer: string | null;
  readonly authorizationUrl: string | null;
  readonly tokenUrl: string | null;
  readonly clientId: string | null;
  readonly clientAuth: "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none" | null;
  readonly scope: string | null;
}

const GRANTS = ["authorization_code", "client_credentials"] as const;
const CLIENT_AUTH = ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"] as const;

/** Reads the OAuth part of a new credential; what was left out is not stored. */
export function oauthSettings(reader: Reader): JsonObject {
  const grant = reader.oneOf("grant", GRANTS, "authorization_code") ?? "authorization_code";
  const resource = reader.address("resource");
  const issuer = reader.address("issuer");
  const authorizationUrl = reader.address("authorizationUrl");
  const tokenUrl = reader.address("tokenUrl");
  const clientId = reader.optional("clientId", {
    pattern: /^[\x20-\x7e]{1,2048}$/,
    expected: "visible ASCII characters",
  });
  const clientAuth = reader.has("clientAuth") ? reader.oneOf("clientAuth", CLIENT_AUTH) : null;
  const scope = reader.optional("scope", {
    pattern: /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/,
    expected: "scopes separated by single spaces",
  });
  if (resource === null && issuer === null && tokenUrl === null) {
    reader.problem(
      "/resource",
      "It is not said where tokens come from.",
      "resource, issuer or tokenUrl",
      "Give the address of the MCP server or API as resource, or the authorization server as issuer.",
    );
  }
  if (grant === "authorization_code" && tokenUrl !== null && authorizationUrl === null) {
    reader.problem("/authorizationUrl", "authorizationUrl is missing.", "an address beside tokenUrl");
  }
  if (grant === "client_credentials" && clientId === null) {
    reader.problem("/clientId", "clientId is missing.", "the id of a client that the server knows");
  }
  const all = { grant, resource, issuer, authorizationUrl, tokenUrl, clientId, clientAuth, scope };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

/** The stored settings of an OAuth credential. */
export function readOAuthSettings(settings: JsonObject): OAuthSettings {
  const text = (name: string): string | null => {
    const value = settings[name];
    return typeof value === "string" ? value : null;
  };
  return {
    grant: GRANTS.find((grant) => grant === settings["grant"]) ?? "authorization_code",
    resource: text("resource"),
    issuer: text("issuer"),
    authorizationUrl: text("authorizationUrl"),
    tokenUrl: text("tokenUrl"),
    clientId: text("clientId"),
    clientAuth: CLIENT_AUTH.find((method) => method === settings["clientAuth"]) ?? null,
    scope: text("scope"),
  };
}
