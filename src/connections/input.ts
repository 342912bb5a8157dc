import type { Static, TObject } from "typebox";
import { problemAt, type Problem } from "../kernel/errors.ts";
import { isSecretName } from "../kernel/secrets.ts";
import type { CONNECTION_CHANGE, ConnectionCommand } from "../model/connections.ts";
import type { ConnectionKind } from "../model/connection-states.ts";
import { authorityOf } from "../fetch/fetcher.ts";

/** Names that stand for something else. */
const RESERVED = new Set(["mcp", "probe", "tools", "calls", "record", "import", "svc", "own"]);

/** What a person gives to add or to change a connection. */
type GivenConnection = Static<TObject<typeof CONNECTION_CHANGE>>;

/** The same as it is stored; undefined is left as it is. */
export interface ConnectionInput {
  readonly title?: string;
  readonly url?: string | null;
  /** JSON or YAML text. */
  readonly document?: string | null;
  readonly command?: ConnectionCommand | null;
  readonly baseUrl?: string | null;
  readonly credential?: string | null;
  readonly allowPrivateOrigin?: boolean | string;
}

/** A connection that is added. */
export interface NewConnection extends ConnectionInput {
  readonly name: string;
  readonly kind: ConnectionKind;
}

/** What the schema of a new connection cannot say. */
export function newProblems(
  given: GivenConnection & { readonly name: string; readonly kind: ConnectionKind },
): readonly Problem[] {
  const { name, kind, url, document, command, baseUrl } = given;
  const problems = [...changeProblems(given)];
  if (RESERVED.has(name)) problems.push(problemAt("name", "another name: this one is reserved"));
  if (kind === "mcp" && !url && !command) problems.push(problemAt("url", "given, or command, for kind mcp"));
  if (kind === "openapi" && !url && !document)
    problems.push(problemAt("url", "given, or document, for kind openapi"));
  if (kind === "http" && (!document || !(baseUrl ?? url))) {
    problems.push({
      pointer: "/document",
      message: "A connection of kind http has a url (its base address) and a document with requests.",
      expected: '{"requests": [{"name", "method", "path", …}]}',
    });
  }
  return problems;
}

/** What the schema of a changed connection cannot say. */
export function changeProblems(given: GivenConnection): readonly Problem[] {
  const { allowPrivateOrigin, command } = given;
  const problems = [...urlProblems("url", given.url), ...urlProblems("baseUrl", given.baseUrl)];
  if (typeof allowPrivateOrigin === "string" && !isOrigin(allowPrivateOrigin))
    problems.push(
      problemAt(
        "allowPrivateOrigin",
        'true for the origin of the connection\'s own address, or an origin such as "http://10.0.0.5:8080"',
      ),
    );
  if (command?.trim() === "" || command?.includes("\u0000") === true)
    problems.push(problemAt("command", "the name or path of one program"));
  for (const [name, value] of Object.entries(given.env ?? {}))
    if (typeof value === "string" && value.includes("\u0000"))
      problems.push(problemAt(`env/${name}`, "a text without the character U+0000"));
  return problems;
}

function isOrigin(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.pathname === "/" && url.search === "";
}

function urlProblems(name: "url" | "baseUrl", value: string | null | undefined): readonly Problem[] {
  if (value === undefined || value === null) return [];
  const url = URL.parse(value);
  const isFit =
    url !== null && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.hash}` === "";
  if (!isFit) {
    return [
      {
        pointer: `/${name}`,
        message: "The address is invalid.",
        expected: "an http or https URL without user name, password and fragment",
        fix: "Put credentials into a credential and name it.",
      },
    ];
  }
  const secret = [...url.searchParams.keys()].find((key) => isSecretName(key));
  if (secret === undefined) return [];
  return [
    {
      pointer: `/${name}`,
      message: `The address has what looks like a secret in its query ("${secret}").`,
      fix: "Put it into a credential of kind apiKey and name that.",
    },
  ];
}

/** What was given, as it is stored. */
export function connectionInput(given: GivenConnection): ConnectionInput {
  const { title, url, baseUrl, document, command, credential, allowPrivateOrigin } = given;
  return {
    ...(title !== undefined && { title: title.trim() }),
    ...(url !== undefined && { url: normalised(url) }),
    ...(baseUrl !== undefined && { baseUrl: normalised(baseUrl) }),
    ...(document !== undefined && {
      document: typeof document === "string" || document === null ? document : JSON.stringify(document),
    }),
    ...(command !== undefined && { command: command === null ? null : commandOf(command, given) }),
    ...(credential !== undefined && { credential }),
    ...(allowPrivateOrigin !== undefined && { allowPrivateOrigin }),
  };
}

function normalised(url: string | null): string | null {
  return url === null ? null : new URL(url).href;
}

function commandOf(command: string, { args = [], env = {} }: GivenConnection): ConnectionCommand {
  const texts: Record<string, string> = {};
  const credentials: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (typeof value === "string") texts[name] = value;
    else if ("credential" in value) credentials[name] = value.credential;
    else texts[name] = KEPT;
  }
  return { command, args, env: texts, credentials };
}

/** Stands for the value of a variable that stays as it is. */
export const KEPT = "\u0000kept";

/** The one private `host:port` that a connection may reach; null when none is allowed. */
export function privateOriginOf(
  allowed: boolean | string | undefined,
  address: string | null,
): string | null {
  if (allowed === undefined || allowed === false) return null;
  const url = URL.parse(allowed === true ? (address ?? "") : allowed);
  return url === null ? null : authorityOf(url);
}
