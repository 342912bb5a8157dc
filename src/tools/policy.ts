import { Type } from "typebox";
import { degraded, type NotDone } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { nearestNames } from "../kernel/nearest.ts";
import { applyPolicyChange } from "../policy/document.ts";
import { refreshPlatforms } from "../policy/refresh.ts";
import { currentPolicy, saveRevision } from "../policy/revisions.ts";
import { evaluateAccess, nearestTargets } from "../policy/rules.ts";
import {
  aiPolicy,
  boundaryNames,
  findPlatform,
  platformRegistry,
  policySummary,
  robotsPolicy,
  trustPolicy,
} from "../policy/views.ts";
import { runOfCall } from "../ports/meta-keys.ts";
import { toolList, type Tool } from "../ports/operations.ts";
import { inputOf, TextOrNull } from "../model/common.ts";
import { jsonObject } from "./shapes.ts";

const { defineTool, declared } = toolList();

const Names = Type.Array(Type.String());

const revision = {
  revision: Type.Integer({ description: "0 is the built-in policy; stored revisions count from 1." }),
  digest: Type.String(),
  source: Type.String({ description: "built-in or stored." }),
  changedAt: TextOrNull,
};
const Platform = Type.Object({
  id: Type.String(),
  name: Type.String(),
  kind: Type.String(),
  access: Type.String(),
  grants: Names,
  statements: Type.Array(
    Type.Object({
      statement: Type.String(),
      verified: Type.Boolean(),
      evidence: Type.String(),
      how: Type.String(),
    }),
  ),
  verifiedStatements: Type.Integer(),
  unverifiedStatements: Type.Integer(),
});
const SavedRevision = Type.Object({
  status: Type.Literal("stored"),
  revision: Type.Integer(),
  digest: Type.String(),
  changed: Names,
  provenanceId: TextOrNull,
  createdAt: Type.String(),
  evidence: Type.Optional(
    Type.Object(
      {
        checks: Type.Array(
          Type.Object({ statement: Type.String(), holds: Type.Boolean(), observed: Type.String() }),
        ),
      },
      { description: "What was observed while refreshing." },
    ),
  ),
});
const read = { access: "public", effect: "none" } as const;

defineTool({
  ...read,
  name: "get_agent_policy",
  title: "Agent policy",
  description:
    "Returns the policy for agents in force: summary, contact, the public/protected boundary with the tool names, the access rules with their ids, the platforms in short and the revision it comes from. Read it before acting for a person.",
  input: inputOf({}),
  output: Type.Object({
    schemaVersion: Type.String(),
    ...revision,
    summary: Type.String(),
    contact: TextOrNull,
    trustPolicyLine: Type.String(),
    boundary: Type.Object({
      publicMethods: Names,
      publicTools: Names,
      protectedTools: Names,
      rule: Type.String(),
    }),
    rules: Type.Array(Type.Object({ id: Type.String(), text: Type.String() })),
    platforms: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), access: Type.String() })),
    robots: Type.Object({ url: Type.String(), groups: Names }),
  }),
  run: (_args, { services }) => policySummary(services),
});

defineTool({
  ...read,
  name: "list_agent_platforms",
  title: "Agent platforms",
  description:
    "Lists the kinds of agents and clients this service speaks of, what access each gets, and for every statement about it whether it was verified and how. Access follows the key, never the platform's name.",
  input: inputOf({}),
  output: Type.Object({ ...revision, platforms: Type.Array(Platform), note: Type.String() }),
  run: (_args, { services }) => platformRegistry(services),
});

defineTool({
  ...read,
  name: "get_agent_platform",
  title: "One agent platform",
  description:
    "Returns one entry of the platform registry: kind, access, grants, and its statements with verified or not verified. An unknown id is answered with not_found and the ids that exist.",
  input: inputOf({
    id: Type.String({
      description: "The platform's id, as list_agent_platforms writes it, e.g. mcp-client.",
    }),
  }),
  output: Type.Object({ platform: Platform, revision: Type.Integer() }),
  async run({ id }, { services }) {
    const current = await currentPolicy(services);
    const platform = findPlatform(current.policy, id);
    if (platform) return { platform, revision: current.revision };
    const ids = current.policy.platforms.map((candidate) => candidate.id);
    throw new AppError("not_found", "There is no agent platform with this id.", {
      details: { nearest: [...nearestNames(id, ids)], known: ids },
      nextAction: "Call list_agent_platforms and use one of its ids.",
    });
  },
});

defineTool({
  ...read,
  name: "get_robots_policy",
  title: "Robots policy",
  description:
    "Returns what robots.txt asks of crawlers and why: one group for every user agent, because no crawler string was verified, and the paths to leave alone. It is a request to crawlers and no access control.",
  input: inputOf({}),
  output: Type.Object({
    ...revision,
    url: Type.String(),
    userAgents: Names,
    disallow: Names,
    verifiedCrawlers: Names,
    statement: Type.String(),
    text: Type.String({ description: "robots.txt, word for word." }),
  }),
  run: (_args, { services }) => robotsPolicy(services),
});

defineTool({
  ...read,
  name: "get_ai_policy",
  title: "AI policy",
  description:
    "Returns how this service treats AI and model-assisted output: what is deterministic, what is advisory and labelled, that record text is data and never instructions, and what is not logged or shared.",
  input: inputOf({}),
  output: Type.Object({
    ...revision,
    statements: Names,
    modelAssistedTools: Names,
    modelAssistedNote: Type.String(),
    untrustedText: Type.String(),
    contact: TextOrNull,
  }),
  run: (_args, { services }) => aiPolicy(services),
});

defineTool({
  ...read,
  name: "get_trust_policy",
  title: "Trust policy",
  description:
    "Returns the trust policy: the required trust line, the public/protected boundary with the protected tools, the accepted headers, and the trusted-domain policy (which hosts this service may talk to and how that is decided).",
  input: inputOf({}),
  output: Type.Object({
    ...revision,
    trustPolicyLine: Type.String(),
    boundary: Type.Object({
      statement: Type.String(),
      publicTools: Type.Integer(),
      protectedTools: Names,
      rule: Type.String(),
      acceptedHeaders: Names,
      browserStorage: Type.String(),
    }),
    trustedDomains: Type.Object(
      {
        rule: Type.String(),
        self: Type.String(),
        operatorListedHosts: Type.Integer(),
        operatorListedHostsNote: Type.String(),
        configuredSiblings: Names,
        anonymousCallersMayFetch: Type.String(),
      },
      { description: "Which hosts may be reached, and by which rule." },
    ),
    confirmation: Type.String(),
  }),
  run: (_args, { services }) => trustPolicy(services),
});

defineTool({
  ...read,
  name: "evaluate_agent_access",
  title: "Evaluate access",
  description:
    "Says whether a target is public-safe or key-required, explains why, cites the rule's id and tells whether you could do it as you are calling now. The target is a tool name, resource URI, prompt name, JSON-RPC method or HTTP path. Evaluates only; nothing is called.",
  input: inputOf({
    target: Type.String({
      description:
        "A tool name, resource URI, prompt name, JSON-RPC method, or a path such as /api/svc/receive-handoff.",
    }),
    action: Type.Optional(
      Type.String({
        description: "What you mean to do with a path: GET, read, POST, send, accept… Reading when left out.",
      }),
    ),
  }),
  output: Type.Object({
    target: Type.String(),
    kind: Type.String(),
    verdict: Type.Union([Type.Literal("public-safe"), Type.Literal("key-required")]),
    ruleId: Type.String(),
    rule: Type.String(),
    explanation: Type.String(),
    requiredScope: TextOrNull,
    withoutKey: Type.String(),
    acceptedHeaders: Names,
    callerMay: Type.Union([Type.Boolean(), Type.Null()], {
      description: "Null when only the path's handler can tell, from the record at hand.",
    }),
  }),
  run({ target, action }, { services, caller }) {
    const surface = {
      catalog: services.catalog,
      routes: services.site.routes,
      baseUrl: services.settings.baseUrl,
    };
    const verdict = evaluateAccess(surface, target, action, caller);
    if (verdict) return verdict;
    throw new AppError(
      "not_found",
      "No tool, resource, prompt, method or path of this service has this name.",
      {
        details: { nearest: [...nearestTargets(surface, target)] },
        nextAction: "Use a name from get_public_access_summary.",
      },
    );
  },
});

defineTool({
  name: "update_agent_policy",
  title: "Change the agent policy",
  description:
    "Stores a new revision of the agent policy with provenance: summary, contact, aiStatements, robotsDisallow or platforms; members left out stay. Refuses whatever would weaken or misstate the public/protected boundary. Degraded when no storage is configured: nothing is then changed.",
  examples: [{ policy: { summary: "Agents may read." } }],
  input: inputOf({
    policy: jsonObject("The members to change: summary, contact, aiStatements, robotsDisallow, platforms."),
  }),
  output: SavedRevision,
  access: "admin",
  effect: "write",
  idempotent: false,
  async run({ policy }, { services, caller, context: { trace, meta } }) {
    const current = await currentPolicy(services);
    const change = applyPolicyChange(current.policy, policy, boundaryNames(services));
    if (!change.ok) {
      throw new AppError("invalid_input", "The policy was not changed.", {
        problems: change.problems,
        nextAction: "Fix every problem and send the change again.",
      });
    }
    if (services.store.kind === "none") return withoutStorage();
    const saved = await saveRevision(services, {
      policy: change.policy,
      basedOn: current.revision,
      changed: change.changed,
      by: caller.id,
      trace,
      madeIn: runOfCall(meta),
    });
    return { status: "stored" as const, ...saved, changed: change.changed };
  },
});

defineTool({
  name: "refresh_agent_platform_registry",
  title: "Refresh the platform registry",
  description:
    "Brings the agent platform registry up to date: built-in entries from this version, entries an operator added kept, and what can be checked about them checked in process. Stores the outcome as a new policy revision with the evidence. Grants nothing. Degraded when no storage is configured.",
  input: inputOf({}),
  output: SavedRevision,
  access: "admin",
  effect: "write",
  idempotent: false,
  async run(_args, { context }) {
    const { services, caller, trace, meta } = context;
    if (services.store.kind === "none") return withoutStorage();
    const current = await currentPolicy(services);
    const { platforms, evidence } = await refreshPlatforms(current.policy, context);
    const saved = await saveRevision(services, {
      policy: { ...current.policy, platforms },
      basedOn: current.revision,
      changed: ["platforms"],
      by: caller.id,
      trace,
      madeIn: runOfCall(meta),
      evidence,
    });
    return { status: "stored" as const, ...saved, changed: ["platforms"], evidence };
  },
});

function withoutStorage(): NotDone {
  return degraded({
    reason: "No persistence adapter is configured, so a policy revision cannot be kept. Nothing was changed.",
    adapter: "storage",
    nextAction: "Set DATABASE_URL to a database and try again.",
  });
}

/** The tools of this domain. */
export const policyTools: readonly Tool[] = declared;
