import type { Listed } from "../../ports/caller.ts";
import type { ArtifactRecord, RenderedFormRecord } from "../../ports/records.ts";
import type { ArtifactStore, FormStore, Page, PageRequest } from "../../ports/store.ts";
import { listed, NEWEST, selectPage, type Order } from "../paging.ts";
import { optText } from "../rows.ts";
import { type Row } from "../sql.ts";
import { OverSql } from "./over-sql.ts";
import { is, table } from "../table.ts";

const SHARED = {
  id: is.text,
  version: is.int,
  privacy: is.oneOf(["public", "internal", "confidential", "restricted"]),
  createdAt: is.text,
  deletedAt: is.optText,
};
type Head = Pick<ArtifactRecord, keyof typeof SHARED | "createdBy">;
const HEADS = table<Head>("artifacts", { ...SHARED, createdBy: is.optText });
const ADVANCE_HEAD = HEADS.update(["version", "privacy", "deletedAt"], "WHERE id = ? AND version = ?");
const VERSIONS = table<Omit<ArtifactRecord, "createdBy">>("artifact_versions", {
  ...SHARED,
  title: is.text,
  type: is.text,
  digest: is.text,
  content: is.object,
  updatedAt: is.text,
});
const SELECT_VERSION = `SELECT ${VERSIONS.columnsOf("v")}, a.created_by
  FROM artifacts a JOIN artifact_versions v ON v.id = a.id`;
const GET_VERSION = `${SELECT_VERSION} WHERE v.id = ? AND v.version = ?`;
const SELECT_NEWEST = `${SELECT_VERSION} AND v.version = a.version`;
const GET_NEWEST = `${SELECT_NEWEST} WHERE a.id = ?`;
const NEWEST_HEAD: Order = { columns: ["a.created_at", "a.id"], kind: "text", direction: "DESC" };
const BY_VERSION: Order = { columns: ["v.version"], kind: "integer", direction: "DESC" };

const RENDERED_FORMS = table<RenderedFormRecord>("rendered_forms", {
  id: is.text,
  title: is.text,
  source: is.object,
  form: is.object,
  createdAt: is.text,
  lastRenderedAt: is.text,
  renderCount: is.int,
});
const UPSERT_FORM = `${RENDERED_FORMS.insert} ON CONFLICT (id) DO UPDATE SET
  source = excluded.source, last_rendered_at = excluded.last_rendered_at,
  render_count = rendered_forms.render_count + 1`;
const EVICT_FORMS = `DELETE FROM rendered_forms WHERE source LIKE '%"anonymous":%' AND (last_rendered_at < ?
  OR id IN (SELECT id FROM rendered_forms
    WHERE source LIKE '%"anonymous":%' ORDER BY last_rendered_at DESC, id LIMIT 1000 OFFSET ?))`;
const SELECT_FORM = RENDERED_FORMS.select;
const GET_FORM = `${SELECT_FORM} WHERE id = ?`;

function artifact(row: Row): ArtifactRecord {
  return { ...VERSIONS.read(row), createdBy: optText(row, "created_by") };
}

/** Artifacts over either database. */
export class ArtifactRecords extends OverSql implements ArtifactStore {
  async insert(record: ArtifactRecord): Promise<void> {
    await this.sql.run(HEADS.insert, HEADS.values(record));
    await this.sql.run(VERSIONS.insert, VERSIONS.values(record));
  }

  async get(id: string): Promise<ArtifactRecord | null> {
    const row = await this.sql.get(GET_NEWEST, [id]);
    return row === undefined ? null : artifact(row);
  }

  async version(id: string, version: number): Promise<ArtifactRecord | null> {
    const row = await this.sql.get(GET_VERSION, [id, version]);
    return row === undefined ? null : artifact(row);
  }

  versions(id: string, page: PageRequest): Promise<Page<ArtifactRecord>> {
    const where = { along: [{ sql: "v.id = ?", values: [id] }] };
    return selectPage(this.sql, SELECT_VERSION, where, BY_VERSION, page, artifact);
  }

  list(
    page: PageRequest,
    filter: Partial<Listed> & { includeDeleted?: boolean } = {},
  ): Promise<Page<ArtifactRecord>> {
    const where = {
      along: listed(filter, "a.created_by", "a.privacy = 'public'"),
      only: filter.includeDeleted === true ? [] : [{ sql: "a.deleted_at IS NULL", values: [] }],
    };
    return selectPage(this.sql, SELECT_NEWEST, where, NEWEST_HEAD, page, artifact);
  }

  async update(record: ArtifactRecord): Promise<boolean> {
    const { id, version } = record;
    const changed = await this.sql.run(ADVANCE_HEAD.sql, [...ADVANCE_HEAD.values(record), id, version - 1]);
    if (changed !== 1) return false;
    await this.sql.run(VERSIONS.insert, VERSIONS.values(record));
    return true;
  }
}

/** Rendered forms over either database. */
export class FormRecords extends OverSql implements FormStore {
  async upsert(record: RenderedFormRecord): Promise<void> {
    await this.sql.run(UPSERT_FORM, RENDERED_FORMS.values(record));
  }

  async evictAnonymous(keep: number, renderedBefore: string): Promise<void> {
    await this.sql.run(EVICT_FORMS, [renderedBefore, keep]);
  }

  get(id: string): Promise<RenderedFormRecord | null> {
    return RENDERED_FORMS.one(this.sql, GET_FORM, [id]);
  }

  list(page: PageRequest): Promise<Page<RenderedFormRecord>> {
    return selectPage(this.sql, SELECT_FORM, {}, NEWEST, page, RENDERED_FORMS.read);
  }
}
