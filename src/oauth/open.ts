import type { HttpRoute } from "../ports/http.ts";
import type { AccessTokens } from "../ports/oauth.ts";
import type { Clock, Fetcher, Log } from "../ports/platform.ts";
import type { Provenance } from "../ports/provenance.ts";
import type { Settings } from "../ports/settings.ts";
import type { Store } from "../ports/store.ts";
import { OwnAccessTokens } from "./access-tokens.ts";
import { clientRoutes } from "./client-routes.ts";
import { ExternalAccessTokens } from "./external.ts";
import { Resources } from "./resources.ts";
import { resourceRoutes, serverRoutes } from "./routes.ts";
import { AuthorizationServer } from "./server.ts";
import { createWindowCounter } from "./window-counter.ts";

const TRIM_MS = 60 * 60_000;
/** A code is short, so nobody may try many. */
const GUESSES = { most: 20, windowMs: 10 * 60_000, what: "wrong codes" };

/** OAuth for MCP clients: the tokens that count here, and the routes with which they are given out. */
export interface OpenedOAuth {
  /** Null where nothing can be kept: nobody can sign in there. */
  readonly tokens: AccessTokens | null;
  readonly routes: readonly HttpRoute[];
  close(): void;
}

/** Wires OAuth. */
export function openOAuth(parts: {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly fetcher: Fetcher;
  readonly provenance: Provenance;
  readonly settings: Pick<Settings, "baseUrl" | "oauthIssuer">;
  /** Whether a person has signed in in the browser that sent this Cookie header. */
  readonly knowsBrowser: (cookies: string | undefined) => Promise<boolean>;
}): OpenedOAuth {
  const { store, clock, log, provenance } = parts;
  if (store.kind === "none") return { tokens: null, routes: [], close: () => undefined };
  const { baseUrl, oauthIssuer: issuer } = parts.settings;
  if (issuer !== null) {
    // Another server signs clients in; this one only checks its tokens.
    const resources = new Resources(baseUrl, issuer);
    const tokens = new ExternalAccessTokens({ ...parts, resources, issuer });
    return { tokens, routes: resourceRoutes(resources), close: () => undefined };
  }
  const resources = new Resources(baseUrl, baseUrl);
  const server = new AuthorizationServer({ ...parts, resources });
  const timer = setInterval(() => {
    server.trim().catch((error: unknown) => log.warn("oauth.not_trimmed", {}, error));
  }, TRIM_MS);
  timer.unref();
  return {
    tokens: new OwnAccessTokens({ store, clock, resources }),
    routes: [
      ...resourceRoutes(resources),
      ...serverRoutes(server),
      ...clientRoutes({ store, provenance, server, guesses: createWindowCounter(clock, GUESSES) }),
    ],
    close: () => clearInterval(timer),
  };
}
