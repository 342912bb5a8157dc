/*
 * Scenarios of the official suite that a server like this one cannot pass, each with its reason. Everything else must
 * pass; a listed one that passes fails the run too, so the list cannot rot. docs/conformance.md is made from it.
 */

/** A scenario, or one check of it as `scenario:check`, that is expected to fail. */
export interface Exception {
  readonly name: string;
  readonly why: string;
  /** Only at this revision; at others it passes. */
  readonly only?: string;
}

const ENVELOPE_ONLY =
  "Every tool answers with an envelope, as text and as structured content; there is no way to send other blocks.";
const NO_SERVER_REQUESTS =
  "Only connected servers ask through the service; it has no tool of its own that could be probed for it.";
const NOT_DECLARED = "The capability is optional and not declared.";
const TEMPLATED =
  "The interface lists all 29 resources in resources/list, those with {id} included; the suite wants every listed URI to be concrete.";

/** What fails whatever the registry holds. */
export const ALWAYS: readonly Exception[] = [
  { name: "logging-set-level", why: NOT_DECLARED },
  { name: "tools-call-image", why: ENVELOPE_ONLY },
  { name: "tools-call-audio", why: ENVELOPE_ONLY },
  { name: "tools-call-embedded-resource", why: ENVELOPE_ONLY },
  { name: "tools-call-mixed-content", why: ENVELOPE_ONLY },
  { name: "tools-call-with-logging", why: NOT_DECLARED },
  {
    name: "tools-call-with-progress",
    why: "Only connected tools report progress; no tool of the service itself does.",
  },
  { name: "tools-call-sampling", why: NO_SERVER_REQUESTS },
  { name: "tools-call-elicitation", why: NO_SERVER_REQUESTS },
  { name: "elicitation-sep1034-defaults", why: NO_SERVER_REQUESTS },
  { name: "elicitation-sep1330-enums", why: NO_SERVER_REQUESTS },
  { name: "resources-read-binary", why: "Every resource is a JSON document." },
  { name: "resources-subscribe", why: NOT_DECLARED },
  { name: "resources-unsubscribe", why: NOT_DECLARED },
  { name: "prompts-get-with-image", why: "Prompts are texts and embedded JSON documents." },
  { name: "resources-list:wire-schema-valid", why: TEMPLATED },
  { name: "caching:wire-schema-valid", why: TEMPLATED },
  { name: "server-stateless:sep-2575-server-rejects-undeclared-capability", why: NO_SERVER_REQUESTS },
  { name: "server-stateless:sep-2575-missing-capability-http-400", why: NO_SERVER_REQUESTS },
  {
    name: "http-custom-header-server-validation",
    why: "No tool mirrors an argument in a header (x-mcp-header).",
  },
  { name: "input-required-result-basic-elicitation", why: NO_SERVER_REQUESTS },
  { name: "input-required-result-basic-sampling", why: NO_SERVER_REQUESTS },
  { name: "input-required-result-basic-list-roots", why: NO_SERVER_REQUESTS },
  { name: "input-required-result-request-state", why: NO_SERVER_REQUESTS },
  { name: "input-required-result-multiple-input-requests", why: NO_SERVER_REQUESTS },
  { name: "input-required-result-multi-round", why: NO_SERVER_REQUESTS },
  { name: "input-required-result-missing-input-response", why: NO_SERVER_REQUESTS },
  { name: "input-required-result-non-tool-request", why: NO_SERVER_REQUESTS },
  { name: "input-required-result-result-type", why: NO_SERVER_REQUESTS },
  { name: "input-required-result-tampered-state", why: NO_SERVER_REQUESTS },
  { name: "input-required-result-capability-check", why: NO_SERVER_REQUESTS },
  { name: "input-required-result-ignore-extra-params", why: NO_SERVER_REQUESTS },
];

const FIXTURE = "Calls a fixture by name; it passes against the same stack with the fixture registry.";

/** What fails only because the real registry has no fixtures. */
export const WITHOUT_FIXTURES: readonly Exception[] = [
  { name: "completion-complete", why: FIXTURE },
  { name: "tools-call-simple-text", why: FIXTURE },
  { name: "tools-call-error", why: FIXTURE },
  { name: "json-schema-2020-12", why: FIXTURE },
  { name: "resources-read-text", why: FIXTURE },
  { name: "resources-templates-read", why: FIXTURE },
  { name: "prompts-get-simple", why: FIXTURE },
  { name: "prompts-get-with-args", why: FIXTURE },
  { name: "prompts-get-embedded-resource", why: FIXTURE },
  { name: "server-stateless:sep-2575-http-server-no-independent-requests-on-stream", why: FIXTURE },
  { name: "server-stateless:sep-2575-server-no-log-without-loglevel", why: FIXTURE },
];

const EXTENSION = "An optional extension of the protocol that the vault does not implement.";

/** Client `auth` scenarios that this service as a client does not pass. */
export const CLIENT_AUTH: readonly Exception[] = [
  {
    name: "auth/2025-03-26-oauth-metadata-backcompat",
    why: "Its metadata names another issuer than its address. That is refused, as auth/metadata-issuer-mismatch demands.",
    only: "released suite",
  },
  { name: "auth/cross-app-access-complete-flow", why: EXTENSION },
  { name: "auth/enterprise-managed-authorization", why: EXTENSION },
  { name: "auth/dpop", why: EXTENSION },
  { name: "auth/dpop-nonce", why: EXTENSION },
  { name: "auth/wif-jwt-bearer", why: EXTENSION },
];

/** docs/conformance.md. */
export function conformanceMarkdown(): string {
  const table = (rows: readonly Exception[]): string =>
    [
      "| scenario or check | why it is expected to fail |",
      "|---|---|",
      ...rows.map(
        ({ name, why, only }) => `| \`${name}\`${only === undefined ? "" : ` (${only})`} | ${why} |`,
      ),
    ].join("\n");
  return `# Conformance

\`npm run conformance\` runs the official suite, the released one and the newest alpha, at revisions 2025-11-25 and 2026-07-28, against the service as it is and against the same stack with the suite's own fixtures as its registry. Every scenario passes but those below; one that is listed and passes fails the run. This page is made from \`tests/conformance/baseline.ts\`.

## Expected to fail with any registry

${table(ALWAYS)}

## Expected to fail with the real registry only

${table(WITHOUT_FIXTURES)}

## As a client: the \`auth\` scenarios

The same command runs every \`auth\` scenario of both suites against this service as a client: a credential of the vault signs in, and a connection uses its tokens. In \`auth/basic-cimd\` the suite's fixed document address is given as the \`clientId\` of the credential. These are expected to fail:

${table(CLIENT_AUTH)}
`;
}
