import { agree } from "../asking.ts";
import { yesOption } from "../conventions.ts";
import { list } from "../from-operation.ts";
import { givenPerson, personArgument } from "../people-admin.ts";
import { line, listResult } from "../results.ts";
import { argument, example, group } from "../spec.ts";

const COLUMNS = {
  ID: "id",
  NAME: "name",
  KIND: "kind",
  MAY: "effectiveScopes",
  "LAST USE": "lastUsedAt",
  ENDS: "expiresAt",
  REVOKED: "revokedAt",
} as const;

/** The tokens that people made. */
export const tokens = group("tokens", {
  list: list({
    summary: "The personal tokens and service keys of a person, newest first.",
    about: "Tokens are made in the web app by the person who is signed in there.",
    args: [personArgument],
    examples: [
      example("What a person's programs may do", [
        "suitectl people invite hal@example.com --role viewer --to hal@example.com.link",
        "suitectl tokens list hal@example.com",
      ]),
    ],
    operation: "list_person_tokens",
    input: async (cli) => ({ id: await givenPerson(cli) }),
    rows: "tokens",
    columns: COLUMNS,
  }),
  revoke: {
    summary: "Revoke a token of a person, or all of them.",
    args: [personArgument, argument("[token]", "The id of the token; all of them when left out.")],
    options: [yesOption],
    examples: [
      example("Stop every program that acts for a person", [
        "suitectl people invite ida@example.com --role viewer --to ida@example.com.link",
        "suitectl tokens revoke ida@example.com --yes",
      ]),
    ],
    async run(cli) {
      const id = await givenPerson(cli);
      const tokenId = cli.given.optionalArgument("token");
      const what = tokenId ?? "every token of the person";
      await agree(`Revoke ${what}? Their programs are refused at once.`, cli.given.flag("yes"));
      const envelope =
        tokenId === undefined
          ? await cli.client().run("revoke_person_tokens", { id })
          : await cli.client().run("revoke_person_token", { id, tokenId });
      const result = listResult(cli, envelope, "tokens", COLUMNS);
      const isNone = envelope.data.tokens.length === 0;
      return isNone ? { ...result, view: [line("The person has no token that counts.")] } : result;
    },
  },
});
