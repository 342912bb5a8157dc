import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

/** A request as the server saw it. */
interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** How a test answers one request. */
export type Answer = (request: SeenRequest, response: ServerResponse) => void | Promise<void>;

/** An HTTP server on a free port of this machine that remembers what it was asked. */
export interface ApiServer {
  readonly url: string;
  readonly seen: SeenRequest[];
  close(): Promise<void>;
}

/** Starts a server that answers by `METHOD /path`, or with 404. */
export async function startApiServer(answers: Readonly<Record<string, Answer>>): Promise<ApiServer> {
  const seen: SeenRequest[] = [];
  const server: Server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const asked: SeenRequest = { method, url, headers, body: Buffer.concat(chunks) };
      const path = url.split("?")[0] ?? "";
      const answer = answers[`${method} ${path}`] ?? answers[`${method} *`];
      // Reading the description is not part of what tests count.
      if (!path.endsWith(".json")) seen.push(asked);
      if (answer === undefined) {
        response.writeHead(404, { "content-type": "application/json" }).end('{"error":"no such path"}');
        return;
      }
      void answer(asked, response);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}

/** Answers with JSON. */
export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Answer {
  return (_request, response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
  };
}
