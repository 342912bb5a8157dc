import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";

/** A request for a Koa application, its body read. */
export interface KoaRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What a Koa application answered. */
export interface KoaAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

/** Keeps what is written instead of sending it. */
class MemorySocket extends Socket {
  readonly chunks: Buffer[] = [];

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: () => void): void {
    this.chunks.push(typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk);
    done();
  }

  override _writev(
    parts: { readonly chunk: Buffer | string; readonly encoding: BufferEncoding }[],
    done: () => void,
  ): void {
    for (const { chunk, encoding } of parts) this._write(chunk, encoding, () => undefined);
    done();
  }
}

const END_OF_HEAD = "\r\n\r\n";

/**
 * Runs a request through a Koa application that has no socket of its own: the gateway has read the request, checked Host
 * and Origin and counted it, and writes the answer.
 */
export async function callKoa(
  handle: (request: IncomingMessage, response: ServerResponse) => unknown,
  given: KoaRequest,
): Promise<KoaAnswer> {
  const socket = new MemorySocket();
  const request = new IncomingMessage(socket);
  request.method = given.method;
  request.url = given.url;
  request.headers = { ...given.headers, "content-length": String(given.body.length) };
  if (given.body.length > 0) request.push(given.body);
  else delete request.headers["content-length"];
  request.push(null);
  // Or the request would count as cut off at its end, and take the socket with it.
  request.complete = true;
  const response = new ServerResponse(request);
  response.assignSocket(socket);
  // One answer with a known end: no chunks to take apart.
  response.useChunkedEncodingByDefault = false;
  const finished = new Promise<void>((resolve, reject) => {
    response.once("finish", resolve);
    response.once("error", reject);
  });
  await handle(request, response);
  await finished;
  const bytes = Buffer.concat(socket.chunks);
  const headers: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(response.getHeaders())) {
    if (value !== undefined) headers[name] = typeof value === "number" ? String(value) : value;
  }
  return {
    status: response.statusCode,
    headers,
    body: bytes.subarray(bytes.indexOf(END_OF_HEAD) + END_OF_HEAD.length),
  };
}
