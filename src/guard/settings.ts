import { setTimeout as sleep } from "node:timers/promises";
import { recordEntry } from "../audit/record.ts";
import { digestOf } from "../kernel/canonical-json.ts";
import { AppError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { GuardView } from "../model/guard.ts";
import type { Caller } from "../ports/caller.ts";
import type { Services } from "../ports/services.ts";
import { settingsIn } from "./rules.ts";

/** How long another replica's change may go unnoticed. */
const FRESH_MS = 1_000;
/** How long a public read waits for the settings. */
const LONGEST_READ_MS = 500;
const MOST_ATTEMPTS = 20;

/** What changes the settings: new members, or what makes them of those that are stored. */
type Changes = Partial<GuardView> | ((latest: Pick<GuardView, "agents">) => Partial<GuardView>);

/** The guard's settings: read again every second, and changed one revision after the other. */
export class GuardSettings {
  readonly #services: () => Services;
  #known: GuardView = { revision: 0, ...settingsIn({}), changedAt: null };
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;

  constructor(services: () => Services) {
    this.#services = services;
  }

  /** What was read last. */
  get known(): GuardView {
    return this.#known;
  }

  /** Whether what was read last still counts. Without a database nothing is ever changed. */
  isFresh(): boolean {
    const { store, clock } = this.#services();
    return store.kind === "none" || clock.now() - this.#readAt < FRESH_MS;
  }

  async current(): Promise<GuardView> {
    const { store, clock } = this.#services();
    // Read again before they are old: a call that comes in time does not wait for it.
    if (store.kind !== "none" && clock.now() - this.#readAt > FRESH_MS / 2) {
      this.#reading ??= this.#read().finally(() => (this.#reading = null));
      if (this.isFresh()) this.#reading.catch(() => undefined);
      else await this.#reading;
    }
    return this.#known;
  }

  /** Public reads are answered while the database is away, by what was read of it last. */
  async inTime(): Promise<GuardView> {
    if (this.isFresh()) return this.#known;
    const late = sleep(LONGEST_READ_MS, undefined, { ref: false });
    return Promise.race([this.current().catch(() => this.#known), late.then(() => this.#known)]);
  }

  /** What is stored now, whichever replica changed it. */
  async stored(): Promise<GuardView> {
    if (this.#services().store.kind !== "none") await this.#read();
    return this.#known;
  }

  async change(
    changes: Changes,
    basedOn: number | null,
    what: JsonObject,
    caller: Caller,
  ): Promise<GuardView> {
    const { store } = this.#services();
    const stored = await store.transact(async (tx) => {
      const latest = await tx.guard.latest();
      const revision = (latest?.revision ?? 0) + 1;
      if (basedOn !== null && basedOn !== revision - 1) throw changedMeanwhile();
      const before = settingsIn(latest?.policy);
      const changed = typeof changes === "function" ? changes(before) : changes;
      const policy: JsonObject = JSON.parse(JSON.stringify({ ...before, ...changed }));
      const createdAt = await tx.now();
      const record = { revision, policy, digest: digestOf(policy), changedBy: caller.id, createdAt };
      if (!(await tx.guard.insert(record))) throw changedMeanwhile();
      await recordEntry(tx, {
        action: "guard.changed",
        by: caller.id,
        subject: `guard/${revision}`,
        detail: what,
        provenanceId: null,
      });
      return record;
    });
    this.#keep(stored);
    return this.#known;
  }

  /** Adds to what is stored now: others may be added at the same moment, here and on other replicas. */
  async addAgent(id: string, caller: Caller): Promise<void> {
    const added = ({ agents }: Pick<GuardView, "agents">) => ({ agents: [...new Set([...agents, id])] });
    for (let left = MOST_ATTEMPTS; ; left--) {
      try {
        await this.change(added, null, { agent: id, why: "used at /mcp" }, caller);
        return;
      } catch (error) {
        if (left === 0 || !(error instanceof AppError) || error.code !== "conflict") throw error;
      }
    }
  }

  async #read(): Promise<void> {
    const { store, clock } = this.#services();
    const begunAt = clock.now();
    this.#keep(await store.read.guard.latest());
    this.#readAt = begunAt;
  }

  #keep(latest: { revision: number; policy: JsonObject; createdAt: string } | null): void {
    if (latest !== null && latest.revision > this.#known.revision)
      this.#known = {
        revision: latest.revision,
        ...settingsIn(latest.policy),
        changedAt: latest.createdAt,
      };
  }
}

function changedMeanwhile(): AppError {
  return new AppError("conflict", "The guard's settings were changed at the same moment.", {
    nextAction: "Read them again and repeat the change with the new revision.",
  });
}
