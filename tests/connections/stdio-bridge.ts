import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import { createInterface } from "node:readline";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

/** A program's MCP server, reachable over Streamable HTTP. */
export interface StdioBridge {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves a program that speaks MCP over its standard input and output on Streamable HTTP: messages go through as they
 * are, one program a session, over the official SDK's transport. The program itself is not changed.
 */
export async function bridgeToHttp(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<StdioBridge> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const children = new Set<ReturnType<typeof spawn>>();

  async function open(): Promise<StreamableHTTPServerTransport> {
    const child = spawn(process.execPath, [...args], {
      env: { PATH: process.env["PATH"] ?? "", ...env },
      stdio: ["pipe", "pipe", "ignore"],
    });
    children.add(child);
    child.once("exit", () => children.delete(child));
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has this one handler only
    transport.onmessage = (message) => void child.stdin?.write(`${JSON.stringify(message)}\n`);
    if (child.stdout !== null)
      createInterface({ input: child.stdout }).on("line", (line) => {
        void transport.send(JSON.parse(line)).catch(() => undefined);
      });
    await transport.start();
    return transport;
  }

  const refuse = (response: ServerResponse): void => void response.writeHead(404).end();
  const server = createServer((request, response) => {
    const id = request.headers["mcp-session-id"];
    const known = typeof id === "string" ? sessions.get(id) : undefined;
    if (known !== undefined) void known.handleRequest(request, response);
    else if (id !== undefined) refuse(response);
    else void open().then((transport) => transport.handleRequest(request, response));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/mcp`,
    async close() {
      for (const child of children) child.kill("SIGKILL");
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}
