import { aiPolicy, platformRegistry, policySummary, robotsPolicy, trustPolicy } from "../policy/views.ts";
import type { Resource } from "../ports/definitions.ts";

/** The resources of this domain. */
export const policyResources: readonly Resource[] = [
  {
    uri: "agent-policy://summary",
    name: "agent-policy-summary",
    title: "Agent policy summary",
    description:
      "The policy for agents in force: the public/protected boundary, its rules, and the revision it comes from.",
    read: (context) => policySummary(context.services),
  },
  {
    uri: "agent-policy://platforms",
    name: "agent-policy-platforms",
    title: "Agent platform registry",
    description:
      "Kinds of agents and clients, the access each gets, and which statements about them were verified.",
    read: (context) => platformRegistry(context.services),
  },
  {
    uri: "agent-policy://robots",
    name: "agent-policy-robots",
    title: "Robots policy",
    description:
      "What crawlers are asked to leave alone. One group for every crawler; no unverified crawler string is named.",
    read: (context) => robotsPolicy(context.services),
  },
  {
    uri: "agent-policy://ai-policy",
    name: "agent-policy-ai-policy",
    title: "AI policy",
    description:
      "How AI and model-assisted output is treated: what is deterministic, what is advisory, what is only data.",
    read: (context) => aiPolicy(context.services),
  },
  {
    uri: "agent-policy://trust-policy",
    name: "agent-policy-trust-policy",
    title: "Trust policy line and boundary",
    description: "The required trust policy line, the service's boundary and the trusted-domain policy.",
    read: (context) => trustPolicy(context.services),
  },
];
