import type * as Sdk from "@modelcontextprotocol/client";
import { AppError } from "../kernel/errors.ts";

/** The authorization server does not accept the grant any more: a person has to sign in again. */
export class ConsentNeeded extends Error {}

/** An error of the OAuth helpers as one of ours. What a server wrote is not passed on: it may repeat what it was sent. */
export function explained(sdk: typeof Sdk, error: unknown): unknown {
  if (error instanceof AppError) return error;
  if (error instanceof sdk.OAuthError) {
    if (error.code === "invalid_grant") return new ConsentNeeded();
    const code = /^[a-z_]{1,60}$/.test(error.code) ? error.code : "unknown_error";
    return new AppError("unavailable", `The authorization server refused the request: ${code}.`, {
      nextAction:
        NEXT[code] ?? "Check the settings of the credential against those of the authorization server.",
      details: { oauthError: code },
    });
  }
  if (error instanceof sdk.IssuerMismatchError) {
    return error.kind === "metadata"
      ? new AppError("blocked", "The metadata of the authorization server names another issuer.")
      : new AppError("blocked", "The answer does not come from the authorization server that was asked.", {
          nextAction: "Start the sign-in again; if it happens again, someone may be mixing up servers.",
        });
  }
  if (error instanceof sdk.RegistrationRejectedError) {
    return new AppError("unavailable", "The authorization server refused to register this client.", {
      nextAction: "Register a client there by hand and give its clientId with the credential.",
    });
  }
  if (error instanceof sdk.InsecureTokenEndpointError) {
    return new AppError("blocked", "The token endpoint is not https, so no secret is sent to it.");
  }
  return new AppError("unavailable", "The authorization server did not follow the protocol.", {
    nextAction: "Check the addresses of the credential (resource, issuer, tokenUrl).",
    cause: error,
  });
}

const NEXT: Readonly<Record<string, string>> = {
  invalid_client: "Check clientId and secret, and how the client proves who it is (clientAuth).",
  unauthorized_client: "Allow the grant for this client at the authorization server.",
  invalid_scope: "Ask for scopes that the authorization server knows (scope).",
  invalid_target: "The authorization server does not know the resource; check its address.",
};
