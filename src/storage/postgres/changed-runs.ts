import type { ProvenanceRecord, StepRecord } from "../../ports/records.ts";
import { countEvents, stepHasEnded, type RunChange } from "../../ports/run-changes.ts";
import type { StepLeaf } from "../../ports/store.ts";
import { INSERT_LEAF, INSERT_STEP_LEAF, leafValues } from "../records/provenance.ts";
import { changesText, type RunPage } from "../records/run-pages.ts";
import type { SqlValue } from "../sql.ts";
import type { Part } from "./gathered.ts";
import { rowsPart } from "./sql.ts";

/** What a transaction changes of a run: a page, to which the leaves of its steps are added when they are made. */
export class ChangedRun implements RunPage {
  readonly runId: string;
  readonly changes: string;
  readonly events: number;
  /** How many of its steps have a leaf. */
  readonly ended: number;
  /** Given when it is decided which leaves are rows. */
  leaves: readonly StepLeaf[] = [];

  constructor({ head, run, moved, steps }: RunChange) {
    this.runId = head.id;
    this.changes = changesText(moved ? run : null, steps);
    this.events = countEvents(moved, steps);
    this.ended = steps.filter(hasEnded).length;
  }
}

function hasEnded({ state }: StepRecord): boolean {
  return stepHasEnded(state);
}

/** Leaves of one run, and the page that can have them. */
interface Group {
  readonly leaves: readonly StepLeaf[];
  readonly run: ChangedRun | null;
}

/**
 * The leaves of a transaction, as one write. Those of steps go to the pages of their runs, but the first and the last
 * of all are rows: so the table of leaves ends where the log does, and of two that begin in the same place its key lets one.
 */
export class LeafPart implements Part {
  readonly table = "provenance_records";
  readonly isLate = true;
  readonly #groups: Group[] = [];
  readonly #records: ProvenanceRecord[] = [];
  #made: Part | null = null;

  /** True when nothing can be added any more. */
  get isMade(): boolean {
    return this.#made !== null;
  }

  get text(): string {
    return this.make().text;
  }

  get values(): readonly SqlValue[] {
    return this.make().values;
  }

  addRecords(records: readonly ProvenanceRecord[]): void {
    for (const record of records) this.#records.push(record);
  }

  /** Adds the leaves of steps, and says which runs may have them in their pages. */
  addSteps(leaves: readonly StepLeaf[], runs: ReadonlyMap<string, ChangedRun>): void {
    for (let from = 0, next = 0; from < leaves.length; from = next) {
      const runId = leaves[from]?.runId ?? "";
      while (leaves[next]?.runId === runId) next++;
      const run = runs.get(runId);
      const fits = run !== undefined && run.ended === next - from && run.leaves.length === 0;
      this.#groups.push({ leaves: leaves.slice(from, next), run: fits ? run : null });
    }
  }

  /** Decides which leaves are rows, and gives the others to their pages. */
  make(): Part {
    this.#made ??= this.#decided();
    return this.#made;
  }

  #decided(): Part {
    const { first, last } = this.#bounds();
    const rows: StepLeaf[] = [];
    for (const { leaves, run } of this.#groups) {
      const isEdge = leaves.some(({ leafIndex }) => leafIndex === first || leafIndex === last);
      if (run === null || isEdge) rows.push(...leaves);
      else run.leaves = leaves;
    }
    if (this.#records.length > 0) {
      return rowsPart(INSERT_LEAF, [...rows.map(fullStepValues), ...this.#records.map(leafValues)]);
    }
    return rowsPart(INSERT_STEP_LEAF, rows.map(stepValues));
  }

  #bounds(): { readonly first: number; readonly last: number } {
    let first = Number.MAX_SAFE_INTEGER;
    let last = -1;
    const see = ({ leafIndex }: { readonly leafIndex: number }): void => {
      if (leafIndex < first) first = leafIndex;
      if (leafIndex > last) last = leafIndex;
    };
    for (const { leaves } of this.#groups) leaves.forEach(see);
    this.#records.forEach(see);
    return { first, last };
  }
}

function stepValues({ leafIndex, runId, body, leafHash }: StepLeaf): readonly SqlValue[] {
  return [leafIndex, runId, body, leafHash];
}

function fullStepValues({ leafIndex, runId, body, leafHash }: StepLeaf): readonly SqlValue[] {
  return [leafIndex, null, null, null, runId, null, null, null, body, leafHash, null, null];
}
