/** How long ended runs are kept. A member that is null sets no limit. */
export interface RetentionRule {
  /** The workflow whose runs it is about; null for every workflow without a rule of its own. */
  readonly workflowId: string | null;
  /** The days after which a run keeps only its state and times: inputs, outputs, steps and approvals are removed. */
  readonly detailsDays: number | null;
  /** The days after which the run is removed as well. */
  readonly runsDays: number | null;
  /** The number of ended runs of a workflow that are kept, the newest. */
  readonly runsKept: number | null;
  readonly updatedAt: string;
  readonly updatedBy: string;
}

/** Ended runs of one workflow, with what was started by them, that are older than a moment. */
export interface OldRuns {
  /** Null: runs of documents that were never saved as a workflow. */
  readonly workflowId: string | null;
  /** Their details are still there, or only the run is left. */
  readonly stage: "details" | "run";
  /** Only those that ended before this time. */
  readonly endedBefore: string | null;
  /** Only this run and those that were created before it. */
  readonly upTo: RunPlace | null;
}

/** Where a run stands in the order of creation. */
export interface RunPlace {
  readonly createdAt: string;
  readonly id: string;
}

/** The rules of retention, and the runs that they are about. */
export interface RetentionStore {
  rules(): Promise<readonly RetentionRule[]>;
  put(rule: RetentionRule): Promise<void>;
  remove(workflowId: string | null): Promise<boolean>;
  /** The ids of workflows after one, in order. */
  workflowIds(after: string, limit: number): Promise<readonly string[]>;
  /** The newest ended run of a workflow that is beyond the `kept` newest; null when there are not more. */
  firstBeyond(workflowId: string | null, kept: number): Promise<RunPlace | null>;
  /** How many of these runs there are, counted up to `most`. */
  count(runs: OldRuns, most: number): Promise<number>;
  /** Removes inputs, outputs, steps, approvals and logged calls of up to `limit` of these runs; says how many. */
  removeDetails(runs: OldRuns, limit: number, at: string): Promise<number>;
  /** Removes up to `limit` of these runs whose details are gone; says how many. */
  removeRuns(runs: OldRuns, limit: number): Promise<number>;
  /** Removes payloads of up to `limit` firings of a workflow that started no run before a time; says how many. */
  removePayloads(workflowId: string, before: string, limit: number): Promise<number>;
  /** Gives some free pages of the file back to the disk; says how many are left (SQLite; PostgreSQL does it by itself). */
  reclaim(): Promise<number>;
}
