import { AppError } from "../kernel/errors.ts";
import { isJsonObject, isObject, type JsonObject } from "../kernel/json.ts";
import { SERVICE } from "../kernel/service.ts";
import type { DemoStepView, DemoSuiteView } from "../model/suite.ts";
import { contextWith } from "../ports/call-context.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { SiblingOutcome } from "../ports/siblings.ts";
import { blueprints, flowSteps, RELEASE_CHECK_SCHEMA, type DemoStep } from "./demo-steps.ts";
import { delegate } from "./outbox.ts";

/** What a probe or a run of a step found. */
interface Finding {
  readonly status: "pass" | "fail" | "timeout" | "not_configured";
  readonly resultRef: string | null;
  readonly evidence: JsonObject;
  readonly output?: JsonObject;
}

/** The demo flow as it is declared: nothing was asked, nothing is verified. */
export function declaredDemoSuite(context: CallContext): DemoSuiteView {
  const steps = flowSteps(context);
  return document(
    context,
    "declared",
    "ready",
    steps.map((step) => stepView(step, null, context)),
    [],
  );
}

const LIVE_FOR_MS = 5_000;
const looks = new WeakMap<object, { readonly at: number; readonly document: Promise<DemoSuiteView> }>();

/**
 * The demo flow with its public-safe steps really asked. Protected steps are not touched. Anybody may ask, so what
 * was found is kept for a moment: many callers cause one look.
 */
export function liveDemoSuite(context: CallContext): Promise<DemoSuiteView> {
  const { siblings, clock } = context.services;
  const known = looks.get(siblings);
  if (known !== undefined && clock.now() - known.at < LIVE_FOR_MS) return known.document;
  // The look serves others too, so it does not end when its first caller gives up.
  const document = look(contextWith(context, { signal: AbortSignal.timeout(LIVE_FOR_MS * 4) }));
  looks.set(siblings, { at: clock.now(), document });
  return document;
}

function look(context: CallContext): Promise<DemoSuiteView> {
  return livedDocument(context, "live", (step) =>
    step.publicSafe ? probe(step, context) : Promise.resolve(null),
  );
}

/** The demo flow with every step really done: the protected ones are handed over with our credential. */
export async function runDemoSuite(context: CallContext): Promise<DemoSuiteView> {
  // Each run is work of its own: without this, a second one would be answered from the first one's records.
  const meta = { "svc/idempotencyKey": context.requestId, ...context.meta };
  return livedDocument(context, "run", (step) =>
    step.publicSafe ? probe(step, context) : handOver(step, contextWith(context, { meta })),
  );
}

async function livedDocument(
  context: CallContext,
  mode: string,
  look: (step: DemoStep) => Promise<Finding | null>,
): Promise<DemoSuiteView> {
  const steps = flowSteps(context);
  const findings = await Promise.all(steps.map((step) => look(step)));
  const asked = findings.filter((finding) => finding !== null);
  const allPass = asked.every(({ status }) => status === "pass");
  const views = steps.map((step, index) => stepView(step, findings[index] ?? null, context));
  return document(context, mode, allPass ? "ready" : "degraded", views, asked);
}

function document(
  context: CallContext,
  mode: string,
  status: string,
  flow: DemoStepView[],
  findings: readonly Finding[],
): DemoSuiteView {
  const count = (wanted: Finding["status"]): number =>
    findings.filter(({ status: s }) => s === wanted).length;
  return {
    schemaVersion: "svc.demo-suite.v1",
    title: "Six steps through the suite",
    generatedAt: new Date(context.services.clock.now()).toISOString(),
    mode,
    status,
    summary: {
      steps: flow.length,
      publicSafeSteps: flow.filter(({ publicSafe }) => publicSafe).length,
      protectedSteps: flow.filter(({ protectedAction }) => protectedAction).length,
      probePass: count("pass"),
      probeFail: count("fail"),
      probeTimeout: count("timeout"),
      confirmationGatedHandoffs: flow.filter(({ protectedAction }) => protectedAction).length,
      ...(mode !== "declared" && { notConfigured: count("not_configured") }),
    },
    flow,
    automations: blueprints(context),
    handoffPolicy:
      "Handoffs are preview packets by default. Sending one to a protected target needs the API key. Completion is shown only with a result reference that the target confirmed.",
    operatorScript: [
      "Open the network graph of step 1 and see which services answer.",
      "Have the canonical gateway run its status tool and see the form of it rendered.",
      "Have the release-check form validated by the spec service.",
      "Look at the sandbox packet: it is a preview and claims nothing.",
      "Look at the evals packet: its scorecard is missing until the service confirms one.",
      "Check the receiver's readiness: it answers anybody and accepts only with a key.",
      "With a key and the services of the suite running, run all six steps and compare each result reference.",
    ],
  };
}

function stepView(step: DemoStep, finding: Finding | null, context: CallContext): DemoStepView {
  const { protectedAction } = step;
  const setup = setupOf(step, context);
  const resultRef = protectedAction ? (finding?.resultRef ?? null) : null;
  const handoffStatus = resultRef === null ? "preview_ready" : "completed";
  const status = protectedAction ? "preview_ready" : "ready";
  return {
    id: step.id,
    order: step.order,
    title: step.title,
    purpose: step.purpose,
    userAction: step.userAction,
    nextAction: step.nextAction,
    ownerService: step.ownerService,
    endpoint: step.endpoint,
    method: step.method,
    inputPreview: step.inputPreview,
    outputPreview: { ...step.outputPreview, ...finding?.output },
    publicSafe: step.publicSafe,
    protectedAction,
    status,
    ...(protectedAction && { handoffStatus }),
    probeStatus: finding?.status ?? "not_requested",
    handoff: {
      from: SERVICE.id,
      to: step.ownerService,
      transport: step.transport,
      status: protectedAction ? handoffStatus : status,
      requiresAuth: protectedAction,
      resultRef,
      confirmationPolicy: protectedAction
        ? "Nothing is completed until the target confirms a result reference."
        : "A public-safe read; no confirmation is needed.",
    },
    evidence:
      finding === null
        ? { source: "declared", url: step.endpoint, fetched: false, verified: false, ...setup }
        : {
            ...setup,
            source: "observed",
            url: step.endpoint,
            fetched: finding.status === "pass" || "httpStatus" in finding.evidence,
            verified: finding.status === "pass",
            ...finding.evidence,
          },
  };
}

/** Whether the step's owner can be asked at all: `ready` is what the document declares, not what was found. */
function setupOf({ ownerService }: DemoStep, { services }: CallContext): JsonObject {
  if (ownerService === "svc" || services.settings.siblings[ownerService] !== undefined) {
    return { configured: true };
  }
  return {
    configured: false,
    reason: `${ownerService} is not configured, so this step is declared and cannot be asked.`,
    nextAction: `Set SUITE_${ownerService.toUpperCase()}_URL, or start with --with-suite.`,
  };
}

/** Asks a public-safe step's owner; only a confirmed answer passes. */
async function probe(step: DemoStep, context: CallContext): Promise<Finding> {
  const { services, trace, signal, requestId } = context;
  const ask = (sibling: "root" | "mcp" | "spec", capability: string, payload: JsonObject): Promise<Finding> =>
    services.siblings
      .ask({ sibling, capability, payload, trace, signal, idempotencyKey: `${requestId}-${step.id}` })
      .then((outcome) => findingOf(outcome, step));
  switch (step.ownerService) {
    case "root":
      return ask("root", "graph", {});
    case "mcp":
      return ask("mcp", "call_tool", { name: "get_svc_status", arguments: {} });
    case "spec":
      return ask("spec", "validate", { schema: RELEASE_CHECK_SCHEMA, renderer: "renderJsonSchemaForm" });
    case "svc":
      return probeOwnReceiver(step, context);
    case "sandbox":
    case "evals":
      throw new AppError("internal", "A protected step is not probed.");
  }
}

function findingOf(outcome: SiblingOutcome, step: DemoStep): Finding {
  if (outcome.status === "confirmed") {
    const { resultRef, observedAt, kind, data } = outcome.confirmation;
    const evidence = { reference: resultRef, kind, observedAt };
    return { status: "pass", resultRef, evidence, output: outputOf(step, data) };
  }
  return { status: unconfirmedStatus(outcome.evidence), resultRef: null, evidence: outcome.evidence };
}

/** What is shown of a confirmed answer: numbers and words of a known form, nothing else of the sibling's. */
function outputOf(step: DemoStep, data: JsonObject): JsonObject {
  if (step.ownerService === "root") {
    const { nodes, edges, graphId } = data;
    const size = (list: unknown): number => (Array.isArray(list) ? list.length : 0);
    return { graphId: graphId ?? null, nodeCount: size(nodes), edgeCount: size(edges) };
  }
  if (step.ownerService === "spec") {
    const valid = data["valid"] === true;
    return { localValidation: valid, renderStatus: valid ? "validated" : "invalid" };
  }
  const { structuredContent } = data;
  if (!isJsonObject(structuredContent)) return {};
  const { formId, fields, renderStatus } = structuredContent;
  return {
    ...(isWord(formId) && { formId }),
    ...(typeof fields === "number" && { fields }),
    ...(isWord(renderStatus) && { renderStatus }),
  };
}

function isWord(value: unknown): value is string {
  return typeof value === "string" && /^[\w:.-]{1,100}$/.test(value);
}

function unconfirmedStatus({ problem }: JsonObject): Finding["status"] {
  if (problem === "timed_out") return "timeout";
  return problem === "not_configured" ? "not_configured" : "fail";
}

async function probeOwnReceiver(step: DemoStep, context: CallContext): Promise<Finding> {
  const { services } = context;
  const begun = services.clock.now();
  const answer = await services.site.request("GET", new URL(step.endpoint).pathname);
  const value: unknown = JSON.parse(answer.body);
  const data = isObject(value) && isObject(value["data"]) ? value["data"] : {};
  const passed = answer.status === 200 && data["status"] === "configured";
  return {
    status: passed ? "pass" : "fail",
    resultRef: null,
    evidence: {
      httpStatus: answer.status,
      observedAt: new Date(begun).toISOString(),
      durationMs: services.clock.now() - begun,
    },
  };
}

/** Hands a protected step's packet over and reports what its owner confirmed. */
async function handOver(step: DemoStep, context: CallContext): Promise<Finding> {
  if (step.delegation === null) throw new AppError("internal", "A public-safe step is not handed over.");
  const { outcome, packet } = await delegate(step.delegation, context);
  if (outcome.status === "completed") {
    const { resultRef, observedAt, kind } = outcome.confirmation;
    return {
      status: "pass",
      resultRef,
      evidence: { reference: resultRef, kind, observedAt },
      output: { delegationId: packet.id, status: "completed", resultRef },
    };
  }
  if (outcome.status === "accepted") return { status: "fail", resultRef: null, evidence: outcome.evidence };
  return { status: unconfirmedStatus(outcome.evidence), resultRef: null, evidence: outcome.evidence };
}
