import { ok } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { listedFor, requireScope } from "../ports/caller.ts";
import { pageOfQuery, type HttpRequest, type HttpRoute } from "../ports/http.ts";
import { APPROVAL_STATES, RUN_STATES, type ApprovalState, type RunState } from "../ports/records.ts";
import { approvalActionRoutes } from "./approval-routes.ts";
import { traceView } from "./trace-view.ts";
import { inboxEntries } from "../approvals/inbox.ts";
import { listApprovals } from "./approval-list.ts";
import { runReceipt } from "./receipt.ts";
import { approvalDetail } from "./approval-detail.ts";
import { runDocument, runListItem, runView } from "./views.ts";
import { checkMayChange } from "./sight.ts";

const RUNS = "/api/svc/runs";
const APPROVALS = "/api/svc/approvals";
const TRACES = "/api/svc/traces";

/** What of runs and approvals the fixed tools cannot say: paging, retrying, settling, traces. */
export const runRoutes: readonly HttpRoute[] = [
  ...approvalActionRoutes,
  {
    method: "GET",
    path: RUNS,
    summary:
      "Runs, newest first (workflowId, status, limit, cursor); without read-private the public ones and your own.",
    access: "mixed",
    async handle({ query, context }) {
      const { services, caller } = context;
      const workflowId = query.get("workflowId");
      const states = statesIn(query);
      const page = await services.store.read.runs.list(pageOfQuery(query), {
        ...listedFor(caller),
        ...(workflowId !== null && { workflowId }),
        ...(states !== null && { states }),
      });
      const runs = await Promise.all(page.items.map((run) => runListItem(services, run, caller)));
      return { status: 200, body: ok({ runs, nextCursor: page.nextCursor }) };
    },
  },
  {
    method: "GET",
    path: `${RUNS}/{id}`,
    summary: "One run with its steps; values only of your own runs, or with read-private.",
    access: "mixed",
    async handle(request) {
      const { services, caller } = request.context;
      return { status: 200, body: ok({ run: await runView(services, idIn(request, RUNS), caller) }) };
    },
  },
  {
    method: "GET",
    path: `${RUNS}/{id}/document`,
    summary: "The document that a run runs, with the names of that version; of a draft only with a key.",
    access: "mixed",
    async handle(request) {
      const { services, caller } = request.context;
      return { status: 200, body: ok(await runDocument(services, idIn(request, RUNS), caller)) };
    },
  },
  {
    method: "GET",
    path: `${RUNS}/{id}/receipt`,
    summary:
      "The receipt of an ended run: its records (2,000 at most) with proofs that anybody can check offline; with content=true also what they speak of (read-private).",
    access: "mixed",
    async handle(request) {
      const { services, caller } = request.context;
      const withContent = request.query.get("content") === "true";
      const receipt = await runReceipt(services, idIn(request, RUNS), withContent, caller);
      return { status: 200, body: ok({ receipt }) };
    },
  },
  {
    method: "POST",
    path: `${RUNS}/{id}/retry`,
    summary: "Runs a failed or timed-out run again; what succeeded stays.",
    access: "key",
    async handle(request) {
      const { services, caller } = request.context;
      requireScope(caller, "run");
      await checkMayChange(services, idIn(request, RUNS), caller);
      const run = await services.engine.retry(idIn(request, RUNS), caller);
      return { status: 202, body: ok({ run: await runListItem(services, run, caller) }) };
    },
  },
  {
    method: "POST",
    path: `${RUNS}/{id}/settle`,
    summary:
      "A person says what became of a step whose outcome is unknown (stepId, outcome, output, reason).",
    access: "key",
    async handle(request) {
      const { services, caller } = request.context;
      requireScope(caller, "run");
      await checkMayChange(services, idIn(request, RUNS), caller);
      const { stepId, outcome, output, reason } = settlement(request.body);
      const run = await services.engine.settle(idIn(request, RUNS), stepId, outcome, output, caller, reason);
      return { status: 200, body: ok({ run: await runListItem(services, run, caller) }) };
    },
  },
  {
    method: "GET",
    path: APPROVALS,
    summary:
      "Approvals, newest first (status, runId, inbox=mine|groups|all, limit, cursor); without read-private those of public runs without content and notes, of your own runs, and those that you may decide.",
    access: "mixed",
    async handle({ query, context }) {
      const { services, caller } = context;
      const state = oneState(query.get("status"));
      const runId = query.get("runId");
      const assigned = await inboxEntries(services, query.get("inbox") ?? "all", caller);
      const filter = {
        ...(assigned !== undefined && { assigned }),
        ...(state !== null && { state }),
        ...(runId !== null && { runId }),
      };
      return { status: 200, body: ok(await listApprovals(services, pageOfQuery(query), caller, filter)) };
    },
  },
  {
    method: "GET",
    path: `${APPROVALS}/{id}`,
    summary:
      "One approval: what is shown, its digest, its form and its history; content only for who started the run, who may decide, or with read-private.",
    access: "mixed",
    async handle(request) {
      const { services, caller } = request.context;
      return { status: 200, body: ok(await approvalDetail(services, idIn(request, APPROVALS), caller)) };
    },
  },
  {
    method: "GET",
    path: `${TRACES}/{id}`,
    summary: "The spans of one trace: runs, and the tries of their steps.",
    access: "mixed",
    async handle(request) {
      const { services, caller } = request.context;
      return { status: 200, body: ok(await traceView(services, idIn(request, TRACES), caller)) };
    },
  },
];

function idIn({ path }: HttpRequest, prefix: string): string {
  const [part = ""] = path.slice(prefix.length + 1).split("/");
  try {
    return decodeURIComponent(part);
  } catch {
    throw new AppError("not_found", "There is nothing under this id.");
  }
}

function statesIn(query: URLSearchParams): readonly RunState[] | null {
  const given = query.get("status");
  if (given === null) return null;
  const wanted = given.split(",");
  const states = RUN_STATES.filter((state) => wanted.includes(state));
  if (states.length !== wanted.length) {
    throw new AppError("invalid_input", `status is one or more of ${RUN_STATES.join(", ")}.`);
  }
  return states;
}

function oneState(given: string | null): ApprovalState | null {
  if (given === null) return null;
  const state = APPROVAL_STATES.find((known) => known === given);
  if (state === undefined) {
    throw new AppError("invalid_input", `status is one of ${APPROVAL_STATES.join(", ")}.`);
  }
  return state;
}

function settlement(body: unknown): {
  readonly stepId: string;
  readonly outcome: "succeeded" | "failed" | "retry";
  readonly output: JsonObject | null;
  readonly reason: string | null;
} {
  const given = isJsonObject(body) ? body : {};
  const { stepId, outcome, output, reason } = given;
  if (
    typeof stepId !== "string" ||
    (outcome !== "succeeded" && outcome !== "failed" && outcome !== "retry")
  ) {
    throw new AppError("invalid_input", "Give stepId and an outcome: succeeded, failed or retry.");
  }
  if (output !== undefined && output !== null && !isJsonObject(output)) {
    throw new AppError("invalid_input", "The output of a step is an object.");
  }
  const isReason = typeof reason === "string" && reason.trim() !== "";
  if (reason !== undefined && reason !== null && (typeof reason !== "string" || reason.length > MAX_REASON)) {
    throw new AppError("invalid_input", `The reason is a text of at most ${MAX_REASON} characters.`);
  }
  return { stepId, outcome, output: isJsonObject(output) ? output : null, reason: isReason ? reason : null };
}

const MAX_REASON = 1_000;
