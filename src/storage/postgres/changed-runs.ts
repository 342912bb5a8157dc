import type { StepRecord } from "../../ports/records.ts";
import { countEvents, stepHasEnded, type RunChange } from "../../ports/run-changes.ts";
import type { StepLeaf } from "../../ports/store.ts";
import { changesText, type RunPage } from "../records/run-pages.ts";

/** What a transaction changes of a run: a page, to which the leaves of its steps are added when they are made. */
export class ChangedRun implements RunPage {
  readonly runId: string;
  readonly changes: string;
  readonly events: number;
  /** How many of its steps have a leaf. */
  readonly #ended: number;
  #leaves: readonly StepLeaf[] = [];

  constructor({ head, run, moved, steps }: RunChange) {
    this.runId = head.id;
    this.changes = changesText(moved ? run : null, steps);
    this.events = countEvents(moved, steps);
    this.#ended = steps.filter(hasEnded).length;
  }

  get leaves(): readonly StepLeaf[] {
    return this.#leaves;
  }

  /** Takes the leaves of its steps; false when they are not just those. */
  take(leaves: readonly StepLeaf[]): boolean {
    if (leaves.length !== this.#ended || this.#leaves.length > 0) return false;
    this.#leaves = leaves;
    return true;
  }
}

function hasEnded({ state }: StepRecord): boolean {
  return stepHasEnded(state);
}
