import process from "node:process";
import type { Cli, Handlers } from "../command.ts";
import { serveBridge } from "../stdio-bridge.ts";

/** The stdio side of MCP. */
export const handlers: Handlers = { mcp };

async function mcp(cli: Cli): Promise<number> {
  if (cli.given.flag("config")) {
    const entry = { command: "suitectl", args: ["mcp"], env: { SUITE_URL: cli.url() } };
    cli.output.write(`${JSON.stringify({ mcpServers: { "workflow-ui": entry } }, null, 2)}\n`);
    return 0;
  }
  const client = cli.client({ isQuiet: true, keepAlive: true });
  await serveBridge(client, process.stdin, (line) => process.stdout.write(line));
  client.close();
  return 0;
}
