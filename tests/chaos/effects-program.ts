import { appendFileSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

/*
 * An MCP server over stdio whose effects are lines of a file, so that they are counted without asking anybody. What it
 * does with a call is written in the call's arguments. `again` has one effect for each id, `act` one for each call.
 */

const [file = ""] = process.argv.slice(2);
const inputSchema = {
  type: "object",
  properties: { id: { type: "string" }, way: { type: "string" } },
  required: ["id", "way"],
};
const TOOLS = ["act", "again"].map((name) => ({
  name,
  inputSchema,
  annotations: { idempotentHint: name === "again" },
}));

function answer(id: unknown, result: unknown): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
}

function act(rpcId: unknown, name: string, id: string, way: string): void {
  const isKnown = readFileSync(file, "utf8").includes(`\n${id}\n`);
  if (way === "error") {
    answer(rpcId, { isError: true, content: [{ type: "text", text: "refused" }] });
    return;
  }
  if (way === "dies before" && !isKnown) process.exit(1);
  if (name === "act" || !isKnown) appendFileSync(file, `\n${id}\n`);
  if (way === "dies after" && !isKnown) process.exit(1);
  if (way !== "hangs") answer(rpcId, { content: [{ type: "text", text: "done" }] });
}

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === "initialize") {
      answer(id, {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "effects", version: "1" },
      });
    } else if (method === "tools/list") answer(id, { tools: TOOLS });
    else if (method === "tools/call") act(id, params.name, params.arguments.id, params.arguments.way);
    else if (id !== undefined) {
      const error = { code: -32601, message: "unknown" };
      process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, error })}\n`);
    }
  })
  // Nothing else ends the program when its parent was killed.
  .on("close", () => process.exit(0));
