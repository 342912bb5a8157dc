import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

/** A real authorization server with a resource that wants its tokens, both on one port of this machine. */
export interface AuthorizationServer {
  readonly issuer: string;
  /** The protected resource. */
  readonly resource: string;
  /** How many token requests of each grant were answered. */
  readonly granted: Readonly<Record<string, number>>;
  /** Keeps the answers of the token endpoint back: before the server works on them, or after. */
  hold(when: "before" | "after"): { readonly arrived: Promise<void>; release(): void };
  /** Forgets every token and grant, as an administrator who revokes access would. */
  revokeAll(): Promise<void>;
  /** The status that the resource answers with. */
  open(headers: Readonly<Record<string, string>>): Promise<number>;
  /** Every access and refresh token that was given out. */
  tokens(): readonly string[];
  /** Every other secret that a client has: codes, verifiers of PKCE, and what it was given at its registration. */
  clientSecrets(kind: "code" | "code_verifier" | "registration_access_token"): readonly string[];
  close(): Promise<void>;
}

/** The client of the machine-to-machine grant. */
export const MACHINE = { clientId: "machine", secret: "machine-secret-4b1d77c2" };

const SCOPE = "api:read";

/** Starts the server; access tokens live for the given number of seconds. */
export async function startAuthorizationServer(tokenSeconds = 3_600): Promise<AuthorizationServer> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const issuer = `http://127.0.0.1:${portOf(server.address())}`;
  const granted: Record<string, number> = {};
  const issued = new Set<string>();
  const tokens = new Set<string>();
  const clientSecrets = new Map<string, Set<string>>();
  const keep = (kind: string, value: unknown): void => {
    if (typeof value === "string") clientSecrets.set(kind, (clientSecrets.get(kind) ?? new Set()).add(value));
  };
  let held: { readonly when: string; readonly until: Promise<void>; arrive(): void } | null = null;
  const provider = createProvider(issuer, tokenSeconds);
  server.on("request", (request, response) => {
    if (!servesResource(request, response, provider, issuer)) void provider.callback()(request, response);
  });
  provider.on("grant.success", ({ oidc }) => {
    const grant = String(oidc.params?.["grant_type"]);
    granted[grant] = (granted[grant] ?? 0) + 1;
  });
  provider.on("access_token.saved", ({ grantId, jti }) => {
    tokens.add(jti);
    if (grantId !== undefined) issued.add(grantId);
  });
  provider.on("refresh_token.saved", ({ jti }) => tokens.add(jti));
  provider.on("client_credentials.saved", ({ jti }) => tokens.add(jti));
  provider.use(async (ctx, next) => {
    const holding = ctx.path === "/token" ? held : null;
    if (holding?.when === "before") {
      holding.arrive();
      await holding.until;
      // It never works on it, also where the caller's end is noticed late.
      ctx.req.destroy();
      return;
    }
    await next();
    const { params } = ctx.oidc ?? {};
    for (const kind of ["code", "code_verifier"]) if (ctx.path === "/token") keep(kind, params?.[kind]);
    const answer: unknown = ctx.path === "/reg" ? ctx.body : null;
    if (typeof answer === "object" && answer !== null && "registration_access_token" in answer)
      keep("registration_access_token", answer.registration_access_token);
    if (holding?.when === "after") {
      holding.arrive();
      await holding.until;
    }
  });
  return {
    issuer,
    resource: `${issuer}/api/things`,
    granted,
    hold(when) {
      const arrived = Promise.withResolvers<void>();
      const until = Promise.withResolvers<void>();
      held = { when, until: until.promise, arrive: () => arrived.resolve() };
      return {
        arrived: arrived.promise,
        release() {
          held = null;
          until.resolve();
        },
      };
    },
    async revokeAll() {
      for (const grantId of issued) {
        await provider.AccessToken.revokeByGrantId(grantId);
        await provider.RefreshToken.revokeByGrantId(grantId);
        await (await provider.Grant.find(grantId))?.destroy();
      }
    },
    open: async (headers) => (await fetch(`${issuer}/api/things`, { headers })).status,
    tokens: () => [...tokens],
    clientSecrets: (kind) => [...(clientSecrets.get(kind) ?? [])],
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

function createProvider(issuer: string, tokenSeconds: number): Provider {
  return new Provider(issuer, {
    clients: [
      {
        client_id: MACHINE.clientId,
        client_secret: MACHINE.secret,
        grant_types: ["client_credentials"],
        redirect_uris: [],
        response_types: [],
        scope: SCOPE,
      },
    ],
    cookies: { keys: ["for tests only"] },
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      revocation: { enabled: true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => `${issuer}/api/things`,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, audience) => ({
          scope: SCOPE,
          audience,
          accessTokenTTL: tokenSeconds,
          accessTokenFormat: "opaque",
        }),
      },
    },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: true,
    pkce: { required: () => true },
    scopes: ["openid", "offline_access", SCOPE],
    ttl: { AccessToken: tokenSeconds, RefreshToken: 3_600, Grant: 3_600, Session: 3_600, Interaction: 600 },
  });
}

/** Answers for the resource and its metadata; false for a path of the authorization server. */
function servesResource(
  request: IncomingMessage,
  response: ServerResponse,
  provider: Provider,
  issuer: string,
): boolean {
  const { pathname } = new URL(request.url ?? "/", issuer);
  if (pathname === "/.well-known/oauth-protected-resource/api/things") {
    json(response, 200, {
      resource: `${issuer}/api/things`,
      authorization_servers: [issuer],
      scopes_supported: [SCOPE],
    });
    return true;
  }
  if (pathname !== "/api/things") return false;
  const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1];
  const known = token === undefined ? Promise.resolve(undefined) : provider.AccessToken.find(token);
  const machine = token === undefined ? Promise.resolve(undefined) : provider.ClientCredentials.find(token);
  void Promise.all([known, machine]).then((found) => {
    if (found.some((one) => one !== undefined)) return json(response, 200, { things: 3 });
    response.setHeader(
      "www-authenticate",
      `Bearer resource_metadata="${issuer}/.well-known/oauth-protected-resource/api/things"`,
    );
    return json(response, 401, { error: "a token is needed" });
  });
  return true;
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address === "object" && address !== null) return address.port;
  throw new Error("no port");
}
