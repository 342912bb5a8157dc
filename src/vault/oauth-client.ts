import type { AuthorizationServerMetadata } from "@modelcontextprotocol/client";
import { AppError } from "../kernel/errors.ts";
import { SERVICE } from "../kernel/service.ts";
import { withoutTrailing } from "../kernel/text.ts";
import type { Fetcher } from "../ports/platform.ts";
import { discover, type Discovered, type Sdk } from "./oauth-discovery.ts";
import { oauthFetch, type OAuthFetch } from "./oauth-fetch.ts";
import { explained } from "./oauth-errors.ts";
import type { OAuthClient, OAuthFlow, OAuthSecret, OAuthServer, OAuthTokens } from "./oauth-records.ts";
import type { OAuthSettings } from "./oauth-settings.ts";

/** Where the browser comes back to. */
export const CALLBACK_PATH = "/oauth/callback";
/** The page on which a person begins, with a ticket behind it. */
export const SIGN_IN_PATH = "/oauth/sign-in";
/** Where authorization servers read who this client is. */
export const CLIENT_PATH = "/oauth/client.json";

/** The OAuth 2.1 client: the official helpers over the guarded fetcher. They are loaded when first needed. */
export class OAuth {
  readonly #fetcher: Fetcher;
  readonly #baseUrl: string;

  constructor(fetcher: Fetcher, baseUrl: string) {
    this.#fetcher = fetcher;
    this.#baseUrl = withoutTrailing(baseUrl, "/");
  }

  /** The client id metadata document that this service hosts. */
  clientMetadata(): {
    readonly client_id: string;
    readonly client_name: string;
    readonly client_uri: string;
    readonly redirect_uris: string[];
    readonly grant_types: string[];
    readonly response_types: string[];
    readonly token_endpoint_auth_method: string;
    readonly application_type: string;
  } {
    return {
      client_id: `${this.#baseUrl}${CLIENT_PATH}`,
      client_name: SERVICE.title,
      client_uri: this.#baseUrl,
      redirect_uris: [this.#redirectUri],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      application_type: isLoopback(this.#baseUrl) ? "native" : "web",
    };
  }

  get #redirectUri(): string {
    return `${this.#baseUrl}${CALLBACK_PATH}`;
  }

  /** Finds the authorization server, makes sure that it knows this client, and writes the address to open. */
  async begin(
    settings: OAuthSettings,
    secret: OAuthSecret,
    state: string,
    signal: AbortSignal,
  ): Promise<OAuthFlow> {
    const sdk = await load();
    const fetchFn = oauthFetch(this.#fetcher, signal);
    try {
      const found = await discover(sdk, settings, fetchFn);
      checkPinned(settings, secret, found.server);
      const scope = chosenScope(sdk, settings, secret, found);
      const client = await this.#client(sdk, settings, secret, found, scope, fetchFn);
      const { authorizationUrl, codeVerifier } = await sdk.startAuthorization(found.server.url, {
        // The whole metadata where there is some: the helper refuses a server without PKCE by it.
        ...(found.metadata === null ? metadataOf(found.server, settings) : { metadata: found.metadata }),
        clientInformation: informationOf(client),
        redirectUrl: this.#redirectUri,
        state,
        ...(scope !== null && { scope }),
        ...(found.resource !== null && { resource: found.resource }),
      });
      const { server, resource } = found;
      return { codeVerifier, client, server, resource, scope, authorizationUrl: authorizationUrl.href };
    } catch (error) {
      throw explained(sdk, error);
    }
  }

  /** Exchanges the code that the browser brought for tokens. `iss` is checked against the server that was asked. */
  async finish(
    settings: OAuthSettings,
    secret: OAuthSecret,
    flow: OAuthFlow,
    answer: { readonly code: string; readonly iss: string | null },
    signal: AbortSignal,
  ): Promise<OAuthTokens> {
    const sdk = await load();
    try {
      const tokens = await sdk.exchangeAuthorization(flow.server.url, {
        ...metadataOf(flow.server, settings),
        clientInformation: informationOf(flow.client),
        authorizationCode: answer.code,
        codeVerifier: flow.codeVerifier,
        redirectUri: this.#redirectUri,
        fetchFn: oauthFetch(this.#fetcher, signal),
        ...(answer.iss !== null && { iss: answer.iss }),
        ...(flow.resource !== null && { resource: flow.resource }),
        ...assertion(sdk, settings, secret),
      });
      return tokensOf(tokens, flow.scope);
    } catch (error) {
      throw explained(sdk, error);
    }
  }

  /** Asks for new tokens with the refresh token. */
  async refresh(settings: OAuthSettings, secret: OAuthSecret, signal: AbortSignal): Promise<OAuthTokens> {
    const { client, server, tokens, resource } = secret;
    if (client === null || server === null || tokens === null || tokens.refreshToken === null) {
      throw new AppError("internal", "There is nothing to refresh.");
    }
    const sdk = await load();
    try {
      const fresh = await sdk.refreshAuthorization(server.url, {
        ...metadataOf(server, settings),
        clientInformation: informationOf(client),
        refreshToken: tokens.refreshToken,
        fetchFn: oauthFetch(this.#fetcher, signal),
        ...(resource !== null && { resource }),
        ...assertion(sdk, settings, secret),
      });
      return tokensOf(fresh, tokens.scope);
    } catch (error) {
      throw explained(sdk, error);
    }
  }

  /** Asks for a token in the name of the client itself. */
  async clientCredentials(
    settings: OAuthSettings,
    secret: OAuthSecret,
    signal: AbortSignal,
  ): Promise<Pick<OAuthSecret, "client" | "server" | "resource"> & { readonly tokens: OAuthTokens }> {
    const sdk = await load();
    const fetchFn = oauthFetch(this.#fetcher, signal);
    try {
      const found = await discover(sdk, settings, fetchFn);
      checkPinned(settings, secret, found.server);
      const client = givenClient(settings, secret, found.server);
      if (client === null) throw new AppError("invalid_input", "client_credentials needs a clientId.");
      const scope = chosenScope(sdk, settings, secret, found);
      const nothing = (): void => undefined;
      const tokens = await sdk.fetchToken(
        {
          redirectUrl: undefined,
          clientMetadata: { redirect_uris: [], grant_types: ["client_credentials"] },
          clientInformation: () => ({ ...informationOf(client), issuer: client.issuer }),
          tokens: () => undefined,
          saveTokens: nothing,
          redirectToAuthorization: nothing,
          saveCodeVerifier: nothing,
          codeVerifier: () => "",
          prepareTokenRequest: () =>
            new URLSearchParams({ grant_type: "client_credentials", ...(scope !== null && { scope }) }),
          ...assertion(sdk, settings, secret),
        },
        found.server.url,
        {
          ...metadataOf(found.server, settings),
          fetchFn,
          ...(found.resource !== null && { resource: found.resource }),
        },
      );
      return { client, server: found.server, resource: found.resource, tokens: tokensOf(tokens, scope) };
    } catch (error) {
      throw explained(sdk, error);
    }
  }

  /** The client given by the operator, the one registered before, our metadata document, or a new registration. */
  async #client(
    sdk: Sdk,
    settings: OAuthSettings,
    secret: OAuthSecret,
    found: Discovered,
    scope: string | null,
    fetchFn: OAuthFetch,
  ): Promise<OAuthClient> {
    const { server, metadata } = found;
    const given = givenClient(settings, secret, server);
    if (given !== null) return given;
    const issuer = server.issuer ?? server.url;
    const document = this.clientMetadata();
    const takesDocuments = metadata !== null && metadata.client_id_metadata_document_supported === true;
    if (takesDocuments && document.client_id.startsWith("https://")) {
      return { clientId: document.client_id, clientSecret: null, authMethod: "none", issuer };
    }
    if (secret.client !== null && secret.client.issuer === issuer) return secret.client;
    if (metadata !== null && metadata.registration_endpoint === undefined) {
      throw new AppError(
        "unavailable",
        `The authorization server ${issuer} registers no clients by itself.`,
        {
          nextAction: `Register a client there with the redirect address ${this.#redirectUri}, and give its clientId (and secret) with the credential.`,
        },
      );
    }
    const { client_id: _id, ...clientMetadata } = document;
    const registered = await sdk.registerClient(server.url, {
      ...(metadata !== null && { metadata }),
      clientMetadata: registrable(clientMetadata, server),
      fetchFn,
      ...(scope !== null && { scope }),
    });
    return {
      clientId: registered.client_id,
      clientSecret: registered.client_secret ?? null,
      authMethod: registered.token_endpoint_auth_method ?? null,
      issuer,
    };
  }
}

function load(): Promise<Sdk> {
  return import("@modelcontextprotocol/client");
}

/** A client and its secret belong to one authorization server: a resource that names another one later gets neither. */
function checkPinned(settings: OAuthSettings, secret: OAuthSecret, server: OAuthServer): void {
  const pinned = settings.clientId === null ? null : (secret.client?.issuer ?? settings.issuer);
  const now = server.issuer ?? server.url;
  if (pinned === null || pinned === now || settings.tokenUrl !== null) return;
  throw new AppError(
    "blocked",
    `The resource names the authorization server ${now}; the client belongs to ${pinned}.`,
    {
      nextAction:
        "If the change is right, remove the credential and add it again with a client of the new server.",
    },
  );
}

function givenClient(settings: OAuthSettings, secret: OAuthSecret, server: OAuthServer): OAuthClient | null {
  if (settings.clientId === null) return null;
  const byKey = settings.clientAuth === "private_key_jwt";
  return {
    clientId: settings.clientId,
    clientSecret: byKey ? null : secret.secret,
    authMethod: settings.clientAuth,
    issuer: server.issuer ?? server.url,
  };
}

function chosenScope(
  sdk: Sdk,
  settings: OAuthSettings,
  secret: OAuthSecret,
  found: Discovered,
): string | null {
  const base = sdk.computeScopeUnion(
    settings.scope ?? found.resourceScope ?? undefined,
    secret.wantedScope ?? undefined,
  );
  if (base === undefined) return null;
  const offline = found.metadata?.scopes_supported?.includes("offline_access") === true;
  const isPerson = settings.grant === "authorization_code";
  return isPerson && offline ? (sdk.computeScopeUnion(base, "offline_access") ?? base) : base;
}

/** The metadata in the form the helpers take; a server without any is asked at the fixed paths of 2025-03-26. */
function metadataOf(
  server: OAuthServer,
  settings: OAuthSettings,
): { metadata?: AuthorizationServerMetadata } {
  if (server.issuer === null && server.authorizationEndpoint === null && settings.tokenUrl === null)
    return {};
  const methods = settings.clientAuth === null ? server.authMethods : [settings.clientAuth];
  return {
    metadata: {
      issuer: server.issuer ?? server.url,
      authorization_endpoint: server.authorizationEndpoint ?? new URL("/authorize", server.url).href,
      token_endpoint: server.tokenEndpoint,
      response_types_supported: ["code"],
      authorization_response_iss_parameter_supported: server.sendsIssuer,
      ...(methods.length > 0 && { token_endpoint_auth_methods_supported: [...methods] }),
    },
  };
}

function informationOf(client: OAuthClient): {
  client_id: string;
  client_secret?: string;
  token_endpoint_auth_method?: string;
} {
  return {
    client_id: client.clientId,
    ...(client.clientSecret !== null && { client_secret: client.clientSecret }),
    ...(client.authMethod !== null && { token_endpoint_auth_method: client.authMethod }),
  };
}

/** A client that proves itself with a signed assertion instead of a secret. */
function assertion(
  sdk: Sdk,
  settings: OAuthSettings,
  secret: OAuthSecret,
): { addClientAuthentication?: ReturnType<Sdk["createPrivateKeyJwtAuth"]> } {
  if (settings.clientAuth !== "private_key_jwt" || settings.clientId === null || secret.secret === null)
    return {};
  return {
    addClientAuthentication: sdk.createPrivateKeyJwtAuth({
      issuer: settings.clientId,
      subject: settings.clientId,
      privateKey: secret.secret,
      alg: "ES256",
    }),
  };
}

/** A server that takes public clients gets one; another one gives a secret. */
function registrable<T extends { readonly token_endpoint_auth_method: string }>(
  metadata: T,
  server: OAuthServer,
): T {
  const takesPublic = server.authMethods.length === 0 || server.authMethods.includes("none");
  if (takesPublic) return metadata;
  return {
    ...metadata,
    token_endpoint_auth_method: server.authMethods.find(isSecretMethod) ?? "client_secret_basic",
  };
}

function isSecretMethod(method: string): boolean {
  return method === "client_secret_basic" || method === "client_secret_post";
}

function isLoopback(url: string): boolean {
  return /^(?:localhost|127\.|\[::1\])/.test(new URL(url).hostname);
}

function tokensOf(
  tokens: {
    readonly access_token: string;
    readonly refresh_token?: string | undefined;
    readonly scope?: string | undefined;
    readonly expires_in?: number | undefined;
  },
  asked: string | null,
): OAuthTokens {
  return {
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? null,
    scope: tokens.scope ?? asked,
    expiresIn: tokens.expires_in ?? null,
  };
}
