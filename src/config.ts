import { isIP } from "node:net";
import { SERVICE } from "./kernel/service.ts";
import { smtpSettings } from "./notifications/smtp-settings.ts";
import { oidcSettings } from "./people/oidc-settings.ts";
import { SIBLING_NAMES, type Settings, type SiblingName, type SiblingSettings } from "./ports/settings.ts";
import { withoutTrailing } from "./kernel/text.ts";

/** A wrong setting: one clear line for the operator, and exit status 2. */
export class ConfigError extends Error {}

/** One setting: where it comes from, what it means, what it is without being set. */
export interface SettingRow {
  readonly env: string;
  readonly flag: string | null;
  readonly value: string;
  readonly fallback: string;
  readonly meaning: string;
}

const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
const ROLES = ["all", "gateway", "worker"] as const;
const DEFAULT_DATABASE = "sqlite:data/workflow-ui.db";
const KIB = 1_024;
const MIB = 1_024 * KIB;
const MIN_KEY_LENGTH = 24;
const MASTER_KEY_BYTES = 32;

/** Every setting of the service. The only list: `--help` and docs/configuration.md are printed from it. */
export const SETTINGS: readonly SettingRow[] = [
  {
    env: "HOST",
    flag: "--host",
    value: "address",
    fallback: "127.0.0.1",
    meaning: "Address to listen on; 0.0.0.0 or :: for every interface.",
  },
  {
    env: "PORT",
    flag: "--port",
    value: "0-65535",
    fallback: "8080",
    meaning: "Port to listen on; 0 picks a free one.",
  },
  {
    env: "BASE_URL",
    flag: "--base-url",
    value: "URL",
    fallback: "http://127.0.0.1:<port>",
    meaning: "Where callers reach this service; used in every link, and its host passes the Host check.",
  },
  {
    env: "DATABASE_URL",
    flag: "--database-url",
    value: "sqlite:FILE | postgres://… | none",
    fallback: DEFAULT_DATABASE,
    meaning: "Where records are kept; with none, whatever would persist answers degraded.",
  },
  {
    env: "SVC_API_KEY",
    flag: null,
    value: "secret",
    fallback: "a new key, printed once at the first start",
    meaning: `A key with every right, ${MIN_KEY_LENGTH} characters or more. Only from the environment: flags show in process lists.`,
  },
  {
    env: "SVC_MASTER_KEY",
    flag: null,
    value: "key[,previous key…]",
    fallback: "a key file of mode 600 beside the SQLite database; none with PostgreSQL",
    meaning:
      "Master key of the vault: 32 random bytes in base64 or hexadecimal (openssl rand -base64 32), the same for every replica. PostgreSQL needs it to store credentials. The first key is used; those after it only open what they sealed before.",
  },
  {
    env: "OIDC_ISSUER",
    flag: null,
    value: "URL",
    fallback: "people sign in here only",
    meaning:
      "A company's OpenID Connect provider. Its redirect address is BASE_URL/api/svc/sign-in/oidc/callback.",
  },
  {
    env: "OIDC_CLIENT_ID",
    flag: null,
    value: "text",
    fallback: "none; needed with OIDC_ISSUER",
    meaning: "What the provider knows this service as.",
  },
  {
    env: "OIDC_CLIENT_SECRET",
    flag: null,
    value: "secret",
    fallback: "none; needed with OIDC_ISSUER",
    meaning: "The secret that goes with it.",
  },
  {
    env: "OIDC_NAME",
    flag: null,
    value: "text",
    fallback: "the host of OIDC_ISSUER",
    meaning: "The provider's name on the sign-in page.",
  },
  {
    env: "OIDC_ROLES",
    flag: null,
    value: "group=role[,group=role…]",
    fallback: "no accounts are made; people who are known keep their role",
    meaning:
      "Which role the members of a group get at each sign-in; `*=viewer` is for everybody. Owners are made by owners only.",
  },
  {
    env: "OIDC_GROUPS_CLAIM",
    flag: null,
    value: "text",
    fallback: "groups",
    meaning: "The claim of the ID token that lists a person's groups.",
  },
  {
    env: "SVC_TRUSTED_HOSTS",
    flag: "--trusted-hosts",
    value: "host[,host…]",
    fallback: "none",
    meaning:
      "Hosts that may be fetched from, private ones included, and by whose names this service may be called.",
  },
  {
    env: "SVC_TRUSTED_PROXIES",
    flag: "--trusted-proxies",
    value: "address[/bits][,address[/bits]…]",
    fallback: "none",
    meaning:
      "Reverse proxies in front of this service, by address or range. Rate limits then count the client that X-Forwarded-For or Forwarded names; headers from anywhere else are not believed. Without it all clients of a proxy share the limits of one.",
  },
  ...SIBLING_NAMES.flatMap((name) => [
    {
      env: `SUITE_${name.toUpperCase()}_URL`,
      flag: null,
      value: "URL",
      fallback: "not configured",
      meaning: `Address of the ${name} sibling; without it, whatever needs it answers degraded.`,
    },
    {
      env: `SUITE_${name.toUpperCase()}_KEY`,
      flag: null,
      value: "secret",
      fallback: "none",
      meaning: `The credential shown to the ${name} sibling.`,
    },
  ]),
  {
    env: "OAUTH_ISSUER",
    flag: "--oauth-issuer",
    value: "URL",
    fallback: "this service",
    meaning:
      "Authorization server that signs MCP clients in instead of this service: its JWTs count when their audience is BASE_URL or an MCP endpoint of it and their account or verified e-mail address is a person's here.",
  },
  {
    env: "SVC_ALLOW_STDIO",
    flag: "--allow-stdio",
    value: "true | false",
    fallback: "false",
    meaning: "Lets an admin add connections to MCP servers that are programs on this machine.",
  },
  {
    env: "LOG_LEVEL",
    flag: "--log-level",
    value: LOG_LEVELS.join(" | "),
    fallback: "info",
    meaning: "How much is logged, as one JSON object a line on standard output.",
  },
  {
    env: "SMTP_URL",
    flag: null,
    value: "smtp://[user:password@]host:port | smtps://…",
    fallback: "none",
    meaning:
      "Mail server for notifications of approvals; without it no mail is sent. Only from the environment: it may hold a password.",
  },
  {
    env: "SMTP_FROM",
    flag: "--smtp-from",
    value: "address",
    fallback: "workflow-ui@<host of BASE_URL>",
    meaning: "The sender of those mails.",
  },
  {
    env: "OTEL_EXPORTER_OTLP_ENDPOINT",
    flag: "--otlp-endpoint",
    value: "URL",
    fallback: "none",
    meaning: "OpenTelemetry collector that receives spans.",
  },
  {
    env: "SVC_ANONYMOUS_FORMS",
    flag: "--anonymous-forms",
    value: "0-100000",
    fallback: "2000",
    meaning:
      "Forms of callers without a key that are kept at most, the least recently rendered are deleted first; 0 keeps none. The forms of this service's own tools and operations do not count.",
  },
  {
    env: "SVC_ANONYMOUS_FORMS_PER_HOUR",
    flag: "--anonymous-forms-per-hour",
    value: "0-100000",
    fallback: "200",
    meaning: "New forms of callers without a key that are kept in an hour, all callers together.",
  },
  {
    env: "SVC_ANONYMOUS_FORM_DAYS",
    flag: "--anonymous-form-days",
    value: "1-3650",
    fallback: "7",
    meaning: "Days after its last rendering after which a form of a caller without a key is deleted.",
  },
  {
    env: "SVC_DOCUMENT_LIMIT_MB",
    flag: "--document-limit-mb",
    value: "1-256",
    fallback: "24",
    meaning:
      "Largest API description or other document, in MiB, that a caller with a key or an account can have fetched or upload. Such documents are read in a thread of their own, which may use about twelve times this much memory.",
  },
  {
    env: "SVC_ANONYMOUS_DOCUMENT_LIMIT_MB",
    flag: "--anonymous-document-limit-mb",
    value: "1-256",
    fallback: "5",
    meaning: "The same for callers without a key.",
  },
  {
    env: "SVC_SCHEMA_LIMIT_KB",
    flag: "--schema-limit-kb",
    value: "1-16384",
    fallback: "1024",
    meaning:
      "Largest JSON Schema, in KiB, that a caller with a key or an account can have rendered as a form. Its form may grow in proportion.",
  },
  {
    env: "SVC_ANONYMOUS_SCHEMA_LIMIT_KB",
    flag: "--anonymous-schema-limit-kb",
    value: "1-16384",
    fallback: "64",
    meaning: "The same for callers without a key.",
  },
  {
    env: "SVC_ROLE",
    flag: "--role",
    value: ROLES.join(" | "),
    fallback: "all",
    meaning: "The part this process plays: serve requests, run workflows, or both.",
  },
  {
    env: "SVC_DRAIN_SECONDS",
    flag: "--drain-seconds",
    value: "0-3600",
    fallback: "30",
    meaning:
      "How long requests and steps under way may go on after SIGTERM. `/readyz` says 503 at once, and nothing new begins; a second signal ends the process.",
  },
  {
    env: "SVC_WORKER_RUNS",
    flag: "--worker-runs",
    value: "1-10000",
    fallback: "256",
    meaning: "Runs that this process works on at the same time. Runs that wait are not among them.",
  },
  {
    env: "SVC_WITH_SUITE",
    flag: "--with-suite",
    value: "true | false",
    fallback: "false",
    meaning: "Also starts the reference siblings on this machine, for trying out.",
  },
];

/** What was asked on the command line and in the environment. */
export function loadSettings(
  argv: readonly string[] = process.argv.slice(2),
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Settings | "help" | "version" {
  const given = readFlags(argv);
  if (given === "help" || given === "version") return given;
  const value = (env: string): string | undefined => {
    const text = given.get(env) ?? environment[env];
    return text === undefined || text.trim() === "" ? undefined : text.trim();
  };
  const port = integer("PORT", value("PORT") ?? "8080", 0, 65_535);
  const host = value("HOST") ?? "127.0.0.1";
  const baseUrl = httpUrl("BASE_URL", value("BASE_URL") ?? `http://127.0.0.1:${port}`);
  return {
    host,
    port,
    baseUrl,
    databaseUrl: databaseUrl(value("DATABASE_URL") ?? DEFAULT_DATABASE),
    apiKey: apiKey(value("SVC_API_KEY")),
    trustedHosts: hosts(value("SVC_TRUSTED_HOSTS")),
    trustedProxies: proxies(value("SVC_TRUSTED_PROXIES")),
    siblings: siblings(value),
    logLevel: oneOf("LOG_LEVEL", value("LOG_LEVEL") ?? "info", LOG_LEVELS),
    oauthIssuer: issuer(optionalUrl("OAUTH_ISSUER", value("OAUTH_ISSUER"))),
    otlpEndpoint: optionalUrl("OTEL_EXPORTER_OTLP_ENDPOINT", value("OTEL_EXPORTER_OTLP_ENDPOINT")),
    smtp: smtpSettings(value("SMTP_URL"), value("SMTP_FROM"), baseUrl, (message) => new ConfigError(message)),
    oidc: oidcSettings(value, (message) => new ConfigError(message)),
    role: oneOf("SVC_ROLE", value("SVC_ROLE") ?? "all", ROLES),
    drainMs: 1_000 * integer("SVC_DRAIN_SECONDS", value("SVC_DRAIN_SECONDS") ?? "30", 0, 3_600),
    workerRuns: integer("SVC_WORKER_RUNS", value("SVC_WORKER_RUNS") ?? "256", 1, 10_000),
    masterKeys: masterKeys(value("SVC_MASTER_KEY")),
    programEnvironment:
      oneOf("SVC_ALLOW_STDIO", value("SVC_ALLOW_STDIO") ?? "false", ["true", "false"]) === "true"
        ? passedOn(environment)
        : null,
    anonymousForms: {
      most: integer("SVC_ANONYMOUS_FORMS", value("SVC_ANONYMOUS_FORMS") ?? "2000", 0, 100_000),
      perHour: integer(
        "SVC_ANONYMOUS_FORMS_PER_HOUR",
        value("SVC_ANONYMOUS_FORMS_PER_HOUR") ?? "200",
        0,
        100_000,
      ),
      days: integer("SVC_ANONYMOUS_FORM_DAYS", value("SVC_ANONYMOUS_FORM_DAYS") ?? "7", 1, 3_650),
    },
    documentBytes: {
      keyed: MIB * integer("SVC_DOCUMENT_LIMIT_MB", value("SVC_DOCUMENT_LIMIT_MB") ?? "24", 1, 256),
      anonymous:
        MIB *
        integer("SVC_ANONYMOUS_DOCUMENT_LIMIT_MB", value("SVC_ANONYMOUS_DOCUMENT_LIMIT_MB") ?? "5", 1, 256),
    },
    schemaBytes: {
      keyed: KIB * integer("SVC_SCHEMA_LIMIT_KB", value("SVC_SCHEMA_LIMIT_KB") ?? "1024", 1, 16_384),
      anonymous:
        KIB *
        integer("SVC_ANONYMOUS_SCHEMA_LIMIT_KB", value("SVC_ANONYMOUS_SCHEMA_LIMIT_KB") ?? "64", 1, 16_384),
    },
    withSuite: oneOf("SVC_WITH_SUITE", value("SVC_WITH_SUITE") ?? "false", ["true", "false"]) === "true",
  };
}

/** What a program on this machine learns of the service's own environment: where programs are, and the language. */
function passedOn(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const names = ["PATH", "LANG", "TZ", "SystemRoot", "ComSpec", "PATHEXT"];
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = environment[name];
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
}

/** The text of `--help`, printed from the table. */
export function helpText(): string {
  const rows = SETTINGS.map(
    (row) =>
      `  ${row.env}${row.flag === null ? "" : `, ${row.flag}`}\n      ${row.meaning}\n      ${row.value} (default: ${row.fallback})`,
  );
  return `Workflow-UI ${SERVICE.build}\n\nUsage: npm start -- [flags]\n\nSettings (environment variable, flag):\n${rows.join("\n")}\n\n  --help\n      This text.\n  --version\n      The version.\n`;
}

/** docs/configuration.md, printed from the table. */
export function configurationMarkdown(): string {
  const rows = SETTINGS.map(
    ({ env, flag, value, fallback, meaning }) =>
      `| \`${env}\` | ${flag === null ? "" : `\`${flag}\``} | ${value.replaceAll("|", "\\|")} | ${fallback} | ${meaning} |`,
  );
  return `# Configuration

Every setting is optional. A flag wins over the environment variable; an empty value counts as unset; a wrong one stops the start with one clear line and exit status 2. \`npm start -- --help\` prints the same table.

| variable | flag | value | default | meaning |
|---|---|---|---|---|
${rows.join("\n")}
`;
}

function readFlags(argv: readonly string[]): Map<string, string> | "help" | "version" {
  const found = new Map<string, string>();
  for (let i = 0; i < argv.length; i++) {
    const [flag = "", inline] = (argv[i] ?? "").split(/=(.*)/s);
    if (flag === "--help" || flag === "-h") return "help";
    if (flag === "--version" || flag === "-v") return "version";
    const row = SETTINGS.find((candidate) => candidate.flag === flag);
    if (row === undefined) throw new ConfigError(`${flag} is not a known flag; --help lists them.`);
    const next = argv[i + 1];
    const isSwitch = row.value === "true | false";
    if (inline !== undefined) found.set(row.env, inline);
    else if (isSwitch && (next === undefined || next.startsWith("--"))) found.set(row.env, "true");
    else if (next === undefined || next.startsWith("--"))
      throw new ConfigError(`${flag} needs a value: ${row.value}.`);
    else {
      found.set(row.env, next);
      i++;
    }
  }
  return found;
}

function integer(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${text}".`);
  }
  return value;
}

function oneOf<T extends string>(name: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === text);
  if (found === undefined)
    throw new ConfigError(`${name} must be one of ${allowed.join(", ")}, not "${text}".`);
  return found;
}

function httpUrl(name: string, text: string): string {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new ConfigError(`${name} must be an http or https URL, not "${text}".`);
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new ConfigError(`${name} must not carry credentials, a query or a fragment.`);
  }
  return withoutTrailing(url.href, "/");
}

function optionalUrl(name: string, text: string | undefined): string | null {
  return text === undefined ? null : httpUrl(name, text);
}

function databaseUrl(text: string): string {
  if (text === "none" || /^sqlite:./.test(text)) return text;
  const url = URL.parse(text);
  if (url !== null && (url.protocol === "postgres:" || url.protocol === "postgresql:")) return text;
  throw new ConfigError("DATABASE_URL must be sqlite:FILE, postgres://… or none.");
}

function issuer(url: string | null): string | null {
  return url === null ? null : withoutTrailing(url, "/");
}

function apiKey(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (text.length < MIN_KEY_LENGTH)
    throw new ConfigError(`SVC_API_KEY must have ${MIN_KEY_LENGTH} characters or more.`);
  if (!/^[\x21-\x7e]+$/.test(text)) {
    throw new ConfigError(
      "SVC_API_KEY must consist of visible ASCII characters, or no header could carry it.",
    );
  }
  return text;
}

function masterKeys(text: string | undefined): readonly string[] {
  return (text ?? "")
    .split(",")
    .map((key) => key.trim())
    .filter((key) => key !== "")
    .map((key) => {
      const bytes = Buffer.from(key, /^[0-9a-f]{64}$/i.test(key) ? "hex" : "base64");
      if (bytes.length === MASTER_KEY_BYTES) return bytes.toString("base64");
      // The value is a secret, so the line does not repeat it.
      throw new ConfigError(
        `SVC_MASTER_KEY must be ${MASTER_KEY_BYTES} random bytes in base64 or hexadecimal, such as openssl rand -base64 32 prints; a further key after a comma.`,
      );
    });
}

function hosts(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  return text
    .split(",")
    .map((host) => host.trim().toLowerCase())
    .filter((host) => host !== "")
    .map((host) => {
      const url = URL.parse(`http://${host}/`);
      if (url === null || url.pathname !== "/" || url.username !== "" || url.search !== "") {
        throw new ConfigError(`SVC_TRUSTED_HOSTS has "${host}", which is not a host name or address.`);
      }
      return host;
    });
}

function proxies(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .map((entry) => {
      const [address = "", bits, ...rest] = entry.split("/");
      const most = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
      const isRange = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
      if (most === 0 || !isRange || rest.length > 0) {
        throw new ConfigError(
          `SVC_TRUSTED_PROXIES has "${entry}", which is not an address (10.0.0.7) or a range (10.0.0.0/8).`,
        );
      }
      return entry;
    });
}

function siblings(value: (env: string) => string | undefined): Partial<Record<SiblingName, SiblingSettings>> {
  const found: Partial<Record<SiblingName, SiblingSettings>> = {};
  for (const name of SIBLING_NAMES) {
    const prefix = `SUITE_${name.toUpperCase()}`;
    const url = value(`${prefix}_URL`);
    const key = value(`${prefix}_KEY`) ?? null;
    if (url !== undefined) found[name] = { url: httpUrl(`${prefix}_URL`, url), key };
    else if (key !== null) throw new ConfigError(`${prefix}_KEY is set but ${prefix}_URL is not.`);
  }
  return found;
}
