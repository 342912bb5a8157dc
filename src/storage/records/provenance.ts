import type { CheckpointRecord, ProvenanceRecord, SigningKeyRecord } from "../../ports/records.ts";
import type { Page, PageRequest, ProvenanceStore } from "../../ports/store.ts";
import { narrowed, selectPage, type Condition, type Order } from "../paging.ts";
import { int, oneOf, optInt, optText, text } from "../rows.ts";
import { insertInto, type Row, type Sql, type SqlValue } from "../sql.ts";

const COLUMNS =
  "leaf_index, id, kind, subject_id, run_id, digest, lookup_key, privacy, body, leaf_hash, created_at";
const INSERT = insertInto("provenance_records", COLUMNS);
const SELECT = `SELECT ${COLUMNS} FROM provenance_records`;
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

const CHECKPOINT_COLUMNS = "tree_size, root_hash, key_id, signature, created_at";
const PUT_CHECKPOINT = `${insertInto("provenance_checkpoints", CHECKPOINT_COLUMNS)} ON CONFLICT (tree_size) DO NOTHING`;
const GET_CHECKPOINT = `SELECT ${CHECKPOINT_COLUMNS} FROM provenance_checkpoints WHERE tree_size = ?`;
const NEWEST_CHECKPOINT = `SELECT ${CHECKPOINT_COLUMNS} FROM provenance_checkpoints ORDER BY tree_size DESC LIMIT 1`;

const KEY_COLUMNS = "id, public_key, private_key, created_at, retired_at";
const PUT_KEY = `${insertInto("signing_keys", KEY_COLUMNS)} ON CONFLICT (id) DO UPDATE SET retired_at = excluded.retired_at`;
/** Of two keys that were made in the same millisecond the retired one is the older. */
const KEYS = `SELECT ${KEY_COLUMNS} FROM signing_keys ORDER BY created_at, coalesce(retired_at, '9999'), id`;

const PRIVACY = ["public", "internal", "confidential", "restricted"] as const;

function record(row: Row): ProvenanceRecord {
  return {
    id: text(row, "id"),
    leafIndex: optInt(row, "leaf_index"),
    kind: text(row, "kind"),
    subjectId: text(row, "subject_id"),
    runId: optText(row, "run_id"),
    digest: text(row, "digest"),
    lookupKey: text(row, "lookup_key"),
    privacy: oneOf(row, "privacy", PRIVACY),
    body: text(row, "body"),
    leafHash: text(row, "leaf_hash"),
    createdAt: text(row, "created_at"),
  };
}

function checkpoint(row: Row): CheckpointRecord {
  return {
    treeSize: int(row, "tree_size"),
    rootHash: text(row, "root_hash"),
    keyId: text(row, "key_id"),
    signature: text(row, "signature"),
    createdAt: text(row, "created_at"),
  };
}

function signingKey(row: Row): SigningKeyRecord {
  return {
    id: text(row, "id"),
    publicKey: text(row, "public_key"),
    privateKey: text(row, "private_key"),
    createdAt: text(row, "created_at"),
    retiredAt: optText(row, "retired_at"),
  };
}

function values(one: ProvenanceRecord): readonly SqlValue[] {
  return [
    one.leafIndex,
    one.id,
    one.kind,
    one.subjectId,
    one.runId,
    one.digest,
    one.lookupKey,
    one.privacy,
    one.body,
    one.leafHash,
    one.createdAt,
  ];
}

/** The provenance log over either database. */
export class ProvenanceRecords implements ProvenanceStore {
  readonly #sql: Sql;
  appended = false;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  lock(): Promise<void> {
    return this.#sql.lock();
  }

  async head(): Promise<{ readonly size: number; readonly lastLeafHash: string | null }> {
    const row = await this.#sql.get(HEAD, []);
    if (row === undefined) return { size: 0, lastLeafHash: null };
    return { size: int(row, "leaf_index") + 1, lastLeafHash: text(row, "leaf_hash") };
  }

  async append(records: readonly ProvenanceRecord[]): Promise<void> {
    this.appended = true;
    await this.#sql.insert(INSERT, records.map(values));
  }

  async number(
    first: number,
    limit: number,
  ): Promise<readonly Pick<ProvenanceRecord, "kind" | "leafHash">[]> {
    if (this.#sql.dialect === "sqlite") return [];
    const rows = await this.#sql.all(NUMBER, [limit, first]);
    return rows
      .toSorted((a, b) => int(a, "leaf_index") - int(b, "leaf_index"))
      .map((row) => ({ kind: text(row, "kind"), leafHash: text(row, "leaf_hash") }));
  }

  async get(id: string): Promise<ProvenanceRecord | null> {
    const row = await this.#sql.get(GET, [id]);
    return row === undefined ? null : record(row);
  }

  async leafHashes(start: number, end: number): Promise<readonly string[]> {
    return (await this.#sql.all(LEAF_HASHES, [start, end])).map((row) => text(row, "leaf_hash"));
  }

  async atIndex(leafIndex: number): Promise<ProvenanceRecord | null> {
    const row = await this.#sql.get(AT_INDEX, [leafIndex]);
    return row === undefined ? null : record(row);
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
    return selectPage(this.#sql, SELECT, narrowed(where, only), NEWEST, page, record);
  }

  async putNodes(
    nodes: readonly { readonly level: number; readonly index: number; readonly hash: string }[],
  ): Promise<void> {
    await this.#sql.insert(
      PUT_NODE,
      nodes.map((node) => [node.level, node.index, node.hash]),
    );
  }

  async nodes(
    wanted: readonly { readonly level: number; readonly index: number }[],
  ): Promise<readonly (string | null)[]> {
    if (wanted.length === 0) return [];
    const any = wanted.map(() => "(level = ? AND node_index = ?)").join(" OR ");
    const rows = await this.#sql.all(
      GET_NODES + any,
      wanted.flatMap((node) => [node.level, node.index]),
    );
    const found = new Map(
      rows.map((row) => [`${int(row, "level")}/${int(row, "node_index")}`, text(row, "hash")]),
    );
    return wanted.map((node) => found.get(`${node.level}/${node.index}`) ?? null);
  }

  async putCheckpoint(one: CheckpointRecord): Promise<void> {
    await this.#sql.insert(PUT_CHECKPOINT, [
      [one.treeSize, one.rootHash, one.keyId, one.signature, one.createdAt],
    ]);
  }

  async checkpoint(treeSize?: number): Promise<CheckpointRecord | null> {
    const row =
      treeSize === undefined
        ? await this.#sql.get(NEWEST_CHECKPOINT, [])
        : await this.#sql.get(GET_CHECKPOINT, [treeSize]);
    return row === undefined ? null : checkpoint(row);
  }

  async putKey(one: SigningKeyRecord): Promise<void> {
    await this.#sql.run(PUT_KEY, [one.id, one.publicKey, one.privateKey, one.createdAt, one.retiredAt]);
  }

  async keys(): Promise<readonly SigningKeyRecord[]> {
    return (await this.#sql.all(KEYS, [])).map(signingKey);
  }
}
