import { digestOf } from "../kernel/canonical-json.ts";
import { NotDone, type Envelope } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { pathText } from "../kernel/paths.ts";
import { argumentProblems } from "../kernel/schema-words.ts";
import { runHasEnded } from "../model/states.ts";
import { contextWith } from "../ports/call-context.ts";
import type { GuardedCall } from "../ports/guard.ts";
import type { StoreTx } from "../ports/store.ts";
import { callEnd } from "../workflows/call-end.ts";
import { createWorkflow } from "../workflows/library.ts";
import { GUARD_ID } from "../workflows/visibility.ts";
import type { Verdict } from "./rules.ts";

const BRIEF_WAIT_MS = 3_000;
const EXPIRES_MS = 7 * 86_400_000;
const APPROVERS = ["role:owner", "role:admin", "role:approver"];

/** Starts a run of two steps: a person decides about exactly these arguments, then the call is made once. */
export async function ask(
  call: GuardedCall,
  id: string,
  { rule, fourEyes }: Verdict,
  record: (tx: StoreTx, runId: string) => Promise<void>,
): Promise<Envelope> {
  const { tool, args, effect, context } = call;
  const {
    engine,
    store,
    settings: { baseUrl },
  } = context.services;
  const { caller, meta, trace } = context;
  await checkArguments(call);
  const run = await engine.start({
    workflowId: await workflowFor(call, fourEyes),
    version: "draft",
    inputs: { arguments: args, caller: caller.token?.name ?? (await store.read.keys.get(id))?.name ?? id },
    // The draft is the guard's; the run holds no more rights than the caller has when it goes on.
    caller: { ...caller, scopes: new Set([...caller.scopes, "read-private"]) },
    trace,
    alongside: async (tx, runId) => {
      await record(tx, runId);
      return true;
    },
    ...(typeof meta["svc/idempotencyKey"] === "string" && {
      idempotencyKey: `guard ${meta["svc/idempotencyKey"]}`,
    }),
  });
  const now = await engine.waitFor(run.id, BRIEF_WAIT_MS, "waiting");
  const { items } = await store.read.approvals.list({ limit: 1 }, { runId: run.id });
  // Repeated with its key, a call finds the run that it asked with before, and what became of it.
  if (runHasEnded(now.state)) return callEnd({ ...now, approval: items[0] ?? null });
  const approvalId = items[0]?.id ?? null;
  const path = approvalId === null ? `/runs/${run.id}` : `/approvals?id=${approvalId}`;
  const link = new URL(path, baseUrl).href;
  return new NotDone({
    status: "approval_required",
    reason: `${tool} ${effect === "destructive" ? "is destructive" : "changes something"}, so a person decides first${fourEyes ? " (not the one behind this caller)" : ""}. Nothing was sent yet.`,
    tool,
    rule,
    runId: run.id,
    approvalId,
    link,
    nextAction: `Ask a person to decide at ${link}. It is then called once with these arguments; the result is the output of run ${run.id}.`,
  });
}

/** Nobody is asked about a call that would be refused anyway. */
async function checkArguments({ tool, server, args, context }: GuardedCall): Promise<void> {
  const { connections, validator } = context.services;
  if (server === "") return;
  const found = await connections.find(tool);
  if (found === null || found.state === "removed")
    throw new AppError("not_found", `${tool} is gone from its server.`);
  if (found.state !== "active")
    throw new AppError("blocked", `${tool} is hidden, or waits for an admin to accept it.`);
  const { valid, errors } = await validator.validate(found.inputSchema, args, context.signal);
  if (valid) return;
  throw new AppError(
    "invalid_arguments",
    `The arguments of ${tool} have ${errors.length === 1 ? "1 problem" : `${errors.length} problems`}; all are listed.`,
    { problems: argumentProblems(found.inputSchema, args, errors) },
  );
}

/** The guard's workflow that asks for a call of this tool with these arguments' names. Values are inputs: data, never expressions. */
async function workflowFor({ tool, effect, args, context }: GuardedCall, fourEyes: boolean): Promise<string> {
  const values = Object.keys(args)
    .sort()
    .map((name) => [name, { $ref: pathText("inputs.arguments", [name]) }]);
  const document = {
    inputs: {
      type: "object",
      properties: { arguments: { type: "object" }, caller: { type: "string" } },
      required: ["arguments", "caller"],
    },
    nodes: [
      {
        id: "ask",
        type: "approval",
        approval: {
          title: `Call ${tool}?`,
          show: { tool, effect, caller: { $ref: "inputs.caller" }, arguments: { $ref: "inputs.arguments" } },
          approvers: APPROVERS,
          fourEyes,
          expiresInMs: EXPIRES_MS,
        },
      },
      { id: "call", type: "tool", tool, with: Object.fromEntries(values) },
    ],
    edges: [{ from: "ask", to: "call", port: "approved" }],
    outputs: { result: { $ref: "steps.call.outputs" } },
  };
  const inner = contextWith(context, {
    caller: { kind: "system", id: GUARD_ID, scopes: new Set() },
    meta: { "svc/idempotencyKey": digestOf(document) },
  });
  return (await createWorkflow({ name: `Guarded call of ${tool}`, document }, inner)).id;
}
