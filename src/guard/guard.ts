import { recordEntry } from "../audit/record.ts";
import { digestOf } from "../kernel/canonical-json.ts";
import { NotDone, type Envelope } from "../kernel/envelope.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { maskSecrets } from "../kernel/secrets.ts";
import type { GuardView } from "../model/guard.ts";
import { runOfCall } from "../ports/meta-keys.ts";
import type { Caller } from "../ports/caller.ts";
import type { Guard, GuardedCall } from "../ports/guard.ts";
import type { RunRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import type { StoreTx } from "../ports/store.ts";
import { GUARD_ID } from "../workflows/visibility.ts";
import { isApproved } from "./approved.ts";
import { ask } from "./asking.ts";
import { callerFacts, starterFacts } from "./facts.ts";
import { decide, settingsIn, timeFacts, type Facts } from "./rules.ts";

/** How long another replica's change may go unnoticed. */
const FRESH_MS = 1_000;
/** Arguments that are longer are not kept with the decision. */
const MAX_KEPT_CHARS = 4_000;
const WINDOW_MS = { minute: 60_000, day: 86_400_000 } as const;
/** These call other tools, which are checked themselves. */
const WRAPPERS: ReadonlySet<string> = new Set(["execute_mcp_tool", "run_workflow"]);

type NotedAction = "guard.denied" | "guard.asked" | "guard.dry_run" | "guard.bypassed";

/** A call about which something was decided. */
interface Decided {
  readonly call: GuardedCall;
  readonly id: string;
  readonly rule?: string;
  readonly facts?: Facts;
}

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
  isAgent(id: string): boolean;
}

/** The one place where it is decided whether a call goes on. */
export function createGuard(services: () => Services): ManagedGuard {
  let known: GuardView = { revision: 0, ...settingsIn({}), changedAt: null };
  let readAt = Number.NEGATIVE_INFINITY;

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
    const runId = runOfCall(meta);
    const run =
      caller.kind === "system" && runId !== null ? await services().store.read.runs.get(runId) : null;
    const ids = run === null ? idsOf(caller) : idsOfRun(run);
    const [id = caller.id] = ids;
    const stopped = current.stopped.find((entry) => entry === server || ids.includes(entry));
    if (stopped !== undefined)
      throw await denied({ call, id, rule: "stopped" }, `Calls of "${stopped}" are stopped by an admin.`);
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
      ...(run === null || current.rules.length === 0
        ? callerFacts(id, caller)
        : await starterFacts(id, run, services().store.read)),
      time: timeFacts(now),
    };
    const verdict = decide(current.rules, facts, call.leaves);
    const entry = { call, id, rule: verdict.rule, facts };
    if (WRAPPERS.has(tool) && verdict.rule.startsWith("default")) return null;
    if (verdict.decision === "deny")
      throw await denied(entry, `The rule "${verdict.rule}" of the guard refuses ${tool}.`);
    if (call.effect !== "read" && !(await isGuards(run))) await checkLimits(current, { call, id }, now);
    if (verdict.decision === "allow") return null;
    if (verdict.decision === "dry-run") {
      await note("guard.dry_run", entry);
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
      await note("guard.bypassed", entry);
      return null;
    }
    if (run === null)
      return ask(call, id, verdict, (tx, startedId) => record(tx, "guard.asked", entry, startedId));
    const { "svc/stepId": stepId } = meta;
    const isStep = typeof stepId === "string";
    if (isStep && (await isApproved(services(), run, { tool, args, stepId }, verdict.fourEyes))) return null;
    throw await denied(
      entry,
      `${tool} needs the approval of a person${verdict.fourEyes ? " who neither started the run nor worked on its workflow" : ""}, and no approval of this run showed this call.`,
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

  /** The call of a run that the guard made was counted when it was asked for. */
  async function isGuards(run: RunRecord | null): Promise<boolean> {
    if (run === null || run.workflowId === null) return false;
    return (await services().store.read.workflows.head(run.workflowId))?.createdBy === GUARD_ID;
  }

  /** Counts in the database, so that a limit holds over all replicas. */
  async function checkLimits({ limits }: GuardView, { call, id }: Decided, now: number): Promise<void> {
    const { tool } = call;
    const found = limits.filter((limit) => (limit.caller ?? id) === id && (limit.tool ?? tool) === tool);
    const most = {
      minute: Math.min(...found.map(({ perMinute = Infinity }) => perMinute)),
      day: Math.min(...found.map(({ perDay = Infinity }) => perDay)),
    };
    for (const unit of ["minute", "day"] as const) {
      if (most[unit] === Infinity) continue;
      const window = Math.floor(now / WINDOW_MS[unit]);
      const rule = `limit-per-${unit}`;
      const isOver = await services().store.transact(async (tx) => {
        const calls = await tx.guard.count(id, tool, unit, window);
        // Once for each window: a caller that goes on must not fill the list.
        if (calls === most[unit] + 1) await record(tx, "guard.denied", { call, id, rule });
        return calls > most[unit];
      });
      if (!isOver) continue;
      throw new AppError("rate_limited", `The guard allows ${most[unit]} calls of ${tool} per ${unit}.`, {
        retryAfterSeconds: Math.ceil(((window + 1) * WINDOW_MS[unit] - now) / 1_000),
      });
    }
  }

  async function denied(entry: Decided, message: string, nextAction?: string): Promise<AppError> {
    await note("guard.denied", entry);
    return new AppError("blocked", message, {
      details: { rule: entry.rule ?? "", tool: entry.call.tool },
      ...(nextAction !== undefined && { nextAction }),
    });
  }

  async function note(action: NotedAction, entry: Decided): Promise<void> {
    const { store } = services();
    if (store.kind !== "none") await store.transact((tx) => record(tx, action, entry));
  }

  return {
    settings,
    change,
    isAgent: (id) => known.agents.includes(id),
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
}

/** Writes what was decided about a call, with what rules are simulated with later. */
function record(
  tx: StoreTx,
  action: NotedAction,
  { call: { tool, server, effect, leaves, args }, id, rule, facts }: Decided,
  runId?: string,
): Promise<void> {
  const masked = maskSecrets(args);
  const isKept = isJsonObject(masked) && JSON.stringify(masked).length <= MAX_KEPT_CHARS;
  const detail: JsonObject = {
    tool,
    server,
    effect,
    leaves,
    rule: rule ?? "",
    ...(isKept && { arguments: masked }),
    ...(facts !== undefined && { agent: facts.agent, caller: facts.caller, person: facts.person }),
    ...(runId !== undefined && { runId }),
  };
  return recordEntry(tx, { action, by: id, subject: `tools/${tool}`, detail, provenanceId: null });
}

function idsOf({ id, token }: Caller): readonly string[] {
  return token === undefined || token.id === id ? [id] : [token.id, id];
}

function idsOfRun({ startedBy, actsFor, actsVia }: RunRecord): readonly string[] {
  return [...(actsVia === null ? [] : [actsVia]), actsFor, startedBy];
}

/** Runs of OAuth clients act through a grant; personal tokens have an id of their own kind. */
function isAgentRun({ startedBy, actsFor, actsVia }: RunRecord, { agents }: GuardView): boolean {
  if (actsVia !== null && !actsVia.startsWith("tok_")) return true;
  return agents.some((id) => id === startedBy || id === actsFor || id === actsVia);
}

function changedMeanwhile(): AppError {
  return new AppError("conflict", "The guard's settings were changed at the same moment.", {
    nextAction: "Read them again and repeat the change with the new revision.",
  });
}
