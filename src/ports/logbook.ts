/**
 * What is promised and not yet in its tables. An entry is on disk when `enter` says so, and is put into its tables a
 * moment later, after all entries before it. Reads and transactions of the store come after the entries before them.
 */
export interface Logbook {
  /**
   * True once the entry, a line of text, is on disk; false when the logbook does not take it now: then a transaction
   * must do.
   */
  enter(entry: string): Promise<boolean>;
  /** True when `enter` would take the entry now: it is then before all that are entered later. */
  takes(entry: string): boolean;
  /** Hears of runs that turned out to belong to another worker: nothing of their entries was written. */
  onLost(listener: (runIds: readonly string[]) => void): void;
}
