import type { GroupRecord, GroupStore } from "../../ports/groups.ts";
import type { Page, PageRequest } from "../../ports/store.ts";
import { NEWEST, selectPage } from "../paging.ts";
import { text } from "../rows.ts";
import { insertInto } from "../sql.ts";
import { OverSql } from "./over-sql.ts";
import { is, table } from "../table.ts";

const PERSON_GROUPS = table<GroupRecord>("person_groups", {
  id: is.text,
  name: is.text,
  revision: is.int,
  createdBy: is.text,
  createdAt: is.text,
  updatedBy: is.text,
  updatedAt: is.text,
});
const INSERT = `${insertInto("person_groups", `${PERSON_GROUPS.columns}, name_key`)} ON CONFLICT (name_key) DO NOTHING`;
const SELECT = PERSON_GROUPS.select;
const GET = `${SELECT} WHERE id = ?`;
const BY_NAME = `${SELECT} WHERE name_key = ?`;
const UPDATE = PERSON_GROUPS.update(
  ["name", "revision", "updatedBy", "updatedAt"],
  ", name_key = ? WHERE id = ? AND revision = ?",
);
const REMOVE = "DELETE FROM person_groups WHERE id = ?";
const ADD = `${insertInto("group_members", "group_id, person_id, added_by, added_at")}
  ON CONFLICT (group_id, person_id) DO NOTHING`;
const DROP = "DELETE FROM group_members WHERE group_id = ? AND person_id = ?";
const DROP_ALL = "DELETE FROM group_members WHERE group_id = ?";
const MEMBERS = "SELECT person_id FROM group_members WHERE group_id = ? ORDER BY added_at, person_id";
const OF_PERSON = `${SELECT} WHERE id IN (SELECT group_id FROM group_members WHERE person_id = ?) ORDER BY name_key`;

/** Both databases compare only ASCII letters without case, so the comparable form is made here. */
function keyOf(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}

/** Groups over either database. */
export class GroupRecords extends OverSql implements GroupStore {
  insert(record: GroupRecord): Promise<boolean> {
    return this.changesOne(INSERT, [...PERSON_GROUPS.values(record), keyOf(record.name)]);
  }

  get(id: string): Promise<GroupRecord | null> {
    return PERSON_GROUPS.one(this.sql, GET, [id]);
  }

  byName(name: string): Promise<GroupRecord | null> {
    return PERSON_GROUPS.one(this.sql, BY_NAME, [keyOf(name)]);
  }

  list(page: PageRequest): Promise<Page<GroupRecord>> {
    return selectPage(this.sql, SELECT, {}, NEWEST, page, PERSON_GROUPS.read);
  }

  async update(record: GroupRecord, expectedRevision: number): Promise<"changed" | "stale" | "taken"> {
    const holder = await this.byName(record.name);
    if (holder !== null && holder.id !== record.id) return "taken";
    const changed = await this.sql.run(UPDATE.sql, [
      ...UPDATE.values(record),
      keyOf(record.name),
      record.id,
      expectedRevision,
    ]);
    return changed === 1 ? "changed" : "stale";
  }

  async remove(id: string): Promise<boolean> {
    await this.sql.run(DROP_ALL, [id]);
    return this.changesOne(REMOVE, [id]);
  }

  addMember(groupId: string, personId: string, by: string, at: string): Promise<boolean> {
    return this.changesOne(ADD, [groupId, personId, by, at]);
  }

  removeMember(groupId: string, personId: string): Promise<boolean> {
    return this.changesOne(DROP, [groupId, personId]);
  }

  async members(groupId: string): Promise<readonly string[]> {
    return (await this.sql.all(MEMBERS, [groupId])).map((row) => text(row, "person_id"));
  }

  ofPerson(personId: string): Promise<readonly GroupRecord[]> {
    return PERSON_GROUPS.all(this.sql, OF_PERSON, [personId]);
  }
}
