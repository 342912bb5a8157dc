import { isObject } from "#kernel/json.ts";
import { isSameSource } from "#kernel/same-source.ts";
import type { Connection } from "@workflow-ui/client";
import { addressOf, type ConnectionBody } from "../../api/connections.ts";
import { parseText } from "../../lib/parse-text.ts";
import { at, objectAt, textAt, textsAt, type JsonRecord } from "../../lib/read.ts";

/** A connection that was found in a pasted text, ready to be added. */
export interface FoundConnection {
  readonly name: string;
  readonly title: string;
  /** What it is, in words. */
  readonly about: string;
  readonly body: ConnectionBody;
  /** Why it cannot be added as it is. */
  readonly problem?: string;
  /** Names of connections that lead there already. */
  readonly existing?: readonly string[];
  /** What is known about the credential that it needs. */
  readonly suggested?: JsonRecord;
}

/** A short name for a connection, made from a title or a host. */
export function suggestName(text: string): string {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const slug = words
    .join("-")
    .replace(/^[^a-z]+/, "")
    .slice(0, 31);
  const whole = slug.endsWith("-") ? slug.slice(0, -1) : slug;
  return whole === "" ? "api" : whole;
}

/** A name that no connection has yet: the wished one, or with a number behind it. */
export function freeName(wished: string, taken: readonly Pick<Connection, "name">[]): string {
  const names = new Set(taken.map(({ name }) => name));
  if (!names.has(wished)) return wished;
  let n = 2;
  while (names.has(`${wished.slice(0, 28)}-${n}`)) n += 1;
  return `${wished.slice(0, 28)}-${n}`;
}

/** True for a connection to what was found: the same address, the same program, or a pasted document of this title. */
export function leadsTo(connection: Connection, { body, existing = [], title }: FoundConnection): boolean {
  if (existing.includes(connection.name)) return true;
  const { kind, url = "", command, args = [] } = body;
  return command === undefined || command === null
    ? isSameSource(connection, { kind, url, title })
    : connection.kind === kind && addressOf(connection) === [command, ...args].join(" ");
}

/** Reads a pasted API description or the configuration of an MCP client. Throws with a sentence for the person. */
export async function readPasted(text: string): Promise<readonly FoundConnection[]> {
  if (holdsRequests(text, null)) return requestsIn(text);
  const document = await parseText(text);
  if (holdsRequests(text, document)) return requestsIn(text);
  if (!isObject(document)) throw new Error("This is neither an API description nor an MCP configuration.");
  if (typeof document["openapi"] === "string" || typeof document["swagger"] === "string") {
    const title = textAt(document, ["info", "title"], "API");
    const version = textAt(document, "openapi", textAt(document, "swagger"));
    const paths = Object.keys(objectAt(document, "paths")).length;
    return [
      {
        name: suggestName(title),
        title,
        about: `API description, version ${version}, ${paths === 1 ? "1 path" : `${paths} paths`}`,
        body: { kind: "openapi", title: title.slice(0, 200), document: text },
      },
    ];
  }
  const servers = serversIn(document);
  if (servers === null)
    throw new Error(
      'This is neither an API description ("openapi" or "swagger"), nor an MCP configuration ("mcpServers" or "servers"), nor requests (curl, Postman, HAR).',
    );
  return Object.entries(servers).map(([name, server]) => fromHost(name, server));
}

/** Common hosts write their servers under one of these members. */
function serversIn(document: JsonRecord): JsonRecord | null {
  for (const path of [["mcpServers"], ["servers"], ["mcp", "servers"], ["context_servers"]]) {
    const found = at(document, ...path);
    if (isObject(found) && Object.keys(found).length > 0) return found;
  }
  return null;
}

function fromHost(name: string, server: unknown): FoundConnection {
  const url = textAt(server, "url", textAt(server, "serverUrl", textAt(server, "httpUrl")));
  const command = textAt(server, "command");
  const base = { name: suggestName(name), title: name.slice(0, 200) };
  if (url !== "") {
    const headers = Object.keys(objectAt(server, "headers"));
    return {
      ...base,
      about: url,
      body: { kind: "mcp", url },
      ...(headers.length > 0 && {
        problem: `Its headers (${headers.join(", ")}) are not taken over. Store them as a credential.`,
      }),
    };
  }
  if (command !== "") {
    const args = textsAt(server, "args");
    const given = objectAt(server, "env");
    const env = Object.fromEntries(Object.keys(given).map((variable) => [variable, textAt(given, variable)]));
    return {
      ...base,
      about: [command, ...args].join(" "),
      body: { kind: "mcp", command, args, ...(Object.keys(env).length > 0 && { env }) },
    };
  }
  return { ...base, about: "", body: { kind: "mcp" }, problem: "It names neither an address nor a command." };
}

/** The HTTP requests in curl commands, a Postman collection, a HAR file or an n8n workflow, as connections. */
export async function requestsIn(text: string): Promise<readonly FoundConnection[]> {
  const [{ importWorkflow }, { smallerArchive }] = await Promise.all([
    import("#formats/index.ts"),
    import("#formats/har-import.ts"),
  ]);
  const { connections = [] } = importWorkflow(smallerArchive(text));
  return connections.map(({ name, title, url, document, credential }) => {
    const size = document.requests.length;
    return {
      name,
      title,
      about: size === 1 ? "1 request" : `${size} requests`,
      body: { kind: "http", title, document, ...(url !== null && { url }) },
      ...(credential !== null && {
        suggested: credential,
        problem: "The secrets in it are not taken over. Store them as a credential.",
      }),
    };
  });
}

/** True for texts that hold requests and no description of an API. */
function holdsRequests(text: string, document: unknown): boolean {
  if (/^\s*(?:\$ )?curl\s/.test(text)) return true;
  return (
    isObject(document) &&
    (Array.isArray(document["item"]) || isObject(document["log"]) || isObject(document["connections"]))
  );
}

/** A document on its way from the page where it was pasted to the page that adds it; too large for an address. */
let handedOver: string | null = null;

/** Leaves a document for the page that adds connections. */
export function handOver(text: string): void {
  handedOver = text;
}

/** The document that was left, once. */
export function takeHandedOver(): string | null {
  const text = handedOver;
  handedOver = null;
  return text;
}
