import type { Sql } from "../sql.ts";
import type { EventWait, SignalRecord, SignalStore } from "../../ports/signals.ts";
import { changesOne, exec } from "./statements.ts";
import { is, named, table } from "../table.ts";

const SIGNALS = table<SignalRecord>("run_signals", {
  id: is.text,
  runId: is.text,
  name: is.text,
  key: named("signal_key", is.text),
  payload: is.optJson,
  sentBy: is.text,
  sentAt: is.text,
  usedBy: is.optText,
});
const INSERT = `${SIGNALS.insert} ON CONFLICT (run_id, name, signal_key) DO NOTHING`;
const OF_RUN = `${SIGNALS.select} WHERE run_id = ? ORDER BY sent_at, id`;
const USE = "UPDATE run_signals SET used_by = ? WHERE id = ? AND (used_by IS NULL OR used_by = ?)";

const WAITS = table<EventWait>("event_waits", {
  runId: is.text,
  stepId: is.text,
  type: is.text,
  seen: is.int,
});
/** Events that are not numbered yet come later, and are seen then. */
const LISTEN = `INSERT INTO event_waits (${WAITS.columns}) SELECT ?, ?, ?, coalesce((SELECT sequence FROM events
  WHERE sequence IS NOT NULL AND time < ? ORDER BY sequence DESC LIMIT 1), 0) ON CONFLICT (run_id, step_id) DO NOTHING`;
const WAIT = `${WAITS.select} WHERE run_id = ? AND step_id = ?`;
const BEHIND = `${WAITS.select} ORDER BY seen LIMIT ?`;
const SAW = "UPDATE event_waits SET seen = ? WHERE run_id = ? AND step_id = ? AND seen < ?";
const STOP = "DELETE FROM event_waits WHERE run_id = ? AND step_id = ?";

/** Signals and waits for events over either database. */
export const signalRecords = (sql: Sql): SignalStore => ({
  insert: (record) => changesOne(sql, INSERT, SIGNALS.values(record)),
  of: (runId) => SIGNALS.all(sql, OF_RUN, [runId]),
  use: (id, stepId) => changesOne(sql, USE, [stepId, id, stepId]),
  listen: async ({ runId, stepId, type }, since) => exec(sql, LISTEN, [runId, stepId, type, since]),
  wait: (runId, stepId) => WAITS.one(sql, WAIT, [runId, stepId]),
  waits: (limit) => WAITS.all(sql, BEHIND, [limit]),
  saw: async ({ runId, stepId, seen }) => exec(sql, SAW, [seen, runId, stepId, seen]),
  stopListening: async (runId, stepId) => exec(sql, STOP, [runId, stepId]),
});
