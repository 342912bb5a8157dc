import { artifactRetention, artifactReview, imageToAscii, layoutQuality, sheetsToDocs } from "./content.ts";
import { formIntake, openapiOperation, publicRequest, webhookTriage } from "./intake.ts";
import {
  designToWorkflow,
  fanOutSchemas,
  policyChange,
  provenanceCheck,
  toolFormCheck,
} from "./operations.ts";
import { discoveryAudit, releaseGate, releaseReport } from "./release.ts";
import type { WorkflowTemplate } from "./template.ts";

/** The templates that come with the service. */
export const builtInTemplates: readonly WorkflowTemplate[] = [
  // The first one is filled in without writing JSON.
  publicRequest,
  formIntake,
  openapiOperation,
  webhookTriage,
  releaseGate,
  sheetsToDocs,
  fanOutSchemas,
  provenanceCheck,
  designToWorkflow,
  artifactReview,
  artifactRetention,
  policyChange,
  discoveryAudit,
  releaseReport,
  toolFormCheck,
  layoutQuality,
  imageToAscii,
];
