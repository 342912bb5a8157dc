import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import { SERVICE } from "../kernel/service.ts";
import { contextWith } from "../ports/call-context.ts";
import { ANONYMOUS } from "../ports/caller.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { Tool } from "../ports/operations.ts";
import { checkCompliance, type ComplianceCheck } from "./compliance.ts";
import { plainSchema } from "./declarations.ts";

const SHOWN_FAILURES = 20;

/** Route and discovery compliance in one document: what `svc://network/compliance` holds. */
export async function renderCompliance(context: Pick<CallContext, "services">): Promise<JsonObject> {
  const { routes, documents } = await checkCompliance(context.services);
  return {
    status: routes.failed + documents.failed === 0 ? "compliant" : "failing",
    routes,
    documents,
    checkedAt: routes.checkedAt,
  };
}

/** Whether the web surface works, computed from the routes, the documents and the store. */
export async function renderWebStatus(context: CallContext) {
  const { services } = context;
  const { routes, documents } = await checkCompliance(services);
  const store = await services.store.status();
  const canWrite = store.ready && store.kind !== "none";
  const failing = [...routes.checks, ...documents.checks].filter((check) => !check.ok);
  return {
    service: SERVICE.name,
    version: SERVICE.version,
    status: failing.length > 0 ? "failing" : canWrite ? "operational" : "degraded",
    storage: { kind: store.kind, ready: canWrite },
    routes: { status: routes.status, passed: routes.passed, failed: routes.failed },
    documents: { status: documents.status, passed: documents.passed, failed: documents.failed },
    failing: failing.slice(0, SHOWN_FAILURES).map(failureJson),
    evidence: ["get_route_compliance", "get_discovery_compliance"],
    checkedAt: routes.checkedAt,
  };
}

interface Criterion {
  readonly criterion: string;
  readonly passed: number;
  readonly total: number;
  readonly basis: string;
  readonly failing: readonly string[];
}

/** Scores that follow from checks that ran: passed out of total, criterion by criterion. */
export async function renderScorecard(context: CallContext) {
  const { routes, documents } = await checkCompliance(context.services);
  const criteria: readonly Criterion[] = [
    fromChecks("routes", routes.checks, "Every route was requested in process."),
    fromChecks(
      "documents",
      documents.checks,
      "Every discovery document was requested and its content checked.",
    ),
    declarations(context.services.catalog.tools),
    await boundary(context),
  ];
  const passed = criteria.reduce((sum, criterion) => sum + criterion.passed, 0);
  const total = criteria.reduce((sum, criterion) => sum + criterion.total, 0);
  return {
    service: SERVICE.name,
    version: SERVICE.version,
    score: percent(passed, total),
    passed,
    total,
    criteria: criteria.map((criterion) => ({
      ...criterion,
      score: percent(criterion.passed, criterion.total),
      failing: [...criterion.failing],
    })),
    method: "Each score is the share of checks that passed when they ran; nothing is estimated.",
    checkedAt: routes.checkedAt,
  };
}

function fromChecks(criterion: string, checks: readonly ComplianceCheck[], basis: string): Criterion {
  const failing = checks.filter((check) => !check.ok);
  return {
    criterion,
    passed: checks.length - failing.length,
    total: checks.length,
    basis,
    failing: failing.slice(0, SHOWN_FAILURES).map((check) => `${check.target}: ${check.problems.join("; ")}`),
  };
}

function declarations(tools: readonly Tool[]): Criterion {
  const failing = tools.filter((tool) => {
    const schema = plainSchema(tool.input);
    return (
      tool.title === "" ||
      tool.description.length < 60 ||
      schema["additionalProperties"] !== false ||
      !Array.isArray(schema["required"])
    );
  });
  return {
    criterion: "declarations",
    passed: tools.length - failing.length,
    total: tools.length,
    basis: "Every tool has a title, a description that says something, and a closed input schema.",
    failing: failing.map((tool) => tool.name),
  };
}

/** Rights are checked before arguments, so an empty dry call shows whether a stranger is let in. */
async function boundary(context: CallContext): Promise<Criterion> {
  const { catalog } = context.services;
  const guarded = catalog.tools.filter((tool) => tool.access !== "public");
  const failing: string[] = [];
  for (const tool of guarded) {
    try {
      await catalog.call(tool.name, {}, contextWith(context, { caller: ANONYMOUS, dryRun: true }));
      failing.push(tool.name);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "unauthorized") failing.push(tool.name);
    }
  }
  return {
    criterion: "boundary",
    passed: guarded.length - failing.length,
    total: guarded.length,
    basis: "Every protected tool was called in process without a key and had to refuse.",
    failing,
  };
}

function failureJson({ target, expected, observed, problems }: ComplianceCheck) {
  return { target, expected, observed, problems: [...problems] };
}

function percent(passed: number, total: number): number {
  return total === 0 ? 0 : Math.floor((passed / total) * 1000) / 10;
}
