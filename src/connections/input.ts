import { AppError, type Problem } from "../kernel/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../kernel/json.ts";
import { isSecretName } from "../kernel/secrets.ts";
import { CONNECTION_KINDS, type ConnectionCommand, type ConnectionKind } from "../ports/connections.ts";
import { authorityOf } from "../siblings/fetcher.ts";
import { CONNECTION_NAME } from "./definition.ts";

/** Names that stand for something else. */
const RESERVED = new Set(["mcp", "probe", "tools", "calls", "record", "import", "svc", "own"]);
const FIELDS = [
  "name",
  "kind",
  "title",
  "url",
  "document",
  "command",
  "args",
  "env",
  "baseUrl",
  "credential",
  "allowPrivateOrigin",
] as const;

/** What a person gives to add or to change a connection; undefined is left as it is. */
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

/** The body of a request to add a connection, with all its problems at once. */
export function readNewConnection(
  body: Json | undefined,
): ConnectionInput & { readonly name: string; readonly kind: ConnectionKind } {
  const given = isJsonObject(body) ? body : {};
  const problems: Problem[] = [];
  const { name } = given;
  const kind = CONNECTION_KINDS.find((known) => known === given["kind"]);
  if (typeof name !== "string" || !CONNECTION_NAME.test(name)) {
    problems.push({
      pointer: "/name",
      message: "The name is missing or not fit.",
      expected: "a lower-case letter, then up to 30 lower-case letters, digits or hyphens",
      fix: 'Give a short name such as "petstore".',
    });
  } else if (RESERVED.has(name)) {
    problems.push({
      pointer: "/name",
      message: `The name "${name}" is reserved.`,
      fix: "Choose another name.",
    });
  }
  if (kind === undefined) {
    problems.push({
      pointer: "/kind",
      message: "The kind is missing or unknown.",
      expected: CONNECTION_KINDS.join(", "),
      fix: "POST /api/svc/connections/probe tells what an address is.",
    });
  }
  const input = readFields(given, problems);
  if (kind !== undefined) problems.push(...sourceProblems(kind, input));
  if (problems.length > 0 || typeof name !== "string" || kind === undefined) throw unfit(problems);
  return { ...input, name, kind };
}

/** The body of a request to change a connection. */
export function readChanges(body: Json | undefined): ConnectionInput {
  const given = isJsonObject(body) ? body : {};
  const problems: Problem[] = [];
  for (const name of ["name", "kind"]) {
    if (given[name] === undefined) continue;
    problems.push({
      pointer: `/${name}`,
      message: `The ${name} cannot be changed.`,
      fix: "Add another connection.",
    });
  }
  const input = readFields(given, problems);
  if (problems.length > 0) throw unfit(problems);
  return input;
}

function unfit(problems: readonly Problem[]): AppError {
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  return new AppError("invalid_input", `The connection has ${count}: ${problems[0]?.message ?? ""}`, {
    problems,
  });
}

function sourceProblems(kind: ConnectionKind, input: ConnectionInput): readonly Problem[] {
  const { url, document, command } = input;
  if (kind === "mcp" && !url && !command) {
    return [
      {
        pointer: "/url",
        message: "A connection of kind mcp has a url or a command.",
        fix: "Give one of them.",
      },
    ];
  }
  if (kind === "openapi" && !url && !document) {
    return [
      {
        pointer: "/url",
        message: "A connection of kind openapi has a url or a document.",
        fix: "Give one of them.",
      },
    ];
  }
  if (kind === "http" && (!document || !(input.baseUrl ?? url))) {
    return [
      {
        pointer: "/document",
        message: "A connection of kind http has a url (its base address) and a document with requests.",
        expected: '{"requests": [{"name", "method", "path", …}]}',
      },
    ];
  }
  return [];
}

function readFields(given: JsonObject, problems: Problem[]): ConnectionInput {
  for (const name of Object.keys(given)) {
    if (FIELDS.some((known) => known === name)) continue;
    problems.push({
      pointer: `/${name.slice(0, 60)}`,
      message: `"${name.slice(0, 60)}" is not known here.`,
      expected: FIELDS.join(", "),
    });
  }
  const { title, document, allowPrivateOrigin, credential } = given;
  if (title !== undefined && (typeof title !== "string" || title.trim() === "" || title.length > 200)) {
    problems.push({ pointer: "/title", message: "The title is a text of 1 to 200 characters." });
  }
  if (credential !== undefined && credential !== null && typeof credential !== "string") {
    problems.push({ pointer: "/credential", message: "This is the name of a credential, or null for none." });
  }
  if (
    allowPrivateOrigin !== undefined &&
    typeof allowPrivateOrigin !== "boolean" &&
    !isOrigin(allowPrivateOrigin)
  ) {
    problems.push({
      pointer: "/allowPrivateOrigin",
      message: "This says which private origin may be reached.",
      expected:
        'true for the origin of the connection\'s own address, or an origin such as "http://10.0.0.5:8080"',
    });
  }
  const isDocument = isJsonObject(document) || typeof document === "string" || document === null;
  if (document !== undefined && !isDocument) {
    problems.push({
      pointer: "/document",
      message: "The document is not an object.",
      expected: "an object, or its JSON or YAML text",
    });
  }
  const command = readCommand(given, problems);
  const url = readUrl(given, "url", problems);
  const baseUrl = readUrl(given, "baseUrl", problems);
  return {
    ...(typeof title === "string" && { title: title.trim() }),
    ...(url !== undefined && { url }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(isDocument && {
      document: typeof document === "string" || document === null ? document : JSON.stringify(document),
    }),
    ...(command !== undefined && { command }),
    ...((typeof credential === "string" || credential === null) && { credential }),
    ...((typeof allowPrivateOrigin === "boolean" || typeof allowPrivateOrigin === "string") && {
      allowPrivateOrigin,
    }),
  };
}

function isOrigin(value: Json): boolean {
  const url = typeof value === "string" ? URL.parse(value) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.pathname === "/" && url.search === "";
}

function readUrl(given: JsonObject, name: "url" | "baseUrl", problems: Problem[]): string | null | undefined {
  const value = given[name];
  if (value === undefined || value === null) return value;
  const url = typeof value === "string" ? URL.parse(value) : null;
  const isFit =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === "" &&
    url.password === "" &&
    url.hash === "";
  if (!isFit) {
    problems.push({
      pointer: `/${name}`,
      message: "The address is not fit.",
      expected: "an http or https URL without user name, password and fragment",
      fix: "Put credentials into a credential and name it.",
    });
    return undefined;
  }
  const secret = [...url.searchParams.keys()].find((key) => isSecretName(key));
  if (secret !== undefined) {
    problems.push({
      pointer: `/${name}`,
      message: `The address has what looks like a secret in its query ("${secret}").`,
      fix: "Put it into a credential of kind apiKey and name that.",
    });
  }
  return url.href;
}

function readCommand(given: JsonObject, problems: Problem[]): ConnectionCommand | null | undefined {
  const { command, args = [], env = {} } = given;
  if (command === undefined || command === null) return command;
  if (typeof command !== "string" || command.trim() === "" || command.includes("\u0000")) {
    problems.push({ pointer: "/command", message: "The command is the name or path of one program." });
    return undefined;
  }
  const isList = Array.isArray(args) && args.length <= 100 && args.every((item) => typeof item === "string");
  if (!isList) problems.push({ pointer: "/args", message: "The arguments are a list of at most 100 texts." });
  const texts: Record<string, string> = {};
  const credentials: Record<string, string> = {};
  for (const [name, value] of isJsonObject(env) ? Object.entries(env) : []) {
    const credential = isJsonObject(value) ? value["credential"] : undefined;
    const isKept = isJsonObject(value) && value["set"] === true;
    const isName = /^[A-Za-z_]\w*$/.test(name);
    if (isName && typeof value === "string" && !value.includes("\u0000")) texts[name] = value;
    else if (isName && typeof credential === "string") credentials[name] = credential;
    else if (isName && isKept) texts[name] = KEPT;
    else {
      problems.push({
        pointer: `/env/${name.slice(0, 60)}`,
        message: "A variable has a name and a text, or names a credential of kind environment.",
        expected: 'a text, {"credential": "name"}, or {"set": true} to keep what is there',
      });
    }
  }
  return {
    command,
    args: isList ? args.filter((item) => typeof item === "string") : [],
    env: texts,
    credentials,
  };
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
