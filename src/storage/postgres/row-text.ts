import { checkValues, type SqlValue } from "../sql.ts";

/*
 * Rows as one text: control characters that JSON text cannot contain stand between columns and rows, and for NULL.
 * PostgreSQL takes such a text apart in half the time that it needs for JSON.
 */

const COLUMN = "\u001f";
const ROW = "\u001e";
const NOTHING = "\u001d";
/** Separators, and whatever must be looked at more closely because a database may not keep it. */
const DOUBTFUL = /[\u0000\u001d-\u001f\ud800-\udfff]/;
const SEPARATOR = /[\u001d-\u001f]/;

/** Columns of our tables that hold whole numbers; all others hold text. */
export const NUMBER_COLUMNS: ReadonlySet<string> = new Set([
  "attempt",
  "attempts",
  "epoch",
  "first_event",
  "first_leaf",
  "last_event",
  "last_leaf",
  "leaf_index",
  "level",
  "node_index",
  "page_number",
  "published_version",
  "render_count",
  "revision",
  "sequence",
  "tree_size",
  "value",
  "version",
  "workflow_version",
]);

/** The rows as one text, or null when a value holds a character that stands between values. */
export function rowText(rows: readonly (readonly SqlValue[])[]): string | null {
  let all = "";
  for (const values of rows) {
    let row = all === "" ? "" : ROW;
    let first = true;
    for (const value of values) {
      if (first) first = false;
      else row += COLUMN;
      if (value === null) row += NOTHING;
      else if (typeof value === "number") {
        checkValues([value]);
        row += value;
      } else {
        if (DOUBTFUL.test(value)) {
          checkValues([value]);
          if (SEPARATOR.test(value)) return null;
        }
        row += value;
      }
    }
    all += row;
  }
  return all;
}

/** What reads such a text, as the table `v` with these columns; `?` is the text. */
export function fromRowText(columns: readonly string[]): string {
  // Without the OFFSET each row would be taken apart once for each column.
  return `(SELECT ${fieldsOf(columns)} FROM (SELECT string_to_array(line, chr(31), chr(29))
    FROM string_to_table(?, chr(30)) AS l (line) OFFSET 0) AS p (a)) AS v`;
}

/** The same with each row's place as `nth`, from 1. */
export function fromRowTextInOrder(columns: readonly string[]): string {
  return `(SELECT ${fieldsOf(columns)}, nth FROM (SELECT string_to_array(line, chr(31), chr(29)), nth
    FROM string_to_table(?, chr(30)) WITH ORDINALITY AS l (line, nth) OFFSET 0) AS p (a, nth)) AS v`;
}

function fieldsOf(columns: readonly string[]): string {
  const fields = columns.map(
    (name, at) => `a[${at + 1}]${NUMBER_COLUMNS.has(name) ? "::bigint" : ""} AS ${name}`,
  );
  return fields.join(", ");
}

/** The same as both for rows in JSON, for the few that cannot be one text. */
export function fromJsonRows(columns: readonly string[]): string {
  const fields = columns.map(
    (name, at) => `(a ->> ${at})${NUMBER_COLUMNS.has(name) ? "::bigint" : ""} AS ${name}`,
  );
  return `(SELECT ${fields.join(", ")}, nth FROM json_array_elements(?::json) WITH ORDINALITY AS l (a, nth)) AS v`;
}
