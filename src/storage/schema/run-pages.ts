/**
 * What changed of a run is one row for each commit, as it came: its steps are in it, and its events and the leaves of its
 * steps follow from it. A commit of many steps of a run costs hardly more than one of a single step. The steps of
 * the table of steps are older than those of any page; attempts no longer refer to them.
 */
export const RUN_PAGES = `
CREATE TABLE run_pages (
  page_number INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  at TEXT NOT NULL,
  changes TEXT NOT NULL,
  first_event INTEGER,
  last_event INTEGER,
  event_stem TEXT,
  first_leaf INTEGER,
  last_leaf INTEGER,
  leaf_stem TEXT,
  digests TEXT,
  hashes TEXT,
  CHECK ((first_event IS NULL) = (last_event IS NULL)),
  CHECK ((first_leaf IS NULL) = (last_leaf IS NULL))
);
CREATE INDEX run_pages_of_run ON run_pages (run_id, page_number);
CREATE INDEX run_pages_by_event ON run_pages (last_event) WHERE last_event IS NOT NULL;
CREATE INDEX run_pages_by_leaf ON run_pages (first_leaf) WHERE first_leaf IS NOT NULL;
INSERT INTO counters (name, value) VALUES ('events_trimmed', 0);

-- Hashes come in no order. Behind the number of their stretch of the log they do, so that a new one is written near the
-- last one instead of anywhere; whoever looks for one looks in every stretch.
DROP INDEX provenance_by_lookup_key;
DROP INDEX provenance_by_leaf_hash;
CREATE INDEX provenance_by_lookup_key ON provenance_records ((leaf_index / 8192), lookup_key) WHERE kind <> 'step';
CREATE INDEX provenance_by_leaf_hash ON provenance_records ((leaf_index / 8192), leaf_hash) WHERE kind <> 'step';

CREATE TABLE attempts_next (
  run_id TEXT NOT NULL REFERENCES runs (id),
  step_id TEXT NOT NULL,
  attempt INTEGER NOT NULL CHECK (attempt >= 1),
  state TEXT NOT NULL CHECK (state IN ('running', 'succeeded', 'failed', 'timed_out', 'cancelled', 'cut_off')),
  span_id TEXT NOT NULL,
  error TEXT,
  started_at TEXT NOT NULL,
  finished_at TEXT,
  PRIMARY KEY (run_id, step_id, attempt)
);
INSERT INTO attempts_next (run_id, step_id, attempt, state, span_id, error, started_at, finished_at)
  SELECT run_id, step_id, attempt, state, span_id, error, started_at, finished_at FROM attempts;
DROP TABLE attempts;
ALTER TABLE attempts_next RENAME TO attempts;
`;
