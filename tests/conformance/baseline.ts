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

const EARLIER = "2025-11-25";
const REMOVED = "An optional capability of earlier revisions, removed in 2026-07-28 and not declared.";
const TEMPLATED =
  "The fixed interface lists all 29 resources in resources/list, those with {id} included; the suite wants every listed URI to be concrete. At /mcp they are, and it passes.";

/** What fails whatever the registry holds: nothing of revision 2026-07-28. */
export const ALWAYS: readonly Exception[] = [
  { name: "logging-set-level", why: REMOVED, only: EARLIER },
  { name: "tools-call-with-logging", why: REMOVED, only: EARLIER },
  { name: "resources-subscribe", why: REMOVED, only: EARLIER },
  { name: "resources-unsubscribe", why: REMOVED, only: EARLIER },
  {
    name: "tools-call-sampling",
    why: "Sampling is asked for in revision 2026-07-28 only, where it passes.",
    only: EARLIER,
  },
];

/** What fails at `/api/mcp` because the fixed interface wants it another way. */
export const AT_FIXED_INTERFACE: readonly Exception[] = [
  { name: "resources-list:wire-schema-valid", why: TEMPLATED },
  { name: "caching:wire-schema-valid", why: TEMPLATED },
];

const FIXTURE = "Calls a fixture by name; it passes against the same stack with the fixture registry.";

/** What fails only because the real registry has no fixtures. */
export const WITHOUT_FIXTURES: readonly Exception[] = [
  "completion-complete",
  "tools-call-simple-text",
  "tools-call-error",
  "tools-call-image",
  "tools-call-audio",
  "tools-call-embedded-resource",
  "tools-call-mixed-content",
  "tools-call-with-progress",
  "tools-call-elicitation",
  "elicitation-sep1034-defaults",
  "elicitation-sep1330-enums",
  "json-schema-2020-12",
  "resources-read-text",
  "resources-read-binary",
  "http-custom-header-server-validation",
  "resources-templates-read",
  "prompts-get-simple",
  "prompts-get-with-args",
  "prompts-get-embedded-resource",
  "prompts-get-with-image",
  "server-stateless:sep-2575-http-server-no-independent-requests-on-stream",
  "server-stateless:sep-2575-server-no-log-without-loglevel",
  "server-stateless:sep-2575-server-rejects-undeclared-capability",
  "server-stateless:sep-2575-missing-capability-http-400",
  "input-required-result-basic-elicitation",
  "input-required-result-basic-sampling",
  "input-required-result-basic-list-roots",
  "input-required-result-request-state",
  "input-required-result-multiple-input-requests",
  "input-required-result-multi-round",
  "input-required-result-missing-input-response",
  "input-required-result-non-tool-request",
  "input-required-result-result-type",
  "input-required-result-tampered-state",
  "input-required-result-capability-check",
  "input-required-result-ignore-extra-params",
].map((name) => ({ name, why: FIXTURE }));

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

\`npm run conformance\` runs the official suite, the released one and the newest alpha, at revisions 2025-11-25 and 2026-07-28, against the service as it is (\`/api/mcp\`) and against the endpoint for agents (\`/mcp\`) with the suite's own fixtures as its registry, signed in as a person. There every scenario of the Tasks extension passes too: a task is a durable run. Every scenario passes but those below; one that is listed and passes fails the run. This page is made from \`tests/conformance/baseline.ts\`.

## Expected to fail with any registry

${table(ALWAYS)}

## Expected to fail at \`/api/mcp\` only

${table(AT_FIXED_INTERFACE)}

## Expected to fail with the real registry only

${table(WITHOUT_FIXTURES)}

## As a client: the \`auth\` scenarios

The same command runs every \`auth\` scenario of both suites against this service as a client: a credential of the vault signs in, and a connection uses its tokens. In \`auth/basic-cimd\` the suite's fixed document address is given as the \`clientId\` of the credential. These are expected to fail:

${table(CLIENT_AUTH)}
`;
}
