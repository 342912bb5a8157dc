import { formsOf } from "../kernel/echoes.ts";
import { AppError } from "../kernel/errors.ts";
import { isObject, type Json, type JsonObject } from "../kernel/json.ts";
import type { Authorization, CredentialKind } from "../ports/credentials.ts";
import { normalisedHost } from "./hosts.ts";
import { oauthSettings } from "./oauth-settings.ts";

import { Reader } from "./reader.ts";

/** A credential as a caller describes it, checked; the secret in it never leaves this process in clear. */
export interface CredentialInput {
  readonly name: string;
  /** `me` for the caller alone, `shared` for everybody, or the id of a caller. */
  readonly owner: string;
  readonly kind: CredentialKind;
  readonly hosts: readonly string[];
  readonly settings: JsonObject;
  readonly secret: JsonObject;
}

const KINDS = ["bearer", "apiKey", "basic", "oauth2", "environment"] as const;
const PLACES = ["header", "query", "cookie"] as const;
const MAX_SECRET = 16_384;
const MAX_HOSTS = 50;
/** The member that holds the secret; each kind also takes the name that people know it by. */
const SECRET_NAMES: Readonly<Record<CredentialKind, readonly string[]>> = {
  bearer: ["secret", "token"],
  apiKey: ["secret", "key"],
  basic: ["secret", "password"],
  oauth2: ["secret", "clientSecret"],
  environment: ["secret", "value"],
};
const PUBLIC_NAMES: Readonly<Record<CredentialKind, readonly string[]>> = {
  bearer: [],
  apiKey: ["in", "parameter"],
  basic: ["username"],
  oauth2: ["grant", "resource", "issuer", "authorizationUrl", "tokenUrl", "clientId", "clientAuth", "scope"],
  environment: [],
};
const COMMON_NAMES = ["name", "kind", "hosts", "owner", "allowHttp"];
/** Headers that a request's framing depends on. */
const FRAMING = /^(?:host|content-length|content-type|transfer-encoding|connection|upgrade|te|trailer)$/i;

/** Reads what `POST /api/svc/credentials` was given; all problems at once. */
export function readCredential(body: Json | undefined): CredentialInput {
  const given = isObject(body) ? body : {};
  const reader = new Reader(given);
  const name = reader.text("name", {
    pattern: /^[a-z][a-z0-9-]{0,62}$/,
    expected: "lower-case letters, digits and hyphens, beginning with a letter, 1 to 63 characters",
  });
  const kind = reader.oneOf("kind", KINDS) ?? "bearer";
  const owner = reader.text("owner", { fallback: "shared", pattern: /^[\x21-\x7e]{1,200}$/ });
  const allowHttp = reader.flag("allowHttp");
  const settings = { ...settingsOf(kind, reader), ...(allowHttp && { allowHttp }) };
  const hosts = readHosts(given["hosts"], defaultHosts(kind, settings), reader);
  const secret = readSecret(kind, given, settings, reader);
  reader.refuseOthers([...COMMON_NAMES, ...PUBLIC_NAMES[kind], ...SECRET_NAMES[kind]]);
  reader.done("The credential is not complete.");
  return { name, owner, kind, hosts, settings, secret };
}

/** What `PATCH /api/svc/credentials/{name}` may change. */
export interface CredentialChange {
  readonly hosts: readonly string[] | null;
  readonly secret: JsonObject | null;
}

/** Reads a change of a credential: a new secret, other hosts, or both. */
export function readChange(
  kind: CredentialKind,
  settings: JsonObject,
  body: Json | undefined,
): CredentialChange {
  const given = isObject(body) ? body : {};
  const reader = new Reader(given);
  const names = SECRET_NAMES[kind];
  const secret = names.some((name) => given[name] !== undefined)
    ? readSecret(kind, given, settings, reader)
    : null;
  const hosts = given["hosts"] === undefined ? null : readHosts(given["hosts"], [], reader);
  if (secret === null && hosts === null) {
    reader.problem("", "There is nothing to change.", `secret or hosts`, "Send secret, hosts or both.");
  }
  reader.refuseOthers(["hosts", ...names]);
  reader.done("The credential cannot be changed like this.");
  return { hosts, secret };
}

function settingsOf(kind: CredentialKind, reader: Reader): JsonObject {
  switch (kind) {
    case "bearer":
      return {};
    case "basic":
      return {
        username: reader.text("username", {
          pattern: /^[^\p{Cc}:]{1,255}$/u,
          expected: "a user name without a colon",
        }),
      };
    case "apiKey": {
      const place = reader.oneOf("in", PLACES, "header") ?? "header";
      const parameter = reader.text("parameter", {
        ...(place === "header" && { fallback: "X-API-Key" }),
        pattern: /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/,
        expected: `the name of the ${place}${place === "query" ? " parameter" : ""} that carries the key`,
      });
      if (place === "header" && FRAMING.test(parameter)) {
        reader.problem("/parameter", `The header ${parameter} cannot carry a key.`, "another header");
      }
      return { in: place, parameter };
    }
    case "environment":
      return { in: "environment" };
    case "oauth2":
      return oauthSettings(reader);
  }
}

function defaultHosts(kind: CredentialKind, settings: JsonObject): readonly string[] {
  const resource = kind === "oauth2" ? settings["resource"] : undefined;
  const url = typeof resource === "string" ? URL.parse(resource) : null;
  return url === null ? [] : [url.host];
}

function readHosts(value: unknown, fallback: readonly string[], reader: Reader): readonly string[] {
  if (value === undefined && fallback.length > 0) return fallback;
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  const hosts = list.map((item) => (typeof item === "string" ? normalisedHost(item) : null));
  if (list.length === 0 || list.length > MAX_HOSTS || hosts.includes(null)) {
    reader.problem(
      "/hosts",
      `hosts must be a list of 1 to ${MAX_HOSTS} host names or addresses, each with or without a port.`,
      'such as ["api.example.com", "10.0.0.7:8443"]',
      "Name every host that the credential may be sent to.",
    );
  }
  return [...new Set(hosts.filter((host) => host !== null))];
}

function readSecret(
  kind: CredentialKind,
  given: Readonly<Record<string, unknown>>,
  settings: JsonObject,
  reader: Reader,
): JsonObject {
  const names = SECRET_NAMES[kind];
  const used = names.filter((name) => given[name] !== undefined);
  const [name = "secret"] = used;
  const value = given[name];
  if (used.length > 1) {
    reader.problem(
      `/${used[1] ?? ""}`,
      `${used.join(" and ")} mean the same; send one of them.`,
      "one secret",
    );
  }
  if (value === undefined && kind === "oauth2" && settings["grant"] !== "client_credentials") return {};
  if (typeof value !== "string" || value === "" || value.length > MAX_SECRET) {
    reader.problem(`/${name}`, `${name} must be a text of 1 to ${MAX_SECRET} characters.`, "the secret");
    return {};
  }
  if (!isSendable(kind, settings, value)) {
    // What was given is a secret, so the problem says nothing about it but what is allowed.
    reader.problem(
      `/${name}`,
      `${name} has a character that no header can carry.`,
      "visible ASCII characters",
    );
  }
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

/** What a request carries because of a credential that holds no token; `secret` is what `readCredential` sealed. */
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

/** JSON Schema of what creates a credential, for the OpenAPI document. */
export const CREDENTIAL_BODY: JsonObject = {
  type: "object",
  required: ["name", "kind"],
  properties: {
    name: { type: "string", pattern: "^[a-z][a-z0-9-]{0,62}$" },
    kind: { type: "string", enum: [...KINDS] },
    hosts: {
      type: "array",
      items: { type: "string" },
      minItems: 1,
      description:
        "Hosts (host or host:port) that the credential may be sent to; oauth2 takes the resource's without it. environment: names of the connections whose program gets it.",
    },
    owner: { type: "string", description: "shared (default), me, or the id of a caller.", default: "shared" },
    allowHttp: { type: "boolean", description: "Also send it over http to a host that is not this machine." },
    secret: {
      type: "string",
      writeOnly: true,
      description: "Token, key, password or client secret. No answer ever holds it.",
    },
    in: { type: "string", enum: [...PLACES], description: "apiKey: where the key goes." },
    parameter: { type: "string", description: "apiKey: the name of the header, query parameter or cookie." },
    username: { type: "string", description: "basic." },
    grant: { type: "string", enum: ["authorization_code", "client_credentials"], description: "oauth2." },
    resource: {
      type: "string",
      format: "uri",
      description: "oauth2: the MCP server or API that the tokens are for.",
    },
    issuer: { type: "string", format: "uri", description: "oauth2: the authorization server." },
    authorizationUrl: { type: "string", format: "uri", description: "oauth2 without server metadata." },
    tokenUrl: { type: "string", format: "uri", description: "oauth2 without server metadata." },
    clientId: { type: "string", description: "oauth2: a client that was registered before." },
    clientAuth: {
      type: "string",
      enum: ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"],
      description: "oauth2: how the client proves who it is; the server's metadata decides without it.",
    },
    scope: { type: "string", description: "oauth2: the scopes to ask for, separated by spaces." },
  },
};

/** JSON Schema of what changes a credential. */
export const CHANGE_BODY: JsonObject = {
  type: "object",
  minProperties: 1,
  properties: {
    secret: {
      type: "string",
      writeOnly: true,
      description: "The new token, key, password or client secret.",
    },
    hosts: { type: "array", items: { type: "string" }, minItems: 1 },
  },
};
