import { handOf, isByOwnProgram } from "../approvals/four-eyes.ts";
import { digestOf } from "../kernel/canonical-json.ts";
import { isJsonObject, isList, type Json, type JsonObject } from "../kernel/json.ts";
import type { ApprovalRecord, RunRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";

const MAX_PARENTS = 16;

/** A call that a step of a run is about to make. */
interface StepCall {
  readonly tool: string;
  readonly stepId: string;
  readonly args: JsonObject;
}

/**
 * Whether a person, not the agent itself, approved exactly this call in the run or in one that it is part of: the same
 * step, the same tool, and the arguments that were shown as far as they were known. With four eyes, a person who started
 * the run or worked on its workflow does not count; `anyone` counts everybody whom the workflow lets decide. A key is no
 * person: two programs must not approve each other's calls.
 */
export async function approvalOf(
  services: Services,
  start: RunRecord,
  call: StepCall,
  by: "anyone" | "person" | "four-eyes",
): Promise<"valid" | "of a program" | "missing"> {
  const { read } = services.store;
  let isOfProgram = false;
  let run: RunRecord | null = start;
  let place = call.stepId;
  for (let left = MAX_PARENTS; run !== null && left > 0; left--) {
    const { items } = await read.approvals.list({ limit: 100 }, { runId: run.id });
    for (const approval of items) {
      const { state, decidedBy, decidedVia } = approval;
      if (state !== "approved" || decidedBy === null || !opens(approval, { ...call, stepId: place }))
        continue;
      if (by === "anyone") return "valid";
      if (!decidedBy.startsWith("person_") || isByOwnProgram(run, decidedVia, decidedBy)) isOfProgram = true;
      else if (by === "person" || (await handOf(services, run, decidedBy)) === null) return "valid";
    }
    place = `${run.parentStepId ?? ""}/${place}`;
    run = run.parentRunId === null ? null : await read.runs.get(run.parentRunId);
  }
  return isOfProgram ? "of a program" : "missing";
}

/** Whether an approval listed this call among those behind it. */
function opens({ stepId, shown }: ApprovalRecord, { tool, args, stepId: place }: StepCall): boolean {
  const { calls } = shown;
  if (calls === undefined || !isList(calls)) return false;
  // Steps are listed as they stand in the graph of the approval, which may be the body of a map.
  const prefix = stepId.slice(0, stepId.lastIndexOf(".") + 1);
  return calls.filter(isJsonObject).some((listed) => {
    const step = typeof listed["step"] === "string" ? prefix + listed["step"] : "";
    // Items that were too many to list are listed by the digest of them all.
    if (listed["items"] !== undefined) return step === place.replace(/\[\d+\]$/, "");
    if (step !== place && step !== place.replaceAll(/\[\d+\]/g, "[]")) return false;
    const given = listed["arguments"] ?? {};
    const { tool: called, handoff } = listed;
    const name = typeof handoff === "string" ? `handoff:${handoff}` : called;
    if (name === tool) return fits(given, args);
    const isInner = called === "execute_mcp_tool" && isJsonObject(given) && given["name"] === tool;
    return isInner && fits(given["arguments"] ?? {}, args);
  });
}

/** Whether a value is the one that was shown; what was not known then may be anything. */
function fits(shown: Json, actual: Json | undefined): boolean {
  if (isList(shown))
    return (
      actual !== undefined &&
      isList(actual) &&
      shown.length === actual.length &&
      shown.every((item, at) => fits(item, actual[at]))
    );
  if (!isJsonObject(shown)) return shown === actual;
  if (Object.hasOwn(shown, "$notKnownYet")) return true;
  if (shown["$truncated"] === true) return actual !== undefined && digestOf(actual) === shown["digest"];
  return (
    actual !== undefined &&
    isJsonObject(actual) &&
    Object.keys(actual).every((name) => Object.hasOwn(shown, name)) &&
    Object.entries(shown).every(([name, value]) => fits(value ?? null, actual[name]))
  );
}
