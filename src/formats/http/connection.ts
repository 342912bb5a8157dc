import { inferSchema, mergeSchemas } from "../../../packages/forms/src/compile/infer.ts";
import { isJsonObject, isList, type Json, type JsonObject } from "../../kernel/json.ts";
import { slug, type ImportedConnection } from "../format.ts";
import type { CredentialNeed, HttpBody, HttpCall } from "./call.ts";
import { marked, plainText, unmarked, type Placeholder, type Template } from "./placeholders.ts";

/** Names that mean something else to the service. */
const RESERVED = new Set(["mcp", "probe", "tools", "calls", "record", "import", "svc", "own"]);

/** Where a request goes. */
export interface Reach {
  /** What tells one connection from another. */
  readonly key: string;
  /** Scheme, host and port; null when the file names them only by a variable. */
  readonly origin: string | null;
  /** The host, or the name of the variable that stands for it. */
  readonly host: string;
  readonly hasUser: boolean;
  readonly path: Template;
  readonly query: readonly { readonly name: string; readonly value: Template }[];
}

/** Takes an address apart; null when it is none. */
export function reachOf(url: Template): Reach | null {
  const { text, placeholders } = marked(url);
  const [whole = ""] = text.trim().split("#", 1);
  const question = whole.indexOf("?");
  const [address, search] =
    question === -1 ? [whole, ""] : [whole.slice(0, question), whole.slice(question + 1)];
  const query = queryOf(search, placeholders);
  const schemed = /^https?:\/\//i.test(address)
    ? address
    : /^[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:\/|$)|^localhost(?::\d+)?(?:\/|$)/.test(address)
      ? `http://${address}`
      : address;
  const parts = /^(https?):\/\/(?:([^/@]*)@)?([^/?#]*)(.*)$/is.exec(schemed);
  if (parts === null) {
    // The address begins with a variable: `{{baseUrl}}/orders`.
    const [first] = unmarked(address, placeholders);
    if (first === undefined || typeof first === "string") return null;
    const path = unmarked(address, placeholders).slice(1);
    return { key: `variable ${first.id}`, origin: null, host: first.id, hasUser: false, path, query };
  }
  const [, scheme = "https", user = "", authority = "", path = ""] = parts;
  const named = unmarked(authority, placeholders);
  const host = plainText(named);
  const hasUser = user !== "";
  if (host === null) {
    const word = named.map((part) => (typeof part === "string" ? part : part.id)).join("");
    return {
      key: `variable ${word}`,
      origin: null,
      host: word,
      hasUser,
      path: unmarked(path, placeholders),
      query,
    };
  }
  const parsed = URL.parse(`${scheme}://${host}`);
  if (parsed === null || parsed.host === "") return null;
  return {
    key: parsed.origin,
    origin: parsed.origin,
    host: parsed.host,
    hasUser,
    path: unmarked(path, placeholders),
    query,
  };
}

function queryOf(search: string, placeholders: readonly Placeholder[]): Reach["query"] {
  return search
    .split("&")
    .filter((part) => part !== "")
    .slice(0, 500)
    .map((part) => {
      const equal = part.indexOf("=");
      const [name, value] = equal === -1 ? [part, ""] : [part.slice(0, equal), part.slice(equal + 1)];
      return {
        name: decoded(name.replaceAll(/[\uE000\uE001]/g, "")),
        value: unmarked(decoded(value), placeholders),
      };
    });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

interface Arguments {
  readonly path: JsonObject;
  readonly query: JsonObject;
  readonly header: JsonObject;
  readonly body: Json | undefined;
}

interface DraftRequest {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly method: string;
  readonly path: string;
  readonly contentType: string | null;
  path_parameters: JsonObject;
  query: JsonObject;
  headers: JsonObject;
  body: JsonObject | null;
}

/** A connection of kind `http` that is being put together from the requests to one host. */
export class ConnectionDraft {
  readonly name: string;
  readonly title: string;
  readonly #reach: Reach;
  readonly #requests = new Map<string, DraftRequest>();
  readonly #names = new Set<string>();
  #need: CredentialNeed | null = null;
  #places: string[] = [];

  constructor(reach: Reach, taken: ReadonlySet<string>) {
    this.#reach = reach;
    this.title = reach.host;
    const plain = slug(reach.host.replace(/^www\./, ""), 28).replace(/^[^a-z]+/, "");
    const hint = plain === "" ? "api" : RESERVED.has(plain) ? `${plain}-api` : plain;
    let name = hint;
    for (let n = 2; taken.has(name); n++) name = `${hint.slice(0, 26)}-${n}`;
    this.name = name;
  }

  /** Notes a credential; false when the connection needs another one already. */
  need(need: CredentialNeed): boolean {
    const { pointer: _, ...kind } = need;
    if (this.#need === null) this.#need = need;
    const { pointer: __, ...known } = this.#need;
    const same =
      known.kind === kind.kind &&
      known.in === kind.in &&
      known.parameter?.toLowerCase() === kind.parameter?.toLowerCase();
    if (same && this.#places.length < 50) this.#places.push(need.pointer);
    return same;
  }

  /** The name of the request that makes this call; calls of the same operation share one. */
  request(call: HttpCall, path: string, args: Arguments): string {
    const contentType = call.body?.contentType ?? null;
    const key = `${call.method} ${path} ${contentType ?? ""}`;
    const known = this.#requests.get(key);
    if (known !== undefined) {
      known.query = { ...parameters(args.query), ...known.query };
      known.headers = { ...parameters(args.header), ...known.headers };
      if (known.body !== null && call.body !== null)
        known.body = mergeSchemas(known.body, bodySchema(call.body, args.body));
      return known.name;
    }
    const name = this.#nameFor(call, path);
    this.#requests.set(key, {
      name,
      title: call.name.slice(0, 200) || `${call.method} ${path}`.slice(0, 200),
      description: call.description.slice(0, 4_000),
      method: call.method,
      path,
      contentType,
      path_parameters: parameters(args.path),
      query: parameters(args.query),
      headers: parameters(args.header),
      body: call.body === null ? null : bodySchema(call.body, args.body),
    });
    return name;
  }

  #nameFor(call: HttpCall, path: string): string {
    const words = call.name.match(/[A-Za-z0-9]+/g) ?? [];
    const fromPath = `${call.method.toLowerCase()} ${path}`.match(/[A-Za-z0-9]+/g) ?? [];
    const hint = (words.length > 0 ? words : fromPath).join("_").slice(0, 56) || "request";
    let name = hint;
    for (let n = 2; this.#names.has(name); n++) name = `${hint}_${n}`;
    this.#names.add(name);
    return name;
  }

  /** The connection as `POST /api/svc/connections` takes it, and what it needs before it can be called. */
  proposal(): ImportedConnection {
    const requests = [...this.#requests.values()].map(({ contentType, body, description, ...request }) => ({
      name: request.name,
      title: request.title,
      ...(description !== "" && { description }),
      method: request.method,
      path: request.path,
      ...withMembers("path_parameters", request.path_parameters),
      ...withMembers("query", request.query),
      ...withMembers("headers", request.headers),
      ...(body !== null && { body }),
      ...(contentType !== null && { contentType }),
    }));
    const need = this.#need;
    return {
      name: this.name,
      kind: "http",
      title: this.title,
      url: this.#reach.origin,
      document: { requests },
      credential:
        need === null
          ? null
          : {
              kind: need.kind,
              ...(need.in !== undefined && { in: need.in }),
              ...(need.parameter !== undefined && { parameter: need.parameter }),
              ...(need.username !== undefined && { username: need.username }),
              ...(need.called !== undefined && { called: need.called }),
              hosts: this.#reach.origin === null ? [] : [this.#reach.host],
              places: this.#places,
            },
    };
  }
}

function withMembers(name: string, group: JsonObject): JsonObject {
  return Object.keys(group).length === 0 ? {} : { [name]: group };
}

/** A schema for each argument, made from what was given. */
function parameters(values: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, parameterSchema(value ?? null)]),
  );
}

function parameterSchema(value: Json): JsonObject {
  if (isTag(value)) return { type: ["string", "number", "boolean"] };
  if (isList(value)) return { type: "array", items: { type: ["string", "number", "boolean"] } };
  return { ...inferSchema(value), ...(value !== "" && value !== null && { examples: [value] }) };
}

function bodySchema(body: HttpBody, value: Json | undefined): JsonObject {
  if (body.kind === "text") return { type: "string" };
  return inferSchema(withoutTags(value ?? null));
}

/** What is only known in a run says nothing about its type. */
function withoutTags(value: Json): Json {
  if (isTag(value)) return null;
  if (isList(value)) return value.map(withoutTags);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutTags(item ?? null)]));
}

function isTag(value: Json): boolean {
  return isJsonObject(value) && (value["$ref"] !== undefined || value["$expr"] !== undefined);
}
