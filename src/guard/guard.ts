import { setTimeout as sleep } from "node:timers/promises";
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
import { AgentRuns, idsOf, idsOfRun, isUntrustedProgram } from "./agents.ts";
import { approvalOf } from "./approved.ts";
import { ask } from "./asking.ts";
import { callerFacts, starterFacts } from "./facts.ts";
import { decide, settingsIn, timeFacts, type Facts } from "./rules.ts";

/** How long another replica's change may go unnoticed. */
const FRESH_MS = 1_000;
/** Arguments that are longer are not kept with the decision. */
const MAX_KEPT_CHARS = 4_000;
/** How long a public read waits for the settings. */
const LONGEST_READ_MS = 500;
const MOST_ATTEMPTS = 20;
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
  let reading: Promise<void> | null = null;
  /** In which minute a decision about a call without credentials was noted, by what was noted. */
  const noted = new Map<string, number>();
  const agentRuns = new AgentRuns();

  async function settings(): Promise<GuardView> {
    const { store, clock } = services();
    // Read again before they are old: a call that comes in time does not wait for it.
    if (store.kind !== "none" && clock.now() - readAt > FRESH_MS / 2) {
      reading ??= read().finally(() => (reading = null));
      if (isFresh()) reading.catch(() => undefined);
      else await reading;
    }
    return known;
  }

  async function read(): Promise<void> {
    const { store, clock } = services();
    const begunAt = clock.now();
    keep(await store.read.guard.latest());
    readAt = begunAt;
  }

  /** Without a database nothing is ever changed. */
  function isFresh(): boolean {
    const { store, clock } = services();
    return store.kind === "none" || clock.now() - readAt < FRESH_MS;
  }

  /** Public reads are answered while the database is away, by what was read of it last. */
  async function settingsInTime(): Promise<GuardView> {
    if (isFresh()) return known;
    const late = sleep(LONGEST_READ_MS, undefined, { ref: false });
    return Promise.race([settings().catch(() => known), late.then(() => known)]);
  }

  function keep(latest: { revision: number; policy: JsonObject; createdAt: string } | null): void {
    if (latest !== null && latest.revision > known.revision)
      known = { revision: latest.revision, ...settingsIn(latest.policy), changedAt: latest.createdAt };
  }

  async function change(
    changes: Partial<GuardView> | ((latest: Pick<GuardView, "agents">) => Partial<GuardView>),
    basedOn: number | null,
    what: JsonObject,
    caller: Caller,
  ): Promise<GuardView> {
    const { store } = services();
    const stored = await store.transact(async (tx) => {
      const latest = await tx.guard.latest();
      const revision = (latest?.revision ?? 0) + 1;
      if (basedOn !== null && basedOn !== revision - 1) throw changedMeanwhile();
      const before = settingsIn(latest?.policy);
      const changed = typeof changes === "function" ? changes(before) : changes;
      const policy: JsonObject = JSON.parse(JSON.stringify({ ...before, ...changed }));
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
    const isPublicRead = caller.kind === "anonymous" && call.effect === "read";
    const current = isPublicRead ? await settingsInTime() : await settings();
    const runId = runOfCall(meta);
    const run =
      caller.kind === "system" && runId !== null ? await services().store.read.runs.get(runId) : null;
    const ids = run === null ? idsOf(caller) : idsOfRun(run);
    const [id = caller.id] = ids;
    const stopped = current.stopped.find((entry) => entry === server || ids.includes(entry));
    if (stopped !== undefined)
      throw await denied({ call, id, rule: "stopped" }, `Calls of "${stopped}" are stopped by an admin.`);
    if (call.effect === "read" && current.rules.length === 0) return null;
    const starter = async (): Promise<"starter" | null> =>
      (await isAgentCall(caller, id, meta["svc/entry"] === "agent", current)) ? "starter" : null;
    const agent =
      run === null ? await starter() : await agentRuns.agentBehind(run, services().store.read, current);
    const facts: Facts = {
      tool,
      server,
      effect: call.effect,
      agent: agent !== null,
      args,
      ...(run === null || current.rules.length === 0
        ? callerFacts(id, caller)
        : await starterFacts(id, run, services().store.read)),
      time: timeFacts(now),
    };
    const isProgram = isUntrustedProgram(caller, run, current);
    const verdict = decide(current.rules, facts, call.leaves, isProgram);
    const entry = { call, id, rule: verdict.rule, facts };
    if (WRAPPERS.has(tool) && verdict.isDefault) return null;
    if (verdict.decision === "deny")
      throw await denied(entry, `The rule "${verdict.rule}" of the guard refuses ${tool}.`);
    if (call.effect !== "read" && !(await isGuards(run))) await checkLimits(current, { call, id }, ids, now);
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
    if (caller.kind === "anonymous" || call.neverWaits === true || context.dryRun === true)
      throw await denied(
        entry,
        `${tool} needs the approval of a person.`,
        caller.kind === "anonymous"
          ? "Call it with a key or signed in."
          : "Have a person do it in the web app.",
      );
    if (run === null)
      return ask(call, id, verdict, (tx, startedId) => record(tx, "guard.asked", entry, startedId));
    const { "svc/stepId": stepId } = meta;
    // What a key runs is approved as its workflow says; for an agent, and for a rule, a person approves.
    const isAsTheWorkflowSays = agent === null && verdict.isDefault;
    const by = isAsTheWorkflowSays ? "anyone" : verdict.fourEyes ? "four-eyes" : "person";
    const approval =
      typeof stepId === "string" ? await approvalOf(services(), run, { tool, args, stepId }, by) : "missing";
    if (approval === "valid") return null;
    const found =
      approval === "missing"
        ? "no approval of this run showed this call"
        : "a program, which counts for nobody here, decided the approval that showed this call";
    throw await denied(
      entry,
      `${tool} needs the approval of a person${by === "four-eyes" ? " who neither started the run nor worked on its workflow" : ""}, and ${found}.`,
      approval === "of a program"
        ? "Run it again and have a person decide in the web app."
        : agent === "author"
          ? "An agent wrote what runs here. Have a person publish it in the web app, or put an approval step before the call."
          : 'Put an approval step before it (port "approved"), publish and run again.',
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
    if (services().store.kind !== "none") await addAgent(id, caller);
    return true;
  }

  /** Adds to what is stored now: others may be added at the same moment, here and on other replicas. */
  async function addAgent(id: string, caller: Caller): Promise<void> {
    for (let left = MOST_ATTEMPTS; ; left--) {
      try {
        const added = ({ agents }: Pick<GuardView, "agents">) => ({ agents: [...new Set([...agents, id])] });
        await change(added, null, { agent: id, why: "used at /mcp" }, caller);
        return;
      } catch (error) {
        if (left === 0 || !(error instanceof AppError) || error.code !== "conflict") throw error;
      }
    }
  }

  /** The call of a run that the guard made was counted when it was asked for. */
  async function isGuards(run: RunRecord | null): Promise<boolean> {
    if (run === null || run.workflowId === null) return false;
    return (await services().store.read.workflows.head(run.workflowId))?.createdBy === GUARD_ID;
  }

  /**
   * Counts in the database, so that a limit holds over all replicas. A person's limit holds for the person's tokens and
   * clients together.
   */
  async function checkLimits(
    { limits }: GuardView,
    entry: Decided,
    ids: readonly string[],
    now: number,
  ): Promise<void> {
    const own = limits.filter(({ tool = entry.call.tool }) => tool === entry.call.tool);
    for (const id of new Set([entry.id, ...ids]))
      await checkLimitsOf(
        own.filter((limit) => (limit.caller ?? entry.id) === id),
        { ...entry, id },
        now,
      );
  }

  async function checkLimitsOf(
    limits: GuardView["limits"],
    { call, id }: Decided,
    now: number,
  ): Promise<void> {
    const { tool } = call;
    const most = {
      minute: Math.min(...limits.map(({ perMinute = Infinity }) => perMinute)),
      day: Math.min(...limits.map(({ perDay = Infinity }) => perDay)),
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
    const { store, clock } = services();
    if (store.kind === "none") return;
    // Calls without credentials must not fill the list: one of each is noted a minute.
    if (entry.call.context.caller.kind === "anonymous") {
      const what = `${action} ${entry.rule ?? ""} ${entry.call.tool}`;
      const minute = Math.floor(clock.now() / WINDOW_MS.minute);
      if (noted.get(what) === minute) return;
      noted.set(what, minute);
    }
    await store.transact((tx) => record(tx, action, entry));
  }

  return {
    // What an admin reads and then changes is what is stored now, whichever replica changed it.
    async settings() {
      if (services().store.kind !== "none") await read();
      return known;
    },
    change,
    isAgent: (id) => known.agents.includes(id),
    check(call) {
      // A dry run makes reads only: rules and stops hold for them.
      if (call.context.dryRun === true && call.effect !== "read") return null;
      // Our own tools for people and systems that nothing restricts: no decision could be another one.
      if (isFresh() && known.rules.length === 0 && known.stopped.length === 0 && call.effect === "read")
        return null;
      return decided(call);
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

function changedMeanwhile(): AppError {
  return new AppError("conflict", "The guard's settings were changed at the same moment.", {
    nextAction: "Read them again and repeat the change with the new revision.",
  });
}
