import type { Listed } from "../../ports/caller.ts";
import type { ArtifactRecord, RenderedFormRecord } from "../../ports/records.ts";
import type { ArtifactStore, FormStore, Page, PageRequest } from "../../ports/store.ts";
import { listed, NEWEST, selectPage, type Order } from "../paging.ts";
import { int, jsonText, object, oneOf, optText, text } from "../rows.ts";
import { insertInto, type Row, type Sql } from "../sql.ts";

const VERSION_COLUMNS =
  "id, version, title, type, privacy, digest, content, created_at, updated_at, deleted_at";
const INSERT_HEAD = insertInto("artifacts", "id, version, privacy, created_by, created_at, deleted_at");
const ADVANCE_HEAD = `UPDATE artifacts SET version = ?, privacy = ?, deleted_at = ? WHERE id = ? AND version = ?`;
const INSERT_VERSION = insertInto("artifact_versions", VERSION_COLUMNS);
const SELECT_VERSION = `SELECT ${VERSION_COLUMNS.replaceAll(/\w+/g, "v.$&")}, a.created_by
  FROM artifacts a JOIN artifact_versions v ON v.id = a.id`;
const GET_VERSION = `${SELECT_VERSION} WHERE v.id = ? AND v.version = ?`;
const SELECT_NEWEST = `${SELECT_VERSION} AND v.version = a.version`;
const GET_NEWEST = `${SELECT_NEWEST} WHERE a.id = ?`;
const NEWEST_HEAD: Order = { columns: ["a.created_at", "a.id"], kind: "text", direction: "DESC" };
const BY_VERSION: Order = { columns: ["v.version"], kind: "integer", direction: "DESC" };

const FORM_COLUMNS = "id, title, source, form, created_at, last_rendered_at, render_count";
const UPSERT_FORM = `${insertInto("rendered_forms", FORM_COLUMNS)} ON CONFLICT (id) DO UPDATE SET
  source = excluded.source, last_rendered_at = excluded.last_rendered_at,
  render_count = rendered_forms.render_count + 1`;
const EVICT_FORMS = `DELETE FROM rendered_forms WHERE source LIKE '%"anonymous":%' AND (last_rendered_at < ?
  OR id IN (SELECT id FROM rendered_forms
    WHERE source LIKE '%"anonymous":%' ORDER BY last_rendered_at DESC, id LIMIT 1000 OFFSET ?))`;
const SELECT_FORM = `SELECT ${FORM_COLUMNS} FROM rendered_forms`;
const GET_FORM = `${SELECT_FORM} WHERE id = ?`;

function artifact(row: Row): ArtifactRecord {
  return {
    id: text(row, "id"),
    title: text(row, "title"),
    type: text(row, "type"),
    privacy: oneOf(row, "privacy", ["public", "internal", "confidential", "restricted"]),
    version: int(row, "version"),
    digest: text(row, "digest"),
    content: object(row, "content"),
    createdBy: optText(row, "created_by"),
    createdAt: text(row, "created_at"),
    updatedAt: text(row, "updated_at"),
    deletedAt: optText(row, "deleted_at"),
  };
}

function form(row: Row): RenderedFormRecord {
  return {
    id: text(row, "id"),
    title: text(row, "title"),
    source: object(row, "source"),
    form: object(row, "form"),
    createdAt: text(row, "created_at"),
    lastRenderedAt: text(row, "last_rendered_at"),
    renderCount: int(row, "render_count"),
  };
}

/** Artifacts over either database. */
export class ArtifactRecords implements ArtifactStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async insert(record: ArtifactRecord): Promise<void> {
    await this.#sql.run(INSERT_HEAD, [
      record.id,
      record.version,
      record.privacy,
      record.createdBy,
      record.createdAt,
      record.deletedAt,
    ]);
    await this.#insertVersion(record);
  }

  async get(id: string): Promise<ArtifactRecord | null> {
    const row = await this.#sql.get(GET_NEWEST, [id]);
    return row === undefined ? null : artifact(row);
  }

  async version(id: string, version: number): Promise<ArtifactRecord | null> {
    const row = await this.#sql.get(GET_VERSION, [id, version]);
    return row === undefined ? null : artifact(row);
  }

  versions(id: string, page: PageRequest): Promise<Page<ArtifactRecord>> {
    const where = { along: [{ sql: "v.id = ?", values: [id] }] };
    return selectPage(this.#sql, SELECT_VERSION, where, BY_VERSION, page, artifact);
  }

  list(
    page: PageRequest,
    filter: Partial<Listed> & { includeDeleted?: boolean } = {},
  ): Promise<Page<ArtifactRecord>> {
    const where = {
      along: listed(filter, "a.created_by", "a.privacy = 'public'"),
      only: filter.includeDeleted === true ? [] : [{ sql: "a.deleted_at IS NULL", values: [] }],
    };
    return selectPage(this.#sql, SELECT_NEWEST, where, NEWEST_HEAD, page, artifact);
  }

  async update(record: ArtifactRecord): Promise<boolean> {
    const changed = await this.#sql.run(ADVANCE_HEAD, [
      record.version,
      record.privacy,
      record.deletedAt,
      record.id,
      record.version - 1,
    ]);
    if (changed !== 1) return false;
    await this.#insertVersion(record);
    return true;
  }

  async #insertVersion(record: ArtifactRecord): Promise<void> {
    await this.#sql.run(INSERT_VERSION, [
      record.id,
      record.version,
      record.title,
      record.type,
      record.privacy,
      record.digest,
      jsonText(record.content),
      record.createdAt,
      record.updatedAt,
      record.deletedAt,
    ]);
  }
}

/** Rendered forms over either database. */
export class FormRecords implements FormStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async upsert(record: RenderedFormRecord): Promise<void> {
    await this.#sql.run(UPSERT_FORM, [
      record.id,
      record.title,
      jsonText(record.source),
      jsonText(record.form),
      record.createdAt,
      record.lastRenderedAt,
      record.renderCount,
    ]);
  }

  async evictAnonymous(keep: number, renderedBefore: string): Promise<void> {
    await this.#sql.run(EVICT_FORMS, [renderedBefore, keep]);
  }

  async get(id: string): Promise<RenderedFormRecord | null> {
    const row = await this.#sql.get(GET_FORM, [id]);
    return row === undefined ? null : form(row);
  }

  list(page: PageRequest): Promise<Page<RenderedFormRecord>> {
    return selectPage(this.#sql, SELECT_FORM, {}, NEWEST, page, form);
  }
}
