import { recordEntry } from "../audit/record.ts";
import { AppError } from "../kernel/errors.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { maskSecrets } from "../kernel/secrets.ts";
import type { GuardedCall } from "../ports/guard.ts";
import type { Services } from "../ports/services.ts";
import type { StoreTx } from "../ports/store.ts";
import type { Facts } from "./rules.ts";

/** Arguments that are longer are not kept with the decision. */
const MAX_KEPT_CHARS = 4_000;
const MINUTE_MS = 60_000;

type NotedAction = "guard.denied" | "guard.asked" | "guard.dry_run" | "guard.bypassed";

/** A call about which something was decided. */
export interface Decided {
  readonly call: GuardedCall;
  readonly id: string;
  readonly rule?: string;
  readonly facts?: Facts;
}

/** Keeps what was decided about calls. */
export class GuardNotes {
  readonly #services: () => Services;
  /** In which minute a decision about a call without credentials was noted, by what was noted. */
  readonly #noted = new Map<string, number>();

  constructor(services: () => Services) {
    this.#services = services;
  }

  async denied(entry: Decided, message: string, nextAction?: string): Promise<AppError> {
    await this.note("guard.denied", entry);
    return new AppError("blocked", message, {
      details: { rule: entry.rule ?? "", tool: entry.call.tool },
      ...(nextAction !== undefined && { nextAction }),
    });
  }

  async note(action: NotedAction, entry: Decided): Promise<void> {
    const { store, clock } = this.#services();
    if (store.kind === "none") return;
    // Calls without credentials must not fill the list: one of each is noted a minute.
    if (entry.call.context.caller.kind === "anonymous") {
      const what = `${action} ${entry.rule ?? ""} ${entry.call.tool}`;
      const minute = Math.floor(clock.now() / MINUTE_MS);
      if (this.#noted.get(what) === minute) return;
      this.#noted.set(what, minute);
    }
    await store.transact((tx) => recordDecision(tx, action, entry));
  }
}

/** Writes what was decided about a call, with what rules are simulated with later. */
export function recordDecision(
  tx: StoreTx,
  action: NotedAction,
  { call: { tool, server, effect, leaves, args }, id, rule, facts }: Decided,
  runId?: string,
): Promise<void> {
  const masked = maskSecrets(args);
  const isKept = isJsonObject(masked) && JSON.stringify(masked).length <= MAX_KEPT_CHARS;
  const detail: JsonObject = {
    tool,
    server,
    effect,
    leaves,
    rule: rule ?? "",
    ...(isKept && { arguments: masked }),
    ...(facts !== undefined && { agent: facts.agent, caller: facts.caller, person: facts.person }),
    ...(runId !== undefined && { runId }),
  };
  return recordEntry(tx, { action, by: id, subject: `tools/${tool}`, detail, provenanceId: null });
}
