import { CLIENT_AUTH, CREDENTIAL_KINDS, KEY_PLACES, OAUTH_GRANTS } from "../../model/credential-choices.ts";
import { cursorOption, limitOption, yesOption } from "../conventions.ts";
import type { ArgumentSpec, CommandSpec, OptionSpec } from "../model.ts";

const credential: ArgumentSpec = { name: "name", summary: "The name of the credential.", kind: "credential" };
const fromEnv: OptionSpec = {
  name: "from-env",
  value: "NAME",
  summary: "Take the secret from this environment variable.",
};
const ownerOption: OptionSpec = {
  name: "owner",
  value: "OWNER",
  summary: "shared, me, or the id of a caller.",
};
const SECRET_INPUT =
  "The secret comes from a hidden prompt, from standard input when that is not a terminal, or with --from-env from the environment; never from the command line, where process lists and the history would show it.";

/** Commands about credentials. */
export const vaultCommands: readonly CommandSpec[] = [
  {
    path: "vault list",
    summary: "Credentials without their secrets, by name.",
    access: "key",
    options: [limitOption, cursorOption],
    examples: [{ id: "vault-list", title: "What the vault holds", needs: ["service", "key"], steps: [{}] }],
  },
  {
    path: "vault add",
    summary: "Store a credential for the hosts it may be sent to.",
    about: `${SECRET_INPUT} No command, answer or log ever shows it again.`,
    access: "key",
    args: [{ name: "name", summary: "The name that connections and workflows use." }],
    options: [
      {
        name: "kind",
        value: "KIND",
        summary: "What it is; bearer when left out.",
        choices: CREDENTIAL_KINDS,
      },
      {
        name: "host",
        value: "HOST",
        summary:
          "A host, or host:port, that it may be sent to; environment: the connection whose program gets it.",
        many: true,
      },
      ownerOption,
      fromEnv,
      { name: "allow-http", summary: "Also send it over http to a host that is not this machine." },
      {
        name: "in",
        value: "PLACE",
        summary: "apiKey: where it goes.",
        choices: KEY_PLACES,
      },
      { name: "parameter", value: "NAME", summary: "apiKey: the header, query parameter or cookie." },
      { name: "username", value: "NAME", summary: "basic: the user." },
      {
        name: "grant",
        value: "GRANT",
        summary: "oauth2: who signs in; a person when left out.",
        choices: OAUTH_GRANTS,
      },
      { name: "resource", value: "URL", summary: "oauth2: the MCP server or API that it is for." },
      {
        name: "issuer",
        value: "URL",
        summary: "oauth2: the authorization server, if the resource names none.",
      },
      { name: "authorization-url", value: "URL", summary: "oauth2: for a server without metadata." },
      {
        name: "exchange-url",
        value: "URL",
        summary: "oauth2: the token endpoint of a server without metadata.",
      },
      { name: "client-id", value: "ID", summary: "oauth2: a client that the server knows already." },
      {
        name: "client-auth",
        value: "METHOD",
        summary: "oauth2: how the client proves who it is.",
        choices: CLIENT_AUTH,
      },
      { name: "scope", value: "SCOPE", summary: "oauth2: what to ask for.", many: true },
    ],
    examples: [
      {
        id: "vault-add",
        title: "A bearer token from a file",
        needs: ["service", "key", "key-file"],
        steps: [{ args: ["issues"], options: { host: ["api.example.com"] }, from: "key.txt" }],
      },
      {
        id: "vault-add-query",
        title: "An API key that goes into the query",
        needs: ["service", "key", "key-file"],
        steps: [
          {
            args: ["weather"],
            options: { kind: "apiKey", in: "query", parameter: "appid", host: ["weather.example.com"] },
            from: "key.txt",
          },
        ],
      },
    ],
  },
  {
    path: "vault replace",
    summary: "Replace the secret of a credential.",
    about: SECRET_INPUT,
    access: "key",
    args: [credential],
    options: [ownerOption, fromEnv],
    examples: [
      {
        id: "vault-replace",
        title: "A new token under the same name",
        needs: ["service", "key", "key-file"],
        steps: [
          { path: "vault add", args: ["builds"], options: { host: ["ci.example.com"] }, from: "key.txt" },
          { args: ["builds"], from: "key.txt" },
        ],
      },
    ],
  },
  {
    path: "vault remove",
    summary: "Remove a credential with its secret.",
    access: "key",
    args: [credential],
    options: [ownerOption, yesOption],
    examples: [
      {
        id: "vault-remove",
        title: "Add a credential and remove it",
        needs: ["service", "key", "key-file"],
        steps: [
          { path: "vault add", args: ["mistake"], options: { host: ["api.example.com"] }, from: "key.txt" },
          { args: ["mistake"], options: { yes: true } },
        ],
      },
    ],
  },
  {
    path: "vault authorize",
    summary: "Begin the sign-in of an oauth2 credential; open the address it prints.",
    access: "key",
    args: [credential],
    options: [ownerOption],
    examples: [],
  },
  {
    path: "vault rotate",
    summary: "Wrap every data key with the newest master key.",
    about:
      "A key file gets a new key first, and keeps the one before it for backups. With SVC_MASTER_KEY set NEW,OLD on every replica, restart, and then rotate. Secrets are not touched.",
    access: "key",
    examples: [
      { id: "vault-rotate", title: "Rotate the master key", needs: ["service", "key"], steps: [{}] },
    ],
  },
];
