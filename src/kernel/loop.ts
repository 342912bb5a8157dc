/** Work in the background that is looked for again and again, one turn at a time. */
export interface Loop {
  /** There may be something to do: looks now, or again once the turn at hand has ended. */
  wake(): void;
  /** Resolves when the turn at hand has ended. */
  close(): Promise<void>;
}

/** What a loop does, and when. */
interface LoopOptions {
  readonly everyMs: number;
  /** Does what there is to do now; true when there may be more. */
  readonly work: (signal: AbortSignal) => Promise<boolean>;
  /** Takes the error that ended a turn; the next turn comes with the time. */
  readonly failed: (error: unknown) => void;
  /** Subscribes to what the work follows; returns how to end that. */
  readonly follow?: (changed: () => void) => () => void;
  /** Changes come in bursts: those of this time are looked at together. */
  readonly gatherMs?: number;
}

/** Looks for work at intervals, after changes and when it is woken. */
export function startLoop({ everyMs, work, failed, follow, gatherMs = 0 }: LoopOptions): Loop {
  const closing = new AbortController();
  let isWanted = false;
  let working: Promise<void> | null = null;
  let soon: NodeJS.Timeout | undefined;

  async function turns(): Promise<void> {
    while (isWanted && !closing.signal.aborted) {
      isWanted = false;
      if (await work(closing.signal)) isWanted = true;
    }
  }

  function wake(): void {
    isWanted = true;
    if (closing.signal.aborted) return;
    working ??= turns()
      .catch(failed)
      .finally(() => {
        working = null;
        // Woken when the last turn had looked already.
        if (isWanted) wake();
      });
  }

  const unfollow = follow?.(() => {
    soon ??= setTimeout(() => {
      soon = undefined;
      wake();
    }, gatherMs);
  });
  const timer = setInterval(wake, everyMs);
  timer.unref();
  return {
    wake,
    async close() {
      closing.abort();
      unfollow?.();
      clearInterval(timer);
      clearTimeout(soon);
      await working;
    },
  };
}
