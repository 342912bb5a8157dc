import { AppError } from "../kernel/errors.ts";
import { isObject, parsedJson } from "../kernel/json.ts";
import { contextWith } from "../ports/call-context.ts";
import { ANONYMOUS } from "../ports/caller.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { AgentPolicy } from "./document.ts";
import { BUILT_IN_POLICY } from "./document.ts";

/** One thing that was looked at while refreshing, and which platforms it speaks for. */
interface Observation {
  readonly platforms: readonly string[];
  readonly statement: string;
  readonly how: string;
  readonly holds: boolean;
  readonly observed: string;
}

/** The registry after a refresh, and what was observed on the way. */
export interface RefreshedPlatforms {
  readonly platforms: AgentPolicy["platforms"];
  readonly evidence: {
    readonly checks: readonly Pick<Observation, "statement" | "holds" | "observed">[];
  };
}

/**
 * Brings the built-in entries up to date, keeps those an operator added, and checks in process what can be checked.
 * A check that fails is recorded as not verified; it never grants anything.
 */
export async function refreshPlatforms(
  current: AgentPolicy,
  context: CallContext,
): Promise<RefreshedPlatforms> {
  const builtIn = new Set(BUILT_IN_POLICY.platforms.map(({ id }) => id));
  const added = current.platforms.filter(({ id }) => !builtIn.has(id));
  const observations = await Promise.all([
    infoIsPublic(context),
    robotsHasOneGroup(context),
    serverCardIsPublic(context),
    receiverIsReady(context),
    protectedToolsRefuse(context),
  ]);
  const platforms = [...BUILT_IN_POLICY.platforms, ...added].map((platform) => ({
    ...platform,
    statements: [
      ...platform.statements.filter(({ evidence }) => evidence !== "checked-in-process"),
      ...observations
        .filter((observation) => observation.platforms.includes(platform.id))
        .map(({ statement, how, holds, observed }) => ({
          statement,
          verified: holds,
          evidence: "checked-in-process" as const,
          how: `${how} Observed: ${observed}`,
        })),
    ],
  }));
  return {
    platforms,
    evidence: {
      checks: observations.map(({ statement, holds, observed }) => ({ statement, holds, observed })),
    },
  };
}

async function infoIsPublic(context: CallContext): Promise<Observation> {
  const answer = await context.services.site.request("GET", "/api/mcp", { accept: "application/json" });
  return {
    platforms: ["mcp-client", "http-client", "mcp-inspector"],
    statement: "The info document is readable without a credential.",
    how: "GET /api/mcp without a key at the last refresh.",
    holds: answer.status === 200 && isObject(parsedJson(answer.body)),
    observed: `status ${answer.status}, ${answer.headers["content-type"] ?? "no content type"}.`,
  };
}

async function serverCardIsPublic(context: CallContext): Promise<Observation> {
  const answer = await context.services.site.request("GET", "/api/mcp/server-card");
  const card = parsedJson(answer.body);
  return {
    platforms: ["mcp-client", "chat-host"],
    statement: "The server card names this service's endpoint.",
    how: "GET /api/mcp/server-card without a key at the last refresh.",
    holds: answer.status === 200 && isObject(card) && Array.isArray(card["remotes"]),
    observed: `status ${answer.status}.`,
  };
}

async function robotsHasOneGroup(context: CallContext): Promise<Observation> {
  const answer = await context.services.site.request("GET", "/robots.txt");
  const agents = answer.body.match(/^user-agent:.*$/gim) ?? [];
  return {
    platforms: ["web-crawler"],
    statement: "robots.txt is served and names no user agent but *.",
    how: "GET /robots.txt at the last refresh.",
    holds: answer.status === 200 && agents.length === 1 && /^user-agent:\s*\*\s*$/i.test(agents[0] ?? ""),
    observed: `status ${answer.status}, ${agents.length} user-agent line(s).`,
  };
}

async function receiverIsReady(context: CallContext): Promise<Observation> {
  const answer = await context.services.site.request("GET", "/api/svc/receive-handoff");
  const body = parsedJson(answer.body);
  return {
    platforms: ["sibling-service"],
    statement: "The handoff receiver's readiness probe answers without a credential.",
    how: "GET /api/svc/receive-handoff without a key at the last refresh.",
    holds: answer.status === 200 && isObject(body) && body["ok"] === true,
    observed: `status ${answer.status}.`,
  };
}

/** Rights are checked before arguments, so an empty call tells whether a stranger would be let in. */
async function protectedToolsRefuse(context: CallContext): Promise<Observation> {
  const { catalog } = context.services;
  const guarded = catalog.tools.filter((tool) => tool.access !== "public");
  let refused = 0;
  for (const tool of guarded) {
    try {
      await catalog.call(tool.name, {}, contextWith(context, { caller: ANONYMOUS, dryRun: true }));
    } catch (error) {
      if (error instanceof AppError && error.code === "unauthorized") refused += 1;
    }
  }
  return {
    platforms: ["mcp-client", "http-client", "suitectl", "sibling-service", "workflow-engine"],
    statement: "Every protected tool refuses a caller without a key.",
    how: "Each protected tool was called in process without a key at the last refresh.",
    holds: refused === guarded.length,
    observed: `${refused} of ${guarded.length} refused.`,
  };
}
