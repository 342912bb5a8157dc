import { EXAMPLE } from "../examples.ts";
import { defineTemplate } from "./template.ts";

// Gates and reports around a release.

export const releaseGate = defineTemplate({
  id: "release-gate",
  name: "Release gate over the six-step flow",
  description:
    "Looks at the suite's health and the workflow's own validity, has Sandbox, Evals and the browser check examine it side by side, puts what they confirmed before a person, and publishes the workflow only when that person approves. A sibling that does not confirm shows up as an error, never as a pass.",
  tags: ["release", "approval", "sandbox", "evals", "browsercheck"],
  needs: ["sandbox", "evals", "browsercheck"],
  exampleInputs: {
    workflowId: EXAMPLE.workflow,
    targetUrl: "https://example.com",
    workflowTitle: "Spring release",
    releaseGate: "workflow_contract",
    dryRun: true,
  },
  document: {
    inputs: {
      type: "object",
      properties: {
        workflowId: { type: "string", minLength: 1 },
        targetUrl: { type: "string", format: "uri" },
        workflowTitle: { type: "string", minLength: 1 },
        releaseGate: {
          type: "string",
          enum: ["workflow_contract", "ui_quality", "web_readiness"],
          default: "workflow_contract",
        },
        dryRun: { type: "boolean", default: true },
      },
      required: ["workflowId", "targetUrl", "workflowTitle", "releaseGate"],
      additionalProperties: false,
    },
    nodes: [
      { id: "health", type: "tool", title: "Health of this service", tool: "get_health" },
      { id: "integrations", type: "tool", title: "State of the siblings", tool: "list_integrations" },
      {
        id: "contract",
        type: "tool",
        title: "Validate the workflow",
        tool: "validate_workflow",
        with: { id: { $ref: "inputs.workflowId" } },
      },
      {
        id: "sound",
        type: "switch",
        title: "Is the workflow valid?",
        cases: [{ name: "valid", when: "steps.contract.outputs.data.valid" }],
      },
      {
        id: "sandbox",
        type: "tool",
        title: "Run it in the sandbox",
        tool: "trigger_sandbox_validation",
        with: { workflowId: { $ref: "inputs.workflowId" } },
        retry: { maxAttempts: 3, backoffMs: 2000 },
      },
      {
        id: "evals",
        type: "tool",
        title: "Score it",
        tool: "trigger_eval",
        with: { workflowId: { $ref: "inputs.workflowId" } },
        retry: { maxAttempts: 3, backoffMs: 2000 },
      },
      {
        id: "browser",
        type: "tool",
        title: "Check the page",
        tool: "trigger_browsercheck_check",
        if: 'inputs.releaseGate != "workflow_contract"',
        with: { workflowId: { $ref: "inputs.workflowId" } },
        retry: { maxAttempts: 3, backoffMs: 2000 },
      },
      {
        id: "evidence",
        type: "transform",
        title: "Gather what was confirmed",
        value: {
          gate: { $ref: "inputs.releaseGate" },
          health: { $ref: "steps.health.outputs.data.status" },
          sandbox: { $ref: "steps.sandbox.outputs.data.resultRef" },
          evals: { $ref: "steps.evals.outputs.data.resultRef" },
          browser: { $ref: "steps.browser.outputs.data.resultRef", default: "not part of this gate" },
        },
      },
      {
        id: "decide",
        type: "approval",
        title: "Release?",
        approval: {
          title: { $expr: '"Release " + inputs.workflowTitle + "?"' },
          show: {
            title: { $ref: "inputs.workflowTitle" },
            target: { $ref: "inputs.targetUrl" },
            evidence: { $ref: "steps.evidence.outputs" },
          },
          expiresInMs: 172_800_000,
          reminderMs: 43_200_000,
        },
      },
      {
        id: "publish",
        type: "tool",
        title: "Publish",
        tool: "publish_workflow",
        if: "!(has(inputs.dryRun) && inputs.dryRun)",
        with: { id: { $ref: "inputs.workflowId" } },
      },
      {
        id: "blocked",
        type: "transform",
        title: "Why it is blocked",
        value: { problems: { $ref: "steps.contract.outputs.data.problems" } },
      },
    ],
    edges: [
      { from: "health", to: "contract" },
      { from: "integrations", to: "contract" },
      { from: "contract", to: "sound" },
      { from: "sound", to: "sandbox", port: "case:valid" },
      { from: "sound", to: "evals", port: "case:valid" },
      { from: "sound", to: "browser", port: "case:valid" },
      { from: "sound", to: "blocked", port: "default" },
      { from: "sandbox", to: "evidence" },
      { from: "evals", to: "evidence" },
      { from: "browser", to: "evidence" },
      { from: "evidence", to: "decide" },
      { from: "decide", to: "publish", port: "approved" },
    ],
    outputs: {
      evidence: { $ref: "steps.evidence.outputs", default: null },
      version: { $ref: "steps.publish.outputs.data.version", default: null },
      problems: { $ref: "steps.blocked.outputs.problems", default: [] },
    },
    policy: { requireApproval: "destructive", maxParallelSteps: 4 },
  },
});

export const releaseReport = defineTemplate({
  id: "workflow-release-report",
  name: "Report on a workflow",
  description:
    "Plans a stored workflow, then has Docs write a report and Sheets a table of it side by side. If one of the two does not confirm, the other's result still counts and the failure is named.",
  tags: ["reports", "docs", "sheets"],
  needs: ["docs", "sheets"],
  exampleInputs: { workflowId: EXAMPLE.workflow },
  document: {
    inputs: {
      type: "object",
      properties: { workflowId: { type: "string", minLength: 1 } },
      required: ["workflowId"],
      additionalProperties: false,
    },
    nodes: [
      {
        id: "plan",
        type: "tool",
        title: "Plan it",
        tool: "plan_workflow",
        with: { id: { $ref: "inputs.workflowId" } },
      },
      {
        id: "docs",
        type: "tool",
        title: "Report in Docs",
        tool: "publish_docs_report",
        with: { workflowId: { $ref: "inputs.workflowId" } },
        retry: { maxAttempts: 3, backoffMs: 2000 },
      },
      {
        id: "sheet",
        type: "tool",
        title: "Table in Sheets",
        tool: "create_sheet_report",
        with: { workflowId: { $ref: "inputs.workflowId" } },
        retry: { maxAttempts: 3, backoffMs: 2000 },
      },
      {
        id: "docsFailed",
        type: "transform",
        title: "Docs did not confirm",
        value: { $ref: "steps.docs.error" },
      },
      {
        id: "sheetFailed",
        type: "transform",
        title: "Sheets did not confirm",
        value: { $ref: "steps.sheet.error" },
      },
    ],
    edges: [
      { from: "plan", to: "docs" },
      { from: "plan", to: "sheet" },
      { from: "docs", to: "docsFailed", port: "error" },
      { from: "sheet", to: "sheetFailed", port: "error" },
    ],
    outputs: {
      planDigest: { $ref: "steps.plan.outputs.data.plan.planDigest" },
      report: { $ref: "steps.docs.outputs.data.resultRef", default: null },
      table: { $ref: "steps.sheet.outputs.data.resultRef", default: null },
      failures: {
        docs: { $ref: "steps.docsFailed.outputs", default: null },
        sheets: { $ref: "steps.sheetFailed.outputs", default: null },
      },
    },
  },
});

export const discoveryAudit = defineTemplate({
  id: "discovery-audit",
  name: "Discovery and route audit",
  description:
    "Checks this service's routes and discovery documents and computes its scorecard in parallel, decides by CEL whether the whole passes, and keeps the finding as a snapshot with a share packet that anybody can read.",
  tags: ["compliance", "audit", "scorecard"],
  needs: [],
  exampleInputs: { minimumScore: 80 },
  triggers: [{ kind: "schedule", name: "Daily audit", cron: "0 7 * * *" }],
  document: {
    inputs: {
      type: "object",
      properties: { minimumScore: { type: "integer", minimum: 0, maximum: 100, default: 80 } },
      additionalProperties: false,
    },
    nodes: [
      { id: "routes", type: "tool", title: "Routes", tool: "get_route_compliance" },
      { id: "documents", type: "tool", title: "Discovery documents", tool: "get_discovery_compliance" },
      { id: "score", type: "tool", title: "Scorecard", tool: "get_svc_web_scorecard" },
      {
        id: "finding",
        type: "transform",
        title: "Put it together",
        value: {
          passed: {
            $expr:
              "steps.routes.outputs.data.failed == 0 && steps.documents.outputs.data.failed == 0 && steps.score.outputs.data.score >= (has(inputs.minimumScore) ? inputs.minimumScore : 80)",
          },
          routes: { $ref: "steps.routes.outputs.data.status" },
          documents: { $ref: "steps.documents.outputs.data.status" },
          score: { $ref: "steps.score.outputs.data.score" },
        },
      },
      {
        id: "keep",
        type: "tool",
        title: "Keep the finding",
        tool: "create_local_artifact",
        with: {
          title: { $expr: 'steps.finding.outputs.passed ? "Audit passed" : "Audit failed"' },
          type: "audit",
          description: { $expr: '"Score " + string(steps.score.outputs.data.score)' },
        },
      },
      {
        id: "share",
        type: "tool",
        title: "Make a share packet",
        tool: "create_share_packet",
        with: { artifact: { $ref: "steps.keep.outputs.data.artifact" } },
      },
    ],
    edges: [
      { from: "routes", to: "finding" },
      { from: "documents", to: "finding" },
      { from: "score", to: "finding" },
      { from: "finding", to: "keep" },
      { from: "keep", to: "share" },
    ],
    outputs: {
      finding: { $ref: "steps.finding.outputs" },
      packet: { $ref: "steps.share.outputs.data.packet" },
    },
  },
});
