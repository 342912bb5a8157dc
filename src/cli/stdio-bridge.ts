import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { isObject, parsedJson } from "../kernel/json.ts";
import type { Client } from "./client.ts";
import { Failure } from "./failure.ts";

/*
 * MCP over standard input and output: one JSON-RPC message a line. Messages go to the gateway and answers come back
 * exactly as they are; only the headers that the HTTP side asks for are added.
 */

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
const NAME_SOURCE: Readonly<Record<string, "name" | "uri">> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};
const UNREACHABLE = -32_030;
const REFUSED = -32_001;

/** Passes messages on until the input ends and every answer is written. */
export async function serveBridge(
  client: Client,
  input: Readable,
  write: (line: string) => void,
): Promise<void> {
  const pending = new Set<Promise<void>>();
  const running = new Map<string, AbortController>();
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) {
    if (line.trim() === "") continue;
    const message = parsedJson(line);
    const cancelled = cancelledId(message);
    if (cancelled !== null) running.get(cancelled)?.abort();
    const stop = new AbortController();
    const key = idKey(message);
    if (key !== null) running.set(key, stop);
    const work = forward(client, line, message, stop.signal, write).finally(() => {
      pending.delete(work);
      if (key !== null) running.delete(key);
    });
    pending.add(work);
  }
  await Promise.all(pending);
}

async function forward(
  client: Client,
  line: string,
  message: unknown,
  signal: AbortSignal,
  write: (line: string) => void,
): Promise<void> {
  try {
    const { status, text } = await client.exchange({
      method: "POST",
      path: "/api/mcp",
      body: line,
      headers: headersFor(message),
      signal,
    });
    if (text === "") return;
    const answer = parsedJson(text);
    const isRpc = Array.isArray(answer) || (isObject(answer) && answer["jsonrpc"] === "2.0");
    if (isRpc) write(`${text.includes("\n") ? JSON.stringify(answer) : text}\n`);
    else
      replyError(
        message,
        status === 401 || status === 403 ? REFUSED : UNREACHABLE,
        edgeMessage(answer),
        write,
      );
  } catch (error) {
    // A client that cancelled a request does not expect its answer.
    if (signal.aborted) return;
    const text = error instanceof Failure ? error.message : "The bridge failed.";
    replyError(message, UNREACHABLE, text, write);
  }
}

/** An answer where the gateway gave none; notifications never get one. */
function replyError(message: unknown, code: number, text: string, write: (line: string) => void): void {
  const items = Array.isArray(message) ? message : [message];
  const ids = items.flatMap((item: unknown) => (isObject(item) && hasId(item) ? [item["id"]] : []));
  const answers = ids.map((id) => ({ jsonrpc: "2.0", id, error: { code, message: text } }));
  if (answers.length > 0) write(`${JSON.stringify(Array.isArray(message) ? answers : answers[0])}\n`);
}

function edgeMessage(answer: unknown): string {
  const data = isObject(answer) ? answer["data"] : undefined;
  const error = isObject(data) ? data["error"] : undefined;
  const text = isObject(error) ? error["message"] : undefined;
  return typeof text === "string" ? text : "What answers is not this service.";
}

/** The headers that repeat parts of a newer request; older requests need none. */
function headersFor(message: unknown): Record<string, string> {
  if (!isObject(message) || typeof message["method"] !== "string") return {};
  const { method, params } = message;
  const meta = isObject(params) ? params["_meta"] : undefined;
  const version = isObject(meta) ? meta[VERSION_KEY] : undefined;
  if (typeof version !== "string") return {};
  const source = NAME_SOURCE[method];
  const name = source === undefined || !isObject(params) ? undefined : params[source];
  return {
    "mcp-protocol-version": headerValue(version),
    "mcp-method": headerValue(method),
    ...(typeof name === "string" && { "mcp-name": headerValue(name) }),
  };
}

/** Text that a header cannot carry goes as Base64. */
function headerValue(text: string): string {
  const plain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith("=?base64?");
  return plain ? text : `=?base64?${Buffer.from(text, "utf8").toString("base64")}?=`;
}

function hasId(message: Record<string, unknown>): boolean {
  return typeof message["id"] === "string" || typeof message["id"] === "number";
}

function idKey(message: unknown): string | null {
  return isObject(message) && hasId(message) ? JSON.stringify(message["id"]) : null;
}

function cancelledId(message: unknown): string | null {
  if (!isObject(message) || message["method"] !== "notifications/cancelled" || !isObject(message["params"]))
    return null;
  return JSON.stringify(message["params"]["requestId"] ?? null);
}
