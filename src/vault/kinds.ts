import type { Static } from "typebox";
import { formsOf } from "../kernel/echoes.ts";
import { AppError, problemAt, type Problem } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import { inputOf } from "../model/common.ts";
import {
  CREDENTIAL_CHANGE,
  CREDENTIAL_INPUT,
  type CredentialKind,
  type CredentialSettings,
} from "../model/credentials.ts";
import type { Authorization } from "../ports/credentials.ts";
import { normalisedHost } from "./hosts.ts";

/** What describes a new credential. */
export const NewCredential = inputOf(CREDENTIAL_INPUT);
export type NewCredential = Static<typeof NewCredential>;

/** What replaces the secret or the hosts of a credential. */
export const ChangedCredential = inputOf(CREDENTIAL_CHANGE);
export type ChangedCredential = Static<typeof ChangedCredential>;

/** A credential as a caller describes it, checked; the secret in it never leaves this process in clear. */
export interface CheckedCredential {
  readonly name: string;
  readonly kind: CredentialKind;
  readonly hosts: readonly string[];
  readonly settings: CredentialSettings;
  readonly secret: JsonObject;
}

/** The members of each kind. The first ones hold the secret: each kind also takes the name that people know it by. */
const MEMBERS = {
  bearer: { secret: ["secret", "token"], public: [] },
  apiKey: { secret: ["secret", "key"], public: ["in", "parameter"] },
  basic: { secret: ["secret", "password"], public: ["username"] },
  oauth2: {
    secret: ["secret", "clientSecret"],
    public: [
      "grant",
      "resource",
      "issuer",
      "authorizationUrl",
      "tokenUrl",
      "clientId",
      "clientAuth",
      "scope",
    ],
  },
  environment: { secret: ["secret", "value"], public: [] },
} as const;
const COMMON_NAMES = ["name", "kind", "hosts", "owner", "allowHttp"];
const ADDRESSES = ["resource", "issuer", "authorizationUrl", "tokenUrl"] as const;
/** Headers that a request's framing depends on. */
const FRAMING = /^(?:host|content-length|content-type|transfer-encoding|connection|upgrade|te|trailer)$/i;

/** Checks what the schema of a new credential cannot say; all problems at once. */
export function checkCredential(given: NewCredential): CheckedCredential {
  const { name, kind, allowHttp } = given;
  const problems: Problem[] = [];
  const settings = { ...settingsOf(given, problems), ...(allowHttp === true && { allowHttp }) };
  const resource = kind === "oauth2" ? URL.parse(given.resource ?? "") : null;
  const hosts =
    given.hosts === undefined && resource !== null ? [resource.host] : hostsOf(given.hosts ?? [], problems);
  const secret = secretOf(kind, given, settings, problems);
  refuseOthers(kind, given, [...COMMON_NAMES, ...MEMBERS[kind].public], problems);
  refuse("The credential is not complete.", problems);
  return { name, kind, hosts, settings, secret };
}

/** Checks a change of a credential: a new secret, other hosts, or both. */
export function checkChange(
  kind: CredentialKind,
  settings: JsonObject,
  given: ChangedCredential,
): { readonly hosts: readonly string[] | null; readonly secret: JsonObject | null } {
  const problems: Problem[] = [];
  const isReplaced = MEMBERS[kind].secret.some((name) => name in given);
  const secret = isReplaced ? secretOf(kind, given, settings, problems) : null;
  const hosts = given.hosts === undefined ? null : hostsOf(given.hosts, problems);
  if (secret === null && hosts === null) {
    const message = "There is nothing to change.";
    problems.push({ pointer: "", message, expected: "secret or hosts", fix: "Send secret, hosts or both." });
  }
  refuseOthers(kind, given, ["hosts"], problems);
  refuse("The credential cannot be changed like this.", problems);
  return { hosts, secret };
}

function refuse(message: string, problems: readonly Problem[]): void {
  const [first] = problems;
  if (first !== undefined)
    throw new AppError("invalid_input", `${message} ${first.message}`, { problems: [...problems] });
}

/** A member of another kind may be a secret under a wrong name: it is refused, not ignored. */
function refuseOthers(
  kind: CredentialKind,
  given: object,
  names: readonly string[],
  problems: Problem[],
): void {
  const known = [...names, ...MEMBERS[kind].secret];
  for (const name of Object.keys(given).filter((one) => !known.includes(one))) {
    const message = `${name} is not a member of a credential of kind ${kind}.`;
    problems.push({ pointer: `/${name}`, message, expected: `one of ${known.join(", ")}` });
  }
}

function settingsOf(given: NewCredential, problems: Problem[]): CredentialSettings {
  switch (given.kind) {
    case "bearer":
      return {};
    case "environment":
      return { in: "environment" };
    case "basic":
      if (given.username !== undefined) return { username: given.username };
      problems.push(problemAt("username", "a user name without a colon"));
      return {};
    case "apiKey": {
      const { in: place = "header", parameter = place === "header" ? "X-API-Key" : undefined } = given;
      const isFraming = place === "header" && parameter !== undefined && FRAMING.test(parameter);
      if (parameter !== undefined && !isFraming) return { in: place, parameter };
      const named = place === "query" ? "query parameter" : place;
      problems.push(
        problemAt(
          "parameter",
          `the name of the ${named} that carries the key${isFraming ? ", another one" : ""}`,
        ),
      );
      return {};
    }
    case "oauth2":
      return oauthSettings(given, problems);
  }
}

function oauthSettings(given: NewCredential, problems: Problem[]): CredentialSettings {
  const { grant = "authorization_code", resource, issuer, authorizationUrl, tokenUrl, clientId } = given;
  for (const name of ADDRESSES) {
    if (given[name] !== undefined && !isWebAddress(given[name]))
      problems.push(problemAt(name, "an http or https address without user and fragment"));
  }
  if (resource === undefined && issuer === undefined && tokenUrl === undefined) {
    problems.push({
      pointer: "/resource",
      message: "Where tokens come from is missing.",
      expected: "resource, issuer or tokenUrl",
      fix: "Give the address of the MCP server or API as resource, or the authorization server as issuer.",
    });
  }
  if (grant === "authorization_code" && tokenUrl !== undefined && authorizationUrl === undefined)
    problems.push(problemAt("authorizationUrl", "an address beside tokenUrl"));
  if (grant === "client_credentials" && clientId === undefined)
    problems.push(problemAt("clientId", "the id of a client that the server knows"));
  const { clientAuth, scope } = given;
  return {
    grant,
    ...(resource !== undefined && { resource }),
    ...(issuer !== undefined && { issuer }),
    ...(authorizationUrl !== undefined && { authorizationUrl }),
    ...(tokenUrl !== undefined && { tokenUrl }),
    ...(clientId !== undefined && { clientId }),
    ...(clientAuth !== undefined && { clientAuth }),
    ...(scope !== undefined && { scope }),
  };
}

function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.hash}` === "";
}

function hostsOf(given: readonly string[], problems: Problem[]): readonly string[] {
  const hosts = given.map(normalisedHost);
  if (hosts.length === 0 || hosts.includes(null)) {
    problems.push({
      pointer: "/hosts",
      message: "hosts must be a list of host names or addresses, each with or without a port.",
      expected: 'such as ["api.example.com", "10.0.0.7:8443"]',
      fix: "Name every host that the credential may be sent to.",
    });
  }
  return [...new Set(hosts.filter((host) => host !== null))];
}

function secretOf(
  kind: CredentialKind,
  given: ChangedCredential,
  settings: JsonObject,
  problems: Problem[],
): JsonObject {
  const [name = "secret", second] = MEMBERS[kind].secret.filter((one) => one in given);
  const value = given[name];
  if (second !== undefined) {
    const message = `${name} and ${second} mean the same; send one of them.`;
    problems.push({ pointer: `/${second}`, message, expected: "one secret" });
  }
  if (value === undefined) {
    if (kind !== "oauth2" || settings["grant"] === "client_credentials")
      problems.push(problemAt(name, "the secret"));
    return {};
  }
  // What was given is a secret, so the problem says nothing about it but what is allowed.
  if (!isSendable(kind, settings, value)) problems.push(problemAt(name, "visible ASCII characters"));
  return { secret: value };
}

function isSendable(kind: CredentialKind, settings: JsonObject, value: string): boolean {
  if (kind === "bearer") return /^[\x21-\x7e]+$/.test(value);
  if (kind === "apiKey" && settings["in"] === "header")
    return /^[\x20-\x7e]+$/.test(value) && value.trim() === value;
  if (kind === "apiKey" && settings["in"] === "cookie")
    return /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+$/.test(value);
  return kind !== "environment" || !value.includes("\u0000");
}

/** What a request carries because of a credential that holds no token; `secret` is what `checkCredential` gave. */
export function present(kind: CredentialKind, settings: JsonObject, secret: JsonObject): Authorization {
  const value = textOf(secret["secret"]);
  switch (kind) {
    case "bearer":
      return bearer(value);
    case "basic": {
      const pair = Buffer.from(`${textOf(settings["username"])}:${value}`).toString("base64");
      return { ...NOTHING, headers: { authorization: `Basic ${pair}` }, secrets: formsOf(value, pair) };
    }
    case "apiKey": {
      const pair = { [textOf(settings["parameter"])]: value };
      if (settings["in"] === "query") return { ...NOTHING, query: pair, secrets: formsOf(value) };
      if (settings["in"] === "cookie") return { ...NOTHING, cookies: pair, secrets: formsOf(value) };
      return { ...NOTHING, headers: lowerCased(pair), secrets: formsOf(value) };
    }
    case "environment":
      throw new AppError(
        "blocked",
        "A credential of kind environment is given to programs, never to addresses.",
        {
          nextAction: "Name it in env of a connection with a command, or store the secret as another kind.",
        },
      );
    case "oauth2":
      throw new AppError("internal", "A credential of kind oauth2 is presented by its token.");
  }
}

/** A bearer token in its header. */
export function bearer(token: string): Authorization {
  return { ...NOTHING, headers: { authorization: `Bearer ${token}` }, secrets: formsOf(token) };
}

const NOTHING: Authorization = { headers: {}, query: {}, cookies: {}, secrets: [], renewable: false };

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
