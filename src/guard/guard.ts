import { NotDone, type Envelope } from "../kernel/envelope.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { GuardView } from "../model/guard.ts";
import type { Caller } from "../ports/caller.ts";
import type { Guard, GuardedCall } from "../ports/guard.ts";
import { runOfCall } from "../ports/meta-keys.ts";
import type { RunRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import { GUARD_ID } from "../workflows/visibility.ts";
import { AgentRuns, idsOf, idsOfRun, isUntrustedProgram } from "./agents.ts";
import { approvalOf } from "./approved.ts";
import { ask } from "./asking.ts";
import { callerFacts, starterFacts } from "./facts.ts";
import { checkLimits } from "./limits.ts";
import { GuardNotes, recordDecision } from "./notes.ts";
import { decide, timeFacts, type Facts } from "./rules.ts";
import { GuardSettings } from "./settings.ts";

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
  isAgent(id: string): boolean;
}

/** The one place where it is decided whether a call goes on. */
export function createGuard(services: () => Services): ManagedGuard {
  const settings = new GuardSettings(services);
  const notes = new GuardNotes(services);
  const agentRuns = new AgentRuns();

  async function decided(call: GuardedCall): Promise<Envelope | null> {
    const { tool, server, args, context } = call;
    const { caller, meta } = context;
    const { clock } = services();
    const now = clock.now();
    const isPublicRead = caller.kind === "anonymous" && call.effect === "read";
    const current = isPublicRead ? await settings.inTime() : await settings.current();
    const runId = runOfCall(meta);
    const run =
      caller.kind === "system" && runId !== null ? await services().store.read.runs.get(runId) : null;
    const ids = run === null ? idsOf(caller) : idsOfRun(run);
    const [id = caller.id] = ids;
    const stopped = current.stopped.find((entry) => entry === server || ids.includes(entry));
    if (stopped !== undefined)
      throw await notes.denied(
        { call, id, rule: "stopped" },
        `Calls of "${stopped}" are stopped by an admin.`,
      );
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
      throw await notes.denied(entry, `The rule "${verdict.rule}" of the guard refuses ${tool}.`);
    if (call.effect !== "read" && !(await isGuards(run)))
      await checkLimits(services().store, current, { call, id }, ids, now);
    if (verdict.decision === "allow") return null;
    if (verdict.decision === "dry-run") {
      await notes.note("guard.dry_run", entry);
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
      await notes.note("guard.bypassed", entry);
      return null;
    }
    if (caller.kind === "anonymous" || call.neverWaits === true || context.dryRun === true)
      throw await notes.denied(
        entry,
        `${tool} needs the approval of a person.`,
        caller.kind === "anonymous"
          ? "Call it with a key or signed in."
          : "Have a person do it in the web app.",
      );
    if (run === null)
      return ask(call, id, verdict, (tx, startedId) => recordDecision(tx, "guard.asked", entry, startedId));
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
    throw await notes.denied(
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
    if (services().store.kind !== "none") await settings.addAgent(id, caller);
    return true;
  }

  /** The call of a run that the guard made was counted when it was asked for. */
  async function isGuards(run: RunRecord | null): Promise<boolean> {
    if (run === null || run.workflowId === null) return false;
    return (await services().store.read.workflows.head(run.workflowId))?.createdBy === GUARD_ID;
  }

  return {
    settings: () => settings.stored(),
    change: (...changed) => settings.change(...changed),
    isAgent: (id) => settings.known.agents.includes(id),
    check(call) {
      // A dry run makes reads only: rules and stops hold for them.
      if (call.context.dryRun === true && call.effect !== "read") return null;
      const { rules, stopped } = settings.known;
      // Our own tools for people and systems that nothing restricts: no decision could be another one.
      if (settings.isFresh() && rules.length === 0 && stopped.length === 0 && call.effect === "read")
        return null;
      return decided(call);
    },
  };
}
