import type { JsonObject } from "../kernel/json.ts";
import type { BlueprintView } from "../model/suite.ts";
import type { CallContext } from "../ports/definitions.ts";
import { siblingBaseUrl, type SiblingName } from "../ports/settings.ts";
import { previewOf, type Delegation } from "./outbox.ts";
import { RECEIVER_PATH } from "./receiver.ts";

/** One step of the demo flow, before anything was asked. */
export interface DemoStep {
  readonly id: string;
  readonly order: number;
  readonly title: string;
  readonly purpose: string;
  readonly userAction: string;
  readonly nextAction: string;
  readonly ownerService: "root" | "mcp" | "spec" | "sandbox" | "evals" | "svc";
  readonly endpoint: string;
  readonly method: "GET" | "POST";
  readonly transport: "openapi" | "mcp";
  readonly inputPreview: JsonObject;
  readonly outputPreview: JsonObject;
  readonly publicSafe: boolean;
  readonly protectedAction: boolean;
  /** The work of a protected step; null for the others. */
  readonly delegation: Delegation | null;
}

/** The form of step 3. */
export const RELEASE_CHECK_SCHEMA: JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Release check",
  type: "object",
  properties: {
    targetUrl: { type: "string", format: "uri" },
    workflowTitle: { type: "string" },
    releaseGate: {
      type: "string",
      enum: ["workflow_contract", "ui_quality", "web_readiness"],
      default: "workflow_contract",
    },
    dryRun: { type: "boolean", default: true },
  },
  required: ["targetUrl", "workflowTitle", "releaseGate"],
  additionalProperties: false,
};

/** The script that step 4 has executed: small enough to read, real enough to have a result. */
const GATE_SCRIPT = `const gates = ["workflow_contract", "ui_quality", "web_readiness"];
const form = { targetUrl: "https://example.com/", workflowTitle: "Release check", releaseGate: gates[0], dryRun: true };
({ accepted: gates.includes(form.releaseGate), fields: Object.keys(form).length });`;

const SANDBOX_WORK: Delegation = {
  sibling: "sandbox",
  capability: "execute",
  intent: "Execute the release-check script in isolation and confirm the execution.",
  payload: {
    action: "execute",
    artifact: { id: "artifact_demo_release_check", title: "Release check", script: GATE_SCRIPT },
  },
  inputArtifactIds: ["artifact_demo_release_check"],
  background: false,
};

const EVALS_WORK: Delegation = {
  sibling: "evals",
  capability: "score",
  intent: "Score the release-check form against the default rubric and confirm a scorecard.",
  payload: {
    action: "score",
    artifact: {
      id: "artifact_demo_release_check",
      title: "Release check",
      description: "The form that a release is checked with before it goes out.",
      schema: RELEASE_CHECK_SCHEMA,
    },
  },
  inputArtifactIds: ["artifact_demo_release_check"],
  background: false,
};

/** The six steps in order. */
export function flowSteps(context: CallContext): readonly DemoStep[] {
  const { settings } = context.services;
  const url = (name: SiblingName): string => siblingBaseUrl(settings, name);
  return [
    {
      id: "root-graph",
      order: 1,
      title: "See the network",
      purpose: "Shows which services there are and how they are connected.",
      userAction: "Open the network graph.",
      nextAction: "Have the canonical gateway run a tool.",
      ownerService: "root",
      endpoint: `${url("root")}/api/network/graph`,
      method: "GET",
      transport: "openapi",
      inputPreview: {},
      outputPreview: { nodes: [], edges: [], graphId: null },
      publicSafe: true,
      protectedAction: false,
      delegation: null,
    },
    {
      id: "mcp-render",
      order: 2,
      title: "Render a tool of the canonical gateway",
      purpose: "Calls a public tool of the canonical gateway, whose definition renders as a form.",
      userAction: "Call get_svc_status.",
      nextAction: "Have the form's schema validated.",
      ownerService: "mcp",
      endpoint: `${url("mcp")}/api/mcp`,
      method: "POST",
      transport: "mcp",
      inputPreview: {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "get_svc_status", arguments: {} },
      },
      outputPreview: { formId: "form_get_svc_status", fields: 0, renderStatus: "preview_ready" },
      publicSafe: true,
      protectedAction: false,
      delegation: null,
    },
    {
      id: "spec-validate",
      order: 3,
      title: "Validate the release-check form",
      purpose: "Has the schema of the form validated by the service that owns specifications.",
      userAction: "Send the schema.",
      nextAction: "Look at the packet for the sandbox.",
      ownerService: "spec",
      endpoint: `${url("spec")}/api/v1/validate`,
      method: "POST",
      transport: "openapi",
      inputPreview: { schema: RELEASE_CHECK_SCHEMA, renderer: "renderJsonSchemaForm" },
      outputPreview: { localValidation: true, renderStatus: "preview_ready", fields: 4 },
      publicSafe: true,
      protectedAction: false,
      delegation: null,
    },
    {
      ...handedOver(SANDBOX_WORK, context),
      id: "sandbox-packet",
      order: 4,
      title: "Hand the check to the sandbox",
      purpose: "Prepares a packet that asks the sandbox to execute the check in isolation.",
      userAction: "Review the packet; send it with a key.",
      nextAction: "Look at the packet for evals.",
      ownerService: "sandbox",
      endpoint: `${url("sandbox")}/api/sandbox/receive-handoff`,
    },
    {
      ...handedOver(EVALS_WORK, context),
      id: "evals-packet",
      order: 5,
      title: "Hand the form to evals",
      purpose: "Prepares a packet that asks evals for a scorecard of the form.",
      userAction: "Review the packet; send it with a key.",
      nextAction: "Check this service's own receiver.",
      ownerService: "evals",
      endpoint: `${url("evals")}/api/evals/send-handoff`,
    },
    {
      id: "svc-receive",
      order: 6,
      title: "Check the receiver",
      purpose: "Shows that this service is ready to receive handoffs of others.",
      userAction: "Open the readiness probe.",
      nextAction: "Run the flow for real with a key, or hand work over from another service.",
      ownerService: "svc",
      endpoint: `${settings.baseUrl}${RECEIVER_PATH}`,
      method: "GET",
      transport: "openapi",
      inputPreview: {},
      outputPreview: { schemaVersion: "svc.browsercheck-receiver.v1", status: "configured" },
      publicSafe: true,
      protectedAction: false,
      delegation: null,
    },
  ];
}

/** What the two protected steps share: a preview packet goes in, and nothing is confirmed yet. */
function handedOver(delegation: Delegation, context: CallContext) {
  const packet = previewOf(delegation, context);
  return {
    method: "POST",
    transport: "openapi",
    inputPreview: packet,
    outputPreview: { delegationId: packet.id, status: "preview_ready", resultRef: null },
    publicSafe: false,
    protectedAction: true,
    delegation,
  } as const;
}

/** The automation blueprints: what could run on a schedule, and what each step needs first. */
export function blueprints(context: Pick<CallContext, "services">): BlueprintView[] {
  const { settings } = context.services;
  return [
    {
      id: "sheets-to-docs-social",
      title: "From a sheet to a docs draft and a social post",
      status: "blueprint_ready",
      cadence: "weekly",
      publicSafe: false,
      protectedActions: ["Read the sheet's rows", "Create the docs draft", "Queue the social job"],
      source: {
        service: "sheets",
        url: `${siblingBaseUrl(settings, "sheets")}/api/sheets`,
        status: "discovery_ready",
      },
      steps: [
        {
          order: 1,
          service: "sheets",
          action: "Read the rows of the chosen sheet",
          status: "protected_required",
          outputPolicy: "Rows are shown only after Sheets confirms access; private values are not logged.",
        },
        {
          order: 2,
          service: "ai_gateway",
          action: "Draft a text from the rows",
          status: "preview_ready",
          outputPolicy: "The text is advisory, is labelled so, and a person reviews it before it is used.",
        },
        {
          order: 3,
          service: "docs",
          action: "Create a draft in Docs",
          status: "protected_required",
          outputPolicy: "The draft is shown only after Docs confirms its id, slug or URL.",
        },
        {
          order: 4,
          service: "docs",
          action: "Queue the social post",
          status: "confirmation_required",
          outputPolicy: "The post counts as queued only after a job reference is confirmed.",
        },
      ],
      demoPrompt:
        "Take this week's rows from the release sheet, draft a short update, and prepare it in Docs for review.",
      nextAction: "Configure Sheets, the AI gateway and Docs, then run the blueprint as a workflow.",
    },
  ];
}
