import { cursorOption, limitOption, yesOption } from "../conventions.ts";
import type { ArgumentSpec, CommandSpec, OptionSpec } from "../model.ts";

const personArgument: ArgumentSpec = {
  name: "person",
  summary: "The id or the e-mail address of the person; `latest` is the newest one.",
};
const databaseOption: OptionSpec = {
  name: "database",
  summary:
    "Work on DATABASE_URL itself, without a key, owners included: for operators with access to the database.",
};
const toOption: OptionSpec = {
  name: "to",
  value: "FILE",
  summary: "A new file with mode 600 for the link, instead of showing it.",
  kind: "file",
};
const ROLE_NAMES = ["owner", "admin", "editor", "operator", "approver", "viewer"];
const invited = (address: string, role: string) => ({
  path: "people invite",
  args: [address],
  options: { role, to: `${address}.link` },
});

/** Commands about the people who sign in. */
export const peopleCommands: readonly CommandSpec[] = [
  {
    path: "people list",
    summary: "The people who may sign in, newest first.",
    access: "key",
    options: [limitOption, cursorOption, databaseOption],
    examples: [
      { id: "people-list", title: "Who may sign in, and as what", needs: ["service", "key"], steps: [{}] },
    ],
  },
  {
    path: "people invite",
    summary: "Add a person; the link with which they join is shown this once.",
    about:
      "The link works once, for seven days. For an address that is known already, use people link. Owners are invited in the web app by an owner, or with --database.",
    access: "key",
    args: [{ name: "email", summary: "The e-mail address that the person signs in with." }],
    options: [
      { name: "role", value: "ROLE", summary: "What the person may do.", choices: ROLE_NAMES },
      { name: "name", value: "NAME", summary: "The person's name; the address when left out." },
      toOption,
      databaseOption,
    ],
    examples: [
      {
        id: "people-invite",
        title: "Invite somebody who decides approvals",
        needs: ["service", "key"],
        steps: [{ args: ["ada@example.com"], options: { role: "approver", name: "Ada", to: "ada.link" } }],
      },
      {
        id: "people-invite-database",
        title: "A further owner when the last one cannot sign in, on the machine that holds the database",
        needs: ["database"],
        steps: [
          { args: ["second@example.com"], options: { role: "owner", database: true, to: "owner.link" } },
        ],
      },
    ],
  },
  {
    path: "people link",
    summary: "Make a new link: to join, or to set a new password.",
    about: "Earlier links of the person stop working.",
    access: "key",
    args: [personArgument],
    options: [toOption, databaseOption],
    examples: [
      {
        id: "people-link",
        title: "A new link for the person who was invited last",
        needs: ["service", "key"],
        steps: [invited("bea@example.com", "viewer"), { args: ["latest"], options: { to: "new.link" } }],
      },
    ],
  },
  {
    path: "people role",
    summary: "Give a person another role.",
    access: "key",
    args: [personArgument, { name: "role", summary: "The new role.", choices: ROLE_NAMES }],
    options: [databaseOption],
    examples: [
      {
        id: "people-role",
        title: "Let a viewer run workflows",
        needs: ["service", "key"],
        steps: [invited("cleo@example.com", "viewer"), { args: ["cleo@example.com", "operator"] }],
      },
    ],
  },
  {
    path: "people disable",
    summary: "Keep a person out from now on; every session of theirs ends.",
    access: "key",
    args: [personArgument],
    options: [yesOption, databaseOption],
    examples: [
      {
        id: "people-disable",
        title: "Invite a person and keep them out again",
        needs: ["service", "key"],
        steps: [invited("dan@example.com", "viewer"), { args: ["dan@example.com"], options: { yes: true } }],
      },
    ],
  },
  {
    path: "people enable",
    summary: "Let a disabled person sign in again.",
    access: "key",
    args: [personArgument],
    options: [databaseOption],
    examples: [
      {
        id: "people-enable",
        title: "Undo people disable",
        needs: ["service", "key"],
        steps: [
          invited("eve@example.com", "viewer"),
          { path: "people disable", args: ["eve@example.com"], options: { yes: true } },
          { args: ["eve@example.com"] },
        ],
      },
    ],
  },
];
