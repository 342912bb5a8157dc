import { CLIENT_AUTH, CREDENTIAL_KINDS, KEY_PLACES, OAUTH_GRANTS } from "../../model/credential-choices.ts";
import type { Cli } from "../command.ts";
import { cursorOption, limitOption, yesOption } from "../conventions.ts";
import { Failure } from "../failure.ts";
import { list, page, record } from "../from-operation.ts";
import { readStdin } from "../input.ts";
import { canAsk, asking } from "../asking.ts";
import { line, note } from "../results.ts";
import { argument, example, group, option } from "../spec.ts";

const credential = argument("name", "The name of the credential.", { kind: "credential" });
const fromEnv = option("--from-env <NAME>", "Take the secret from this environment variable.");
const ownerOption = option("--owner <OWNER>", "shared, me, or the id of a caller.");
const SECRET_INPUT =
  "The secret comes from a hidden prompt, from standard input when that is not a terminal, or with --from-env from the environment; never from the command line, where process lists and the history would show it.";
const shown = {
  record: "credential",
  fields: ["name", "kind", "hosts", "owner", "state", "nextAction", "updatedAt"],
} as const;

/** Credentials. */
export const vault = group("vault", {
  list: list({
    summary: "Credentials without their secrets, by name.",
    options: [limitOption, cursorOption],
    examples: [example("What the vault holds")],
    operation: "list_credentials",
    input: page,
    rows: "credentials",
    columns: {
      NAME: "name",
      KIND: "kind",
      HOSTS: "hosts",
      OWNER: "owner",
      STATE: "state",
      UPDATED: "updatedAt",
    },
    id: "name",
  }),
  add: record({
    summary: "Store a credential for the hosts it may be sent to.",
    about: `${SECRET_INPUT} No command, answer or log ever shows it again.`,
    args: [argument("name", "The name that connections and workflows use.")],
    options: [
      option("--kind <KIND>", "What it is; bearer when left out.", {
        choices: CREDENTIAL_KINDS,
      }),
      option(
        "--host <HOST...>",
        "A host, or host:port, that it may be sent to; environment: the connection whose program gets it.",
      ),
      ownerOption,
      fromEnv,
      option("--allow-http", "Also send it over http to a host that is not this machine."),
      option("--in <PLACE>", "apiKey: where it goes.", { choices: KEY_PLACES }),
      option("--parameter <NAME>", "apiKey: the header, query parameter or cookie."),
      option("--username <NAME>", "basic: the user."),
      option("--grant <GRANT>", "oauth2: who signs in; a person when left out.", {
        choices: OAUTH_GRANTS,
      }),
      option("--resource <URL>", "oauth2: the MCP server or API that it is for."),
      option("--issuer <URL>", "oauth2: the authorization server, if the resource names none."),
      option("--authorization-url <URL>", "oauth2: for a server without metadata."),
      option("--exchange-url <URL>", "oauth2: the token endpoint of a server without metadata."),
      option("--client-id <ID>", "oauth2: a client that the server knows already."),
      option("--client-auth <METHOD>", "oauth2: how the client proves who it is.", {
        choices: CLIENT_AUTH,
      }),
      option("--scope <SCOPE...>", "oauth2: what to ask for."),
    ],
    examples: [
      example("A bearer token from a file", "issues --host api.example.com < key.txt", ["key-file"]),
      example(
        "An API key that goes into the query",
        "weather --kind apiKey --in query --parameter appid --host weather.example.com < key.txt",
        ["key-file"],
        { id: "vault-add-query" },
      ),
    ],
    operation: "create_credential",
    async input(cli) {
      const { given } = cli;
      const kind = given.choice("kind", CREDENTIAL_KINDS) ?? "bearer";
      const hosts = given.list("host");
      const scopes = given.list("scope");
      return {
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
        secret: await secretFor(cli, takesNoSecret(cli, kind)),
      };
    },
    ...shown,
  }),
  replace: record({
    summary: "Replace the secret of a credential.",
    about: SECRET_INPUT,
    args: [credential],
    options: [ownerOption, fromEnv],
    examples: [
      example(
        "A new token under the same name",
        [
          "suitectl vault add builds --host ci.example.com < key.txt",
          "suitectl vault replace builds < key.txt",
        ],
        ["key-file"],
      ),
    ],
    operation: "update_credential",
    input: async (cli) => ({ ...named(cli), secret: await secretFor(cli, false) }),
    ...shown,
  }),
  remove: record({
    summary: "Remove a credential with its secret.",
    args: [credential],
    options: [ownerOption, yesOption],
    examples: [
      example(
        "Add a credential and remove it",
        [
          "suitectl vault add mistake --host api.example.com < key.txt",
          "suitectl vault remove mistake --yes",
        ],
        ["key-file"],
      ),
    ],
    operation: "remove_credential",
    input: named,
    confirm: ({ name }) => `Remove the credential ${name}? What uses it cannot sign in any more.`,
    fields: ["removed"],
  }),
  authorize: {
    summary: "Begin the sign-in of an oauth2 credential; open the address it prints.",
    args: [credential],
    options: [ownerOption],
    async run(cli) {
      const envelope = await cli.client().run("authorize_credential", named(cli));
      const { authorizationUrl: url, expiresAt } = envelope.data;
      const open = `Open it in a browser and sign in there; it works until ${expiresAt}.`;
      return { envelope, ids: [url], view: [line(url), note(open)] };
    },
  },
  rotate: record({
    summary: "Wrap every data key with the newest master key.",
    about:
      "A key file gets a new key first, and keeps the one before it for backups. With SVC_MASTER_KEY set NEW,OLD on every replica, restart, and then rotate. Secrets are not touched.",
    examples: [example("Rotate the master key")],
    operation: "rotate_master_key",
    input: () => ({}),
    record: "rotation",
    fields: ["masterKeyId", "rewrapped", "unusable"],
  }),
});

function named(cli: Cli): { readonly name: string; readonly owner: string | undefined } {
  return { name: cli.given.argument("name"), owner: cli.given.option("owner") };
}

/** A person who signs in brings no secret, unless the client was registered with one. */
function takesNoSecret(cli: Cli, kind: string): boolean {
  const { given } = cli;
  if (kind !== "oauth2" || given.option("grant") === "client_credentials") return false;
  return given.option("client-id") === undefined || given.option("client-auth") === "none";
}

/** The secret from the environment, a hidden prompt or standard input, where one is needed. */
async function secretFor(cli: Cli, notNeeded: boolean): Promise<string | undefined> {
  const variable = cli.given.option("from-env");
  if (variable !== undefined) {
    const value = cli.variables[variable];
    if (value === undefined || value === "") {
      throw new Failure("usage", `The environment variable ${variable} is not set.`);
    }
    return value;
  }
  if (notNeeded) return undefined;
  const typed = canAsk() ? asking((prompter) => prompter.hidden("Secret (not shown): ")) : readStdin();
  const secret = (await typed).replace(/\r?\n$/, "");
  if (secret !== "") return secret;
  throw new Failure("usage", "No secret was given.", {
    next: "Type it into the prompt, redirect a file to standard input, or name a variable with --from-env.",
  });
}
