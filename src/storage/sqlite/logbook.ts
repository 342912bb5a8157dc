import type { Logbook } from "../../ports/logbook.ts";

/** A logbook as its store sees it: the store reads and writes only when everything before is in its tables. */
export interface StoreLogbook extends Logbook {
  /** Resolves when everything that was entered before is in its tables; null when it is. */
  settled(): Promise<void> | null;
  /** The same, and takes nothing more until `resume`. */
  pause(): Promise<void> | null;
  resume(): void;
  /** Who hears of the newest event that was written. */
  onEvents(listener: (last: number) => void): void;
  close(): Promise<void>;
}
