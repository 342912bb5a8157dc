import { SERVICE } from "./kernel/service.ts";
import { SIBLING_NAMES } from "./ports/settings.ts";
import { SCHEMA_VERSION } from "./storage/migrations.ts";

/** One setting: where it comes from, what it means, what it is without being set. */
interface SettingRow {
  readonly env: string;
  readonly flag: string | null;
  readonly value: string;
  readonly fallback: string;
  readonly meaning: string;
}

/** How much can be logged. */
export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
/** The parts that a process can play. */
export const ROLES = ["all", "gateway", "worker"] as const;
/** How it can be logged. */
export const LOG_FORMATS = ["text", "json"] as const;
/** The database in the folder of the data. */
export const DATABASE_FILE = "workflow-ui.db";
/** An API key that is given must have this many characters. */
export const MIN_KEY_LENGTH = 24;

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
    env: "SVC_DATA",
    flag: "--data",
    value: "folder",
    fallback: "workflow-ui-data; data in a clone",
    meaning: "Where the database file and its keys are kept when DATABASE_URL does not say otherwise.",
  },
  {
    env: "DATABASE_URL",
    flag: "--database-url",
    value: "sqlite:FILE | postgres://… | none",
    fallback: `sqlite:<SVC_DATA>/${DATABASE_FILE}`,
    meaning:
      "Where records are kept; with none, whatever would persist answers degraded. PostgreSQL may have several hosts (postgres://user@a:5432,b:5432/database?target_session_attrs=read-write): the one that takes writes is used.",
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
    env: "SVC_SECURITY_CONTACT",
    flag: "--security-contact",
    value: "mailto:… | https://…",
    fallback: "none",
    meaning: "Where to report a vulnerability of this instance, published at /.well-known/security.txt.",
  },
  {
    env: "LOG_LEVEL",
    flag: "--log-level",
    value: LOG_LEVELS.join(" | "),
    fallback: "info",
    meaning: "How much is logged on standard output.",
  },
  {
    env: "LOG_FORMAT",
    flag: "--log-format",
    value: LOG_FORMATS.join(" | "),
    fallback: "text on a terminal, json otherwise",
    meaning: "Lines for people, or one JSON object a line.",
  },
  {
    env: "SVC_OPEN",
    flag: "--open",
    value: "true | false",
    fallback: "true on a terminal with a screen, outside of CI",
    meaning: "Opens the browser after the start; --no-open does not.",
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
    env: "SVC_BACKUP_FOLDER",
    flag: "--backup-folder",
    value: "folder",
    fallback: "no backups are made",
    meaning:
      "Where this process copies the database while it is in use. Files are readable by their owner only. With several replicas set it for one of them.",
  },
  {
    env: "SVC_BACKUP_HOURS",
    flag: "--backup-hours",
    value: "1-8760",
    fallback: "24",
    meaning: "Hours between two backups.",
  },
  {
    env: "SVC_BACKUP_KEEP",
    flag: "--backup-keep",
    value: "1-10000",
    fallback: "7",
    meaning: "Backups that are kept in the folder; the oldest are deleted first.",
  },
  {
    env: "SVC_WITH_SUITE",
    flag: "--with-suite",
    value: "true | false",
    fallback: "false",
    meaning: "Also starts the reference siblings on this machine, for trying out.",
  },
];

/** What `--version` says: the build, and the schema of the databases that it works with. */
export const VERSION_TEXT = `Workflow-UI ${SERVICE.build}, database schema ${SCHEMA_VERSION}\n`;

/** The text of `--help`, printed from the table. */
export function helpText(): string {
  const rows = SETTINGS.map(
    (row) =>
      `  ${row.env}${row.flag === null ? "" : `, ${row.flag}`}\n      ${row.meaning}\n      ${row.value} (default: ${row.fallback})`,
  );
  return `${VERSION_TEXT}\nUsage: npx workflow-ui [flags], or npm start -- [flags] in a clone\n\nSettings (environment variable, flag):\n${rows.join("\n")}\n\n  --help\n      This text.\n  --version\n      The version.\n`;
}

/** docs/configuration.md, printed from the table. */
export function configurationMarkdown(): string {
  const rows = SETTINGS.map(
    ({ env, flag, value, fallback, meaning }) =>
      `| \`${env}\` | ${flag === null ? "" : `\`${flag}\``} | ${value.replaceAll("|", "\\|")} | ${fallback} | ${meaning} |`,
  );
  return `# Configuration

Every setting is optional. A flag wins over the environment variable; an empty value counts as unset; a wrong one stops the start with one clear line and exit status 2. \`npx workflow-ui --help\` (\`npm start -- --help\` in a clone) prints the same table.

| variable | flag | value | default | meaning |
|---|---|---|---|---|
${rows.join("\n")}
`;
}
