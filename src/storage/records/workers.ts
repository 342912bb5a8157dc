import type { WorkerStore } from "../../ports/store.ts";
import { text } from "../rows.ts";
import { insertInto } from "../sql.ts";
import { OverSql } from "./over-sql.ts";

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
export class WorkerRecords extends OverSql implements WorkerStore {
  async join(id: string, at: string): Promise<void> {
    await this.sql.run(JOIN, [id, at]);
    await this.sql.run(ORPHANS, []);
    await this.sql.run(BEHIND, []);
  }

  beat(id: string, at: string): Promise<boolean> {
    return this.changesOne(BEAT, [at, id]);
  }

  async reap(before: string): Promise<number> {
    const dead = (await this.sql.all(REAP, [before])).map((row) => text(row, "id"));
    // Also without a dead one: a worker that was struck off may have stored a run before it learned of it.
    await this.sql.run(ORPHANS, []);
    if (dead.length > 0) await this.sql.run(BEHIND, []);
    return dead.length;
  }

  async onHold(): Promise<boolean> {
    return (await this.sql.get(ON_HOLD, [])) !== undefined;
  }

  async endHold(): Promise<void> {
    await this.sql.run(END_HOLD, []);
  }

  async leave(id: string): Promise<void> {
    await this.sql.run(LEAVE, [id]);
    await this.sql.run(ORPHANS, []);
  }
}
