import type { CheckpointRecord, ProvenanceRecord, SigningKeyRecord } from "../../ports/records.ts";
import type { Page, PageRequest, ProvenanceStore } from "../../ports/store.ts";
import { storedBody, wholeBody } from "../../provenance/leaf.ts";
import { narrowed, selectPage, type Condition, type Order } from "../paging.ts";
import { int, optText, text } from "../rows.ts";
import { insertInto, type Row, type SqlValue } from "../sql.ts";
import { OverSql } from "./over-sql.ts";
import { column, is, table } from "../table.ts";

const PRIVACY = ["public", "internal", "confidential", "restricted"] as const;
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
  privacy: is.oneOf(PRIVACY),
  body: column(bodyIn, storedBody),
  leafHash: is.text,
  createdAt: is.text,
});
const INSERT = PROVENANCE_RECORDS.insert;
const SELECT = PROVENANCE_RECORDS.select;
const GET = `${SELECT} WHERE id = ?`;
const AT_INDEX = `${SELECT} WHERE leaf_index = ?`;
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
export class ProvenanceRecords extends OverSql implements ProvenanceStore {
  appended = false;

  lock(): Promise<void> {
    return this.sql.lock();
  }

  async head(): Promise<{ readonly size: number; readonly lastLeafHash: string | null }> {
    const row = await this.sql.get(HEAD, []);
    if (row === undefined) return { size: 0, lastLeafHash: null };
    return { size: int(row, "leaf_index") + 1, lastLeafHash: text(row, "leaf_hash") };
  }

  async append(records: readonly ProvenanceRecord[]): Promise<void> {
    this.appended = true;
    await this.sql.insert(INSERT, records.map(values));
  }

  async number(
    first: number,
    limit: number,
  ): Promise<readonly Pick<ProvenanceRecord, "kind" | "leafHash">[]> {
    if (this.sql.dialect === "sqlite") return [];
    const rows = await this.sql.all(NUMBER, [limit, first]);
    return rows
      .toSorted((a, b) => int(a, "leaf_index") - int(b, "leaf_index"))
      .map((row) => ({ kind: text(row, "kind"), leafHash: text(row, "leaf_hash") }));
  }

  get(id: string): Promise<ProvenanceRecord | null> {
    return PROVENANCE_RECORDS.one(this.sql, GET, [id]);
  }

  async leafHashes(start: number, end: number): Promise<readonly string[]> {
    return (await this.sql.all(LEAF_HASHES, [start, end])).map((row) => text(row, "leaf_hash"));
  }

  atIndex(leafIndex: number): Promise<ProvenanceRecord | null> {
    return PROVENANCE_RECORDS.one(this.sql, AT_INDEX, [leafIndex]);
  }

  find(
    by: { subjectId?: string; runId?: string; lookupKey?: string; leafHash?: string; kind?: string },
    page: PageRequest,
  ): Promise<Page<ProvenanceRecord>> {
    const where: Condition[] = [];
    const add = (sql: string, value: string | undefined): void => {
      if (value !== undefined) where.push({ sql, values: [value] });
    };
    add("subject_id = ? AND kind <> 'step'", by.subjectId);
    add("run_id = ?", by.runId);
    add("lookup_key = ? AND kind <> 'step'", by.lookupKey);
    add("leaf_hash = ? AND kind <> 'step'", by.leafHash);
    const only = by.kind === undefined ? [] : [{ sql: "kind = ?", values: [by.kind] }];
    return selectPage(this.sql, SELECT, narrowed(where, only), NEWEST, page, PROVENANCE_RECORDS.read);
  }

  async putNodes(
    nodes: readonly { readonly level: number; readonly index: number; readonly hash: string }[],
  ): Promise<void> {
    await this.sql.insert(
      PUT_NODE,
      nodes.map((node) => [node.level, node.index, node.hash]),
    );
  }

  async nodes(
    wanted: readonly { readonly level: number; readonly index: number }[],
  ): Promise<readonly (string | null)[]> {
    if (wanted.length === 0) return [];
    const any = wanted.map(() => "(level = ? AND node_index = ?)").join(" OR ");
    const rows = await this.sql.all(
      GET_NODES + any,
      wanted.flatMap((node) => [node.level, node.index]),
    );
    const found = new Map(
      rows.map((row) => [`${int(row, "level")}/${int(row, "node_index")}`, text(row, "hash")]),
    );
    return wanted.map((node) => found.get(`${node.level}/${node.index}`) ?? null);
  }

  async putCheckpoint(one: CheckpointRecord): Promise<void> {
    await this.sql.insert(PUT_CHECKPOINT, [PROVENANCE_CHECKPOINTS.values(one)]);
  }

  async checkpoint(treeSize?: number): Promise<CheckpointRecord | null> {
    const row =
      treeSize === undefined
        ? await this.sql.get(NEWEST_CHECKPOINT, [])
        : await this.sql.get(GET_CHECKPOINT, [treeSize]);
    return row === undefined ? null : PROVENANCE_CHECKPOINTS.read(row);
  }

  async putKey(one: SigningKeyRecord): Promise<void> {
    await this.sql.run(PUT_KEY, SIGNING_KEYS.values(one));
  }

  keys(): Promise<readonly SigningKeyRecord[]> {
    return SIGNING_KEYS.all(this.sql, KEYS, []);
  }
}
