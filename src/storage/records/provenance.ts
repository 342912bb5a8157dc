import { PRIVACY_CLASSES } from "../../model/states.ts";
import type { CheckpointRecord, ProvenanceRecord, SigningKeyRecord } from "../../ports/records.ts";
import type { ProvenanceStore } from "../../ports/store.ts";
import { storedBody, wholeBody } from "../../provenance/leaf.ts";
import { narrowed, selectPage, type Condition, type Order } from "../paging.ts";
import { int, optText, text } from "../rows.ts";
import { insertInto, type Row, type SqlValue, type Sql } from "../sql.ts";
import { exec, insertRows, type Written } from "./statements.ts";
import { column, is, table } from "../table.ts";

const PROVENANCE_RECORDS = table<ProvenanceRecord>("provenance_records", {
  id: is.text,
  leafIndex: is.optInt,
  kind: is.text,
  subjectId: is.text,
  runId: is.optText,
  digest: is.text,
  /** Steps are not looked up by it: nothing where it is the digest. */
  lookupKey: column(
    (row, name) => text(row, name) || text(row, "digest"),
    (lookupKey, { kind, digest }) => (kind === "step" && lookupKey === digest ? "" : lookupKey),
  ),
  privacy: is.oneOf(PRIVACY_CLASSES),
  body: column(bodyIn, storedBody),
  leafHash: is.text,
  createdAt: is.text,
});
const GET = `${PROVENANCE_RECORDS.select} WHERE id = ?`;
const AT_INDEX = `${PROVENANCE_RECORDS.select} WHERE leaf_index = ?`;
const NEWEST: Order = { columns: ["id"], kind: "text", direction: "DESC" };
const LEAF_HASHES =
  "SELECT leaf_hash FROM provenance_records WHERE leaf_index >= ? AND leaf_index < ? ORDER BY leaf_index";
const HEAD = `SELECT leaf_index, leaf_hash FROM provenance_records WHERE leaf_index IS NOT NULL
  ORDER BY leaf_index DESC LIMIT 1`;
/** PostgreSQL only: SQLite numbers records inside their transaction. */
const NUMBER = `WITH pending AS (
    SELECT ordinal, row_number() OVER (ORDER BY ordinal) AS nth FROM provenance_records WHERE leaf_index IS NULL
    ORDER BY ordinal LIMIT ?)
  UPDATE provenance_records SET leaf_index = ?::bigint + pending.nth - 1 FROM pending
  WHERE provenance_records.ordinal = pending.ordinal AND leaf_index IS NULL RETURNING leaf_index, kind, leaf_hash`;

const PUT_NODE = `${insertInto("provenance_nodes", "level, node_index, hash")} ON CONFLICT (level, node_index) DO NOTHING`;
const GET_NODES = "SELECT level, node_index, hash FROM provenance_nodes WHERE ";

/** Signed heads of the log. */
export const PROVENANCE_CHECKPOINTS = table<CheckpointRecord>("provenance_checkpoints", {
  treeSize: is.int,
  rootHash: is.text,
  keyId: is.text,
  signature: is.text,
  createdAt: is.text,
});
const PUT_CHECKPOINT = `${PROVENANCE_CHECKPOINTS.insert} ON CONFLICT (tree_size) DO NOTHING`;
const GET_CHECKPOINT = `${PROVENANCE_CHECKPOINTS.select} WHERE tree_size = ?`;
const NEWEST_CHECKPOINT = `${PROVENANCE_CHECKPOINTS.select} ORDER BY tree_size DESC LIMIT 1`;

/** The keys that sign the log. */
export const SIGNING_KEYS = table<SigningKeyRecord>("signing_keys", {
  id: is.text,
  publicKey: is.text,
  privateKey: is.text,
  createdAt: is.text,
  retiredAt: is.optText,
});
const PUT_KEY = `${SIGNING_KEYS.insert} ON CONFLICT (id) DO UPDATE SET retired_at = excluded.retired_at`;
/** Of two keys that were made in the same millisecond the retired one is the older. */
const KEYS = `${SIGNING_KEYS.select} ORDER BY created_at, coalesce(retired_at, '9999'), id`;

/** The text of a record's leaf. */
export function bodyIn(row: Row): string {
  return wholeBody(text(row, "body"), {
    id: text(row, "id"),
    kind: text(row, "kind"),
    subjectId: text(row, "subject_id"),
    runId: optText(row, "run_id"),
    digest: text(row, "digest"),
    privacy: text(row, "privacy"),
    createdAt: text(row, "created_at"),
  });
}

function values(one: ProvenanceRecord): readonly SqlValue[] {
  return PROVENANCE_RECORDS.values(one);
}

/** The provenance log over either database. */
export const provenanceRecords = (sql: Sql, written: Written): ProvenanceStore => ({
  lock: () => sql.lock(),
  async head() {
    const row = await sql.get(HEAD, []);
    if (row === undefined) return { size: 0, lastLeafHash: null };
    return { size: int(row, "leaf_index") + 1, lastLeafHash: text(row, "leaf_hash") };
  },
  async append(records) {
    written.appended = true;
    await sql.insert(PROVENANCE_RECORDS.insert, records.map(values));
  },
  async number(first, limit) {
    if (sql.dialect === "sqlite") return [];
    const rows = await sql.all(NUMBER, [limit, first]);
    return rows
      .toSorted((a, b) => int(a, "leaf_index") - int(b, "leaf_index"))
      .map((row) => ({ kind: text(row, "kind"), leafHash: text(row, "leaf_hash") }));
  },
  get: (id) => PROVENANCE_RECORDS.one(sql, GET, [id]),
  leafHashes: async (start, end) =>
    (await sql.all(LEAF_HASHES, [start, end])).map((row) => text(row, "leaf_hash")),
  atIndex: (leafIndex) => PROVENANCE_RECORDS.one(sql, AT_INDEX, [leafIndex]),
  find(by, page) {
    const where: Condition[] = [];
    const add = (sql: string, value: string | undefined): void => {
      if (value !== undefined) where.push({ sql, values: [value] });
    };
    add("subject_id = ? AND kind <> 'step'", by.subjectId);
    add("run_id = ?", by.runId);
    add("lookup_key = ? AND kind <> 'step'", by.lookupKey);
    add("leaf_hash = ? AND kind <> 'step'", by.leafHash);
    const only = by.kind === undefined ? [] : [{ sql: "kind = ?", values: [by.kind] }];
    return selectPage(
      sql,
      PROVENANCE_RECORDS.select,
      narrowed(where, only),
      NEWEST,
      page,
      PROVENANCE_RECORDS.read,
    );
  },
  putNodes: async (nodes) =>
    insertRows(
      sql,
      PUT_NODE,
      nodes.map((node) => [node.level, node.index, node.hash]),
    ),
  async nodes(wanted) {
    if (wanted.length === 0) return [];
    const any = wanted.map(() => "(level = ? AND node_index = ?)").join(" OR ");
    const rows = await sql.all(
      GET_NODES + any,
      wanted.flatMap((node) => [node.level, node.index]),
    );
    const found = new Map(
      rows.map((row) => [`${int(row, "level")}/${int(row, "node_index")}`, text(row, "hash")]),
    );
    return wanted.map((node) => found.get(`${node.level}/${node.index}`) ?? null);
  },
  putCheckpoint: async (one) => insertRows(sql, PUT_CHECKPOINT, [PROVENANCE_CHECKPOINTS.values(one)]),
  async checkpoint(treeSize) {
    const row =
      treeSize === undefined
        ? await sql.get(NEWEST_CHECKPOINT, [])
        : await sql.get(GET_CHECKPOINT, [treeSize]);
    return row === undefined ? null : PROVENANCE_CHECKPOINTS.read(row);
  },
  putKey: async (one) => exec(sql, PUT_KEY, SIGNING_KEYS.values(one)),
  keys: () => SIGNING_KEYS.all(sql, KEYS, []),
});
