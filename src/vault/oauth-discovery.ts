import type * as Helpers from "@modelcontextprotocol/client";
import type { AuthorizationServerMetadata } from "@modelcontextprotocol/client";
import { AppError } from "../kernel/errors.ts";
import type { OAuthFetch } from "./oauth-fetch.ts";
import type { OAuthServer } from "./oauth-records.ts";
import type { OAuthSettings } from "./oauth-settings.ts";

/** The official OAuth helpers, loaded when first needed. */
export type Sdk = typeof Helpers;

/** What was found out about where tokens come from. */
export interface Discovered {
  readonly server: OAuthServer;
  readonly metadata: AuthorizationServerMetadata | null;
  readonly resource: string | null;
  /** The scopes that the resource's challenge asks for, else those that its metadata names. */
  readonly resourceScope: string | null;
}

/** The resource names its authorization server (RFC 9728), which describes itself (RFC 8414, OpenID Connect). */
export async function discover(sdk: Sdk, settings: OAuthSettings, fetchFn: OAuthFetch): Promise<Discovered> {
  const { resource, issuer, tokenUrl, authorizationUrl } = settings;
  if (tokenUrl !== null) {
    const url = issuer ?? new URL("/", tokenUrl).href;
    const server = {
      url,
      issuer,
      authorizationEndpoint: authorizationUrl,
      tokenEndpoint: tokenUrl,
      authMethods: [],
      sendsIssuer: false,
    };
    return { server, metadata: null, resource, resourceScope: null };
  }
  if (issuer !== null) {
    const metadata = await sdk.discoverAuthorizationServerMetadata(issuer, { fetchFn });
    if (metadata === undefined) {
      throw new AppError("unavailable", `${issuer} has no authorization server metadata.`, {
        nextAction: "Check the issuer, or give authorizationUrl and tokenUrl instead.",
      });
    }
    return { server: serverOf(issuer, metadata), metadata, resource, resourceScope: null };
  }
  if (resource === null) throw new AppError("internal", "An OAuth credential has no resource.");
  const challenge = await challengeOf(sdk, resource, fetchFn);
  const info = await sdk.discoverOAuthServerInfo(resource, {
    fetchFn,
    ...(challenge.resourceMetadataUrl && { resourceMetadataUrl: challenge.resourceMetadataUrl }),
  });
  const { authorizationServerMetadata: metadata, resourceMetadata } = info;
  const named = resourceMetadata?.resource ?? null;
  if (
    named !== null &&
    !sdk.checkResourceAllowed({ requestedResource: resource, configuredResource: named })
  ) {
    throw new AppError("blocked", `The metadata of ${resource} describes another resource.`, {
      nextAction: "Check the address of the resource; tokens are not asked for in another one's name.",
    });
  }
  return {
    server: serverOf(info.authorizationServerUrl, metadata),
    metadata: metadata ?? null,
    resource: named,
    resourceScope: challenge.scope ?? resourceMetadata?.scopes_supported?.join(" ") ?? null,
  };
}

/** What the resource says when it is asked without a token. */
async function challengeOf(
  sdk: Sdk,
  resource: string,
  fetchFn: OAuthFetch,
): Promise<ReturnType<Sdk["extractWWWAuthenticateParams"]>> {
  const accept = "application/json, text/event-stream";
  const asked = await fetchFn(resource, { headers: { accept } });
  if (asked.status === 401) return sdk.extractWWWAuthenticateParams(asked);
  // An MCP server may take POST only; a ping changes nothing.
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const headers = { accept, "content-type": "application/json" };
  const posted = await fetchFn(resource, { method: "POST", headers, body });
  return posted.status === 401 ? sdk.extractWWWAuthenticateParams(posted) : {};
}

function serverOf(url: string, metadata: AuthorizationServerMetadata | undefined): OAuthServer {
  return {
    url,
    issuer: metadata?.issuer ?? null,
    authorizationEndpoint: metadata?.authorization_endpoint ?? null,
    tokenEndpoint: metadata?.token_endpoint ?? new URL("/token", url).href,
    authMethods: [...(metadata?.token_endpoint_auth_methods_supported ?? [])],
    sendsIssuer: metadata !== undefined && metadata.authorization_response_iss_parameter_supported === true,
  };
}
