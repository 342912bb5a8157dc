import { decisionRefusal } from "../approvals/deciders.ts";
import { digestOf } from "../kernel/canonical-json.ts";
import type { Envelope } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, isList, type Json, type JsonObject } from "../kernel/json.ts";
import { pathText } from "../kernel/paths.ts";
import { beginningOf } from "../kernel/text.ts";
import type { RunDetail } from "../model/runs.ts";
import { runHasEnded } from "../model/states.ts";
import { contextWith } from "../ports/call-context.ts";
import type { Caller } from "../ports/caller.ts";
import type { CallContext, QuestionMode } from "../ports/definitions.ts";
import type { ApprovalRecord, RunRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import { callEnd } from "../workflows/call-end.ts";
import { createWorkflow } from "../workflows/library.ts";
import { GUARD_ID } from "../workflows/visibility.ts";
import { seenApproval } from "../approvals/access-level.ts";
import { runView } from "./views.ts";

/*
 * Runs as tasks of MCP (extension io.modelcontextprotocol/tasks). A task is the run and has its id: nothing is stored
 * for it, and nothing is kept in memory while it waits.
 */

const POLL_MS = 1_000;
const DECISION: JsonObject = {
  type: "object",
  properties: {
    decision: { type: "string", title: "Decision", enum: ["approve", "reject"] },
    reason: { type: "string", title: "Reason", description: "Needed to reject." },
  },
  required: ["decision"],
};
const SHOWN_CHARS = 1_500;
/** Workflows with this tag were made for one call, whose answer is their output; those of the guard too. */
const CALL_TAG = "call";

/** A run as a task. */
interface RunTask {
  readonly run: RunDetail;
  readonly status: "working" | "input_required" | "completed" | "failed" | "cancelled";
  /** The members that every task has. */
  readonly fields: JsonObject;
  /** What the client is asked, by key; empty unless input is required. */
  readonly inputRequests: JsonObject;
}

/** A question to the person at a client about an approval. */
interface ApprovalQuestion {
  readonly approvalId: string;
  readonly shownDigest: string;
  readonly key: string;
  readonly request: JsonObject;
}

/** The task with this id, as far as the caller may see it; `modes` says how its client can be asked. */
export async function readTask(
  services: Services,
  id: string,
  caller: Caller,
  modes: ReadonlySet<QuestionMode>,
): Promise<RunTask> {
  const run = await runView(services, id, caller);
  if (run.values !== undefined) throw new AppError("not_found", "There is no task with this id.");
  const questions = await pendingQuestions(services, run, caller, modes);
  const status = statusOf(run, questions.length > 0);
  const times = run.steps.flatMap(({ startedAt, finishedAt }) => [startedAt ?? "", finishedAt ?? ""]);
  const lastUpdatedAt = [run.createdAt, run.finishedAt ?? "", ...times].reduce((a, b) => (a > b ? a : b));
  return {
    run,
    status,
    fields: {
      taskId: id,
      status,
      statusMessage: messageOf(services, run),
      createdAt: run.createdAt,
      lastUpdatedAt,
      ttlMs: null,
      pollIntervalMs: POLL_MS,
    },
    inputRequests: requestsOf(questions),
  };
}

/** Only an internal error is one of the protocol; everything else is a result of the tool. */
function statusOf(run: RunDetail, isAsked: boolean): RunTask["status"] {
  if (run.status === "cancelled") return "cancelled";
  if (!runHasEnded(run.status)) return isAsked ? "input_required" : "working";
  return run.error?.code === "internal" ? "failed" : "completed";
}

function messageOf({ settings }: Services, run: RunDetail): string {
  const waiting = run.approvals?.find(({ status }) => status === "pending");
  if (waiting !== undefined && !runHasEnded(run.status))
    return `Waiting for approval: ${approvalLink(settings.baseUrl, waiting.id)}`;
  const done = run.steps.filter(({ status }) => status === "succeeded" || status === "skipped").length;
  return `The run is ${run.status}; ${done} of ${run.steps.length} steps done.`;
}

function approvalLink(baseUrl: string, id: string): string {
  return new URL(`/approvals?id=${encodeURIComponent(id)}`, baseUrl).href;
}

/** The requests of questions by key. */
function requestsOf(questions: readonly ApprovalQuestion[]): JsonObject {
  return Object.fromEntries(questions.map(({ key, request }) => [key, request]));
}

/** What the person at the client is asked now; nothing when no approval waits or the client cannot ask. */
export async function pendingQuestions(
  services: Services,
  run: RunDetail,
  caller: Caller,
  modes: ReadonlySet<QuestionMode>,
): Promise<readonly ApprovalQuestion[]> {
  if (runHasEnded(run.status) || modes.size === 0) return [];
  const pending = (run.approvals ?? []).filter(({ status }) => status === "pending");
  const found = await Promise.all(pending.map(({ id }) => questionOf(services, id, caller, modes)));
  return found.filter((one) => one !== null);
}

async function questionOf(
  services: Services,
  approvalId: string,
  caller: Caller,
  modes: ReadonlySet<QuestionMode>,
): Promise<ApprovalQuestion | null> {
  const { approval, run: record } = await seenApproval(services, approvalId, caller);
  const { id, title, shown, shownDigest } = approval;
  const message = `${title}\n${beginningOf(JSON.stringify(shown, null, 1), SHOWN_CHARS)}`;
  // The key names what was shown: an answer to something else decides nothing.
  const found = { approvalId: id, shownDigest, key: `approval-${id}-${shownDigest.slice(-12)}` };
  if (modes.has("url")) {
    const url = approvalLink(services.settings.baseUrl, id);
    return {
      ...found,
      request: { method: "elicitation/create", params: { mode: "url", message, url, elicitationId: id } },
    };
  }
  if (!(await mayAnswer(services, approval, record, caller))) return null;
  // To fill in the form of an approval is to approve; one without a form asks for the decision itself.
  const requestedSchema = approval.formSchema ?? DECISION;
  return { ...found, request: { method: "elicitation/create", params: { message, requestedSchema } } };
}

/**
 * Whether an answer of this client is a decision: it acts for a signed-in person who may decide. Calls that the client
 * itself asked for are decided on the page, where the person signs in: the guard does not take the client's word.
 */
async function mayAnswer(
  services: Services,
  approval: ApprovalRecord,
  run: RunRecord,
  caller: Caller,
): Promise<boolean> {
  const { calls = null, tool } = approval.shown;
  const guardsCalls = (isList(calls) && calls.length > 0) || tool !== undefined;
  const isOwn = caller.token !== undefined && run.actsVia === caller.token.id;
  if (caller.person === undefined || !isFlat(approval.formSchema) || (guardsCalls && isOwn)) return false;
  return (await decisionRefusal(services, approval, run, caller)) === null;
}

/** A form that MCP clients can show: fields of plain types. */
function isFlat(schema: JsonObject | null): boolean {
  const properties = schema?.["properties"] ?? {};
  const isPlain = (field: Json | undefined): boolean =>
    field !== undefined &&
    isJsonObject(field) &&
    ["string", "number", "integer", "boolean"].some((type) => field["type"] === type);
  return isJsonObject(properties) && Object.values(properties).every(isPlain);
}

/** Decides with the answer of a client to a question; everything but an accepted form decides nothing. */
export async function decideByAnswer(
  { approvalId, shownDigest, request }: ApprovalQuestion,
  { action, content = null }: JsonObject,
  context: CallContext,
): Promise<void> {
  const { params = null } = request;
  if (action !== "accept" || !isJsonObject(content) || !isJsonObject(params) || params["mode"] === "url")
    return;
  const decision =
    params["requestedSchema"] === DECISION ? decisionIn(content) : { verdict: "approved", values: content };
  if (decision !== null)
    await context.services.site.perform(
      "decide_approval",
      { id: approvalId, shownDigest, ...decision },
      context,
    );
}

function decisionIn({ decision, reason = "Rejected in the client." }: JsonObject): JsonObject | null {
  if (decision === "approve") return { verdict: "approved" };
  return decision === "reject" ? { verdict: "rejected", reason } : null;
}

/** What the call answered for which a run was made; null for a run of another kind. */
export async function callResult({ store }: Services, run: RunDetail): Promise<Envelope | null> {
  const workflow = run.workflowId === null ? null : await store.read.workflows.get(run.workflowId);
  if (workflow === null || !(workflow.createdBy === GUARD_ID || workflow.tags.includes(CALL_TAG)))
    return null;
  const refused = run.approvals?.find(({ status }) => status !== "approved" && status !== "pending");
  return callEnd({
    id: run.id,
    state: run.status,
    outputs: run.outputs,
    error: run.error ?? null,
    approval: refused === undefined ? null : { state: refused.status, reason: refused.reason ?? null },
  });
}

/** Starts a run that makes one call: durable before it is answered. */
export async function startCall(tool: string, args: JsonObject, context: CallContext): Promise<RunRecord> {
  const values = Object.keys(args)
    .sort()
    .map((name) => [name, { $ref: pathText("inputs.arguments", [name]) }]);
  const document = {
    inputs: { type: "object", properties: { arguments: { type: "object" } }, required: ["arguments"] },
    nodes: [{ id: "call", type: "tool", tool, with: Object.fromEntries(values) }],
    edges: [],
    outputs: { result: { $ref: "steps.call.outputs" } },
  };
  const inner = contextWith(context, { meta: { "svc/idempotencyKey": `call ${digestOf(document)}` } });
  const workflow = await createWorkflow({ name: `Call of ${tool}`, tags: [CALL_TAG], document }, inner);
  const key = context.meta["svc/idempotencyKey"];
  return context.services.engine.start({
    workflowId: workflow.id,
    version: "draft",
    inputs: { arguments: args },
    caller: context.caller,
    trace: context.trace,
    ...(typeof key === "string" && { idempotencyKey: `call ${key}` }),
  });
}
