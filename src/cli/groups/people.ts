import type { Envelope } from "../../kernel/envelope.ts";
import { listResult, object, objects, recordResult, text } from "../answers.ts";
import type { Cli, Handlers } from "../command.ts";
import { Failure } from "../failure.ts";
import type { Block, Result } from "../output.ts";
import { personId, withPeopleAdmin, type PeopleAdmin } from "../people-admin.ts";
import { agree } from "../prompt.ts";
import { handOver } from "./keys.ts";

const SHOWN = ["id", "email", "name", "role", "state"];

/** The people who sign in. */
export const handlers: Handlers = {
  "people list": (cli) =>
    withPeopleAdmin(cli, async (admin) => {
      const envelope = await admin.list(cli.given.integer("limit", 1, 100), cli.given.option("cursor"));
      return listResult(cli, envelope, "people", [
        ["ID", "id"],
        ["ADDRESS", "email"],
        ["NAME", "name"],
        ["ROLE", "role"],
        ["STATE", "state"],
        ["LAST SIGN-IN", "lastSignInAt"],
      ]);
    }),
  async "people invite"(cli) {
    const { given } = cli;
    const role = given.option("role");
    if (role === undefined) {
      throw new Failure("usage", "What may the person do?", {
        next: "Add --role approver, or another one; --help lists them.",
      });
    }
    return giveLink(cli, (admin) => admin.invite(given.argument("email"), role, given.option("name")));
  },
  "people link": (cli) => giveLink(cli, async (admin) => admin.link(await meant(cli, admin))),
  "people role": (cli) =>
    withPeopleAdmin(cli, async (admin) =>
      shown(await admin.change(await meant(cli, admin), { role: cli.given.argument("role") })),
    ),
  "people disable": (cli) =>
    withPeopleAdmin(cli, async (admin) => {
      const id = await meant(cli, admin);
      await agree(
        `Disable ${id}? Sessions, tokens, connected clients and links end at once, and the person's runs stop.`,
        cli.given.flag("yes"),
      );
      const envelope = await admin.change(id, { state: "disabled" });
      return recordResult(envelope, object(envelope.data["person"]), SHOWN, goesOn(envelope));
    }),
  "people enable": (cli) =>
    withPeopleAdmin(cli, async (admin) =>
      shown(await admin.change(await meant(cli, admin), { state: "active" })),
    ),
};

function meant(cli: Cli, admin: PeopleAdmin): Promise<string> {
  return personId(admin, cli.given.argument("person"));
}

function shown(envelope: Envelope): Result {
  return recordResult(envelope, object(envelope.data["person"]), SHOWN);
}

/** What the person made and an admin decides about. */
function goesOn({ data }: Envelope): readonly Block[] {
  const rows = objects(data["goesOn"]).map((one) => [
    text(one["kind"]).replace("_", " "),
    text(one["id"]),
    text(one["name"]),
  ]);
  if (rows.length === 0) return [];
  return [
    { kind: "note", text: "Made by this person and still working; remove what should not:" },
    { kind: "table", columns: ["KIND", "ID", "NAME"], rows },
  ];
}

/** The link is a secret: its holder signs in as the person. */
function giveLink(cli: Cli, make: (admin: PeopleAdmin) => Promise<Envelope>): Promise<Result> {
  return handOver(cli, "person", "link", () =>
    withPeopleAdmin(cli, async (admin) => {
      const { data } = await make(admin);
      const { invitation, ...rest } = data;
      const { url, expiresAt } = object(invitation);
      return { ok: true, data: { ...rest, link: url, linkExpiresAt: expiresAt } };
    }),
  );
}
