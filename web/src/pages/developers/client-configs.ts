/** How one kind of client is configured for this service. */
export interface ClientConfig {
  readonly title: string;
  readonly about: string;
  readonly text: string;
}

/** Configurations to copy. The key is always a placeholder: the page never writes yours anywhere. */
export function clientConfigs(origin: string): readonly ClientConfig[] {
  const url = `${origin}/mcp`;
  const http = { type: "http", url, headers: { Authorization: "Bearer ${SVC_API_KEY}" } };
  const json = (value: unknown) => JSON.stringify(value, null, 2);
  return [
    {
      title: "Claude and ChatGPT",
      about:
        "Add a custom connector with this address. You sign in here and choose what it may do; no key is needed.",
      text: url,
    },
    {
      title: "Claude Code",
      about: 'Then /mcp in Claude Code signs in. With a key: --header "Authorization: Bearer …".',
      text: `claude mcp add --transport http workflow-ui ${url}`,
    },
    {
      title: "Cursor and other hosts (mcpServers)",
      about: "For .cursor/mcp.json and hosts with such a file. Without headers the host signs in.",
      text: json({ mcpServers: { "workflow-ui": http } }),
    },
    {
      title: "VS Code (servers)",
      about: "For .vscode/mcp.json. Without headers the editor signs in.",
      text: json({ servers: { "workflow-ui": http } }),
    },
    {
      title: "Hosts that speak stdio only",
      about: "A bridge turns stdio into HTTP.",
      text: json({
        mcpServers: {
          "workflow-ui": {
            command: "npx",
            args: ["-y", "mcp-remote", url, "--header", "Authorization: Bearer ${SVC_API_KEY}"],
          },
        },
      }),
    },
    {
      title: "MCP TypeScript SDK",
      about: "The official client over streamable HTTP.",
      text: `import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const client = new Client({ name: "my-program", version: "1.0.0" });
const headers = { Authorization: \`Bearer \${process.env.SVC_API_KEY}\` };
await client.connect(new StreamableHTTPClientTransport(new URL("${url}"), { requestInit: { headers } }));
const { tools } = await client.listTools();`,
    },
    {
      title: "curl",
      about: "No library at all.",
      text: `curl -s ${origin}/api/mcp \\
  -H "Content-Type: application/json" \\
  -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_health","arguments":{}}}'`,
    },
    {
      title: "Events",
      about: "Server-sent events; Last-Event-ID resumes after the last one seen.",
      text: `curl -N ${origin}/api/svc/events -H "Accept: text/event-stream"`,
    },
  ];
}
