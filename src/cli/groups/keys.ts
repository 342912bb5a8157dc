import { writeFileSync } from "node:fs";
import type { Envelope } from "../../kernel/envelope.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { cell, listResult, object, recordResult, resolveId, text } from "../answers.ts";
import type { Cli, Handlers } from "../command.ts";
import { Failure } from "../failure.ts";
import { duration } from "../input.ts";
import type { Result } from "../output.ts";
import { agree } from "../prompt.ts";

const KEYS = "/api/svc/keys";
const SHOWN = ["id", "name", "scopes", "createdAt", "expiresAt"];

/** API keys. */
export const handlers: Handlers = {
  async "keys list"(cli) {
    const { given } = cli;
    const query = { limit: given.integer("limit", 1, 100), cursor: given.option("cursor") };
    return listResult(cli, await cli.client().get(KEYS, query), "keys", [
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
  },
  async "keys create"(cli) {
    const { given } = cli;
    const scopes = given.list("scope");
    if (scopes.length === 0) {
      throw new Failure("usage", "What may the key do?", {
        next: "Add --scope run, or several of them; --help lists them.",
      });
    }
    const lifetime = given.option("expires-in");
    const body: JsonObject = {
      name: given.argument("name"),
      scopes: [...scopes],
      ...(lifetime !== undefined && {
        expiresAt: new Date(Date.now() + duration(lifetime, "--expires-in") * 1_000).toISOString(),
      }),
    };
    const target = freeFile(given.option("to"));
    return handOver(cli, await cli.client().post(KEYS, body), "key", "token", target);
  },
  async "keys rotate"(cli) {
    const { given } = cli;
    const grace = given.option("grace");
    const target = freeFile(given.option("to"));
    const id = await resolveId(cli, given.argument("id"), "key");
    const body = grace === undefined ? {} : { graceSeconds: duration(grace, "--grace") };
    return handOver(
      cli,
      await cli.client().post(`${KEYS}/${encodeURIComponent(id)}/rotate`, body),
      "key",
      "token",
      target,
    );
  },
  async "keys revoke"(cli) {
    const id = await resolveId(cli, cli.given.argument("id"), "key");
    await agree(`Revoke the key ${id}? Whoever uses it is refused at once.`, cli.given.flag("yes"));
    const envelope = await cli.client().post(`${KEYS}/${encodeURIComponent(id)}/revoke`);
    return recordResult(envelope, object(envelope.data["key"]), ["id", "name", "revokedAt"]);
  },
};

/** A file for a secret must not exist yet; that is found out before the secret is made. */
export function freeFile(file: string | undefined): ((secret: string) => void) | null {
  if (file === undefined) return null;
  try {
    writeFileSync(file, "", { mode: 0o600, flag: "wx" });
  } catch {
    throw new Failure("conflict", `${file} cannot be made, or exists already; it was left untouched.`);
  }
  return (secret) => writeFileSync(file, `${secret}\n`, { mode: 0o600 });
}

/** Shows a secret this once, or puts it into a file and shows it nowhere. */
export function handOver(
  cli: Cli,
  envelope: Envelope,
  member: string,
  secretMember: string,
  target: ((secret: string) => void) | null,
): Result {
  const record = object(envelope.data[member]);
  const secret = text(envelope.data[secretMember]);
  const shown = SHOWN.concat(member === "webhook" ? ["url", "types", "state"] : []).filter(
    (name) => record[name] !== undefined,
  );
  if (target === null) {
    return recordResult(
      envelope,
      record,
      [...shown, [secretMember, secret]],
      [{ kind: "note", text: "It is shown this once. Keep it where only its user can read it." }],
    );
  }
  target(secret);
  const file = text(cli.given.option("to"));
  const data = { ...envelope.data, [secretMember]: { $redacted: `written to ${file}` } };
  return recordResult({ ok: true, data }, record, [...shown, [`${secretMember} in`, cell(file)]]);
}
