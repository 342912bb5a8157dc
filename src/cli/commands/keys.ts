import { SCOPES } from "../../model/scopes.ts";
import { cursorOption, limitOption, recordId, yesOption } from "../conventions.ts";
import { Failure } from "../failure.ts";
import { page } from "../from-operation.ts";
import { handOver } from "../hand-over.ts";
import { duration } from "../input.ts";
import { withKeyAdmin } from "../key-admin.ts";
import { agree } from "../asking.ts";
import { listResult, recordResult } from "../results.ts";
import { argument, example, group, option } from "../spec.ts";

const database = option(
  "--database",
  "Work on DATABASE_URL itself, without a key: for operators with access to the database.",
);
const to = option("--to <FILE>", "A new file for the key.", { kind: "file" });

/** API keys. */
export const keys = group("keys", {
  list: {
    summary: "API keys without their secrets, newest first.",
    options: [limitOption, cursorOption, database],
    examples: [example("Who may do what")],
    run: (cli) =>
      withKeyAdmin(cli, async (admin) =>
        listResult(cli, await admin.list(page(cli)), "keys", {
          ID: "id",
          NAME: "name",
          SCOPES: "scopes",
          CREATED: "createdAt",
          EXPIRES: "expiresAt",
          "LAST USED": "lastUsedAt",
          STATE: ({ revokedAt }) => (revokedAt === null ? "active" : "revoked"),
        }),
      ),
  },
  create: {
    summary: "Make a key; it is shown this once.",
    about: "With --to the key goes into a new file with mode 600 and is not shown at all.",
    args: [argument("name", "What the key is for.")],
    options: [
      option("--scope <SCOPE...>", "What it may do.", {
        choices: SCOPES,
      }),
      option("--expires-in <TIME>", "How long it works: 12h, 30d or 52w; for ever when left out."),
      to,
      database,
    ],
    examples: [
      example(
        "A key for a pipeline that runs workflows",
        "'Nightly pipeline' --scope run --scope read-private --expires-in 90d --to pipeline.key",
      ),
      example(
        "A new key when the old one is lost, on the machine that holds the database",
        "Operator --scope admin --database --to operator.key",
        [],
        { id: "keys-create-database", access: "database" },
      ),
    ],
    run(cli) {
      const { given } = cli;
      const wanted = given.list("scope");
      if (wanted.length === 0) {
        throw new Failure("usage", "What may the key do?", {
          next: "Add --scope run, or several of them; --help lists them.",
        });
      }
      const lifetime = given.option("expires-in");
      const ends = lifetime === undefined ? null : Date.now() + duration(lifetime, "--expires-in") * 1_000;
      const input = {
        name: given.argument("name"),
        scopes: SCOPES.filter((scope) => wanted.includes(scope)),
        expiresAt: ends === null ? null : new Date(ends).toISOString(),
      };
      const make = () => withKeyAdmin(cli, (admin) => admin.create(input));
      return handOver(cli, "token", make, ({ key }) => key);
    },
  },
  rotate: {
    summary: "Make a successor with the same rights; the old key works a while longer.",
    args: [recordId("key")],
    options: [
      option(
        "--grace <TIME>",
        "How long the old key still works, such as 1h; the service's default when left out.",
      ),
      to,
      database,
    ],
    examples: [
      example("Replace the newest key within an hour", [
        "suitectl keys create Short-lived --scope run --to old.key",
        "suitectl keys rotate latest --grace 1h --to new.key",
      ]),
    ],
    run(cli) {
      const grace = cli.given.option("grace");
      const graceSeconds = grace === undefined ? undefined : duration(grace, "--grace");
      const make = () =>
        withKeyAdmin(cli, async (admin) =>
          admin.rotate({ id: await admin.resolve(cli.given.argument("id")), graceSeconds }),
        );
      return handOver(cli, "token", make, ({ key }) => key);
    },
  },
  revoke: {
    summary: "Revoke a key at once.",
    args: [recordId("key")],
    options: [yesOption, database],
    examples: [
      example("Make a key and revoke it", [
        "suitectl keys create Mistake --scope run --to mistake.key",
        "suitectl keys revoke latest --yes",
      ]),
    ],
    run: (cli) =>
      withKeyAdmin(cli, async (admin) => {
        const id = await admin.resolve(cli.given.argument("id"));
        await agree(`Revoke the key ${id}? Its users are refused at once.`, cli.given.flag("yes"));
        const envelope = await admin.revoke(id);
        return recordResult(envelope, envelope.data.key, ["id", "name", "revokedAt"]);
      }),
  },
});
