import type { Query, QueryClient } from "@tanstack/react-query";

/** Events often come in bursts; what they make stale is asked for again once a burst. */
const BURST_MS = 400;
/** One request that hangs must not keep the rest of the page from being refreshed. */
const LONGEST_MS = 5_000;

/** What happened, as far as it says what is no longer true. */
interface ChangeEvent {
  /** Words of the keys of the queries that are stale; an empty one means all. */
  readonly words: readonly string[];
  /** The run in which it happened; empty when in none. */
  readonly run: string;
}

/**
 * Asks again for what events made stale. The next burst waits for the answers to the one before: a run that emits
 * events faster than it can be read would otherwise cancel every read before it ends.
 */
export function createRefresher(client: QueryClient, burstMs = BURST_MS): (happening: ChangeEvent) => void {
  const words = new Set<string>();
  const runs = new Set<string>();
  let isWaiting = false;

  const begin = () => {
    if (isWaiting || words.size === 0) return;
    isWaiting = true;
    setTimeout(() => {
      const isStale = staleness([...words], new Set(runs));
      words.clear();
      runs.clear();
      void Promise.race([again(client, isStale), pause(LONGEST_MS)]).finally(() => {
        isWaiting = false;
        begin();
      });
    }, burstMs);
  };

  return (happening) => {
    for (const word of happening.words) words.add(word);
    if (happening.run !== "") runs.add(happening.run);
    begin();
  };
}

async function again(client: QueryClient, isStale: (query: Query) => boolean): Promise<void> {
  // A first read that is under way is joined and not sent again, and its answer may be older than the event.
  const joined = client
    .getQueryCache()
    .findAll({ predicate: isStale })
    .filter(({ state }) => state.fetchStatus === "fetching" && state.data === undefined);
  await client.invalidateQueries({ predicate: isStale });
  if (joined.length > 0) await client.invalidateQueries({ predicate: (query) => joined.includes(query) });
}

function staleness(words: readonly string[], runs: ReadonlySet<string>): (query: Query) => boolean {
  return ({ queryKey }) => {
    // A verdict follows from the graph in its key alone, and that can be long.
    if (queryKey[0] === "verdict") return false;
    const text = JSON.stringify(queryKey);
    // The document of a run never changes, and what is known of one run does not follow from another one.
    if (queryKey[0] === "get_run_document" || queryKey[0] === "get_run_receipt") return false;
    const [run] = /run_[0-9a-z]{8,}/.exec(text) ?? [];
    if (run !== undefined && !runs.has(run) && !words.includes("")) return false;
    return words.some((word) => text.includes(word));
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
