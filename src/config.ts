import { isIP } from "node:net";
import { join } from "node:path";
import { DATABASE_FILE, LOG_FORMATS, LOG_LEVELS, MIN_KEY_LENGTH, ROLES, SETTINGS } from "./config-table.ts";
import { smtpSettings } from "./notifications/smtp-settings.ts";
import { oidcSettings } from "./access/people/oidc-settings.ts";
import { serverUrls } from "./storage/postgres/servers.ts";
import { SIBLING_NAMES, type Settings, type SiblingName, type SiblingSettings } from "./ports/settings.ts";
import { withoutTrailing } from "./kernel/text.ts";

/** A wrong setting: one clear line for the operator, and exit status 2. */
export class ConfigError extends Error {}

const KIB = 1_024;
const MIB = 1_024 * KIB;
const MASTER_KEY_BYTES = 32;

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
    databaseUrl: databaseUrl(
      value("DATABASE_URL") ?? `sqlite:${join(value("SVC_DATA") ?? "data", DATABASE_FILE)}`,
    ),
    apiKey: apiKey(value("SVC_API_KEY")),
    trustedHosts: hosts(value("SVC_TRUSTED_HOSTS")),
    trustedProxies: proxies(value("SVC_TRUSTED_PROXIES")),
    siblings: siblings(value),
    logLevel: oneOf("LOG_LEVEL", value("LOG_LEVEL") ?? "info", LOG_LEVELS),
    logFormat: oneOf(
      "LOG_FORMAT",
      value("LOG_FORMAT") ?? (process.stdout.isTTY ? "text" : "json"),
      LOG_FORMATS,
    ),
    securityContact: contact(value("SVC_SECURITY_CONTACT")),
    opensBrowser:
      oneOf("SVC_OPEN", value("SVC_OPEN") ?? String(hasScreen(environment)), ["true", "false"]) === "true",
    oauthIssuer: issuer(optionalUrl("OAUTH_ISSUER", value("OAUTH_ISSUER"))),
    otlpEndpoint: optionalUrl("OTEL_EXPORTER_OTLP_ENDPOINT", value("OTEL_EXPORTER_OTLP_ENDPOINT")),
    smtp: smtpSettings(value("SMTP_URL"), value("SMTP_FROM"), baseUrl, (message) => new ConfigError(message)),
    oidc: oidcSettings(value, (message) => new ConfigError(message)),
    role: oneOf("SVC_ROLE", value("SVC_ROLE") ?? "all", ROLES),
    drainMs: 1_000 * integer("SVC_DRAIN_SECONDS", value("SVC_DRAIN_SECONDS") ?? "30", 0, 3_600),
    workerRuns: integer("SVC_WORKER_RUNS", value("SVC_WORKER_RUNS") ?? "256", 1, 10_000),
    backup: backup(value),
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

/** Whether a person sits here: a terminal, and a screen that a browser could open on. */
function hasScreen(environment: Readonly<Record<string, string | undefined>>): boolean {
  const isSet = (name: string): boolean => (environment[name] ?? "") !== "";
  if (!process.stdout.isTTY || isSet("CI") || isSet("SSH_CONNECTION")) return false;
  return process.platform !== "linux" || isSet("DISPLAY") || isSet("WAYLAND_DISPLAY");
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

function readFlags(argv: readonly string[]): Map<string, string> | "help" | "version" {
  const found = new Map<string, string>();
  for (let i = 0; i < argv.length; i++) {
    const [given = "", inline] = (argv[i] ?? "").split(/=(.*)/s);
    const flag = given.replace(/^--no-/, "--");
    if (flag === "--help" || flag === "-h") return "help";
    if (flag === "--version" || flag === "-v") return "version";
    const row = SETTINGS.find((candidate) => candidate.flag === flag);
    const isSwitch = row?.value === "true | false";
    if (row === undefined || (flag !== given && (!isSwitch || inline !== undefined)))
      throw new ConfigError(`${given} is not a known flag; --help lists them.`);
    const next = argv[i + 1];
    if (flag !== given) found.set(row.env, "false");
    else if (inline !== undefined) found.set(row.env, inline);
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

function contact(text: string | undefined): string | null {
  if (text === undefined) return null;
  const url = URL.parse(text);
  if (url?.protocol === "mailto:" || url?.protocol === "https:") return url.href;
  throw new ConfigError(`SVC_SECURITY_CONTACT must be a mailto: or https: address, not "${text}".`);
}

function databaseUrl(text: string): string {
  if (text === "none" || /^sqlite:./.test(text)) return text;
  const url = URL.parse(serverUrls(text)[0] ?? text);
  if (url === null || (url.protocol !== "postgres:" && url.protocol !== "postgresql:"))
    throw new ConfigError("DATABASE_URL must be sqlite:FILE, postgres://… or none.");
  const wanted = url.searchParams.get("target_session_attrs") ?? "read-write";
  if (wanted === "read-write" || wanted === "primary") return text;
  throw new ConfigError(
    `target_session_attrs of DATABASE_URL must be read-write or primary, not "${wanted}": the service needs to write.`,
  );
}

function backup(value: (env: string) => string | undefined): Settings["backup"] {
  const everyMs = 3_600_000 * integer("SVC_BACKUP_HOURS", value("SVC_BACKUP_HOURS") ?? "24", 1, 8_760);
  const kept = integer("SVC_BACKUP_KEEP", value("SVC_BACKUP_KEEP") ?? "7", 1, 10_000);
  const folder = value("SVC_BACKUP_FOLDER");
  return folder === undefined ? null : { folder, everyMs, kept };
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
