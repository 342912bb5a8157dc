import { Type } from "typebox";
import { delegate, type Delegation } from "../handoffs/outbox.ts";
import { artifactReport, artifactTable, titleOf, workflowReport, workflowTable } from "../handoffs/report.ts";
import { delegationAnswer } from "../handoffs/results.ts";
import { findArtifact } from "../artifacts/registry.ts";
import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import { nearestNames } from "../kernel/nearest.ts";
import type { CallContext } from "../ports/definitions.ts";
import { toolList, type Tool } from "../ports/operations.ts";
import { findWorkflow } from "../workflows/seen.ts";
import type { WorkflowRecord } from "../ports/records.ts";
import type { SiblingName } from "../ports/settings.ts";
import { confirmation, conversionTools } from "./conversions.ts";
import { needed } from "./rules.ts";
import { freeObject, inputOf } from "../model/common.ts";
import { jsonObject } from "./shapes.ts";

const { defineTool, declared } = toolList();

const delegatedOutput = Type.Object({
  status: Type.Literal("completed"),
  resultRef: Type.String(),
  delegationId: Type.String(),
  confirmation,
  result: freeObject("That service's own answer.", "What that service says of its result."),
  outputArtifactIds: Type.Array(Type.String()),
  recorded: Type.Boolean(),
  evidence: freeObject("That service's own answer.", "What was observed of the exchange."),
});

const HANDS_OVER = {
  output: delegatedOutput,
  access: "handoff",
  effect: "external",
  idempotent: true,
  openWorld: true,
} as const;
const ARTIFACT = "an artifact object with a `title`, as saved or as a snapshot";
const artifactParam = Type.Optional(jsonObject(`Required: ${ARTIFACT}. Without it the call is refused.`));
const workflowParam = Type.String({ description: "The id of a stored workflow." });

defineTool({
  name: "publish_artifact",
  title: "Publish artifact",
  description:
    "Hands a saved artifact to a service of the suite for publication: docs (a report, the default), catalog (an entry) or sheets (a table). Published means that the target confirmed an address or id; otherwise the answer is degraded and nothing is claimed.",
  input: inputOf({
    artifactId: Type.String({ description: "The id of a saved artifact." }),
    target: Type.Optional(Type.String({ description: "`docs` (default), `catalog` or `sheets`." })),
  }),
  ...HANDS_OVER,
  asks: { argument: "target", otherwise: "docs" },
  async run({ artifactId, target = "docs" }, { context }) {
    const publish = PUBLISHERS.get(target);
    if (publish === undefined) {
      const names = [...PUBLISHERS.keys()];
      const near = nearestNames(target, names);
      throw new AppError("not_found", "Artifacts are not published to a target of this name.", {
        nextAction: `Use one of: ${(near.length > 0 ? near : names).join(", ")}.`,
      });
    }
    requireStore(context);
    const record = await findArtifact(artifactId, context);
    return handOver(
      publish({ ...record.content, id: record.id, title: record.title, type: record.type }),
      context,
    );
  },
});

artifactTool({
  name: "create_docs_report",
  asks: "docs",
  title: "Create docs report",
  description:
    "Hands an artifact (a stored workflow: publish_docs_report) to Docs as a Markdown report and returns the address Docs confirms. Degraded unless Docs confirms the report; packet and evidence are recorded either way.",
  work: docsWork,
});

artifactTool({
  name: "create_sheet_export",
  asks: "sheets",
  title: "Create sheet export",
  description:
    "Hands an artifact's rows, or its fields when it has no rows, to Sheets and returns the addresses of the CSV and XLSX files that Sheets confirms. Degraded unless Sheets is configured and confirms the export.",
  work: sheetWork,
});

artifactTool({
  name: "create_catalog_entry",
  asks: "catalog",
  title: "Create catalog entry",
  description:
    "Hands an artifact to the Catalog to be listed and returns the id of the entry it confirms. Degraded unless the Catalog is configured and confirms the entry.",
  work: catalogWork,
});

artifactTool({
  name: "trigger_sandbox",
  asks: "sandbox",
  title: "Run in sandbox",
  description:
    "Hands an artifact with a `script` or a `workflow` to the Sandbox, which executes it in isolation, and returns the execution it confirms, its failure included. Degraded unless the Sandbox confirms an execution; nothing is executed here.",
  work: (artifact) => ({
    sibling: "sandbox",
    capability: "execute",
    intent: `Execute ${titleOf(artifact, "the artifact")} in isolation.`,
    payload: { action: "execute", artifact },
  }),
});

artifactTool({
  name: "trigger_browsercheck",
  asks: "browsercheck",
  title: "Check in browser",
  description:
    "Hands an artifact with a `url` (or `html`) to the browser-check service, which opens it in a real browser and audits it, and returns the evidence it confirms: violations and a screenshot. Degraded unless evidence is confirmed.",
  work: (artifact) => ({
    sibling: "browsercheck",
    capability: "check",
    intent: `Open and audit ${titleOf(artifact, "the artifact")} in a browser.`,
    payload: { action: "check", artifact },
  }),
});

artifactTool({
  name: "trigger_evals",
  asks: "evals",
  title: "Score with evals",
  description:
    "Scores an artifact (a stored workflow: trigger_eval): hands it to Evals with its own `rubric` or the default one and returns the scorecard Evals confirms. Degraded unless one is confirmed; no score is computed here.",
  work: (artifact) => ({
    sibling: "evals",
    capability: "score",
    intent: `Score ${titleOf(artifact, "the artifact")} against a rubric.`,
    payload: { action: "score", artifact },
  }),
});

workflowTool({
  name: "trigger_eval",
  asks: "evals",
  title: "Score workflow",
  description:
    "Scores a stored workflow (an artifact: trigger_evals): hands it to Evals and returns the scorecard Evals confirms. Degraded unless Evals is configured and confirms one.",
  work: (workflow) => ({
    sibling: "evals",
    capability: "score",
    intent: `Score the workflow ${workflow.name} against a rubric.`,
    payload: { action: "score", workflow: workflowView(workflow) },
  }),
});

workflowTool({
  name: "trigger_sandbox_validation",
  asks: "sandbox",
  title: "Validate workflow in sandbox",
  description:
    "Hands a stored workflow to the Sandbox, which walks its graph in isolation with no access to the outside, and returns the execution it confirms. Degraded unless the Sandbox is configured and confirms an execution.",
  work: (workflow) => ({
    sibling: "sandbox",
    capability: "execute",
    intent: `Walk the workflow ${workflow.name} in isolation.`,
    payload: { action: "validate", workflow: workflowView(workflow) },
  }),
});

workflowTool({
  name: "trigger_browsercheck_check",
  asks: "browsercheck",
  title: "Check workflow page in browser",
  description:
    "Hands the address of a stored workflow's page in this service's web app to the browser-check service and returns the evidence it confirms. Degraded unless that service is configured and confirms evidence.",
  work: (workflow, context) => ({
    sibling: "browsercheck",
    capability: "check",
    intent: `Open and audit the page of the workflow ${workflow.name}.`,
    payload: {
      action: "check",
      artifact: {
        title: workflow.name,
        url: `${context.services.settings.baseUrl}/workflows/${encodeURIComponent(workflow.id)}`,
      },
    },
  }),
});

workflowTool({
  name: "publish_docs_report",
  asks: "docs",
  title: "Publish workflow report",
  description:
    "Hands a report of a stored workflow (an artifact: create_docs_report) to Docs, step by step, and returns the address Docs confirms. Degraded unless Docs confirms the report.",
  work: (workflow) => ({
    sibling: "docs",
    capability: "report",
    intent: `Publish a report of the workflow ${workflow.name}.`,
    payload: { action: "report", ...workflowReport(workflow), workflowId: workflow.id },
  }),
});

workflowTool({
  name: "create_sheet_report",
  asks: "sheets",
  title: "Create workflow sheet",
  description:
    "Hands the steps of a stored workflow to Sheets as a table and returns the addresses of the files Sheets confirms. Degraded unless Sheets is configured and confirms the export.",
  work: (workflow) => ({
    sibling: "sheets",
    capability: "export",
    intent: `Export the steps of the workflow ${workflow.name}.`,
    payload: { action: "export", ...workflowTable(workflow), workflowId: workflow.id },
  }),
});

type Work = Pick<Delegation, "sibling" | "capability" | "intent" | "payload">;

function docsWork(artifact: JsonObject): Work {
  const report = artifactReport(artifact);
  return {
    sibling: "docs",
    capability: "report",
    intent: `Publish ${report.title} as a report.`,
    payload: { action: "report", ...report, ...sourceOf(artifact) },
  };
}

function sheetWork(artifact: JsonObject): Work {
  const table = artifactTable(artifact);
  return {
    sibling: "sheets",
    capability: "export",
    intent: `Export ${table.title} as a table.`,
    payload: { action: "export", ...table, ...sourceOf(artifact) },
  };
}

function catalogWork(artifact: JsonObject): Work {
  return {
    sibling: "catalog",
    capability: "register",
    intent: `List ${titleOf(artifact, "the artifact")} in the catalog.`,
    payload: { action: "register", artifact: { ...artifact, title: titleOf(artifact, "Artifact") } },
  };
}

const PUBLISHERS: ReadonlyMap<string, (artifact: JsonObject) => Work> = new Map([
  ["docs", docsWork],
  ["catalog", catalogWork],
  ["sheets", sheetWork],
]);

/** What tells apart the tools that hand something over. */
interface HandingOver {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly asks: SiblingName;
}

/** The tools that take an artifact differ only in whom they hand it to, and as what. */
function artifactTool({ work, ...tool }: HandingOver & { readonly work: (artifact: JsonObject) => Work }) {
  return defineTool({
    ...tool,
    ...HANDS_OVER,
    examples: [{ artifact: { title: "Report" } }],
    input: inputOf({ artifact: artifactParam }),
    rules: ({ artifact }) => needed("artifact", artifact, ARTIFACT),
    run: ({ artifact = {} }, { context }) => handOver(work(artifact), context),
  });
}

/** The same for the tools that take a stored workflow. */
function workflowTool({
  work,
  ...tool
}: HandingOver & { readonly work: (workflow: WorkflowRecord, context: CallContext) => Work }) {
  return defineTool({
    ...tool,
    ...HANDS_OVER,
    input: inputOf({ workflowId: workflowParam }),
    async run({ workflowId }, { context }) {
      requireStore(context);
      const { record, document, digest } = await findWorkflow(workflowId, context);
      return handOver(work({ ...record, document, digest }, context), context);
    },
  });
}

/** Without a store there are no records to work on, which is not the same as a wrong id. */
function requireStore({ services }: CallContext): void {
  if (services.store.kind !== "none") return;
  throw new AppError(
    "storage_unavailable",
    "No persistence adapter is configured, so nothing is stored here.",
  );
}

async function handOver(work: Work, context: CallContext) {
  const { artifact, artifactId, workflowId, workflow } = work.payload;
  const ids = [idIn(artifact), idIn(workflow), artifactId, workflowId].flatMap((id) =>
    typeof id === "string" && id !== "" && id.length <= 200 ? [id] : [],
  );
  const delegated = await delegate({ ...work, inputArtifactIds: ids, background: false }, context);
  return delegationAnswer(work.sibling, delegated);
}

function workflowView(workflow: WorkflowRecord): JsonObject {
  const { id, name, description, digest, revision, document } = workflow;
  return { id, name, description, digest, revision, document };
}

function sourceOf({ id }: JsonObject): JsonObject {
  return typeof id === "string" ? { artifactId: id } : {};
}

function idIn(part: unknown): string | undefined {
  return typeof part === "object" && part !== null && "id" in part && typeof part.id === "string"
    ? part.id
    : undefined;
}

/** The tools of this domain. */
export const siblingsTools: readonly Tool[] = [...conversionTools, ...declared];
