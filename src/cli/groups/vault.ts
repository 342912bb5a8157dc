import { CLIENT_AUTH, CREDENTIAL_KINDS, KEY_PLACES, OAUTH_GRANTS } from "../../model/credential-choices.ts";
import { listResult, recordResult } from "../answers.ts";
import type { Cli, Handlers } from "../command.ts";
import { Failure } from "../failure.ts";
import { readStdin } from "../input.ts";
import { agree, canAsk, Prompter } from "../prompt.ts";

const SHOWN = ["name", "kind", "hosts", "owner", "state", "nextAction", "updatedAt"] as const;
/** Credentials. */
export const handlers: Handlers = {
  async "vault list"(cli) {
    const { given } = cli;
    const query = { limit: given.integer("limit", 1, 100), cursor: given.option("cursor") };
    return listResult(
      cli,
      await cli.client().run("list_credentials", query),
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
    const kind = given.choice("kind", CREDENTIAL_KINDS) ?? "bearer";
    const hosts = given.list("host");
    const scopes = given.list("scope");
    const secret = await secretFor(cli, takesNoSecret(cli, kind));
    const envelope = await cli.client().run("create_credential", {
      name: given.argument("name"),
      kind,
      owner: given.option("owner"),
      hosts: hosts.length > 0 ? hosts : undefined,
      in: given.choice("in", KEY_PLACES),
      parameter: given.option("parameter"),
      username: given.option("username"),
      grant: given.choice("grant", OAUTH_GRANTS),
      resource: given.option("resource"),
      issuer: given.option("issuer"),
      authorizationUrl: given.option("authorization-url"),
      tokenUrl: given.option("exchange-url"),
      clientId: given.option("client-id"),
      clientAuth: given.choice("client-auth", CLIENT_AUTH),
      scope: scopes.length > 0 ? scopes.join(" ") : undefined,
      allowHttp: given.flag("allow-http") || undefined,
      secret: secret ?? undefined,
    });
    return recordResult(envelope, envelope.data.credential, SHOWN);
  },
  async "vault replace"(cli) {
    const secret = (await secretFor(cli, false)) ?? undefined;
    const envelope = await cli.client().run("update_credential", { ...named(cli), secret });
    return recordResult(envelope, envelope.data.credential, SHOWN);
  },
  async "vault remove"(cli) {
    const name = cli.given.argument("name");
    await agree(
      `Remove the credential ${name}? What uses it cannot sign in any more.`,
      cli.given.flag("yes"),
    );
    const envelope = await cli.client().run("remove_credential", named(cli));
    return recordResult(envelope, envelope.data, ["removed"]);
  },
  async "vault authorize"(cli) {
    const envelope = await cli.client().run("authorize_credential", named(cli));
    const { authorizationUrl, expiresAt } = envelope.data;
    return {
      envelope,
      ids: [authorizationUrl],
      view: [
        { kind: "text", text: authorizationUrl },
        { kind: "note", text: `Open it in a browser and sign in there; it works until ${expiresAt}.` },
      ],
    };
  },
  async "vault rotate"(cli) {
    const envelope = await cli.client().run("rotate_master_key", {});
    return recordResult(envelope, envelope.data.rotation, ["masterKeyId", "rewrapped", "unusable"]);
  },
};

function named(cli: Cli): { readonly name: string; readonly owner: string | undefined } {
  return { name: cli.given.argument("name"), owner: cli.given.option("owner") };
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
