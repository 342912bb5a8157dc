import type { Group } from "../../../packages/client/client.ts";
import type { Envelope } from "../../kernel/envelope.ts";
import type { Cli } from "../command.ts";
import { cursorOption, limitOption, yesOption } from "../conventions.ts";
import { Failure } from "../failure.ts";
import { list, page } from "../from-operation.ts";
import type { Result } from "../output.ts";
import { givenPerson, personArgument } from "../people-admin.ts";
import { agree } from "../asking.ts";
import { recordResult } from "../results.ts";
import { argument, example, group } from "../spec.ts";

const groupArgument = argument("group", "The id or the name of the group; `latest` is the newest one.");

/** Groups of people. */
export const groups = group("groups", {
  list: list({
    summary: "The groups with their members, newest first.",
    options: [limitOption, cursorOption],
    examples: [example("Which groups there are")],
    operation: "list_groups",
    input: page,
    rows: "groups",
    columns: { ID: "id", NAME: "name", MEMBERS: membersOf },
  }),
  create: {
    summary: "Make a group; a workflow names it as group:NAME among the approvers.",
    args: [argument("name", "1 to 60 letters, digits, spaces and . _ & -.")],
    examples: [example("A group for approvals", "finance")],
    run: async (cli) => shown(await cli.client().run("create_group", { name: cli.given.argument("name") })),
  },
  rename: {
    summary: "Give a group another name.",
    about: "Approvals that name the group by its old name find nobody; those that name its id do.",
    args: [groupArgument, argument("name", "The new name.")],
    examples: [
      example("Another name", ["suitectl groups create ops", "suitectl groups rename ops operations"]),
    ],
    async run(cli) {
      const input = { id: await meant(cli), name: cli.given.argument("name") };
      return shown(await cli.client().run("rename_group", input));
    },
  },
  add: {
    summary: "Add a person to a group.",
    args: [groupArgument, personArgument],
    examples: [
      example("Add a person by address", [
        "suitectl groups create reviewers",
        "suitectl people invite fay@example.com --role approver --to fay@example.com.link",
        "suitectl groups add reviewers fay@example.com",
      ]),
    ],
    async run(cli) {
      const input = { id: await meant(cli), personId: await givenPerson(cli) };
      return shown(await cli.client().run("add_group_member", input));
    },
  },
  remove: {
    summary: "Take a person out of a group.",
    args: [groupArgument, personArgument],
    examples: [
      example("Take a person out again", [
        "suitectl groups create auditors",
        "suitectl people invite gus@example.com --role approver --to gus@example.com.link",
        "suitectl groups add auditors gus@example.com",
        "suitectl groups remove auditors gus@example.com",
      ]),
    ],
    async run(cli) {
      const input = { id: await meant(cli), personId: await givenPerson(cli) };
      return shown(await cli.client().run("remove_group_member", input));
    },
  },
  delete: {
    summary: "Delete a group; the people in it stay.",
    args: [groupArgument],
    options: [yesOption],
    examples: [
      example("Delete a group", ["suitectl groups create unused", "suitectl groups delete unused --yes"]),
    ],
    async run(cli) {
      const id = await meant(cli);
      await agree(`Delete ${cli.given.argument("group")}? The people in it stay.`, cli.given.flag("yes"));
      const envelope = await cli.client().run("delete_group", { id });
      return recordResult(envelope, envelope.data.deleted, ["id", "name"]);
    },
  },
});

function membersOf({ members }: Group): string {
  return members.map(({ name }) => name).join(", ");
}

function shown(envelope: Envelope<{ readonly group: Group }>): Result {
  const found = envelope.data.group;
  return recordResult(envelope, found, ["id", "name", ["members", membersOf(found)]]);
}

/** The id of the group that is meant by id, by name or as the latest. */
async function meant(cli: Cli): Promise<string> {
  const given = cli.given.argument("group");
  if (given.startsWith("group_")) return given;
  let cursor: string | undefined;
  do {
    const { data } = await cli.client().run("list_groups", { limit: 100, cursor });
    const found = data.groups.find(
      ({ name }) => given === "latest" || name.toLowerCase() === given.toLowerCase(),
    );
    if (found !== undefined) return found.id;
    cursor = data.nextCursor ?? undefined;
  } while (cursor !== undefined);
  throw new Failure(
    "missing",
    given === "latest" ? "There is no group yet." : `No group is named ${given}.`,
    { next: "suitectl groups list shows them." },
  );
}
