import { defineResource, type Resource } from "../ports/definitions.ts";

export const agentPolicySummaryResource = defineResource({
  uri: "agent-policy://summary",
  name: "agent-policy-summary",
  title: "public/protected agent policy summary",
  description: "public/protected agent policy summary (to be written)",
  read: () => ({ status: "unavailable" }),
});

export const agentPolicyPlatformsResource = defineResource({
  uri: "agent-policy://platforms",
  name: "agent-policy-platforms",
  title: "agent platform access policy registry",
  description: "agent platform access policy registry (to be written)",
  read: () => ({ status: "unavailable" }),
});

export const agentPolicyRobotsResource = defineResource({
  uri: "agent-policy://robots",
  name: "agent-policy-robots",
  title: "robots policy without unverified exact crawler strings",
  description: "robots policy without unverified exact crawler strings (to be written)",
  read: () => ({ status: "unavailable" }),
});

export const agentPolicyAiPolicyResource = defineResource({
  uri: "agent-policy://ai-policy",
  name: "agent-policy-ai-policy",
  title: "AI and model-assisted output policy",
  description: "AI and model-assisted output policy (to be written)",
  read: () => ({ status: "unavailable" }),
});

export const agentPolicyTrustPolicyResource = defineResource({
  uri: "agent-policy://trust-policy",
  name: "agent-policy-trust-policy",
  title: "required trust policy line and service boundary",
  description: "required trust policy line and service boundary (to be written)",
  read: () => ({ status: "unavailable" }),
});

/** The resources of this domain. */
export const policyResources: readonly Resource[] = [
  agentPolicySummaryResource,
  agentPolicyPlatformsResource,
  agentPolicyRobotsResource,
  agentPolicyAiPolicyResource,
  agentPolicyTrustPolicyResource,
];
