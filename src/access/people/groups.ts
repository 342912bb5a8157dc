import { digestOf } from "../../kernel/canonical-json.ts";
import { AppError } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { GroupView } from "../../model/people.ts";
import type { Caller } from "../../ports/caller.ts";
import type { GroupRecord } from "../../ports/groups.ts";
import type { PersonRecord } from "../../ports/people.ts";
import type { Clock } from "../../ports/platform.ts";
import type { Provenance } from "../../ports/provenance.ts";
import type { Page, PageRequest, Records, Store, StoreTx } from "../../ports/store.ts";
import { noPerson } from "./people.ts";
import { recordChange } from "../../audit/record.ts";

/** What happened to a group. */
type GroupChange = "created" | "renamed" | "deleted" | "member_added" | "member_removed";

/** A group with the people in it. */
export interface GroupWithMembers {
  readonly group: GroupRecord;
  readonly members: readonly PersonRecord[];
}

/** What groups work with. */
export interface GroupParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly provenance: Provenance;
}

/** The groups that a person is in: what `group:` of an approval is compared with. */
export function groupsOf(
  records: Pick<Records, "groups">,
  personId: string,
): Promise<readonly GroupRecord[]> {
  return records.groups.ofPerson(personId);
}

/** The groups of people, as an admin manages them. */
export class Groups {
  readonly #parts: GroupParts;

  constructor(parts: GroupParts) {
    this.#parts = parts;
  }

  async list(page: PageRequest): Promise<Page<GroupWithMembers>> {
    const { read } = this.#parts.store;
    const found = await read.groups.list(page);
    const items = await Promise.all(found.items.map((group) => withMembers(read, group)));
    return { items, nextCursor: found.nextCursor };
  }

  async get(id: string): Promise<GroupWithMembers> {
    const { read } = this.#parts.store;
    return withMembers(read, await existing(read, id));
  }

  async create(name: string, memberIds: readonly string[], by: Caller): Promise<GroupWithMembers> {
    const at = this.#now();
    const group: GroupRecord = {
      id: newId("group"),
      name,
      revision: 1,
      createdBy: by.id,
      createdAt: at,
      updatedBy: by.id,
      updatedAt: at,
    };
    return this.#parts.store.transact(async (tx) => {
      if (!(await tx.groups.insert(group))) throw nameTaken(name);
      await this.#record(tx, group, "created", by);
      for (const id of new Set(memberIds)) await this.#add(tx, group, id, by);
      return withMembers(tx, group);
    });
  }

  async rename(id: string, name: string, by: Caller): Promise<GroupWithMembers> {
    return this.#parts.store.transact(async (tx) => {
      const group = await existing(tx, id);
      const next = {
        ...group,
        name,
        revision: group.revision + 1,
        updatedBy: by.id,
        updatedAt: this.#now(),
      };
      const outcome = await tx.groups.update(next, group.revision);
      if (outcome === "taken") throw nameTaken(name);
      if (outcome === "stale") throw new AppError("conflict", "The group was changed at the same moment.");
      await this.#record(tx, next, "renamed", by, { before: group.name });
      return withMembers(tx, next);
    });
  }

  async remove(id: string, by: Caller): Promise<GroupRecord> {
    return this.#parts.store.transact(async (tx) => {
      const group = await existing(tx, id);
      await tx.groups.remove(id);
      await this.#record(tx, group, "deleted", by);
      return group;
    });
  }

  async addMember(id: string, personId: string, by: Caller): Promise<GroupWithMembers> {
    return this.#parts.store.transact(async (tx) => {
      const group = await existing(tx, id);
      await this.#add(tx, group, personId, by);
      return withMembers(tx, group);
    });
  }

  async removeMember(id: string, personId: string, by: Caller): Promise<GroupWithMembers> {
    return this.#parts.store.transact(async (tx) => {
      const group = await existing(tx, id);
      if (!(await tx.groups.removeMember(id, personId)))
        throw new AppError("not_found", "The person is not in this group.");
      await this.#record(tx, group, "member_removed", by, { personId });
      return withMembers(tx, group);
    });
  }

  /** Adding a member again changes nothing and is not recorded. */
  async #add(tx: StoreTx, group: GroupRecord, personId: string, by: Caller): Promise<void> {
    if ((await tx.people.get(personId)) === null) throw noPerson();
    if (!(await tx.groups.addMember(group.id, personId, by.id, this.#now()))) return;
    await this.#record(tx, group, "member_added", by, { personId });
  }

  async #record(
    tx: StoreTx,
    group: GroupRecord,
    change: GroupChange,
    by: Caller,
    more: JsonObject = {},
  ): Promise<void> {
    const { id, name, revision } = group;
    const data: JsonObject = { id, name, revision, by: by.id, ...more };
    await recordChange(tx, this.#parts.provenance, {
      action: `group.${change}`,
      by: by.id,
      subject: `groups/${id}`,
      data,
      fact: {
        kind: "group",
        subjectId: id,
        digest: digestOf({ id, name, revision, change, ...more }),
        privacy: "restricted",
        predicate: { change, ...data },
      },
    });
  }

  #now(): string {
    return new Date(this.#parts.clock.now()).toISOString();
  }
}

/** A group as it may be shown; of its members the names only. */
export function groupView({ group, members }: GroupWithMembers): GroupView {
  return { ...group, members: members.map(({ id, name, state }) => ({ id, name, state })) };
}

async function withMembers(
  records: Pick<Records, "groups" | "people">,
  group: GroupRecord,
): Promise<GroupWithMembers> {
  const ids = await records.groups.members(group.id);
  const members: PersonRecord[] = [];
  for (const id of ids) {
    const person = await records.people.get(id);
    if (person !== null) members.push(person);
  }
  return { group, members };
}

async function existing(records: Pick<Records, "groups">, id: string): Promise<GroupRecord> {
  const group = await records.groups.get(id);
  if (group !== null) return group;
  throw new AppError("not_found", "There is no group with this id.", {
    nextAction: "GET /api/svc/groups lists them.",
  });
}

function nameTaken(name: string): AppError {
  return new AppError("conflict", `There is a group with the name "${name}" already.`, {
    nextAction: "Choose another name, or change that group.",
  });
}
