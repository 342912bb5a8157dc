import type { Envelope } from "../../kernel/envelope.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { listResult, object, objects, recordResult, text } from "../answers.ts";
import type { Cli, Handlers } from "../command.ts";
import { Failure } from "../failure.ts";
import type { Result } from "../output.ts";
import { personId, withPeopleAdmin } from "../people-admin.ts";
import { agree } from "../prompt.ts";

const GROUPS = "/api/svc/groups";

/** Groups of people. */
export const handlers: Handlers = {
  async "groups list"(cli) {
    const query = { limit: cli.given.integer("limit", 1, 100), cursor: cli.given.option("cursor") };
    return listResult(cli, await cli.client().get(GROUPS, query), "groups", [
      ["ID", "id"],
      ["NAME", "name"],
      ["MEMBERS", membersOf],
    ]);
  },
  "groups create": async (cli) =>
    shown(await cli.client().post(GROUPS, { name: cli.given.argument("name") })),
  "groups rename": async (cli) =>
    shown(await cli.client().patch(await pathOf(cli), { name: cli.given.argument("name") })),
  "groups add": async (cli) =>
    shown(await cli.client().post(`${await pathOf(cli)}/members`, { personId: await meantPerson(cli) })),
  "groups remove": async (cli) =>
    shown(
      await cli.client().remove(`${await pathOf(cli)}/members/${encodeURIComponent(await meantPerson(cli))}`),
    ),
  async "groups delete"(cli) {
    const path = await pathOf(cli);
    await agree(`Delete ${cli.given.argument("group")}? The people in it stay.`, cli.given.flag("yes"));
    const envelope = await cli.client().remove(path);
    return recordResult(envelope, object(envelope.data["deleted"]), ["id", "name"]);
  },
};

function membersOf(group: JsonObject): string {
  return objects(group["members"])
    .map((member) => text(member["name"]))
    .join(", ");
}

function shown(envelope: Envelope): Result {
  const group = object(envelope.data["group"]);
  return recordResult(envelope, group, ["id", "name", ["members", membersOf(group)]]);
}

function meantPerson(cli: Cli): Promise<string> {
  return withPeopleAdmin(cli, (admin) => personId(admin, cli.given.argument("person")));
}

/** The path of the group that is meant by id, by name or as the latest. */
async function pathOf(cli: Cli): Promise<string> {
  const given = cli.given.argument("group");
  const at = (id: string): string => `${GROUPS}/${encodeURIComponent(id)}`;
  if (given.startsWith("group_")) return at(given);
  let cursor: string | undefined;
  do {
    const { data } = await cli.client().get(GROUPS, { limit: 100, cursor });
    const found = objects(data["groups"]).find(
      (group) => given === "latest" || text(group["name"]).toLowerCase() === given.toLowerCase(),
    );
    if (found !== undefined) return at(text(found["id"]));
    cursor = typeof data["nextCursor"] === "string" ? data["nextCursor"] : undefined;
  } while (cursor !== undefined);
  throw new Failure(
    "missing",
    given === "latest" ? "There is no group yet." : `No group is named ${given}.`,
    {
      next: "suitectl groups list shows them.",
    },
  );
}
