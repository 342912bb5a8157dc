import { Type } from "typebox";
import { recordEntry } from "../audit/record.ts";
import { AppError } from "../kernel/errors.ts";
import { inputOf } from "../model/common.ts";
import { RunView } from "../model/runs.ts";
import { listedFor } from "../ports/caller.ts";
import { operationsWith } from "../ports/operations.ts";
import type { Services } from "../ports/services.ts";
import { runListItem } from "./views.ts";

const OPEN = ["queued", "running", "waiting", "cancelling"] as const;
const SHOWN = 100;
/** Runs that are cancelled at a time. */
const TOGETHER = 50;

/** What the operations of the hold work with. */
export interface HoldOperationParts {
  readonly hold: { readonly isOn: boolean; look(): Promise<void> };
}

const { operation, declared } = operationsWith<HoldOperationParts>();

operation({
  name: "get_hold",
  title: "Show the hold",
  description:
    "Whether the database was restored and waits for a decision, and the runs that were under way in the backup (the newest 100 that you may see).",
  http: "GET /api/svc/hold",
  access: "mixed",
  input: inputOf({}),
  output: Type.Object({
    onHold: Type.Boolean({ description: "True while nothing goes on or is sent." }),
    runs: Type.Array(RunView),
  }),
  async run(_input, { services, caller }, { hold }) {
    if (!hold.isOn) return { onHold: false, runs: [] };
    const { items } = await services.store.read.runs.list(
      { limit: SHOWN },
      { ...listedFor(caller), states: OPEN },
    );
    return { onHold: true, runs: await Promise.all(items.map((run) => runListItem(services, run, caller))) };
  },
});

operation({
  name: "end_hold",
  title: "End the hold",
  description:
    "After a restore: lets the runs that were under way go on, or cancels them; then the service works as usual.",
  http: "POST /api/svc/hold",
  access: "admin",
  effect: "external",
  idempotent: false,
  input: inputOf({
    runs: Type.Enum(["continue", "cancel"], { description: "What becomes of the runs that were under way." }),
  }),
  output: Type.Object({ cancelled: Type.Integer({ description: "How many runs were cancelled." }) }),
  examples: [{ runs: "cancel" }],
  async run({ runs }, { services, caller }, { hold }) {
    if (!hold.isOn) throw new AppError("conflict", "The database is not on hold.");
    const cancelled =
      runs === "cancel" ? await cancelAll(services, (id) => services.engine.cancel(id, caller)) : 0;
    await services.store.transact(async (tx) => {
      await tx.workers.endHold();
      await recordEntry(tx, {
        action: "hold.ended",
        by: caller.id,
        subject: "hold",
        detail: { runs, cancelled },
        provenanceId: null,
      });
    });
    await hold.look();
    return { cancelled };
  },
});

async function cancelAll(
  { store }: Pick<Services, "store">,
  cancel: (id: string) => Promise<unknown>,
): Promise<number> {
  let cancelled = 0;
  let cursor: string | null = null;
  do {
    const page: { items: readonly { id: string; state: string }[]; nextCursor: string | null } =
      await store.read.runs.list({ limit: TOGETHER, ...(cursor !== null && { cursor }) }, { states: OPEN });
    const open = page.items.filter(({ state }) => state !== "cancelling");
    await Promise.all(open.map(({ id }) => cancel(id)));
    cancelled += open.length;
    cursor = page.nextCursor;
  } while (cursor !== null);
  return cancelled;
}

/** What operators decide about a database that was restored. */
export const holdOperations = declared;
