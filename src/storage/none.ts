import { AppError } from "../kernel/errors.ts";
import type { Clock } from "../ports/platform.ts";
import type { Records, Store, StoreStatus } from "../ports/store.ts";
import { RecordSet } from "./records/record-set.ts";
import type { Sql } from "./sql.ts";

function unavailable(): AppError {
  return new AppError("storage_unavailable", "No persistence adapter is configured.", {
    nextAction: "Set DATABASE_URL to sqlite:<file> or postgres://… and start again.",
  });
}

/** A database without rows that takes none. */
function emptySql(clock: Clock): Sql {
  const refuse = (): Promise<never> => Promise.reject(unavailable());
  return {
    dialect: "sqlite",
    forUpdate: "",
    run: refuse,
    insert: refuse,
    lock: refuse,
    get: () => Promise.resolve(undefined),
    all: () => Promise.resolve([]),
    now: () => Promise.resolve(new Date(clock.now()).toISOString()),
  };
}

/** The honest absence of a store: reads find nothing, writes say that nothing is kept. */
export class NoStore implements Store {
  readonly kind = "none";
  readonly read: Records;

  constructor(clock: Clock) {
    this.read = new RecordSet(emptySql(clock), clock);
  }

  transact(): Promise<never> {
    return Promise.reject(unavailable());
  }

  onEvents(): () => void {
    return () => {};
  }

  onWanted(): () => void {
    return () => {};
  }

  async status(): Promise<StoreStatus> {
    return {
      kind: this.kind,
      ready: true,
      reason: null,
      durability: "Nothing is kept: no persistence adapter is configured.",
      schemaVersion: 0,
      sizeBytes: null,
      lastProbeAt: null,
      lastProbeMs: null,
    };
  }

  async close(): Promise<void> {}
}
