/** A change that is kept as data until it is in its tables; the rest of it depends on its kind. */
export interface LogEntry {
  readonly kind: "run" | "handoff";
}

/**
 * What is promised and not yet in its tables. An entry is on disk when `enter` says so, and is put into its tables a
 * moment later, after all entries before it. Reads and transactions of the store come after the entries before them.
 */
export interface Logbook {
  /** True once the entry is on disk; false when the logbook does not take it now: then a transaction must do. */
  enter(entry: LogEntry): Promise<boolean>;
  /** Hears of runs that turned out to belong to another worker: nothing of their entries was written. */
  onLost(listener: (runIds: readonly string[]) => void): void;
}
