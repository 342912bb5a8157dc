import { Type } from "typebox";
import { problemAt } from "../kernel/errors.ts";
import {
  freeObject,
  freeValue,
  inputOf,
  NEXT_CURSOR,
  PAGE_INPUT,
  PERIOD_INPUT,
  periodIn,
  periodProblems,
} from "../model/common.ts";
import { ReceiptView } from "../model/provenance.ts";
import { MapItemView, RunDetail, RunDocument, RunView, SignalView, TraceView } from "../model/runs.ts";
import { RUN_STATES, SETTLE_OUTCOMES } from "../model/states.ts";
import { listedFor, requireScope } from "../ports/caller.ts";
import { operationsWith, pageIn } from "../ports/operations.ts";
import { runReceipt } from "./receipt.ts";
import { checkMayChange, checkMayRepair } from "../approvals/access-level.ts";
import { traceView } from "./trace-view.ts";
import { SIGNAL_NAME } from "../workflows/schema.ts";
import { runDocument, runItems, runListItem, runView, signalView } from "./views.ts";

const { operation, declared } = operationsWith<unknown>();

const id = Type.String({ description: "The id of the run." });

operation({
  name: "list_runs",
  title: "List runs",
  description: "Runs, newest first; without read-private the public ones and your own.",
  http: "GET /api/svc/runs",
  access: "mixed",
  input: inputOf({
    workflowId: Type.Optional(Type.String({ description: "Only runs of this workflow." })),
    status: Type.Optional(
      Type.String({
        description: `Only runs in these states, separated by commas: ${RUN_STATES.join(", ")}.`,
      }),
    ),
    startedBy: Type.Optional(
      Type.String({ description: "Only runs that this person or key started: its id." }),
    ),
    ...PERIOD_INPUT,
    text: Type.Optional(
      Type.String({
        minLength: 2,
        maxLength: 200,
        description: "Only runs with this text in their inputs, in any case; needs read-private.",
      }),
    ),
    ...PAGE_INPUT,
  }),
  output: Type.Object({ runs: Type.Array(RunView), nextCursor: NEXT_CURSOR }),
  examples: [{ status: "running,waiting", limit: 20 }],
  rules: ({ status, ...period }) => [
    ...(status === undefined || statesIn(status).length === status.split(",").length
      ? []
      : [problemAt("status", `one or more of ${RUN_STATES.join(", ")}, separated by commas`)]),
    ...periodProblems(period),
  ],
  async run({ workflowId, status, startedBy, text, ...input }, { services, caller }) {
    if (text !== undefined) requireScope(caller, "read-private", "searching the inputs of runs");
    const { items, nextCursor } = await services.store.read.runs.list(pageIn(input), {
      ...listedFor(caller),
      ...periodIn(input),
      ...(startedBy !== undefined && { startedBy }),
      ...(text !== undefined && { text }),
      ...(workflowId !== undefined && { workflowId }),
      ...(status !== undefined && { states: statesIn(status) }),
    });
    return { runs: await Promise.all(items.map((run) => runListItem(services, run, caller))), nextCursor };
  },
});

operation({
  name: "get_run",
  title: "Show a run",
  description:
    "One run with its steps; values only of your own runs, or with read-private. Of long maps the first items, failed ones first: `maps` says how many there are, list_run_items gives the others.",
  http: "GET /api/svc/runs/{id}",
  access: "mixed",
  input: inputOf({ id }),
  output: Type.Object({ run: RunDetail }),
  run: async (input, { services, caller }) => ({ run: await runView(services, input.id, caller, false) }),
});

operation({
  name: "list_run_items",
  title: "List the items of a map",
  description:
    "What a map of a run did with its items, page by page: failed items first, then those that are not done, then the others.",
  http: "GET /api/svc/runs/{id}/items",
  access: "mixed",
  input: inputOf({
    id,
    step: Type.String({
      maxLength: 200,
      description: "The map, such as `each`; or one item, such as `each[3]`.",
    }),
    ...PAGE_INPUT,
  }),
  output: Type.Object({ items: Type.Array(MapItemView), nextCursor: NEXT_CURSOR }),
  examples: [{ id: "run_01", step: "each", limit: 20 }],
  run: ({ id: runId, step, ...page }, { services, caller }) =>
    runItems(services, { id: runId, step, page: pageIn(page) }, caller),
});

operation({
  name: "get_run_document",
  title: "Show the document of a run",
  description: "The document that a run runs, with the names of that version; of a draft only with a key.",
  http: "GET /api/svc/runs/{id}/document",
  access: "mixed",
  input: inputOf({ id }),
  output: RunDocument,
  run: (input, { services, caller }) => runDocument(services, input.id, caller),
});

operation({
  name: "get_run_receipt",
  title: "Get the receipt of a run",
  description:
    "The receipt of an ended run: its records (2,000 at most) with proofs that anybody can check offline.",
  http: "GET /api/svc/runs/{id}/receipt",
  access: "mixed",
  input: inputOf({
    id,
    content: Type.Optional(
      Type.Boolean({ description: "Also what the records speak of; needs read-private." }),
    ),
  }),
  output: Type.Object({ receipt: ReceiptView }),
  run: async ({ id: runId, content = false }, { services, caller }) => ({
    receipt: await runReceipt(services, runId, content, caller),
  }),
});

operation({
  name: "retry_run",
  title: "Retry a run",
  description: "Runs a failed or timed-out run again; what succeeded stays.",
  http: "POST /api/svc/runs/{id}/retry",
  access: "run",
  effect: "external",
  idempotent: false,
  status: 202,
  input: inputOf({ id }),
  output: Type.Object({ run: RunView }),
  async run(input, { services, caller }) {
    await checkMayRepair(services, input.id, caller);
    const run = await services.engine.retry(input.id, caller);
    return { run: await runListItem(services, run, caller) };
  },
});

operation({
  name: "settle_step",
  title: "Settle a step",
  description: "A person says what became of a step whose outcome is unknown.",
  http: "POST /api/svc/runs/{id}/settle",
  access: "run",
  effect: "write",
  idempotent: false,
  input: inputOf({
    id,
    stepId: Type.String({ description: "The id of the step." }),
    outcome: Type.Enum([...SETTLE_OUTCOMES], { description: "What became of it; retry runs it again." }),
    output: Type.Optional(
      Type.Union([freeObject("The tool of the step decides what it gives."), Type.Null()], {
        description: "What the step gave, when it succeeded.",
      }),
    ),
    reason: Type.Optional(
      Type.Union([Type.String({ maxLength: 1_000 }), Type.Null()], {
        description: "Why you say so, for the record; at most 1,000 characters.",
      }),
    ),
  }),
  output: Type.Object({ run: RunView }),
  examples: [{ id: "run_01", stepId: "send", outcome: "succeeded", reason: "The invoice is in the ledger." }],
  async run({ id: runId, stepId, outcome, output = null, reason }, { services, caller }) {
    await checkMayChange(services, runId, caller);
    const why = reason === undefined || reason?.trim() === "" ? null : reason;
    const run = await services.engine.settle(runId, stepId, outcome, output, caller, why);
    return { run: await runListItem(services, run, caller) };
  },
});

operation({
  name: "send_signal",
  title: "Send a signal to a run",
  description:
    "Gives a step that waits for a signal of this name its payload. One that comes before its wait is kept for it.",
  http: "POST /api/svc/runs/{id}/signals/{name}",
  access: "run",
  effect: "write",
  idempotent: false,
  status: 202,
  input: inputOf({
    id,
    name: Type.String({ pattern: SIGNAL_NAME, description: "The name that the step waits for." }),
    payload: Type.Optional(
      freeValue(
        "Tools and people decide what a step gets and gives.",
        "What the step gets; null when left out.",
      ),
    ),
    idempotencyKey: Type.Optional(
      Type.String({ minLength: 1, maxLength: 255, description: "The same key again is the same signal." }),
    ),
  }),
  output: Type.Object({ signal: SignalView }),
  examples: [{ id: "run_01", name: "payment", payload: { paid: true }, idempotencyKey: "payment-4711" }],
  async run({ id: runId, name, payload = null, idempotencyKey }, { services, caller }) {
    await checkMayChange(services, runId, caller);
    const signal = await services.engine.signal({
      runId,
      name,
      payload,
      caller,
      ...(idempotencyKey !== undefined && { key: idempotencyKey }),
    });
    return { signal: signalView(signal, payload) };
  },
});

operation({
  name: "get_trace",
  title: "Show a trace",
  description: "The spans of one trace: runs, and the attempts at their steps.",
  http: "GET /api/svc/traces/{id}",
  access: "mixed",
  input: inputOf({ id: Type.String({ description: "The id of the trace: traceId of a run." }) }),
  output: TraceView,
  run: (input, { services, caller }) => traceView(services, input.id, caller),
});

/** What of runs the fixed tools cannot say: lists by page, documents, receipts, retrying, settling, traces. */
export const runOperations = declared;

function statesIn(status: string): readonly (typeof RUN_STATES)[number][] {
  return status.split(",").flatMap((name) => RUN_STATES.filter((state) => state === name));
}
