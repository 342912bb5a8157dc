import { isDeepStrictEqual } from "node:util";
import { canonicalJson } from "../kernel/canonical-json.ts";
import type { Json } from "../kernel/json.ts";
import type { ComparedStep, RunComparison } from "../model/repairs.ts";
import { lackingScope, type Caller } from "../ports/caller.ts";
import type { RunRecord, StepRecord } from "../ports/records.ts";
import type { Services } from "../ports/services.ts";
import { seenRun } from "../approvals/access-level.ts";
import { comparedResult } from "../workflows/compared-result.ts";

/** Where two runs differ whose values the caller may see. */
export async function compareRuns(
  services: Services,
  firstId: string,
  secondId: string,
  caller: Caller,
): Promise<RunComparison> {
  const [first, second] = [
    await valuesOf(services, firstId, caller),
    await valuesOf(services, secondId, caller),
  ];
  const steps = compareSteps(first.steps, second.steps);
  return {
    runIds: [first.run.id, second.run.id],
    isSameDocument: first.run.documentDigest === second.run.documentDigest,
    isSameInputs: isSame(first.run.inputs, second.run.inputs),
    isSameOutputs: isSameResult(first.run.outputs, second.run.outputs),
    firstDifference: firstOf(steps, [...first.steps, ...second.steps]),
    steps,
  };
}

async function valuesOf(
  services: Services,
  id: string,
  caller: Caller,
): Promise<{ readonly run: RunRecord; readonly steps: readonly StepRecord[] }> {
  const { run, accessLevel } = await seenRun(services, id, caller);
  if (accessLevel === "public")
    throw lackingScope(caller, "read-private", "comparing the runs of other callers");
  return { run, steps: await services.store.read.runs.steps(run.id) };
}

function compareSteps(first: readonly StepRecord[], second: readonly StepRecord[]): ComparedStep[] {
  const [a, b] = [byId(first), byId(second)];
  return [...new Set([...a.keys(), ...b.keys()])].map((stepId) => {
    const [one, two] = [a.get(stepId), b.get(stepId)];
    const differs: ComparedStep["differs"] = [];
    if (one === undefined || two === undefined) differs.push("missing");
    else {
      if (one.state !== two.state) differs.push("status");
      if (!isSame(one.input, two.input)) differs.push("input");
      if (!isSameResult(one.output, two.output)) differs.push("output");
      if (one.error?.["code"] !== two.error?.["code"]) differs.push("error");
    }
    return { stepId, first: one?.state ?? null, second: two?.state ?? null, differs };
  });
}

/** The step that differs and began first: what is behind it follows from it. */
function firstOf(compared: readonly ComparedStep[], steps: readonly StepRecord[]): string | null {
  const differing = new Set(compared.filter(({ differs }) => differs.length > 0).map(({ stepId }) => stepId));
  const [first] = steps
    .filter(({ stepId, startedAt }) => differing.has(stepId) && startedAt !== null)
    .toSorted((a, b) => ((a.startedAt ?? "") < (b.startedAt ?? "") ? -1 : 1));
  return first?.stepId ?? null;
}

function byId(steps: readonly StepRecord[]): ReadonlyMap<string, StepRecord> {
  return new Map(steps.map((step) => [step.stepId, step]));
}

function isSameResult(a: Json, b: Json): boolean {
  return isDeepStrictEqual(comparedResult(a), comparedResult(b));
}

function isSame(a: Json, b: Json): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
