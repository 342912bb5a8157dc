import type { Listed } from "../../ports/caller.ts";
import type { TemplateRecord, WorkflowRecord, WorkflowVersionRecord } from "../../ports/records.ts";
import type { Page, PageRequest, TemplateStore, WorkflowHead, WorkflowStore } from "../../ports/store.ts";
import { listed, NEWEST, selectPage, type Order } from "../paging.ts";
import { int, jsonText, object, oneOf, optInt, optText, strings, text } from "../rows.ts";
import { insertInto, type Row, type Sql } from "../sql.ts";

const COLUMNS =
  "id, name, description, tags, status, visibility, owner, revision, document, digest, published_version, created_by, created_at, updated_by, updated_at";
const INSERT = insertInto("workflows", COLUMNS);
const SELECT = `SELECT ${COLUMNS} FROM workflows`;
const GET = `${SELECT} WHERE id = ?`;
const HEAD =
  "SELECT id, status, visibility, digest, published_version, created_by FROM workflows WHERE id = ?";
/** What others than its maker see of the workflows. */
const SHOWN = "visibility = 'public' AND status = 'published'";
const UPDATE = `UPDATE workflows SET name = ?, description = ?, tags = ?, status = ?, visibility = ?, owner = ?,
  revision = ?, document = ?, digest = ?, published_version = ?, updated_by = ?, updated_at = ? WHERE id = ? AND revision = ?`;

const REMOVE = `DELETE FROM workflows WHERE id = ? AND published_version IS NULL
  AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.workflow_id = workflows.id)`;

const VERSION_COLUMNS = "workflow_id, version, digest, document, published_at, published_by";
const INSERT_VERSION = insertInto("workflow_versions", VERSION_COLUMNS);
const SELECT_VERSION = `SELECT ${VERSION_COLUMNS} FROM workflow_versions`;
const GET_VERSION = `${SELECT_VERSION} WHERE workflow_id = ? AND version = ?`;
const BY_VERSION: Order = { columns: ["version"], kind: "integer", direction: "DESC" };

const ADD_EDITOR = `${insertInto("workflow_editors", "workflow_id, version, editor")} ON CONFLICT DO NOTHING`;
const EDITORS =
  "SELECT DISTINCT editor FROM workflow_editors WHERE workflow_id = ? AND version BETWEEN ? AND ?";

const TEMPLATE_COLUMNS = "id, name, description, tags, document, created_at";
const INSERT_TEMPLATE = insertInto("templates", TEMPLATE_COLUMNS);
const SELECT_TEMPLATE = `SELECT ${TEMPLATE_COLUMNS} FROM templates`;
const GET_TEMPLATE = `${SELECT_TEMPLATE} WHERE id = ?`;

function head(row: Row): WorkflowHead {
  return {
    id: text(row, "id"),
    status: oneOf(row, "status", ["draft", "published", "archived"]),
    visibility: oneOf(row, "visibility", ["private", "public"]),
    digest: text(row, "digest"),
    publishedVersion: optInt(row, "published_version"),
    createdBy: text(row, "created_by"),
  };
}

function workflow(row: Row): WorkflowRecord {
  return {
    ...head(row),
    name: text(row, "name"),
    description: text(row, "description"),
    tags: strings(row, "tags"),
    owner: optText(row, "owner"),
    revision: int(row, "revision"),
    document: object(row, "document"),
    createdAt: text(row, "created_at"),
    updatedBy: text(row, "updated_by"),
    updatedAt: text(row, "updated_at"),
  };
}

function version(row: Row): WorkflowVersionRecord {
  return {
    workflowId: text(row, "workflow_id"),
    version: int(row, "version"),
    digest: text(row, "digest"),
    document: object(row, "document"),
    publishedAt: text(row, "published_at"),
    publishedBy: text(row, "published_by"),
  };
}

function template(row: Row): TemplateRecord {
  return {
    id: text(row, "id"),
    name: text(row, "name"),
    description: text(row, "description"),
    tags: strings(row, "tags"),
    document: object(row, "document"),
    createdAt: text(row, "created_at"),
  };
}

/** Workflows over either database. */
export class WorkflowRecords implements WorkflowStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async insert(record: WorkflowRecord): Promise<void> {
    await this.#sql.run(INSERT, [
      record.id,
      record.name,
      record.description,
      jsonText(record.tags),
      record.status,
      record.visibility,
      record.owner,
      record.revision,
      jsonText(record.document),
      record.digest,
      record.publishedVersion,
      record.createdBy,
      record.createdAt,
      record.updatedBy,
      record.updatedAt,
    ]);
  }

  async get(id: string): Promise<WorkflowRecord | null> {
    const row = await this.#sql.get(GET, [id]);
    return row === undefined ? null : workflow(row);
  }

  async head(id: string): Promise<WorkflowHead | null> {
    const row = await this.#sql.get(HEAD, [id]);
    return row === undefined ? null : head(row);
  }

  list(
    page: PageRequest,
    filter: Partial<Listed> & { status?: WorkflowRecord["status"] } = {},
  ): Promise<Page<WorkflowRecord>> {
    const where = {
      along: listed(filter, "created_by", SHOWN),
      only: filter.status === undefined ? [] : [{ sql: "status = ?", values: [filter.status] }],
    };
    return selectPage(this.#sql, SELECT, where, NEWEST, page, workflow);
  }

  async update(record: WorkflowRecord, expectedRevision: number): Promise<boolean> {
    const changed = await this.#sql.run(UPDATE, [
      record.name,
      record.description,
      jsonText(record.tags),
      record.status,
      record.visibility,
      record.owner,
      record.revision,
      jsonText(record.document),
      record.digest,
      record.publishedVersion,
      record.updatedBy,
      record.updatedAt,
      record.id,
      expectedRevision,
    ]);
    return changed === 1;
  }

  async remove(id: string): Promise<boolean> {
    return (await this.#sql.run(REMOVE, [id])) === 1;
  }

  async insertVersion(record: WorkflowVersionRecord): Promise<void> {
    await this.#sql.run(INSERT_VERSION, [
      record.workflowId,
      record.version,
      record.digest,
      jsonText(record.document),
      record.publishedAt,
      record.publishedBy,
    ]);
  }

  async addEditor(workflowId: string, number: number, editor: string): Promise<void> {
    await this.#sql.run(ADD_EDITOR, [workflowId, number, editor]);
  }

  async editors(workflowId: string, [from, to]: readonly [number, number]): Promise<readonly string[]> {
    return (await this.#sql.all(EDITORS, [workflowId, from, to])).map((row) => text(row, "editor"));
  }

  async version(workflowId: string, number: number): Promise<WorkflowVersionRecord | null> {
    const row = await this.#sql.get(GET_VERSION, [workflowId, number]);
    return row === undefined ? null : version(row);
  }

  versions(workflowId: string, page: PageRequest): Promise<Page<WorkflowVersionRecord>> {
    const where = { along: [{ sql: "workflow_id = ?", values: [workflowId] }] };
    return selectPage(this.#sql, SELECT_VERSION, where, BY_VERSION, page, version);
  }
}

/** Templates over either database. */
export class TemplateRecords implements TemplateStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async insert(record: TemplateRecord): Promise<void> {
    await this.#sql.run(INSERT_TEMPLATE, [
      record.id,
      record.name,
      record.description,
      jsonText(record.tags),
      jsonText(record.document),
      record.createdAt,
    ]);
  }

  async get(id: string): Promise<TemplateRecord | null> {
    const row = await this.#sql.get(GET_TEMPLATE, [id]);
    return row === undefined ? null : template(row);
  }

  list(page: PageRequest): Promise<Page<TemplateRecord>> {
    return selectPage(this.#sql, SELECT_TEMPLATE, {}, NEWEST, page, template);
  }
}
