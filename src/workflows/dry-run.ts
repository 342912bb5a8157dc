import { AppError } from "../kernel/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import type { Verdict } from "../model/states.ts";
import type { StepRecord } from "../ports/records.ts";
import type { ToolCatalogView, ToolView } from "./catalog-view.ts";
import { externalCall, externalHandoff, type ExternalStep } from "./confirmable.ts";
import { documentDigest } from "./document.ts";
import type { Action, CallAction, HandoffAction, ListenAction, RunResult } from "./interpreter/actions.ts";
import { RunMachine } from "./interpreter/machine.ts";
import { compileProgram } from "./interpreter/program.ts";
import { demandsOf, sampleOf, withDemands, type Demands } from "./sample.ts";
import type { WorkflowDocument } from "./schema.ts";

/** Where a step's output in a dry run came from. */
type OutputSource = "computed" | "executed" | "pinned" | "recorded" | "sample" | "assumed";

/** One step of a dry run as its trace shows it. */
export interface DryStep {
  readonly record: StepRecord;
  readonly source: OutputSource;
  /** What a reader should know, such as what a call that was not used answered. */
  readonly note: string | null;
}

/** What a dry run found. */
export interface DryRunResult {
  readonly result: RunResult;
  readonly steps: readonly DryStep[];
  /** Calls that would have changed something and were not made. */
  readonly blocked: readonly { readonly stepId: string; readonly tool: string; readonly effect: string }[];
  /** Steps that another service has to confirm in a run. */
  readonly unconfirmed: readonly (ExternalStep & { readonly stepId: string })[];
  /** Time that waits and approvals were skipped over, in milliseconds. */
  readonly skippedMs: number;
}

/** What a dry run may use. */
export interface DryRunParts {
  readonly view: ToolCatalogView;
  readonly runId: string;
  readonly workflowId: string | null;
  readonly startedAt: number;
  /** Calls a tool that changes nothing; the dispatcher refuses all others. Null means: use a sample instead. */
  execute(
    tool: ToolView,
    args: JsonObject,
  ): Promise<{ readonly output: Json | null; readonly note: string | null }>;
  /** The output that the caller wants a step to have; what it would have changed counts as blocked all the same. */
  pinned(stepId: string): Json | undefined;
  /** The output of the same step in an earlier run, if there is one. */
  recorded(stepId: string): Json | undefined;
  /** The verdict to assume for an approval; approved unless the caller says otherwise. */
  verdict(stepId: string): Verdict;
  readonly signal: AbortSignal;
}

const MAX_ACTIONS = 5_000;
/** What its costly expressions may take together: anybody can ask for a dry run. */
const EXPRESSIONS_MS = 50;

/**
 * Runs a document through the real interpreter without doing anything: values flow, conditions decide, retries and
 * waits take no time, tools that only read are called, and every other output is recorded, made from a schema, or
 * assumed. Says of each step which of these it was.
 */
export async function dryRun(
  document: WorkflowDocument,
  inputs: JsonObject,
  parts: DryRunParts,
): Promise<DryRunResult> {
  return new DryRun(document, inputs, parts).run();
}

class DryRun {
  readonly #parts: DryRunParts;
  readonly #machine: RunMachine;
  readonly #demands: Demands;
  readonly #sources = new Map<string, { source: OutputSource; note: string | null }>();
  readonly #order: string[] = [];
  readonly #records = new Map<string, StepRecord>();
  readonly #blocked: { stepId: string; tool: string; effect: string }[] = [];
  readonly #unconfirmed: (ExternalStep & { readonly stepId: string })[] = [];
  #now: number;

  constructor(document: WorkflowDocument, inputs: JsonObject, parts: DryRunParts) {
    this.#parts = parts;
    this.#now = parts.startedAt;
    this.#demands = demandsOf(document);
    const { runId: id, workflowId, startedAt } = parts;
    this.#machine = new RunMachine(compileProgram(documentDigest(document), document), {
      id,
      workflowId,
      inputs,
      startedAt,
      expressions: { leftMs: EXPRESSIONS_MS },
    });
  }

  async run(): Promise<DryRunResult> {
    let count = 0;
    while (this.#machine.result === null) {
      const actions = this.#machine.advance(this.#now);
      this.#collect();
      count += actions.length;
      if (count > MAX_ACTIONS || this.#parts.signal.aborted) throw this.#tooMuch(count);
      for (const action of actions) await this.#perform(action);
      this.#collect();
      if (actions.length > 0 || this.#machine.result !== null) continue;
      const { wakeAt } = this.#machine;
      if (wakeAt === null) throw new AppError("internal", "The dry run came to a standstill.");
      this.#now = Math.max(wakeAt, this.#now + 1);
    }
    this.#collect();
    return {
      result: this.#machine.result,
      steps: this.#order.flatMap((stepId) => {
        const record = this.#records.get(stepId);
        const { source, note } = this.#sources.get(stepId) ?? { source: "computed" as const, note: null };
        return record === undefined ? [] : [{ record, source, note }];
      }),
      blocked: this.#blocked,
      unconfirmed: this.#unconfirmed,
      skippedMs: this.#now - this.#parts.startedAt,
    };
  }

  #tooMuch(count: number): AppError {
    if (this.#parts.signal.aborted)
      return new AppError("timed_out", "The dry run took too long and was stopped.");
    return new AppError("too_large", `The dry run would take ${count} steps; ${MAX_ACTIONS} are allowed.`, {
      nextAction: "Dry-run it with shorter lists.",
    });
  }

  #collect(): void {
    for (const record of this.#machine.takeChanges()) {
      if (!this.#records.has(record.stepId)) this.#order.push(record.stepId);
      this.#records.set(record.stepId, record);
    }
  }

  async #perform(action: Action): Promise<void> {
    if (action.kind === "call") await this.#call(action);
    else if (action.kind === "handoff") this.#handoff(action);
    else if (action.kind === "child") this.#child(action.stepId, action.workflowId, action.version);
    else if (action.kind === "listen") this.#receive(action);
    else if (action.kind === "approval") this.#decide(action.stepId, action.form);
    // Reminders and withdrawals concern people and stored approvals: a dry run has neither.
  }

  #handoff(action: HandoffAction): void {
    const { stepId, target, capability, dryRun: preview } = action;
    if (!preview) this.#block(stepId, `handoff to ${target}`, "external");
    const external = externalHandoff(this.#parts.view, { target, capability, dryRun: preview });
    this.#unconfirmed.push({ stepId, ...external });
    const data = {
      delegationId: `delegation_${target}_dryrun`,
      status: "preview_ready",
      resultRef: null,
      data: null,
    };
    const prepared = { ok: true, data };
    const output =
      this.#parts.pinned(stepId) ??
      this.#parts.recorded(stepId) ??
      unreferenced(this.#filled(stepId, prepared), data);
    const note = `The packet was prepared and not sent. ${external.reason}`;
    this.#finish(stepId, output, this.#parts.pinned(stepId) === undefined ? "assumed" : "pinned", note);
  }

  async #call({ stepId, tool: name, args }: CallAction): Promise<void> {
    const tool = this.#parts.view.tool(name);
    // What an admin has connected may be read: its effect is known and can be corrected.
    const isReadable = tool !== undefined && (!tool.openWorld || tool.connection !== undefined);
    const pinned = this.#parts.pinned(stepId);
    if (pinned !== undefined && tool?.effect === "none") {
      this.#finish(stepId, pinned, "pinned", null);
      return;
    }
    if (isReadable && tool.effect === "none") {
      const { output, note } = await this.#parts.execute(tool, args);
      if (output !== null) {
        this.#finish(stepId, output, "executed", note);
        return;
      }
      this.#fallBack(stepId, tool, note);
      return;
    }
    if (tool?.effect !== "none") this.#block(stepId, name, tool?.effect ?? "external");
    const external = externalCall(this.#parts.view, tool, args);
    if (external !== null) this.#unconfirmed.push({ stepId, ...external });
    this.#fallBack(stepId, tool, external?.reason ?? null, external);
  }

  #fallBack(
    stepId: string,
    tool: ToolView | undefined,
    note: string | null,
    external: ExternalStep | null = null,
  ): void {
    const pinned = this.#parts.pinned(stepId);
    const known = pinned ?? this.#parts.recorded(stepId);
    if (known !== undefined) {
      this.#finish(stepId, known, pinned === undefined ? "recorded" : "pinned", note);
      return;
    }
    const output = this.#filled(stepId, { ok: true, data: sampleOf(tool?.outputSchema ?? null) });
    const honest = external === null ? output : unreferenced(output, unconfirmedData(external));
    this.#finish(stepId, honest, "sample", note);
  }

  #filled(stepId: string, output: Json): Json {
    return withDemands(output, nodeOf(stepId), this.#demands);
  }

  #finish(stepId: string, output: Json, source: OutputSource, note: string | null): void {
    this.#sources.set(stepId, { source, note });
    this.#machine.complete(stepId, { kind: "succeeded", output }, this.#now);
  }

  #child(stepId: string, workflowId: string, version: number | null): void {
    const child = this.#parts.view.subworkflow(workflowId, version ?? undefined);
    const made = Object.fromEntries(Object.keys(child?.outputs ?? {}).map((name) => [name, null]));
    const pinned = this.#parts.pinned(stepId);
    const output = pinned ?? this.#parts.recorded(stepId) ?? this.#filled(stepId, made);
    const source = pinned === undefined ? "assumed" : "pinned";
    this.#sources.set(stepId, { source, note: "The other workflow was not run." });
    this.#machine.childEnded(stepId, { kind: "succeeded", output }, this.#now);
  }

  #receive({ stepId, awaited }: ListenAction): void {
    const pinned = this.#parts.pinned(stepId);
    const isGiven = isJsonObject(pinned);
    const { kind } = awaited;
    const note = `A dry run assumes that the ${kind} comes.`;
    this.#sources.set(stepId, { source: isGiven ? "pinned" : "assumed", note });
    const at = new Date(this.#now).toISOString();
    const made =
      kind === "event"
        ? this.#filled(stepId, { event: { specversion: "1.0", type: awaited.type, data: {} } })
        : this.#filled(stepId, {
            signal: awaited.name,
            payload: awaited.schema === null ? null : sampleOf(awaited.schema),
            sentBy: "dry-run",
            sentAt: at,
          });
    this.#machine.received(stepId, isGiven ? pinned : isJsonObject(made) ? made : {}, this.#now);
  }

  #decide(stepId: string, form: JsonObject | null): void {
    const verdict = this.#parts.verdict(nodeOf(stepId));
    const values = form === null || verdict !== "approved" ? null : sampleOf(form);
    this.#sources.set(stepId, {
      source: "assumed",
      note: `A dry run assumes that this is ${verdict.replace("_", " ")}.`,
    });
    this.#machine.decide(
      stepId,
      {
        verdict,
        reason: verdict === "approved" ? null : "Assumed by a dry run.",
        values: isJsonObject(values) ? values : null,
        decidedBy: "dry-run",
        decidedAt: new Date(this.#now).toISOString(),
      },
      this.#now,
    );
  }

  #block(stepId: string, tool: string, effect: string): void {
    this.#blocked.push({ stepId, tool, effect });
  }
}

/** What a sample must not make up: that a service confirmed something. */
function unconfirmedData({ sibling }: ExternalStep): JsonObject {
  return {
    status: "preview_ready",
    resultRef: null,
    delegationId: `delegation_${sibling ?? "sibling"}_dryrun`,
    outputArtifactIds: [],
    confirmation: { required: true, received: false, source: null },
  };
}

/** An output whose members that claim a confirmation are replaced by those that claim none. */
function unreferenced(output: Json, honest: JsonObject): Json {
  if (!isJsonObject(output) || !isJsonObject(output["data"])) return output;
  const data = output["data"];
  const claims = Object.entries(honest).filter(([name]) => Object.hasOwn(data, name) && name !== "data");
  return { ...output, data: { ...data, ...Object.fromEntries(claims) } };
}

/** The id of the node that a step belongs to, inside a map's body too. */
function nodeOf(stepId: string): string {
  const last = stepId.split(".").pop() ?? stepId;
  return last.replace(/\[[0-9]+\]$/, "");
}
