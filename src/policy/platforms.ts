import type { AgentPolicy } from "./document.ts";

/** A class of agents or clients and what access this service gives it. */
type AgentPlatform = AgentPolicy["platforms"][number];
/** One statement about a platform, and whether anybody saw that it is true. */
type PlatformStatement = AgentPlatform["statements"][number];

const tested = (statement: string, how: string): PlatformStatement => ({
  statement,
  verified: true,
  evidence: "tested",
  how,
});
const unverified = (statement: string, how: string): PlatformStatement => ({
  statement,
  verified: false,
  evidence: "not-verified",
  how,
});

/**
 * The platforms this service speaks of. Access depends on the key, never on who a client says it is, so no entry
 * grants more than the boundary does, and none names a user-agent string.
 */
export const BUILT_IN_PLATFORMS: readonly AgentPlatform[] = [
  {
    id: "mcp-client",
    name: "Any MCP client",
    kind: "mcp-client",
    access: "public-safe-and-key",
    grants: [
      "public tools, resources and prompts without a key",
      "protected tools with a key that holds the scope",
    ],
    statements: [
      tested(
        "The official TypeScript SDK clients, old and new protocol, list and call tools.",
        "tests/gateway/official-clients.test.ts drives them against the running service.",
      ),
      tested(
        "A protected tool is refused without a key, whatever the client calls itself.",
        "tests/discovery/boundary.test.ts calls every protected tool without a key and with a wrong one.",
      ),
      unverified(
        "A given third-party client shows forms and approvals well.",
        "Try it with that client; we tested none but those named above.",
      ),
    ],
  },
  {
    id: "mcp-inspector",
    name: "MCP Inspector",
    kind: "mcp-client",
    access: "public-safe-and-key",
    grants: ["the same as any MCP client"],
    statements: [
      tested(
        "Its command line lists tools, calls one, reads a resource and gets a prompt.",
        "tests/gateway/official-clients.test.ts runs it against the service.",
      ),
    ],
  },
  {
    id: "chat-host",
    name: "Chat hosts that speak MCP",
    kind: "mcp-client",
    access: "public-safe-and-key",
    grants: ["the same as any MCP client", "embedded form views where the host supports MCP Apps"],
    statements: [
      unverified(
        "A chat host renders the embedded form view.",
        "Depends on the host's support for MCP Apps; not tested with any particular host.",
      ),
      unverified(
        "A chat host asks its user before calling a protected tool.",
        "Only the host can promise that; this service checks the key either way.",
      ),
    ],
  },
  {
    id: "http-client",
    name: "Plain HTTP and JSON-RPC clients",
    kind: "http-client",
    access: "public-safe-and-key",
    grants: ["POST /api/mcp as JSON-RPC 2.0", "the discovery documents", "handoff readiness"],
    statements: [
      tested(
        "Every public tool answers a plain HTTP client that posts JSON.",
        "tests/discovery/answers.test.ts calls every public tool with plain HTTP requests.",
      ),
    ],
  },
  {
    id: "suitectl",
    name: "suitectl",
    kind: "cli",
    access: "public-safe-and-key",
    grants: ["the same as a plain HTTP client", "key administration on the machine that holds the database"],
    statements: [
      tested(
        "Its documented examples run as printed.",
        "tests/cli/examples.test.ts and tests/cli/terminal.test.ts run every one against the service.",
      ),
    ],
  },
  {
    id: "web-app",
    name: "The web app of this service",
    kind: "browser",
    access: "public-safe-and-key",
    grants: ["the same gateway as everybody else; it has no private interface"],
    statements: [
      unverified(
        "It keeps an API key in memory only.",
        "Look through the browser's storage after use; no test is cited here yet.",
      ),
    ],
  },
  {
    id: "web-crawler",
    name: "Web crawlers",
    kind: "crawler",
    access: "public-safe",
    grants: ["the pages and documents that robots.txt allows to every user agent alike"],
    statements: [
      tested(
        "robots.txt has one group, for every user agent.",
        "tests/discovery/compliance.test.ts; the compliance check fails on any other group.",
      ),
      unverified(
        "A particular crawler honours robots.txt, or is what its user-agent string says.",
        "User-agent strings are claims; none was verified, so none is named and none gets other rules.",
      ),
    ],
  },
  {
    id: "sibling-service",
    name: "Services of the suite",
    kind: "service",
    access: "public-safe-and-key",
    grants: ["handoff previews without a key", "accepted handoffs with a key that holds the scope handoff"],
    statements: [
      tested(
        "A packet is accepted only with a valid key; a dry run is previewed without one.",
        "tests/discovery/boundary.test.ts sends both to every path of the receiver.",
      ),
      unverified(
        "A configured service of the suite is operated by whom its address suggests.",
        "The operator chose the address; this service checks only that answers are well formed.",
      ),
    ],
  },
  {
    id: "workflow-engine",
    name: "Workflows run by this service",
    kind: "workflow",
    access: "key-required",
    grants: ["the tools that the caller who started the run may call, and no others"],
    statements: [
      unverified(
        "A workflow does only what its author meant.",
        "Read its plan, dry-run it, and guard what matters with approvals.",
      ),
    ],
  },
];

/** A platform with how many of its statements were verified. */
export function platformJson(platform: AgentPlatform) {
  const { length } = platform.statements.filter((statement) => statement.verified);
  return {
    ...platform,
    verifiedStatements: length,
    unverifiedStatements: platform.statements.length - length,
  };
}
