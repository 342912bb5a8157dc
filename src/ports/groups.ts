import type { Page, PageRequest } from "./store.ts";

/** A named set of people: approvals and notifications can be addressed to it. It gives no rights. */
export interface GroupRecord {
  readonly id: string;
  /** No two groups share one, whatever the case of the letters. */
  readonly name: string;
  readonly revision: number;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly updatedBy: string;
  readonly updatedAt: string;
}

/** Groups and who is in them. */
export interface GroupStore {
  /** False when the name is taken. */
  insert(record: GroupRecord): Promise<boolean>;
  get(id: string): Promise<GroupRecord | null>;
  /** The group of a name; the case of the letters does not matter. */
  byName(name: string): Promise<GroupRecord | null>;
  list(page: PageRequest): Promise<Page<GroupRecord>>;
  /** Compare-and-set on `revision`; `taken` when another group has the name. */
  update(record: GroupRecord, expectedRevision: number): Promise<"changed" | "stale" | "taken">;
  /** Removes a group with its memberships. */
  remove(id: string): Promise<boolean>;
  /** False when the person is a member already. */
  addMember(groupId: string, personId: string, by: string, at: string): Promise<boolean>;
  removeMember(groupId: string, personId: string): Promise<boolean>;
  /** The ids of the members, in the order in which they were added. */
  members(groupId: string): Promise<readonly string[]>;
  /** The groups that a person is in, by name. */
  ofPerson(personId: string): Promise<readonly GroupRecord[]>;
}
