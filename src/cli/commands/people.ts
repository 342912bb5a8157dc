import type { InputOf } from "../../../packages/client/client.ts";
import type { Envelope } from "../../kernel/envelope.ts";
import { ROLES } from "../../model/person-states.ts";
import type { Cli, Handler } from "../command.ts";
import { cursorOption, limitOption, yesOption } from "../conventions.ts";
import { Failure } from "../failure.ts";
import { page } from "../from-operation.ts";
import { handOver } from "../hand-over.ts";
import type { Result } from "../output.ts";
import {
  personArgument,
  personId,
  withPeopleAdmin,
  type Invited,
  type PeopleAdmin,
} from "../people-admin.ts";
import { agree } from "../asking.ts";
import { listResult, note, recordResult, table } from "../results.ts";
import { argument, example, group, option } from "../spec.ts";

const database = option(
  "--database",
  "Work on DATABASE_URL itself, without a key, owners included: for operators with access to the database.",
);
const to = option("--to <FILE>", "A new file with mode 600 for the link, instead of showing it.", {
  kind: "file",
});

/** The people who sign in. */
export const people = group("people", {
  list: {
    summary: "The people who may sign in, newest first.",
    options: [limitOption, cursorOption, database],
    examples: [example("Who may sign in, and as what")],
    run: (cli) =>
      withPeopleAdmin(cli, async (admin) =>
        listResult(cli, await admin.list(page(cli)), "people", {
          ID: "id",
          ADDRESS: "email",
          NAME: "name",
          ROLE: "role",
          STATE: "state",
          "LAST SIGN-IN": "lastSignInAt",
        }),
      ),
  },
  invite: {
    summary: "Add a person; the link with which they join is shown this once.",
    about:
      "The link works once, for seven days. For an address that is known already, use people link. Owners are invited in the web app by an owner, or with --database.",
    args: [argument("email", "The e-mail address that the person signs in with.")],
    options: [
      option("--role <ROLE>", "What the person may do.", {
        choices: ROLES,
      }),
      option("--name <NAME>", "The person's name; the address when left out."),
      to,
      database,
    ],
    examples: [
      example(
        "Invite a person who decides approvals",
        "ada@example.com --role approver --name Ada --to ada.link",
      ),
      example(
        "A further owner when the last one cannot sign in, on the machine that holds the database",
        "second@example.com --role owner --database --to owner.link",
        [],
        { id: "people-invite-database", access: "database" },
      ),
    ],
    run(cli) {
      const { given } = cli;
      const role = given.choice("role", ROLES);
      if (role === undefined) {
        throw new Failure("usage", "What may the person do?", {
          next: "Add --role approver, or another one; --help lists them.",
        });
      }
      const input = { email: given.argument("email"), role, name: given.option("name") };
      return giveLink(cli, (admin) => admin.invite(input));
    },
  },
  link: {
    summary: "Make a new link: to join, or to set a new password.",
    about: "Earlier links of the person stop working.",
    args: [personArgument],
    options: [to, database],
    examples: [
      example("A new link for the person who was invited last", [
        "suitectl people invite bea@example.com --role viewer --to bea@example.com.link",
        "suitectl people link latest --to new.link",
      ]),
    ],
    run: (cli) => giveLink(cli, async (admin) => admin.link(await meant(cli, admin))),
  },
  role: {
    summary: "Give a person another role.",
    args: [
      personArgument,
      argument("role", "The new role.", {
        choices: ROLES,
      }),
    ],
    options: [database],
    examples: [
      example("Let a viewer run workflows", [
        "suitectl people invite cleo@example.com --role viewer --to cleo@example.com.link",
        "suitectl people role cleo@example.com operator",
      ]),
    ],
    run: changed(({ given }) => ({ role: ROLES.find((role) => role === given.argument("role")) })),
  },
  disable: {
    summary: "Keep a person out from now on; every session of theirs ends.",
    args: [personArgument],
    options: [yesOption, database],
    examples: [
      example("Invite a person and keep them out again", [
        "suitectl people invite dan@example.com --role viewer --to dan@example.com.link",
        "suitectl people disable dan@example.com --yes",
      ]),
    ],
    run: changed(() => ({ state: "disabled" })),
  },
  enable: {
    summary: "Let a disabled person sign in again.",
    args: [personArgument],
    options: [database],
    examples: [
      example("Undo people disable", [
        "suitectl people invite eve@example.com --role viewer --to eve@example.com.link",
        "suitectl people disable eve@example.com --yes",
        "suitectl people enable eve@example.com",
      ]),
    ],
    run: changed(() => ({ state: "active" })),
  },
});

function meant(cli: Cli, admin: PeopleAdmin): Promise<string> {
  return personId(admin, cli.given.argument("person"));
}

function changed(changes: (cli: Cli) => Omit<InputOf<"change_person">, "id">): Handler {
  return (cli) =>
    withPeopleAdmin(cli, async (admin) => {
      const id = await meant(cli, admin);
      const wanted = changes(cli);
      if (wanted.state === "disabled") {
        await agree(
          `Disable ${id}? Sessions, tokens, connected clients and links end at once, and the person's runs stop.`,
          cli.given.flag("yes"),
        );
      }
      const envelope = await admin.change({ id, ...wanted });
      const { person, goesOn = [] } = envelope.data;
      // What the person made and an admin decides about.
      const left = [
        note("Made by this person; remove what should not go on:"),
        table({ KIND: ({ kind }) => kind.replace("_", " "), ID: "id", NAME: "name" }, goesOn),
      ];
      const fields = ["id", "email", "name", "role", "state"] as const;
      return recordResult(envelope, person, fields, goesOn.length > 0 ? left : []);
    });
}

/** The link is a secret: its holder signs in as the person. */
function giveLink(cli: Cli, make: (admin: PeopleAdmin) => Promise<Envelope<Invited>>): Promise<Result> {
  const handed = () =>
    withPeopleAdmin(cli, async (admin) => {
      const { invitation, ...rest } = (await make(admin)).data;
      return { ok: true, data: { ...rest, link: invitation.url, linkExpiresAt: invitation.expiresAt } };
    });
  return handOver(cli, "link", handed, ({ person }) => person);
}
