import type { GroupRecord, GroupStore } from "../../ports/groups.ts";
import { NEWEST, selectPage } from "../paging.ts";
import { text } from "../rows.ts";
import { insertInto, type Sql } from "../sql.ts";
import { changesOne } from "./statements.ts";
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
const GET = `${PERSON_GROUPS.select} WHERE id = ?`;
const BY_NAME = `${PERSON_GROUPS.select} WHERE name_key = ?`;
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
const OF_PERSON = `${PERSON_GROUPS.select} WHERE id IN (SELECT group_id FROM group_members WHERE person_id = ?) ORDER BY name_key`;

/** Both databases compare only ASCII letters without case, so the comparable form is made here. */
function keyOf(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}

/** Groups over either database. */
export const groupRecords = (sql: Sql): GroupStore => ({
  insert: (record) => changesOne(sql, INSERT, [...PERSON_GROUPS.values(record), keyOf(record.name)]),
  get: (id) => PERSON_GROUPS.one(sql, GET, [id]),
  byName: (name) => PERSON_GROUPS.one(sql, BY_NAME, [keyOf(name)]),
  list: (page) => selectPage(sql, PERSON_GROUPS.select, {}, NEWEST, page, PERSON_GROUPS.read),
  async update(record, expectedRevision) {
    const holder = await PERSON_GROUPS.one(sql, BY_NAME, [keyOf(record.name)]);
    if (holder !== null && holder.id !== record.id) return "taken";
    const changed = await sql.run(UPDATE.sql, [
      ...UPDATE.values(record),
      keyOf(record.name),
      record.id,
      expectedRevision,
    ]);
    return changed === 1 ? "changed" : "stale";
  },
  async remove(id) {
    await sql.run(DROP_ALL, [id]);
    return changesOne(sql, REMOVE, [id]);
  },
  addMember: (groupId, personId, by, at) => changesOne(sql, ADD, [groupId, personId, by, at]),
  removeMember: (groupId, personId) => changesOne(sql, DROP, [groupId, personId]),
  members: async (groupId) => (await sql.all(MEMBERS, [groupId])).map((row) => text(row, "person_id")),
  ofPerson: (personId) => PERSON_GROUPS.all(sql, OF_PERSON, [personId]),
});
