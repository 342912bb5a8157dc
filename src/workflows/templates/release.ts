import { EXAMPLE } from "../examples.ts";
import { approval, choose, expr, graph, object, ref, tool, transform } from "./build.ts";
import { defineTemplate } from "./template.ts";

// Gates and reports around a release.

export const releaseGate = defineTemplate({
  id: "release-gate",
  name: "Release gate over the six-step flow",
  description:
    "Looks at the suite's health and the workflow's own validity, has Sandbox, Evals and the browser check examine it side by side, puts what they confirmed before a person, and publishes the workflow only when that person approves. A service that does not confirm shows up as an error, never as a pass.",
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
    inputs: object(
      {
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
      ["dryRun"],
    ),
    ...graph(
      {
        health: tool("Health of this service", "get_health"),
        integrations: tool("State of the other services", "list_integrations"),
        contract: tool("Validate the workflow", "validate_workflow", { id: ref("inputs.workflowId") }),
        sound: choose("Is the workflow valid?", { valid: "steps.contract.outputs.data.valid" }),
        sandbox: tool(
          "Run it in the sandbox",
          "trigger_sandbox_validation",
          { workflowId: ref("inputs.workflowId") },
          { retry: { maxAttempts: 3, backoffMs: 2000 } },
        ),
        evals: tool(
          "Score it",
          "trigger_eval",
          { workflowId: ref("inputs.workflowId") },
          { retry: { maxAttempts: 3, backoffMs: 2000 } },
        ),
        browser: tool(
          "Check the page",
          "trigger_browsercheck_check",
          { workflowId: ref("inputs.workflowId") },
          { if: 'inputs.releaseGate != "workflow_contract"', retry: { maxAttempts: 3, backoffMs: 2000 } },
        ),
        evidence: transform("Gather what was confirmed", {
          gate: ref("inputs.releaseGate"),
          health: ref("steps.health.outputs.data.status"),
          sandbox: ref("steps.sandbox.outputs.data.resultRef"),
          evals: ref("steps.evals.outputs.data.resultRef"),
          browser: ref("steps.browser.outputs.data.resultRef", "not part of this gate"),
        }),
        decide: approval("Release?", {
          title: expr('"Release " + inputs.workflowTitle + "?"'),
          show: {
            title: ref("inputs.workflowTitle"),
            target: ref("inputs.targetUrl"),
            evidence: ref("steps.evidence.outputs"),
          },
          expiresInMs: 172_800_000,
          reminderMs: 43_200_000,
        }),
        publish: tool(
          "Publish",
          "publish_workflow",
          { id: ref("inputs.workflowId") },
          { if: "!(has(inputs.dryRun) && inputs.dryRun)" },
        ),
        blocked: transform("Why it is blocked", { problems: ref("steps.contract.outputs.data.problems") }),
      },
      "health > contract",
      "integrations > contract > sound:case:valid > sandbox",
      "sound:case:valid > evals",
      "sound:case:valid > browser",
      "sound:default > blocked",
      "sandbox > evidence",
      "evals > evidence",
      "browser > evidence > decide:approved > publish",
    ),
    outputs: {
      evidence: ref("steps.evidence.outputs", null),
      version: ref("steps.publish.outputs.data.version", null),
      problems: ref("steps.blocked.outputs.problems", []),
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
    inputs: object({ workflowId: { type: "string", minLength: 1 } }),
    ...graph(
      {
        plan: tool("Plan it", "plan_workflow", { id: ref("inputs.workflowId") }),
        docs: tool(
          "Report in Docs",
          "publish_docs_report",
          { workflowId: ref("inputs.workflowId") },
          { retry: { maxAttempts: 3, backoffMs: 2000 } },
        ),
        sheet: tool(
          "Table in Sheets",
          "create_sheet_report",
          { workflowId: ref("inputs.workflowId") },
          { retry: { maxAttempts: 3, backoffMs: 2000 } },
        ),
        docsFailed: transform("Docs did not confirm", ref("steps.docs.error")),
        sheetFailed: transform("Sheets did not confirm", ref("steps.sheet.error")),
      },
      "plan > docs",
      "plan > sheet",
      "docs:error > docsFailed",
      "sheet:error > sheetFailed",
    ),
    outputs: {
      planDigest: ref("steps.plan.outputs.data.plan.planDigest"),
      report: ref("steps.docs.outputs.data.resultRef", null),
      table: ref("steps.sheet.outputs.data.resultRef", null),
      failures: {
        docs: ref("steps.docsFailed.outputs", null),
        sheets: ref("steps.sheetFailed.outputs", null),
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
    ...graph(
      {
        routes: tool("Routes", "get_route_compliance"),
        documents: tool("Discovery documents", "get_discovery_compliance"),
        score: tool("Scorecard", "get_svc_web_scorecard"),
        finding: transform("Put it together", {
          passed: expr(
            "steps.routes.outputs.data.failed == 0 && steps.documents.outputs.data.failed == 0 && steps.score.outputs.data.score >= (has(inputs.minimumScore) ? inputs.minimumScore : 80)",
          ),
          routes: ref("steps.routes.outputs.data.status"),
          documents: ref("steps.documents.outputs.data.status"),
          score: ref("steps.score.outputs.data.score"),
        }),
        keep: tool("Keep the finding", "create_local_artifact", {
          title: expr('steps.finding.outputs.passed ? "Audit passed" : "Audit failed"'),
          type: "audit",
          description: expr('"Score " + string(steps.score.outputs.data.score)'),
        }),
        share: tool("Make a share packet", "create_share_packet", {
          artifact: ref("steps.keep.outputs.data.artifact"),
        }),
      },
      "routes > finding",
      "documents > finding",
      "score > finding > keep > share",
    ),
    outputs: { finding: ref("steps.finding.outputs"), packet: ref("steps.share.outputs.data.packet") },
  },
});
