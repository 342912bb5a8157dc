import process from "node:process";
import { example, argument, group, option } from "../spec.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

/** What other programs on this machine use: MCP over standard input, and completion scripts. */
export const machine = group("", {
  mcp: {
    summary: "Serve the gateway over standard input and output, for MCP hosts that start a command.",
    about:
      "Passes JSON-RPC messages, one a line, to the service and its answers back, of every protocol version, without changing them. The key comes from SUITE_API_KEY or from login and never appears in the host's configuration.",
    access: "public",
    options: [option("--config", "Print the entry for an MCP host's configuration instead of serving.")],
    examples: [
      example("The entry for a desktop host's configuration file", "--config", [], {
        id: "mcp-config",
        access: "offline",
      }),
      example("Send one message by hand", "", [], {
        id: "mcp-ping",
        stdin: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      }),
    ],
    async run(cli) {
      if (cli.given.flag("config")) {
        const entry = { command: "suitectl", args: ["mcp"], env: { SUITE_URL: cli.url() } };
        cli.output.write(`${JSON.stringify({ mcpServers: { "workflow-ui": entry } }, null, 2)}\n`);
        return 0;
      }
      const client = cli.client({ isQuiet: true, keepAlive: true });
      const { serveBridge } = await import("../stdio-bridge.ts");
      await serveBridge(client, process.stdin, (line) => process.stdout.write(line));
      client.close();
      return 0;
    },
  },
  completion: {
    summary: "Print the completion script of a shell.",
    about:
      "Put the output where your shell looks for completions, or load it in this shell: source <(suitectl completion bash).",
    access: "offline",
    args: [argument("shell", "The shell.", { choices: SHELLS })],
    examples: [
      example("Save the completions of bash to a file", "bash > suitectl.bash", [], {
        id: "completion-bash",
      }),
      example("Save the completions of zsh to a file", "zsh > _suitectl", [], { id: "completion-zsh" }),
      example("Save the completions of fish to a file", "fish > suitectl.fish", [], {
        id: "completion-fish",
      }),
    ],
    async run({ given, output }) {
      // The script is made from all commands, this one too.
      const { completionScript } = await import("../completion.ts");
      const { loadTable } = await import("../table.ts");
      const shell = SHELLS.find((one) => one === given.argument("shell"));
      if (shell !== undefined) output.write(completionScript(shell, await loadTable()));
      return 0;
    },
  },
});
