import { agentResources, agentTools } from "./agent/entry.ts";
import { toolsetOperations } from "./agent/toolsets.ts";
import { absenceOperations } from "./approvals/absence-operations.ts";
import { auditOperations } from "./audit/operations.ts";
import { definitionOperations } from "./connections/definition-operations.ts";
import { connectionOperations, type ConnectionOperationParts } from "./connections/operations.ts";
import { eventOperations, type EventOperationParts } from "./events/operations.ts";
import { guardOperations, type GuardOperationParts } from "./guard/operations.ts";
import { handoffOperations } from "./handoffs/operations.ts";
import { keyOperations, type KeyOperationParts } from "./access/keys/operations.ts";
import { clientOperations } from "./access/oauth/client-operations.ts";
import type { OAuthParts } from "./access/oauth/open.ts";
import { oauthOperations } from "./access/oauth/operations.ts";
import { accountOperations } from "./access/people/account-operations.ts";
import { groupOperations } from "./access/people/group-operations.ts";
import { oidcOperations } from "./access/people/oidc-operations.ts";
import type { AccountParts } from "./access/people/open.ts";
import { peopleOperations } from "./access/people/operations.ts";
import { passkeyOperations } from "./access/people/passkey-operations.ts";
import { tokenOperations } from "./access/people/token-operations.ts";
import { notificationOperations } from "./notifications/operations.ts";
import type { Prompt, Resource } from "./ports/definitions.ts";
import type { Tool } from "./ports/operations.ts";
import { vaultOperations, type VaultOperationParts } from "./vault/operations.ts";
import { holdOperations, type HoldOperationParts } from "./runs/hold-operations.ts";
import { retentionOperations, type RetentionOperationParts } from "./retention/operations.ts";
import type { Operation } from "./ports/operations.ts";
import type { TriggerOperationParts } from "./triggers/operation-parts.ts";
import { triggerOperations } from "./triggers/operations.ts";
import { approvalOperations } from "./approvals/operations.ts";
import type { ApprovalParts } from "./approvals/detail.ts";
import { runOperations } from "./runs/operations.ts";
import { repairOperations } from "./runs/repair-operations.ts";
import { workflowOperations } from "./workflows/operations.ts";
import { formatOperations } from "./formats/operations.ts";
import { discoveryOperations, type ProbeParts } from "./discovery/operations.ts";
import { suiteOperations } from "./handoffs/suite-operations.ts";
import { provenanceOperations } from "./provenance/operations.ts";
import { formOperations } from "./rendering/operations.ts";
import { artifactsResources } from "./resources/artifacts.ts";
import { workflowsResources } from "./resources/workflows.ts";
import { runsResources } from "./resources/runs.ts";
import { formsResources } from "./resources/forms.ts";
import { studioResources } from "./resources/studio.ts";
import { cliResources } from "./resources/cli.ts";
import { networkResources } from "./resources/network.ts";
import { serviceResources } from "./resources/service.ts";
import { policyResources } from "./resources/policy.ts";
import { allPrompts } from "./prompts/index.ts";
import { serviceTools } from "./tools/service.ts";
import { complianceTools } from "./tools/compliance.ts";
import { policyTools } from "./tools/policy.ts";
import { cliTools } from "./tools/cli.ts";
import { artifactsTools } from "./tools/artifacts.ts";
import { provenanceTools } from "./tools/provenance.ts";
import { studioTools } from "./tools/studio.ts";
import { workflowsTools } from "./tools/workflows.ts";
import { runsTools } from "./tools/runs.ts";
import { templatesTools } from "./tools/templates.ts";
import { approvalsTools } from "./tools/approvals.ts";
import { formsTools } from "./tools/forms.ts";
import { siblingsTools } from "./tools/siblings.ts";
import { handoffsTools } from "./tools/handoffs.ts";
import { networkTools } from "./tools/network.ts";

/** Every tool, in the order in which they are listed. The only list of tools. */
export const tools: readonly Tool[] = [
  ...serviceTools,
  ...complianceTools,
  ...policyTools,
  ...cliTools,
  ...artifactsTools,
  ...provenanceTools,
  ...studioTools,
  ...workflowsTools,
  ...runsTools,
  ...templatesTools,
  ...approvalsTools,
  ...formsTools,
  ...siblingsTools,
  ...handoffsTools,
  ...networkTools,
];

/** Every resource. */
export const resources: readonly Resource[] = [
  ...artifactsResources,
  ...workflowsResources,
  ...runsResources,
  ...formsResources,
  ...studioResources,
  ...cliResources,
  ...networkResources,
  ...serviceResources,
  ...policyResources,
];

/** Every prompt. */
export const prompts: readonly Prompt[] = allPrompts;

/** What /mcp serves. */
export const agentRegistry = { tools: agentTools, resources: agentResources, prompts: [] };

/** What operations work with beyond the services. */
export interface OperationParts
  extends
    KeyOperationParts,
    EventOperationParts,
    VaultOperationParts,
    HoldOperationParts,
    ApprovalParts,
    RetentionOperationParts,
    ConnectionOperationParts,
    GuardOperationParts,
    TriggerOperationParts,
    AccountParts,
    OAuthParts,
    ProbeParts {}

/** Every operation of the REST interface. The only list of them. */
export const operations: readonly Operation<OperationParts>[] = [
  ...keyOperations,
  ...absenceOperations,
  ...notificationOperations,
  ...auditOperations,
  ...eventOperations,
  ...handoffOperations,
  ...runOperations,
  ...repairOperations,
  ...approvalOperations,
  ...workflowOperations,
  ...formatOperations,
  ...vaultOperations,
  ...holdOperations,
  ...retentionOperations,
  ...formOperations,
  ...provenanceOperations,
  ...suiteOperations,
  ...discoveryOperations,
  ...connectionOperations,
  ...definitionOperations,
  ...guardOperations,
  ...toolsetOperations,
  ...triggerOperations,
  ...peopleOperations,
  ...groupOperations,
  ...tokenOperations,
  ...accountOperations,
  ...passkeyOperations,
  ...oidcOperations,
  ...oauthOperations,
  ...clientOperations,
];
