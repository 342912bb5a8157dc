import type { WorkerStore } from "../../ports/store.ts";
import { text } from "../rows.ts";
import { insertInto, type Sql } from "../sql.ts";
import { changesOne, exec } from "./statements.ts";

const JOIN = insertInto("workers", "id, seen_at");
const BEAT = "UPDATE workers SET seen_at = ? WHERE id = ?";
const REAP = "DELETE FROM workers WHERE seen_at < ? RETURNING id";
const LEAVE = "DELETE FROM workers WHERE id = ?";
/** A worker that is not on the list has no runs, whatever their rows say. */
const ORPHANS = `UPDATE runs SET worker = NULL, wanted = 1 WHERE worker IS NOT NULL AND finished_at IS NULL
  AND worker NOT IN (SELECT id FROM workers)`;
/** What a dead worker's last run would have let in when it ended. */
const BEHIND =
  "UPDATE runs SET wanted = 1 WHERE state = 'queued' AND finished_at IS NULL AND wanted = 0 AND worker IS NULL";

const ON_HOLD = "SELECT value FROM counters WHERE name = 'hold'";
const END_HOLD = "DELETE FROM counters WHERE name = 'hold'";
/** What restoring a backup leaves behind. */
export const BEGIN_HOLD =
  "INSERT INTO counters (name, value) VALUES ('hold', 1) ON CONFLICT (name) DO NOTHING";

/** The workers that share the runs of a PostgreSQL database. */
export const workerRecords = (sql: Sql): WorkerStore => ({
  async join(id, at) {
    await sql.run(JOIN, [id, at]);
    await sql.run(ORPHANS, []);
    await sql.run(BEHIND, []);
  },
  beat: (id, at) => changesOne(sql, BEAT, [at, id]),
  async reap(before) {
    const dead = (await sql.all(REAP, [before])).map((row) => text(row, "id"));
    // Also without a dead one: a worker that was struck off may have stored a run before it learned of it.
    await sql.run(ORPHANS, []);
    if (dead.length > 0) await sql.run(BEHIND, []);
    return dead.length;
  },
  onHold: async () => (await sql.get(ON_HOLD, [])) !== undefined,
  endHold: async () => exec(sql, END_HOLD, []),
  async leave(id) {
    await sql.run(LEAVE, [id]);
    await sql.run(ORPHANS, []);
  },
});
