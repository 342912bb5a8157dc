import { cursorOption, limitOption, yesOption } from "../conventions.ts";
import type { ArgumentSpec, CommandSpec } from "../model.ts";

const groupArgument: ArgumentSpec = {
  name: "group",
  summary: "The id or the name of the group; `latest` is the newest one.",
};
const personArgument: ArgumentSpec = {
  name: "person",
  summary: "The id or the e-mail address of the person; `latest` is the newest one.",
};
const invited = (address: string) => ({
  path: "people invite",
  args: [address],
  options: { role: "approver", to: `${address}.link` },
});
const created = (name: string) => ({ path: "groups create", args: [name] });

/** Commands about groups of people. */
export const groupCommands: readonly CommandSpec[] = [
  {
    path: "groups list",
    summary: "The groups with their members, newest first.",
    access: "key",
    options: [limitOption, cursorOption],
    examples: [
      { id: "groups-list", title: "Which groups there are", needs: ["service", "key"], steps: [{}] },
    ],
  },
  {
    path: "groups create",
    summary: "Make a group; a workflow names it as group:NAME among the approvers.",
    access: "key",
    args: [{ name: "name", summary: "1 to 60 letters, digits, spaces and . _ & -." }],
    examples: [
      {
        id: "groups-create",
        title: "A group for approvals",
        needs: ["service", "key"],
        steps: [{ args: ["finance"] }],
      },
    ],
  },
  {
    path: "groups rename",
    summary: "Give a group another name.",
    about: "Approvals that name the group by its old name find nobody; those that name its id do.",
    access: "key",
    args: [groupArgument, { name: "name", summary: "The new name." }],
    examples: [
      {
        id: "groups-rename",
        title: "Another name",
        needs: ["service", "key"],
        steps: [created("ops"), { args: ["ops", "operations"] }],
      },
    ],
  },
  {
    path: "groups add",
    summary: "Add a person to a group.",
    access: "key",
    args: [groupArgument, personArgument],
    examples: [
      {
        id: "groups-add",
        title: "Add a person by address",
        needs: ["service", "key"],
        steps: [created("reviewers"), invited("fay@example.com"), { args: ["reviewers", "fay@example.com"] }],
      },
    ],
  },
  {
    path: "groups remove",
    summary: "Take a person out of a group.",
    access: "key",
    args: [groupArgument, personArgument],
    examples: [
      {
        id: "groups-remove",
        title: "Take a person out again",
        needs: ["service", "key"],
        steps: [
          created("auditors"),
          invited("gus@example.com"),
          { path: "groups add", args: ["auditors", "gus@example.com"] },
          { args: ["auditors", "gus@example.com"] },
        ],
      },
    ],
  },
  {
    path: "groups delete",
    summary: "Delete a group; the people in it stay.",
    access: "key",
    args: [groupArgument],
    options: [yesOption],
    examples: [
      {
        id: "groups-delete",
        title: "Delete a group",
        needs: ["service", "key"],
        steps: [created("unused"), { args: ["unused"], options: { yes: true } }],
      },
    ],
  },
];
