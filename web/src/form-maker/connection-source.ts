import { isObject } from "#kernel/json.ts";
import type { CredentialNeed } from "@workflow-ui/client";
import type { ConnectionBody } from "../api/connections.ts";
import { at, objectAt, textAt, textsAt, type JsonRecord } from "../lib/read.ts";

/** A connection that was found in a text or at an address, ready to be added. */
export interface ConnectionCandidate {
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
  readonly suggested?: Partial<CredentialNeed>;
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

/** The address that a text is, with its scheme; null when it is anything else. */
export function addressIn(text: string): string | null {
  const given = text.trim();
  if (
    given.length > 2000 ||
    !/^(?:https?:\/\/[^\s/]|localhost\b|[\w-]+(?:\.[\w-]+)+(?:[:/]|$))\S*$/i.test(given)
  )
    return null;
  const isWhole = /^https?:/i.test(given);
  const isNear = /^(?:localhost|\d+(?:\.\d+){3})(?:[:/]|$)/i.test(given);
  return URL.parse(isWhole ? given : `${isNear ? "http" : "https"}://${given}`)?.href ?? null;
}

/** A command that starts an MCP server, with the variables before it; null for any other text. */
export function programIn(text: string): ConnectionCandidate | null {
  const line = text.trim();
  if (!/^(?:\w+=\S+\s+)*(?:npx|uvx|bunx|uv|node|deno|bun|python3?|docker|\/\S+)\s+\S.*$/.test(line))
    return null;
  const words = (line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? []).map((word) =>
    word.replaceAll(/["']/g, ""),
  );
  const begins = words.findIndex((word) => !/^\w+=/.test(word));
  const [command = "", ...args] = words.slice(begins);
  const last = args.findLast((word) => !/^[-/]/.test(word)) ?? command;
  return {
    name: suggestName(last),
    title: last.slice(0, 200),
    about: [command, ...args].join(" "),
    body: {
      kind: "mcp",
      command,
      args,
      env: Object.fromEntries(
        words.slice(0, begins).map((word) => {
          const end = word.indexOf("=");
          return [word.slice(0, end), word.slice(end + 1)];
        }),
      ),
    },
    problem:
      "It runs on the service's machine, without a shell, where the operator allows it with SVC_ALLOW_STDIO=true. Values of variables are never shown again; what looks like a secret is kept in the vault.",
  };
}

/** The servers in the configuration of an MCP client; null when a document is none. Hosts have four ways to write it. */
export function serversIn(document: unknown): readonly ConnectionCandidate[] | null {
  for (const path of [["mcpServers"], ["servers"], ["mcp", "servers"], ["context_servers"]]) {
    const found = at(document, ...path);
    if (!isObject(found)) continue;
    const servers = Object.entries(found).map(([name, server]) => fromHost(name, server));
    if (path[0] === "mcpServers" || servers.some(({ about }) => about !== "")) return servers;
  }
  return null;
}

function fromHost(name: string, server: unknown): ConnectionCandidate {
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
export async function requestsIn(text: string): Promise<readonly ConnectionCandidate[]> {
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

/** True for a document that holds requests: a Postman collection, a HAR file, an n8n workflow. */
export function holdsRequests(document: JsonRecord): boolean {
  return (
    Array.isArray(document["item"]) ||
    Array.isArray(at(document, "collection", "item")) ||
    Array.isArray(at(document, "log", "entries")) ||
    (Array.isArray(document["nodes"]) && isObject(document["connections"]))
  );
}

/** True for a workflow in one of the other formats that are imported. */
export function isWorkflow(document: JsonRecord): boolean {
  return (
    typeof document["arazzo"] === "string" ||
    (isObject(document["document"]) && document["do"] !== undefined) ||
    Array.isArray(document["nodes"])
  );
}

/** A text on its way from the page where it was pasted to the dialog that imports it; too large for an address. */
let handedOver = "";

/** Leaves a text for the dialog that imports workflows. */
export function handOver(text: string): void {
  handedOver = text;
}

/** The text that was left, once. */
export function takeHandedOver(): string {
  const text = handedOver;
  handedOver = "";
  return text;
}
