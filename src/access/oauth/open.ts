import { startLoop } from "../../kernel/loop.ts";
import type { AccessTokens } from "../../ports/oauth.ts";
import type { Clock, Fetcher, Log } from "../../ports/platform.ts";
import type { Provenance } from "../../ports/provenance.ts";
import type { Settings } from "../../ports/settings.ts";
import type { Store } from "../../ports/store.ts";
import { OAuthAccessTokens } from "./access-tokens.ts";
import { ExternalAccessTokens } from "./external.ts";
import { Resources } from "./resources.ts";
import { AuthorizationServer } from "./server.ts";
import { createWindowCounter, type WindowCounter } from "./window-counter.ts";

const TRIM_MS = 60 * 60_000;
/** A code is short, so nobody may try many. */
const GUESSES = { most: 20, windowMs: 10 * 60_000, what: "wrong codes" };

/** OAuth for MCP clients: the tokens that count here, and what gives them out. */
export interface OpenedOAuth {
  /** Null where nothing can be kept: nobody can sign in there. */
  readonly tokens: AccessTokens | null;
  readonly resources: Resources | null;
  /** Null where another server signs clients in. */
  readonly server: AuthorizationServer | null;
  /** Wrong codes of programs without a browser. */
  readonly guesses: WindowCounter;
  close(): Promise<void>;
}

/** What the operations of OAuth work with. */
export interface OAuthParts {
  readonly oauth: Pick<OpenedOAuth, "resources" | "server" | "guesses">;
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
  const { store, clock, log } = parts;
  const guesses = createWindowCounter(clock, GUESSES);
  const none = { tokens: null, resources: null, server: null, guesses, close: () => Promise.resolve() };
  if (store.kind === "none") return none;
  const { baseUrl, oauthIssuer: issuer } = parts.settings;
  if (issuer !== null) {
    // Another server signs clients in; this one only checks its tokens.
    const resources = new Resources(baseUrl, issuer);
    const tokens = new ExternalAccessTokens({ ...parts, resources, issuer });
    return { ...none, tokens, resources };
  }
  const resources = new Resources(baseUrl, baseUrl);
  const server = new AuthorizationServer({ ...parts, resources });
  const trimming = startLoop({
    everyMs: TRIM_MS,
    failed: (error) => log.warn("oauth.not_trimmed", {}, error),
    async work() {
      await server.trim();
      return false;
    },
  });
  return {
    tokens: new OAuthAccessTokens({ store, clock, resources }),
    resources,
    server,
    guesses,
    close: () => trimming.close(),
  };
}
