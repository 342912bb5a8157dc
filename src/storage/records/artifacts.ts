import { PRIVACY_CLASSES } from "../../model/states.ts";
import type { ArtifactRecord, RenderedFormRecord } from "../../ports/records.ts";
import type { ArtifactStore, FormStore } from "../../ports/store.ts";
import { listed, NEWEST, selectPage, type Order } from "../paging.ts";
import { optText } from "../rows.ts";
import type { Row, Sql } from "../sql.ts";
import { exec, first } from "./statements.ts";
import { is, table } from "../table.ts";

const SHARED = {
  id: is.text,
  version: is.int,
  privacy: is.oneOf(PRIVACY_CLASSES),
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
const GET_FORM = `${RENDERED_FORMS.select} WHERE id = ?`;

function artifact(row: Row): ArtifactRecord {
  return { ...VERSIONS.read(row), createdBy: optText(row, "created_by") };
}

/** Artifacts over either database. */
export const artifactRecords = (sql: Sql): ArtifactStore => ({
  async insert(record) {
    await sql.run(HEADS.insert, HEADS.values(record));
    await sql.run(VERSIONS.insert, VERSIONS.values(record));
  },
  get: (id) => first(sql, GET_NEWEST, [id], artifact),
  version: (id, version) => first(sql, GET_VERSION, [id, version], artifact),
  versions(id, page) {
    const where = { along: [{ sql: "v.id = ?", values: [id] }] };
    return selectPage(sql, SELECT_VERSION, where, BY_VERSION, page, artifact);
  },
  list(page, filter = {}) {
    const where = {
      along: listed(filter, "a.created_by", "a.privacy = 'public'"),
      only: filter.includeDeleted === true ? [] : [{ sql: "a.deleted_at IS NULL", values: [] }],
    };
    return selectPage(sql, SELECT_NEWEST, where, NEWEST_HEAD, page, artifact);
  },
  async update(record) {
    const { id, version } = record;
    const changed = await sql.run(ADVANCE_HEAD.sql, [...ADVANCE_HEAD.values(record), id, version - 1]);
    if (changed !== 1) return false;
    await sql.run(VERSIONS.insert, VERSIONS.values(record));
    return true;
  },
});

/** Rendered forms over either database. */
export const formRecords = (sql: Sql): FormStore => ({
  upsert: async (record) => exec(sql, UPSERT_FORM, RENDERED_FORMS.values(record)),
  evictAnonymous: async (keep, renderedBefore) => exec(sql, EVICT_FORMS, [renderedBefore, keep]),
  get: (id) => RENDERED_FORMS.one(sql, GET_FORM, [id]),
  list: (page) => selectPage(sql, RENDERED_FORMS.select, {}, NEWEST, page, RENDERED_FORMS.read),
});
