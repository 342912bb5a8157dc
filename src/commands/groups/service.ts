import { DEFAULT_URL } from "../conventions.ts";
import type { CommandSpec } from "../model.ts";

/** Commands about the service as a whole and about this machine. */
export const serviceCommands: readonly CommandSpec[] = [
  {
    path: "login",
    summary: "Keep an API key for a service, or sign in as a person.",
    about:
      "With --device it shows an address and a code: open the address in any browser, sign in, type the code and choose what suitectl may do; the tokens are kept and renewed. Without it, it reads the key from a hidden prompt, or from standard input when that is not a terminal; never from the command line, where process lists and the history would show it. The service is asked whether it accepts the key before it is kept, in the system's config folder with mode 600.",
    access: "public",
    options: [{ name: "device", summary: "Sign in as a person with a browser, on this or another machine." }],
    examples: [
      {
        id: "login-device",
        title: "Sign in as a person with a browser",
        needs: ["service", "terminal"],
        steps: [{ options: { device: true } }],
      },
      {
        id: "login",
        title: "Type the key into a hidden prompt",
        needs: ["service", "terminal"],
        steps: [{}],
      },
      {
        id: "login-from-file",
        title: "Take the key from a file",
        needs: ["service", "key-file"],
        steps: [{ from: "key.txt" }],
      },
    ],
  },
  {
    path: "logout",
    summary: "Forget the kept key of a service; a sign-in is ended at the service too.",
    access: "offline",
    examples: [{ id: "logout", title: "Forget the key of the current service", needs: [], steps: [{}] }],
  },
  {
    path: "status",
    summary: "Whether the service runs, what it can keep, and what the key may do.",
    access: "public",
    examples: [
      { id: "status", title: "Look at the service", needs: ["service"], steps: [{}] },
      {
        id: "status-json",
        title: "The same for a script",
        needs: ["service"],
        steps: [{ options: { json: true } }],
      },
    ],
  },
  {
    path: "doctor",
    summary: "Check this machine's set-up and say how to mend what is wrong.",
    about:
      "Looks at Node, the installation, the web build, the database, the port, the service, the key, the siblings, the clock, the disk and Chromium. Changes nothing. Ends with status 1 when something that is needed is broken.",
    access: "offline",
    examples: [{ id: "doctor", title: "Check everything", needs: ["service", "database"], steps: [{}] }],
  },
  {
    path: "mcp",
    summary: "Serve the gateway over standard input and output, for MCP hosts that start a command.",
    about:
      "Passes JSON-RPC messages, one a line, to the service and its answers back, of every protocol version, without changing them. The key comes from SUITE_API_KEY or from login and never appears in the host's configuration.",
    access: "public",
    options: [
      { name: "config", summary: "Print the entry for an MCP host's configuration instead of serving." },
    ],
    examples: [
      {
        id: "mcp-config",
        title: "The entry for a desktop host's configuration file",
        needs: [],
        steps: [{ options: { config: true } }],
      },
      {
        id: "mcp-ping",
        title: "Send one message by hand",
        needs: ["service"],
        steps: [{ stdin: '{"jsonrpc":"2.0","id":1,"method":"ping"}' }],
      },
    ],
  },
  {
    path: "completion",
    summary: "Print the completion script of a shell.",
    about:
      "Put the output where your shell looks for completions, or load it in this shell: source <(suitectl completion bash).",
    access: "offline",
    args: [{ name: "shell", summary: "The shell.", choices: ["bash", "zsh", "fish"] }],
    examples: [
      {
        id: "completion-bash",
        title: "Save the completions of bash to a file",
        needs: [],
        steps: [{ args: ["bash"], into: "suitectl.bash" }],
      },
      {
        id: "completion-zsh",
        title: "Save the completions of zsh to a file",
        needs: [],
        steps: [{ args: ["zsh"], into: "_suitectl" }],
      },
      {
        id: "completion-fish",
        title: "Save the completions of fish to a file",
        needs: [],
        steps: [{ args: ["fish"], into: "suitectl.fish" }],
      },
    ],
  },
  {
    path: "demo show",
    summary: "The six-step demo flow; with --live its public-safe steps are probed.",
    access: "public",
    options: [{ name: "live", summary: "Probe the public-safe steps and show what came back." }],
    examples: [
      { id: "demo-show", title: "The declared flow", needs: ["service"], steps: [{}] },
      {
        id: "demo-show-live",
        title: "Probe what can be probed without a key",
        needs: ["service"],
        steps: [{ options: { live: true } }],
      },
    ],
  },
  {
    path: "demo run",
    summary: "Run all six steps of the demo flow for real.",
    about: `Protected steps are handed over to the siblings, so they must be configured; npm start -- --with-suite starts reference siblings beside the service at ${DEFAULT_URL}.`,
    access: "key",
    examples: [
      {
        id: "demo-run",
        title: "Run the flow and see what each sibling confirmed",
        needs: ["service", "key", "siblings"],
        steps: [{}],
      },
    ],
  },
];
