import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import process from "node:process";
import { text } from "node:stream/consumers";

/* Another process for steps to ask: it reads the question, and gives it back. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const question: unknown = JSON.parse(await text(request));
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(question));
}

const server = createServer((request, response) => void answer(request, response));
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address !== null) process.stdout.write(`${address.port}\n`);
});
