import { Type } from "typebox";
import { Value } from "typebox/value";
import type {
  TemplateRecord,
  WorkflowRecord,
  WorkflowTexts,
  WorkflowVersionRecord,
} from "../../ports/records.ts";
import type { TemplateStore, WorkflowHead, WorkflowStore } from "../../ports/store.ts";
import { listed, NEWEST, selectPage, type Order } from "../paging.ts";
import { jsonText, optObject, text } from "../rows.ts";
import { insertInto, type Sql } from "../sql.ts";
import { changesOne, exec, first } from "./statements.ts";
import { column, is, table } from "../table.ts";

const HEAD = {
  id: is.text,
  name: is.text,
  status: is.oneOf(["draft", "published", "archived"]),
  visibility: is.oneOf(["private", "public"]),
  digest: is.text,
  publishedVersion: is.optInt,
  createdBy: is.text,
};
const Texts = Type.Object({
  name: Type.String(),
  description: Type.String(),
  tags: Type.Array(Type.String()),
});
const HEADS = table<WorkflowHead>("workflows", HEAD);
const WORKFLOWS = table<WorkflowRecord>("workflows", {
  ...HEAD,
  description: is.text,
  tags: is.strings,
  owner: is.optText,
  publishedTexts: column<WorkflowTexts | null>(
    (row, name) => {
      const stored = optObject(row, name);
      return Value.Check(Texts, stored) ? stored : null;
    },
    (texts) => (texts === null ? null : jsonText(texts)),
  ),
  revision: is.int,
  document: is.object,
  createdAt: is.text,
  updatedBy: is.text,
  updatedAt: is.text,
});
/** What others than its maker see of the workflows. */
const SHOWN = "visibility = 'public' AND status = 'published'";
const UPDATE = WORKFLOWS.update(
  [
    "name",
    "description",
    "tags",
    "status",
    "visibility",
    "owner",
    "revision",
    "document",
    "digest",
    "publishedVersion",
    "publishedTexts",
    "updatedBy",
    "updatedAt",
  ],
  "WHERE id = ? AND revision = ?",
);

const REMOVE = `DELETE FROM workflows WHERE id = ? AND published_version IS NULL
  AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.workflow_id = workflows.id)`;

const WORKFLOW_VERSIONS = table<WorkflowVersionRecord>("workflow_versions", {
  workflowId: is.text,
  version: is.int,
  name: is.optText,
  digest: is.text,
  document: is.object,
  publishedAt: is.text,
  publishedBy: is.text,
  publishedVia: is.optText,
});
const GET_VERSION = `${WORKFLOW_VERSIONS.select} WHERE workflow_id = ? AND version = ?`;
const NAME = `SELECT COALESCE(v.name, w.name) AS name FROM workflows w
  LEFT JOIN workflow_versions v ON v.workflow_id = w.id AND v.version = ? WHERE w.id = ?`;
const BY_VERSION: Order = { columns: ["version"], kind: "integer", direction: "DESC" };

const ADD_EDITOR = `${insertInto("workflow_editors", "workflow_id, version, editor")} ON CONFLICT DO NOTHING`;
const EDITORS =
  "SELECT DISTINCT editor FROM workflow_editors WHERE workflow_id = ? AND version BETWEEN ? AND ?";

const TEMPLATES = table<TemplateRecord>("templates", {
  id: is.text,
  name: is.text,
  description: is.text,
  tags: is.strings,
  document: is.object,
  createdAt: is.text,
});
const GET_TEMPLATE = `${TEMPLATES.select} WHERE id = ?`;

/** Workflows over either database. */
export const workflowRecords = (sql: Sql): WorkflowStore => ({
  insert: async (record) => exec(sql, WORKFLOWS.insert, WORKFLOWS.values(record)),
  get: (id) => WORKFLOWS.one(sql, `${WORKFLOWS.select} WHERE id = ?`, [id]),
  head: (id) => HEADS.one(sql, `${HEADS.select} WHERE id = ?`, [id]),
  list(page, filter = {}) {
    const where = {
      along: listed(filter, "created_by", SHOWN),
      only: [
        { sql: "created_by <> 'guard'", values: [] },
        ...(filter.status === undefined ? [] : [{ sql: "status = ?", values: [filter.status] }]),
      ],
    };
    return selectPage(sql, WORKFLOWS.select, where, NEWEST, page, WORKFLOWS.read);
  },
  update: (record, expectedRevision) =>
    changesOne(sql, UPDATE.sql, [...UPDATE.values(record), record.id, expectedRevision]),
  remove: (id) => changesOne(sql, REMOVE, [id]),
  insertVersion: async (record) => exec(sql, WORKFLOW_VERSIONS.insert, WORKFLOW_VERSIONS.values(record)),
  addEditor: async (workflowId, number, editor) => exec(sql, ADD_EDITOR, [workflowId, number, editor]),
  editors: async (workflowId, [from, to]) =>
    (await sql.all(EDITORS, [workflowId, from, to])).map((row) => text(row, "editor")),
  version: (workflowId, number) => WORKFLOW_VERSIONS.one(sql, GET_VERSION, [workflowId, number]),
  name: (id, version) => first(sql, NAME, [version ?? 0, id], (row) => text(row, "name")),
  versions(workflowId, page) {
    const where = { along: [{ sql: "workflow_id = ?", values: [workflowId] }] };
    return selectPage(sql, WORKFLOW_VERSIONS.select, where, BY_VERSION, page, WORKFLOW_VERSIONS.read);
  },
});

/** Templates over either database. */
export const templateRecords = (sql: Sql): TemplateStore => ({
  insert: async (record) => exec(sql, TEMPLATES.insert, TEMPLATES.values(record)),
  get: (id) => TEMPLATES.one(sql, GET_TEMPLATE, [id]),
  list: (page) => selectPage(sql, TEMPLATES.select, {}, NEWEST, page, TEMPLATES.read),
});
