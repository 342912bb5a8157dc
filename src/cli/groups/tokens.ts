import { listResult, objects } from "../answers.ts";
import type { Cli, Handlers } from "../command.ts";
import { personId, withPeopleAdmin } from "../people-admin.ts";
import { agree } from "../prompt.ts";

/** The tokens that people made. */
export const handlers: Handlers = {
  "tokens list": async (cli) => listResult(cli, await cli.client().get(await pathOf(cli)), "tokens", COLUMNS),
  async "tokens revoke"(cli) {
    const path = await pathOf(cli);
    const token = cli.given.optionalArgument("token");
    const what = token === undefined ? "every token of the person" : token;
    await agree(`Revoke ${what}? Their programs are refused at once.`, cli.given.flag("yes"));
    const envelope = await cli
      .client()
      .remove(token === undefined ? path : `${path}/${encodeURIComponent(token)}`);
    const ended = objects(envelope.data["tokens"]).length;
    return {
      ...listResult(cli, envelope, "tokens", COLUMNS),
      ...(ended === 0 && {
        view: [{ kind: "text" as const, text: "The person has no token that counts." }],
      }),
    };
  },
};

const COLUMNS = [
  ["ID", "id"],
  ["NAME", "name"],
  ["KIND", "kind"],
  ["MAY", "effectiveScopes"],
  ["LAST USE", "lastUsedAt"],
  ["ENDS", "expiresAt"],
  ["REVOKED", "revokedAt"],
] as const;

async function pathOf(cli: Cli): Promise<string> {
  const id = await withPeopleAdmin(cli, (admin) => personId(admin, cli.given.argument("person")));
  return `/api/svc/people/${encodeURIComponent(id)}/tokens`;
}
