import { rmSync, writeFileSync } from "node:fs";
import type { Envelope } from "../../kernel/envelope.ts";
import { listResult, object, recordResult, text } from "../answers.ts";
import type { Cli, Handlers } from "../command.ts";
import { Failure } from "../failure.ts";
import { duration } from "../input.ts";
import { withKeyAdmin } from "../key-admin.ts";
import type { Result } from "../output.ts";
import { agree } from "../prompt.ts";

const SHOWN = ["id", "email", "name", "role", "scopes", "createdAt", "expiresAt"];

/** API keys. */
export const handlers: Handlers = {
  "keys list": (cli) =>
    withKeyAdmin(cli, async (admin) => {
      const envelope = await admin.list(cli.given.integer("limit", 1, 100), cli.given.option("cursor"));
      return listResult(cli, envelope, "keys", [
        ["ID", "id"],
        ["NAME", "name"],
        ["SCOPES", "scopes"],
        ["CREATED", "createdAt"],
        ["EXPIRES", "expiresAt"],
        ["LAST USED", "lastUsedAt"],
        [
          "STATE",
          (key) => (key["revokedAt"] === null || key["revokedAt"] === undefined ? "active" : "revoked"),
        ],
      ]);
    }),
  async "keys create"(cli) {
    const { given } = cli;
    const scopes = given.list("scope");
    if (scopes.length === 0) {
      throw new Failure("usage", "What may the key do?", {
        next: "Add --scope run, or several of them; --help lists them.",
      });
    }
    const lifetime = given.option("expires-in");
    const expiresAt =
      lifetime === undefined
        ? null
        : new Date(Date.now() + duration(lifetime, "--expires-in") * 1_000).toISOString();
    return handOver(cli, "key", "token", () =>
      withKeyAdmin(cli, (admin) => admin.create(given.argument("name"), scopes, expiresAt)),
    );
  },
  async "keys rotate"(cli) {
    const grace = cli.given.option("grace");
    const seconds = grace === undefined ? undefined : duration(grace, "--grace");
    return handOver(cli, "key", "token", () =>
      withKeyAdmin(cli, async (admin) =>
        admin.rotate(await admin.resolve(cli.given.argument("id")), seconds),
      ),
    );
  },
  "keys revoke": (cli) =>
    withKeyAdmin(cli, async (admin) => {
      const id = await admin.resolve(cli.given.argument("id"));
      await agree(`Revoke the key ${id}? Its users are refused at once.`, cli.given.flag("yes"));
      const envelope = await admin.revoke(id);
      return recordResult(envelope, object(envelope.data["key"]), ["id", "name", "revokedAt"]);
    }),
};

/** Makes a secret and shows it this once, or puts it into a new file (`--to`) and shows it nowhere. */
export async function handOver(
  cli: Cli,
  member: string,
  secretMember: string,
  make: () => Promise<Envelope>,
): Promise<Result> {
  const file = cli.given.option("to");
  const envelope = file === undefined ? await make() : await reserved(file, make);
  const record = object(envelope.data[member]);
  const secret = text(envelope.data[secretMember]);
  const names = [...SHOWN, "url", "types", "state"].filter((name) => record[name] !== undefined);
  if (file === undefined) {
    return recordResult(
      envelope,
      record,
      [...names, [secretMember, secret]],
      [{ kind: "note", text: "It is shown this once. Keep it where only its user can read it." }],
    );
  }
  writeFileSync(file, `${secret}\n`);
  const data = { ...envelope.data, [secretMember]: { $redacted: `written to ${file}` } };
  return recordResult({ ok: true, data }, record, [...names, [`${secretMember} in`, file]]);
}

/** The file must be new, and that is found out before the secret is made; without a secret it goes away again. */
async function reserved(file: string, make: () => Promise<Envelope>): Promise<Envelope> {
  try {
    writeFileSync(file, "", { mode: 0o600, flag: "wx" });
  } catch {
    throw new Failure("conflict", `${file} cannot be made, or exists already; it was left untouched.`);
  }
  try {
    return await make();
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}
