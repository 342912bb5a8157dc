import { Type } from "typebox";
import { inputOf, NEXT_CURSOR, PAGE_INPUT } from "../../model/common.ts";
import { GroupView, nameInput } from "../../model/people.ts";
import { operationsWith, pageIn } from "../../ports/operations.ts";
import { groupView } from "./groups.ts";
import { groupNameOf } from "./names.ts";
import type { AccountParts } from "./open.ts";

const { operation, declared } = operationsWith<AccountParts>();
const READ = { access: "read-private", effect: "none", idempotent: true } as const;
const CHANGE = { access: "admin", effect: "write", idempotent: true } as const;
const id = Type.String({ description: "The id of the group, as list_groups shows it." });
const name = nameInput("1 to 60 letters, digits, spaces and . _ & -; the first is a letter or a digit.");
const personId = Type.String({ minLength: 1, maxLength: 300, description: "The id of the person." });
const output = Type.Object({ group: GroupView });

operation({
  ...READ,
  name: "list_groups",
  title: "List groups",
  description: "Groups of people with their members, newest first.",
  http: "GET /api/svc/groups",
  input: inputOf(PAGE_INPUT),
  output: Type.Object({ groups: Type.Array(GroupView), nextCursor: NEXT_CURSOR }),
  async run(input, _call, { accounts: { groups } }) {
    const { items, nextCursor } = await groups.list(pageIn(input));
    return { groups: items.map(groupView), nextCursor };
  },
});

operation({
  ...CHANGE,
  name: "create_group",
  title: "Create a group",
  description: "Creates a group of people.",
  http: "POST /api/svc/groups",
  idempotent: false,
  status: 201,
  input: inputOf({
    name,
    members: Type.Optional(
      Type.Array(personId, { maxItems: 100, description: "The ids of the people in it." }),
    ),
  }),
  output,
  examples: [{ name: "Finance", members: [] }],
  run: async (input, { caller }, { accounts: { groups } }) => ({
    group: groupView(await groups.create(groupNameOf(input.name), input.members ?? [], caller)),
  }),
});

operation({
  ...READ,
  name: "get_group",
  title: "Get a group",
  description: "One group with its members.",
  http: "GET /api/svc/groups/{id}",
  input: inputOf({ id }),
  output,
  run: async (input, _call, { accounts: { groups } }) => ({ group: groupView(await groups.get(input.id)) }),
});

operation({
  ...CHANGE,
  name: "rename_group",
  title: "Rename a group",
  description: "Gives a group another name.",
  http: "PATCH /api/svc/groups/{id}",
  input: inputOf({ id, name }),
  output,
  run: async (input, { caller }, { accounts: { groups } }) => ({
    group: groupView(await groups.rename(input.id, groupNameOf(input.name), caller)),
  }),
});

operation({
  ...CHANGE,
  name: "delete_group",
  title: "Delete a group",
  description: "Deletes a group; the people in it stay.",
  http: "DELETE /api/svc/groups/{id}",
  effect: "destructive",
  input: inputOf({ id }),
  output: Type.Object({ deleted: Type.Object({ id: Type.String(), name: Type.String() }) }),
  async run(input, { caller }, { accounts: { groups } }) {
    const group = await groups.remove(input.id, caller);
    return { deleted: { id: group.id, name: group.name } };
  },
});

operation({
  ...CHANGE,
  name: "add_group_member",
  title: "Add a person to a group",
  description: "Adds a person to a group; adding again changes nothing.",
  http: "POST /api/svc/groups/{id}/members",
  input: inputOf({ id, personId }),
  output,
  run: async (input, { caller }, { accounts: { groups } }) => ({
    group: groupView(await groups.addMember(input.id, input.personId, caller)),
  }),
});

operation({
  ...CHANGE,
  name: "remove_group_member",
  title: "Take a person out of a group",
  description: "Takes a person out of a group.",
  http: "DELETE /api/svc/groups/{id}/members/{personId}",
  input: inputOf({ id, personId }),
  output,
  run: async (input, { caller }, { accounts: { groups } }) => ({
    group: groupView(await groups.removeMember(input.id, input.personId, caller)),
  }),
});

/** What admins do with groups, and what others see of them. */
export const groupOperations = declared;
