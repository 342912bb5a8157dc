import { Value } from "typebox/value";
import type { JsonObject } from "../kernel/json.ts";
import { CredentialSettings } from "../model/credentials.ts";

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

/** The settings of a credential as they are stored. */
export function settingsIn(stored: JsonObject): CredentialSettings {
  return Value.Check(CredentialSettings, stored) ? stored : {};
}

/** The stored settings of an OAuth credential. */
export function readOAuthSettings(stored: JsonObject): OAuthSettings {
  const settings = settingsIn(stored);
  return {
    grant: settings.grant ?? "authorization_code",
    resource: settings.resource ?? null,
    issuer: settings.issuer ?? null,
    authorizationUrl: settings.authorizationUrl ?? null,
    tokenUrl: settings.tokenUrl ?? null,
    clientId: settings.clientId ?? null,
    clientAuth: settings.clientAuth ?? null,
    scope: settings.scope ?? null,
  };
}
