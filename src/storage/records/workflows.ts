import { Type } from "typebox";
import { Value } from "typebox/value";
import type { Listed } from "../../ports/caller.ts";
import type {
  TemplateRecord,
  WorkflowRecord,
  WorkflowTexts,
  WorkflowVersionRecord,
} from "../../ports/records.ts";
import type { Page, PageRequest, TemplateStore, WorkflowHead, WorkflowStore } from "../../ports/store.ts";
import { listed, NEWEST, selectPage, type Order } from "../paging.ts";
import { jsonText, optObject, text } from "../rows.ts";
import { insertInto } from "../sql.ts";
import { OverSql } from "./over-sql.ts";
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
const INSERT_VERSION = WORKFLOW_VERSIONS.insert;
const SELECT_VERSION = WORKFLOW_VERSIONS.select;
const GET_VERSION = `${SELECT_VERSION} WHERE workflow_id = ? AND version = ?`;
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
const INSERT_TEMPLATE = TEMPLATES.insert;
const SELECT_TEMPLATE = TEMPLATES.select;
const GET_TEMPLATE = `${SELECT_TEMPLATE} WHERE id = ?`;

/** Workflows over either database. */
export class WorkflowRecords extends OverSql implements WorkflowStore {
  async insert(record: WorkflowRecord): Promise<void> {
    await this.sql.run(WORKFLOWS.insert, WORKFLOWS.values(record));
  }

  get(id: string): Promise<WorkflowRecord | null> {
    return WORKFLOWS.one(this.sql, `${WORKFLOWS.select} WHERE id = ?`, [id]);
  }

  head(id: string): Promise<WorkflowHead | null> {
    return HEADS.one(this.sql, `${HEADS.select} WHERE id = ?`, [id]);
  }

  list(
    page: PageRequest,
    filter: Partial<Listed> & { status?: WorkflowRecord["status"] } = {},
  ): Promise<Page<WorkflowRecord>> {
    const where = {
      along: listed(filter, "created_by", SHOWN),
      only: [
        { sql: "created_by <> 'guard'", values: [] },
        ...(filter.status === undefined ? [] : [{ sql: "status = ?", values: [filter.status] }]),
      ],
    };
    return selectPage(this.sql, WORKFLOWS.select, where, NEWEST, page, WORKFLOWS.read);
  }

  update(record: WorkflowRecord, expectedRevision: number): Promise<boolean> {
    return this.changesOne(UPDATE.sql, [...UPDATE.values(record), record.id, expectedRevision]);
  }

  remove(id: string): Promise<boolean> {
    return this.changesOne(REMOVE, [id]);
  }

  async insertVersion(record: WorkflowVersionRecord): Promise<void> {
    await this.sql.run(INSERT_VERSION, WORKFLOW_VERSIONS.values(record));
  }

  async addEditor(workflowId: string, number: number, editor: string): Promise<void> {
    await this.sql.run(ADD_EDITOR, [workflowId, number, editor]);
  }

  async editors(workflowId: string, [from, to]: readonly [number, number]): Promise<readonly string[]> {
    return (await this.sql.all(EDITORS, [workflowId, from, to])).map((row) => text(row, "editor"));
  }

  version(workflowId: string, number: number): Promise<WorkflowVersionRecord | null> {
    return WORKFLOW_VERSIONS.one(this.sql, GET_VERSION, [workflowId, number]);
  }

  async name(id: string, version: number | null): Promise<string | null> {
    const row = await this.sql.get(NAME, [version ?? 0, id]);
    return row === undefined ? null : text(row, "name");
  }

  versions(workflowId: string, page: PageRequest): Promise<Page<WorkflowVersionRecord>> {
    const where = { along: [{ sql: "workflow_id = ?", values: [workflowId] }] };
    return selectPage(this.sql, SELECT_VERSION, where, BY_VERSION, page, WORKFLOW_VERSIONS.read);
  }
}

/** Templates over either database. */
export class TemplateRecords extends OverSql implements TemplateStore {
  async insert(record: TemplateRecord): Promise<void> {
    await this.sql.run(INSERT_TEMPLATE, TEMPLATES.values(record));
  }

  get(id: string): Promise<TemplateRecord | null> {
    return TEMPLATES.one(this.sql, GET_TEMPLATE, [id]);
  }

  list(page: PageRequest): Promise<Page<TemplateRecord>> {
    return selectPage(this.sql, SELECT_TEMPLATE, {}, NEWEST, page, TEMPLATES.read);
  }
}
