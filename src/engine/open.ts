import type { Clock, Log } from "../ports/platform.ts";
import type { Settings } from "../ports/settings.ts";
import type { Store } from "../ports/store.ts";
import { EmbeddedQueue } from "./embedded-queue.ts";
import { createEngine, type EngineOptions, type ManagedEngine } from "./engine.ts";
import type { RunQueue } from "./queue.ts";

/** What an engine is opened with. */
export interface EngineParts {
  readonly settings: Settings;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly options?: EngineOptions;
}

/** Opens the engine that fits the store. Nothing runs before `begin`. */
export async function openEngine(parts: EngineParts): Promise<ManagedEngine> {
  return createEngine(parts.store, await openQueue(parts), parts.settings.role, parts.options);
}

async function openQueue({ settings, store, clock, log }: EngineParts): Promise<RunQueue> {
  if (store.kind === "postgres") {
    // Only here: who uses SQLite never loads the library.
    const { PgQueue } = await import("./pg-queue.ts");
    return PgQueue.open(settings.databaseUrl, settings.role !== "gateway", store, log);
  }
  return new EmbeddedQueue(store, clock, log);
}
