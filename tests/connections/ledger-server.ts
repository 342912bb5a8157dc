import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

/*
 * An MCP server over stdio whose write counts: it is executed once for each idempotency key, and every request is
 * written down. The first request of a key never gets an answer, so that its caller can be killed in the middle of it.
 */

const [file = ""] = process.argv.slice(2);
const server = new McpServer({ name: "ledger", version: "1" });
server.registerTool(
  "book",
  { description: "Books an entry once.", annotations: { idempotentHint: true } },
  async ({ _meta }) => {
    const key = String(_meta?.["svc/idempotencyKey"]);
    const booked: readonly string[] = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
    const isNew = !booked.includes(`executed ${key}`);
    appendFileSync(file, `received ${key}\n${isNew ? `executed ${key}\n` : ""}`);
    if (isNew) await new Promise(() => undefined);
    return { content: [{ type: "text", text: "booked" }] };
  },
);
// Nothing else ends the program when its parent was killed.
process.stdin.on("end", () => process.exit(0));
writeFileSync(file, "", { flag: "a" });
await server.connect(new StdioServerTransport());
