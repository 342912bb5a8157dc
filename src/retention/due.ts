import type { OldRuns, RetentionRule } from "../ports/retention.ts";
import type { Records } from "../ports/store.ts";

const DAY_MS = 24 * 60 * 60_000;
const PAGE = 500;

/** The limits of a rule. */
export type Limits = Pick<RetentionRule, "detailsDays" | "runsDays" | "runsKept">;

/** The workflows that a rule is about: its own, or all that have no rule; null stands for documents without a workflow. */
export async function* workflowsUnder(
  rule: Pick<RetentionRule, "workflowId">,
  rules: readonly RetentionRule[],
  read: Records,
): AsyncGenerator<string | null> {
  if (rule.workflowId !== null) {
    yield rule.workflowId;
    return;
  }
  yield null;
  const own = new Set(rules.map(({ workflowId }) => workflowId));
  for (let after = ""; ;) {
    const ids = await read.retention.workflowIds(after, PAGE);
    for (const id of ids) if (!own.has(id)) yield id;
    const last = ids.at(-1);
    if (last === undefined || ids.length < PAGE) return;
    after = last;
  }
}

const daysBefore = (now: number, days: number): string => new Date(now - days * DAY_MS).toISOString();

/** The time before which values are removed; null when the limits keep them. */
export function detailsBefore({ detailsDays, runsDays }: Limits, now: number): string | null {
  const days = Math.min(detailsDays ?? Infinity, runsDays ?? Infinity);
  return days === Infinity ? null : daysBefore(now, days);
}

/** The runs of a workflow that the limits are past for. Details go first: a run is removed when it has none any more. */
export async function pastLimits(
  limits: Limits,
  workflowId: string | null,
  now: number,
  read: Records,
): Promise<readonly OldRuns[]> {
  const { detailsDays, runsDays, runsKept } = limits;
  const before = (days: number): string => daysBefore(now, days);
  const found: OldRuns[] = [];
  const add = (stage: OldRuns["stage"], more: Partial<OldRuns>): void => {
    found.push({ workflowId, stage, endedBefore: null, upTo: null, ...more });
  };
  if (detailsDays !== null) add("details", { endedBefore: before(detailsDays) });
  for (const stage of ["details", "run"] as const) {
    if (runsDays !== null) add(stage, { endedBefore: before(runsDays) });
  }
  const upTo = runsKept === null ? null : await read.retention.firstBeyond(workflowId, runsKept);
  if (upTo !== null) {
    add("details", { upTo });
    add("run", { upTo });
  }
  return found;
}
