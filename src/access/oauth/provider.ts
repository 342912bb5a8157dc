import { generateKeyPairSync } from "node:crypto";
import Provider, { errors, type Configuration } from "oidc-provider";
import { AppError } from "../../kernel/errors.ts";
import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import type { Clock, Fetcher, Log } from "../../ports/platform.ts";
import type { Provenance } from "../../ports/provenance.ts";
import type { Store } from "../../ports/store.ts";
import { createAdapter } from "./adapter.ts";
import { recordRegistration } from "./audit.ts";
import { clientMetadata } from "./client-metadata.ts";
import { errorPage } from "./error-page.ts";
import { COOKIES, LIFETIMES, PATHS, SUITECTL } from "./names.ts";
import type { Resources } from "./resources.ts";
import { OAUTH_SCOPES } from "./scopes.ts";

/** What the authorization server works with. */
export interface ProviderParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly fetcher: Fetcher;
  readonly provenance: Provenance;
  readonly resources: Resources;
}

const DOCUMENT_BYTES = 64 * 1024;
const DOCUMENT_MS = 2_500;
const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

/** Makes the authorization server. This module is loaded with the first request that needs it. */
export function createProvider(parts: ProviderParts): Provider {
  const { resources, log } = parts;
  const provider = new Provider(resources.base, configuration(parts));
  // Scheme and host of every address come from BASE_URL, which the gateway writes into the request.
  provider.proxy = true;
  provider.on("server_error", (_ctx, error) => log.error("oauth.server_error", {}, error));
  return provider;
}

function configuration(parts: ProviderParts): Configuration {
  const { store, clock, provenance, resources } = parts;
  const secure = resources.base.startsWith("https:");
  const cookie = { httpOnly: true, sameSite: "lax", secure, signed: false, overwrite: true } as const;
  return {
    adapter: createAdapter({
      store,
      clock,
      provenance,
      reused: () => new errors.InvalidGrant("already used"),
    }),
    clients: [
      {
        client_id: SUITECTL,
        client_name: SUITECTL,
        token_endpoint_auth_method: "none",
        grant_types: [DEVICE_GRANT, "refresh_token"],
        response_types: [],
        redirect_uris: [],
      },
    ],
    // The provider insists on a key, but every token is opaque and there are no ID tokens: nothing is ever signed with it.
    jwks: { keys: [generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" })] },
    clientAuthMethods: ["none", "private_key_jwt"],
    clientDefaults: {
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      id_token_signed_response_alg: "EdDSA",
    },
    clockTolerance: LIFETIMES.toleranceSeconds,
    cookies: { names: COOKIES, long: cookie, short: cookie },
    features: features(resources),
    fetch: documentFetch(parts),
    async findAccount(_ctx, id) {
      const person = await store.read.people.get(id);
      return person?.state === "active" ? { accountId: id, claims: () => ({ sub: id }) } : undefined;
    },
    interactions: { url: (_ctx, { uid }) => `${PATHS.requests}/${uid}` },
    expiresWithSession: () => false,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: true,
    pkce: { required: () => true },
    responseTypes: ["code"],
    routes: {
      authorization: PATHS.authorize,
      token: PATHS.token,
      registration: PATHS.register,
      revocation: PATHS.revoke,
      device_authorization: PATHS.deviceAuthorization,
      // The page of the web app on which a person types the code.
      code_verification: PATHS.devicePage,
      jwks: `${PATHS.root}/jwks`,
      end_session: `${PATHS.root}/end`,
    },
    scopes: [],
    ttl: {
      AccessToken: LIFETIMES.accessSeconds,
      AuthorizationCode: LIFETIMES.codeSeconds,
      RefreshToken: LIFETIMES.refreshSeconds,
      DeviceCode: LIFETIMES.deviceSeconds,
      Interaction: LIFETIMES.requestSeconds,
      Grant: LIFETIMES.grantSeconds,
      Session: LIFETIMES.requestSeconds,
    },
    renderError(ctx, out) {
      ctx.type = "html";
      ctx.body = errorPage(out.error, out.error_description ?? "");
    },
  };
}

function features(resources: Resources): Configuration["features"] {
  return {
    devInteractions: { enabled: false },
    // Tokens are checked by us as bearer tokens; one that is bound to a key would lose that on the way.
    dPoP: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    registration: { enabled: true, issueRegistrationAccessToken: false },
    revocation: {
      enabled: true,
      allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
    },
    deviceFlow: { enabled: true, charset: "base-20", mask: "****-****", deviceInfo: () => ({}) },
    clientIdMetadataDocument: {
      enabled: true,
      ack: "draft-02",
      allowFetch: () => true,
      allowClient: () => true,
      cacheDuration: { min: 60, max: 3_600 },
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_ctx, _client, oneOf) => oneOf?.[0] ?? resources.base,
      useGrantedResource: () => true,
      getResourceServerInfo(_ctx, indicator) {
        const audience = resources.identifier(indicator);
        if (audience === null) {
          throw new errors.InvalidTarget(
            `this server gives tokens for ${resources.base} and its MCP endpoints only`,
          );
        }
        return {
          scope: OAUTH_SCOPES.join(" "),
          audience,
          accessTokenTTL: LIFETIMES.accessSeconds,
          accessTokenFormat: "opaque",
        };
      },
    },
  };
}

/** Metadata documents and keys of clients come through the guarded fetcher: public addresses only, bounded, no redirects. */
function documentFetch({ fetcher, store }: ProviderParts): Configuration["fetch"] {
  return async (given, options) => {
    const url = given instanceof Request ? given.url : given.toString();
    const signal = options?.signal ?? null;
    const answer = await fetcher.fetch({
      url,
      trust: "keyed",
      headers: { accept: "application/json" },
      timeoutMs: DOCUMENT_MS,
      maxBytes: DOCUMENT_BYTES,
      maxRedirects: 0,
      ...(signal !== null && { signal }),
    });
    const { "cache-control": cache } = answer.headers;
    const metadata = metadataIn(answer.text, url);
    // The provider keeps a document for a while, so a client that is used often is not in the list each time.
    if (metadata !== null && answer.status === 200 && metadata["client_id"] === url)
      await store.transact((tx) => recordRegistration(tx, url, metadata, "metadata document"));
    return new Response(metadata === null ? answer.text : JSON.stringify(metadata), {
      status: answer.status,
      headers: cache === undefined ? {} : { "cache-control": cache },
    });
  };
}

/** A metadata document with the members that we use, made safe; null for keys and whatever is no document. */
function metadataIn(text: string, url: string): JsonObject | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new AppError("invalid_input", `What ${url} answered is not JSON.`);
  }
  if (!isJsonObject(parsed) || Array.isArray(parsed["keys"])) return null;
  return { client_id: parsed["client_id"], ...clientMetadata(parsed) };
}
