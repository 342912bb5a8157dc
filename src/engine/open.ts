import type { Clock, Log } from "../ports/platform.ts";
import type { Settings } from "../ports/settings.ts";
import type { Store } from "../ports/store.ts";
import { EmbeddedQueue } from "./embedded-queue.ts";
import { createEngine, type EngineOptions, type ManagedEngine } from "./engine.ts";
import { PgQueue } from "./pg-queue.ts";

/** What an engine is opened with. */
export interface EngineParts {
  readonly settings: Settings;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly options?: EngineOptions;
}

/** Opens the engine that fits the store. Nothing runs before `begin`. */
export function openEngine({ settings, store, clock, log, options }: EngineParts): ManagedEngine {
  const Queue = store.kind === "postgres" ? PgQueue : EmbeddedQueue;
  const queue = new Queue(store, clock, log);
  return createEngine(store, queue, settings, options);
}
