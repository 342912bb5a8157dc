import { timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { sha256Hex } from "../../src/kernel/canonical-json.ts";
import { isJsonObject, type JsonObject } from "../../src/kernel/json.ts";

const MAX_BODY = 12 * 1024 * 1024;

/** A refusal: its status and a message for the caller. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** One request to a sibling. */
export interface SiblingRequest {
  readonly method: string;
  readonly url: URL;
  /** The parts of the path that the route's variables stand for. */
  readonly params: readonly string[];
  readonly headers: IncomingMessage["headers"];
  readonly body: JsonObject;
  /** The body as it came. */
  readonly raw: Uint8Array;
  readonly hasKey: boolean;
}

/** What a sibling answers: data for an envelope, or a document. */
export type SiblingAnswer =
  | { readonly status?: number; readonly data: JsonObject }
  | { readonly status?: number; readonly type: string; readonly content: string | Uint8Array }
  | Response;

/** One route of a sibling. `*` in the path is a variable. */
export interface SiblingRoute {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  /** Needs the key. */
  readonly isProtected: boolean;
  handle(request: SiblingRequest): Promise<SiblingAnswer> | SiblingAnswer;
}

/** A sibling that listens. */
export interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves routes on a port. The routes are made once the address is known, since results carry it. */
export async function serve(
  options: { readonly port: number; readonly key: string; readonly orFree: boolean },
  routesFor: (url: string) => readonly SiblingRoute[],
): Promise<Listening> {
  let routes: readonly SiblingRoute[] = [];
  const server = createServer((request, response) => {
    void answer(routes, options.key, request, response);
  });
  const url = await listen(server, options.port).catch((error: unknown) => {
    if (!options.orFree) throw error;
    return listen(server, 0);
  });
  routes = routesFor(url);
  return {
    url,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, port: number): Promise<string> {
  return new Promise((done, fail) => {
    server.once("error", fail);
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      if (address === null || typeof address === "string") fail(new Error("The server has no port."));
      else done(`http://127.0.0.1:${address.port}`);
    });
  });
}

async function answer(
  routes: readonly SiblingRoute[],
  key: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const url = new URL(request.url ?? "/", "http://127.0.0.1");
    const matches = routes.flatMap((route) => {
      const params = matched(route.path, url.pathname);
      return params === null ? [] : [{ route, params }];
    });
    if (matches.length === 0) throw new Refusal(404, "not_found", "There is nothing at this path.");
    const match = matches.find(({ route }) => route.method === request.method);
    if (match === undefined)
      throw new Refusal(405, "method_not_allowed", "This path does not take the method.");
    const hasKey = isKey(key, request);
    if (match.route.isProtected && !hasKey)
      throw new Refusal(401, "unauthorized", "A valid key is required.");
    const raw = await readBody(request);
    const result = await match.route.handle({
      method: request.method ?? "GET",
      url,
      params: match.params,
      headers: request.headers,
      body: parsed(raw),
      raw,
      hasKey,
    });
    await write(response, result);
  } catch (error) {
    const refusal = error instanceof Refusal ? error : new Refusal(500, "internal", "The sibling failed.");
    if (!(error instanceof Refusal)) console.error(error);
    writeJson(response, refusal.status, {
      ok: false,
      data: { error: { code: refusal.code, message: refusal.message } },
    });
  }
}

async function write(response: ServerResponse, result: SiblingAnswer): Promise<void> {
  if (result instanceof Response) {
    response.writeHead(result.status, Object.fromEntries(result.headers.entries()));
    response.end(Buffer.from(await result.arrayBuffer()));
  } else if ("data" in result) {
    writeJson(response, result.status ?? 200, { ok: true, data: result.data });
  } else {
    response.writeHead(result.status ?? 200, {
      "content-type": result.type,
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:",
    });
    response.end(result.content);
  }
}

function writeJson(response: ServerResponse, status: number, value: JsonObject): void {
  const text = JSON.stringify(value);
  response.writeHead(status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    "x-content-type-options": "nosniff",
  });
  response.end(text);
}

function matched(pattern: string, path: string): readonly string[] | null {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  if (wanted.length !== given.length) return null;
  const params: string[] = [];
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? "";
    if (part === "*") params.push(decodeURIComponent(value));
    else if (part !== value) return null;
  }
  return params;
}

/** Both are hashed first, so that the comparison takes the same time whatever was sent. */
function isKey(key: string, request: IncomingMessage): boolean {
  const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
  const given = bearer ?? request.headers["x-suite-api-key"];
  if (typeof given !== "string") return false;
  return timingSafeEqual(Buffer.from(sha256Hex(given)), Buffer.from(sha256Hex(key)));
}

async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.byteLength;
    if (size > MAX_BODY) throw new Refusal(413, "too_large", "The body is too large.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parsed(raw: Uint8Array): JsonObject {
  if (raw.byteLength === 0) return {};
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(raw));
    if (isJsonObject(value)) return value;
  } catch {
    // Reported below, in the same words as for JSON that is no object.
  }
  throw new Refusal(400, "invalid_input", "The body is not a JSON object.");
}
