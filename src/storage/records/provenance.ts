import { isObject, type JsonObject } from "../../kernel/json.ts";
import { placeInLeafId } from "../../kernel/leaf-ids.ts";
import type { CheckpointRecord, ProvenanceRecord, SigningKeyRecord } from "../../ports/records.ts";
import type { Page, PageRequest, ProvenanceStore, StepLeaf } from "../../ports/store.ts";
import { bounded, encodeCursor, selectPage, type Condition, type Order } from "../paging.ts";
import { int, jsonText, oneOf, optText, text } from "../rows.ts";
import { insertInto, marks, type Row, type Sql, type SqlValue } from "../sql.ts";
import { unpackEnvelope } from "./envelopes.ts";
import type { RunPages } from "./run-pages.ts";

const LEAF_COLUMNS =
  "leaf_index, id, kind, subject_id, run_id, digest, lookup_key, privacy, body, leaf_hash, envelope, created_at";
/** Writes leaves of any kind. */
export const INSERT_LEAF = insertInto("provenance_records", LEAF_COLUMNS);
/** Writes leaves of steps, which are kept as their body alone. */
export const INSERT_STEP_LEAF = insertInto("provenance_records", "leaf_index, run_id, body, leaf_hash");
const SELECT = `SELECT ${LEAF_COLUMNS} FROM provenance_records`;
const GET = `${SELECT} WHERE id = ?`;
const AT_INDEX = `${SELECT} WHERE leaf_index = ?`;
/** Leaves of one stretch of the log, as the indexes of hashes count them. */
const STRETCH = 8_192;
/** Stretches that are looked into together. */
const STRETCHES = 256;
const NEWEST: Order = { columns: ["leaf_index"], kind: "integer", direction: "DESC" };
const LEAF_HASHES =
  "SELECT leaf_index, leaf_hash FROM provenance_records WHERE leaf_index >= ? AND leaf_index < ? ORDER BY leaf_index";
/** The last leaf of the table, and the last page, whose last hash ends it. */
const HEAD = `SELECT leaf_index, leaf_hash FROM
  (SELECT leaf_index, leaf_hash FROM provenance_records ORDER BY leaf_index DESC LIMIT 1) AS own UNION ALL
  SELECT leaf_index, leaf_hash FROM (SELECT last_leaf AS leaf_index, hashes AS leaf_hash FROM run_pages
    WHERE first_leaf IS NOT NULL ORDER BY first_leaf DESC LIMIT 1) AS paged`;
const HASH_CHARS = 64;

const PUT_NODE = `${insertInto("provenance_nodes", "level, node_index, hash")} ON CONFLICT (level, node_index) DO NOTHING`;
const GET_NODES = "SELECT level, node_index, hash FROM provenance_nodes WHERE ";

const CHECKPOINT_COLUMNS = "tree_size, root_hash, key_id, signature, created_at";
const PUT_CHECKPOINT = `${insertInto("provenance_checkpoints", CHECKPOINT_COLUMNS)} ON CONFLICT (tree_size) DO NOTHING`;
const GET_CHECKPOINT = `SELECT ${CHECKPOINT_COLUMNS} FROM provenance_checkpoints WHERE tree_size = ?`;
const NEWEST_CHECKPOINT = `SELECT ${CHECKPOINT_COLUMNS} FROM provenance_checkpoints ORDER BY tree_size DESC LIMIT 1`;

const KEY_COLUMNS = "id, public_key, private_key, created_at, retired_at";
const PUT_KEY = `${insertInto("signing_keys", KEY_COLUMNS)} ON CONFLICT (id) DO UPDATE SET retired_at = excluded.retired_at`;
const KEYS = `SELECT ${KEY_COLUMNS} FROM signing_keys ORDER BY created_at, id`;

const PRIVACY = ["public", "internal", "confidential", "restricted"] as const;

function record(row: Row): ProvenanceRecord {
  if (row["kind"] === null) return stepRecord(row);
  return {
    id: text(row, "id"),
    leafIndex: int(row, "leaf_index"),
    kind: text(row, "kind"),
    subjectId: text(row, "subject_id"),
    runId: optText(row, "run_id"),
    digest: text(row, "digest"),
    lookupKey: text(row, "lookup_key"),
    privacy: oneOf(row, "privacy", PRIVACY),
    body: text(row, "body"),
    leafHash: text(row, "leaf_hash"),
    envelope: envelopeOf(row),
    createdAt: text(row, "created_at"),
  };
}

/** A step result: its body says everything. One that was damaged still becomes a record, for a verdict to fail on. */
function stepRecord(row: Row): ProvenanceRecord {
  const body = text(row, "body");
  const said = parsedBody(body);
  const field = (name: string): string => {
    const value = said[name];
    return typeof value === "string" ? value : "";
  };
  const digest = field("digest");
  return {
    id: field("id"),
    leafIndex: int(row, "leaf_index"),
    kind: field("kind"),
    subjectId: field("subjectId"),
    runId: optText(row, "run_id"),
    digest,
    lookupKey: digest,
    privacy: PRIVACY.find((one) => one === said["privacy"]) ?? "restricted",
    body,
    leafHash: text(row, "leaf_hash"),
    envelope: envelopeOf(row),
    createdAt: field("at"),
  };
}

function envelopeOf(row: Row): JsonObject | null {
  const stored = optText(row, "envelope");
  return stored === null ? null : unpackEnvelope(stored);
}

function parsedBody(body: string): Readonly<Record<string, unknown>> {
  try {
    const said: unknown = JSON.parse(body);
    return isObject(said) ? said : {};
  } catch {
    return {};
  }
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

/** The values of a leaf's columns. */
export function leafValues(one: ProvenanceRecord): readonly SqlValue[] {
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
    one.envelope === null ? null : jsonText(one.envelope),
    one.createdAt,
  ];
}

/** The values of the columns of a step's leaf. */
export function stepLeafValues({ leafIndex, runId, body, leafHash }: StepLeaf): readonly SqlValue[] {
  return [leafIndex, runId, body, leafHash];
}

/** The provenance log over either database. */
export class ProvenanceRecords implements ProvenanceStore {
  readonly #sql: Sql;
  readonly #pages: RunPages;

  /** Pages hold leaves of steps, too; places in the log are theirs together. */
  constructor(sql: Sql, pages: RunPages) {
    this.#sql = sql;
    this.#pages = pages;
  }

  lock(): Promise<void> {
    return this.#sql.lock("provenance");
  }

  head(): Promise<{ readonly size: number; readonly lastLeafHash: string | null }> {
    return this.#end();
  }

  async #end(): Promise<{ readonly size: number; readonly lastLeafHash: string | null }> {
    let end: { size: number; lastLeafHash: string | null } = { size: 0, lastLeafHash: null };
    for (const row of await this.#sql.all(HEAD, [])) {
      const size = int(row, "leaf_index") + 1;
      if (size > end.size) end = { size, lastLeafHash: text(row, "leaf_hash").slice(-HASH_CHARS) };
    }
    return end;
  }

  async append(records: readonly ProvenanceRecord[]): Promise<void> {
    await this.#sql.writeMany(INSERT_LEAF, records.map(leafValues));
  }

  async appendSteps(leaves: readonly StepLeaf[]): Promise<void> {
    await this.#sql.writeMany(INSERT_STEP_LEAF, leaves.map(stepLeafValues));
  }

  async get(id: string): Promise<ProvenanceRecord | null> {
    const row = await this.#sql.get(GET, [id]);
    return row === undefined ? this.#step(id) : record(row);
  }

  /** The ids of step results are in no index: they name the place. */
  async #step(id: string): Promise<ProvenanceRecord | null> {
    const place = placeInLeafId(id);
    const found = place === null ? null : await this.atIndex(place);
    return found?.id === id ? found : null;
  }

  async leafHashes(start: number, end: number): Promise<readonly string[]> {
    const rows = await this.#sql.all(LEAF_HASHES, [start, end]);
    if (rows.length === end - start) return rows.map((row) => text(row, "leaf_hash"));
    const hashes = new Map(await this.#pages.leafHashes(start, end));
    for (const row of rows) hashes.set(int(row, "leaf_index"), text(row, "leaf_hash"));
    return [...hashes].sort(([a], [b]) => a - b).map(([, hash]) => hash);
  }

  async atIndex(leafIndex: number): Promise<ProvenanceRecord | null> {
    const row = await this.#sql.get(AT_INDEX, [leafIndex]);
    return row === undefined ? await this.#pages.leafAt(leafIndex) : record(row);
  }

  async find(
    by: { subjectId?: string; runId?: string; lookupKey?: string; leafHash?: string; kind?: string },
    page: PageRequest,
  ): Promise<Page<ProvenanceRecord>> {
    const where: Condition[] = [];
    if (by.subjectId !== undefined)
      where.push({ sql: "subject_id = ? AND kind <> 'step'", values: [by.subjectId] });
    if (by.runId !== undefined) where.push({ sql: "run_id = ?", values: [by.runId] });
    if (by.kind === "step") where.push({ sql: "(kind IS NULL OR kind = 'step')", values: [] });
    else if (by.kind !== undefined) where.push({ sql: "kind = ?", values: [by.kind] });
    if (by.lookupKey !== undefined || by.leafHash !== undefined) return this.#findHash(by, where, page);
    if (by.subjectId !== undefined || (by.kind ?? "step") !== "step") {
      return selectPage(this.#sql, SELECT, where, NEWEST, page, record);
    }
    // What is appended between the two reads belongs to neither.
    const { size } = await this.#end();
    where.push({ sql: "leaf_index < ?", values: [size] });
    const rows = await selectPage(this.#sql, SELECT, where, NEWEST, page, record);
    const { limit, after } = bounded(page, NEWEST);
    const before = Math.min(Number(after?.[0] ?? size), size);
    const paged = await this.#pages.leaves(before, limit + 1, by.runId);
    const all = [...rows.items, ...paged].sort((a, b) => b.leafIndex - a.leafIndex);
    const last = all[limit - 1];
    const more = rows.nextCursor !== null || all.length > limit;
    return {
      items: all.slice(0, limit),
      nextCursor: more && last !== undefined ? encodeCursor({ leaf_index: last.leafIndex }, NEWEST) : null,
    };
  }

  /** Looks for a hash in every stretch of the log, the newest first. */
  async #findHash(
    by: { lookupKey?: string; leafHash?: string },
    others: readonly Condition[],
    page: PageRequest,
  ): Promise<Page<ProvenanceRecord>> {
    const wanted: Condition[] = [...others];
    if (by.lookupKey !== undefined)
      wanted.push({ sql: "lookup_key = ? AND kind <> 'step'", values: [by.lookupKey] });
    if (by.leafHash !== undefined)
      wanted.push({ sql: "leaf_hash = ? AND kind <> 'step'", values: [by.leafHash] });
    const { limit } = bounded(page, NEWEST);
    const items: ProvenanceRecord[] = [];
    let newest = Math.floor((await this.#end()).size / STRETCH);
    while (newest >= 0) {
      const stretches = Array.from({ length: Math.min(newest + 1, STRETCHES) }, (_, index) => newest - index);
      const within = { sql: `leaf_index / ${STRETCH} IN (${marks(stretches.length)})`, values: stretches };
      const rest = { ...page, limit: limit - items.length };
      const found = await selectPage(this.#sql, SELECT, [...wanted, within], NEWEST, rest, record);
      items.push(...found.items);
      newest -= stretches.length;
      if (found.nextCursor !== null) return { items, nextCursor: found.nextCursor };
      const last = items.at(-1);
      if (items.length >= limit && last !== undefined) {
        return {
          items,
          nextCursor: newest < 0 ? null : encodeCursor({ leaf_index: last.leafIndex }, NEWEST),
        };
      }
    }
    return { items, nextCursor: null };
  }

  async putNodes(
    nodes: readonly { readonly level: number; readonly index: number; readonly hash: string }[],
  ): Promise<void> {
    await this.#sql.writeMany(
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
    await this.#sql.write(PUT_CHECKPOINT, [
      one.treeSize,
      one.rootHash,
      one.keyId,
      one.signature,
      one.createdAt,
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
