import { recordEntry } from "../audit/record.ts";
import { digestOf } from "../kernel/canonical-json.ts";
import { NotDone, type Envelope } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, isList, type JsonObject } from "../kernel/json.ts";
import { pathText } from "../kernel/paths.ts";
import type { GuardView } from "../model/guard.ts";
import { contextWith } from "../ports/call-context.ts";
import type { Caller } from "../ports/caller.ts";
import type { CallContext } from "../ports/definitions.ts";
import type { Guard, GuardedCall } from "../ports/guard.ts";
import type { RunRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import { createWorkflow } from "../workflows/library.ts";
import { Counters, decide, settingsIn, timeFacts, type Facts, type Verdict } from "./rules.ts";

/** How long another replica's change may go unnoticed. */
const FRESH_MS = 1_000;
const BRIEF_WAIT_MS = 3_000;
const MAX_PARENTS = 16;
const EXPIRES_MS = 7 * 86_400_000;
const APPROVERS = ["role:owner", "role:admin", "role:approver"];
/** These call other tools, which are checked themselves. */
const WRAPPERS: ReadonlySet<string> = new Set(["execute_mcp_tool", "run_workflow"]);

/** The guard with what its administration needs. */
export interface ManagedGuard extends Guard {
  settings(): Promise<GuardView>;
  /** Stores changed settings; throws `conflict` when they were changed since `basedOn`. */
  change(
    changes: Partial<GuardView>,
    basedOn: number | null,
    what: JsonObject,
    caller: Caller,
  ): Promise<GuardView>;
  /** What the rules decide about facts, without anything happening. */
  simulate(rules: GuardView["rules"], facts: Facts, leaves: boolean): Verdict;
  isAgent(id: string): boolean;
}

/** The one place where it is decided whether a call goes on. */
export function createGuard(services: () => Services): ManagedGuard {
  let known: GuardView = { revision: 0, ...settingsIn({}), changedAt: null };
  let readAt = Number.NEGATIVE_INFINITY;
  const counters = new Counters();

  async function settings(): Promise<GuardView> {
    const { store, clock } = services();
    if (store.kind !== "none" && clock.now() - readAt >= FRESH_MS) {
      keep(await store.read.guard.latest());
      readAt = clock.now();
    }
    return known;
  }

  function keep(latest: { revision: number; policy: JsonObject; createdAt: string } | null): void {
    if (latest !== null && latest.revision !== known.revision)
      known = { revision: latest.revision, ...settingsIn(latest.policy), changedAt: latest.createdAt };
  }

  async function change(
    changes: Partial<GuardView>,
    basedOn: number | null,
    what: JsonObject,
    caller: Caller,
  ): Promise<GuardView> {
    const { store } = services();
    const stored = await store.transact(async (tx) => {
      const latest = await tx.guard.latest();
      const revision = (latest?.revision ?? 0) + 1;
      if (basedOn !== null && basedOn !== revision - 1) throw changedMeanwhile();
      const policy: JsonObject = JSON.parse(JSON.stringify({ ...settingsIn(latest?.policy), ...changes }));
      const createdAt = await tx.now();
      const record = { revision, policy, digest: digestOf(policy), changedBy: caller.id, createdAt };
      if (!(await tx.guard.insert(record))) throw changedMeanwhile();
      await recordEntry(tx, {
        action: "guard.changed",
        by: caller.id,
        subject: `guard/${revision}`,
        detail: what,
        provenanceId: null,
      });
      return record;
    });
    keep(stored);
    return known;
  }

  async function decided(call: GuardedCall): Promise<Envelope | null> {
    const { tool, server, args, context } = call;
    const { caller, meta } = context;
    const { clock } = services();
    const now = clock.now();
    const current = await settings();
    const runId = meta["svc/runId"];
    const run =
      caller.kind === "system" && typeof runId === "string"
        ? await services().store.read.runs.get(runId)
        : null;
    const ids =
      run === null
        ? idsOf(caller)
        : [run.startedBy, run.actsFor, ...(run.actsVia === null ? [] : [run.actsVia])];
    const [id = caller.id] = ids;
    const stopped = current.stopped.find((entry) => entry === server || ids.includes(entry));
    if (stopped !== undefined)
      throw await denied(call, id, "stopped", `Calls of "${stopped}" are stopped by an admin.`);
    if (call.effect === "read" && current.rules.length === 0) return null;
    const isAgent =
      run === null
        ? await isAgentCall(caller, id, meta["svc/entry"] === "agent", current)
        : isAgentRun(run, current);
    const facts: Facts = {
      tool,
      server,
      effect: call.effect,
      agent: isAgent,
      args,
      caller: { id, kind: caller.kind, name: caller.token?.name ?? "" },
      person: { email: caller.person?.email ?? "", role: caller.person?.role ?? "" },
      time: timeFacts(now),
    };
    const verdict = decide(current.rules, facts, call.leaves);
    if (WRAPPERS.has(tool) && verdict.rule.startsWith("default")) return null;
    if (verdict.decision === "deny")
      throw await denied(call, id, verdict.rule, `The rule "${verdict.rule}" of the guard refuses ${tool}.`);
    if (call.effect !== "read") checkLimits(current, id, tool, now);
    if (verdict.decision === "allow") return null;
    if (verdict.decision === "dry-run") {
      await note("guard.dry_run", call, id, verdict.rule);
      return new NotDone({
        status: "dry_run",
        tool,
        arguments: args,
        reason: `The rule "${verdict.rule}" of the guard lets ${tool} run dry only: nothing was sent.`,
      });
    }
    const { bypass } = current;
    if (
      bypass !== null &&
      Date.parse(bypass.until) > now &&
      (bypass.caller === null || ids.includes(bypass.caller))
    ) {
      await note("guard.bypassed", call, id, verdict.rule);
      return null;
    }
    if (run === null) return ask(call, id, verdict);
    if (await isApproved(run, tool)) return null;
    throw await denied(
      call,
      id,
      verdict.rule,
      `${tool} needs the approval of a person, and no approval of this run showed it.`,
      'Put an approval step before it (port "approved"), publish and run again.',
    );
  }

  /** A key that is used at /mcp to change something is an agent's from then on, whichever way it calls. */
  async function isAgentCall(
    caller: Caller,
    id: string,
    atMcp: boolean,
    current: GuardView,
  ): Promise<boolean> {
    if (caller.kind === "oauth" || current.agents.includes(id)) return true;
    if (!atMcp || caller.kind === "anonymous" || current.trusted.includes(id)) return false;
    if (services().store.kind !== "none")
      await change({ agents: [...current.agents, id] }, null, { agent: id, why: "used at /mcp" }, caller);
    return true;
  }

  function checkLimits({ limits }: GuardView, id: string, tool: string, now: number): void {
    for (const { caller, tool: named, perMinute, perDay } of limits) {
      if ((caller !== undefined && caller !== id) || (named !== undefined && named !== tool)) continue;
      const key = `${caller ?? "*"} ${named ?? "*"} ${id} ${tool}`;
      const tooMany =
        (perMinute !== undefined && !counters.take(`m ${key}`, 60_000, perMinute, now)) ||
        (perDay !== undefined && !counters.take(`d ${key}`, 86_400_000, perDay, now));
      if (tooMany)
        throw new AppError("rate_limited", `The guard's limit for ${tool} is reached.`, {
          retryAfterSeconds: perMinute === undefined ? 3_600 : 60,
        });
    }
  }

  async function denied(
    call: GuardedCall,
    id: string,
    rule: string,
    message: string,
    nextAction?: string,
  ): Promise<AppError> {
    await note("guard.denied", call, id, rule);
    return new AppError("blocked", message, {
      details: { rule, tool: call.tool },
      ...(nextAction !== undefined && { nextAction }),
    });
  }

  /** What was decided about a call; its arguments are in the run or in the history of calls. */
  async function note(
    action: "guard.denied" | "guard.asked" | "guard.dry_run" | "guard.bypassed",
    { tool, effect }: GuardedCall,
    by: string,
    rule: string,
    more: JsonObject = {},
  ): Promise<void> {
    const { store } = services();
    if (store.kind === "none") return;
    const detail = { tool, effect, rule, ...more };
    await store.transact((tx) =>
      recordEntry(tx, { action, by, subject: `tools/${tool}`, detail, provenanceId: null }),
    );
  }

  /** A run of two steps: a person decides about exactly these arguments, then the call is made once. */
  async function ask(call: GuardedCall, id: string, { rule, fourEyes }: Verdict): Promise<Envelope> {
    const { tool, args, effect, context } = call;
    const {
      engine,
      store,
      settings: { baseUrl },
    } = services();
    await checkArguments(call);
    const run = await engine.start({
      workflowId: await workflowFor(call, fourEyes, context),
      version: "draft",
      inputs: { arguments: args, caller: context.caller.token?.name ?? id },
      caller: context.caller,
      trace: context.trace,
      ...(typeof context.meta["svc/idempotencyKey"] === "string" && {
        idempotencyKey: `guard ${context.meta["svc/idempotencyKey"]}`,
      }),
    });
    await engine.waitFor(run.id, BRIEF_WAIT_MS, "waiting");
    const { items } = await store.read.approvals.list({ limit: 1 }, { runId: run.id });
    const approvalId = items[0]?.id ?? null;
    await note("guard.asked", call, id, rule, { runId: run.id, approvalId });
    const link = new URL(approvalId === null ? `/runs/${run.id}` : `/approvals?id=${approvalId}`, baseUrl)
      .href;
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

  return {
    settings,
    change,
    isAgent: (id) => known.agents.includes(id),
    simulate: (rules, facts, leaves) => decide(rules, facts, leaves),
    check(call) {
      const { caller } = call.context;
      if (call.context.dryRun === true) return null;
      // Our own tools for people and systems that nothing restricts: no decision could be another one.
      const isFresh = services().clock.now() - readAt < FRESH_MS;
      if (isFresh && known.rules.length === 0 && known.stopped.length === 0 && call.effect === "read")
        return null;
      return caller.kind === "anonymous" && call.effect === "read" ? null : decided(call);
    },
  };

  /** True when a person, not the agent itself, approved calls of this tool in the run or in one that it is part of. */
  async function isApproved(start: RunRecord, tool: string): Promise<boolean> {
    const { store } = services();
    let run: RunRecord | null = start;
    for (let left = MAX_PARENTS; run !== null && left > 0; left--) {
      const { items } = await store.read.approvals.list({ limit: 100 }, { runId: run.id });
      const own = [run.startedBy, run.actsFor, run.actsVia];
      const isPersons = items.some(
        ({ state, shown, decidedBy, decidedVia }) =>
          state === "approved" &&
          isShown(shown, tool) &&
          (decidedVia === null || (!own.includes(decidedBy) && !own.includes(decidedVia.id))),
      );
      if (isPersons) return true;
      run = run.parentRunId === null ? null : await store.read.runs.get(run.parentRunId);
    }
    return false;
  }
}

/** Whether an approval listed calls of this tool among those behind it. */
function isShown({ calls }: JsonObject, tool: string): boolean {
  if (calls === undefined || !isList(calls)) return false;
  return calls.filter(isJsonObject).some((call) => {
    const { arguments: given } = call;
    const inner = call["tool"] === "execute_mcp_tool" && isJsonObject(given) ? given["name"] : undefined;
    return call["tool"] === tool || inner === tool;
  });
}

/** Nobody is asked about a call that would be refused anyway. */
async function checkArguments({ tool, server, args, context }: GuardedCall): Promise<void> {
  const { connections, validator } = context.services;
  const found = server === "" ? null : await connections.find(tool);
  if (found === null) return;
  const { valid, errors } = await validator.validate(found.inputSchema, args, context.signal);
  if (valid) return;
  throw new AppError(
    "invalid_arguments",
    `The arguments of ${tool} have ${errors.length} problems; all are listed.`,
    {
      problems: errors.map(({ pointer, message }) => ({ pointer, message })),
    },
  );
}

function idsOf({ id, token }: Caller): readonly string[] {
  return token === undefined || token.id === id ? [id] : [token.id, id];
}

/** Runs of OAuth clients act through a grant; personal tokens have an id of their own kind. */
function isAgentRun({ startedBy, actsFor, actsVia }: RunRecord, { agents }: GuardView): boolean {
  if (actsVia !== null && !actsVia.startsWith("tok_")) return true;
  return agents.some((id) => id === startedBy || id === actsFor || id === actsVia);
}

/** The workflow that asks for a call of this tool with these arguments' names. Values are inputs: data, never expressions. */
async function workflowFor(call: GuardedCall, fourEyes: boolean, context: CallContext): Promise<string> {
  const { tool, effect, args } = call;
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
  const key = `guard ${digestOf(document)}`;
  const inner = contextWith(context, { meta: { "svc/idempotencyKey": key } });
  const record = await createWorkflow({ name: `Guarded call of ${tool}`, tags: ["guard"], document }, inner);
  return record.id;
}

function changedMeanwhile(): AppError {
  return new AppError("conflict", "The guard's settings were changed at the same moment.", {
    nextAction: "Read them again and repeat the change with the new revision.",
  });
}
