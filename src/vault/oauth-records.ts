import { isObject, type JsonObject } from "../kernel/json.ts";

/** What is remembered of an authorization server. */
export interface OAuthServer {
  /** Its address, as the resource or the operator named it. */
  readonly url: string;
  /** The issuer of its metadata; null for a server without metadata. */
  readonly issuer: string | null;
  readonly authorizationEndpoint: string | null;
  readonly tokenEndpoint: string;
  readonly authMethods: readonly string[];
  /** It declares that its answers carry `iss`. */
  readonly sendsIssuer: boolean;
}

/** This service as a client of an authorization server. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret: string | null;
  /** How the server wants it to prove who it is, when it named one at registration. */
  readonly authMethod: string | null;
  /** The server that knows it: a client is never shown to another one. */
  readonly issuer: string;
}

/** What a token endpoint gave. */
export interface OAuthTokens {
  readonly accessToken: string;
  readonly refreshToken: string | null;
  readonly scope: string | null;
  /** Seconds from now; null when the server did not say. */
  readonly expiresIn: number | null;
}

/** The sealed part of an OAuth credential. */
export interface OAuthSecret {
  /** The client secret or private key that the operator gave. */
  readonly secret: string | null;
  readonly client: OAuthClient | null;
  readonly server: OAuthServer | null;
  /** The resource indicator that the tokens were issued for. */
  readonly resource: string | null;
  readonly tokens: OAuthTokens | null;
  /** Scopes that the resource asked for after a consent; the next one includes them. */
  readonly wantedScope: string | null;
}

/** What a sign-in must remember until the browser comes back. */
export interface OAuthFlow {
  readonly codeVerifier: string;
  readonly client: OAuthClient;
  readonly server: OAuthServer;
  readonly resource: string | null;
  readonly scope: string | null;
  /** Where the browser goes. */
  readonly authorizationUrl: string;
}

/** As it is sealed. */
export function secretJson(secret: OAuthSecret): JsonObject {
  return {
    secret: secret.secret,
    client: secret.client && { ...secret.client },
    server: secret.server && { ...secret.server },
    resource: secret.resource,
    tokens: secret.tokens && { ...secret.tokens },
    wantedScope: secret.wantedScope,
  };
}

/** The sealed part of an OAuth credential, read. */
export function readSecret(value: JsonObject): OAuthSecret {
  const { client, server, tokens } = value;
  return {
    secret: text(value["secret"]),
    client: isObject(client) ? readClient(client) : null,
    server: isObject(server) ? readServer(server) : null,
    resource: text(value["resource"]),
    tokens: isObject(tokens) ? readTokens(tokens) : null,
    wantedScope: text(value["wantedScope"]),
  };
}

/** As it is sealed. */
export function flowJson(flow: OAuthFlow): JsonObject {
  return { ...flow, client: { ...flow.client }, server: { ...flow.server } };
}

/** A flow, read; null when it is not one. */
export function readFlow(value: JsonObject): OAuthFlow | null {
  const { client, server } = value;
  const codeVerifier = text(value["codeVerifier"]);
  if (codeVerifier === null || !isObject(client) || !isObject(server)) return null;
  return {
    codeVerifier,
    client: readClient(client),
    server: readServer(server),
    resource: text(value["resource"]),
    scope: text(value["scope"]),
    authorizationUrl: text(value["authorizationUrl"]) ?? "",
  };
}

function readClient(value: Readonly<Record<string, unknown>>): OAuthClient {
  return {
    clientId: text(value["clientId"]) ?? "",
    clientSecret: text(value["clientSecret"]),
    authMethod: text(value["authMethod"]),
    issuer: text(value["issuer"]) ?? "",
  };
}

function readServer(value: Readonly<Record<string, unknown>>): OAuthServer {
  const methods = value["authMethods"];
  return {
    url: text(value["url"]) ?? "",
    issuer: text(value["issuer"]),
    authorizationEndpoint: text(value["authorizationEndpoint"]),
    tokenEndpoint: text(value["tokenEndpoint"]) ?? "",
    authMethods: Array.isArray(methods) ? methods.filter((item) => typeof item === "string") : [],
    sendsIssuer: value["sendsIssuer"] === true,
  };
}

function readTokens(value: Readonly<Record<string, unknown>>): OAuthTokens {
  const expiresIn = value["expiresIn"];
  return {
    accessToken: text(value["accessToken"]) ?? "",
    refreshToken: text(value["refreshToken"]),
    scope: text(value["scope"]),
    expiresIn: typeof expiresIn === "number" ? expiresIn : null,
  };
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
