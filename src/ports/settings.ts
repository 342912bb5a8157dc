import type { Role as PersonRole } from "./people.ts";
import { withoutTrailing } from "../kernel/text.ts";
import type { Caller } from "./caller.ts";

/** The siblings this service can hand work to, by the name their settings carry. */
export const SIBLING_NAMES = [
  "root",
  "mcp",
  "spec",
  "sandbox",
  "evals",
  "trace",
  "ascii",
  "docs",
  "sheets",
  "catalog",
  "studio",
  "browsercheck",
  "layout",
  "ai_gateway",
] as const;

/** A sibling's name. */
export type SiblingName = (typeof SIBLING_NAMES)[number];

/** Where a sibling is and the credential we show it. */
export interface SiblingSettings {
  readonly url: string;
  readonly key: string | null;
}

/** Which part of the service this process plays. */
type Role = "all" | "gateway" | "worker";

/** How much of what callers without a key have rendered is kept, all of them together. */
export interface AnonymousForms {
  readonly perHour: number;
  readonly most: number;
  /** Days after its last rendering that a form is kept. */
  readonly days: number;
}

/** A size in bytes: what callers without a key may have read, and what callers with a key or an account may. */
export interface SizeLimit {
  readonly anonymous: number;
  readonly keyed: number;
}

/** Copies of the database on a schedule. */
export interface BackupSettings {
  readonly folder: string;
  readonly everyMs: number;
  /** How many copies are kept. */
  readonly kept: number;
}

/** A company's OpenID Connect provider. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** What the button on the sign-in page says. */
  readonly name: string;
  readonly groupsClaim: string;
  /** Which role the members of a group get; the group `*` is everybody. */
  readonly roles: readonly (readonly [group: string, role: PersonRole])[];
}

/** Everything that can be configured, parsed and checked. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly apiKey: string | null;
  readonly trustedHosts: readonly string[];
  /** Addresses and ranges (CIDR) of reverse proxies whose forwarding headers are believed. */
  readonly trustedProxies: readonly string[];
  readonly siblings: Readonly<Partial<Record<SiblingName, SiblingSettings>>>;
  readonly logLevel: "debug" | "info" | "warn" | "error" | "silent";
  readonly logFormat: "text" | "json";
  /** An address for reports of vulnerabilities; null when there is none. */
  readonly securityContact: string | null;
  /** Whether to open a browser once the service runs. */
  readonly opensBrowser: boolean;
  readonly otlpEndpoint: string | null;
  /** The authorization server whose tokens count here instead of our own; null without one. */
  readonly oauthIssuer: string | null;
  /** The server that mail is sent through and the sender's address; null when none is configured. */
  readonly smtp: { readonly url: string; readonly from: string } | null;
  /** Null when people sign in here only. */
  readonly oidc: OidcSettings | null;
  readonly role: Role;
  /** How long what is under way may go on when the process is asked to stop. */
  readonly drainMs: number;
  /** Runs that one process works on at the same time. Runs that wait are not among them. */
  readonly workerRuns: number;
  readonly backup: BackupSettings | null;
  /** The environment of MCP servers that are started as programs; null when none may be started. */
  readonly programEnvironment: Readonly<Record<string, string>> | null;
  readonly withSuite: boolean;
  readonly anonymousForms: AnonymousForms;
  /** The largest document that is read: an API description that is fetched, pasted or uploaded. */
  readonly documentBytes: SizeLimit;
  /** The largest schema that is rendered as a form. */
  readonly schemaBytes: SizeLimit;
  /** Master keys of the vault, 32 bytes in base64 each, the one in use first; empty when none was given. */
  readonly masterKeys: readonly string[];
}

/** The size that holds for a caller. */
export function sizeFor({ kind }: Pick<Caller, "kind">, limit: SizeLimit): number {
  return kind === "anonymous" ? limit.anonymous : limit.keyed;
}

/** The address of a sibling: its configured URL, or a reserved name that can never answer. */
export function siblingBaseUrl(settings: Pick<Settings, "siblings">, name: SiblingName): string {
  const url = settings.siblings[name]?.url;
  return url === undefined ? `https://${name.replace("_", "-")}.suite.invalid` : withoutTrailing(url, "/");
}
