import type { GroupRecord, GroupStore } from "../../ports/groups.ts";
import type { Page, PageRequest } from "../../ports/store.ts";
import { NEWEST, selectPage } from "../paging.ts";
import { int, text } from "../rows.ts";
import { insertInto, type Row, type Sql } from "../sql.ts";

const COLUMNS = "id, name, revision, created_by, created_at, updated_by, updated_at";
const INSERT = `${insertInto("person_groups", `${COLUMNS}, name_key`)} ON CONFLICT (name_key) DO NOTHING`;
const SELECT = `SELECT ${COLUMNS} FROM person_groups`;
const GET = `${SELECT} WHERE id = ?`;
const BY_NAME = `${SELECT} WHERE name_key = ?`;
const UPDATE = `UPDATE person_groups SET name = ?, name_key = ?, revision = ?, updated_by = ?, updated_at = ?
  WHERE id = ? AND revision = ?`;
const REMOVE = "DELETE FROM person_groups WHERE id = ?";
const ADD = `${insertInto("group_members", "group_id, person_id, added_by, added_at")}
  ON CONFLICT (group_id, person_id) DO NOTHING`;
const DROP = "DELETE FROM group_members WHERE group_id = ? AND person_id = ?";
const DROP_ALL = "DELETE FROM group_members WHERE group_id = ?";
const MEMBERS = "SELECT person_id FROM group_members WHERE group_id = ? ORDER BY added_at, person_id";
const OF_PERSON = `${SELECT} WHERE id IN (SELECT group_id FROM group_members WHERE person_id = ?) ORDER BY name_key`;

function group(row: Row): GroupRecord {
  return {
    id: text(row, "id"),
    name: text(row, "name"),
    revision: int(row, "revision"),
    createdBy: text(row, "created_by"),
    createdAt: text(row, "created_at"),
    updatedBy: text(row, "updated_by"),
    updatedAt: text(row, "updated_at"),
  };
}

/** Both databases compare only ASCII letters without case, so the comparable form is made here. */
function keyOf(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}

/** Groups over either database. */
export class GroupRecords implements GroupStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async insert(record: GroupRecord): Promise<boolean> {
    const inserted = await this.#sql.run(INSERT, [
      record.id,
      record.name,
      record.revision,
      record.createdBy,
      record.createdAt,
      record.updatedBy,
      record.updatedAt,
      keyOf(record.name),
    ]);
    return inserted === 1;
  }

  async get(id: string): Promise<GroupRecord | null> {
    const row = await this.#sql.get(GET, [id]);
    return row === undefined ? null : group(row);
  }

  async byName(name: string): Promise<GroupRecord | null> {
    const row = await this.#sql.get(BY_NAME, [keyOf(name)]);
    return row === undefined ? null : group(row);
  }

  list(page: PageRequest): Promise<Page<GroupRecord>> {
    return selectPage(this.#sql, SELECT, {}, NEWEST, page, group);
  }

  async update(record: GroupRecord, expectedRevision: number): Promise<"changed" | "stale" | "taken"> {
    const holder = await this.byName(record.name);
    if (holder !== null && holder.id !== record.id) return "taken";
    const changed = await this.#sql.run(UPDATE, [
      record.name,
      keyOf(record.name),
      record.revision,
      record.updatedBy,
      record.updatedAt,
      record.id,
      expectedRevision,
    ]);
    return changed === 1 ? "changed" : "stale";
  }

  async remove(id: string): Promise<boolean> {
    await this.#sql.run(DROP_ALL, [id]);
    return (await this.#sql.run(REMOVE, [id])) === 1;
  }

  async addMember(groupId: string, personId: string, by: string, at: string): Promise<boolean> {
    return (await this.#sql.run(ADD, [groupId, personId, by, at])) === 1;
  }

  async removeMember(groupId: string, personId: string): Promise<boolean> {
    return (await this.#sql.run(DROP, [groupId, personId])) === 1;
  }

  async members(groupId: string): Promise<readonly string[]> {
    return (await this.#sql.all(MEMBERS, [groupId])).map((row) => text(row, "person_id"));
  }

  async ofPerson(personId: string): Promise<readonly GroupRecord[]> {
    return (await this.#sql.all(OF_PERSON, [personId])).map(group);
  }
}
