import type { JsonObject } from "../../kernel/json.ts";
import { listResult, object, recordResult, text } from "../answers.ts";
import type { Cli, Handlers } from "../command.ts";
import { Failure } from "../failure.ts";
import { readStdin } from "../input.ts";
import { agree, canAsk, Prompter } from "../prompt.ts";

const CREDENTIALS = "/api/svc/credentials";
const SHOWN = ["name", "kind", "hosts", "owner", "state", "nextAction", "updatedAt"];
/** Options that go into the request under another name. */
const TEXTS: readonly (readonly [option: string, member: string])[] = [
  ["owner", "owner"],
  ["in", "in"],
  ["parameter", "parameter"],
  ["username", "username"],
  ["grant", "grant"],
  ["resource", "resource"],
  ["issuer", "issuer"],
  ["authorization-url", "authorizationUrl"],
  ["exchange-url", "tokenUrl"],
  ["client-id", "clientId"],
  ["client-auth", "clientAuth"],
];

/** Credentials. */
export const handlers: Handlers = {
  async "vault list"(cli) {
    const { given } = cli;
    const query = { limit: given.integer("limit", 1, 100), cursor: given.option("cursor") };
    return listResult(
      cli,
      await cli.client().get(CREDENTIALS, query),
      "credentials",
      [
        ["NAME", "name"],
        ["KIND", "kind"],
        ["HOSTS", "hosts"],
        ["OWNER", "owner"],
        ["STATE", "state"],
        ["UPDATED", "updatedAt"],
      ],
      "name",
    );
  },
  async "vault add"(cli) {
    const { given } = cli;
    const kind = given.option("kind") ?? "bearer";
    const hosts = given.list("host");
    const scopes = given.list("scope");
    const secret = await secretFor(cli, takesNoSecret(cli, kind));
    const chosen = TEXTS.flatMap(([option, member]) => {
      const value = given.option(option);
      return value === undefined ? [] : [[member, value] as const];
    });
    const body: JsonObject = {
      name: given.argument("name"),
      kind,
      ...(hosts.length > 0 && { hosts: [...hosts] }),
      ...Object.fromEntries(chosen),
      ...(scopes.length > 0 && { scope: scopes.join(" ") }),
      ...(given.flag("allow-http") && { allowHttp: true }),
      ...(secret !== null && { secret }),
    };
    const envelope = await cli.client().post(CREDENTIALS, body);
    return recordResult(envelope, object(envelope.data["credential"]), SHOWN);
  },
  async "vault replace"(cli) {
    const secret = await secretFor(cli, false);
    const envelope = await cli.client().patch(pathOf(cli), { secret });
    return recordResult(envelope, object(envelope.data["credential"]), SHOWN);
  },
  async "vault remove"(cli) {
    const name = cli.given.argument("name");
    await agree(
      `Remove the credential ${name}? What uses it cannot sign in any more.`,
      cli.given.flag("yes"),
    );
    const envelope = await cli.client().remove(pathOf(cli));
    return recordResult(envelope, envelope.data, ["removed"]);
  },
  async "vault authorize"(cli) {
    const envelope = await cli.client().post(pathOf(cli, "/authorize"));
    const { authorizationUrl, expiresAt } = envelope.data;
    return {
      envelope,
      ids: [text(authorizationUrl)],
      view: [
        { kind: "text", text: text(authorizationUrl) },
        { kind: "note", text: `Open it in a browser and sign in there; it works until ${text(expiresAt)}.` },
      ],
    };
  },
  async "vault rotate"(cli) {
    const envelope = await cli.client().post("/api/svc/vault/rotate");
    return recordResult(envelope, object(envelope.data["rotation"]), [
      "masterKeyId",
      "rewrapped",
      "unusable",
    ]);
  },
};

function pathOf(cli: Cli, action = ""): string {
  const owner = cli.given.option("owner");
  const query = owner === undefined ? "" : `?owner=${encodeURIComponent(owner)}`;
  return `${CREDENTIALS}/${encodeURIComponent(cli.given.argument("name"))}${action}${query}`;
}

/** A person who signs in brings no secret, unless the client was registered with one. */
function takesNoSecret(cli: Cli, kind: string): boolean {
  const { given } = cli;
  if (kind !== "oauth2" || given.option("grant") === "client_credentials") return false;
  return given.option("client-id") === undefined || given.option("client-auth") === "none";
}

/** The secret from the environment, a hidden prompt or standard input; null when none is needed. */
async function secretFor(cli: Cli, notNeeded: boolean): Promise<string | null> {
  const variable = cli.given.option("from-env");
  if (variable !== undefined) {
    const value = cli.variables[variable];
    if (value === undefined || value === "") {
      throw new Failure("usage", `The environment variable ${variable} is not set.`);
    }
    return value;
  }
  if (notNeeded) return null;
  const secret = (await askSecret()).replace(/\r?\n$/, "");
  if (secret !== "") return secret;
  throw new Failure("usage", "No secret was given.", {
    next: "Type it into the prompt, redirect a file to standard input, or name a variable with --from-env.",
  });
}

async function askSecret(): Promise<string> {
  if (!canAsk()) return readStdin();
  const prompter = new Prompter();
  try {
    return await prompter.hidden("Secret (not shown): ");
  } finally {
    prompter.close();
  }
}
